// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "dynamics/world_state.h"

#include "collide/target.h"
#include "core/constants.h"
#include "core/message.h"
#include "fracture/regions.h"
#include "solid/solid_state.h"

#include <inttypes.h>

// ---- plain values ---------------------------------------------------------------------------------------------------

// Not more than any world has; what is worked out from it stays finite.
static bool fits(float x) { return fabsf(x) <= STATE_MOST; }
static bool fitsV(Vec3 v) { return fits(v.x) && fits(v.y) && fits(v.z); }
static bool fitsD(DVec3 v)
{
    return fabs(v.x) <= (double)STATE_MOST && fabs(v.y) <= (double)STATE_MOST && fabs(v.z) <= (double)STATE_MOST;
}
static bool isUnit(shQuat q) { return fabsf(vLength2(q.v) + q.s * q.s - 1.0f) <= UNIT_TOLERANCE; }
static bool isUnitD(DQuat q) { return fabs(dLength2(q.v) + q.s * q.s - 1.0) <= (double)UNIT_TOLERANCE; }
static bool isBox(shBox box) { return boxOverlaps(box, box); } // neither inverted nor NaN
static bool isShare(double x) { return x >= 0.0 && x <= (double)STATE_MOST; }
static bool isMass(double x) { return x >= STATE_LEAST && x <= 1.0 / STATE_LEAST; }

static void streamDQuat(Stream* stream, DQuat* q)
{
    streamDVec3(stream, &q->v);
    streamF64(stream, &q->s);
    streamCheck(stream, isUnitD(*q), "a rotation is no unit quaternion");
}

static void streamPlace(Stream* stream, shTransform* x)
{
    streamTransform(stream, x);
    streamCheck(stream, fitsV(x->p) && isUnit(x->q), "a transform is not finite, or its rotation no unit quaternion");
}

// A number of few values; `most` is the largest.
static void streamEnum(Stream* stream, int* value, int most)
{
    uint8_t byte = (uint8_t)*value;
    streamU8(stream, &byte);
    streamCheck(stream, byte <= most, "a kind that is unknown");
    if (streamReads(stream))
        *value = streamOk(stream) ? byte : 0;
}

static void streamId(Stream* stream, shBodyId* id)
{
    streamI32(stream, &id->index);
    streamU32(stream, &id->generation);
}

void streamWorldDef(Stream* stream, shWorldDef* def)
{
    streamVec3(stream, &def->gravity);
    streamI32(stream, &def->substeps);
    streamF32(stream, &def->hitSpeed);
    streamF32(stream, &def->bounceSpeed);
    streamF32(stream, &def->pushSpeed);
    streamF32(stream, &def->sleepSpeed);
    streamF32(stream, &def->sleepTime);
    streamBool(stream, &def->sleeping);
    streamBool(stream, &def->continuous);
    streamI64(stream, &def->breakBudget);
    streamF64(stream, &def->debrisVolume);
    streamF32(stream, &def->debrisAge);
    streamI32(stream, &def->debrisLimit);
    streamCheck(stream, fitsV(def->gravity) && fits(def->pushSpeed), "the world has a gravity like nowhere");
}

// ---- what is shared -------------------------------------------------------------------------------------------------

static uint64_t imageHash(const Image* image) { return ((const ImageHeader*)image->bytes)->checksum; }

static void failMissing(Stream* stream, const char* what, uint64_t hash, const char* advice)
{
    if (streamOk(stream))
        stream->status = fail(stream->message, shInvalid, "%s: byte %zu: it needs the %s %016" PRIx64 "; give it%s",
                              stream->name, stream->at, what, hash, advice);
}

void streamAsset(Stream* stream, const shWorld* world, const shLoadDef* def, const shAsset** asset)
{
    uint64_t hash = streamReads(stream) ? 0 : imageHash(&(*asset)->image);
    streamU64(stream, &hash);
    if (!streamReads(stream) || !streamOk(stream))
        return;
    for (int i = 0; i < def->assetCount; ++i) {
        *asset = def->assets[i];
        if (imageHash(&(*asset)->image) == hash)
            return;
    }
    for (int i = 0; i < world->ownAssets.count; ++i) {
        *asset = world->ownAssets.data[i];
        if (imageHash(&(*asset)->image) == hash)
            return;
    }
    failMissing(stream, "asset", hash, ", or embed it when saving");
}

