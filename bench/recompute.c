// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "bench/recompute.h"

#include "core/message.h"
#include "mesh/tri_query.h"
#include "solid/solid.h"
#include "tree/point_order.h"

// ---- field ----------------------------------------------------------------------------------------------------------

// The features of all pieces, sorted by piece.
typedef struct Features {
    int* starts;   // [pieceCount + 1]
    int* features; // triangle, or ~facet
    int count, pieceCount;
} Features;

typedef void FeatureVisit(int label, int feature, void* user);

static void visitFeatures(const FragmentField* field, FeatureVisit* visit, void* user)
{
    const TetMesh* mesh = field->rest->mesh;
    for (int t = 0; t < mesh->triangleCount; ++t)
        if (!field->triangleIsCut[t])
            visit(field->labels[mesh->triangles[t][0]], t, user);
    for (int c = 0; c < field->cutTets.count; ++c) {
        const CutTet* cut = &field->cutTets.data[c];
        for (int k = 0; k < 4; ++k)
            for (int f = cut->facets[k]; f < cut->facets[k] + cut->facetCount[k]; ++f)
                visit(field->labels[mesh->tets[cut->tet][k]], ~f, user);
    }
}

static void countFeature(int label, int feature, void* user)
{
    (void)feature;
    Features* features = user;
    ++features->starts[label + 1];
    ++features->count;
}

static void storeFeature(int label, int feature, void* user)
{
    Features* features = user;
    features->features[features->starts[label]++] = feature;
}

static bool gatherFeatures(Features* features, const FragmentField* field)
{
    *features = (Features){.pieceCount = field->pieces.count};
    features->starts = NEW_ZEROED(field->memory, int, features->pieceCount + 1);
    if (features->starts == NULL)
        return false;
    visitFeatures(field, countFeature, features);
    features->features = NEW_ARRAY(field->memory, int, features->count);
    if (features->features == NULL)
        return false;
    for (int i = 0; i < features->pieceCount; ++i)
        features->starts[i + 1] += features->starts[i];
    visitFeatures(field, storeFeature, features); // moves each start to the next one
    for (int i = features->pieceCount; i > 0; --i)
        features->starts[i] = features->starts[i - 1];
    features->starts[0] = 0;
    return true;
}

// The last node's triangle bounds the next node's distance: most of the surface need not be looked at.
static void measureNodes(const FragmentField* field, const Piece* piece, const TriQuery* query, const int* features,
                         NodeField* nodes)
{
    const RestField* rest = field->rest;
    int slot = -1;
    for (int i = piece->first; i < piece->first + piece->count; ++i) {
        int node = field->nodeOrder[i];
        if (rest->nodeDistances[node] == 0.0f)
            continue;
        DVec3 p = dFromV(rest->mesh->nodes[node]);
        double bound = INFINITY;
        if (slot >= 0) {
            const DVec3* corners = query->corners[slot];
            bound = triClosest(corners[0], corners[1], corners[2], p).distance * (1.0 + 1e-9);
        }
        TriHit hit = triQueryClosest(query, p, bound);
        slot = hit.slot;
        nodes[node] = (NodeField){(float)hit.distance, features[hit.triangle]};
    }
}

static bool recomputePiece(const FragmentField* field, int piece, const Features* features, NodeField* nodes)
{
    Memory* memory = field->memory;
    const int* own = features->features + features->starts[piece];
    int count = features->starts[piece + 1] - features->starts[piece];
    DVec3* vertices = NEW_ARRAY(memory, DVec3, 3 * count);
    int* triangles = NEW_ARRAY(memory, int, 3 * count); // corners 0, 1, 2, … : none are shared
    bool enough = vertices != NULL && triangles != NULL;
    for (int i = 0; i < count && enough; ++i) {
        Vec3 corners[3];
        fieldFeature(field, own[i], corners);
        for (int k = 0; k < 3; ++k) {
            vertices[3 * i + k] = dFromV(corners[k]);
            triangles[3 * i + k] = 3 * i + k;
        }
    }
    TriQuery query;
    enough = enough && triQueryBuild(&query, memory, vertices, (const int(*)[3])triangles, count);
    if (enough) {
        measureNodes(field, &field->pieces.data[piece], &query, own, nodes);
        triQueryFree(&query, memory);
    }
    FREE_ARRAY(memory, vertices, 3 * count);
    FREE_ARRAY(memory, triangles, 3 * count);
    return enough;
}

