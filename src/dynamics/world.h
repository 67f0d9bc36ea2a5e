// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The world's insides: bodies in slots, pairs of bodies that may touch, the contacts of each pair.
//
// A step: boxes → pairs (broad_phase) → contacts (contacts.c) → who is awake (sleep.c) → groups of pairs (groups.c) →
// substeps (solver.c) → late hits and once more (continuous.c) → new poses (integrate.c) → what still crosses
// (continuous.c) → momentum that position correction has moved (conserve.c) → events. Everything that can fail comes
// before anything moves.
#pragma once

#include "core/constants.h"
#include "core/context.h"
#include "core/pool.h"
#include "dynamics/broad_phase.h"
#include "dynamics/common_motion.h"
#include "dynamics/continuous.h"
#include "dynamics/islands.h"
#include "dynamics/rotation.h"
#include "dynamics/solver.h"
#include "fracture/siblings.h"
#include "sherd/world.h"

// All the way that a body has gone: of its centre, m, and turned, rad, never less. No part of the state: what follows
// from it follows from places, too, at more cost.
typedef struct BodyPath {
    double shift, turn;
} BodyPath;

typedef struct Body {
    shBodyType type;
    bool awake;
    bool held; // something keeps it from falling: its last step changed its velocity by less than half of gravity
    int solid; // slot of world->solids, −1: the shape or scenery
    int piece;
    shShape shape;
    const shScenery* scenery;

    // Of the rest shape.
    Vec3 restCentre; // of mass, rest frame
    DQuat restFrame; // from the principal frame to the rest frame
    shBox restBox;
    float radius;        // around the centre of mass, m
    float halfThickness; // m, where it is thinnest: what gets no deeper is on the side it came from
    double mass;         // kg; 0 unless dynamic
    float friction, restitution, linearDamping, angularDamping, gravityScale;

    // Now.
    DVec3 centre; // of mass, world
    Spin spin;    // moments are 1 unless dynamic
    Vec3 velocity;
    Vec3 angular;          // of the spin if dynamic, else as set
    shTransform transform; // of the rest frame, from the two above
    BodyPath path;         // how far it has gone
    Vec3 force, torque;    // for the next step
    // Breaking.
    shStrength strength; // zero if it does not break
    double volume;       // m³, of pieces
    float damage;        // of hits that did not break it; 1 breaks
    float age;           // s since it was broken off; below 0: never was
    bool fresh;          // broken in this step
    bool struck;         //  by a blow
    bool waiting;        // to break, for want of budget
    float most;          // N·s: what it passes on to another meanwhile, on top of what it bore before
    int hit;             // candidate of this step; −1: none

    float still;   // s, how long it has hardly moved
    int sleepNext; // the next body of its sleeping island, in a ring; itself if alone
    int state;     // in the solver; −1: does not move
    int drag;      // slot of world->drags, −1: none
    shFilter filter;
    uint64_t userData;
} Body;

// An instance of an asset and the bodies its pieces are.
typedef struct WorldSolid {
    shSolid* solid; // null: a free slot
    int bodies;     // alive
    bool breaks;    // when hit
    shFractureDef fracture;
    shAnchor* anchors; // [anchorCount]
    int anchorCount;
    uint32_t broken; // how often; makes seeds differ
} WorldSolid;

// A body to break: where, how much.
typedef struct PendingBreak {
    shBodyId body;
    shImpact impact; // rest frame
    int pieces;
    double rank;        // impulse over what it takes: the highest first
    float most;         // N·s: what it takes
    Vec3 point, normal; // world, for the event
    float impulse, energy;
} PendingBreak;

// A break under way.
typedef struct BreakJob {
    PendingBreak pending;
    int solid;
    shStatus status;
    double update; // s
    shPieceInfo before;
    ARRAY(shFragment) fragments;
    ARRAY(int) slots; // by fragment: its body; -1: dust
    Siblings siblings;
    shFragments sums;
} BreakJob;

