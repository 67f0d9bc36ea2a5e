// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Bodies: making them, asking them, changing them.
#include "collide/target.h"
#include "core/constants.h"
#include "core/message.h"
#include "dynamics/input_log.h"
#include "mesh/mass.h"
#include "solid/solid.h"

#define BODY_COOKIE 0x53484259u // "SHBY"

shBodyDef shDefaultBodyDef(void)
{
    return (shBodyDef){.type = shDynamicBody,
                       .transform = {{0.0f, 0.0f, 0.0f}, qIdentity()},
                       .density = 1000.0f,
                       .friction = -1.0f,
                       .restitution = -1.0f,
                       .gravityScale = 1.0f,
                       .filter = {1, UINT32_MAX, 0},
                       .cookie = BODY_COOKIE};
}

Body* worldBody(const shWorld* world, shBodyId id)
{
    int index = world != NULL ? idPoolFind(&world->ids, (Id){id.index, id.generation}) : -1;
    return index >= 0 ? &world->bodies.data[index] : NULL;
}

BroadFilter bodyBroadFilter(const Body* body)
{
    // Groups are looked at when a pair is made; for the broad phase they must not hide anything.
    bool grouped = body->filter.group != 0;
    return (BroadFilter){grouped ? UINT64_MAX : (uint64_t)body->filter.category | 1ull << 63,
                         grouped ? UINT64_MAX : (uint64_t)body->filter.mask | 1ull << 63, body->type != shDynamicBody};
}

shCollider bodyCollider(const shWorld* world, const Body* body)
{
    return (shCollider){body->solid >= 0 ? world->solids.data[body->solid].solid : NULL, body->piece, body->transform};
}

void bodyPlace(Body* body)
{
    shTransform old = body->transform;
    DQuat q = dqMul(body->spin.frame, dqConjugate(body->restFrame));
    body->transform.q = qFromDq(q);
    body->transform.p = vFromD(dSub(body->centre, dqRotate(q, dFromV(body->restCentre))));
    if (body->type == shDynamicBody)
        body->angular = vFromD(spinVelocity(&body->spin));
    body->path.shift +=
        (double)vDistance(xformPoint(old, body->restCentre), xformPoint(body->transform, body->restCentre));
    body->path.turn += 2.0 * (double)vLength(qMul(body->transform.q, qConjugate(old.q)).v);
}

Vec3 bodyPoint(const Body* body, Vec3 rest) { return xformPoint(body->transform, rest); }

shBox bodyBox(const Body* body) { return bodyBoxAt(body, body->transform); }

shBox bodyBoxAt(const Body* body, shTransform transform)
{
    if (body->solid < 0 && body->scenery == NULL && body->shape.type == shPlaneShape) {
        // Half of space: its box is all of it, unless it looks along an axis.
        Vec3 up = qRotate(transform.q, vec3(0.0f, 1.0f, 0.0f));
        shBox all = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
        if (up.y > 1.0f - PLANE_LEVEL)
            all.upper.y = transform.p.y;
        return all;
    }
    Vec3 half = vScale(0.5f, boxSize(body->restBox)), centre = xformPoint(transform, boxCenter(body->restBox));
    Mat3 m = qToMat(transform.q);
    Vec3 reach = {fabsf(m.r0.x) * half.x + fabsf(m.r0.y) * half.y + fabsf(m.r0.z) * half.z,
                  fabsf(m.r1.x) * half.x + fabsf(m.r1.y) * half.y + fabsf(m.r1.z) * half.z,
                  fabsf(m.r2.x) * half.x + fabsf(m.r2.y) * half.y + fabsf(m.r2.z) * half.z};
    return (shBox){vSub(centre, reach), vAdd(centre, reach)};
}

// ---- mass -----------------------------------------------------------------------------------------------------------