shStatus recomputeField(const shSolid* solid, NodeField* nodes, shMessage* message)
{
    const FragmentField* field = &solid->field;
    Features features;
    bool enough = gatherFeatures(&features, field);
    for (int piece = 0; piece < field->pieces.count && enough; ++piece)
        enough = recomputePiece(field, piece, &features, nodes);
    FREE_ARRAY(field->memory, features.starts, features.pieceCount + 1);
    FREE_ARRAY(field->memory, features.features, features.count);
    return enough ? shOk : failMemory(message);
}

shStatus recomputeSkins(shSolid* solid, shMessage* message)
{
    return fieldBuildSkins(&solid->field) ? shOk : failMemory(message);
}

shStatus recomputeShapes(shSolid* solid, shMessage* message)
{
    FragmentField* field = &solid->field;
    if (!fieldBuildShapes(field) || !samplesBuild(&solid->samples, field, &solid->asset->rest))
        return failMemory(message);
    for (int piece = 0; piece < field->pieces.count; ++piece)
        nearGridLay(field, piece); // where it lay before
    return shOk;
}

// ---- trees ----------------------------------------------------------------------------------------------------------

// Points of one piece and room for their tree.
typedef struct PieceTree {
    Vec3* positions;
    TreePoint* points;
    int* ids; // in the solid's array
    int* order;
    int count, capacity;
} PieceTree;

static bool allocateTree(PieceTree* tree, Memory* memory, int capacity)
{
    *tree = (PieceTree){.positions = NEW_ARRAY(memory, Vec3, capacity),
                        .points = NEW_ARRAY(memory, TreePoint, capacity),
                        .ids = NEW_ARRAY(memory, int, capacity),
                        .order = NEW_ARRAY(memory, int, capacity),
                        .capacity = capacity};
    return tree->positions != NULL && tree->points != NULL && tree->ids != NULL && tree->order != NULL;
}

static void freeTree(PieceTree* tree, Memory* memory)
{
    FREE_ARRAY(memory, tree->positions, tree->capacity);
    FREE_ARRAY(memory, tree->points, tree->capacity);
    FREE_ARRAY(memory, tree->ids, tree->capacity);
    FREE_ARRAY(memory, tree->order, tree->capacity);
}

static void addPoint(PieceTree* tree, const TreePoint* all, int id)
{
    tree->positions[tree->count] = tree->points[tree->count].p = all[id].p;
    tree->ids[tree->count++] = id;
}

static void gatherPoints(PieceTree* tree, const shSolid* solid, int piece, bool inner)
{
    const FragmentField* field = &solid->field;
    const TetTopology* topology = field->rest->topology;
    const TreePoint* all = solid->trees.own.data;
    const Piece* own = &field->pieces.data[piece];
    tree->count = 0;
    for (int i = own->first; i < own->first + own->count; ++i) {
        int node = field->nodeOrder[i];
        if (inner || field->rest->nodeDistances[node] == 0.0f)
            addPoint(tree, all, node);
        for (int k = topology->nodeEdgeStart[node]; k < topology->nodeEdgeStart[node + 1]; ++k) {
            int edge = topology->nodeEdges[k], cut = field->edgeCuts[edge];
            if (cut >= 0)
                addPoint(tree, all, topology->nodeCount + 2 * cut + (topology->edges[edge][1] == node));
        }
    }
}

static int globalId(const PieceTree* tree, int local) { return local >= 0 ? tree->ids[local] : -1; }

static shStatus buildTree(PieceTree* tree, shSolid* solid, int piece, shMessage* message)
{
    Memory* memory = solid->trees.memory;
    int root;
    shStatus status = pointOrder(tree->positions, tree->count, memory, tree->order, NULL, message);
    if (status == shOk)
        status = sphereTreeBuild(tree->points, tree->order, tree->count, memory, &root, message);
    if (status != shOk)
        return status;
    for (int i = 0; i < tree->count; ++i) {
        TreePoint point = tree->points[i];
        point.child = globalId(tree, point.child);
        point.sibling = globalId(tree, point.sibling);
        point.parent = globalId(tree, point.parent);
        solid->trees.own.data[tree->ids[i]] = point;
    }
    solid->trees.roots.data[piece] = tree->ids[root];
    return shOk;
}

shStatus recomputeTrees(shSolid* solid, bool inner, shMessage* message)
{
    PieceTree tree;
    Memory* memory = solid->trees.memory;
    shStatus status = allocateTree(&tree, memory, solid->trees.own.count) ? shOk : failMemory(message);
    for (int piece = 0; piece < solid->field.pieces.count && status == shOk; ++piece) {
        gatherPoints(&tree, solid, piece, inner);
        status = buildTree(&tree, solid, piece, message);
    }
    freeTree(&tree, memory);
    return status;
}
