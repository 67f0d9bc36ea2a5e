// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What follows from the surface of a piece alone: its mass, the planes of its hull, its support map and its sharp
// edges. Found anew, from one pass over its surface, for every piece that a break has changed.
//
// Pieces do not depend on each other: they are shared out among the workers, each with a place of its own for what it
// may find at most. Then everything moves together, in the order of the pieces, as if one worker had done it all.
#include "field/field_break.h"

#include "core/check.h"
#include "core/constants.h"
#include "core/context.h"
#include "field/surface_mass.h"

EdgeSet fieldEdges(const FragmentField* field, int piece)
{
    if (field->labels == NULL)
        return field->rest->edges;
    const Piece* of = &field->pieces.data[piece];
    return (EdgeSet){field->edges.data + of->edgeRow, of->edgeCount, of->edgeRoom};
}

// ---- one piece ------------------------------------------------------------------------------------------------------

typedef struct Gather {
    const FragmentField* field;
    PieceSurface* surface;
    MassMoments moments;
    DVec3 origin; // the first corner
} Gather;

static void gatherTriangles(const int* features, int count, void* user)
{
    Gather* gather = user;
    PieceSurface* surface = gather->surface;
    int first = surface->count;
    CHECK(count <= surface->most - first); // as planned
    for (int i = 0; i < count && surface->count < surface->most; ++i)
        fieldFeature(gather->field, features[i], surface->corners[surface->count++]);
    if (first == 0 && count > 0)
        gather->origin = dFromV(surface->corners[0][0]);
    SkinSource source = {gather->field->rest->mesh, gather->field->facets.data};
    SIMD_CHOOSE(surfaceAddMass)(&gather->moments, &source, gather->origin, features, count);
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

// Leaves the piece's edges and support map where they may lie for now.
static void findShape(FragmentField* field, ShapeScratch* scratch, int label, bool layHull, float* edges,
                      float* supports)
{
    Piece* piece = &field->pieces.data[label];
    PieceSurface* surface = &scratch->surface;
    Gather gather = {.field = field, .surface = surface};
    surface->count = 0;
    fieldSurfaceFeatures(field, label, gatherTriangles, &gather);
    pieceSurfaceNumber(surface);
    piece->mass = massFromMoments(&gather.moments, gather.origin);
    piece->triangles = surface->count;
    if (layHull)
        piece->hull = hullOfPiece(field, label);
    supportWrite(surface->places, surface->vertexCount, piece->box, supports, &piece->hull.supportCount,
                 &piece->hull.hasHeights);
    piece->edgeCount = edgesFind(&scratch->edges, surface, 0.5f * vLength(boxSize(piece->box)), edges);
    tellSamples(field, &scratch->edges, piece, edges, piece->edgeCount);
}

// Edges go into the place of those that the piece had, if they fit there.
static void settleShape(FragmentField* field, int label, const float* edges, const float* supports)
{
    Piece* piece = &field->pieces.data[label];
    int room = edgeRoom(piece->edgeCount), floats = supportFloatsOf(&piece->hull);
    if (room > piece->edgeRoom || piece->edgeRoom == 0) {
        piece->edgeRow = field->edges.count;
        field->edges.count += edgeFloats(room);
    }
    piece->edgeRoom = room;
    memmove(field->edges.data + piece->edgeRow, edges, sizeof(float) * (size_t)edgeFloats(room));
    piece->hull.supportRow = field->supports.count;
    field->supports.count += floats;
    memmove(field->supports.data + piece->hull.supportRow, supports, sizeof(float) * (size_t)floats);
}

static bool scratchMake(ShapeScratch* scratch, Memory* memory, int triangles)
{
    return pieceSurfaceMake(&scratch->surface, memory, triangles) &&
           edgeScratchMake(&scratch->edges, memory, triangles);
}

static void scratchFree(ShapeScratch* scratch, Memory* memory)
{
    pieceSurfaceFree(&scratch->surface, memory);
    edgeScratchFree(&scratch->edges, memory);
}

// ---- those of a break -----------------------------------------------------------------------------------------------

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

// Children in turn, so many to each worker that all have about as many triangles.
static bool shareOut(Plan* plan, int64_t triangles)
{
    const FragmentField* field = plan->field;
    int workers = field->context != NULL ? shContext_GetWorkerCount(field->context) : 1;
    int many = maxI(minI(minI(workers, plan->shapes.count), (int)(triangles / SHAPE_SHARE)), 1);
    int64_t before = 0;
    if (!arrayReserve(field->memory, &plan->shares, many + 1))
        return false;
    for (int i = 0, most = 0; i < plan->shapes.count; ++i) {
        before += plan->shapes.data[i].triangles;
        most = maxI(most, plan->shapes.data[i].triangles);
        bool isLast = i == plan->shapes.count - 1;
        if (!isLast && before * many < triangles * (plan->shares.count + 1))
            continue;
        ShapeShare* share = &plan->shares.data[plan->shares.count++];
        *share = (ShapeShare){.end = i + 1};
        if (!scratchMake(&share->scratch, field->memory, most))
            return false;
        most = 0;
    }
    return true;
}

bool planShapes(Plan* plan)
{
    FragmentField* field = plan->field;
    int stays = plan->parts.data[plan->largest].features;
    for (int t = field->pieces.data[plan->piece].skin; t >= 0; t = field->skins.trees.data[t].next) {
        const SkinTree* tree = &field->skins.trees.data[t];
        stays += tree->dissolves ? 0 : tree->count - tree->leaving; // else it is among the features
    }
    if (!arrayReserve(field->memory, &plan->shapes, plan->parts.count))
        return false;
    // Of a closed surface no more than one and a half edges for each triangle.
    int64_t edges = 0, supports = 0, all = 0;
    for (int c = 0; c < plan->parts.count; ++c) {
        int part = c == 0 ? plan->largest : c <= plan->largest ? c - 1 : c;
        int triangles = c == 0 ? stays : plan->parts.data[part].features;
        plan->shapes.data[plan->shapes.count++] = (ShapePlan){triangles, edges, supports};
        edges += edgeFloats(edgeRoom(minI(triangles + triangles / 2, edgesMost)));
        supports += supportFloatsFor(triangles);
        all += triangles;
    }
    return shareOut(plan, all) && reserveEdges(field, edges) && reserveSupports(field, supports);
}

// The largest part keeps the planes of the whole until it has lost a fair share of it.
static void findShare(int begin, int end, int worker, void* user)
{
    const Plan* plan = user;
    FragmentField* field = plan->field;
    (void)worker;
    for (int share = begin; share < end; ++share) {
        for (int c = share > 0 ? plan->shares.data[share - 1].end : 0; c < plan->shares.data[share].end; ++c) {
            int label = field->children.data[c];
            const Piece* piece = &field->pieces.data[label];
            const ShapePlan* shape = &plan->shapes.data[c];
            findShape(field, &plan->shares.data[share].scratch, label,
                      c > 0 || (float)piece->count < HULL_KEPT * (float)piece->hull.nodes,
                      field->edges.data + field->edges.count + shape->edges,
                      field->supports.data + field->supports.count + shape->supports);
        }
    }
}

void findShapes(Plan* plan)
{
    FragmentField* field = plan->field;
    const float* edges = field->edges.data + field->edges.count;
    const float* supports = field->supports.data + field->supports.count;
    if (plan->shares.count > 1)
        parallelFor(field->context, plan->shares.count, 1, findShare, plan);
    else
        findShare(0, 1, 0, plan);
    for (int c = 0; c < plan->shapes.count; ++c)
        settleShape(field, field->children.data[c], edges + plan->shapes.data[c].edges,
                    supports + plan->shapes.data[c].supports);
}

void forgetShapes(Plan* plan)
{
    for (int i = 0; i < plan->shares.count; ++i)
        scratchFree(&plan->shares.data[i].scratch, plan->field->memory);
    arrayFree(plan->field->memory, &plan->shares);
    arrayFree(plan->field->memory, &plan->shapes);
}

// ---- from surfaces alone --------------------------------------------------------------------------------------------

bool fieldBuildShapes(FragmentField* field)
{
    Memory* memory = field->memory;
    int most = field->rest->mesh->triangleCount + field->facets.count;
    ShapeScratch scratch = {0};
    field->edges.count = field->supports.count = 0;
    for (int i = 0; i < field->pieces.count; ++i) {
        Piece* piece = &field->pieces.data[i];
        piece->edgeRoom = piece->edgeCount = piece->hull.supportCount = 0;
        piece->hull.hasHeights = false;
    }
    bool enough = arrayReserve(memory, &field->edges, (int64_t)field->pieces.count * edgeFloatsMost) &&
                  arrayReserve(memory, &field->supports, (int64_t)field->pieces.count * supportFloats) &&
                  scratchMake(&scratch, memory, most);
    for (int i = 0; i < field->pieces.count && enough; ++i) {
        if (field->pieces.data[i].removed)
            continue;
        float *edges = field->edges.data + field->edges.count, *supports = field->supports.data + field->supports.count;
        findShape(field, &scratch, i, false, edges, supports);
        settleShape(field, i, edges, supports);
    }
    scratchFree(&scratch, memory);
    return enough;
}