// A contact of a pair, kept from step to step. It has its place on both bodies, so that its gap is known when they have
// moved a little.
typedef struct Contact {
    Vec3 anchorA, anchorB; // from the centres of mass, in rest axes
    Vec3 normal;           // from B to A, in rest axes of the body whose surface it belongs to
    Vec3 friction;         // N, world, of the last substep
    float force;           // N along the normal, of the last substep
    float total;           // N·s along the normal, over the step
    float approach;        // m/s before the step; negative: closing
    float ahead;           // s until they touch there, found by a sweep; 0: as they are now
    uint32_t id;           // as shContact: the highest bit says that the normal is A's
} Contact;

typedef struct Pair {
    // What is asked for in every step.
    int a, b;              // bodies; where only one is a piece of a solid, that is A
    int first, count;      // of world->contacts
    bool stale;            // has to be looked at anew
    bool looked;           // has been looked at in this step, or served; no part of the state
    bool touching;         // as told in events
    int uses;              // steps that its contacts have served; below 0: that it has been jammed
    float tolerance;       // m
    float margin;          // of the last query, m
    BodyPath pathA, pathB; // then; not a number if unknown

    shTransform relative; // A in B's frame, then
    Vec3 axis;            // of the gap between hulls when it was last asked for, B's frame; zero: unknown
    float load;           // N·s of all contacts in the last step
    float friction, restitution;
} Pair;

// What most pairs need to know of a body in a step.
typedef struct BodyPace {
    BodyPath path;
    float radius;
    float way;           // m, that any of it may move in the step
    float fall;          // m, more if it falls
    float halfThickness; // m
    bool plane;
} BodyPace;

// What the solver's groups ask of a body, in two cache lines and by rows of eight: bodies themselves are far apart.
typedef struct SolverBody {
    _Alignas(64) float mass;       // inverse, 1/kg; 0: gives no way
    float inertia[6];              // inverse, world: xx yy zz xy xz yz
    int state;                     // −1: does not move
    float frame[4];                // rotation of the rest frame
    float most;                    // N·s, as the body's
    bool spent, waiting;           // the bounce broke it; it waits to break
    float unused[2];               //
    float velocity[4], angular[4]; // zero unless it moves
    DVec3 centre;
} SolverBody;

// What a block of bodies has got and lost in the step, J.
typedef struct EnergySum {
    double pushed, lost;
} EnergySum;

// The energy of an island, in a substep.
typedef struct IslandWork {
    double work;     // J: impulses · relative velocities after them; above 0 is a gain
    double received; // J, twice the energy that impulses would give bodies at rest
    double spare;    // J that the step has taken, for bounces
    float scale;     // of the impulses, so that there is none
    bool propped;    // by first state of `standing`: they stand on something that does not give way
} IslandWork;

// A body before its step.
typedef struct BodyBefore {
    DVec3 centre, momentum;
    DVec3 spin; // its angular momentum, with what torques add
    DVec3 push; // N·s of weight and forces
} BodyBefore;

typedef struct Drag {
    shDrag def;
    int body; // −1: free
} Drag;

// A slot of the hash table that finds a pair by its bodies.
typedef struct PairSlot {
    int pair; // −1: empty
} PairSlot;

// What a worker needs for itself.
typedef struct WorldWorker {
    shQuery* query;
    ARRAY(Contact) found;
    bool failed;
    int queried, swept;
} WorldWorker;

// What a pair's query gave, before all are put together.
typedef struct PairOutcome {
    shTransform relative;
    float margin;
    int worker, first, count;
    float gap;    // least distance of a contact
    bool queried; // else contacts are the old ones
    bool swept;   // with a contact of things to come
    bool jammed;  // deep; maybe a jam
    Vec3 axis;    // as the pair's
} PairOutcome;

// A contact that is deep.
typedef struct JamContact {
    Vec3 normal; // world, from B to A
    float depth; // m
} JamContact;

