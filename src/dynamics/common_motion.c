// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "dynamics/world.h"

DVec3 solveSymmetric(DMat3 m, DVec3 b)
{
    double determinant = dmDeterminant(m);
    DMat3 adjugate = {dCross(m.r1, m.r2), dCross(m.r2, m.r0), dCross(m.r0, m.r1)};
    return determinant > 0.0 ? dScale(1.0 / determinant, dmMul(adjugate, b)) : dvec3(0.0, 0.0, 0.0);
}

void addInertia(DMat3* sum, DMat3 inertia, double mass, DVec3 arm)
{
    double square = mass * dLength2(arm);
    DVec3 scaled = dScale(-mass, arm);
    sum->r0 = dAdd(dAdd(sum->r0, inertia.r0), dMad(dvec3(square, 0.0, 0.0), arm.x, scaled));
    sum->r1 = dAdd(dAdd(sum->r1, inertia.r1), dMad(dvec3(0.0, square, 0.0), arm.y, scaled));
    sum->r2 = dAdd(dAdd(sum->r2, inertia.r2), dMad(dvec3(0.0, 0.0, square), arm.z, scaled));
}

DMat3 inertiaTurned(DVec3 principal, DQuat frame)
{
    DMat3 r = dqToMat(frame), t = dmTranspose(r);
    t.r0 = dScale(principal.x, t.r0);
    t.r1 = dScale(principal.y, t.r1);
    t.r2 = dScale(principal.z, t.r2);
    return dmMulM(r, t);
}

void commonAddMass(CommonMotion* common, const Body* body)
{
    common->mass += body->mass;
    common->centre = dMad(common->centre, body->mass, body->centre);
    common->drift = dMad(common->drift, body->mass, dFromV(body->velocity));
}

void commonDivide(CommonMotion* common)
{
    common->centre = dScale(1.0 / common->mass, common->centre);
    common->drift = dScale(1.0 / common->mass, common->drift);
}

void commonAddTurn(CommonMotion* common, const Body* body)
{
    DVec3 arm = dSub(body->centre, common->centre), velocity = dFromV(body->velocity);
    DVec3 orbit = dScale(body->mass, dCross(arm, dSub(velocity, common->drift)));
    common->momentum = dAdd(common->momentum, dAdd(orbit, body->spin.momentum));
    common->energy += 0.5 * body->mass * dLength2(velocity) + body->spin.energy;
    addInertia(&common->inertia, inertiaTurned(body->spin.inertia, body->spin.frame), body->mass, arm);
}

void commonSolve(CommonMotion* common)
{
    common->turn = solveSymmetric(common->inertia, common->momentum);
    common->together = 0.5 * (common->mass * dLength2(common->drift) + dDot(common->turn, common->momentum));
}

static DVec3 driftAt(const CommonMotion* common, DVec3 centre)
{
    return dAdd(common->drift, dCross(common->turn, dSub(centre, common->centre)));
}

void commonBlend(Body* body, const CommonMotion* from, const CommonMotion* to, double keep)
{
    DVec3 against = dSub(dFromV(body->velocity), driftAt(from, body->centre));
    DVec3 spin = dSub(spinVelocity(&body->spin), from->turn);
    body->velocity = vFromD(dMad(driftAt(to, body->centre), keep, against));
    spinSetVelocity(&body->spin, dMad(to->turn, keep, spin));
    bodyPlace(body);
}
