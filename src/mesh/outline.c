// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "mesh/outline.h"

#include "core/trig.h"

static Point2 onCircle(Point2 centre, double radius, double angle)
{
    double s, c;
    trigSinCos(angle, &s, &c);
    return (Point2){centre.r + radius * c, centre.y + radius * s};
}

static double distance2d(Point2 a, Point2 b) { return sqrt((a.r - b.r) * (a.r - b.r) + (a.y - b.y) * (a.y - b.y)); }

Curve curveLine(Point2 from, Point2 to) { return (Curve){.from = from, .to = to}; }

Curve curveArc(Point2 from, Point2 centre, double turn)
{
    Curve arc = {.from = from, .centre = centre, .radius = distance2d(from, centre), .turn = turn};
    arc.start = trigAtan2(from.y - centre.y, from.r - centre.r);
    arc.to = onCircle(centre, arc.radius, arc.start + turn);
    return arc;
}

double curveLength(const Curve* curve)
{
    return curve->radius > 0.0 ? curve->radius * fabs(curve->turn) : distance2d(curve->from, curve->to);
}

Point2 curvePoint(const Curve* curve, double t)
{
    if (t <= 0.0)
        return curve->from;
    if (t >= 1.0)
        return curve->to;
    if (curve->radius > 0.0)
        return onCircle(curve->centre, curve->radius, curve->start + t * curve->turn);
    return (Point2){curve->from.r + t * (curve->to.r - curve->from.r),
                    curve->from.y + t * (curve->to.y - curve->from.y)};
}

Point2 curveNormal(const Curve* curve, double t)
{
    if (curve->radius > 0.0)
        return onCircle((Point2){0.0, 0.0}, curve->turn > 0.0 ? 1.0 : -1.0, curve->start + t * curve->turn);
    double length = distance2d(curve->from, curve->to);
    return (Point2){(curve->to.y - curve->from.y) / length, (curve->from.r - curve->to.r) / length};
}

double curveDistance(const Curve* curve, Point2 p)
{
    double ends = minD(distance2d(p, curve->from), distance2d(p, curve->to));
    if (curve->radius > 0.0) {
        // Turned so that the arc starts at angle 0 and goes on counter-clockwise.
        double angle = trigAtan2(p.y - curve->centre.y, p.r - curve->centre.r) - curve->start;
        if (curve->turn < 0.0)
            angle = -angle;
        while (angle < 0.0)
            angle += 2.0 * TRIG_PI;
        while (angle > 2.0 * TRIG_PI)
            angle -= 2.0 * TRIG_PI;
        return angle <= fabs(curve->turn) ? fabs(distance2d(p, curve->centre) - curve->radius) : ends;
    }
    double dr = curve->to.r - curve->from.r, dy = curve->to.y - curve->from.y;
    double t = ((p.r - curve->from.r) * dr + (p.y - curve->from.y) * dy) / (dr * dr + dy * dy);
    return t > 0.0 && t < 1.0 ? distance2d(p, curvePoint(curve, t)) : ends;
}

// The antiderivative of (c + ρ cos a)² ρ cos a.
static double arcVolume(double c, double rho, double angle)
{
    double sine, cosine;
    trigSinCos(angle, &sine, &cosine);
    return rho * (c * c * sine + c * rho * (angle + sine * cosine) + rho * rho * (sine - sine * sine * sine / 3.0));
}

double curveVolume(const Curve* curve)
{
    double r0 = curve->from.r, r1 = curve->to.r;
    if (curve->radius > 0.0)
        return arcVolume(curve->centre.r, curve->radius, curve->start + curve->turn) -
               arcVolume(curve->centre.r, curve->radius, curve->start);
    return (curve->to.y - curve->from.y) * (r0 * r0 + r0 * r1 + r1 * r1) / 3.0;
}