// What a pair of bodies did to each other, as one impulse (blows.c).
typedef struct Blow {
    const Pair* pair;
    DVec3 point, normal; // world; from B to A
    double size;         // of the impulse, beyond what was there before, N·s
    double speed;        // m/s, the highest that a contact closed with
    double give[2];      // one over the masses of A and B that such an impulse feels
} Blow;

// What strikes a body, with all that pushes from behind, as one.
typedef struct Striker {
    DVec3 direction; // world, in which it pushes
    double speed;    // m/s
    double give;     // one over its mass
    double most;     // N·s: the impulse, and no more than a perfect bounce would take
} Striker;

// A body, where it starts and how it goes.
typedef struct SweptBody {
    const Body* body;
    shTransform start;
    shMotion motion;
} SweptBody;

struct shWorld {
    shContext* context;
    Memory* memory;
    shWorldDef def;
    BroadPhase* broad;
    ARRAY(shAsset*) ownAssets; // those that came with a snapshot
    ARRAY(shRegions*) ownRegions;
    struct InputLog* log; // while it is being recorded

    IdPool ids;
    ARRAY(Body) bodies; // by slot
    ARRAY(WorldSolid) solids;
    ARRAY(Drag) drags;
    ARRAY(Pair) pairs;
    ARRAY(PairSlot) table; // capacity is a power of two; count = capacity
    ARRAY(Contact) contacts, nextContacts;
    ARRAY(PairOutcome) outcomes;
    ARRAY(uint8_t) marks;  // by pair, for whoever needs one
    ARRAY(BodyPace) paces; // by slot

    // The solver's.
    ARRAY(int) moving; // bodies with a state, ascending
    ARRAY(BodyState) states;
    ARRAY(uint64_t) colours; // per state: colours taken
    ARRAY(int) order;        // pairs by colour, those with most contacts first
    ARRAY(PairGroup) groups;
    ARRAY(int) groupList; // all groups, and then those of active islands
    ARRAY(ContactLanes) lanes;
    ARRAY(AimLanes) aims;       // of the lanes, unless they are too many
    atomic_bool bouncing;       // some group
    int groupStart[65];         // of the colours
    ARRAY(BodyStart) starts;    // by state
    ARRAY(IslandWork) balances; // by first state
    ARRAY(int) standing;        // by state: the first state that forces hold it together with
    ARRAY(SolverBody) solved;   // by slot
    ARRAY(int) givers;          // by slot: the state of what gives way to impulses; −1: none
    ARRAY(int) parents;         // union-find over bodies
    ARRAY(BodyBefore) befores;  // by state
    ARRAY(Grouping) groupings;  // by first state
    ARRAY(EnergySum) sums;      // by block of moving bodies
    EnergySum energy;           // of the last step

    WorldWorker* workers;
    int workerCount;

    ARRAY(shTouchEvent) begun, ended;
    int endedTold; // those before were told after the last step; later ones came of bodies destroyed since
    ARRAY(shHitEvent) hits;
    ARRAY(shBreakEvent) breaks;
    ARRAY(shBodyId) broken; // bodies of the breaks
    ARRAY(shDustEvent) dust;
    bool told;               // the step has ended: the next break begins new lists
    ARRAY(Blow) blows;       // of `order`
    ARRAY(Striker) strikers; // by slot: the hardest
    ARRAY(PendingBreak) candidates, deferred;
    ARRAY(BreakJob) jobs; // capacity: jobs that keep their arrays
    ARRAY(int) runs;      // first job of each solid
    ARRAY(bool) held;
    int64_t breakWork; // of this step, nodes
    bool again;        // a step is being solved once more, with the parts of what broke
    Islands islands;
    Continuous continuous;
    ARRAY(int) slotNotes;    // by slot, for whoever needs one
    BroadList list;          // of broad-phase queries
    int recent[MOST_RECENT]; // bodies that the broad phase's tree has not seen where they are now
    int recentCount;
    shProfile profile;
    shCounters counters;
    int touching;
};