static MassProperties massOfShape(const shShape* shape, shBox* box)
{
    const double pi = 3.14159265358979323846;
    double r = (double)shape->radius, h = (double)shape->halfHeight;
    DVec3 e = dFromV(shape->halfExtent), d = {0.0, 0.0, 0.0};
    double volume = 0.0;
    switch (shape->type) {
    case shSphereShape:
        e = dvec3(r, r, r);
        volume = 4.0 / 3.0 * pi * r * r * r;
        d = dScale(0.4 * volume * r * r, dvec3(1.0, 1.0, 1.0));
        break;
    case shCapsuleShape: {
        double tube = 2.0 * h * pi * r * r, ball = 4.0 / 3.0 * pi * r * r * r;
        e = dvec3(r, h + r, r);
        volume = tube + ball;
        d.y = 0.5 * tube * r * r + 0.4 * ball * r * r;
        d.x = d.z = tube * (0.25 * r * r + h * h / 3.0) + ball * (0.4 * r * r + h * h + 0.75 * h * r);
        break;
    }
    case shBoxShape:
        volume = 8.0 * e.x * e.y * e.z;
        d = dScale(volume / 3.0, dvec3(e.y * e.y + e.z * e.z, e.x * e.x + e.z * e.z, e.x * e.x + e.y * e.y));
        break;
    case shPlaneShape:
    default:
        e = dvec3(0.0, 0.0, 0.0);
        break;
    }
    *box = (shBox){vFromD(dNeg(e)), vFromD(e)};
    return (MassProperties){volume, {0.0, 0.0, 0.0}, {{d.x, 0.0, 0.0}, {0.0, d.y, 0.0}, {0.0, 0.0, d.z}}};
}

// Around the centre of mass: of the box's corners, or the sphere's own.
static float radiusAround(const Body* body)
{
    if (body->solid < 0 && body->scenery == NULL && body->shape.type == shSphereShape)
        return body->shape.radius;
    Vec3 far = vMax(vSub(body->restBox.upper, body->restCentre), vSub(body->restCentre, body->restBox.lower));
    return vLength(far);
}

// Half a wall's thickness: half of the box at most, of the asset where it is thin, and what a box of the same moments
// has, which sees how flat a splinter is however it lies.
static float thinOf(const Body* body, const shWorld* world, MassProperties mass, shBox box)
{
    Vec3 size = boxSize(box);
    float thin = 0.5f * minF(size.x, minF(size.y, size.z));
    if (body->solid < 0)
        return thin;
    DVec3 moments = massPrincipal(mass).values;
    double least = 0.5 * (moments.x + moments.y + moments.z) - maxD(moments.x, maxD(moments.y, moments.z));
    float flat = (float)sqrt(maxD(3.0 * least / mass.volume, 0.0));
    float thickness = world->solids.data[body->solid].solid->asset->record->thickness;
    float wall = thickness > 0.0f ? 0.5f * thickness : INFINITY;
    return maxF(minF(minF(thin, flat), wall), ROUNDING * vLength(size)); // nothing is flat
}

// Mass properties in, everything that follows from the rest shape out. The body's place is kept.
static void setMass(const shWorld* world, Body* body, MassProperties mass, double density, shBox box)
{
    body->restBox = box;
    body->restCentre = vFromD(mass.centre);
    body->radius = radiusAround(body);
    body->halfThickness = thinOf(body, world, mass, box);
    if (body->solid < 0 && body->shape.type == shPlaneShape)
        body->halfThickness = body->radius = INFINITY; // whatever is below it is inside, and scenery speaks for itself
    body->mass = 0.0;
    body->spin.inertia = dvec3(1.0, 1.0, 1.0);
    body->restFrame = dqIdentity();
    if (body->type != shDynamicBody)
        return;
    Eigen3 principal = massPrincipal(mass);
    body->mass = density * mass.volume;
    body->spin.inertia = dScale(density, principal.values);
    body->restFrame = dqFromMat(dmTranspose(principal.axes));
}

static void setPlace(Body* body, shTransform transform)
{
    DQuat q = dqNormalize(dqFromQ(transform.q));
    body->centre = dAdd(dqRotate(q, dFromV(body->restCentre)), dFromV(transform.p));
    body->spin.frame = dqNormalize(dqMul(q, body->restFrame));
}

