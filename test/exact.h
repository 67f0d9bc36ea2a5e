// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Geometry without rounding, for points given as floats: on which side a point lies, whether two triangles meet.
//
// Signs of determinants come from double arithmetic where its error bound allows, else from an exact sum: every product
// of differences is taken apart into doubles that add up to it exactly (Dekker's splitting), and these are added up in
// an expansion, a list of doubles that do not overlap, smallest first, whose last one has the sign of all (Priest,
// Shewchuk). Floats leave room for three factors without overflow or underflow.
#pragma once

#include "core/vec.h"

enum { EXACT_TERMS = 192 }; // of a determinant of three rows: 6 products of 8 parts with 4 doubles each

typedef struct ExactSum {
    int count;
    double terms[EXACT_TERMS]; // ascending in size, no two overlap, none is zero
} ExactSum;

static inline double exactRest(double a, double b, double sum) // of a + b
{
    double back = sum - a;
    return (a - (sum - back)) + (b - back);
}

static inline void exactAdd(ExactSum* sum, double x)
{
    int kept = 0;
    for (int i = 0; i < sum->count; ++i) {
        double total = x + sum->terms[i], rest = exactRest(x, sum->terms[i], total);
        if (rest != 0.0)
            sum->terms[kept++] = rest;
        x = total;
    }
    if (x != 0.0)
        sum->terms[kept++] = x;
    sum->count = kept;
}

static inline int exactSign(const ExactSum* sum)
{
    return sum->count == 0 ? 0 : sum->terms[sum->count - 1] > 0.0 ? 1 : -1;
}

// a·b = product + *rest, exactly.
static inline double exactProduct(double a, double b, double* rest)
{
    const double splitter = 134217729.0; // 2^27 + 1
    double a1 = splitter * a, b1 = splitter * b, product = a * b;
    a1 = a1 - (a1 - a);
    b1 = b1 - (b1 - b);
    double a0 = a - a1, b0 = b - b1;
    *rest = a0 * b0 - (((product - a1 * b1) - a0 * b1) - a1 * b0);
    return product;
}

// A difference of two floats, as two doubles that add up to it.
typedef struct ExactDifference {
    double part[2];
} ExactDifference;

static inline ExactDifference exactMinus(float a, float b)
{
    double difference = (double)a - (double)b;
    return (ExactDifference){{exactRest((double)a, -(double)b, difference), difference}};
}

// Adds sign · a · b.
static inline void exactAddTwo(ExactSum* sum, double sign, ExactDifference a, ExactDifference b)
{
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
            double rest, product = exactProduct(sign * a.part[i], b.part[j], &rest);
            exactAdd(sum, rest);
            exactAdd(sum, product);
        }
}

// Adds sign · a · b · c.
static inline void exactAddThree(ExactSum* sum, double sign, ExactDifference a, ExactDifference b, ExactDifference c)
{
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
            double parts[2];
            parts[1] = exactProduct(sign * a.part[i], b.part[j], &parts[0]);
            for (int k = 0; k < 2; ++k)
                for (int l = 0; l < 2; ++l) {
                    double rest, product = exactProduct(parts[k], c.part[l], &rest);
                    exactAdd(sum, rest);
                    exactAdd(sum, product);
                }
        }
}

