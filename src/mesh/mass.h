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

// The union of two disjoint solids (of the same density).
MassProperties massCombine(MassProperties a, MassProperties b);
// Principal moments, ascending, and axes: canonical, see core/eigen.h.
Eigen3 massPrincipal(MassProperties mass);