void bodySetAngular(Body* body, Vec3 angular)
{
    body->angular = angular;
    if (body->type == shDynamicBody)
        spinSetVelocity(&body->spin, dFromV(angular));
}

double bodyGive(const Body* body, DVec3 arm, DVec3 direction)
{
    if (body->mass <= 0.0)
        return 0.0;
    DVec3 lever = dqUnrotate(body->spin.frame, dCross(arm, direction)), inertia = body->spin.inertia;
    return 1.0 / body->mass + lever.x * lever.x / inertia.x + lever.y * lever.y / inertia.y +
           lever.z * lever.z / inertia.z;
}

void bodySetPiece(const shWorld* world, Body* body, const shPieceInfo* info)
{
    double density = info->mass / info->volume;
    const double(*m)[3] = info->inertia;
    DMat3 inertia = {{m[0][0] / density, m[0][1] / density, m[0][2] / density},
                     {m[1][0] / density, m[1][1] / density, m[1][2] / density},
                     {m[2][0] / density, m[2][1] / density, m[2][2] / density}};
    setMass(world, body, (MassProperties){info->volume, {info->centre[0], info->centre[1], info->centre[2]}, inertia},
            density, info->box);
    const WorldSolid* solid = &world->solids.data[body->solid];
    body->volume = info->volume;
    body->strength = (shStrength){0};
    if (!solid->breaks)
        return;
    body->strength = shGetStrength(&solid->solid->asset->record->material, info);
    body->strength.factor = solid->fracture.factor;
    body->strength.impulse = solid->fracture.impulse;
}

// Of the whole it is known without looking at the surface.
static shPieceInfo pieceInfo(const shSolid* solid, int piece)
{
    if (solid->field.labels != NULL)
        return shSolid_GetPiece(solid, piece);
    const shAsset* asset = solid->asset;
    double density = (double)asset->record->material.density, volume = asset->mass.volume;
    const DMat3* inertia = &asset->mass.inertia;
    const DVec3 *centre = &asset->mass.centre, rows[3] = {inertia->r0, inertia->r1, inertia->r2};
    shPieceInfo info = {.parent = -1,
                        .volume = volume,
                        .mass = density * volume,
                        .box = asset->box,
                        .centre = {centre->x, centre->y, centre->z}};
    for (int i = 0; i < 3; ++i)
        info.inertia[i][0] = density * rows[i].x, info.inertia[i][1] = density * rows[i].y,
        info.inertia[i][2] = density * rows[i].z;
    return info;
}

// ---- making and destroying ------------------------------------------------------------------------------------------

static shStatus checkBody(const shBodyDef* def, shMessage* message)
{
    if (def->cookie != BODY_COOKIE)
        return fail(message, shInvalid, "body: fill the definition with shDefaultBodyDef() first");
    if ((def->asset != NULL) + (def->shape != NULL) + (def->scenery != NULL) != 1)
        return fail(message, shInvalid, "body: give exactly one of asset, shape and scenery");
    if (def->fracture != NULL && def->asset == NULL)
        return fail(message, shInvalid, "body: only what is made of an asset can break");
    if (def->scenery != NULL && def->type != shStaticBody)
        return fail(message, shInvalid, "body: scenery can only be static");
    float length2 = vLength2(def->transform.q.v) + def->transform.q.s * def->transform.q.s;
    if (!vFinite(def->transform.p) || !(fabsf(length2 - 1.0f) <= UNIT_TOLERANCE))
        return fail(message, shInvalid, "body: its transform is not finite, or its rotation is no unit quaternion");
    if (!vFinite(def->velocity) || !vFinite(def->angularVelocity))
        return fail(message, shInvalid, "body: its velocity is not finite");
    const struct {
        float value;
        const char* name;
        float least;
    } numbers[] = {{def->density, "density", 0.0f},
                   {def->friction, "friction", -INFINITY},
                   {def->restitution, "restitution", -INFINITY},
                   {def->linearDamping, "linear damping", 0.0f},
                   {def->angularDamping, "angular damping", 0.0f},
                   {def->gravityScale, "gravity scale", -INFINITY}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        if (!isfinite(numbers[i].value) || numbers[i].value < numbers[i].least)
            return fail(message, shInvalid, "body: its %s is %g", numbers[i].name, (double)numbers[i].value);
    }
    if (def->restitution > 1.0f)
        return fail(message, shInvalid, "body: its restitution is %g; more than 1 makes energy of nothing",
                    (double)def->restitution);
    if (def->shape == NULL)
        return shOk;
    if (!targetShapeValid(def->shape))
        return fail(message, shInvalid, "body: the sizes of its shape must be finite and not negative");
    if (def->type != shDynamicBody)
        return shOk;
    if (def->shape->type == shPlaneShape)
        return fail(message, shInvalid, "body: a plane cannot be dynamic");
    shBox box;
    if (!(massOfShape(def->shape, &box).volume * (double)def->density > 0.0))
        return fail(message, shInvalid, "body: its shape has no mass; give it a size and a density");
    return shOk;
}

