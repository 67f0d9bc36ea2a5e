// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Sweeps as users see them: motions, and what of all that can move takes part. The work is done in sweep_run.c.
#include "collide/sweep_run.h"
#include "core/constants.h"
#include "core/message.h"
#include "sherd/scenery.h"

#define SWEEP_COOKIE 0x53485357u // "SHSW"

// ---- motions --------------------------------------------------------------------------------------------------------

static Mover moverOf(shTransform transform, const shMotion* motion)
{
    DQuat q = dqNormalize(dqFromQ(transform.q));
    DVec3 rest = dFromV(motion->centre), turn = dFromV(motion->turn);
    return (Mover){rest, dAdd(dFromV(transform.p), dqRotate(q, rest)), dFromV(motion->shift), q, turn, dLength(turn)};
}

shMotion shMotionBetween(shTransform start, shTransform end, shVec3 centre)
{
    DQuat from = dqNormalize(dqFromQ(start.q)), to = dqNormalize(dqFromQ(end.q));
    DQuat q = dqMul(to, dqConjugate(from));
    double sign = q.s < 0.0 ? -1.0 : 1.0, sine = dLength(q.v);
    DVec3 c = dFromV(centre);
    DVec3 before = dAdd(dFromV(start.p), dqRotate(from, c)), after = dAdd(dFromV(end.p), dqRotate(to, c));
    double angle = 2.0 * trigAtan2(sine, sign * q.s);
    return (shMotion){centre, vFromD(dSub(after, before)), vFromD(dScale(sign * angle, dNormalize(q.v)))};
}

shTransform shMotion_GetTransform(const shMotion* motion, shTransform start, float fraction)
{
    Mover mover = moverOf(start, motion);
    DQuat q = rotationAt(&mover, (double)fraction);
    return (shTransform){vFromD(worldAt(&mover, q, (double)fraction, vec3(0.0f, 0.0f, 0.0f))), qFromDq(q)};
}

// ---- the door -------------------------------------------------------------------------------------------------------

static shStatus checkMotion(const shSweepDef* def, shTransform transform, const shMotion* motion, shMessage* message)
{
    if (def->cookie != SWEEP_COOKIE)
        return fail(message, shInvalid, "sweep: fill the definition with shDefaultSweepDef() first");
    if (!(def->tolerance >= 0.0f) || !isfinite(def->tolerance))
        return fail(message, shInvalid, "sweep: the tolerance must be finite and not negative");
    if (!(def->depth[0] >= 0.0f) || !(def->depth[1] >= 0.0f))
        return fail(message, shInvalid, "sweep: depths must not be negative");
    if (!vFinite(transform.p) || !vFinite(transform.q.v) || !isfinite(transform.q.s))
        return fail(message, shInvalid, "sweep: a transform is not finite");
    if (!vFinite(motion->centre) || !vFinite(motion->shift) || !vFinite(motion->turn))
        return fail(message, shInvalid, "sweep: a motion is not finite");
    return shOk;
}

static shStatus addPiece(Side* side, const shSweepDef* def, const shCollider* collider, const shMotion* motion,
                         shMessage* message)
{
    shStatus status = checkMotion(def, collider->transform, motion, message);
    if (status != shOk)
        return status;
    int count = fieldPieceCount(&collider->solid->field);
    if (!fieldHasPiece(&collider->solid->field, collider->piece))
        return fail(message, shInvalid, "sweep: piece %d does not exist; the solid has %d", collider->piece, count);
    const shSolid* solid = collider->solid;
    Target target = targetPiece(solid, collider->piece);
    Vec3 lower = vSub(motion->centre, target.box.lower), upper = vSub(target.box.upper, motion->centre);
    *side = (Side){.mover = moverOf(collider->transform, motion),
                   .target = target,
                   .box = target.box,
                   .radius = (double)vLength(vMax(vMax(lower, upper), vMax(vNeg(lower), vNeg(upper)))),
                   .band = solid->field.rest->cells->band,
                   .points = treesPoints(&solid->trees)};
    return shOk;
}

