// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The world: bodies that move, touch, rest and break, stable at one step per frame.
//
// A body is a piece of a solid (made from an asset), an analytic shape, or scenery. Bodies are known by handles; a
// handle of a body that is gone is refused, never followed. The same calls in the same order give the same bits on any
// number of threads, with any compiler, with and without SIMD.
//
// Threads: one thread at a time may change a world or step it; between steps any number may read it at once. All work
// within a step runs on the workers of the world's context.
#pragma once

#include "sherd/fracture.h"
#include "sherd/fragments.h"
#include "sherd/scenery.h"
#include "sherd/strength.h"
#include "sherd/support.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shWorld shWorld;

// Zero is no body.
typedef struct shBodyId {
    int32_t index;
    uint32_t generation;
} shBodyId;

// Asked before a body breaks because of a hit, in the thread that steps; false: it stays whole. The answer must hang on
// nothing but the world and its history, or replays will differ. It must not change the world.
typedef struct shBreakEvent shBreakEvent;
typedef bool shShouldBreak(const shWorld* world, const shBreakEvent* about, void* user);

typedef struct shWorldDef {
    shVec3 gravity; // m/s²
    int substeps;   // of the solver per step, up to SH_MAX_SUBSTEPS; 0: one for each 1/120 s. Contacts are found once
    float hitSpeed; // m/s; contacts closing faster than this make a hit event
    float bounceSpeed; // m/s; contacts closing slower than this do not bounce
    float pushSpeed;   // m/s; the most that penetration is pushed out with
    float sleepSpeed;  // m/s; bodies slower than this for sleepTime fall asleep, with all they touch
    float sleepTime;   // s
    bool sleeping;     // bodies may fall asleep
    bool continuous;   // fast bodies are swept, so that they pass through nothing (X1)

    // Breaking. Work is counted in nodes of what breaks: with more than the budget in one step the rest waits for the
    // next ones, whole, and breaks first there; meanwhile it passes on no more than what breaks it. One break is always
    // done.
    int64_t breakBudget;        // nodes per step; 0: no limit
    shShouldBreak* shouldBreak; // null: always
    void* shouldBreakUser;
    // Debris: broken pieces of at most this volume. They go when they are old, and the oldest when there are too many;
    // their mass is booked.
    double debrisVolume; // m³; 0: no piece is debris
    float debrisAge;     // s since it was born; 0: any
    int debrisLimit;     // bodies; 0: any number
    uint32_t cookie;     // set by shDefaultWorldDef
} shWorldDef;

enum { SH_MAX_SUBSTEPS = 64 };

SH_API shWorldDef shDefaultWorldDef(void);
SH_API shStatus shCreateWorld(shContext* context, const shWorldDef* def, shWorld** world, shMessage* message);
SH_API void shDestroyWorld(shWorld* world); // null is fine
SH_API void shWorld_SetGravity(shWorld* world, shVec3 gravity);
SH_API shVec3 shWorld_GetGravity(const shWorld* world);
SH_API void shWorld_SetSleeping(shWorld* world, bool enabled); // false wakes everything

// Everything dt seconds further (0 < dt ≤ 1). When memory runs out or dt makes no sense the world is as before.
SH_API shStatus shWorld_Step(shWorld* world, float dt, shMessage* message);

// ---- bodies ---------------------------------------------------------------------------------------------------------

typedef enum shBodyType {
    shStaticBody,    // stays
    shKinematicBody, // moves with the velocity it is given, whatever it meets
    shDynamicBody,
} shBodyType;

// Two bodies meet unless their groups are equal and negative; equal and positive groups always meet; else each one's
// category must be in the other's mask.
typedef struct shFilter {
    uint32_t category, mask;
    int32_t group;
} shFilter;

// How a body made of an asset breaks when it is hit. Fill it with shDefaultFractureDef. All its pieces break the same
// way.
typedef struct shFractureDef {
    shPattern pattern; // its pieces: of a break of the whole; weaker hits make fewer, near the hit. Every break has a
                       // seed of its own, made from this one. What it refers to must outlive the world
    double factor;     // bears so many times what its material does; 1
    double impulse;    // N·s; above 0: this threshold instead of the material's
    double smallest;   // m³; pieces smaller than this break no further; 0: a 500th of the asset
    double dustVolume; // m³; pieces smaller than this become dust at once; 0: none do
    bool damage;       // hits too weak to break it add up
    // Static bodies: where they are held (rest frame). Pieces that are not held any more fall; without anchors all do.
    // Copied; node anchors are not for worlds.
    const shAnchor* anchors;
    int anchorCount;
    uint32_t cookie;
} shFractureDef;
SH_API shFractureDef shDefaultFractureDef(shPatternType type);

