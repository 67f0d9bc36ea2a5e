// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "core/constants.h"
#include "core/message.h"
#include "fracture/motion.h"
#include "fracture/walls.h"
#include "solid/solid.h"

#define FRAGMENT_COOKIE 0x66726167u

shFragmentDef shDefaultFragmentDef(shTransform transform, const shVelocity* velocity)
{
    shFragmentDef def = {.transform = transform, .cookie = FRAGMENT_COOKIE};
    if (velocity != NULL)
        def.velocity = *velocity;
    return def;
}

static bool finite3(const double a[3]) { return dFinite(dOf(a)); }

static bool isPlace(DVec3 a) { return dFinite(a) && fabs(dGet(a, dLargestAxis(a))) <= (double)MAX_COORDINATE; }

static shStatus checkDef(const shSolid* solid, const shPieceInfo* body, const shBreak* broken, const shFragmentDef* def,
                         shMessage* message)
{
    if (solid == NULL || body == NULL || broken == NULL || def == NULL || def->cookie != FRAGMENT_COOKIE)
        return fail(message, shInvalid, "fragments: something is null, or not filled by shDefaultFragmentDef");
    if (!(body->mass > 0.0))
        return fail(message, shInvalid, "fragments: the body has no mass; take its info before the break");
    for (int i = 0; i < broken->pieceCount; ++i)
        if (!fieldHasPiece(&solid->field, broken->pieces[i]))
            return fail(message, shInvalid, "fragments: the solid has no piece %d", broken->pieces[i]);
    const shBlow* blow = &def->blow;
    if (!isPlace(dFromV(def->transform.p)) || !vFinite(def->transform.q.v) || !isfinite(def->transform.q.s) ||
        !finite3(def->velocity.linear) || !finite3(def->velocity.angular))
        return fail(message, shInvalid, "fragments: the body's transform or velocity is not finite or far off");
    if (!isPlace(dOf(blow->point)) || !finite3(blow->impulse) || !(blow->reach >= 0.0f && isfinite(blow->reach)))
        return fail(message, shInvalid,
                    "fragments: the blow's point or impulse is not finite or far off, or its reach negative");
    if (blow->limited && !(finite3(blow->velocity) && blow->inverseMass >= 0.0 && isfinite(blow->inverseMass) &&
                           blow->restitution >= 0.0 && blow->restitution <= 1.0))
        return fail(message, shInvalid,
                    "fragments: what struck needs a finite velocity, an inverse mass of at least 0 and a restitution "
                    "between 0 and 1");
    if (!(def->dustVolume >= 0.0))
        return fail(message, shInvalid, "fragments: a dust volume of %g m³", def->dustVolume);
    return shOk;
}

// ---- the motion of the whole, in pieces -----------------------------------------------------------------------------

static shMomentum sumMomentum(const shFragment* fragments, int count, shTransform transform, const double about[3])
{
    shMomentum sum = {0};
    for (int i = 0; i < count; ++i) {
        shMomentum one = shGetMomentum(&fragments[i].info, transform, &fragments[i].velocity, about);
        for (int k = 0; k < 3; ++k) {
            sum.linear[k] += one.linear[k];
            sum.angular[k] += one.angular[k];
        }
        sum.energy += one.energy;
    }
    return sum;
}

static shPieceInfo unionOf(const shFragment* fragments, int count, bool struckOnly)
{
    shPieceInfo whole = {0};
    for (int i = 0; i < count; ++i) {
        if (struckOnly && !fragments[i].struck)
            continue;
        whole = whole.mass > 0.0 ? shCombinePieces((shPieceInfo[2]){whole, fragments[i].info}, 2) : fragments[i].info;
    }
    return whole;
}

// The velocity field of the whole. Cut points are rounded, so pieces and body differ in the seventh digit of mass and
// inertia: linear momentum is made to agree; where the pieces would have more energy, all slow down by as much.
static void divideMotion(const shPieceInfo* body, const shFragmentDef* def, shFragment* fragments, int count,
                         const shFragments* result)
{
    shPieceInfo whole = unionOf(fragments, count, false);
    shVelocity velocity = def->velocity;
    dPut(dScale(body->mass / whole.mass, dOf(velocity.linear)), velocity.linear);
    for (int i = 0; i < count; ++i) {
        DVec3 centre = pieceCentre(&fragments[i].info, def->transform);
        fragments[i].velocity = velocity;
        dPut(velocityAt(&whole, def->transform, &velocity, centre), fragments[i].velocity.linear);
    }
    double energy = sumMomentum(fragments, count, def->transform, result->origin).energy;
    double slower = energy > result->before.energy ? sqrt(result->before.energy / energy) : 1.0;
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) {
            fragments[i].velocity.linear[k] *= slower;
            fragments[i].velocity.angular[k] *= slower;
        }
    }
}

// ---- the blow -------------------------------------------------------------------------------------------------------

