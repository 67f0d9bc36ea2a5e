// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A pane of 5 mm and a ball of 1 cm, whole and broken: what easily passes through each other. Include after cmocka.h.
#pragma once

#include "core/constants.h"
#include "core/context.h"
#include "core/random.h"
#include "mesh/generate.h"
#include "sherd/sweep.h"
#include "solid/solid.h"

typedef struct Moving {
    shContext* context;
    shAsset *paneAsset, *ballAsset;
    shSolid *pane, *shards; // whole; in a dozen pieces
    shSolid *ball, *bits;
    shQuery* query;
} Moving;

static inline shAsset* cookTets(shContext* context, const TetMesh* mesh, float scale)
{
    shVec3* vertices = malloc(sizeof(shVec3) * (size_t)mesh->nodeCount);
    for (int n = 0; n < mesh->nodeCount; ++n)
        vertices[n] = vScale(scale, mesh->nodes[n]);
    shMeshDef def = {.vertexCount = mesh->nodeCount,
                     .vertices = vertices,
                     .tetCount = mesh->tetCount,
                     .tets = (const int(*)[4])mesh->tets};
    shCookDef cook = shDefaultCookDef();
    shAsset* asset;
    assert_int_equal(shCookAsset(context, &def, &cook, &asset, NULL), shOk);
    free(vertices);
    return asset;
}

// 30 cm square and 5 mm thick around the origin, across y.
static inline void draftPane(shContext* context, TetMesh* mesh)
{
    enum { cells = 24 };
    Draft draft = {.memory = &context->memory};
    for (int z = 0; z <= cells; ++z)
        for (int y = 0; y < 2; ++y)
            for (int x = 0; x <= cells; ++x)
                draftNode(&draft, dvec3(0.3 * x / cells - 0.15, 0.005 * y - 0.0025, 0.3 * z / cells - 0.15));
    for (int z = 0; z < cells; ++z) {
        for (int x = 0; x < cells; ++x) {
            int corner[8];
            for (int k = 0; k < 8; ++k)
                corner[k] = ((z + (k >> 2)) * 2 + (k >> 1 & 1)) * (cells + 1) + x + (k & 1);
            draftCell5(&draft, corner, (x + z) % 2 != 0);
        }
    }
    assert_int_equal(draftFinish(&draft, mesh, NULL, NULL, NULL), shOk);
}

static inline void breakMoving(shSolid* solid, int count, Random* random)
{
    Vec3 sites[16];
    shBox box = shSolid_GetPiece(solid, 0).box;
    for (int i = 0; i < count; ++i)
        sites[i] = randomInBox(random, box);
    assert_int_equal(shSolid_BreakVoronoi(solid, 0, sites, count, NULL, NULL), shOk);
}

static inline void setUp(Moving* m, shAllocator allocator)
{
    shContextDef def = shDefaultContextDef();
    def.allocator = allocator;
    assert_int_equal(shCreateContext(&def, &m->context, NULL), shOk);
    TetMesh mesh;
    draftPane(m->context, &mesh);
    m->paneAsset = cookTets(m->context, &mesh, 1.0f);
    tetMeshFree(&mesh, &m->context->memory);
    assert_int_equal(modelGenerate(modelFind("sphere"), 0.7f, &m->context->memory, &mesh, NULL), shOk);
    m->ballAsset = cookTets(m->context, &mesh, 0.1f);
    tetMeshFree(&mesh, &m->context->memory);
    Random random = randomSeed(1);
    assert_int_equal(shCreateSolid(m->paneAsset, &m->pane, NULL), shOk);
    assert_int_equal(shCreateSolid(m->paneAsset, &m->shards, NULL), shOk);
    assert_int_equal(shCreateSolid(m->ballAsset, &m->ball, NULL), shOk);
    assert_int_equal(shCreateSolid(m->ballAsset, &m->bits, NULL), shOk);
    breakMoving(m->shards, 12, &random);
    breakMoving(m->bits, 4, &random);
    assert_int_equal(shCreateQuery(m->context, &m->query, NULL), shOk);
}