static shStatus addShape(Side* side, const shSweepDef* def, const shShape* shape, shTransform transform,
                         const shMotion* motion, shMessage* message)
{
    shStatus status = checkMotion(def, transform, motion, message);
    if (status != shOk)
        return status;
    if (!targetShapeValid(shape))
        return fail(message, shInvalid, "sweep: the sizes of a shape must be finite and not negative");
    Vec3 zero = {0.0f, 0.0f, 0.0f}, core = zero, half = zero; // core ⊂ box: what is left without the thickness
    float thickness = 0.0f;
    if (shape->type == shCapsuleShape)
        core.y = shape->halfHeight;
    if (shape->type == shBoxShape)
        core = shape->halfExtent;
    if (shape->type == shSphereShape || shape->type == shCapsuleShape)
        thickness = shape->radius;
    half = vAdd(core, vec3(thickness, thickness, thickness));
    *side = (Side){.mover = moverOf(transform, motion),
                   .target = targetShape(shape),
                   .box = {vNeg(half), half},
                   .radius = (double)(vLength(core) + vLength(motion->centre)),
                   .rim = thickness,
                   .band = INFINITY,
                   .shape = shape};
    if (shape->type == shPlaneShape)
        side->box = (shBox){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, 0.0f, INFINITY}};
    return shOk;
}

static float sizeOf(const Side* side)
{
    if (side->scenery != NULL || (side->shape != NULL && side->shape->type == shPlaneShape))
        return INFINITY;
    return 0.5f * vLength(boxSize(side->box));
}

static bool pushRidgeSample(int number, Vec3 p, void* user)
{
    (void)p;
    Sweep* sweep = user;
    shQuery* query = sweep->query;
    if (!arrayReserve(query->memory, &query->ridges, query->ridges.count + 1)) {
        sweep->failed = true;
        return false;
    }
    query->ridges.data[query->ridges.count++] = number;
    return true;
}

// What A may meet of the scenery on its way.
static void startScenery(Sweep* sweep)
{
    const Side *a = &sweep->sides[0], *b = &sweep->sides[1];
    // The scenery is at rest: in its frame A's centre moves along a line, and A stays in a ball around it.
    DVec3 from = dAdd(dqUnrotate(b->mover.q, sweep->between), b->mover.rest);
    DVec3 to = dAdd(from, dqUnrotate(b->mover.q, sweep->shift));
    shBox way = boxAdd(boxAdd(boxEmpty(), vFromD(from)), vFromD(to));
    way = boxGrow(way, (float)a->radius + a->rim);
    float size = vLength(boxSize(a->box));
    sceneryPatch(b->scenery, way, size, sweep->touch, &sweep->query->patch);
    shTransform same = {.q = qIdentity()};
    if (a->shape == NULL && isfinite(b->depth))
        sceneryRidgeSamples(b->scenery, same, boxGrow(way, sweep->touch), RIDGE_SPACING * 0.5f * size, pushRidgeSample,
                            sweep);
}

static shStatus start(Sweep* sweep, const shSweepDef* def, shSweepHit* hit, shMessage* message)
{
    Side *a = &sweep->sides[0], *b = &sweep->sides[1];
    sweep->between = dSub(a->mover.start, b->mover.start);
    sweep->shift = dSub(a->mover.shift, b->mover.shift);
    sweep->speed = dLength(sweep->shift);
    // A plane has no radius, but no point of A is ever farther from its centre than this.
    if (b->shape != NULL && b->shape->type == shPlaneShape)
        b->radius = dLength(sweep->between) + sweep->speed + a->radius;
    float touch = def->tolerance > 0.0f ? def->tolerance : CONTACT_TOLERANCE * minF(sizeOf(a), sizeOf(b));
    touch = minF(touch, 0.5f * minF(a->band, b->band));
    sweep->touch = maxF(touch, SWEEP_MIN_TOUCH * (vLength(boxSize(a->box)) + vLength(a->box.lower)));

    sweep->query->ridges.count = 0;
    a->depth = def->depth[0];
    b->depth = def->depth[1];
    if (b->scenery != NULL)
        startScenery(sweep);
    return sweepRun(sweep, def, hit, message);
}

