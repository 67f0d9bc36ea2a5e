// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "examples/ode/stage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void mustDo(shStatus status, const shMessage* message)
{
    if (status == shOk)
        return;
    fprintf(stderr, "%s: %s\n", shStatusText(status), message->text);
    exit(1);
}

double processorSeconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// ---- vectors --------------------------------------------------------------------------------------------------------

static shVec3 add(shVec3 a, shVec3 b) { return (shVec3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static shVec3 sub(shVec3 a, shVec3 b) { return (shVec3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static shVec3 scale(float s, shVec3 a) { return (shVec3){s * a.x, s * a.y, s * a.z}; }
static float dot(shVec3 a, shVec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static shVec3 cross(shVec3 a, shVec3 b)
{
    return (shVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static shVec3 rotate(shQuat q, shVec3 v)
{
    shVec3 t = scale(2.0f, cross(q.v, v));
    return add(add(v, scale(q.s, t)), cross(q.v, t));
}
static shVec3 unrotate(shQuat q, shVec3 v) { return rotate((shQuat){scale(-1.0f, q.v), q.s}, v); }

static double length3(const dReal* v) { return sqrt((double)(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])); }

shVec3 toRest(const Body* body, shVec3 world) { return unrotate(body->pose.q, sub(world, body->pose.p)); }

// ---- bodies ---------------------------------------------------------------------------------------------------------

StageDef stageDefaultDef(void)
{
    StageDef def = {.step = 1.0 / 240.0,
                    .shortest = 1.0 / 1920.0,
                    .travel = 0.0015,
                    .iterations = 60,
                    .erp = 0.2,
                    .cfm = 1e-6,
                    .slop = 1e-4,
                    .push = 0.5,
                    .friction = 0.5,
                    .bounce = 0.0,
                    .collide = shDefaultCollideDef()};
    def.collide.margin = 0.0005f;
    return def;
}

Stage* stageCreate(shContext* context, const StageDef* def, Film* film)
{
    Stage* stage = calloc(1, sizeof *stage);
    if (stage == NULL) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    stage->def = *def;
    stage->step = def->step;
    stage->context = context;
    stage->film = film;
    shMessage message;
    mustDo(shCreateQuery(context, &stage->query, &message), &message);
    dInitODE2(0);
    stage->world = dWorldCreate();
    stage->group = dJointGroupCreate(0);
    dWorldSetGravity(stage->world, 0, (dReal)-9.81, 0);
    dWorldSetERP(stage->world, (dReal)def->erp);
    dWorldSetCFM(stage->world, (dReal)def->cfm);
    dWorldSetContactSurfaceLayer(stage->world, (dReal)def->slop);
    dWorldSetContactMaxCorrectingVel(stage->world, (dReal)def->push);
    if (def->iterations > 0)
        dWorldSetQuickStepNumIterations(stage->world, def->iterations);
    return stage;
}

void stageDestroy(Stage* stage)
{
    dJointGroupDestroy(stage->group);
    dWorldDestroy(stage->world);
    dCloseODE();
    shDestroyQuery(stage->query);
    free(stage);
}

// Pose and box in the world from ODE's.
static void follow(const Stage* stage, Body* body)
{
    body->reach = 0.5f * stage->def.collide.margin;
    if (body->ode != NULL) {
        // Contacts are looked for as far as the body may get in a step.
        shVec3 size = sub(body->box.upper, body->box.lower);
        double radius = 0.5 * sqrt((double)dot(size, size));
        body->fastest = length3(dBodyGetLinearVel(body->ode)) + radius * length3(dBodyGetAngularVel(body->ode));
        body->reach += (float)(body->fastest * stage->step);
        const dReal* q = dBodyGetQuaternion(body->ode);
        dVector3 origin;
        dBodyGetRelPointPos(body->ode, (dReal)-body->centre[0], (dReal)-body->centre[1], (dReal)-body->centre[2],
                            origin);
        body->pose = (shTransform){{(float)origin[0], (float)origin[1], (float)origin[2]},
                                   {{(float)q[1], (float)q[2], (float)q[3]}, (float)q[0]}};
    }
    if (body->solid == NULL && body->shape.type == shPlaneShape) {
        body->worldBox = (shBox){{-1e9f, -1e9f, -1e9f}, {1e9f, 1e9f, 1e9f}};
        return;
    }
    shVec3 middle = scale(0.5f, add(body->box.lower, body->box.upper));
    shVec3 half = sub(body->box.upper, middle);
    shVec3 at = add(body->pose.p, rotate(body->pose.q, middle));
    shVec3 x = rotate(body->pose.q, (shVec3){half.x, 0.0f, 0.0f});
    shVec3 y = rotate(body->pose.q, (shVec3){0.0f, half.y, 0.0f});
    shVec3 z = rotate(body->pose.q, (shVec3){0.0f, 0.0f, half.z});
    float grow = body->reach;
    shVec3 reach = {fabsf(x.x) + fabsf(y.x) + fabsf(z.x) + grow, fabsf(x.y) + fabsf(y.y) + fabsf(z.y) + grow,
                    fabsf(x.z) + fabsf(y.z) + fabsf(z.z) + grow};
    body->worldBox = (shBox){sub(at, reach), add(at, reach)};
}

static Body* newBody(Stage* stage)
{
    if (stage->bodyCount == maxBodies) {
        fprintf(stderr, "the stage has room for %d bodies\n", maxBodies);
        exit(1);
    }
    Body* body = &stage->bodies[stage->bodyCount++];
    *body = (Body){.alive = true, .pose.q.s = 1.0f, .actor = -1};
    return body;
}

static void giveMass(Stage* stage, Body* body, const dMass* mass)
{
    body->ode = dBodyCreate(stage->world);
    dBodySetMass(body->ode, mass);
    body->mass = mass->mass;
    shVec3 c = rotate(body->pose.q, (shVec3){(float)body->centre[0], (float)body->centre[1], (float)body->centre[2]});
    shQuat q = body->pose.q;
    dQuaternion turn = {(dReal)q.s, (dReal)q.v.x, (dReal)q.v.y, (dReal)q.v.z};
    dBodySetQuaternion(body->ode, turn);
    dBodySetPosition(body->ode, (dReal)(body->pose.p.x + c.x), (dReal)(body->pose.p.y + c.y),
                     (dReal)(body->pose.p.z + c.z));
    follow(stage, body);
}

int stageAddPiece(Stage* stage, const char* name, const shSolid* solid, int piece, shTransform pose)
{
    Body* body = newBody(stage);
    shPieceInfo info = shSolid_GetPiece(solid, piece);
    body->solid = solid;
    body->piece = piece;
    body->pose = pose;
    body->box = info.box;
    memcpy(body->centre, info.centre, sizeof body->centre);
    dMass mass;
    dMassSetParameters(&mass, (dReal)info.mass, 0, 0, 0, (dReal)info.inertia[0][0], (dReal)info.inertia[1][1],
                       (dReal)info.inertia[2][2], (dReal)info.inertia[0][1], (dReal)info.inertia[0][2],
                       (dReal)info.inertia[1][2]);
    giveMass(stage, body, &mass);
    if (stage->film != NULL)
        body->actor = filmAddPiece(stage->film, name, solid, piece, stage->time);
    return stage->bodyCount - 1;
}

int stageAddBall(Stage* stage, const char* name, float radius, float density, shVec3 at)
{
    Body* body = newBody(stage);
    body->shape = (shShape){.type = shSphereShape, .radius = radius};
    body->pose.p = at;
    body->box = (shBox){{-radius, -radius, -radius}, {radius, radius, radius}};
    dMass mass;
    dMassSetSphere(&mass, (dReal)density, (dReal)radius);
    giveMass(stage, body, &mass);
    if (stage->film != NULL)
        body->actor = filmAddShape(stage->film, name, &body->shape, body->pose, (const float[3]){0.35f, 0.04f, 0.03f});
    return stage->bodyCount - 1;
}

int stageAddFixed(Stage* stage, const char* name, const shShape* shape, shTransform pose)
{
    Body* body = newBody(stage);
    body->shape = *shape;
    body->pose = pose;
    body->box = (shBox){scale(-1.0f, shape->halfExtent), shape->halfExtent};
    follow(stage, body);
    if (stage->film != NULL)
        body->actor = filmAddShape(stage->film, name, shape, pose, (const float[3]){0.25f, 0.2f, 0.14f});
    return stage->bodyCount - 1;
}

// ---- contacts -------------------------------------------------------------------------------------------------------

static bool boxesTouch(const shBox* a, const shBox* b)
{
    return a->lower.x <= b->upper.x && b->lower.x <= a->upper.x && a->lower.y <= b->upper.y &&
           b->lower.y <= a->upper.y && a->lower.z <= b->upper.z && b->lower.z <= a->upper.z;
}

// The one pair Sherd has no query for: a ball on a plane or a box, a single contact.
static int meetBall(const Body* ball, const Body* fixed, float margin, shContact* contact)
{
    shVec3 p = toRest(fixed, ball->pose.p), half = fixed->shape.halfExtent;
    shVec3 on = {p.x, 0.0f, p.z};
    if (fixed->shape.type == shBoxShape)
        on = (shVec3){fminf(fmaxf(p.x, -half.x), half.x), fminf(fmaxf(p.y, -half.y), half.y),
                      fminf(fmaxf(p.z, -half.z), half.z)};
    shVec3 away = sub(p, on);
    float length = sqrtf(dot(away, away)), distance = length - ball->shape.radius;
    if (distance >= margin || length == 0.0f)
        return 0;
    shVec3 normal = rotate(fixed->pose.q, scale(1.0f / length, away));
    *contact = (shContact){add(ball->pose.p, scale(-ball->shape.radius, normal)), normal, distance, 0};
    return 1;
}

// Contacts of two bodies; *a and *b are swapped where Sherd wants the piece first.
static int meet(Stage* stage, bool all, int* a, int* b, shPair* pair, const shContact** contacts)
{
    static shContact single;
    if (stage->bodies[*a].solid == NULL) {
        int swap = *a;
        *a = *b;
        *b = swap;
    }
    const Body *first = &stage->bodies[*a], *second = &stage->bodies[*b];
    shMessage message;
    int count = 0;
    shCollideDef def = stage->def.collide;
    def.margin = first->reach + second->reach;
    def.all = def.all || all;
    shCollider collider = {first->solid, first->piece, first->pose};
    if (second->solid != NULL) {
        shCollider other = {second->solid, second->piece, second->pose};
        mustDo(shCollide(stage->query, &def, &collider, &other, pair, contacts, &count, &message), &message);
    } else if (first->solid != NULL) {
        mustDo(shCollideShape(stage->query, &def, &collider, &second->shape, second->pose, pair, contacts, &count,
                              &message),
               &message);
    } else {
        if (first->shape.type != shSphereShape) {
            int swap = *a;
            *a = *b;
            *b = swap;
        }
        *contacts = &single;
        count = meetBall(&stage->bodies[*a], &stage->bodies[*b], def.margin, &single);
    }
    return count;
}

// The next pair of bodies that may touch, at least one of them moving; false after the last. Starts at (0, 0).
static bool nextPair(const Stage* stage, int* a, int* b)
{
    for (;;) {
        if (++*b >= stage->bodyCount) {
            if (++*a >= stage->bodyCount)
                return false;
            *b = *a;
            continue;
        }
        const Body *first = &stage->bodies[*a], *second = &stage->bodies[*b];
        if (first->alive && second->alive && (first->ode != NULL || second->ode != NULL) &&
            boxesTouch(&first->worldBox, &second->worldBox))
            return true;
    }
}

static void addJoint(Stage* stage, int a, int b, const shContact* contact)
{
    if (stage->jointCount == maxJoints) {
        fprintf(stderr, "the stage has room for %d contacts\n", maxJoints);
        exit(1);
    }
    StageJoint* joint = &stage->joints[stage->jointCount++];
    *joint = (StageJoint){.a = a, .b = b, .contact = *contact};
    // Halfway between the two surfaces. A contact that is still apart lets its gap be closed within the step, no more.
    float side = contact->id >> 31 ? 0.5f : -0.5f;
    shVec3 at = add(contact->point, scale(side * contact->distance, contact->normal));
    double gap = fmax(0.0, (double)contact->distance);
    dContact c = {.surface = {.mode = dContactApprox1 | dContactMotionN,
                              .mu = (dReal)stage->def.friction,
                              .motionN = (dReal)(-gap / stage->step)},
                  .geom = {.depth = (dReal)fmax(0.0, -(double)contact->distance)}};
    if (stage->def.bounce > 0.0 && gap == 0.0) {
        c.surface.mode |= dContactBounce;
        c.surface.bounce = (dReal)stage->def.bounce;
        c.surface.bounce_vel = (dReal)0.2;
    }
    const float from[2][3] = {{at.x, at.y, at.z}, {contact->normal.x, contact->normal.y, contact->normal.z}};
    for (int i = 0; i < 3; ++i) {
        c.geom.pos[i] = (dReal)from[0][i];
        c.geom.normal[i] = (dReal)from[1][i];
    }
    dJointID id = dJointCreateContact(stage->world, stage->group, &c);
    dJointAttach(id, stage->bodies[a].ode, stage->bodies[b].ode);
    dJointSetFeedback(id, &joint->feedback);
}

static void detect(Stage* stage)
{
    StageFigures* figures = &stage->figures;
    *figures = (StageFigures){0};
    stage->jointCount = 0;
    for (int a = 0, b = 0; nextPair(stage, &a, &b);) {
        int first = a, second = b;
        const shContact* contacts;
        double start = processorSeconds();
        int count = meet(stage, false, &first, &second, &stage->pairs[a][b], &contacts);
        figures->microseconds += 1e6 * (processorSeconds() - start);
        ++figures->queries;
        figures->visited += stage->bodies[first].solid != NULL ? shQuery_GetStats(stage->query).visited : 0;
        figures->contacts += count;
        figures->pairs += count > 0;
        figures->mostContacts = count > figures->mostContacts ? count : figures->mostContacts;
        for (int i = 0; i < count; ++i) {
            figures->deepest = fmax(figures->deepest, -(double)contacts[i].distance);
            addJoint(stage, first, second, &contacts[i]);
        }
    }
}

double stageDeepest(Stage* stage, int* contacts, double* microseconds)
{
    double deepest = 0.0, start = processorSeconds();
    *contacts = 0;
    for (int a = 0, b = 0; nextPair(stage, &a, &b);) {
        int first = a, second = b;
        const shContact* found;
        int count = meet(stage, true, &first, &second, NULL, &found);
        *contacts += count;
        for (int i = 0; i < count; ++i)
            deepest = fmax(deepest, -(double)found[i].distance);
    }
    *microseconds = 1e6 * (processorSeconds() - start);
    return deepest;
}

double stageImpulse(const Stage* stage, int a, int b, shVec3* where)
{
    double sum = 0.0;
    shVec3 middle = {0.0f, 0.0f, 0.0f};
    for (int i = 0; i < stage->jointCount; ++i) {
        const StageJoint* joint = &stage->joints[i];
        if (!(joint->a == a && joint->b == b) && !(joint->a == b && joint->b == a))
            continue;
        // A fixed partner gets no force from ODE: read that of the body which moves.
        const dReal* force = stage->bodies[joint->a].ode != NULL ? joint->feedback.f1 : joint->feedback.f2;
        shVec3 f = {(float)force[0], (float)force[1], (float)force[2]};
        float impulse = (float)stage->step * fabsf(dot(f, joint->contact.normal));
        sum += (double)impulse;
        middle = add(middle, scale(impulse, joint->contact.point));
    }
    if (sum > 0.0)
        *where = scale((float)(1.0 / sum), middle);
    return sum;
}

// ---- motion ---------------------------------------------------------------------------------------------------------

static void record(Stage* stage)
{
    if (stage->film == NULL || !filmIsDue(stage->film, stage->time))
        return;
    for (int i = 0; i < stage->bodyCount; ++i) {
        const Body* body = &stage->bodies[i];
        if (body->alive && body->ode != NULL)
            filmPose(stage->film, body->actor, stage->time, body->pose);
    }
    filmNext(stage->film);
}

// Halves the step until nothing goes farther than it may.
static void chooseStep(Stage* stage)
{
    double fastest = 0.0;
    for (int i = 0; i < stage->bodyCount; ++i) {
        if (stage->bodies[i].alive)
            fastest = fmax(fastest, stage->bodies[i].fastest);
    }
    stage->step = stage->def.step;
    while (stage->step * fastest > stage->def.travel && stage->step > 1.001 * stage->def.shortest)
        stage->step *= 0.5;
}

void stageStep(Stage* stage)
{
    record(stage);
    chooseStep(stage);
    for (int i = 0; i < stage->bodyCount; ++i)
        follow(stage, &stage->bodies[i]);
    detect(stage);
    if (stage->def.iterations > 0)
        dWorldQuickStep(stage->world, (dReal)stage->step);
    else
        dWorldStep(stage->world, (dReal)stage->step);
    dJointGroupEmpty(stage->group);
    stage->time += stage->step;
    for (int i = 0; i < stage->bodyCount; ++i) {
        Body* body = &stage->bodies[i];
        if (!body->alive || body->ode == NULL)
            continue;
        follow(stage, body);
        ++stage->figures.bodies;
        stage->figures.speed = fmax(stage->figures.speed, length3(dBodyGetLinearVel(body->ode)));
        stage->figures.spin = fmax(stage->figures.spin, length3(dBodyGetAngularVel(body->ode)));
    }
}

int stageBreak(Stage* stage, int whole, shSolid* solid, const shVec3* sites, int siteCount, double* seconds)
{
    shMessage message;
    shBreak result;
    double start = processorSeconds();
    mustDo(shSolid_BreakVoronoi(solid, stage->bodies[whole].piece, sites, siteCount, &result, &message), &message);
    *seconds = processorSeconds() - start;
    if (result.pieceCount == 1)
        return 1;
    Body* old = &stage->bodies[whole];
    if (stage->film != NULL)
        filmPose(stage->film, old->actor, stage->time, old->pose);
    for (int i = 0; i < result.pieceCount; ++i) {
        char name[32];
        snprintf(name, sizeof name, "piece %d", i);
        const Body* body = &stage->bodies[stageAddPiece(stage, name, solid, result.pieces[i], old->pose)];
        dVector3 velocity;
        dBodyGetRelPointVel(old->ode, (dReal)(body->centre[0] - old->centre[0]),
                            (dReal)(body->centre[1] - old->centre[1]), (dReal)(body->centre[2] - old->centre[2]),
                            velocity);
        const dReal* spin = dBodyGetAngularVel(old->ode);
        dBodySetLinearVel(body->ode, velocity[0], velocity[1], velocity[2]);
        dBodySetAngularVel(body->ode, spin[0], spin[1], spin[2]);
        if (stage->film != NULL)
            filmPose(stage->film, body->actor, stage->time, body->pose);
    }
    if (stage->film != NULL)
        filmEnd(stage->film, old->actor, stage->time);
    dBodyDestroy(old->ode);
    old->ode = NULL;
    old->alive = false;
    return result.pieceCount;
}

void stageSave(const Stage* stage, StageState* state)
{
    state->time = stage->time;
    for (int i = 0; i < stage->bodyCount; ++i) {
        dBodyID body = stage->bodies[i].ode;
        if (body == NULL)
            continue;
        dReal* to = state->numbers[i];
        memcpy(to, dBodyGetPosition(body), 3 * sizeof *to);
        memcpy(to + 3, dBodyGetQuaternion(body), 4 * sizeof *to);
        memcpy(to + 7, dBodyGetLinearVel(body), 3 * sizeof *to);
        memcpy(to + 10, dBodyGetAngularVel(body), 3 * sizeof *to);
    }
}

void stageRestore(Stage* stage, const StageState* state)
{
    stage->time = state->time;
    for (int i = 0; i < stage->bodyCount; ++i) {
        Body* body = &stage->bodies[i];
        if (body->ode == NULL)
            continue;
        const dReal* n = state->numbers[i];
        dBodySetPosition(body->ode, n[0], n[1], n[2]);
        dBodySetQuaternion(body->ode, n + 3);
        dBodySetLinearVel(body->ode, n[7], n[8], n[9]);
        dBodySetAngularVel(body->ode, n[10], n[11], n[12]);
        follow(stage, body);
    }
}
