// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Walls of cracks: what lies between two pieces, wherever each of them may be now.
//
// Facets know whom they belong to but not who was across; and where cracks have met, the older one's facets are whole
// on one side and divided on the other. Seen from the inside of a tetrahedron all of them consist of the same small
// triangles: inner point, cut edge, point on a face at that edge. Each separates the two ends of its edge.
#pragma once

#include "field/fragment_field.h"

// `a` and `b` are nodes on the two sides; corners turn left seen from b's side.
typedef void WallVisit(int a, int b, const Vec3 corners[3], void* user);

// Calls `visit` for each triangle of the cracks in a cut tetrahedron; only cuts from `firstCut` on count.
void wallsOfTet(const FragmentField* field, int tet, int firstCut, WallVisit* visit, void* user);

static inline DVec3 triangleArea(const Vec3 p[3]) // along the normal
{
    return dScale(0.5, dCross(dSub(dFromV(p[1]), dFromV(p[0])), dSub(dFromV(p[2]), dFromV(p[0]))));
}

// Of the field's last break, m².
double lastCrackArea(const FragmentField* field);
