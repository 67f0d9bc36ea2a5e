// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Volume, centre and inertia of polyhedra: exact integrals in double, per unit of density. Tetrahedra and closed
// surfaces of the same solid agree to rounding.
#pragma once

#include "core/eigen.h"
#include "mesh/tet_mesh.h"

typedef struct MassProperties {
    double volume; // m³
    DVec3 centre;  // m
    DMat3 inertia; // about the centre, m⁵: times the density it is kg·m²
} MassProperties;

// Of nothing: all zero.
MassProperties massOfTets(const Vec3* nodes, int tetCount, const int (*tets)[4]);
MassProperties massOfTetMesh(const TetMesh* mesh);
// Closed and oriented: divergence theorem, one tetrahedron per triangle to a common point. A surface that faces
// inwards has negative volume and inertia.
MassProperties massOfSurface(const DVec3* vertices, int triangleCount, const int (*triangles)[3]);
MassProperties massOfTriMesh(const TriMesh* mesh);

// Integrals of 1, x and x xᵀ, seen from a point of the solid (`origin` below), so that distance costs no digits. For
// surfaces that come triangle by triangle: start from zero, add all, corners relative to `origin`.
typedef struct MassMoments {
    double volume;
    DVec3 first;
    double xx, yy, zz, xy, xz, yz;
} MassMoments;
void massAddTriangle(MassMoments* moments, DVec3 a, DVec3 b, DVec3 c);
MassProperties massFromMoments(const MassMoments* moments, DVec3 origin);

// The union of two disjoint solids (of the same density).
MassProperties massCombine(MassProperties a, MassProperties b);
// Principal moments, ascending, and axes: canonical, see core/eigen.h.
Eigen3 massPrincipal(MassProperties mass);