// One of asset, shape and scenery; the asset and the scenery must outlive the world, the shape is copied.
typedef struct shBodyDef {
    shBodyType type;
    const shAsset* asset;
    const shShape* shape;
    const shScenery* scenery;      // static bodies only
    const shFractureDef* fracture; // of assets; copied; null: does not break by itself
    shTransform transform;         // rest frame to world
    shVec3 velocity;               // of the centre of mass, m/s
    shVec3 angularVelocity;        // world, rad/s
    float density;                 // of shapes, kg/m³; assets have their material's
    float friction;                // Coulomb; below 0: the asset's material's, 0.5 for others
    float restitution;             // below 0: the asset's material's, 0 for others
    float linearDamping;           // 1/s
    float angularDamping;          // 1/s
    float gravityScale;
    shFilter filter;
    uint64_t userData;
    uint32_t cookie; // set by shDefaultBodyDef
} shBodyDef;

SH_API shBodyDef shDefaultBodyDef(void); // dynamic, at the origin, at rest
SH_API shStatus shCreateBody(shWorld* world, const shBodyDef* def, shBodyId* body, shMessage* message);
SH_API shStatus shDestroyBody(shWorld* world, shBodyId body, shMessage* message);

// Readers of a body that is gone give zero.
SH_API bool shBody_IsValid(const shWorld* world, shBodyId body);
SH_API shBodyType shBody_GetType(const shWorld* world, shBodyId body);
SH_API shTransform shBody_GetTransform(const shWorld* world, shBodyId body); // rest frame to world
SH_API shVec3 shBody_GetCentre(const shWorld* world, shBodyId body);         // of mass, world
SH_API shVec3 shBody_GetVelocity(const shWorld* world, shBodyId body);       // of the centre of mass
SH_API shVec3 shBody_GetAngularVelocity(const shWorld* world, shBodyId body);
SH_API double shBody_GetMass(const shWorld* world, shBodyId body); // kg; 0 unless dynamic
SH_API bool shBody_IsAwake(const shWorld* world, shBodyId body);
SH_API uint64_t shBody_GetUserData(const shWorld* world, shBodyId body);
SH_API shFilter shBody_GetFilter(const shWorld* world, shBodyId body);
// Its solid and piece; null for shapes and scenery.
SH_API const shSolid* shBody_GetSolid(const shWorld* world, shBodyId body, int* piece);
SH_API const shShape* shBody_GetShape(const shWorld* world, shBodyId body);
SH_API const shScenery* shBody_GetScenery(const shWorld* world, shBodyId body);

// Writers refuse bodies that are gone and numbers that are not finite, and wake what they change.
SH_API shStatus shBody_SetTransform(shWorld* world, shBodyId body, shTransform transform, shMessage* message);
SH_API shStatus shBody_SetVelocity(shWorld* world, shBodyId body, shVec3 velocity, shVec3 angularVelocity,
                                   shMessage* message);
SH_API shStatus shBody_SetUserData(shWorld* world, shBodyId body, uint64_t userData, shMessage* message);
SH_API shStatus shBody_SetFilter(shWorld* world, shBodyId body, shFilter filter, shMessage* message);
SH_API shStatus shBody_SetAwake(shWorld* world, shBodyId body, bool awake, shMessage* message);
// A force (N) at a point of the world during the next step only; an impulse (N·s) at once.
SH_API shStatus shBody_ApplyForce(shWorld* world, shBodyId body, shVec3 force, shVec3 point, shMessage* message);
SH_API shStatus shBody_ApplyImpulse(shWorld* world, shBodyId body, shVec3 impulse, shVec3 point, shMessage* message);

// What came of breaking a body: itself (its largest part keeps the handle) first, then the new ones, each with the
// motion its place in the parent had. Lives until the next break or step.
typedef struct shBodyBreak {
    int bodyCount; // 1: nothing broke
    const shBodyId* bodies;
} shBodyBreak;
SH_API shStatus shBody_Break(shWorld* world, shBodyId body, const shPattern* pattern, const shImpact* impact,
                             shBodyBreak* result, shMessage* message); // the impact in the rest frame
SH_API shStatus shBody_BreakAlong(shWorld* world, shBodyId body, const int* labels, float (*cut)(int edge, void* user),
                                  void* user, shBodyBreak* result,
                                  shMessage* message); // as shCrack