static void streamRegions(Stream* stream, const shWorld* world, const shLoadDef* def, const shRegions** regions)
{
    bool any = *regions != NULL;
    streamBool(stream, &any);
    uint64_t hash = streamReads(stream) || !any ? 0 : imageHash(&(*regions)->image);
    if (any)
        streamU64(stream, &hash);
    if (!streamReads(stream) || !streamOk(stream) || !any)
        return;
    for (int i = 0; i < def->regionsCount; ++i) {
        *regions = def->regions[i];
        if (imageHash(&(*regions)->image) == hash)
            return;
    }
    for (int i = 0; i < world->ownRegions.count; ++i) {
        *regions = world->ownRegions.data[i];
        if (imageHash(&(*regions)->image) == hash)
            return;
    }
    *regions = NULL;
    failMissing(stream, "regions", hash, ", or embed them when saving");
}

void streamScenery(Stream* stream, const shLoadDef* def, const shScenery** scenery)
{
    bool any = *scenery != NULL;
    streamBool(stream, &any);
    uint64_t hash = streamReads(stream) || !any ? 0 : (*scenery)->info.contentHash;
    if (any)
        streamU64(stream, &hash);
    if (!streamReads(stream) || !streamOk(stream) || !any)
        return;
    for (int i = 0; i < def->sceneryCount; ++i) {
        *scenery = def->sceneries[i];
        if ((*scenery)->info.contentHash == hash)
            return;
    }
    *scenery = NULL;
    failMissing(stream, "scenery", hash, "");
}

void streamPattern(Stream* stream, const shWorld* world, const shLoadDef* def, shPattern* pattern)
{
    int type = (int)pattern->type;
    streamEnum(stream, &type, shRegionPattern);
    streamCheck(stream, type != shPatternTypeCount, "a pattern that is unknown");
    if (streamReads(stream)) {
        if (!streamOk(stream))
            return;
        *pattern = shDefaultPattern((shPatternType)type);
    }
    streamU64(stream, &pattern->seed);
    streamI32(stream, &pattern->pieces);
    streamF32(stream, &pattern->rough);
    streamVec3(stream, &pattern->grain);
    streamF32(stream, &pattern->aspect);
    streamVec3(stream, &pattern->brick);
    streamF32(stream, &pattern->smallest);
    streamRegions(stream, world, def, &pattern->regions);
    streamBool(stream, &pattern->aligned);
}

// ---- solids ---------------------------------------------------------------------------------------------------------

void streamAnchor(Stream* stream, shAnchor* anchor)
{
    int type = (int)anchor->type;
    streamEnum(stream, &type, shHalfSpaceAnchor);
    if (streamReads(stream))
        *anchor = (shAnchor){.type = (shAnchorType)type};
    streamVec3(stream, &anchor->point);
    streamF32(stream, &anchor->radius);
    streamVec3(stream, &anchor->normal);
    streamBox(stream, &anchor->box);
}

static void streamFracture(Stream* stream, shWorld* world, const shLoadDef* def, WorldSolid* solid)
{
    shFractureDef* fracture = &solid->fracture;
    shPattern pattern = fracture->pattern;
    streamPattern(stream, world, def, &pattern);
    if (streamReads(stream)) {
        *fracture = shDefaultFractureDef(shUniformPattern);
        fracture->pattern = pattern;
    }
    streamF64(stream, &fracture->factor);
    streamF64(stream, &fracture->impulse);
    streamF64(stream, &fracture->smallest);
    streamF64(stream, &fracture->dustVolume);
    streamBool(stream, &fracture->damage);
    streamCheck(stream,
                isShare(fracture->factor) && isShare(fracture->impulse) && isShare(fracture->smallest) &&
                    isShare(fracture->dustVolume),
                "a number of a fracture is not finite, or negative");
    int count = solid->anchorCount;
    streamCount(stream, &count, 1 + sizeof(Vec3) * 2 + sizeof(float) + sizeof(shBox));
    if (streamReads(stream) && streamOk(stream) && count > 0) {
        solid->anchors = NEW_ZEROED(world->memory, shAnchor, count);
        if (solid->anchors == NULL) {
            streamFailMemory(stream);
            return;
        }
        solid->anchorCount = count;
    }
    for (int i = 0; i < solid->anchorCount && streamOk(stream); ++i)
        streamAnchor(stream, &solid->anchors[i]);
}

