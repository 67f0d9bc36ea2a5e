// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A broken solid made once more, all its cracks at once, so that pieces, fields and trees of two ways of making them
// can be asked the same.
#pragma once

#include "solid/solid.h"

// `original` is broken. The twin's pieces have numbers of their own.
shStatus twinCreate(shSolid* original, TreeRestructure restructure, shSolid** twin, shMessage* message);
// The twin's piece for each of the original's, −1 for those that were removed; free() it.
shStatus twinPieces(const shSolid* original, const shSolid* twin, int** pieces, shMessage* message);
