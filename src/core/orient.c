// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "core/orient.h"

#include "core/constants.h"

// The exact determinants are sums of products of coordinates as they are, not of differences: a product of two floats
// fits a double, and one of three fits two, when the first two are split. The sum is kept as an expansion: doubles that
// do not overlap, smallest first, whose last one has its sign (Shewchuk 1997).
enum { MOST_TERMS = 48 };

typedef struct Expansion {
    int count;
    double terms[MOST_TERMS];
} Expansion;

static void add(Expansion* sum, double x)
{
    int kept = 0;
    for (int i = 0; i < sum->count; ++i) {
        double old = sum->terms[i], total = x + old, part = total - x;
        double rest = (x - (total - part)) + (old - part);
        if (rest != 0.0)
            sum->terms[kept++] = rest;
        x = total;
    }
    if (x != 0.0)
        sum->terms[kept++] = x;
    sum->count = kept;
}

static int signOf(const Expansion* sum)
{
    if (sum->count == 0)
        return 0;
    return sum->terms[sum->count - 1] > 0.0 ? 1 : -1;
}

static void addProduct(Expansion* sum, double a, double b, double c)
{
    double ab = a * b, wide = 134217729.0 * ab, high = wide - (wide - ab); // 2^27 + 1: halves of 26 bits
    add(sum, (ab - high) * c);
    add(sum, high * c);
}

// sign · det(a, b, c)
static void addDeterminant(Expansion* sum, double sign, Vec3 a, Vec3 b, Vec3 c)
{
    DVec3 p = dFromV(a), q = dFromV(b), r = dScale(sign, dFromV(c));
    addProduct(sum, p.x, q.y, r.z);
    addProduct(sum, -p.x, q.z, r.y);
    addProduct(sum, p.y, q.z, r.x);
    addProduct(sum, -p.y, q.x, r.z);
    addProduct(sum, p.z, q.x, r.y);
    addProduct(sum, -p.z, q.y, r.x);
}

int orient3(Vec3 a, Vec3 b, Vec3 c, Vec3 d)
{
    DVec3 o = dFromV(d), p = dSub(dFromV(a), o), q = dSub(dFromV(b), o), r = dSub(dFromV(c), o);
    double yz = q.y * r.z, zy = q.z * r.y, zx = q.z * r.x, xz = q.x * r.z, xy = q.x * r.y, yx = q.y * r.x;
    double sum = p.x * (yz - zy) + p.y * (zx - xz) + p.z * (xy - yx);
    double size =
        fabs(p.x) * (fabs(yz) + fabs(zy)) + fabs(p.y) * (fabs(zx) + fabs(xz)) + fabs(p.z) * (fabs(xy) + fabs(yx));
    if (fabs(sum) > ORIENT_ROUNDING * size)
        return sum > 0.0 ? 1 : -1;
    if (size == 0.0) // differences of floats are zero only between equals, and no product of three is too small
        return 0;
    Expansion exact = {.count = 0};
    addDeterminant(&exact, 1.0, a, b, c);
    addDeterminant(&exact, -1.0, b, c, d);
    addDeterminant(&exact, 1.0, a, c, d);
    addDeterminant(&exact, -1.0, a, b, d);
    return signOf(&exact);
}

void orientSides(const Vec3 t[3], const Vec3* points, int count, int* signs)
{
    DVec3 o = dFromV(t[0]), p = dSub(dFromV(t[1]), o), q = dSub(dFromV(t[2]), o);
    double yz = p.y * q.z, zy = p.z * q.y, zx = p.z * q.x, xz = p.x * q.z, xy = p.x * q.y, yx = p.y * q.x;
    DVec3 normal = {yz - zy, zx - xz, xy - yx};
    DVec3 size = {fabs(yz) + fabs(zy), fabs(zx) + fabs(xz), fabs(xy) + fabs(yx)};
    for (int k = 0; k < count; ++k) {
        DVec3 r = dSub(o, dFromV(points[k]));
        double sum = dDot(r, normal), bound = fabs(r.x) * size.x + fabs(r.y) * size.y + fabs(r.z) * size.z;
        if (fabs(sum) > ORIENT_ROUNDING * bound)
            signs[k] = sum > 0.0 ? 1 : -1;
        else
            signs[k] = bound == 0.0 ? 0 : orient3(t[0], t[1], t[2], points[k]);
    }
}

int orient2(Vec3 a, Vec3 b, Vec3 c, int axis)
{
    int u = axis == 2 ? 0 : axis + 1, v = axis == 0 ? 2 : axis - 1;
    double au = (double)vGet(a, u), av = (double)vGet(a, v), bu = (double)vGet(b, u), bv = (double)vGet(b, v),
           cu = (double)vGet(c, u), cv = (double)vGet(c, v);
    double left = (au - cu) * (bv - cv), right = (av - cv) * (bu - cu), sum = left - right;
    if (fabs(sum) > ORIENT_ROUNDING * (fabs(left) + fabs(right)))
        return sum > 0.0 ? 1 : -1;
    Expansion exact = {.count = 0};
    add(&exact, au * bv);
    add(&exact, -av * bu);
    add(&exact, bu * cv);
    add(&exact, -bv * cu);
    add(&exact, cu * av);
    add(&exact, -cv * au);
    return signOf(&exact);
}
