// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Signs of orientations of points given as floats, without rounding: a double decides where its error bound allows, an
// exact sum of products where not. -1, 0 or 1.
#pragma once

#include "core/vec.h"

// Of the volume (a − d) · ((b − d) × (c − d)).
int orient3(Vec3 a, Vec3 b, Vec3 c, Vec3 d);
// The same of one triangle and several points: signs[k] = orient3(t[0], t[1], t[2], points[k]).
void orientSides(const Vec3 t[3], const Vec3* points, int count, int* signs);
// Of the area of a b c seen along a coordinate axis.
int orient2(Vec3 a, Vec3 b, Vec3 c, int axis);
