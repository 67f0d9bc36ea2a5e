// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "dynamics/input_log.h"

#include "core/message.h"
#include "solid/solid.h"

// ---- as bytes -------------------------------------------------------------------------------------------------------

static void streamHandle(Stream* stream, shBodyId* id)
{
    streamI32(stream, &id->index);
    streamU32(stream, &id->generation);
}

static void streamBodyShape(Stream* stream, shShape* shape)
{
    uint8_t type = (uint8_t)shape->type;
    streamU8(stream, &type);
    streamCheck(stream, type <= shBoxShape, "a shape that is unknown");
    if (streamReads(stream))
        shape->type = (shShapeType)type;
    streamF32(stream, &shape->radius);
    streamF32(stream, &shape->halfHeight);
    streamVec3(stream, &shape->halfExtent);
}

static void streamFractureDef(Stream* stream, const shWorld* world, const shLoadDef* def, Input* input)
{
    shFractureDef* fracture = &input->fracture;
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
    if (!streamArray(stream, world->memory, &input->anchors, 1))
        return;
    for (int i = 0; i < input->anchors.count && streamOk(stream); ++i)
        streamAnchor(stream, &input->anchors.data[i]);
    if (streamReads(stream)) {
        fracture->anchors = input->anchors.data;
        fracture->anchorCount = input->anchors.count;
    }
}

static void streamBodyDef(Stream* stream, const shWorld* world, const shLoadDef* sources, Input* input)
{
    shBodyDef* def = &input->def;
    if (streamReads(stream))
        *def = shDefaultBodyDef();
    uint8_t type = (uint8_t)def->type, made = def->asset != NULL ? 0 : def->shape != NULL ? 1 : 2;
    streamU8(stream, &type);
    streamU8(stream, &made);
    streamCheck(stream, type <= shDynamicBody && made <= 2, "a body that is unknown");
    if (!streamOk(stream))
        return;
    bool breaks = def->fracture != NULL;
    if (made == 0) {
        streamAsset(stream, world, sources, &def->asset);
        streamBool(stream, &breaks);
        if (breaks)
            streamFractureDef(stream, world, sources, input);
    } else if (made == 1) {
        streamBodyShape(stream, &input->shape);
    } else {
        streamScenery(stream, sources, &def->scenery);
    }
    if (streamReads(stream)) {
        def->type = (shBodyType)type;
        def->fracture = breaks ? &input->fracture : NULL;
        def->shape = made == 1 ? &input->shape : NULL;
    }
    streamTransform(stream, &def->transform);
    streamVec3(stream, &def->velocity);
    streamVec3(stream, &def->angularVelocity);
    streamF32(stream, &def->density);
    streamF32(stream, &def->friction);
    streamF32(stream, &def->restitution);
    streamF32(stream, &def->linearDamping);
    streamF32(stream, &def->angularDamping);
    streamF32(stream, &def->gravityScale);
    streamU32(stream, &def->filter.category);
    streamU32(stream, &def->filter.mask);
    streamI32(stream, &def->filter.group);
    streamU64(stream, &def->userData);
}

static void streamImpact(Stream* stream, shImpact* impact)
{
    if (streamReads(stream))
        *impact = shDefaultImpact((shVec3){0.0f, 0.0f, 0.0f});
    streamVec3(stream, &impact->point);
    streamVec3(stream, &impact->direction);
    streamF32(stream, &impact->scale);
    streamF32(stream, &impact->radius);
}

static void streamCrack(Stream* stream, const shWorld* world, Input* input)
{
    if (!streamArray(stream, world->memory, &input->labels, sizeof(InputLabel)))
        return;
    for (int i = 0; i < input->labels.count; ++i) {
        streamI32(stream, &input->labels.data[i].node);
        streamI32(stream, &input->labels.data[i].label);
    }
    streamBool(stream, &input->flag);
    if (!streamArray(stream, world->memory, &input->cuts, sizeof(InputCut)))
        return;
    for (int i = 0; i < input->cuts.count; ++i) {
        streamI32(stream, &input->cuts.data[i].edge);
        streamF32(stream, &input->cuts.data[i].t);
    }
}

static void streamDragDef(Stream* stream, Input* input)
{
    streamBool(stream, &input->flag);
    if (!input->flag)
        return;
    streamVec3(stream, &input->drag.point);
    streamVec3(stream, &input->drag.target);
    streamF32(stream, &input->drag.hertz);
    streamF32(stream, &input->drag.damping);
    streamF32(stream, &input->drag.maxForce);
}

