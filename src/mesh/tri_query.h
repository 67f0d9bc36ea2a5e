// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Questions to a triangle surface, answered through a tree of boxes, all in double: which point of it is closest,
// what does a ray hit first, is a point inside. The query copies what it needs, so the mesh may go away. Once built
// it is only read: any number of threads may ask at once, and the same question always gets the same bits.
#pragma once

#include "core/memory.h"
#include "core/vec.h"

// No tree is deeper, so a stack of this size serves every descent.
enum { triTreeDepth = 64 };

// A node covers triangles [first, first + count) when count > 0, else its children are nodes `first` and `first` + 1.
// Boxes are float, a little wider than what they hold.
typedef struct TriNode {
    Vec3 lower;
    int first;
    Vec3 upper;
    int count;
} TriNode;

// The solid angle of a node's triangles seen from afar: their area-weighted normal `dipole` at `center`, and how
// it varies around that point (`moment` row i, column j: normal component i times offset component j).
typedef struct TriCluster {
    DVec3 center, dipole;
    DMat3 moment;
    double radius2; // squared radius of a ball around `center` with all triangles
} TriCluster;

typedef struct TriQuery {
    int triangleCount, vertexCount, nodeCount;
    TriNode* nodes;       // [nodeCount], root first, children after their parent
    DVec3 (*corners)[3];  // [triangleCount] in tree order, as are all arrays of triangles here
    int (*vertices)[3];   // [triangleCount] vertex indices of the input
    int* ids;             // [triangleCount] triangle number in the input
    int* twins;           // [3 · triangleCount] opposite half edges after triQueryAddNormals, else null
    DVec3* vertexNormals; // [vertexCount] angle-weighted, not unit, after triQueryAddNormals, else null
    TriCluster* clusters; // [nodeCount] after triQueryAddWinding, else null
    bool* flipped;        // [triangleCount] after triQueryAddWinding: orientation is taken the other way
} TriQuery;

// From p to the node's box.
static inline double triNodeDistance(const TriNode* node, DVec3 p)
{
    double x = maxD(maxD((double)node->lower.x - p.x, p.x - (double)node->upper.x), 0.0);
    double y = maxD(maxD((double)node->lower.y - p.y, p.y - (double)node->upper.y), 0.0);
    double z = maxD(maxD((double)node->lower.z - p.z, p.z - (double)node->upper.z), 0.0);
    return sqrt(x * x + y * y + z * z);
}

// What part of a triangle a closest point lies on.
typedef enum TriFeature {
    triFace,
    triEdge0, // between corners 0 and 1
    triEdge1,
    triEdge2,
    triCorner0,
    triCorner1,
    triCorner2,
} TriFeature;

typedef struct TriHit {
    int triangle; // number in the input; −1: nothing within reach
    int slot;     // the same triangle in tree order
    TriFeature feature;
    DVec3 point;
    double weights[3]; // barycentric: each ≥ 0, sum 1
    double distance;   // to the point; for rays in units of the direction's length
} TriHit;

// Closest point of one triangle, which may be degenerate to a segment or a point. Fills all but triangle and slot.
TriHit triClosest(DVec3 a, DVec3 b, DVec3 c, DVec3 p);

// A ray seen along itself: its longest axis, and how far the other two drift per unit of that one. In this view every
// vertex has one position, whichever triangle asks, and the ray is the origin. The direction must not be zero.
typedef struct TriRay {
    DVec3 origin;
    int axis;
    double driftU, driftV, perAxis;
} TriRay;
TriRay triRay(DVec3 origin, DVec3 direction);
// Does the line hit a triangle, from either side? Fills point, weights and distance (which may be negative). Where
// triangles share an edge, bit for bit, no line slips through between them.
bool triRayHit(const TriRay* ray, const DVec3 corners[3], TriHit* hit);

// False when memory runs out; the query is then empty. No triangles is fine: nothing is ever hit.
bool triQueryBuild(TriQuery* query, Memory* memory, const DVec3* vertices, const int (*triangles)[3],
                   int triangleCount);
void triQueryFree(TriQuery* query, Memory* memory);

// The closest point of the surface no farther than maxDistance (INFINITY: anywhere).
TriHit triQueryClosest(const TriQuery* query, DVec3 p, double maxDistance);

// The first hit with 0 ≤ t ≤ maxT of origin + t · direction; faces count from both sides. A ray cannot slip through
// between two triangles that share an edge. A ray within a triangle's plane does not hit that triangle.
TriHit triQueryRay(const TriQuery* query, DVec3 origin, DVec3 direction, double maxT);

// Signs for a clean surface: closed, two triangles to an edge, no triangle without area, no self-intersection. Then
// the sign of a distance is exact: the closest point's normal, averaged by angle at edges and vertices, decides
// (Bærentzen, Aanæs 2005). shBadMesh when edges do not match or a triangle has no area.
shStatus triQueryAddNormals(TriQuery* query, Memory* memory, shMessage* message);

// Negative inside. Needs triQueryAddNormals. Farther than maxDistance: ±maxDistance is not known, the result is NaN.
double triQuerySignedDistance(const TriQuery* query, DVec3 p, double maxDistance);

// True when p, whose closest point is `hit`, lies inside. Needs triQueryAddNormals.
bool triQueryBehind(const TriQuery* query, DVec3 p, const TriHit* hit);

// Signs for any surface: the generalised winding number (Jacobson et al. 2013) through clusters (Barill et al. 2018).
// Orientation is repaired first: all of it if the volume as a whole is negative, and each shell of negative volume
// that does not lie within another one, where it would be a cavity. False when memory runs out.
bool triQueryAddWinding(TriQuery* query, Memory* memory);

// How often the surface goes around p: 1 inside, 0 outside, in between where the surface has holes, 2 where two solids
// overlap. Within 0.05 of exact. Needs triQueryAddWinding.
double triQueryWinding(const TriQuery* query, DVec3 p);
static inline bool triQueryInside(const TriQuery* query, DVec3 p) { return triQueryWinding(query, p) > 0.5; }
