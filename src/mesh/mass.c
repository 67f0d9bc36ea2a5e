// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "mesh/mass.h"

// A tetrahedron integrates x xᵀ to V/20 · (Σ v vᵀ + s sᵀ), v its corners and s their sum.
static void addTet(MassMoments* m, DVec3 a, DVec3 b, DVec3 c, DVec3 d)
{
    double volume = dOrient(a, b, c, d) / 6.0;
    DVec3 s = dAdd(dAdd(a, b), dAdd(c, d));
    m->volume += volume;
    m->first = dMad(m->first, volume / 4.0, s);
    double w = volume / 20.0;
    m->xx += w * (a.x * a.x + b.x * b.x + c.x * c.x + d.x * d.x + s.x * s.x);
    m->yy += w * (a.y * a.y + b.y * b.y + c.y * c.y + d.y * d.y + s.y * s.y);
    m->zz += w * (a.z * a.z + b.z * b.z + c.z * c.z + d.z * d.z + s.z * s.z);
    m->xy += w * (a.x * a.y + b.x * b.y + c.x * c.y + d.x * d.y + s.x * s.y);
    m->xz += w * (a.x * a.z + b.x * b.z + c.x * c.z + d.x * d.z + s.x * s.z);
    m->yz += w * (a.y * a.z + b.y * b.z + c.y * c.z + d.y * d.z + s.y * s.z);
}

void massAddTriangle(MassMoments* m, DVec3 a, DVec3 b, DVec3 c) { addTet(m, dvec3(0.0, 0.0, 0.0), a, b, c); }

// I = trace(C) · 1 − C.
static DMat3 inertiaOf(double xx, double yy, double zz, double xy, double xz, double yz)
{
    return (DMat3){{yy + zz, -xy, -xz}, {-xy, xx + zz, -yz}, {-xz, -yz, xx + yy}};
}

MassProperties massFromMoments(const MassMoments* m, DVec3 origin)
{
    MassProperties mass = {0};
    if (m->volume == 0.0)
        return mass;
    DVec3 c = dScale(1.0 / m->volume, m->first);
    double v = m->volume;
    mass.volume = v;
    mass.centre = dAdd(origin, c);
    mass.inertia = inertiaOf(m->xx - v * c.x * c.x, m->yy - v * c.y * c.y, m->zz - v * c.z * c.z, m->xy - v * c.x * c.y,
                             m->xz - v * c.x * c.z, m->yz - v * c.y * c.z);
    return mass;
}

MassProperties massOfTets(const Vec3* nodes, int tetCount, const int (*tets)[4])
{
    if (tetCount == 0)
        return (MassProperties){0};
    MassMoments m = {0};
    DVec3 origin = dFromV(nodes[tets[0][0]]);
    for (int t = 0; t < tetCount; ++t) {
        DVec3 p[4];
        for (int k = 0; k < 4; ++k)
            p[k] = dSub(dFromV(nodes[tets[t][k]]), origin);
        addTet(&m, p[0], p[1], p[2], p[3]);
    }
    return massFromMoments(&m, origin);
}

MassProperties massOfTetMesh(const TetMesh* mesh)
{
    return massOfTets(mesh->nodes, mesh->tetCount, (const int(*)[4])mesh->tets);
}

MassProperties massOfSurface(const DVec3* vertices, int triangleCount, const int (*triangles)[3])
{
    if (triangleCount == 0)
        return (MassProperties){0};
    MassMoments m = {0};
    DVec3 origin = vertices[triangles[0][0]];
    for (int t = 0; t < triangleCount; ++t) {
        const int* v = triangles[t];
        massAddTriangle(&m, dSub(vertices[v[0]], origin), dSub(vertices[v[1]], origin), dSub(vertices[v[2]], origin));
    }
    return massFromMoments(&m, origin);
}

MassProperties massOfTriMesh(const TriMesh* mesh)
{
    return massOfSurface(mesh->vertices, mesh->triangleCount, (const int(*)[3])mesh->triangles);
}

MassProperties massCombine(MassProperties a, MassProperties b)
{
    double volume = a.volume + b.volume;
    if (volume == 0.0)
        return (MassProperties){0};
    // Steiner for two bodies: what is added depends on their distance alone, not on the origin.
    DVec3 d = dSub(b.centre, a.centre);
    double w = a.volume * b.volume / volume;
    DMat3 i = inertiaOf(w * d.x * d.x, w * d.y * d.y, w * d.z * d.z, w * d.x * d.y, w * d.x * d.z, w * d.y * d.z);
    MassProperties sum = {.volume = volume, .centre = dMad(a.centre, b.volume / volume, d)};
    sum.inertia.r0 = dAdd(i.r0, dAdd(a.inertia.r0, b.inertia.r0));
    sum.inertia.r1 = dAdd(i.r1, dAdd(a.inertia.r1, b.inertia.r1));
    sum.inertia.r2 = dAdd(i.r2, dAdd(a.inertia.r2, b.inertia.r2));
    return sum;
}

Eigen3 massPrincipal(MassProperties mass) { return eigenSymmetric(mass.inertia); }
