// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Two engines under one roof: ODE moves bodies and solves contacts, Sherd says where they touch. ODE's own geometry is
// not used at all. A body is a piece of a solid, a ball, or something that never moves (ground, supports).
#pragma once

#include "examples/ode/film.h"

#include <ode/ode.h>

enum { maxBodies = 64, maxJoints = 4096 };

typedef struct Body {
    dBodyID ode;          // its origin is the centre of mass; null: never moves
    bool alive;           // false: broken, its pieces are bodies of their own
    const shSolid* solid; // null: the shape
    int piece;
    shShape shape;
    double centre[3], mass; // rest frame
    shBox box;              // rest frame
    shTransform pose;       // rest frame to world
    double fastest;         // m/s; of any of its points, or more
    float reach;            // m; half the margin, and what it may travel in a step
    shBox worldBox;         // grown by it
    int actor;              // of the film
} Body;

typedef struct StageDef {
    double step, shortest; // s
    double travel;         // m; the step is halved, down to the shortest, while something would go farther in it
    int iterations;        // of ODE's quick step; 0: its exact solver
    double erp, cfm;       // ODE: how much of an error is mended per step, and how soft
    double slop;           // m; penetration ODE does not mend
    double push;           // m/s; fastest mending
    double friction;       // Coulomb's coefficient
    double bounce;         // restitution
    shCollideDef collide;
} StageDef;

// One step's figures.
typedef struct StageFigures {
    int bodies, queries, contacts; // those that move; pairs whose boxes touch; contacts of all of them
    int pairs, mostContacts;       // pairs in contact; contacts of the pair that has most
    int visited;                   // samples tested
    double microseconds;           // of all queries, processor time
    double deepest;                // m, among the selected contacts
    double speed, spin;            // largest of any body, m/s, rad/s
} StageFigures;

// A contact given to ODE in the last step.
typedef struct StageJoint {
    int a, b;
    shContact contact;
    dJointFeedback feedback;
} StageJoint;

typedef struct Stage {
    StageDef def;
    shContext* context;
    shQuery* query;
    Film* film; // may be null
    dWorldID world;
    dJointGroupID group;
    double time, step; // s; of the last step
    int bodyCount;
    Body bodies[maxBodies];
    shPair pairs[maxBodies][maxBodies];
    int jointCount;
    StageJoint joints[maxJoints];
    StageFigures figures;
} Stage;

StageDef stageDefaultDef(void);
// The stage, or the end of the program.
Stage* stageCreate(shContext* context, const StageDef* def, Film* film);
void stageDestroy(Stage* stage);

int stageAddPiece(Stage* stage, const char* name, const shSolid* solid, int piece, shTransform pose);
int stageAddBall(Stage* stage, const char* name, float radius, float density, shVec3 at);
int stageAddFixed(Stage* stage, const char* name, const shShape* shape, shTransform pose);

// Detects, solves, moves.
void stageStep(Stage* stage);
// What the last step's contacts between two bodies add up to: N·s along their normals, and where.
double stageImpulse(const Stage* stage, int a, int b, shVec3* where);
// The deepest penetration there is among all samples of all pairs: a full query of each, slow.
double stageDeepest(Stage* stage, int* contacts, double* microseconds);

// Breaks a body along the Voronoi cells of `sites` (rest frame). Each piece goes on moving as that part of the whole
// did, so momentum and energy stay. Returns the number of pieces; *seconds is the processor time of Sherd's part.
int stageBreak(Stage* stage, int body, shSolid* solid, const shVec3* sites, int siteCount, double* seconds);

// Where and how fast everything is, to take a step back.
typedef struct StageState {
    double time;
    dReal numbers[maxBodies][13];
} StageState;
void stageSave(const Stage* stage, StageState* state);
void stageRestore(Stage* stage, const StageState* state);

// Prints the message and ends the program unless the status is shOk.
void mustDo(shStatus status, const shMessage* message);
double processorSeconds(void);
shVec3 toRest(const Body* body, shVec3 world);
