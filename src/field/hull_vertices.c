// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "field/hull_vertices.h"

#include "core/constants.h"
#include "field/field_break.h"

void hullExtremesStart(HullExtremes* extremes)
{
    *extremes = (HullExtremes){{0.0f}, {{0.0f}}};
    for (int i = 0; i < hullCellCount; ++i)
        extremes->farthest[i] = -INFINITY;
}

// What rounding may do to a point's place along a direction.
static float slackOf(shBox box)
{
    Vec3 extent = vMax(vNeg(box.lower), box.upper);
    return ROUNDING * (fabsf(extent.x) + fabsf(extent.y) + fabsf(extent.z));
}

// Rows of `most` are closed up to the room that is needed. Returns that.
static int closeRows(float* rows, int most, int count)
{
    int room = hullVertexRoom(count);
    for (int k = 0; k < 3; ++k) {
        memmove(rows + k * room, rows + k * most, sizeof(float) * (size_t)count);
        for (int i = count; i < room; ++i)
            rows[k * room + i] = rows[k * room];
    }
    return room;
}

HullVertices hullVerticesOfSkin(const Skin* skin, shBox box, float* rows)
{
    HullExtremes extremes;
    SkinView view = skinView(skin);
    hullExtremesStart(&extremes);
    SIMD_CHOOSE(hullExtremesAdd)(&extremes, &view);
    int count = SIMD_CHOOSE(hullVerticesAdd)(&extremes, &view, slackOf(box), rows, hullVerticesWhole, 0);
    return count > 0 ? (HullVertices){rows, count, closeRows(rows, hullVerticesWhole, count)}
                     : (HullVertices){.count = 0};
}

HullVertices fieldHullVertices(const FragmentField* field, int piece)
{
    if (field->labels == NULL)
        return field->rest->hull;
    const PieceHull* hull = &field->pieces.data[piece].hull;
    if (hull->vertexCount == 0)
        return field->rest->hull;
    return (HullVertices){field->hullRows.data + hull->vertexRow, maxI(hull->vertexCount, 0), hull->vertexRoom};
}

// Triangles of a closed surface have half as many corners; a few more may be seen twice.
static int roomFor(int triangles) { return minI(hullVertexRoom(triangles / 2 + 2 * hullCells), hullVerticesMost); }

void findHullVertices(FragmentField* field, int piece)
{
    HullExtremes extremes;
    PieceHull* hull = &field->pieces.data[piece].hull;
    int triangles = 0, count = 0;
    hullExtremesStart(&extremes);
    for (SkinWalk walk = fieldSkins(field, piece); fieldNextSkin(field, &walk);) {
        SIMD_CHOOSE(hullExtremesAdd)(&extremes, &walk.view);
        triangles += walk.view.tree->count;
    }
    int most = roomFor(triangles);
    float *rows = field->hullRows.data + field->hullRows.count, slack = slackOf(field->pieces.data[piece].box);
    for (SkinWalk walk = fieldSkins(field, piece); count >= 0 && fieldNextSkin(field, &walk);)
        count = SIMD_CHOOSE(hullVerticesAdd)(&extremes, &walk.view, slack, rows, most, count);
    hull->vertexCount = count;
    hull->vertexRoom = closeRows(rows, most, maxI(count, 0));
    hull->vertexRow = field->hullRows.count;
    field->hullRows.count += 3 * hull->vertexRoom;
}

// Pieces that have changed leave their old rows behind, which go where there is no room for more.
static bool reserveRows(FragmentField* field, int64_t more)
{
    int64_t used = 0;
    if (field->hullRows.count + more <= field->hullRows.capacity)
        return true;
    for (int i = 0; i < field->pieces.count; ++i)
        used += 3 * field->pieces.data[i].hull.vertexRoom;
    FloatList tidy = {0};
    if (!arrayReserve(field->memory, &tidy, used + more))
        return false;
    for (int i = 0; i < field->pieces.count; ++i) {
        PieceHull* hull = &field->pieces.data[i].hull;
        if (hull->vertexRoom == 0)
            continue;
        memcpy(tidy.data + tidy.count, field->hullRows.data + hull->vertexRow,
               sizeof(float) * 3 * (size_t)hull->vertexRoom);
        hull->vertexRow = tidy.count;
        tidy.count += 3 * hull->vertexRoom;
    }
    arrayFree(field->memory, &field->hullRows);
    field->hullRows = tidy;
    return true;
}

bool planHullVertices(Plan* plan)
{
    int64_t rows = 0;
    int most = plan->facetCount + plan->parts.data[plan->largest].features;
    for (int t = plan->field->pieces.data[plan->piece].skin; t >= 0; t = plan->field->skins.trees.data[t].next)
        most += plan->field->skins.trees.data[t].count;
    for (int i = 0; i < plan->parts.count; ++i)
        rows += 3 * roomFor(i == plan->largest ? most : plan->parts.data[i].features);
    return reserveRows(plan->field, rows);
}

bool fieldBuildHullVertices(FragmentField* field)
{
    field->hullRows.count = 0;
    for (int i = 0; i < field->pieces.count; ++i)
        field->pieces.data[i].hull.vertexCount = field->pieces.data[i].hull.vertexRoom = 0;
    int64_t rows = 0;
    for (int i = 0; i < field->pieces.count; ++i) {
        int triangles = 0;
        for (SkinWalk walk = fieldSkins(field, i); fieldNextSkin(field, &walk);)
            triangles += walk.view.tree->count;
        rows += 3 * roomFor(triangles);
    }
    if (!reserveRows(field, rows))
        return false;
    for (int i = 0; i < field->pieces.count; ++i) {
        if (!field->pieces.data[i].removed)
            findHullVertices(field, i);
    }
    return true;
}