void streamInput(Stream* stream, const shWorld* world, const shLoadDef* def, Input* input)
{
    uint8_t type = (uint8_t)input->type;
    streamU8(stream, &type);
    streamCheck(stream, type <= inputLast, "a call that is unknown");
    if (!streamOk(stream))
        return;
    if (streamReads(stream))
        input->type = (InputType)type;
    if (type >= inputCreate && type <= inputDrag && type != inputExplode)
        streamHandle(stream, &input->body);
    switch (input->type) {
    case inputEnd:
    case inputDestroy:
        break;
    case inputStep:
        streamF32(stream, &input->dt);
        break;
    case inputHash:
    case inputUserData:
        streamU64(stream, &input->value);
        break;
    case inputCreate:
        streamBodyDef(stream, world, def, input);
        break;
    case inputTransform:
        streamTransform(stream, &input->transform);
        break;
    case inputVelocity:
    case inputForce:
    case inputImpulse:
        streamVec3(stream, &input->vectors[0]);
        streamVec3(stream, &input->vectors[1]);
        break;
    case inputGravity:
        streamVec3(stream, &input->vectors[0]);
        break;
    case inputFilter:
        streamU32(stream, &input->filter.category);
        streamU32(stream, &input->filter.mask);
        streamI32(stream, &input->filter.group);
        break;
    case inputAwake:
    case inputSleeping:
        streamBool(stream, &input->flag);
        break;
    case inputBreak:
        streamPattern(stream, world, def, &input->pattern);
        streamImpact(stream, &input->impact);
        break;
    case inputBreakAlong:
        streamCrack(stream, world, input);
        break;
    case inputExplode:
        streamVec3(stream, &input->explosion.point);
        streamF32(stream, &input->explosion.radius);
        streamF32(stream, &input->explosion.impulse);
        break;
    case inputDrag:
        streamDragDef(stream, input);
        break;
    }
}

void inputFree(Input* input, Memory* memory)
{
    arrayFree(memory, &input->anchors);
    arrayFree(memory, &input->labels);
    arrayFree(memory, &input->cuts);
}

// ---- writing down ---------------------------------------------------------------------------------------------------

void worldLog(shWorld* world, Input* input) { streamInput(&world->log->stream, world, NULL, input); }

void worldLogStep(shWorld* world, float dt)
{
    InputLog* log = world->log;
    if (log == NULL)
        return;
    WORLD_LOG(world, .type = inputStep, .dt = dt);
    if (log->hashEvery > 0 && ++log->steps % log->hashEvery == 0)
        WORLD_LOG(world, .type = inputHash, .value = shWorld_GetHash(world));
}

void worldLogCreate(shWorld* world, const shBodyDef* def, shBodyId body)
{
    if (world->log == NULL)
        return;
    Input input = {.type = inputCreate, .body = body, .def = *def};
    if (def->shape != NULL)
        input.shape = *def->shape;
    if (def->fracture != NULL) {
        input.fracture = *def->fracture;
        input.anchors.data = (shAnchor*)def->fracture->anchors; // only read
        input.anchors.count = def->fracture->anchorCount;
    }
    worldLog(world, &input);
}

void inputLogDestroy(shWorld* world)
{
    if (world->log == NULL)
        return;
    streamFree(&world->log->stream);
    FREE_ARRAY(world->memory, world->log, 1);
    world->log = NULL;
}

static float tapedCut(int edge, void* user)
{
    InputTape* tape = user;
    float t = tape->cut(edge, tape->user);
    if (!arrayReserve(tape->memory, &tape->input.cuts, tape->input.cuts.count + 1))
        tape->failed = true;
    else
        tape->input.cuts.data[tape->input.cuts.count++] = (InputCut){edge, t};
    return t;
}

