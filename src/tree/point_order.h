// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Maximum-distance order of a set of points (G8): first the two that are furthest apart, then always the point
// furthest from its closest chosen one. Any beginning of the order covers the set evenly, which is what the levels of
// the adaptive sphere tree are made of.
#pragma once

#include "core/memory.h"
#include "core/vec.h"

// order[k]: index of the k-th point. Exact: distances are compared as dLength2 of the difference in double; of equal
// ones the lowest index wins, of equally distant first pairs the lexically lowest (lower index first). Duplicates come
// last, by index.
// spacing[k], may be null: distance of that point to the closest earlier one, never growing with k. The first point,
// which has no earlier one, gets that of the second (0 if it is alone).
// Coordinates are finite. Both arrays hold `count` entries. Fails only with shOutOfMemory.
shStatus pointOrder(const Vec3* points, int count, Memory* memory, int* order, float* spacing, shMessage* message);
