// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The gap between the convex hulls of two things, without hulls being made: pieces have support maps. Most pairs whose
// boxes overlap have hulls that do not; fragments are nearly convex. A gap is a bound that surfaces keep, too: along
// the axis it was found for, nothing of one is nearer to anything of the other. Where hulls overlap along every axis
// only a query of the surfaces tells more.
#pragma once

#include "core/quat.h"
#include "sherd/collide.h"
#include "solid/solid.h"

typedef struct Convex {
    SupportMap map; // of a piece; no vertices: the shape
    shShape shape;  // no plane
    float radius;   // m, around the frame's origin: what rounding is measured against
} Convex;

Convex convexPiece(const shSolid* solid, int piece);
Convex convexShape(const shShape* shape);

// How far it reaches in a direction of its own frame, unit.
float convexReach(const Convex* convex, Vec3 direction);

// The gap along an axis, unit, from B to A, in B's frame; below 0: how far hulls overlap along it. Rounded down.
// `relative`: A in B's frame.
float convexGapAlong(const Convex* a, const Convex* b, shTransform relative, Vec3 axis);

// The gap along the best axis (Gilbert, Johnson and Keerthi 1988), or along the first that gives `enough`. *axis: where
// to begin, zero for anywhere; then the axis of the gap. Hulls that overlap: the best bound seen, 0 or less.
float convexGap(const Convex* a, const Convex* b, shTransform relative, float enough, Vec3* axis);