// world.c
shStatus worldCheckDef(const shWorldDef* def, shMessage* message);

// body.c
Body* worldBody(const shWorld* world, shBodyId id); // null: gone
static inline shBodyId bodyId(const shWorld* world, int index)
{
    Id id = idPoolAt(&world->ids, index);
    return (shBodyId){id.index, id.generation};
}
BroadFilter bodyBroadFilter(const Body* body);
void bodyPlace(Body* body);      // its transform and, if dynamic, its angular velocity
shBox bodyBox(const Body* body); // world
shBox bodyBoxAt(const Body* body, shTransform transform);
Vec3 bodyPoint(const Body* body, Vec3 rest); // rest frame to world
void bodyWake(shWorld* world, int index);    // with its sleeping island
void bodyDestroy(shWorld* world, int index);
shCollider bodyCollider(const shWorld* world, const Body* body);
static inline bool bodyIsSolid(const Body* body) { return body->solid >= 0; }

static inline int bodyIndex(const shWorld* world, const Body* body) { return (int)(body - world->bodies.data); }
bool bodiesReserve(shWorld* world, int more); // room for so many more
Body* bodyTake(shWorld* world, shBodyId* id);
void bodyAddProxy(shWorld* world, Body* body);
void bodySetPiece(const shWorld* world, Body* body, const shPieceInfo* info); // mass and strength
void bodySetAngular(Body* body, Vec3 angular);
double bodyGive(const Body* body, DVec3 arm, DVec3 direction); // one over the mass that an impulse feels there

// blows.c
shStatus blowsFind(shWorld* world);                                    // after a solve
Striker blowStriker(const shWorld* world, const Blow* blow, int side); // what strikes A (0), or B (1)

// siblings.c: contacts of pieces that have just been parted; there is room for the pairs and contacts of a job.
bool siblingsReserve(shWorld* world, const BreakJob* job);
void siblingsTouch(shWorld* world, const BreakJob* job);

// breaking.c
shStatus solidSetFracture(shWorld* world, int solid, const shFractureDef* def, shMessage* message);
shStatus breakingBegin(shWorld* world);                     // what waits from the step before, at most a budget of it
bool breakingMay(const shWorld* world);                     // does anything break that is hit?
shStatus breakingJudge(shWorld* world, bool* any);          // after a solve: bodies hit too hard are broken
bool bodyBreaks(const shWorld* world, const Body* body);    // when it is hit, now
bool breakAdd(shWorld* world, const PendingBreak* pending); // to the jobs
void breakAll(shWorld* world);                              // the jobs, on all workers; there is room for `runs`
void breakingEnd(shWorld* world, float dt);                 // debris.c

// pairs.c
int pairFind(const shWorld* world, int a, int b); // −1: none
bool pairsReserve(shWorld* world, int count);     // room for so many in all
void pairAdd(shWorld* world, int a, int b);
void pairRemove(shWorld* world, int index); // the last one takes its place
void pairsRemoveBody(shWorld* world, int body);
void pairsStale(shWorld* world, int body);
bool bodiesMeet(const Body* a, const Body* b); // by their filters
bool pairSwaps(const Body* a, const Body* b);  // as a pair B comes first

// contacts.c: contacts of two bodies as a pair has them, in some places. False: no memory.
bool bodiesCollide(const shWorld* world, shQuery* query, const shCollideDef* def, const Body* a, shTransform placeA,
                   const Body* b, shTransform placeB, shPair* pair, const shContact** contacts, int* count);

// jam.c
#define CONTACT_WAY_OUT 0x7fffffffu  // id of a contact that leads out of a jam
#define CONTACT_OF_SWEEP 0x7ffffffeu // and of one that only a sweep has found
// The direction in which A is out of B soonest, and how far; infinite if there is none, or, unless it is hard, if the
// contacts lead there by themselves. False: no memory.
bool jamWayOut(const shWorld* world, shQuery* query, const Pair* pair, const JamContact* deep, int count, bool hard,
               Vec3* way, float* length);

