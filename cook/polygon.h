// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Cuts a nearly flat polygon, convex or not, into triangles by clipping ears, the one with the shortest cut first.
#pragma once

#include "core/vec.h"

// `points` are the count ≥ 3 corners in order; writes count − 2 triples of corner numbers to `triangles`, turning the
// same way. `next` and `previous` are scratch of count numbers each.
void polygonTriangulate(int count, const DVec3* points, int* next, int* previous, int (*triangles)[3]);
