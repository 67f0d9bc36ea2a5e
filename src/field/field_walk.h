// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Walks over the surface of one piece through its trees: along a ray, within a box.
#pragma once

#include "field/fragment_field.h"

// A triangle of the piece's surface; false: no more of them.
typedef bool FieldVisit(int feature, const Vec3 corners[3], void* user);

// Every feature of the piece that meets the box, and some around it; false when `visit` was.
bool fieldVisitBox(const FragmentField* field, int piece, shBox box, FieldVisit* visit, void* user);

typedef struct FieldRayHit {
    double fraction;
    DVec3 normal; // unit, out of the piece
    int feature;
} FieldRayHit;

// The first hit of the piece's surface by origin + t · translation, 0 ≤ t ≤ 1, from outside or inside. Nothing slips
// through between features.
bool fieldRay(const FragmentField* field, int piece, DVec3 origin, DVec3 translation, FieldRayHit* hit);