static void streamWorldSolid(Stream* stream, shWorld* world, const shLoadDef* def, WorldSolid* solid)
{
    bool used = solid->solid != NULL;
    streamBool(stream, &used);
    if (!used || !streamOk(stream))
        return;
    const shAsset* asset = streamReads(stream) ? NULL : solid->solid->asset;
    streamAsset(stream, world, def, &asset);
    if (streamReads(stream) && streamOk(stream)) {
        shStatus status = shCreateSolid(asset, &solid->solid, stream->message);
        if (status != shOk) {
            stream->status = status;
            return;
        }
    }
    if (!streamOk(stream))
        return;
    streamBool(stream, &solid->breaks);
    streamU32(stream, &solid->broken);
    if (solid->breaks)
        streamFracture(stream, world, def, solid);
    if (streamOk(stream))
        streamSolid(stream, solid->solid);
}

// ---- bodies ---------------------------------------------------------------------------------------------------------

static void streamShape(Stream* stream, shShape* shape)
{
    int type = (int)shape->type;
    streamEnum(stream, &type, shBoxShape);
    if (streamReads(stream))
        shape->type = (shShapeType)type;
    streamF32(stream, &shape->radius);
    streamF32(stream, &shape->halfHeight);
    streamVec3(stream, &shape->halfExtent);
    streamCheck(stream,
                targetShapeValid(shape) && fits(shape->radius) && fits(shape->halfHeight) && fitsV(shape->halfExtent),
                "the sizes of a shape must be finite and not negative");
}

static void streamStrength(Stream* stream, shStrength* strength)
{
    streamF64(stream, &strength->impulse);
    streamF64(stream, &strength->factor);
    streamF64(stream, &strength->energy);
    streamF64(stream, &strength->toughness);
    streamF64(stream, &strength->softness);
    for (int i = 0; i < 3; ++i)
        streamF64(stream, &strength->extents[i]);
    streamF64(stream, &strength->fill);
    streamCheck(stream,
                isShare(strength->impulse) && isShare(strength->factor) && isShare(strength->energy) &&
                    isShare(strength->toughness) && isShare(strength->softness) && isShare(strength->extents[0]) &&
                    isShare(strength->extents[1]) && isShare(strength->extents[2]) && isShare(strength->fill),
                "a strength is not finite, or negative");
}

static void streamMass(Stream* stream, Body* body)
{
    bool endless = body->solid < 0 && body->shape.type == shPlaneShape; // scenery, too
    streamVec3(stream, &body->restCentre);
    streamDQuat(stream, &body->restFrame);
    streamBox(stream, &body->restBox);
    streamF32(stream, &body->radius);
    streamF32(stream, &body->halfThickness);
    streamF64(stream, &body->mass);
    streamDVec3(stream, &body->spin.inertia);
    DVec3 inertia = body->spin.inertia;
    bool moves = body->type == shDynamicBody;
    streamCheck(stream,
                fitsV(body->restCentre) && fitsV(body->restBox.lower) && fitsV(body->restBox.upper) &&
                    isBox(body->restBox),
                "a body has no size");
    streamCheck(stream,
                body->radius >= 0.0f && body->halfThickness >= 0.0f &&
                    (endless || fits(body->radius + body->halfThickness)),
                "a body has no radius");
    streamCheck(stream, moves ? isMass(body->mass) : body->mass == 0.0, "a body has no mass, or one it must not have");
    streamCheck(stream, isMass(inertia.x) && inertia.x <= inertia.y && inertia.y <= inertia.z && isMass(inertia.z),
                "a body has no inertia, or its moments do not ascend");
}