// Room for so many bodies more; nothing that follows can fail.
bool bodiesReserve(shWorld* world, int more)
{
    int count = world->bodies.count + more;
    return idPoolReserve(&world->ids, world->memory, world->ids.slots.count + more) &&
           arrayReserve(world->memory, &world->bodies, count) && broadReserve(world->broad, count) == shOk;
}

Body* bodyTake(shWorld* world, shBodyId* id)
{
    Id taken = idPoolTake(&world->ids);
    *id = (shBodyId){taken.index, taken.generation};
    if (taken.index >= world->bodies.count)
        world->bodies.count = taken.index + 1;
    Body* body = &world->bodies.data[taken.index];
    *body =
        (Body){.awake = true, .solid = -1, .sleepNext = taken.index, .state = -1, .drag = -1, .age = -1.0f, .hit = -1};
    return body;
}

void bodyAddProxy(shWorld* world, Body* body)
{
    broadAdd(world->broad, bodyIndex(world, body), bodyBox(body),
             body->type == shStaticBody ? 0.0f : BODY_MARGIN * body->radius, bodyBroadFilter(body));
    recentAdd(world, bodyIndex(world, body));
}

// A slot for a solid; −1: no memory.
static int takeSolid(shWorld* world, const shAsset* asset, shMessage* message)
{
    int slot = 0;
    while (slot < world->solids.count && world->solids.data[slot].solid != NULL)
        ++slot;
    if (!arrayReserve(world->memory, &world->solids, slot + 1)) {
        failMemory(message);
        return -1;
    }
    shSolid* solid;
    if (shCreateSolid(asset, &solid, message) != shOk)
        return -1;
    world->solids.data[slot] = (WorldSolid){.solid = solid};
    world->solids.count = maxI(world->solids.count, slot + 1);
    return slot;
}

static void leaveSolid(shWorld* world, int slot)
{
    WorldSolid* solid = &world->solids.data[slot];
    if (--solid->bodies > 0)
        return;
    shDestroySolid(solid->solid);
    FREE_ARRAY(world->memory, solid->anchors, solid->anchorCount);
    *solid = (WorldSolid){0};
}

