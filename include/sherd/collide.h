// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Contacts between pieces of solids, without our dynamics (G17): put this under any engine that takes contact points.
//
// A pair of pieces is queried both ways: the sample points of one against the distance field of the other. Only a few,
// well spread contacts are selected (G9): `limit` of them, starting at SH_FIRST_CONTACTS; the limit grows by one per
// query while points deeper than the tolerance are left out, and falls back slowly. A contact keeps its id from query
// to query while it lasts, so impulses can be carried over.
#pragma once

#include "sherd/solid.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SH_FIRST_CONTACTS = 8, // per pair, to begin with
    SH_MAX_CONTACTS = 24,  // per pair, ever
};

// A piece of a solid and where it is.
typedef struct shCollider {
    const shSolid* solid;
    int piece;
    shTransform transform; // rest frame to world
} shCollider;

typedef enum shShapeType { shPlaneShape, shSphereShape, shCapsuleShape, shBoxShape } shShapeType;

// An analytic shape in its own frame. A plane is y ≤ 0; a capsule's axis is y.
typedef struct shShape {
    shShapeType type;
    float radius;      // sphere, capsule, m
    float halfHeight;  // capsule: of its axis, m
    shVec3 halfExtent; // box, m
} shShape;

typedef struct shContact {
    shVec3 point;   // world: the sample, on its own body
    shVec3 normal;  // world, unit: from B to A
    float distance; // m; negative: penetration
    uint32_t id;    // the same as long as the contact lasts: side in the highest bit (0: sample of A), sample below
} shContact;

// What a pair remembers between queries. Zero is a new pair. Plain data: copy it, save it.
typedef struct shPair {
    int limit; // contacts allowed now
    int clean; // queries since a point was left out
    int contactCount;
    uint32_t contacts[SH_MAX_CONTACTS]; // ids of the last query
} shPair;

typedef struct shCollideDef {
    float margin;    // contacts up to this distance apart are reported, m; at most a few percent of the size
    float tolerance; // penetration that may be left out, m; 0: 0.2 % of the smaller piece's radius
    int maxContacts; // 0: SH_MAX_CONTACTS; else never more than this. Without a pair: so many at once, however many,
                     // for callers that make a choice of their own
    bool all;        // every sample within the margin, no selection: for comparison
    bool plainOrder; // all children of a sample at once instead of one by one (G10): for comparison
    uint32_t cookie;
} shCollideDef;
SH_API shCollideDef shDefaultCollideDef(void);

typedef struct shCollideStats {
    int visited;   // samples tested
    int colliding; // of them within the margin
    int deeper;    // 1 when a sample deeper than the tolerance was left out
} shCollideStats;

// Work space of queries: one per thread.
typedef struct shQuery shQuery;
SH_API shStatus shCreateQuery(shContext* context, shQuery** query, shMessage* message);
SH_API void shDestroyQuery(shQuery* query);

// Contacts of A and B. They live in the query until its next use. `pair` may be null: a first meeting.
SH_API shStatus shCollide(shQuery* query, const shCollideDef* def, const shCollider* a, const shCollider* b,
                          shPair* pair, const shContact** contacts, int* contactCount, shMessage* message);
// The same against an analytic shape, which takes the part of B.
SH_API shStatus shCollideShape(shQuery* query, const shCollideDef* def, const shCollider* a, const shShape* shape,
                               shTransform transform, shPair* pair, const shContact** contacts, int* contactCount,
                               shMessage* message);
// Two analytic shapes, at most maxContacts contacts, SH_FIRST_CONTACTS if that is 0.
SH_API shStatus shCollideShapes(shQuery* query, const shCollideDef* def, const shShape* a, shTransform aTransform,
                                const shShape* b, shTransform bTransform, const shContact** contacts, int* contactCount,
                                shMessage* message);
SH_API shCollideStats shQuery_GetStats(const shQuery* query); // of the last query

typedef struct shScenery shScenery; // sherd/scenery.h

// One pair of many.
typedef struct shPairQuery {
    shCollider a;
    shCollider b; // its solid may be null: then a shape or scenery takes its part, at b.transform
    const shShape* shape;
    const shScenery* scenery;
    shPair* pair; // may be null; no two queries of a batch share one
} shPairQuery;

// A pair's share of the contacts.
typedef struct shPairContacts {
    int first, count;
    shCollideStats stats;
} shPairContacts;

// Work space for many pairs at once on all workers of the context. One batch serves one caller at a time.
typedef struct shBatch shBatch;
SH_API shStatus shCreateBatch(shContext* context, shBatch** batch, shMessage* message);
SH_API void shDestroyBatch(shBatch* batch); // null is fine

// Contacts of all pairs, in the order of the pairs whatever the number of workers: ranges[i] are those of pairs[i].
// Both arrays live in the batch until its next use. When a pair is refused or memory runs out there is no result and
// no shPair has changed; the message names the first pair that was refused.
SH_API shStatus shCollidePairs(shBatch* batch, const shCollideDef* def, const shPairQuery* pairs, int pairCount,
                               const shContact** contacts, const shPairContacts** ranges, shMessage* message);

#ifdef __cplusplus
}
#endif
