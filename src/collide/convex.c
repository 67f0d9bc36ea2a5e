// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "collide/convex.h"

#include "core/constants.h"

// ---- support --------------------------------------------------------------------------------------------------------

Convex convexPiece(const shSolid* solid, int piece)
{
    shBox box = fieldBox(&solid->field, piece);
    return (Convex){.map = fieldSupport(&solid->field, piece), .radius = vLength(vMax(vNeg(box.lower), box.upper))};
}

Convex convexShape(const shShape* shape)
{
    Convex convex = {.shape = *shape};
    convex.radius = shape->radius + shape->halfHeight + vLength(shape->halfExtent);
    return convex;
}

static float withSign(float size, float sign) { return sign < 0.0f ? -size : size; }

static Vec3 support(const Convex* convex, Vec3 direction)
{
    if (convex->map.count > 0)
        return SIMD_CHOOSE(supportVertex)(&convex->map, direction);
    const shShape* shape = &convex->shape;
    Vec3 half = shape->halfExtent;
    if (shape->type == shBoxShape)
        return vec3(withSign(half.x, direction.x), withSign(half.y, direction.y), withSign(half.z, direction.z));
    Vec3 core = {0.0f, shape->type == shCapsuleShape ? withSign(shape->halfHeight, direction.y) : 0.0f, 0.0f};
    return vMad(core, shape->radius, direction);
}

float convexReach(const Convex* convex, Vec3 direction)
{
    return convex->map.count > 0 ? supportHeight(&convex->map, direction) : vDot(direction, support(convex, direction));
}

// ---- gaps -----------------------------------------------------------------------------------------------------------

// An axis of B's frame, the other way round in A's.
static Vec3 against(const Mat3* rotation, Vec3 axis)
{
    return vNeg(vAdd(vAdd(vScale(axis.x, rotation->r0), vScale(axis.y, rotation->r1)), vScale(axis.z, rotation->r2)));
}

// The corner of A − B, in B's frame, that is nearest along an axis.
static Vec3 cornerAlong(const Convex* a, const Convex* b, const Mat3* rotation, shTransform relative, Vec3 axis)
{
    Vec3 onA = vAdd(mMul(*rotation, support(a, against(rotation, axis))), relative.p);
    return vSub(onA, support(b, axis));
}

// No two points are nearer along an axis, but for rounding.
static float gapAlong(const Convex* a, const Convex* b, const Mat3* rotation, shTransform relative, Vec3 axis)
{
    return vDot(axis, relative.p) - convexReach(a, against(rotation, axis)) - convexReach(b, axis);
}

static bool isExact(const Convex* convex) { return convex->map.heights == NULL; }

static float roundingOf(const Convex* a, const Convex* b, shTransform relative)
{
    return ROUNDING * (a->radius + b->radius + vLength(relative.p));
}

float convexGapAlong(const Convex* a, const Convex* b, shTransform relative, Vec3 axis)
{
    Mat3 rotation = qToMat(relative.q);
    return gapAlong(a, b, &rotation, relative, axis) - roundingOf(a, b, relative);
}

// Corners of A − B around what is nearest to the origin.
typedef struct Simplex {
    Vec3 corners[4];
    int count;
} Simplex;

static void keep(Simplex* simplex, int i, int k, int m)
{
    Vec3 a = simplex->corners[i], b = k >= 0 ? simplex->corners[k] : a, c = m >= 0 ? simplex->corners[m] : a;
    simplex->corners[0] = a;
    simplex->corners[1] = b;
    simplex->corners[2] = c;
    simplex->count = 1 + (k >= 0) + (m >= 0);
}

