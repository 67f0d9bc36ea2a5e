// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Inner spheres (Weller, Zachmann 2009): objects filled with disjoint spheres under a hierarchy. They tell how far two
// objects are apart, or how large the volume is that they share, in microseconds and however many triangles the
// objects have; in limited time they tell it as well as the time allows.
//
// Spheres are inside their object, so the distance of spheres is never less than that of the surfaces, and surfaces may
// touch, or overlap a little, while spheres are still apart. Sharpening takes most of that away; what is left shrinks
// with the size of the spheres. Volumes are those of spheres blown up by the gaps between them.
//
// Objects are only read: any number of threads may ask at once. Answers are the same bits for the same input, but for
// those that a clock has cut short.
#pragma once

#include "sherd/solid.h"
#include "sherd/triangle_tree.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shInnerSpheres shInnerSpheres;

typedef struct shInnerDef {
    int spheres;     // at most that many; fewer if no more fit
    float voxel;     // m, of the grid that places for spheres come from; 0: by the number of spheres
    bool atVoxels;   // spheres stay at the centres of voxels, as in the paper: covers less
    bool unweighted; // all spheres count alike when the hierarchy is made
    uint64_t seed;   // of the hierarchy
    uint32_t cookie; // set by shDefaultInnerDef
} shInnerDef;

typedef struct shInnerInfo {
    int sphereCount, nodeCount, voxelCount; // voxels inside
    double voxel;                           // m
    double volume;                          // m³, of the object
    double covered;                         // of that, the share within the spheres
    int64_t bytes;                          // of spheres and hierarchy
    int64_t surfaceBytes;                   // of the surface, for sharpening
    int multiplicity;                       // blown-up spheres that can have a point in common, at most
    shVec3 centre;                          // of the sphere around all
    float radius;                           // m
} shInnerInfo;

typedef struct shInnerSphere {
    shVec3 centre;
    float radius;
    float volumeRadius; // blown up
    int triangle;       // of the surface, the closest; -1: not known, or a node
} shInnerSphere;

SH_API shInnerDef shDefaultInnerDef(void);
// Of a closed surface, which is copied; triangles face outwards, or all inwards. It may run through itself. shBadMesh:
// it is open; shInvalid: it is thinner than a voxel.
SH_API shStatus shCreateInnerSpheres(shContext* context, const shTriangles* surface, const shInnerDef* def,
                                     shInnerSpheres** spheres, shMessage* message);
SH_API void shDestroyInnerSpheres(shInnerSpheres* spheres); // null is fine
SH_API shInnerInfo shInnerSpheres_GetInfo(const shInnerSpheres* spheres);
SH_API shInnerSphere shInnerSpheres_GetSphere(const shInnerSpheres* spheres, int index);
// One level of the hierarchy, for pictures: 0 is the sphere around all, 1 its children, with spheres that are higher
// up. `firsts` (may be null) gets the number of the first sphere below each, which are in order. Writes at most
// `capacity`, returns how many there are.
SH_API int shInnerSpheres_GetLevel(const shInnerSpheres* spheres, int depth, shInnerSphere* nodes, int* firsts,
                                   int capacity);

// Those an asset was cooked with (shCookDef.innerSpheres), in its rest frame; null: without. They live as long as it.
SH_API const shInnerSpheres* shAsset_GetInnerSpheres(const shAsset* asset);

// Those of all pieces of a solid whose asset has them (shInvalid else): pieces[i] of piece i, null where there is none
// or no sphere fits. Spheres wholly in one piece (to a ten-thousandth of their radius) go along as they are; where
// others were, smaller ones fill what each piece has of them. Volume
// radii are scaled so that they add up to the piece. The solid must not break, nor be destroyed, while they
// live.
SH_API shStatus shCreatePieceSpheres(const shSolid* solid, shInnerSpheres** pieces, int count, shMessage* message);

// An object in the world.
typedef struct shInnerBody {
    const shInnerSpheres* spheres;
    shTransform transform;
} shInnerBody;

// What a pair remembers from one query to the next: where it was closest. Zero it for a new pair. It makes queries
// faster and never changes an answer.
typedef struct shInnerPair {
    int a, b; // spheres, from 1; 0: nothing yet
} shInnerPair;