static void streamMotion(Stream* stream, Body* body)
{
    streamDVec3(stream, &body->centre);
    streamDVec3(stream, &body->spin.momentum);
    streamF64(stream, &body->spin.energy);
    streamDQuat(stream, &body->spin.frame);
    streamVec3(stream, &body->velocity);
    streamVec3(stream, &body->angular);
    streamPlace(stream, &body->transform);
    streamVec3(stream, &body->force);
    streamVec3(stream, &body->torque);
    streamCheck(stream,
                fitsD(body->centre) && fitsD(body->spin.momentum) && isShare(body->spin.energy) &&
                    fitsV(body->velocity) && fitsV(body->angular) && fitsV(body->force) && fitsV(body->torque),
                "the motion of a body is not finite");
}

static void streamBody(Stream* stream, const shWorld* world, const shLoadDef* def, Body* body)
{
    int type = (int)body->type;
    streamEnum(stream, &type, shDynamicBody);
    if (streamReads(stream))
        *body = (Body){.type = (shBodyType)type, .state = -1, .hit = -1};
    streamBool(stream, &body->awake);
    streamBool(stream, &body->held);
    streamBool(stream, &body->fresh);
    streamBool(stream, &body->struck);
    streamBool(stream, &body->waiting);
    streamI32(stream, &body->solid);
    streamI32(stream, &body->piece);
    streamScenery(stream, def, &body->scenery);
    streamShape(stream, &body->shape);
    streamMass(stream, body);
    streamMotion(stream, body);
    float* numbers[] = {&body->friction,     &body->restitution, &body->linearDamping, &body->angularDamping,
                        &body->gravityScale, &body->damage,      &body->age,           &body->still,
                        &body->most};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        streamF32(stream, numbers[i]);
        streamCheck(stream, fits(*numbers[i]), "a number of a body is not finite");
    }
    streamCheck(stream,
                body->friction >= 0.0f && body->restitution >= 0.0f && body->restitution <= 1.0f &&
                    body->linearDamping >= 0.0f && body->angularDamping >= 0.0f && body->most >= 0.0f,
                "a body makes energy of nothing");
    streamStrength(stream, &body->strength);
    streamF64(stream, &body->volume);
    streamI32(stream, &body->sleepNext);
    streamI32(stream, &body->drag);
    streamU32(stream, &body->filter.category);
    streamU32(stream, &body->filter.mask);
    streamI32(stream, &body->filter.group);
    streamU64(stream, &body->userData);
    if (!streamReads(stream) || !streamOk(stream))
        return;
    streamCheck(stream, isShare(body->volume), "a body has a volume that cannot be");
    if (body->solid >= 0) {
        streamCheck(stream, body->solid < world->solids.count && world->solids.data[body->solid].solid != NULL,
                    "a body is made of a solid that is not there");
        streamCheck(stream,
                    streamOk(stream) && shSolid_HasPiece(world->solids.data[body->solid].solid, body->piece) &&
                        body->scenery == NULL && body->volume > 0.0,
                    "a body is made of a piece that is not there");
    } else {
        streamCheck(stream, body->solid == -1 && body->piece == 0, "a body is made of a solid that is not there");
        streamCheck(stream, body->type == shStaticBody || body->scenery == NULL, "scenery can only be static");
        streamCheck(stream, body->type != shDynamicBody || body->shape.type != shPlaneShape,
                    "a plane cannot be dynamic");
    }
}

static bool isAlive(const shWorld* world, int body) { return idPoolAt(&world->ids, body).generation != 0; }