shStatus shCreateBody(shWorld* world, const shBodyDef* def, shBodyId* id, shMessage* message)
{
    if (world == NULL || def == NULL || id == NULL)
        return fail(message, shInvalid, "body: world, definition and result must not be null");
    *id = (shBodyId){0};
    shStatus status = checkBody(def, message);
    if (status != shOk)
        return status;
    if (!bodiesReserve(world, 1))
        return failMemory(message);
    int solid = -1;
    if (def->asset != NULL) {
        solid = takeSolid(world, def->asset, message);
        if (solid < 0)
            return shOutOfMemory;
        status = def->fracture != NULL ? solidSetFracture(world, solid, def->fracture, message) : shOk;
        if (status != shOk) {
            world->solids.data[solid].bodies = 1;
            leaveSolid(world, solid);
            return status;
        }
    }

    Body* body = bodyTake(world, id);
    const shMaterial* material = def->asset != NULL ? &def->asset->record->material : NULL;
    body->type = def->type;
    body->solid = solid;
    body->scenery = def->scenery;
    body->friction = def->friction >= 0.0f ? def->friction : material != NULL ? material->friction : DEFAULT_FRICTION;
    body->restitution = def->restitution >= 0.0f ? def->restitution : material != NULL ? material->restitution : 0.0f;
    body->linearDamping = def->linearDamping;
    body->angularDamping = def->angularDamping;
    body->gravityScale = def->gravityScale;
    body->filter = def->filter;
    body->userData = def->userData;
    if (solid >= 0) {
        ++world->solids.data[solid].bodies;
        shPieceInfo info = pieceInfo(world->solids.data[solid].solid, 0);
        bodySetPiece(world, body, &info);
    } else {
        shBox box = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
        MassProperties mass = {0};
        if (def->shape != NULL) {
            body->shape = *def->shape;
            mass = massOfShape(def->shape, &box);
        } else {
            box = shScenery_GetInfo(def->scenery).box;
        }
        setMass(world, body, mass, (double)def->density, box);
    }
    body->velocity = def->type == shStaticBody ? vec3(0.0f, 0.0f, 0.0f) : def->velocity;
    setPlace(body, def->transform);
    bodySetAngular(body, def->type == shStaticBody ? vec3(0.0f, 0.0f, 0.0f) : def->angularVelocity);
    bodyPlace(body);
    bodyAddProxy(world, body);
    worldLogCreate(world, def, *id);
    return shOk;
}

static shStatus failGone(shMessage* message)
{
    return fail(message, shInvalid, "body: the handle is null, or its body is gone");
}

void bodyDestroy(shWorld* world, int index)
{
    const Body* body = &world->bodies.data[index];
    pairsRemoveBody(world, index);
    bodyWake(world, index);
    broadRemove(world->broad, index);
    if (body->drag >= 0)
        world->drags.data[body->drag].body = -1;
    if (body->solid >= 0) {
        if (world->solids.data[body->solid].bodies > 1)
            shSolid_RemovePiece(world->solids.data[body->solid].solid, body->piece, NULL);
        leaveSolid(world, body->solid);
    }
    idPoolGive(&world->ids, idPoolAt(&world->ids, index));
}

shStatus shDestroyBody(shWorld* world, shBodyId id, shMessage* message)
{
    const Body* body = worldBody(world, id);
    if (body == NULL)
        return failGone(message);
    bodyDestroy(world, bodyIndex(world, body));
    WORLD_LOG(world, .type = inputDestroy, .body = id);
    return shOk;
}

void bodyWake(shWorld* world, int index)
{
    for (int i = index;;) {
        Body* body = &world->bodies.data[i];
        int next = body->sleepNext;
        body->awake = true;
        body->held = false;
        body->still = 0.0f;
        body->sleepNext = i;
        if (next == index)
            break;
        i = next;
    }
}

// ---- asking ---------------------------------------------------------------------------------------------------------

bool shBody_IsValid(const shWorld* world, shBodyId id) { return worldBody(world, id) != NULL; }

shBodyType shBody_GetType(const shWorld* world, shBodyId id)
{
    const Body* body = worldBody(world, id);
    return body != NULL ? body->type : shStaticBody;
}

shTransform shBody_GetTransform(const shWorld* world, shBodyId id)
{
    const Body* body = worldBody(world, id);
    return body != NULL ? body->transform : (shTransform){{0.0f, 0.0f, 0.0f}, qIdentity()};
}

shVec3 shBody_GetCentre(const shWorld* world, shBodyId id)
{
    const Body* body = worldBody(world, id);
    return body != NULL ? vFromD(body->centre) : vec3(0.0f, 0.0f, 0.0f);
}

shVec3 shBody_GetVelocity(const shWorld* world, shBodyId id)
{
    const Body* body = worldBody(world, id);
    return body != NULL ? body->velocity : vec3(0.0f, 0.0f, 0.0f);
}

