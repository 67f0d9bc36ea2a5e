// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The distance of two triangles, in float.
#pragma once

#include "core/vec.h"

// With the closest points p of t and q of u. Triangles that cross are 0 apart, or a rounding of that.
float triangleDistance(const Vec3 t[3], const Vec3 u[3], Vec3* p, Vec3* q);