// Each piece is one body's at most. Counts the bodies of the solids.
static void checkPieces(Stream* stream, shWorld* world)
{
    ARRAY(int) firsts = {0}; // per solid, in `taken`
    ARRAY(uint8_t) taken = {0};
    int64_t pieces = 0;
    bool enough = arrayReserve(world->memory, &firsts, world->solids.count);
    for (int i = 0; i < world->solids.count && enough; ++i) {
        firsts.data[i] = (int)pieces;
        pieces += world->solids.data[i].solid != NULL ? shSolid_GetPieceCount(world->solids.data[i].solid) : 0;
    }
    enough = enough && arrayReserve(world->memory, &taken, pieces);
    if (!enough)
        streamFailMemory(stream);
    for (int i = 0; i < pieces && enough; ++i)
        taken.data[i] = 0;
    for (int i = 0; i < world->bodies.count && streamOk(stream); ++i) {
        const Body* body = &world->bodies.data[i];
        if (!isAlive(world, i) || body->solid < 0)
            continue;
        uint8_t* piece = &taken.data[firsts.data[body->solid] + body->piece];
        streamCheck(stream, *piece == 0, "two bodies are made of one piece");
        *piece = 1;
        ++world->solids.data[body->solid].bodies;
    }
    for (int i = 0; i < world->solids.count && streamOk(stream); ++i)
        streamCheck(stream, world->solids.data[i].solid == NULL || world->solids.data[i].bodies > 0,
                    "a solid has no body");
    arrayFree(world->memory, &firsts);
    arrayFree(world->memory, &taken);
}

// Sleeping bodies hang in rings: whoever follows one comes back. So it is when every body is followed by another one,
// and no two by the same.
static void checkRings(Stream* stream, shWorld* world)
{
    for (int i = 0; i < world->bodies.count; ++i)
        world->bodies.data[i].hit = -1;
    for (int i = 0; i < world->bodies.count && streamOk(stream); ++i) {
        int next = world->bodies.data[i].sleepNext;
        if (!isAlive(world, i))
            continue;
        streamCheck(stream, next >= 0 && next < world->bodies.count && isAlive(world, next),
                    "a sleeping body is followed by none");
        streamCheck(stream, streamOk(stream) && world->bodies.data[next].hit < 0, "two bodies are followed by one");
        if (streamOk(stream))
            world->bodies.data[next].hit = i;
    }
    for (int i = 0; i < world->bodies.count; ++i)
        world->bodies.data[i].hit = -1;
}

static void streamBodies(Stream* stream, shWorld* world, const shLoadDef* def)
{
    streamIdPool(stream, &world->ids, world->memory);
    if (!streamReserve(stream, world->memory, &world->bodies, world->ids.slots.count))
        return;
    for (int i = 0; i < world->bodies.count && streamOk(stream); ++i) {
        if (isAlive(world, i))
            streamBody(stream, world, def, &world->bodies.data[i]);
    }
    if (streamReads(stream) && streamOk(stream)) {
        checkPieces(stream, world);
        checkRings(stream, world);
    }
}

static void streamProxies(Stream* stream, shWorld* world)
{
    int count = 0, limit = world->bodies.count;
    ARRAY(BroadProxy) made = {0};
    if (!streamReserve(stream, world->memory, &made, limit))
        return;
    const BroadProxy* old = broadProxies(world->broad, &count);
    for (int i = 0; i < limit && streamOk(stream); ++i) {
        if (!isAlive(world, i))
            continue;
        BroadFilter filter = bodyBroadFilter(&world->bodies.data[i]);
        BroadProxy proxy = {.category = filter.category, .mask = filter.mask, .passive = filter.passive, .used = 1};
        if (!streamReads(stream))
            proxy = old[i];
        bool known = proxy.known != 0;
        streamBox(stream, &proxy.box);
        streamF32(stream, &proxy.margin);
        streamBool(stream, &known);
        if (known)
            streamBox(stream, &proxy.before);
        proxy.known = known;
        streamCheck(stream,
                    isBox(proxy.box) && (!known || isBox(proxy.before)) && proxy.margin >= 0.0f && fits(proxy.margin),
                    "the box of a body is none");
        if (streamReads(stream))
            made.data[i] = proxy;
    }
    if (streamReads(stream) && streamOk(stream)) {
        if (broadRestore(world->broad, made.data, limit) != shOk)
            streamFailMemory(stream);
        else
            broadRefresh(world->broad); // for queries before the next step
    }
    arrayFree(world->memory, &made);
}