// ---- distance -------------------------------------------------------------------------------------------------------

typedef struct shInnerDistance {
    bool found;            // nearer than asked for
    float distance;        // m; 0: spheres overlap. Between the distance of the surfaces and that of the spheres
    float sphereDistance;  // m, of the nearest spheres; negative: they overlap, by about that
    shVec3 pointA, pointB; // world: that far apart, on the surfaces or on the spheres
    shVec3 normal;         // world, unit: from a to b
    int sphereA, sphereB, triangleA, triangleB; // triangles: -1 where the point is on a sphere
    int64_t tests;                              // pairs of spheres that were looked at
} shInnerDistance;

// The distance of a and b, if spheres are no farther apart than `most` (INFINITY: however far). `sharpen` (32 is
// plenty) is how many steps both points may take along the surfaces, from the triangles nearest to the nearest spheres
// to where they are closest; 0: none, spheres alone. `pair` may be null. Ends as soon as spheres overlap.
SH_API shStatus shInner_GetDistance(const shInnerBody* a, const shInnerBody* b, float most, int sharpen,
                                    shInnerPair* pair, shInnerDistance* result, shMessage* message);

// Whether spheres of a and b overlap: yes is certain; with no, surfaces may overlap by less than the spheres' gaps.
SH_API shStatus shInner_Overlap(const shInnerBody* a, const shInnerBody* b, shInnerPair* pair, bool* overlaps,
                                shMessage* message);

// ---- volume ---------------------------------------------------------------------------------------------------------

typedef struct shInnerVolume {
    double volume; // m³
    // How the volume changes with the place of b, turned round: what pushes b out by a pressure of 1 Pa, N, about the
    // world's origin, N·m. Continuous along any motion, for it falls to zero where two spheres come together or one is
    // inside the other.
    double force[3], torque[3];
    shVec3 normal;        // of the force, unit; zero without one
    shVec3 centre;        // world, of the places where spheres cross; of b where none do
    double area;          // m², of these places
    int64_t pairs, tests; // spheres that overlap, and pairs that were looked at
} shInnerVolume;

// The volume that a and b share. `listed` (may be null, if room is 0) gets triangles of a and b near the first pairs of
// spheres, a partial list of those that intersect; *count tells how many.
SH_API shStatus shInner_GetVolume(const shInnerBody* a, const shInnerBody* b, shInnerVolume* result, int (*listed)[2],
                                  int room, int* count, shMessage* message);

typedef enum shVolumePriority {
    shVolumeByGain, // most is learned first
    shVolumeBySize, // the largest overlap first
    shVolumePlain,  // the same, and children's overlaps added up without their density
} shVolumePriority;

typedef struct shVolumeLimit {
    int64_t tests;      // pairs of spheres to look at; 0: any number
    float microseconds; // by the context's clock; 0: any time. Answers then depend on the machine
    shVolumePriority priority;
} shVolumeLimit;

typedef struct shVolumeEstimate {
    double volume;       // m³, what is expected
    double lower, upper; // what shInner_GetVolume would say lies between them
    bool whole;          // nothing was left out: volume is exact
    int64_t tests;
} shVolumeEstimate;

// Room for queries in limited time; one for each thread that asks.
typedef struct shVolumeQuery shVolumeQuery;
SH_API shStatus shCreateVolumeQuery(shContext* context, shVolumeQuery** query, shMessage* message);
SH_API void shDestroyVolumeQuery(shVolumeQuery* query); // null is fine
SH_API shStatus shVolumeQuery_Estimate(shVolumeQuery* query, const shInnerBody* a, const shInnerBody* b,
                                       const shVolumeLimit* limit, shVolumeEstimate* estimate, shMessage* message);

// ---- both -----------------------------------------------------------------------------------------------------------

// The distance, and the volume once spheres overlap (then the distance is 0).
SH_API shStatus shInner_GetProximity(const shInnerBody* a, const shInnerBody* b, int sharpen, shInnerPair* pair,
                                     shInnerDistance* distance, shInnerVolume* volume, shMessage* message);

#ifdef __cplusplus
}
#endif