// Sign of the volume (a − d) · (b − d) × (c − d).
static inline int exactOrient3(Vec3 a, Vec3 b, Vec3 c, Vec3 d)
{
    const float rows[3][3] = {{a.x, a.y, a.z}, {b.x, b.y, b.z}, {c.x, c.y, c.z}}, last[3] = {d.x, d.y, d.z};
    static const int turns[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    double m[3][3], sum = 0.0, size = 0.0;
    for (int r = 0; r < 3; ++r)
        for (int k = 0; k < 3; ++k)
            m[r][k] = (double)rows[r][k] - (double)last[k];
    for (int i = 0; i < 6; ++i) {
        double product = m[0][turns[i][0]] * m[1][turns[i][1]] * m[2][turns[i][2]];
        sum += i < 3 ? product : -product;
        size += fabs(product);
    }
    // Each product is off by at most 5 roundings (its factors may be rounded, too), the sum by 5 more of `size`.
    if (fabs(sum) > 16.0 * 0x1p-53 * size)
        return sum > 0.0 ? 1 : -1;
    ExactSum exact = {.count = 0};
    ExactDifference e[3][3];
    for (int r = 0; r < 3; ++r)
        for (int k = 0; k < 3; ++k)
            e[r][k] = exactMinus(rows[r][k], last[k]);
    for (int i = 0; i < 6; ++i)
        exactAddThree(&exact, i < 3 ? 1.0 : -1.0, e[0][turns[i][0]], e[1][turns[i][1]], e[2][turns[i][2]]);
    return exactSign(&exact);
}

// Sign of the area of a b c seen along an axis.
static inline int exactOrient2(Vec3 a, Vec3 b, Vec3 c, int axis)
{
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    ExactSum sum = {.count = 0};
    ExactDifference au = exactMinus(vGet(a, u), vGet(c, u)), av = exactMinus(vGet(a, v), vGet(c, v)),
                    bu = exactMinus(vGet(b, u), vGet(c, u)), bv = exactMinus(vGet(b, v), vGet(c, v));
    exactAddTwo(&sum, 1.0, au, bv);
    exactAddTwo(&sum, -1.0, av, bu);
    return exactSign(&sum);
}

// An axis along which the triangle is seen as one; -1 if its corners lie on a line.
static inline int exactAxis(const Vec3 t[3])
{
    for (int axis = 0; axis < 3; ++axis)
        if (exactOrient2(t[0], t[1], t[2], axis) != 0)
            return axis;
    return -1;
}

static inline bool exactBetween(float x, float a, float b) { return (a <= x && x <= b) || (b <= x && x <= a); }

// In the plane across an axis: do the segments pq and ab have a point in common?
static inline bool exactSegmentsMeet(Vec3 p, Vec3 q, Vec3 a, Vec3 b, int axis)
{
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    int pa = exactOrient2(a, b, p, axis), qa = exactOrient2(a, b, q, axis);
    int ap = exactOrient2(p, q, a, axis), bp = exactOrient2(p, q, b, axis);
    if (pa * qa < 0 && ap * bp < 0)
        return true;
    const Vec3 ends[4][3] = {{p, a, b}, {q, a, b}, {a, p, q}, {b, p, q}};
    const int sides[4] = {pa, qa, ap, bp};
    for (int i = 0; i < 4; ++i)
        if (sides[i] == 0 && exactBetween(vGet(ends[i][0], u), vGet(ends[i][1], u), vGet(ends[i][2], u)) &&
            exactBetween(vGet(ends[i][0], v), vGet(ends[i][1], v), vGet(ends[i][2], v)))
            return true;
    return false;
}

// Do a segment and a triangle (whose corners are not on a line) have a point in common?
static inline bool exactSegmentMeets(Vec3 p, Vec3 q, const Vec3 t[3])
{
    int sideP = exactOrient3(t[0], t[1], t[2], p), sideQ = exactOrient3(t[0], t[1], t[2], q);
    if (sideP * sideQ > 0)
        return false;
    if (sideP != 0 || sideQ != 0) {
        int low = 0, high = 0;
        for (int k = 0; k < 3; ++k) {
            int side = exactOrient3(p, q, t[k], t[(k + 1) % 3]);
            low |= side < 0;
            high |= side > 0;
        }
        return !(low && high);
    }
    int axis = exactAxis(t), low = 0, high = 0;
    for (int k = 0; k < 3; ++k) {
        int side = exactOrient2(t[k], t[(k + 1) % 3], p, axis);
        low |= side < 0;
        high |= side > 0;
        if (exactSegmentsMeet(p, q, t[k], t[(k + 1) % 3], axis))
            return true;
    }
    return !(low && high);
}

// Do two triangles, neither of them with its corners on a line, have more in common than the corners they share? Those
// are corners of equal coordinates. Two triangles with a common edge do if one is folded onto the other.
static inline bool exactTrianglesMeet(const Vec3 t[3], const Vec3 u[3])
{
    int sharedT[3] = {0}, sharedU[3] = {0}, shared = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            if (t[i].x == u[j].x && t[i].y == u[j].y && t[i].z == u[j].z) {
                sharedT[i] = sharedU[j] = 1;
                ++shared;
            }
    if (shared == 0) {
        for (int k = 0; k < 3; ++k)
            if (exactSegmentMeets(t[k], t[(k + 1) % 3], u) || exactSegmentMeets(u[k], u[(k + 1) % 3], t))
                return true;
        return false;
    }
    if (shared == 1) { // what begins at the common corner ends at the side opposite to it in one of them
        int i = sharedT[0] ? 0 : sharedT[1] ? 1 : 2, j = sharedU[0] ? 0 : sharedU[1] ? 1 : 2;
        return exactSegmentMeets(t[(i + 1) % 3], t[(i + 2) % 3], u) ||
               exactSegmentMeets(u[(j + 1) % 3], u[(j + 2) % 3], t);
    }
    if (shared == 2) {
        int i = !sharedT[0] ? 0 : !sharedT[1] ? 1 : 2, j = !sharedU[0] ? 0 : !sharedU[1] ? 1 : 2;
        if (exactOrient3(t[0], t[1], t[2], u[j]) != 0)
            return false;
        Vec3 a = t[(i + 1) % 3], b = t[(i + 2) % 3];
        int axis = exactAxis(t);
        return exactOrient2(a, b, t[i], axis) == exactOrient2(a, b, u[j], axis);
    }
    return true;
}
