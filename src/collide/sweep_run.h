// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A sweep on its way: what sweep.c makes of the arguments, and sweep_run.c of that.
#pragma once

#include "collide/query.h"
#include "core/quat.h"

// A body and its motion, in double: differences of world positions must not lose digits.
typedef struct Mover {
    DVec3 rest;  // the centre in the rest frame
    DVec3 start; // the centre in the world
    DVec3 shift;
    DQuat q; // at the start
    DVec3 turn;
    double angle; // |turn|
} Mover;

static inline DQuat rotationAt(const Mover* mover, double time)
{
    return mover->angle > 0.0 && time > 0.0 ? dqMul(dqFromAxisAngle(mover->turn, time * mover->angle), mover->q)
                                            : mover->q;
}

static inline DVec3 worldAt(const Mover* mover, DQuat rotation, double time, Vec3 p)
{
    DVec3 centre = dMad(mover->start, time, mover->shift);
    return dAdd(centre, dqRotate(rotation, dSub(dFromV(p), mover->rest)));
}

typedef struct Side {
    Mover mover;
    Target target; // what the other side's samples meet
    shBox box;     // around all of it, its own frame
    double radius; // how far from the centre anything is that turning moves: a ball's rim does not count
    float rim;     // m, how much farther it reaches
    float depth;   // m, how deep its samples may be in the other side
    float band;    // how far out the field is exact, m
    const TreePoint* points;
    const shShape* shape;     // its samples instead of a tree's
    const shScenery* scenery; // likewise
} Side;

// What nobody has looked at yet of A, of B, and what somebody has.
enum { sweepLooked = 2, sweepHeaps };
typedef struct SweepHeap {
    int first, count; // of the query's entries
} SweepHeap;

typedef struct Sweep {
    shQuery* query;
    SweepHeap heaps[sweepHeaps];
    Side sides[2];
    float touch;         // m
    DVec3 between;       // from B's centre to A's at the start, world
    DVec3 shift;         // of A against B
    double speed;        // |shift|
    double begin, until; // of the slice
    double middle;       // of the slice, and how both are turned then
    DQuat middles[2];
    double now; // the time of the frames below: many samples are looked at together
    DQuat frames[2];
    bool cores;  // both are pieces, and only how deep they get counts (sweep_cores.c)
    bool failed; // out of memory
} Sweep;

// The samples of a side whose cores cross a surface within the slice, for a closer look (sweep_cores.c).
void sweepCores(Sweep* sweep, int side, shSweepHit* hit);
// A sample to be looked at one by one.
void sweepPush(Sweep* sweep, SweepEntry entry);
// Until something touches, or the end.
shStatus sweepRun(Sweep* sweep, const shSweepDef* def, shSweepHit* hit, shMessage* message);