static inline void tearDown(Moving* m)
{
    shDestroyQuery(m->query);
    shDestroySolid(m->pane);
    shDestroySolid(m->shards);
    shDestroySolid(m->ball);
    shDestroySolid(m->bits);
    shDestroyAsset(m->paneAsset);
    shDestroyAsset(m->ballAsset);
    assert_int_equal(shDestroyContext(m->context), 0);
}

// Two movers on their way; the second is a shape when it has no solid.
typedef struct Course {
    shCollider a, b;
    shShape shape;
    shMotion motions[2];
} Course;

static inline shVec3 centreOf(const shCollider* c)
{
    shPieceInfo info = shSolid_GetPiece(c->solid, c->piece);
    return vec3((float)info.centre[0], (float)info.centre[1], (float)info.centre[2]);
}

// B flies `length` far from a random side, so that half way or thereabouts it would be where A is then, if nothing
// stopped it. Both turn by up to `turn`.
static inline Course randomCourse(Random* random, const shSolid* a, const shSolid* b, const shShape* shape,
                                  float length, float turn)
{
    Course c = {.a = {a, randomBelow(random, shSolid_GetPieceCount(a)), {{0}, randomRotation(random)}},
                .b = {b, b != NULL ? randomBelow(random, shSolid_GetPieceCount(b)) : 0, {{0}, randomRotation(random)}}};
    if (shape != NULL)
        c.shape = *shape;
    Vec3 across = vScale(length, vFromD(randomDirection(random)));
    Vec3 drift = vScale(0.1f * length, vFromD(randomInBall(random)));
    c.motions[0] = (shMotion){centreOf(&c.a), drift, vScale(turn, vFromD(randomInBall(random)))};
    c.motions[1] = (shMotion){b != NULL ? centreOf(&c.b) : vec3(0.0f, 0.0f, 0.0f), vAdd(across, drift),
                              vScale(turn, vFromD(randomInBall(random)))};
    // Where they would meet, as seen from their centres.
    shBox box = shSolid_GetPiece(a, c.a.piece).box;
    Vec3 aim = randomInBox(random, box);
    float when = randomRange(random, 0.2f, 0.8f);
    Vec3 at = xformPoint(shMotion_GetTransform(&c.motions[0], c.a.transform, when), aim);
    Vec3 now = xformPoint(shMotion_GetTransform(&c.motions[1], c.b.transform, when), c.motions[1].centre);
    c.b.transform.p = vSub(at, now);
    return c;
}

static inline shSweepHit sweepOf(const Moving* m, const Course* c, const shSweepDef* def)
{
    shSweepHit hit;
    if (c->b.solid != NULL)
        assert_int_equal(shSweep(m->query, def, &c->a, &c->motions[0], &c->b, &c->motions[1], &hit, NULL), shOk);
    else
        assert_int_equal(
            shSweepShape(m->query, def, &c->a, &c->motions[0], &c->shape, c->b.transform, &c->motions[1], &hit, NULL),
            shOk);
    return hit;
}

// The closest contact of the full query at a time; infinity: none within the margin.
static inline float closestAt(const Moving* m, const Course* c, float fraction, float margin, shContact* closest)
{
    shCollider a = c->a, b = c->b;
    a.transform = shMotion_GetTransform(&c->motions[0], c->a.transform, fraction);
    b.transform = shMotion_GetTransform(&c->motions[1], c->b.transform, fraction);
    shCollideDef def = shDefaultCollideDef();
    def.all = true;
    def.margin = margin;
    const shContact* contacts;
    int count;
    if (b.solid != NULL)
        assert_int_equal(shCollide(m->query, &def, &a, &b, NULL, &contacts, &count, NULL), shOk);
    else
        assert_int_equal(shCollideShape(m->query, &def, &a, &c->shape, b.transform, NULL, &contacts, &count, NULL),
                         shOk);
    float distance = INFINITY;
    for (int i = 0; i < count; ++i) {
        if ((contacts[i].id & CONTACT_OF_EDGES) != 0)
            continue; // a sweep sees samples
        if (contacts[i].distance < distance) {
            distance = contacts[i].distance;
            if (closest != NULL)
                *closest = contacts[i];
        }
    }
    return distance;
}
