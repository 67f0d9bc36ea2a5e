// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Curves of a solid of revolution's outline in the half plane (r, y): straight lines and circular arcs.
#pragma once

#include "core/vec.h"

typedef struct Point2 {
    double r, y;
} Point2;

typedef struct Curve {
    Point2 from, to;
    Point2 centre; // of an arc
    double radius; // of an arc, > 0; 0: a line
    double start;  // arc: angle of `from` as seen from the centre
    double turn;   // arc: signed angle from there to `to`, less than a half turn; positive: counter-clockwise
} Curve;

Curve curveLine(Point2 from, Point2 to);
Curve curveArc(Point2 from, Point2 centre, double turn); // from must not be the centre
double curveLength(const Curve* curve);
Point2 curvePoint(const Curve* curve, double t); // t in 0 … 1; the ends exactly
// Unit, to the right of the way from `from` to `to`: outward when the outline runs counter-clockwise.
Point2 curveNormal(const Curve* curve, double t);
double curveDistance(const Curve* curve, Point2 p);
// ∫ r² dy: times π, summed over a closed counter-clockwise outline, the volume of the solid of revolution.
double curveVolume(const Curve* curve);
