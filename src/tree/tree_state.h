// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The sphere trees of a solid's pieces as bytes and back (X9): links and reaches. Where points lie follows from the
// field, which must be there first.
#pragma once

#include "core/stream.h"
#include "tree/sphere_tree.h"

// Reading wants trees that own nothing, and leaves them so when it fails.
void streamTrees(Stream* stream, PieceTrees* trees, const FragmentField* field);
