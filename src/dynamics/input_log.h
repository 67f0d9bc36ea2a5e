// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The calls that change a world, as data: the public functions hand each that has succeeded to the log, if there is
// one; a replay takes them out and calls the same functions again.
#pragma once

#include "dynamics/world_state.h"

typedef enum InputType {
    inputEnd,
    inputStep,
    inputHash,
    inputCreate,
    inputDestroy,
    inputTransform,
    inputVelocity,
    inputUserData,
    inputFilter,
    inputAwake,
    inputForce,
    inputImpulse,
    inputBreak,
    inputBreakAlong,
    inputExplode,
    inputDrag,
    inputGravity,
    inputSleeping,
    inputLast = inputSleeping,
} InputType;

// A node's label, or where an edge is cut.
typedef struct InputLabel {
    int node, label;
} InputLabel;
typedef struct InputCut {
    int edge;
    float t;
} InputCut;

typedef struct Input {
    InputType type;
    shBodyId body; // of most; created: the new one
    shBodyDef def; // created: with what it points to, below
    shShape shape;
    shFractureDef fracture;
    ARRAY(shAnchor) anchors;
    float dt;
    uint64_t value; // hash, user data
    bool flag;      // awake, sleeping, dragged, cut by a function
    shTransform transform;
    Vec3 vectors[2]; // velocities; force or impulse and point; gravity
    shFilter filter;
    shPattern pattern;
    shImpact impact;
    shExplosion explosion;
    shDrag drag;
    ARRAY(InputLabel) labels;
    ARRAY(InputCut) cuts;
} Input;

typedef struct InputLog {
    Stream stream;
    int hashEvery;
    int64_t steps;
} InputLog;

// Writes down what was done, if the world is being recorded: WORLD_LOG(world, .type = inputDestroy, .body = id).
#define WORLD_LOG(world, ...) ((world)->log != NULL ? worldLog((world), &(Input){__VA_ARGS__}) : (void)0)
void worldLog(shWorld* world, Input* input);
void worldLogStep(shWorld* world, float dt);
void worldLogCreate(shWorld* world, const shBodyDef* def, shBodyId body);
void inputLogDestroy(shWorld* world); // if there is one

// A break along labels: what the piece's nodes have, and what is asked of the function that cuts.
typedef struct InputTape {
    Input input;
    Memory* memory;
    float (*cut)(int edge, void* user);
    void* user;
    bool failed;
} InputTape;
void inputTapeStart(InputTape* tape, const shWorld* world, shBodyId body, shCrack* crack); // which then runs through it
void inputTapeEnd(InputTape* tape, shWorld* world, bool worked);

// Reading wants a zeroed input; its arrays are then the caller's to free.
void streamInput(Stream* stream, const shWorld* world, const shLoadDef* def, Input* input);
void inputFree(Input* input, Memory* memory);
// Does it again. False in `same`: a body came out with another handle, or a hash differs.
shStatus inputApply(Input* input, shWorld* world, bool* same, shMessage* message);
