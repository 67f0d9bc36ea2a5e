// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Momentum, velocity and impulses of rigid pieces, in double.
#include "fracture/motion.h"

static DMat3 inertiaOf(const shPieceInfo* piece)
{
    return (DMat3){dOf(piece->inertia[0]), dOf(piece->inertia[1]), dOf(piece->inertia[2])};
}

// m · x = b by Cramer's rule, m symmetric. Zero where m is singular: nothing turns what has no extent.
static DVec3 solveSymmetric(DMat3 m, DVec3 b)
{
    double determinant = dmDeterminant(m);
    if (!(determinant > 0.0))
        return dvec3(0.0, 0.0, 0.0);
    DMat3 adjugate = {dCross(m.r1, m.r2), dCross(m.r2, m.r0), dCross(m.r0, m.r1)};
    return dScale(1.0 / determinant, dmMul(adjugate, b));
}

static DQuat turnOf(shTransform transform) { return dqNormalize(dqFromQ(transform.q)); }

// World inertia times ω, and back.
static DVec3 spinToMomentum(const shPieceInfo* piece, DQuat turn, DVec3 angular)
{
    return dqRotate(turn, dmMul(inertiaOf(piece), dqUnrotate(turn, angular)));
}
static DVec3 momentumToSpin(const shPieceInfo* piece, DQuat turn, DVec3 momentum)
{
    return dqRotate(turn, solveSymmetric(inertiaOf(piece), dqUnrotate(turn, momentum)));
}

DVec3 pieceCentre(const shPieceInfo* piece, shTransform transform)
{
    return dAdd(dqRotate(turnOf(transform), dOf(piece->centre)), dFromV(transform.p));
}

void shGetCentre(const shPieceInfo* piece, shTransform transform, double centre[3])
{
    dPut(pieceCentre(piece, transform), centre);
}

shPieceInfo shCombinePieces(const shPieceInfo* pieces, int count)
{
    if (pieces == NULL || count <= 0)
        return (shPieceInfo){0};
    shPieceInfo sum = {.box = boxEmpty(), .parent = -1};
    DVec3 origin = dOf(pieces[0].centre), first = {0.0, 0.0, 0.0}; // from a piece, so that distance costs no digits
    for (int i = 0; i < count; ++i) {
        sum.volume += pieces[i].volume;
        sum.mass += pieces[i].mass;
        sum.triangleCount += pieces[i].triangleCount;
        sum.box = boxUnion(sum.box, pieces[i].box);
        first = dMad(first, pieces[i].mass, dSub(dOf(pieces[i].centre), origin));
    }
    DVec3 centre = sum.mass > 0.0 ? dMad(origin, 1.0 / sum.mass, first) : origin;
    dPut(centre, sum.centre);
    for (int i = 0; i < count; ++i) {
        DVec3 r = dSub(dOf(pieces[i].centre), centre);
        double square = dLength2(r);
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 3; ++k)
                sum.inertia[j][k] +=
                    pieces[i].inertia[j][k] + pieces[i].mass * ((j == k ? square : 0.0) - dGet(r, j) * dGet(r, k));
    }
    return sum;
}

void shGetPrincipalAxes(const shPieceInfo* piece, double moments[3], double axes[3][3])
{
    Eigen3 eigen = eigenSymmetric(inertiaOf(piece));
    dPut(eigen.values, moments);
    dPut(eigen.axes.r0, axes[0]);
    dPut(eigen.axes.r1, axes[1]);
    dPut(eigen.axes.r2, axes[2]);
}

shMomentum shGetMomentum(const shPieceInfo* piece, shTransform transform, const shVelocity* velocity,
                         const double about[3])
{
    DVec3 linear = dScale(piece->mass, dOf(velocity->linear)), angular = dOf(velocity->angular);
    DVec3 spin = spinToMomentum(piece, turnOf(transform), angular);
    DVec3 arm = dSub(pieceCentre(piece, transform), dOf(about));
    shMomentum momentum = {.energy = 0.5 * (dDot(linear, dOf(velocity->linear)) + dDot(spin, angular))};
    dPut(linear, momentum.linear);
    dPut(dAdd(spin, dCross(arm, linear)), momentum.angular);
    return momentum;
}

shVelocity shGetVelocity(const shPieceInfo* piece, shTransform transform, const shMomentum* momentum,
                         const double about[3])
{
    shVelocity velocity = {0};
    if (!(piece->mass > 0.0))
        return velocity;
    DVec3 linear = dOf(momentum->linear), arm = dSub(pieceCentre(piece, transform), dOf(about));
    DVec3 spin = dSub(dOf(momentum->angular), dCross(arm, linear));
    dPut(dScale(1.0 / piece->mass, linear), velocity.linear);
    dPut(momentumToSpin(piece, turnOf(transform), spin), velocity.angular);
    return velocity;
}

DVec3 velocityAt(const shPieceInfo* piece, shTransform transform, const shVelocity* velocity, DVec3 point)
{
    DVec3 arm = dSub(point, pieceCentre(piece, transform));
    return dAdd(dOf(velocity->linear), dCross(dOf(velocity->angular), arm));
}

void shGetVelocityAt(const shPieceInfo* piece, shTransform transform, const shVelocity* velocity, const double point[3],
                     double result[3])
{
    dPut(velocityAt(piece, transform, velocity, dOf(point)), result);
}

double shGetInverseMass(const shPieceInfo* piece, shTransform transform, const double point[3],
                        const double direction[3])
{
    if (!(piece->mass > 0.0))
        return 0.0;
    DVec3 n = dNormalize(dOf(direction));
    DVec3 lever = dCross(dSub(dOf(point), pieceCentre(piece, transform)), n);
    return dLength2(n) / piece->mass + dDot(lever, momentumToSpin(piece, turnOf(transform), lever));
}

double shApplyImpulse(const shPieceInfo* piece, shTransform transform, const double point[3], const double impulse[3],
                      shVelocity* velocity)
{
    if (!(piece->mass > 0.0))
        return 0.0;
    DVec3 j = dOf(impulse), arm = dSub(dOf(point), pieceCentre(piece, transform));
    DVec3 before = velocityAt(piece, transform, velocity, dOf(point));
    DVec3 spin = momentumToSpin(piece, turnOf(transform), dCross(arm, j));
    dPut(dMad(dOf(velocity->linear), 1.0 / piece->mass, j), velocity->linear);
    dPut(dAdd(dOf(velocity->angular), spin), velocity->angular);
    DVec3 after = velocityAt(piece, transform, velocity, dOf(point));
    return 0.5 * dDot(j, dAdd(before, after));
}
