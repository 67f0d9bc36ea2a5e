// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "field/support_map.h"

#include "core/constants.h"
#include "field/field_break.h"

static void measure(SupportBuild* build, const Vec3* points, int count)
{
    for (int i = 0; i < supportHeights; ++i) {
        for (int lane = 0; lane < 8; ++lane)
            build->highest[i][lane] = -INFINITY;
        build->farthest[i] = vec3(INFINITY, INFINITY, INFINITY);
    }
    SIMD_CHOOSE(supportMeasure)(build, points, count);
    for (int i = 0; i < supportHeights; ++i) {
        float highest = build->highest[i][0];
        for (int lane = 1; lane < 8; ++lane)
            highest = maxF(highest, build->highest[i][lane]);
        build->heights[i] = highest;
    }
    SIMD_CHOOSE(supportPick)(build, points, count);
}

// What rounding may do to a point's place along a direction.
static float slackOf(shBox box)
{
    Vec3 extent = vMax(vNeg(box.lower), box.upper);
    return ROUNDING * (fabsf(extent.x) + fabsf(extent.y) + fabsf(extent.z));
}

static int addOnce(Vec3* vertices, int count, Vec3 p)
{
    for (int i = 0; i < count; ++i) {
        if (vertices[i].x == p.x && vertices[i].y == p.y && vertices[i].z == p.z)
            return count;
    }
    vertices[count] = p;
    return count + 1;
}

int supportWrite(const Vec3* points, int pointCount, shBox box, float* rows, int* count, bool* hasHeights)
{
    Vec3 vertices[supportFew > supportMost ? supportFew : supportMost];
    int many = minI(pointCount, supportFew);
    SupportBuild build;
    *hasHeights = pointCount > supportFew;
    if (*hasHeights) {
        measure(&build, points, pointCount);
        many = 0;
        for (int i = 0; i < supportHeights; ++i) {
            if (build.farthest[i].x < INFINITY)
                many = addOnce(vertices, many, build.farthest[i]);
        }
    } else {
        memcpy(vertices, points, sizeof(Vec3) * (size_t)many);
    }
    int room = supportRoom(many);
    for (int i = 0; i < room; ++i) {
        Vec3 p = vertices[i < many ? i : 0];
        rows[i] = p.x, rows[room + i] = p.y, rows[2 * room + i] = p.z;
    }
    *count = many;
    if (!*hasHeights)
        return 3 * room;
    float slack = slackOf(box);
    for (int i = 0; i < supportHeights; ++i)
        rows[3 * room + i] = build.heights[i] + slack;
    return 3 * room + supportHeights;
}

float supportHeight(const SupportMap* map, Vec3 direction)
{
    if (map->heights == NULL)
        return vDot(direction, SIMD_CHOOSE(supportVertex)(map, direction));
    float x = fabsf(direction.x), y = fabsf(direction.y), z = fabsf(direction.z);
    int axis = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
    float along = vGet(direction, axis), size = fabsf(along);
    if (!(size > 0.0f))
        return 0.0f;
    const float* side = map->heights + (2 * axis + (along < 0.0f)) * supportSide;
    float scale = 0.5f * (float)supportCells / size;
    float u = vGet(direction, (axis + 1) % 3) * scale + 0.5f * (float)supportCells;
    float v = vGet(direction, (axis + 2) % 3) * scale + 0.5f * (float)supportCells;
    int i = maxI(minI((int)u, supportCells - 1), 0), k = maxI(minI((int)v, supportCells - 1), 0);
    const float* at = side + k * supportLines + i;
    u -= (float)i, v -= (float)k;
    float lower = (1.0f - u) * at[0] + u * at[1];
    float upper = (1.0f - u) * at[supportLines] + u * at[supportLines + 1];
    return size * ((1.0f - v) * lower + v * upper);
}

// ---- pieces ---------------------------------------------------------------------------------------------------------

SupportMap fieldSupport(const FragmentField* field, int piece)
{
    if (field->labels == NULL)
        return field->rest->support;
    const PieceHull* hull = &field->pieces.data[piece].hull;
    if (hull->supportCount == 0) // one that has not been broken off, nor lost anything
        return field->rest->support;
    return supportAt(field->supports.data + hull->supportRow, hull->supportCount, hull->hasHeights);
}

int supportFloatsOf(const PieceHull* hull)
{
    return 3 * supportRoom(hull->supportCount) + (hull->hasHeights ? supportHeights : 0);
}

// Pieces that have changed leave their old maps behind, which go where there is no room for more.
bool reserveSupports(FragmentField* field, int64_t more)
{
    int64_t used = 0;
    if (field->supports.count + more <= field->supports.capacity)
        return true;
    for (int i = 0; i < field->pieces.count; ++i)
        used += supportFloatsOf(&field->pieces.data[i].hull);
    FloatList tidy = {0};
    if (!arrayReserve(field->memory, &tidy, used + more))
        return false;
    for (int i = 0; i < field->pieces.count; ++i) {
        PieceHull* hull = &field->pieces.data[i].hull;
        int floats = supportFloatsOf(hull);
        if (floats == 0)
            continue;
        memcpy(tidy.data + tidy.count, field->supports.data + hull->supportRow, sizeof(float) * (size_t)floats);
        hull->supportRow = tidy.count;
        tidy.count += floats;
    }
    arrayFree(field->memory, &field->supports);
    field->supports = tidy;
    return true;
}