// Marks the pieces within reach of the blow. With none there the reach doubles until the nearest is found.
static void findStruck(const shSolid* solid, const shFragmentDef* def, shFragment* fragments, int count)
{
    DQuat turn = dqNormalize(dqFromQ(def->transform.q));
    Vec3 point = vFromD(dqUnrotate(turn, dSub(dOf(def->blow.point), dFromV(def->transform.p))));
    bool any = false;
    float farthest = 0.0f;
    for (int i = 0; i < count; ++i)
        farthest =
            maxF(farthest, sqrtf(boxDistance2(fragments[i].info.box, point)) + vLength(boxSize(fragments[i].info.box)));
    int nearest = 0;
    float least = INFINITY;
    for (float reach = def->blow.reach; !any; reach = maxF(2.0f * reach, solid->field.rest->cells->band)) {
        for (int i = 0; i < count; ++i) {
            FieldHit hit;
            if (!fieldProbeFar(&solid->field, fragments[i].piece, point, reach, &hit))
                continue;
            fragments[i].struck = reach == def->blow.reach;
            any = true;
            if (hit.distance < least) {
                least = hit.distance;
                nearest = i;
            }
        }
        any = any || reach > farthest;
    }
    fragments[nearest].struck = true;
}

// What the blow touches takes it as one body: the least energy that the impulse can bring.
static void strike(const shFragmentDef* def, shFragment* fragments, int count, shFragments* result)
{
    const shBlow* blow = &def->blow;
    shPieceInfo whole = unionOf(fragments, count, true);
    DVec3 point = dOf(blow->point), impulse = dOf(blow->impulse);
    shVelocity velocity = {0};
    for (int i = 0; i < count; ++i) {
        if (!fragments[i].struck)
            continue;
        DVec3 centre = pieceCentre(&whole, def->transform);
        velocity = fragments[i].velocity;
        dPut(velocityAt(&fragments[i].info, def->transform, &fragments[i].velocity, centre), velocity.linear);
        break;
    }
    if (blow->limited) {
        double size = dLength(impulse);
        DVec3 gap = dSub(dOf(blow->velocity), velocityAt(&whole, def->transform, &velocity, point));
        double approach = dDot(dNormalize(impulse), gap);
        double inverse = blow->inverseMass + shGetInverseMass(&whole, def->transform, blow->point, blow->impulse);
        result->share = clampD((1.0 + blow->restitution) * approach / (inverse * size), 0.0, 1.0);
    }
    double taken[3];
    dPut(dScale(result->share, impulse), taken);
    result->work = shApplyImpulse(&whole, def->transform, blow->point, taken, &velocity);
    for (int i = 0; i < count; ++i) {
        if (!fragments[i].struck)
            continue;
        DVec3 centre = pieceCentre(&fragments[i].info, def->transform);
        fragments[i].velocity = velocity;
        dPut(velocityAt(&whole, def->transform, &velocity, centre), fragments[i].velocity.linear);
    }
}

// ---- dust -----------------------------------------------------------------------------------------------------------

static void removeDust(shSolid* solid, const shFragmentDef* def, shFragment* fragments, int count, shFragments* result)
{
    DVec3 first = {0.0, 0.0, 0.0}, origin = dOf(result->origin);
    for (int i = 0; i < count; ++i) {
        shFragment* fragment = &fragments[i];
        if (!(fragment->info.volume < def->dustVolume))
            continue;
        fragment->dust = true;
        fieldRemovePiece(&solid->field, fragment->piece);
        shMomentum momentum = sumMomentum(fragment, 1, def->transform, result->origin);
        ++result->dustCount;
        result->dustVolume += fragment->info.volume;
        result->dustMass += fragment->info.mass;
        first = dMad(first, fragment->info.mass, dSub(pieceCentre(&fragment->info, def->transform), origin));
        for (int k = 0; k < 3; ++k) {
            result->dust.linear[k] += momentum.linear[k];
            result->dust.angular[k] += momentum.angular[k];
        }
        result->dust.energy += momentum.energy;
    }
    dPut(result->dustMass > 0.0 ? dMad(origin, 1.0 / result->dustMass, first) : origin, result->dustCentre);
}

shStatus shSolid_MakeFragments(shSolid* solid, const shPieceInfo* body, const shBreak* broken, const shFragmentDef* def,
                               shFragment* fragments, shFragments* result, shMessage* message)
{
    shStatus status = checkDef(solid, body, broken, def, message);
    if (status != shOk)
        return status;
    int count = broken->pieceCount;
    *result = (shFragments){.share = 1.0};
    dPut(pieceCentre(body, def->transform), result->origin);
    result->before = shGetMomentum(body, def->transform, &def->velocity, result->origin);
    for (int i = 0; i < count; ++i)
        fragments[i] = (shFragment){.piece = broken->pieces[i], .info = shSolid_GetPiece(solid, broken->pieces[i])};
    divideMotion(body, def, fragments, count, result);
    if (dLength2(dOf(def->blow.impulse)) > 0.0) {
        findStruck(solid, def, fragments, count);
        strike(def, fragments, count, result);
    }
    result->after = sumMomentum(fragments, count, def->transform, result->origin);
    if (count > 1) {
        result->crackArea = lastCrackArea(&solid->field);
        removeDust(solid, def, fragments, count, result);
    }
    return shOk;
}
