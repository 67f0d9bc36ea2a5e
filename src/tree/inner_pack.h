// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Dense packings of an object's interior with disjoint spheres (Weller, Zachmann 2009, section 3.1): voxels with their
// exact distance to the surface, and spheres placed greedily, the largest free radius first.
#pragma once

#include "core/context.h"
#include "mesh/tri_query.h"

// A sphere of the packing. `radius` is free of the surface and of all other spheres; `volumeRadius` is that of a sphere
// with the volume the sphere stands for: its share of the gaps included.
typedef struct InnerSphere {
    float x, y, z, radius;
    float volumeRadius;
    int32_t triangle; // the closest one of the surface
} InnerSphere;

static inline Vec3 innerCentre(const InnerSphere* sphere) { return vec3(sphere->x, sphere->y, sphere->z); }

// Voxels of a box around the object, x fastest; centres at lower + (i + ½) · size.
typedef struct InnerVoxels {
    DVec3 lower;
    double size;
    int counts[3];
    int insideCount;
    float* space; // [x · y · z] distance of the centre to the surface; outside some negative number
} InnerVoxels;

typedef struct InnerPackDef {
    int spheres;    // at most that many; fewer if the voxels run out
    double voxel;   // m; 0: by the number of spheres
    bool atCentres; // spheres stay at the centres of voxels, as in the paper; else they move to where they are largest
} InnerPackDef;

typedef struct InnerPacking {
    int count, capacity;
    InnerSphere* spheres; // [capacity] in the order of placing
    double voxel;         // m
    int voxelCount;       // inside
    double volume;        // m³, of the object: what the volume spheres add up to
    double covered;       // m³, of the spheres
} InnerPacking;

// Of a closed surface, self-intersections allowed. shBadMesh: open; shInvalid: no voxel's centre is inside; shLimit:
// too many voxels. Gives `query` what its signs need. Same bits for any number of workers.
shStatus innerPack(InnerPacking* packing, shContext* context, TriQuery* query, const InnerPackDef* def,
                   shMessage* message);
void innerPackingFree(InnerPacking* packing, Memory* memory);

// The stage before: voxels alone. `volume` (m³) is the surface's.
shStatus innerVoxelsMake(InnerVoxels* voxels, shContext* context, const TriQuery* query, double size,
                         shMessage* message);
void innerVoxelsFree(InnerVoxels* voxels, Memory* memory);
static inline int64_t innerVoxelTotal(const InnerVoxels* voxels)
{
    return (int64_t)voxels->counts[0] * voxels->counts[1] * voxels->counts[2];
}
static inline DVec3 innerVoxelCentre(const InnerVoxels* voxels, int index)
{
    int x = index % voxels->counts[0], y = index / voxels->counts[0] % voxels->counts[1],
        z = index / voxels->counts[0] / voxels->counts[1];
    return dAdd(voxels->lower, dvec3((x + 0.5) * voxels->size, (y + 0.5) * voxels->size, (z + 0.5) * voxels->size));
}
