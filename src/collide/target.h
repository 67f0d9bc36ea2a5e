// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What samples are tested against: a piece of a solid, or an analytic shape (G5-G7).
#pragma once

#include "sherd/collide.h"
#include "solid/solid.h"

typedef struct Target {
    const shSolid* solid; // null: the shape
    int piece;
    bool broken;
    shBox box;       // of the piece
    float gridError; // what a look-up in the rest grid may be off by, m
    shShape shape;
} Target;

Target targetPiece(const shSolid* solid, int piece);
Target targetShape(const shShape* shape);

// Signed distance of p (the target's frame), or a lower bound of it. `hit` is filled, and *found set, when it is below
// `margin`; the distance is then exact near the surface. Nobody cares how far p is beyond `interest` (≥ margin).
float targetProbe(const Target* target, Vec3 p, float margin, float interest, const NormalCone* cone, bool* found,
                  FieldHit* hit);

// A sphere's centre against a piece: like targetProbe with margin = reach, exact for any reach.
bool targetProbeFar(const Target* target, Vec3 p, float reach, FieldHit* hit);
