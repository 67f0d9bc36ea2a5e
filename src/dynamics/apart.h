// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// How far two boxes are apart, whichever way they are turned: what tells pairs that have only their upright boxes in
// common from those that may touch.
#pragma once

#include "core/vec.h"

// A lower bound (negative: they may overlap). `relative` takes A's frame to B's. It is the gap along the best of the
// fifteen axes of two boxes; no axis is tried any more once one of them gives `enough`.
float boxesApart(shBox a, shBox b, shTransform relative, float enough);
