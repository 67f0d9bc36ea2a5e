// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "dynamics/clamp.h"

// Without a cost nothing moves, whatever the impulses: they may stay.
double clampScale(const Clamp* clamp)
{
    if (!(clamp->cost > 0.0) || -clamp->work >= clamp->cost)
        return 1.0;
    return clamp->work < 0.0 ? -clamp->work / clamp->cost : 0.0;
}

static Vec3 velocityAt(const ClampSide* side) { return vAdd(side->velocity, vCross(side->spin, side->lever)); }

static void addSide(Clamp* clamp, const ClampSide* side, Vec3 impulse, Vec3 twist)
{
    clampAddBody(clamp, side->inverseMass, &side->inverseInertia, impulse, vAdd(vCross(side->lever, impulse), twist));
}

float clampImpulse(const ClampSide* a, const ClampSide* b, Vec3 impulse, Vec3 twist)
{
    Clamp clamp = {0.0, 0.0};
    clampAddImpulse(&clamp, impulse, vSub(velocityAt(a), velocityAt(b)));
    clampAddImpulse(&clamp, twist, vSub(a->spin, b->spin));
    addSide(&clamp, a, impulse, twist);
    addSide(&clamp, b, impulse, twist); // the reversed impulse costs the same
    return (float)clampScale(&clamp);
}