static void streamDrags(Stream* stream, shWorld* world)
{
    if (!streamArray(stream, world->memory, &world->drags, sizeof(int)))
        return;
    int dragged = 0;
    for (int i = 0; i < world->drags.count && streamOk(stream); ++i) {
        Drag* drag = &world->drags.data[i];
        streamI32(stream, &drag->body);
        if (drag->body < 0)
            continue;
        streamVec3(stream, &drag->def.point);
        streamVec3(stream, &drag->def.target);
        streamF32(stream, &drag->def.hertz);
        streamF32(stream, &drag->def.damping);
        streamF32(stream, &drag->def.maxForce);
        if (!streamReads(stream))
            continue;
        bool there = isAlive(world, drag->body);
        streamCheck(stream,
                    there && world->bodies.data[drag->body].drag == i &&
                        world->bodies.data[drag->body].type == shDynamicBody,
                    "a body is dragged that is not there");
        streamCheck(stream,
                    fitsV(drag->def.point) && fitsV(drag->def.target) && drag->def.hertz > 0.0f &&
                        fits(drag->def.hertz) && drag->def.damping >= 0.0f && fits(drag->def.damping) &&
                        drag->def.maxForce >= 0.0f,
                    "a drag is not finite");
        ++dragged;
    }
    for (int i = 0; i < world->bodies.count && streamReads(stream); ++i)
        dragged -= isAlive(world, i) && world->bodies.data[i].drag != -1;
    streamCheck(stream, dragged == 0, "a body is dragged by nothing");
}

// ---- pairs ----------------------------------------------------------------------------------------------------------

static void streamContact(Stream* stream, Contact* contact)
{
    streamVec3(stream, &contact->anchorA);
    streamVec3(stream, &contact->anchorB);
    streamVec3(stream, &contact->normal);
    streamVec3(stream, &contact->friction);
    streamF32(stream, &contact->force);
    streamF32(stream, &contact->ahead);
    streamU32(stream, &contact->id);
    streamCheck(stream,
                fitsV(contact->anchorA) && fitsV(contact->anchorB) && fitsV(contact->friction) &&
                    fits(contact->force) && contact->ahead >= 0.0f && contact->ahead <= MAX_STEP &&
                    fabsf(vLength2(contact->normal) - 1.0f) <= UNIT_TOLERANCE,
                "a contact is not finite");
}

static void streamPair(Stream* stream, const shWorld* world, Pair* pair)
{
    streamI32(stream, &pair->a);
    streamI32(stream, &pair->b);
    streamI32(stream, &pair->count);
    streamBool(stream, &pair->touching);
    streamBool(stream, &pair->stale);
    streamF32(stream, &pair->load);
    streamF32(stream, &pair->friction);
    streamF32(stream, &pair->restitution);
    streamF32(stream, &pair->tolerance);
    streamI32(stream, &pair->uses);
    streamVec3(stream, &pair->axis);
    if (!pair->stale) { // else of no use
        streamF32(stream, &pair->margin);
        streamPlace(stream, &pair->relative);
        if (streamReads(stream))
            pair->pathA.shift = (double)NAN; // not known any more
    }
    if (!streamReads(stream) || !streamOk(stream))
        return;
    streamCheck(stream, pair->a != pair->b && isAlive(world, pair->a) && isAlive(world, pair->b),
                "a pair has a body that is not there");
    streamCheck(stream, pair->count >= 0 && pair->count <= SH_MAX_CONTACTS + 1, "more contacts than a pair can have");
    streamCheck(stream, pair->uses >= -INT16_MAX && pair->uses <= INT16_MAX, "a pair has lasted for ever");
    streamCheck(stream,
                pair->load >= 0.0f && fits(pair->load) && pair->friction >= 0.0f && fits(pair->friction) &&
                    pair->restitution >= 0.0f && pair->restitution <= 1.0f && pair->tolerance >= 0.0f &&
                    fits(pair->tolerance) && pair->margin >= 0.0f && fits(pair->margin) &&
                    (vLength2(pair->axis) == 0.0f || fabsf(vLength2(pair->axis) - 1.0f) <= UNIT_TOLERANCE),
                "a number of a pair is not finite, or negative");
    if (!streamOk(stream))
        return;
    const Body *a = &world->bodies.data[pair->a], *b = &world->bodies.data[pair->b];
    streamCheck(stream, a->scenery == NULL && (bodyIsSolid(a) || !bodyIsSolid(b)), "the bodies of a pair are swapped");
}