// world_query.c
void recentAdd(shWorld* world, int index); // made or moved between steps
void recentClear(shWorld* world);          // the tree is brought up to date

// continuous.c
static inline BodySweep* bodySweep(const shWorld* world, const Body* body) // null: it does not move
{
    return body->state >= 0 ? &world->continuous.sweeps.data[bodyIndex(world, body)] : NULL;
}
bool bodyIsPlane(const Body* body);
float bodyHalfThickness(const Body* body);
// False: out of memory.
bool bodiesSweep(const shWorld* world, shQuery* query, const shSweepDef* def, const SweptBody* a, const SweptBody* b,
                 shSweepHit* hit);
// The same, but when one gets deeper into the other than `depth`.
// `axis`: of the gap between their hulls where they start, as in convexGap, or zero.
bool bodiesCross(const shWorld* world, shQuery* query, const SweptBody* a, const SweptBody* b, Vec3 axis, float depth,
                 shSweepHit* hit);
// motion_bound.c: the gap between the convex hulls of two bodies, and the least of it on their motions, m; below 0: no
// deeper in each other than that. `axis`: as in convexGap.
float bodiesGap(const shWorld* world, const Body* a, const Body* b, float enough, Vec3* axis);
float sweptGap(const shWorld* world, const SweptBody* a, const SweptBody* b, float enough, Vec3* axis);
// contacts.c: the manifold of a pair in the pose at a hit, into the worker's list; false: no memory.
bool contactsAtHit(const shWorld* world, WorldWorker* worker, const Pair* pair, const ToiCandidate* hit, float dt);
shStatus contactsAddHits(shWorld* world);    //  all of those become contacts of their pairs
shQuat frameAhead(shQuat q, Vec3 turn);      // group_fill.c: how the solver turns a body for what is to come
void spinReposition(Spin* spin, DVec3 turn); // integrate.c: turns a body without adding to its energy

// The stages of a step, in this order.
shStatus pairsUpdate(shWorld* world, float dt);        // pairs.c: boxes of bodies, new pairs, those that have parted
shStatus contactsFind(shWorld* world, float dt);       // contacts.c: into `outcomes`; changes nothing
void contactsCommit(shWorld* world, float dt);         //  and makes them the pairs' contacts
void sleepWake(shWorld* world);                        // sleep.c: who is touched by something awake
shStatus groupsBuild(shWorld* world, float dt);        // groups.c
void groupsFill(shWorld* world, float substep);        // group_fill.c: and the states of bodies
void solverRun(shWorld* world, float dt);              // solver.c
int worldSubsteps(const shWorld* world, float dt);     //  how many
void deferralShade(shWorld* world);                    // deferral.c: contacts behind a body that waits do nothing
bool balanceReserve(shWorld* world);                   // balance.c: with the groups
void balanceBegin(shWorld* world, int begin, int end); // of states, before a substep's impulses
void balanceAgain(shWorld* world, int begin, int end); // velocities of active islands as they were then
bool bouncesBegin(shWorld* world);                     //  before bounces; false: there are none
void bouncesEnd(shWorld* world);                       //  no island has got more by them than it had lost
void balanceEnd(shWorld* world);                //  after them, when each group's work is known: none is left above 0
void groupsStoreSums(shWorld* world, float dt); // groups.c: what each contact has done in all
void groupsStore(shWorld* world, float dt);     // groups.c: impulses back to the contacts
void bodiesFinish(shWorld* world, float dt);    // integrate.c: new places
double bodyEnergy(const shWorld* world, const Body* body); // J, of a dynamic body, kinetic and in gravity
bool conserveReserve(shWorld* world);                      // conserve.c: with the groups
BodyBefore bodyBefore(const shWorld* world, const Body* body, float dt);
void conserveRun(shWorld* world);           //  momentum of those that only met each other
void sleepUpdate(shWorld* world, float dt); // sleep.c: who falls asleep
