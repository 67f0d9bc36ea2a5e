// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Objects for tests of inner spheres: closed surfaces of several kinds, packed and with their trees.
#pragma once

#include "core/quat.h"
#include "core/random.h"
#include "mesh/models.h"
#include "test/shapes.h"
#include "tree/inner_query.h"

static inline shContext* newContext(int workers)
{
    shContextDef def = shDefaultContextDef();
    def.workerCount = workers;
    shContext* context = NULL;
    assert_int_equal(shCreateContext(&def, &context, NULL), shOk);
    return context;
}

enum { OBJECT_KINDS = 6 };
static const char* const objectNames[OBJECT_KINDS] = {"box", "ball", "ring", "hollow ball", "rabbit", "bowl"};

// The surface of one kind as a query.
static inline void makeSurface(int kind, Memory* memory, TriQuery* query)
{
    if (kind >= 4) {
        TetMesh mesh;
        shMessage message = {""};
        assert_int_equal(modelGenerate(modelFind(objectNames[kind]), 0.5f, memory, &mesh, &message), shOk);
        DVec3* vertices = NEW_ARRAY(memory, DVec3, mesh.nodeCount);
        for (int i = 0; i < mesh.nodeCount; ++i)
            vertices[i] = dFromV(mesh.nodes[i]);
        assert_true(triQueryBuild(query, memory, vertices, (const int(*)[3])mesh.triangles, mesh.triangleCount));
        FREE_ARRAY(memory, vertices, mesh.nodeCount);
        tetMeshFree(&mesh, memory);
        return;
    }
    clear();
    if (kind == 0)
        addBox((DVec3){-1.0, -0.7, -0.5}, (DVec3){2.0, 1.4, 1.0}, 3);
    else if (kind == 1)
        addBall(0.7, 9);
    else if (kind == 2)
        makeTorus(48, 24, 1.0, 0.3);
    if (kind == 3) {
        addBall(1.0, 9);
        int outer = shape.triangleCount;
        addBall(0.6, 7);
        flipTriangles(outer, shape.triangleCount);
    }
    assert_true(triQueryBuild(query, memory, shape.vertices, (const int(*)[3])shape.triangles, shape.triangleCount));
}

typedef struct Object {
    TriQuery query;
    InnerPacking packing;
    InnerTree tree;
} Object;

static inline void makeObject(shContext* context, int kind, int spheres, Object* object)
{
    shMessage message = {""};
    InnerPackDef def = {.spheres = spheres};
    InnerBuildDef build = {.seed = 1};
    makeSurface(kind, &context->memory, &object->query);
    if (innerPack(&object->packing, context, &object->query, &def, &message) != shOk)
        fail_msg("%s: %s", objectNames[kind], message.text);
    assert_true(innerTreeBuild(&object->tree, context, &object->packing, &build));
}

static inline void freeObject(shContext* context, Object* object)
{
    innerTreeFree(&object->tree, &context->memory);
    innerPackingFree(&object->packing, &context->memory);
    triQueryFree(&object->query, &context->memory);
}

// Two objects near each other: turned at random, centres `apart` times the sum of their radii from each other.
static inline void placePair(Random* random, const InnerTree* a, const InnerTree* b, float apart, shTransform poses[2])
{
    const InnerTree* trees[2] = {a, b};
    Vec3 way = vScale(apart * (a->record.radius + b->record.radius), vFromD(randomDirection(random)));
    for (int i = 0; i < 2; ++i) {
        const InnerRecord* record = &trees[i]->record;
        poses[i].q = randomRotation(random);
        Vec3 centre = qRotate(poses[i].q, vec3(record->x, record->y, record->z));
        poses[i].p = i == 0 ? vNeg(centre) : vSub(way, centre);
    }
}
