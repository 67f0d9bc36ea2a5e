// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A built-in model that breaks along random Voronoi cells: what tests of fields and trees share. Include after
// cmocka.h.
#pragma once

#include "core/random.h"
#include "field/rest_field.h"
#include "fracture/voronoi_crack.h"
#include "mesh/models.h"
#include "tree/point_order.h"
#include "tree/sphere_tree.h"

typedef struct Fixture {
    shContext* context;
    TetMesh mesh;
    RestFieldData rest;
    TreePoint* treePoints;
    FragmentField field;
    PieceTrees trees;
    float diameter;
} Fixture;

static inline void setUp(Fixture* fx, const char* model, float detail)
{
    shContextDef def = shDefaultContextDef();
    assert_int_equal(shCreateContext(&def, &fx->context, NULL), shOk);
    Memory* memory = &fx->context->memory;
    shMessage message;
    assert_int_equal(modelGenerate(modelFind(model), detail, memory, &fx->mesh, &message), shOk);
    assert_int_equal(restFieldBuild(&fx->rest, fx->context, memory, &fx->mesh, &message), shOk);
    fieldInit(&fx->field, memory, &fx->rest.view);
    fx->diameter = vLength(boxSize(fieldBox(&fx->field, 0)));

    int count = fx->mesh.nodeCount, root;
    int* order = NEW_ARRAY(memory, int, count);
    fx->treePoints = NEW_ARRAY(memory, TreePoint, count);
    for (int n = 0; n < count; ++n)
        fx->treePoints[n].p = fx->mesh.nodes[n];
    assert_int_equal(pointOrder(fx->mesh.nodes, count, memory, order, NULL, &message), shOk);
    assert_int_equal(sphereTreeBuild(fx->treePoints, order, count, memory, &root, &message), shOk);
    FREE_ARRAY(memory, order, count);
    treesInit(&fx->trees, memory, fx->treePoints, count, root);
}

static inline void tearDown(Fixture* fx)
{
    Memory* memory = &fx->context->memory;
    treesFree(&fx->trees);
    FREE_ARRAY(memory, fx->treePoints, fx->mesh.nodeCount);
    fieldFree(&fx->field);
    restFieldFree(&fx->rest, memory);
    tetMeshFree(&fx->mesh, memory);
    assert_int_equal(shDestroyContext(fx->context), 0);
}

static inline bool prepareTrees(const FragmentField* field, int newCuts, int newPieces, void* user)
{
    Fixture* fx = user;
    return treesReserve(&fx->trees, newCuts, field->pieces.count + newPieces,
                        fx->mesh.nodeCount + 2 * field->cuts.count);
}

static inline void breakAtRandom(Fixture* fx, int piece, int sites, Random* random)
{
    Vec3 at[32];
    shBox box = fieldBox(&fx->field, piece);
    for (int i = 0; i < sites; ++i)
        at[i] = randomInBox(random, box);
    VoronoiCrack crack;
    shMessage message = {""};
    assert_true(voronoiCrackInit(&crack, &fx->context->memory, &fx->rest.view, at, sites));
    assert_int_equal(
        fieldBreak(&fx->field, &(Crack){piece, crack.labels, voronoiCrackCut, &crack}, prepareTrees, fx, &message),
        shOk);
    treesBreak(&fx->trees, &fx->field);
    voronoiCrackFree(&crack);
}