static void streamPairs(Stream* stream, shWorld* world)
{
    if (!streamArray(stream, world->memory, &world->pairs, 10 * sizeof(int)))
        return;
    for (int i = 0; i < world->pairs.count && streamOk(stream); ++i)
        streamPair(stream, world, &world->pairs.data[i]);
    int64_t total = 0;
    for (int i = 0; i < world->pairs.count && streamReads(stream); ++i) {
        world->pairs.data[i].first = (int)total;
        total += world->pairs.data[i].count;
    }
    streamCheck(stream, total <= INT32_MAX, "more contacts than can be");
    if (!streamReserve(stream, world->memory, &world->contacts, (int)total))
        return;
    for (int i = 0; i < world->pairs.count; ++i) {
        const Pair* pair = &world->pairs.data[i];
        for (int k = 0; k < pair->count && streamOk(stream); ++k)
            streamContact(stream, &world->contacts.data[pair->first + k]);
    }
    if (!streamReads(stream) || !streamOk(stream))
        return;
    if (!pairsReserve(world, world->pairs.count))
        streamFailMemory(stream);
    for (int i = 0; i < world->pairs.count && streamOk(stream); ++i)
        streamCheck(stream, pairFind(world, world->pairs.data[i].a, world->pairs.data[i].b) == i,
                    "a pair is there twice");
}

// ---- breaks that wait, and what will be told ------------------------------------------------------------------------

static void streamPending(Stream* stream, const shWorld* world, PendingBreak* pending)
{
    if (streamReads(stream))
        pending->impact = shDefaultImpact(vec3(0.0f, 0.0f, 0.0f));
    streamId(stream, &pending->body);
    streamVec3(stream, &pending->impact.point);
    streamVec3(stream, &pending->impact.direction);
    streamF32(stream, &pending->impact.scale);
    streamF32(stream, &pending->impact.radius);
    streamI32(stream, &pending->pieces);
    streamF64(stream, &pending->rank);
    streamVec3(stream, &pending->point);
    streamVec3(stream, &pending->normal);
    streamF32(stream, &pending->impulse);
    streamF32(stream, &pending->energy);
    if (!streamReads(stream) || !streamOk(stream))
        return;
    const Body* body = worldBody(world, pending->body); // may be gone since
    streamCheck(stream, body == NULL || (body->solid >= 0 && world->solids.data[body->solid].breaks),
                "a body waits to break that cannot");
    streamCheck(stream,
                fitsV(pending->impact.point) && fitsV(pending->impact.direction) && fits(pending->impact.scale) &&
                    fits(pending->impact.radius),
                "a break that waits is not finite");
}

// The asset whose material an event names; null: its last solid has gone since.
static const shAsset* assetOf(const shWorld* world, const shMaterial* material)
{
    for (int i = 0; i < world->solids.count; ++i) {
        const shSolid* solid = world->solids.data[i].solid;
        if (solid != NULL && &solid->asset->record->material == material)
            return solid->asset;
    }
    return NULL;
}

static void streamMaterial(Stream* stream, const shWorld* world, const shLoadDef* def, const shMaterial** material)
{
    const shAsset* asset = streamReads(stream) ? NULL : assetOf(world, *material);
    bool known = asset != NULL;
    streamBool(stream, &known);
    if (!known)
        return;
    streamAsset(stream, world, def, &asset);
    if (streamReads(stream))
        *material = streamOk(stream) ? &asset->record->material : NULL;
}