void inputTapeStart(InputTape* tape, const shWorld* world, shBodyId id, shCrack* crack)
{
    *tape = (InputTape){.input = {.type = inputBreakAlong, .body = id, .flag = crack->cut != NULL},
                        .memory = world->memory,
                        .cut = crack->cut,
                        .user = crack->user};
    const Body* body = worldBody(world, id);
    if (world->log == NULL || body == NULL || body->solid < 0 || crack->labels == NULL)
        return;
    const FragmentField* field = &world->solids.data[body->solid].solid->field;
    int first = 0, count = field->rest->mesh->nodeCount;
    if (field->labels != NULL) {
        first = field->pieces.data[body->piece].first;
        count = field->pieces.data[body->piece].count;
    }
    if (!arrayReserve(tape->memory, &tape->input.labels, count)) {
        tape->failed = true;
        return;
    }
    for (int i = first; i < first + count; ++i) {
        int node = field->labels != NULL ? field->nodeOrder[i] : i;
        tape->input.labels.data[tape->input.labels.count++] = (InputLabel){node, crack->labels[node]};
    }
    if (crack->cut != NULL) {
        crack->cut = tapedCut;
        crack->user = tape;
    }
}

void inputTapeEnd(InputTape* tape, shWorld* world, bool worked)
{
    if (world != NULL && world->log != NULL && worked) {
        if (tape->failed)
            streamFailMemory(&world->log->stream);
        worldLog(world, &tape->input);
    }
    inputFree(&tape->input, tape->memory);
}

// ---- doing it again -------------------------------------------------------------------------------------------------

typedef struct CutTable {
    const float* t; // [edgeCount]
} CutTable;

static float tableCut(int edge, void* user) { return ((const CutTable*)user)->t[edge]; }

static shStatus breakAlongAgain(const Input* input, shWorld* world, shMessage* message)
{
    const shSolid* solid = shBody_GetSolid(world, input->body, NULL);
    if (solid == NULL)
        return fail(message, shBadFile, "replay: a body breaks that is not there");
    int nodeCount = solid->asset->mesh.nodeCount, edgeCount = solid->field.rest->topology->edgeCount;
    int* labels = NEW_ZEROED(world->memory, int, nodeCount);
    float* cuts = NEW_ZEROED(world->memory, float, edgeCount);
    shStatus status = labels != NULL && cuts != NULL ? shOk : failMemory(message);
    for (int i = 0; i < input->labels.count && status == shOk; ++i) {
        InputLabel at = input->labels.data[i];
        if (at.node >= 0 && at.node < nodeCount)
            labels[at.node] = at.label;
    }
    for (int i = 0; i < input->cuts.count && status == shOk; ++i) {
        InputCut at = input->cuts.data[i];
        if (at.edge >= 0 && at.edge < edgeCount)
            cuts[at.edge] = at.t;
    }
    CutTable table = {cuts};
    if (status == shOk)
        status = shBody_BreakAlong(world, input->body, labels, input->flag ? tableCut : NULL, &table, NULL, message);
    FREE_ARRAY(world->memory, labels, nodeCount);
    FREE_ARRAY(world->memory, cuts, edgeCount);
    return status;
}

shStatus inputApply(Input* input, shWorld* world, bool* same, shMessage* message)
{
    shBodyId id = input->body;
    const Vec3* v = input->vectors;
    *same = true;
    switch (input->type) {
    case inputEnd:
        break;
    case inputStep:
        return shWorld_Step(world, input->dt, message);
    case inputHash:
        *same = shWorld_GetHash(world) == input->value;
        break;
    case inputCreate: {
        shStatus status = shCreateBody(world, &input->def, &id, message);
        *same = id.index == input->body.index && id.generation == input->body.generation;
        return status;
    }
    case inputDestroy:
        return shDestroyBody(world, id, message);
    case inputTransform:
        return shBody_SetTransform(world, id, input->transform, message);
    case inputVelocity:
        return shBody_SetVelocity(world, id, v[0], v[1], message);
    case inputUserData:
        return shBody_SetUserData(world, id, input->value, message);
    case inputFilter:
        return shBody_SetFilter(world, id, input->filter, message);
    case inputAwake:
        return shBody_SetAwake(world, id, input->flag, message);
    case inputForce:
        return shBody_ApplyForce(world, id, v[0], v[1], message);
    case inputImpulse:
        return shBody_ApplyImpulse(world, id, v[0], v[1], message);
    case inputBreak:
        return shBody_Break(world, id, &input->pattern, &input->impact, NULL, message);
    case inputBreakAlong:
        return breakAlongAgain(input, world, message);
    case inputExplode:
        return shWorld_Explode(world, &input->explosion, message);
    case inputDrag:
        return shBody_SetDrag(world, id, input->flag ? &input->drag : NULL, message);
    case inputGravity:
        shWorld_SetGravity(world, v[0]);
        break;
    case inputSleeping:
        shWorld_SetSleeping(world, input->flag);
        break;
    }
    return shOk;
}
