// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Whether two triangles have a point in common, decided without rounding. Triangles may be segments or points.
#pragma once

#include "core/vec.h"

bool trianglesMeet(const Vec3 t[3], const Vec3 u[3]);

// Two triangles of one mesh: more in common than the corners and sides that they share, by index. The same three
// corners are more. A triangle without area is not compared with what it shares a corner with: false.
bool trianglesCross(const Vec3* points, const int t[3], const int u[3]);
