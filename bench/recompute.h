// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What breaking would cost without updates (Glondu §7.3): the field and the trees of a broken solid's pieces made anew,
// exactly, in place. The pieces' surfaces are taken as given, which the update has to work out itself.
#pragma once

#include "sherd/solid.h"

// Every inner node's closest point of its piece's surface, through a tree of boxes over that surface.
shStatus recomputeField(shSolid* solid, shMessage* message);

// A new sphere tree for every piece, in maximum-distance order: of its surface's points only, as in the paper, or of
// all its points.
shStatus recomputeTrees(shSolid* solid, bool inner, shMessage* message);