static shStatus addScenery(Side* side, const SceneryPatch* patch, const shSweepDef* def, const shScenery* scenery,
                           shTransform transform, shMessage* message)
{
    const shMotion none = {0};
    shStatus status = checkMotion(def, transform, &none, message);
    if (status != shOk)
        return status;
    const float far = INFINITY;
    // Closed scenery may have its solid side outside.
    *side = (Side){.mover = moverOf(transform, &none),
                   .target = targetScenery(patch),
                   .box = scenery->info.closed ? (shBox){{-far, -far, -far}, {far, far, far}}
                                               : boxGrow(scenery->info.box, scenery->thickness),
                   .band = INFINITY,
                   .scenery = scenery};
    return shOk;
}

shSweepDef shDefaultSweepDef(void) { return (shSweepDef){.cookie = SWEEP_COOKIE}; }

shStatus shSweep(shQuery* query, const shSweepDef* def, const shCollider* a, const shMotion* aMotion,
                 const shCollider* b, const shMotion* bMotion, shSweepHit* hit, shMessage* message)
{
    Sweep sweep = {.query = query};
    shStatus status = addPiece(&sweep.sides[0], def, a, aMotion, message);
    if (status == shOk)
        status = addPiece(&sweep.sides[1], def, b, bMotion, message);
    sweep.cores = query->cores && def->depth[0] > 0.0f && def->depth[1] > 0.0f && isfinite(def->depth[0]) &&
                  isfinite(def->depth[1]);
    return status == shOk ? start(&sweep, def, hit, message) : status;
}

shStatus shSweepShape(shQuery* query, const shSweepDef* def, const shCollider* a, const shMotion* aMotion,
                      const shShape* shape, shTransform transform, const shMotion* shapeMotion, shSweepHit* hit,
                      shMessage* message)
{
    Sweep sweep = {.query = query};
    shStatus status = addPiece(&sweep.sides[0], def, a, aMotion, message);
    if (status == shOk)
        status = addShape(&sweep.sides[1], def, shape, transform, shapeMotion, message);
    return status == shOk ? start(&sweep, def, hit, message) : status;
}

shStatus shSweepScenery(shQuery* query, const shSweepDef* def, const shCollider* a, const shMotion* aMotion,
                        const shScenery* scenery, shTransform transform, shSweepHit* hit, shMessage* message)
{
    if (query == NULL || def == NULL || a == NULL || a->solid == NULL || aMotion == NULL || scenery == NULL ||
        hit == NULL)
        return fail(message, shInvalid, "sweep: query, definition, collider, motion, scenery and hit must not be null");
    Sweep sweep = {.query = query};
    shStatus status = addPiece(&sweep.sides[0], def, a, aMotion, message);
    if (status == shOk)
        status = addScenery(&sweep.sides[1], &query->patch, def, scenery, transform, message);
    return status == shOk ? start(&sweep, def, hit, message) : status;
}

shStatus shSweepShapes(shQuery* query, const shSweepDef* def, const shShape* a, shTransform aTransform,
                       const shMotion* aMotion, const shShape* b, shTransform bTransform, const shMotion* bMotion,
                       shSweepHit* hit, shMessage* message)
{
    Sweep sweep = {.query = query};
    shStatus status = addShape(&sweep.sides[0], def, a, aTransform, aMotion, message);
    if (status == shOk)
        status = addShape(&sweep.sides[1], def, b, bTransform, bMotion, message);
    return status == shOk ? start(&sweep, def, hit, message) : status;
}

shStatus shSweepShapeScenery(shQuery* query, const shSweepDef* def, const shShape* a, shTransform aTransform,
                             const shMotion* aMotion, const shScenery* scenery, shTransform transform, shSweepHit* hit,
                             shMessage* message)
{
    if (query == NULL || def == NULL || a == NULL || aMotion == NULL || scenery == NULL || hit == NULL)
        return fail(message, shInvalid, "sweep: query, definition, shape, motion, scenery and hit must not be null");
    Sweep sweep = {.query = query};
    shStatus status = addShape(&sweep.sides[0], def, a, aTransform, aMotion, message);
    if (status == shOk)
        status = addScenery(&sweep.sides[1], &query->patch, def, scenery, transform, message);
    return status == shOk ? start(&sweep, def, hit, message) : status;
}