shVec3 shBody_GetAngularVelocity(const shWorld* world, shBodyId id)
{
    const Body* body = worldBody(world, id);
    return body != NULL ? body->angular : vec3(0.0f, 0.0f, 0.0f);
}

double shBody_GetMass(const shWorld* world, shBodyId id)
{
    const Body* body = worldBody(world, id);
    return body != NULL ? body->mass : 0.0;
}

bool shBody_IsAwake(const shWorld* world, shBodyId id)
{
    const Body* body = worldBody(world, id);
    return body != NULL && body->awake && body->type != shStaticBody;
}

uint64_t shBody_GetUserData(const shWorld* world, shBodyId id)
{
    const Body* body = worldBody(world, id);
    return body != NULL ? body->userData : 0;
}

shFilter shBody_GetFilter(const shWorld* world, shBodyId id)
{
    const Body* body = worldBody(world, id);
    return body != NULL ? body->filter : (shFilter){0};
}

const shSolid* shBody_GetSolid(const shWorld* world, shBodyId id, int* piece)
{
    const Body* body = worldBody(world, id);
    if (body == NULL || body->solid < 0)
        return NULL;
    if (piece != NULL)
        *piece = body->piece;
    return world->solids.data[body->solid].solid;
}

const shShape* shBody_GetShape(const shWorld* world, shBodyId id)
{
    const Body* body = worldBody(world, id);
    return body != NULL && body->solid < 0 && body->scenery == NULL ? &body->shape : NULL;
}

const shScenery* shBody_GetScenery(const shWorld* world, shBodyId id)
{
    const Body* body = worldBody(world, id);
    return body != NULL ? body->scenery : NULL;
}

// ---- changing -------------------------------------------------------------------------------------------------------

shStatus shBody_SetTransform(shWorld* world, shBodyId id, shTransform transform, shMessage* message)
{
    Body* body = worldBody(world, id);
    if (body == NULL)
        return failGone(message);
    float length2 = vLength2(transform.q.v) + transform.q.s * transform.q.s;
    if (!vFinite(transform.p) || !(fabsf(length2 - 1.0f) <= UNIT_TOLERANCE))
        return fail(message, shInvalid, "body: the transform is not finite, or its rotation is no unit quaternion");
    Vec3 angular = body->angular;
    setPlace(body, transform);
    bodySetAngular(body, angular);
    bodyPlace(body);
    int index = bodyIndex(world, body);
    broadMove(world->broad, index, bodyBox(body));
    recentAdd(world, index);
    pairsStale(world, index);
    bodyWake(world, index);
    WORLD_LOG(world, .type = inputTransform, .body = id, .transform = transform);
    return shOk;
}

shStatus shBody_SetVelocity(shWorld* world, shBodyId id, shVec3 velocity, shVec3 angular, shMessage* message)
{
    Body* body = worldBody(world, id);
    if (body == NULL)
        return failGone(message);
    if (!vFinite(velocity) || !vFinite(angular))
        return fail(message, shInvalid, "body: the velocity is not finite");
    if (body->type == shStaticBody)
        return fail(message, shInvalid, "body: a static body has no velocity; make it kinematic");
    body->velocity = velocity;
    bodySetAngular(body, angular);
    bodyWake(world, bodyIndex(world, body));
    WORLD_LOG(world, .type = inputVelocity, .body = id, .vectors = {velocity, angular});
    return shOk;
}

shStatus shBody_SetUserData(shWorld* world, shBodyId id, uint64_t userData, shMessage* message)
{
    Body* body = worldBody(world, id);
    if (body == NULL)
        return failGone(message);
    body->userData = userData;
    WORLD_LOG(world, .type = inputUserData, .body = id, .value = userData);
    return shOk;
}