static void streamBreak(Stream* stream, const shWorld* world, const shLoadDef* def, shBreakEvent* event)
{
    streamId(stream, &event->body);
    streamI32(stream, &event->first);
    streamI32(stream, &event->count);
    streamVec3(stream, &event->point);
    streamVec3(stream, &event->normal);
    streamF32(stream, &event->impulse);
    streamF32(stream, &event->energy);
    streamF64(stream, &event->crackArea);
    streamU64(stream, &event->userData);
    streamMaterial(stream, world, def, &event->material);
    streamCheck(stream, event->first >= 0 && event->count >= 0 && event->first <= world->broken.count - event->count,
                "a break has parts that are not there");
}

static void streamDust(Stream* stream, const shWorld* world, const shLoadDef* def, shDustEvent* dust)
{
    streamVec3(stream, &dust->point);
    streamVec3(stream, &dust->velocity);
    streamF64(stream, &dust->mass);
    streamF64(stream, &dust->volume);
    streamI32(stream, &dust->pieces);
    streamMaterial(stream, world, def, &dust->material);
}

// Events that the next step will tell, of bodies destroyed and broken by hand since the last one. Those that were told
// are gone.
static void streamEvents(Stream* stream, shWorld* world, const shLoadDef* def)
{
    int ended = world->ended.count - world->endedTold;
    streamCount(stream, &ended, 4 * sizeof(int));
    streamReserve(stream, world->memory, &world->ended, ended);
    for (int i = 0; i < ended && streamOk(stream); ++i) {
        shTouchEvent* event = &world->ended.data[world->endedTold + i];
        streamId(stream, &event->a);
        streamId(stream, &event->b);
    }
    bool waiting = !world->told && (world->breaks.count > 0 || world->dust.count > 0);
    streamBool(stream, &waiting);
    if (streamReads(stream))
        world->told = !waiting;
    if (!waiting || !streamOk(stream))
        return;
    if (!streamArray(stream, world->memory, &world->broken, sizeof(shBodyId)))
        return;
    for (int i = 0; i < world->broken.count; ++i)
        streamId(stream, &world->broken.data[i]);
    if (!streamArray(stream, world->memory, &world->breaks, sizeof(shBodyId)))
        return;
    for (int i = 0; i < world->breaks.count; ++i)
        streamBreak(stream, world, def, &world->breaks.data[i]);
    if (!streamArray(stream, world->memory, &world->dust, sizeof(Vec3)))
        return;
    for (int i = 0; i < world->dust.count; ++i)
        streamDust(stream, world, def, &world->dust.data[i]);
}

// Those of the last step are told again, but for the bytes in use.
static void streamCounters(Stream* stream, shCounters* counters)
{
    int* numbers[] = {&counters->bodies,   &counters->awake,    &counters->solids,  &counters->pairs,
                      &counters->touching, &counters->contacts, &counters->islands, &counters->colours,
                      &counters->queried,  &counters->swept,    &counters->stopped, &counters->broken,
                      &counters->deferred, &counters->debris};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        streamI32(stream, numbers[i]);
    streamI64(stream, &counters->breaks);
    streamF64(stream, &counters->dustMass);
    streamF64(stream, &counters->removedMass);
}

void streamWorld(Stream* stream, shWorld* world, const shLoadDef* def)
{
    if (streamArray(stream, world->memory, &world->solids, 1)) {
        for (int i = 0; i < world->solids.count && streamOk(stream); ++i)
            streamWorldSolid(stream, world, def, &world->solids.data[i]);
    }
    if (streamOk(stream))
        streamBodies(stream, world, def);
    if (streamOk(stream))
        streamProxies(stream, world);
    if (streamOk(stream))
        streamDrags(stream, world);
    if (streamOk(stream))
        streamPairs(stream, world);
    if (streamOk(stream) && streamArray(stream, world->memory, &world->deferred, sizeof(shBodyId))) {
        for (int i = 0; i < world->deferred.count && streamOk(stream); ++i)
            streamPending(stream, world, &world->deferred.data[i]);
    }
    if (streamOk(stream))
        streamEvents(stream, world, def);
    if (streamOk(stream))
        streamCounters(stream, &world->counters);
}
