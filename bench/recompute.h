// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What breaking would cost without updates (Glondu §7.3): the field and the trees of a broken solid's pieces made anew,
// exactly. The pieces' surfaces are taken as given, which the update has to work out itself.
#pragma once

#include "solid/solid.h"

// Every inner node's closest point of its piece's surface, through a tree of boxes over that surface: the field of the
// paper. `nodes` has room for all of them. The update makes the trees and leaves nodes to whoever asks.
shStatus recomputeField(const shSolid* solid, NodeField* nodes, shMessage* message);
// The trees over the pieces' surfaces, in place: what queries ask.
shStatus recomputeSkins(shSolid* solid, shMessage* message);

// What else the next narrow phase reads: masses, support maps, edges, samples and the grids of bounds, in place, by the
// functions that a break uses.
shStatus recomputeShapes(shSolid* solid, shMessage* message);

// A new sphere tree for every piece, in place, in maximum-distance order: of its surface's points only, as in the
// paper, or of all its points.
shStatus recomputeTrees(shSolid* solid, bool inner, shMessage* message);