// A blast: an impulse away from a point on every dynamic body within the radius, at most `impulse` (N·s per m² of its
// section), less with distance, none at the radius. What it breaks, breaks at once.
typedef struct shExplosion {
    shVec3 point;
    float radius;  // m
    float impulse; // N·s/m²
} shExplosion;
SH_API shStatus shWorld_Explode(shWorld* world, const shExplosion* explosion, shMessage* message);

// A spring that draws a point of a body to a target, as a mouse does. At most one per body.
typedef struct shDrag {
    shVec3 point;   // of the body, rest frame
    shVec3 target;  // world
    float hertz;    // of the spring; 0: no drag
    float damping;  // ratio, 1: critical
    float maxForce; // N
} shDrag;
SH_API shStatus shBody_SetDrag(shWorld* world, shBodyId body, const shDrag* drag, shMessage* message); // null: let go

// ---- what happened in the last step ---------------------------------------------------------------------------------

typedef struct shTouchEvent {
    shBodyId a, b;
} shTouchEvent;

// Bodies that met fast.
typedef struct shHitEvent {
    shBodyId a, b;
    shVec3 point;  // world, where it was hardest
    shVec3 normal; // from B to A
    float speed;   // m/s, closing
    float impulse; // N·s along the normals, of all contacts of the two in this step, after solving
} shHitEvent;

// A body that broke: because of a hit, a blast, or by hand since the step before.
struct shBreakEvent {
    shBodyId body;    // its largest part keeps the handle
    int first, count; // of `pieces` in the events: all parts, the body itself first; 0 while it is only asked about
    shVec3 point;     // world, where it was hit
    shVec3 normal;    // world, along the blow
    float impulse;    // N·s of the hit; 0: by hand
    float energy;     // J that the hit left in the body for a moment
    double crackArea; // m²
    const shMaterial* material;
    uint64_t userData;
};

// What became too small to matter.
typedef struct shDustEvent {
    shVec3 point;        // world, its centre
    shVec3 velocity;     // m/s, mean
    double mass, volume; // kg, m³
    int pieces;          // that it was
    const shMaterial* material;
} shDustEvent;

// Arrays live until the next step. Handles in `ended` may be of bodies that are gone.
typedef struct shWorldEvents {
    int beginCount, endCount, hitCount;
    const shTouchEvent* begun;
    const shTouchEvent* ended;
    const shHitEvent* hits;
    int breakCount, pieceCount, dustCount;
    const shBreakEvent* breaks;
    const shBodyId* pieces;
    const shDustEvent* dust;
} shWorldEvents;
SH_API shWorldEvents shWorld_GetEvents(const shWorld* world);

// Milliseconds of the last step, by stage; zero without a clock.
typedef struct shProfile {
    float total, broad, collide, islands, prepare, solve, finish, sweep, fracture;
    float update; // of fracture: cutting tetrahedra, bringing fields and trees up to date; of all workers together
} shProfile;
SH_API shProfile shWorld_GetProfile(const shWorld* world);

typedef struct shCounters {
    int bodies, awake, solids, pairs, touching, contacts, islands, colours;
    int queried;        // pairs whose contacts were looked for anew in the last step; the others had hardly moved
    int swept;          // sweeps of pairs that moved fast
    int stopped;        // bodies that would have gone through another and were stopped before it
    int broken;         // bodies, in the last step
    int deferred;       // bodies that wait to break
    int debris;         // bodies that count as such
    int64_t breaks;     // since the world began
    double dustMass;    // kg, since then
    double removedMass; // kg of debris, since then
    int64_t bytes;
} shCounters;
SH_API shCounters shWorld_GetCounters(const shWorld* world);

// Energy of all dynamic bodies, and what the last step has done to it. Forces, drags and kinematic bodies do work as
// well: without them, kinetic + potential changes by pushed − lost.
typedef struct shEnergy {
    double kinetic;   // J
    double potential; // J, in gravity; 0 at the origin
    double pushed;    // J that bodies got by being pushed out of each other: lifted, never made faster
    double lost;      // J in contacts, by damping and by rounding; negative: gained
} shEnergy;
SH_API shEnergy shWorld_GetEnergy(const shWorld* world);

// The bodies alive, by index: for (i = 0; i < count; ++i) id = shWorld_GetBodyAt(world, i), which may be null.
SH_API int shWorld_GetBodyLimit(const shWorld* world);
SH_API shBodyId shWorld_GetBodyAt(const shWorld* world, int index);

// Of all that decides what happens next: equal for equal worlds.
SH_API uint64_t shWorld_GetHash(const shWorld* world);

#ifdef __cplusplus
}
#endif