// The point of a triangle that is nearest to the origin, and which of its corners it lies between.
static Vec3 nearestOnTriangle(Vec3 a, Vec3 b, Vec3 c, unsigned* between)
{
    Vec3 ab = vSub(b, a), ac = vSub(c, a);
    float d1 = -vDot(ab, a), d2 = -vDot(ac, a), d3 = -vDot(ab, b), d4 = -vDot(ac, b), d5 = -vDot(ab, c),
          d6 = -vDot(ac, c);
    if (d1 <= 0.0f && d2 <= 0.0f)
        return *between = 1, a;
    if (d3 >= 0.0f && d4 <= d3)
        return *between = 2, b;
    if (d6 >= 0.0f && d5 <= d6)
        return *between = 4, c;
    float vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
    if (vc <= 0.0f && d1 >= 0.0f && d3 <= 0.0f)
        return *between = 3, vMad(a, d1 / maxF(d1 - d3, 1e-30f), ab);
    if (vb <= 0.0f && d2 >= 0.0f && d6 <= 0.0f)
        return *between = 5, vMad(a, d2 / maxF(d2 - d6, 1e-30f), ac);
    if (va <= 0.0f && d4 - d3 >= 0.0f && d5 - d6 >= 0.0f)
        return *between = 6, vMad(b, (d4 - d3) / maxF((d4 - d3) + (d5 - d6), 1e-30f), vSub(c, b));
    *between = 7;
    float sum = va + vb + vc;
    return sum > 0.0f ? vAdd(a, vAdd(vScale(vb / sum, ab), vScale(vc / sum, ac))) : a;
}

static void keepBetween(Simplex* simplex, int i, int k, int m, unsigned between)
{
    const int all[3] = {i, k, m};
    int kept[3] = {-1, -1, -1}, count = 0;
    for (int n = 0; n < 3; ++n) {
        if (between >> n & 1)
            kept[count++] = all[n];
    }
    keep(simplex, kept[0], kept[1], kept[2]);
}

// The nearest point of a simplex; the corners that it does not lie between are dropped. False: the origin is inside.
static bool nearest(Simplex* simplex, Vec3* point)
{
    const Vec3* c = simplex->corners;
    unsigned between = 0;
    if (simplex->count == 1) {
        *point = c[0];
    } else if (simplex->count == 2) {
        Vec3 ab = vSub(c[1], c[0]);
        float square = vLength2(ab), t = square > 0.0f ? clampF(-vDot(c[0], ab) / square, 0.0f, 1.0f) : 0.0f;
        *point = vMad(c[0], t, ab);
        if (t == 0.0f || t == 1.0f)
            keep(simplex, t == 0.0f ? 0 : 1, -1, -1);
    } else if (simplex->count == 3) {
        *point = nearestOnTriangle(c[0], c[1], c[2], &between);
        keepBetween(simplex, 0, 1, 2, between);
    } else {
        static const int faces[4][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 3, 2, 0}};
        float least = INFINITY;
        int face = -1;
        for (int f = 0; f < 4; ++f) {
            Vec3 a = c[faces[f][0]], normal = vCross(vSub(c[faces[f][1]], a), vSub(c[faces[f][2]], a));
            float origin = -vDot(normal, a), other = vDot(normal, vSub(c[faces[f][3]], a));
            if (origin * other > 0.0f)
                continue; // on the side of the fourth corner
            unsigned of;
            Vec3 p = nearestOnTriangle(a, c[faces[f][1]], c[faces[f][2]], &of);
            if (vLength2(p) < least) {
                least = vLength2(p);
                *point = p;
                face = f;
                between = of;
            }
        }
        if (face < 0)
            return false;
        keepBetween(simplex, faces[face][0], faces[face][1], faces[face][2], between);
    }
    return true;
}

float convexGap(const Convex* a, const Convex* b, shTransform relative, float enough, Vec3* axis)
{
    Mat3 rotation = qToMat(relative.q);
    float rounding = roundingOf(a, b, relative), best = -INFINITY;
    Vec3 toward = vLength2(*axis) > 0.0f ? *axis : relative.p;
    if (!(vLength2(toward) > 0.0f))
        toward = vec3(0.0f, 1.0f, 0.0f);
    Simplex simplex = {.count = 0};
    for (int i = 0; i < CONVEX_ITERATIONS; ++i) {
        Vec3 along = vNormalize(toward);
        Vec3 corner = cornerAlong(a, b, &rotation, relative, along);
        float gap = vDot(along, corner) - rounding; // of the corners that searches know
        float all = isExact(a) && isExact(b) ? gap : gapAlong(a, b, &rotation, relative, along) - rounding;
        if (all > best) {
            best = all;
            *axis = along;
        }
        if (best >= enough)
            return best;
        // No corner is nearer along it than the simplex: that is the distance.
        float length = vLength(toward);
        if (simplex.count > 0 && gap >= 0.0f && length - gap <= CONVEX_EXACT * length + 2.0f * rounding)
            return best;
        simplex.corners[simplex.count++] = corner;
        if (!nearest(&simplex, &toward) || !(vLength2(toward) > rounding * rounding))
            return minF(best, 0.0f);
    }
    return best;
}
