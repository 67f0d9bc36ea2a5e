// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The sharp edges and the support maps of the pieces of a broken solid: found anew, from one pass over its surface, for
// every piece that a break has changed.
#include "field/field_break.h"

#include <string.h>

EdgeSet fieldEdges(const FragmentField* field, int piece)
{
    if (field->labels == NULL)
        return field->rest->edges;
    const Piece* of = &field->pieces.data[piece];
    return (EdgeSet){field->edges.data + of->edgeRow, of->edgeCount, of->edgeRoom};
}

typedef struct Gather {
    const FragmentField* field;
    PieceSurface* surface;
} Gather;

static void gatherTriangles(const int* features, int count, void* user)
{
    const FragmentField* field = ((const Gather*)user)->field;
    PieceSurface* surface = ((const Gather*)user)->surface;
    for (int i = 0; i < count && surface->count < surface->most; ++i)
        fieldFeature(field, features[i], surface->corners[surface->count++]);
}

// Nodes and cut points are samples of the piece's tree.
static void tellSamples(const FragmentField* field, const EdgeScratch* scratch, const Piece* piece, float* rows,
                        int count)
{
    const TetTopology* topology = field->rest->topology;
    for (int i = piece->first; i < piece->first + piece->count && count > 0; ++i) {
        int node = field->nodeOrder[i];
        edgesTellSample(scratch, rows, count, field->rest->mesh->nodes[node]);
        for (int k = topology->nodeEdgeStart[node]; k < topology->nodeEdgeStart[node + 1]; ++k) {
            int cut = field->edgeCuts[topology->nodeEdges[k]];
            if (cut >= 0)
                edgesTellSample(scratch, rows, count, field->cuts.data[cut].p);
        }
    }
}

// There is room at the end of all edges for those of one more piece.
static void findEdges(FragmentField* field, const PieceSurface* surface, EdgeScratch* scratch, int label)
{
    Piece* piece = &field->pieces.data[label];
    float* end = field->edges.data + field->edges.count;
    int count = edgesFind(scratch, surface, 0.5f * vLength(boxSize(piece->box)), end), room = edgeRoom(count);
    tellSamples(field, scratch, piece, end, count);
    if (room <= piece->edgeRoom && piece->edgeRoom > 0) { // in the place of those it had
        memmove(field->edges.data + piece->edgeRow, end, sizeof(float) * (size_t)edgeFloats(room));
        piece->edgeCount = count;
        piece->edgeRoom = room;
        return;
    }
    piece->edgeRow = field->edges.count;
    piece->edgeCount = count;
    piece->edgeRoom = room;
    field->edges.count += edgeFloats(room);
}

// What follows from the surface of a piece alone.
static void findShape(FragmentField* field, PieceSurface* surface, EdgeScratch* scratch, int label)
{
    surface->count = 0;
    fieldSurfaceFeatures(field, label, gatherTriangles, &(Gather){field, surface});
    surfaceFindVertices(surface);
    findSupport(field, surface, label);
    findEdges(field, surface, scratch, label);
}

// Room for so many floats more. Pieces that have changed leave their old rows behind: they go where that is much.
static bool reserveEdges(FragmentField* field, int64_t more)
{
    int64_t used = 0;
    for (int i = 0; i < field->pieces.count; ++i)
        used += field->pieces.data[i].removed ? 0 : edgeFloats(field->pieces.data[i].edgeRoom);
    if (field->edges.count + more <= field->edges.capacity)
        return true;
    FloatList tidy = {0};
    if (!arrayReserve(field->memory, &tidy, used + more))
        return false;
    for (int i = 0; i < field->pieces.count; ++i) {
        Piece* piece = &field->pieces.data[i];
        if (piece->removed)
            piece->edgeCount = piece->edgeRoom = 0;
        if (piece->edgeRoom == 0)
            continue;
        memcpy(tidy.data + tidy.count, field->edges.data + piece->edgeRow,
               sizeof(float) * (size_t)edgeFloats(piece->edgeRoom));
        piece->edgeRow = tidy.count;
        tidy.count += edgeFloats(piece->edgeRoom);
    }
    arrayFree(field->memory, &field->edges);
    field->edges = tidy;
    return true;
}

bool planShapes(Plan* plan)
{
    FragmentField* field = plan->field;
    int most = plan->facetCount + plan->parts.data[plan->largest].features;
    for (int t = field->pieces.data[plan->piece].skin; t >= 0; t = field->skins.trees.data[t].next)
        most += field->skins.trees.data[t].count;
    // Of a closed surface no more than one and a half for each triangle.
    int64_t rows = 0;
    for (int i = 0; i < plan->parts.count; ++i) {
        int triangles = i == plan->largest ? most : plan->parts.data[i].features;
        rows += edgeFloats(edgeRoom(minI(triangles + triangles / 2, edgesMost)));
    }
    return surfaceMake(&plan->surface, field->memory, most) && edgeScratchMake(&plan->edges, field->memory, most) &&
           reserveEdges(field, rows) && planSupports(plan);
}

void findShapes(Plan* plan)
{
    for (int c = 0; c < plan->field->children.count; ++c)
        findShape(plan->field, &plan->surface, &plan->edges, plan->field->children.data[c]);
}

bool fieldBuildShapes(FragmentField* field)
{
    int most = field->rest->mesh->triangleCount + field->facets.count;
    PieceSurface surface = {0};
    EdgeScratch scratch = {0};
    field->edges.count = 0;
    bool enough = arrayReserve(field->memory, &field->edges, (int64_t)field->pieces.count * edgeFloatsMost) &&
                  openSupports(field) && surfaceMake(&surface, field->memory, most) &&
                  edgeScratchMake(&scratch, field->memory, most);
    for (int i = 0; i < field->pieces.count && enough; ++i) {
        field->pieces.data[i].edgeRoom = field->pieces.data[i].edgeCount = 0;
        if (!field->pieces.data[i].removed)
            findShape(field, &surface, &scratch, i);
    }
    surfaceFree(&surface, field->memory);
    edgeScratchFree(&scratch, field->memory);
    return enough;
}