shStatus shBody_SetFilter(shWorld* world, shBodyId id, shFilter filter, shMessage* message)
{
    Body* body = worldBody(world, id);
    if (body == NULL)
        return failGone(message);
    int index = bodyIndex(world, body);
    body->filter = filter;
    pairsRemoveBody(world, index);
    broadSetFilter(world->broad, index, bodyBroadFilter(body));
    bodyWake(world, index);
    WORLD_LOG(world, .type = inputFilter, .body = id, .filter = filter);
    return shOk;
}

shStatus shBody_SetAwake(shWorld* world, shBodyId id, bool awake, shMessage* message)
{
    Body* body = worldBody(world, id);
    if (body == NULL)
        return failGone(message);
    WORLD_LOG(world, .type = inputAwake, .body = id, .flag = awake);
    if (awake) {
        bodyWake(world, bodyIndex(world, body));
        return shOk;
    }
    if (body->type == shDynamicBody && world->def.sleeping) {
        body->awake = false;
        body->velocity = vec3(0.0f, 0.0f, 0.0f);
        bodySetAngular(body, body->velocity);
    }
    return shOk;
}

shStatus shBody_ApplyForce(shWorld* world, shBodyId id, shVec3 force, shVec3 point, shMessage* message)
{
    Body* body = worldBody(world, id);
    if (body == NULL)
        return failGone(message);
    if (!vFinite(force) || !vFinite(point))
        return fail(message, shInvalid, "body: force and point must be finite");
    if (body->type != shDynamicBody)
        return shOk;
    body->force = vAdd(body->force, force);
    body->torque = vAdd(body->torque, vCross(vFromD(dSub(dFromV(point), body->centre)), force));
    bodyWake(world, bodyIndex(world, body));
    WORLD_LOG(world, .type = inputForce, .body = id, .vectors = {force, point});
    return shOk;
}

shStatus shBody_ApplyImpulse(shWorld* world, shBodyId id, shVec3 impulse, shVec3 point, shMessage* message)
{
    Body* body = worldBody(world, id);
    if (body == NULL)
        return failGone(message);
    if (!vFinite(impulse) || !vFinite(point))
        return fail(message, shInvalid, "body: impulse and point must be finite");
    if (body->type != shDynamicBody)
        return shOk;
    body->velocity = vMad(body->velocity, (float)(1.0 / body->mass), impulse);
    spinAddImpulse(&body->spin, dCross(dSub(dFromV(point), body->centre), dFromV(impulse)));
    bodyPlace(body);
    bodyWake(world, bodyIndex(world, body));
    WORLD_LOG(world, .type = inputImpulse, .body = id, .vectors = {impulse, point});
    return shOk;
}

shStatus shBody_SetDrag(shWorld* world, shBodyId id, const shDrag* drag, shMessage* message)
{
    Body* body = worldBody(world, id);
    if (body == NULL)
        return failGone(message);
    if (drag == NULL || drag->hertz == 0.0f) {
        if (body->drag >= 0)
            world->drags.data[body->drag].body = -1;
        body->drag = -1;
        WORLD_LOG(world, .type = inputDrag, .body = id);
        return shOk;
    }
    if (body->type != shDynamicBody)
        return fail(message, shInvalid, "drag: only dynamic bodies can be dragged");
    if (!vFinite(drag->point) || !vFinite(drag->target) || !(drag->hertz > 0.0f) || !isfinite(drag->hertz) ||
        !(drag->damping >= 0.0f) || !isfinite(drag->damping) || !(drag->maxForce >= 0.0f))
        return fail(message, shInvalid,
                    "drag: point, target, frequency, damping and force must be finite, not negative");
    if (body->drag < 0) {
        int slot = 0;
        while (slot < world->drags.count && world->drags.data[slot].body >= 0)
            ++slot;
        if (!arrayReserve(world->memory, &world->drags, slot + 1))
            return failMemory(message);
        world->drags.count = maxI(world->drags.count, slot + 1);
        body->drag = slot;
    }
    world->drags.data[body->drag] = (Drag){*drag, bodyIndex(world, body)};
    bodyWake(world, bodyIndex(world, body));
    WORLD_LOG(world, .type = inputDrag, .body = id, .flag = true, .drag = *drag);
    return shOk;
}
