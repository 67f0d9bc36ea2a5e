// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Convex rocks: the hulls of random points near an ellipsoid, no two alike; and how deep two of them are in each other,
// by separating axes.
#pragma once

#include "core/quat.h"
#include "sherd/asset.h"

enum { ROCK_POINTS = 32, ROCK_TRIANGLES = 2 * ROCK_POINTS - 4, ROCK_EDGES = 3 * ROCK_POINTS - 6 };

// A convex polyhedron with triangular faces (Euler: as many at most as there is room for).
typedef struct Rock {
    int vertexCount, triangleCount, edgeCount;
    DVec3 vertices[ROCK_POINTS];      // rest frame, m; each is exactly a float
    int triangles[ROCK_TRIANGLES][3]; // counter-clockwise from outside
    int edges[ROCK_EDGES][2];
} Rock;

// Diameters of the ellipsoid between 0.7 and 1.2 m. Equal seeds give equal rocks.
void rockMake(uint64_t seed, Rock* rock);
// The hull of points in general position. False: it has more faces than there is room for, or is flat.
bool rockHull(const DVec3* points, int count, Rock* rock);
// Tetrahedra from a node in the middle to every face: the surface is the hull, exactly.
shStatus rockCook(shContext* context, const Rock* rock, shAsset** asset, shMessage* message);

// A rock somewhere: vertices, outward normals and edges in the world.
typedef struct PlacedRock {
    const Rock* rock;
    DVec3 middle; // of the vertices
    double radius;
    DVec3 vertices[ROCK_POINTS], normals[ROCK_TRIANGLES], edges[ROCK_EDGES]; // edges of unit length
} PlacedRock;

void rockPlace(const Rock* rock, shTransform transform, PlacedRock* placed);
// How far two rocks must be moved at least to be apart, m: the smallest overlap along all face normals of both and all
// products of their edges. Negative: apart, by at least so much.
double rockDepth(const PlacedRock* a, const PlacedRock* b);
// Below the plane through `point` with the given normal: its lowest vertex.
double rockPlaneDepth(const PlacedRock* a, DVec3 point, DVec3 normal);
