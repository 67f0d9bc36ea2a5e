// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "field/cell_grid.h"

#include "core/constants.h"
#include "core/message.h"

static int clampCell(float x, int size) { return !(x > 0.0f) ? 0 : x >= (float)(size - 1) ? size - 1 : (int)x; }

CellRange cellGridRange(const CellGrid* grid, shBox box)
{
    Vec3 lower = vScale(grid->inverse, vSub(box.lower, grid->origin));
    Vec3 upper = vScale(grid->inverse, vSub(box.upper, grid->origin));
    return (CellRange){
        {clampCell(lower.x, grid->size[0]), clampCell(lower.y, grid->size[1]), clampCell(lower.z, grid->size[2])},
        {clampCell(upper.x, grid->size[0]), clampCell(upper.y, grid->size[1]), clampCell(upper.z, grid->size[2])}};
}

// Is the cube not wholly beyond the plane (positive side), give or take `reach`?
static bool planeReaches(Vec3 n, Vec3 a, Vec3 c, float half, float reach)
{
    return vDot(n, vSub(c, a)) <= half * (fabsf(n.x) + fabsf(n.y) + fabsf(n.z)) + reach;
}

typedef struct Filling {
    CellGrid* grid;
    const TetMesh* mesh;
    float slack; // what rounding may move a point, m
    bool counting;
} Filling;

static Vec3 cellCenter(const CellGrid* grid, int x, int y, int z)
{
    return vMad(grid->origin, grid->cell, vec3((float)x + 0.5f, (float)y + 0.5f, (float)z + 0.5f));
}

static void put(Filling* fill, int* start, int* list, int cell, int value)
{
    if (fill->counting)
        ++start[cell + 1];
    else
        list[start[cell]++] = value;
}

static void fillTets(Filling* fill)
{
    CellGrid* grid = fill->grid;
    for (int t = 0; t < fill->mesh->tetCount; ++t) {
        Vec3 corner[4];
        shBox box = boxEmpty();
        for (int k = 0; k < 4; ++k) {
            corner[k] = fill->mesh->nodes[fill->mesh->tets[t][k]];
            box = boxAdd(box, corner[k]);
        }
        Vec3 normal[4];
        for (int k = 0; k < 4; ++k) {
            const uint8_t* c = tetFaceCorners[k];
            normal[k] = vNormalize(vCross(vSub(corner[c[1]], corner[c[0]]), vSub(corner[c[2]], corner[c[0]])));
        }
        CellRange range = cellGridRange(grid, boxGrow(box, fill->slack));
        for (int z = range.lower[2]; z <= range.upper[2]; ++z) {
            for (int y = range.lower[1]; y <= range.upper[1]; ++y) {
                for (int x = range.lower[0]; x <= range.upper[0]; ++x) {
                    Vec3 center = cellCenter(grid, x, y, z);
                    bool touches = true;
                    for (int k = 0; k < 4 && touches; ++k)
                        touches = planeReaches(normal[k], corner[tetFaceCorners[k][0]], center, 0.5f * grid->cell,
                                               fill->slack);
                    if (touches)
                        put(fill, grid->tetStart, grid->tets, (z * grid->size[1] + y) * grid->size[0] + x, t);
                }
            }
        }
    }
}

static void startsFromCounts(int* start, int cellCount)
{
    for (int c = 0; c < cellCount; ++c)
        start[c + 1] += start[c];
}

// Filling moved every start to its list's end, which is the next list's begin.
static void shiftStarts(int* start, int cellCount)
{
    for (int c = cellCount; c > 0; --c)
        start[c] = start[c - 1];
    start[0] = 0;
}

// Rows are the faces' normals through corner 0's opposite faces, over six volumes; in double, as they may be steep.
static TetFrame frameOf(const TetMesh* mesh, int t)
{
    const int* tet = mesh->tets[t];
    DVec3 origin = dFromV(mesh->nodes[tet[0]]);
    DVec3 a = dSub(dFromV(mesh->nodes[tet[1]]), origin), b = dSub(dFromV(mesh->nodes[tet[2]]), origin),
          c = dSub(dFromV(mesh->nodes[tet[3]]), origin);
    double inverse = 1.0 / dDot(a, dCross(b, c));
    return (TetFrame){mesh->nodes[tet[0]],
                      {vFromD(dScale(inverse, dCross(b, c))), vFromD(dScale(inverse, dCross(c, a))),
                       vFromD(dScale(inverse, dCross(a, b)))}};
}

shStatus cellGridBuild(CellGrid* grid, Memory* memory, const TetMesh* mesh, float cell, shMessage* message)
{
    shBox box = boxEmpty();
    for (int n = 0; n < mesh->nodeCount; ++n)
        box = boxAdd(box, mesh->nodes[n]);
    Vec3 size = boxSize(box);
    // The band around the solid belongs to the grid.
    double cells = MAX_CELLS + 1.0;
    for (cell *= 0.8f; cells > MAX_CELLS;) {
        cell *= 1.25f;
        double pad = 2.0 * (double)(CELL_BAND * cell);
        cells = (floor(((double)size.x + pad) / (double)cell) + 2.0) *
                (floor(((double)size.y + pad) / (double)cell) + 2.0) *
                (floor(((double)size.z + pad) / (double)cell) + 2.0);
    }
    *grid = (CellGrid){.cell = cell, .inverse = 1.0f / cell, .band = CELL_BAND * cell, .tetCount = mesh->tetCount};
    box = boxGrow(box, grid->band);
    grid->origin = box.lower;
    size = boxSize(box);
    grid->size[0] = (int)(size.x / cell) + 1;
    grid->size[1] = (int)(size.y / cell) + 1;
    grid->size[2] = (int)(size.z / cell) + 1;
    grid->cellCount = grid->size[0] * grid->size[1] * grid->size[2];
    grid->tetStart = NEW_ZEROED(memory, int, grid->cellCount + 1);
    Filling fill = {grid, mesh, ROUNDING * (vLength(size) + vLength(box.lower)), true};
    if (grid->tetStart != NULL) {
        fillTets(&fill);
        startsFromCounts(grid->tetStart, grid->cellCount);
        grid->tets = NEW_ARRAY(memory, int, grid->tetStart[grid->cellCount]);
        grid->frames = NEW_ARRAY(memory, TetFrame, mesh->tetCount);
    }
    if (grid->tets == NULL || grid->frames == NULL) {
        cellGridFree(grid, memory);
        return failMemory(message);
    }
    for (int t = 0; t < mesh->tetCount; ++t)
        grid->frames[t] = frameOf(mesh, t);
    fill.counting = false;
    fillTets(&fill);
    shiftStarts(grid->tetStart, grid->cellCount);
    return shOk;
}

void cellGridFree(CellGrid* grid, Memory* memory)
{
    if (grid->tets != NULL)
        FREE_ARRAY(memory, grid->tets, grid->tetStart[grid->cellCount]);
    FREE_ARRAY(memory, grid->frames, grid->tetCount);
    FREE_ARRAY(memory, grid->tetStart, grid->cellCount + 1);
    *grid = (CellGrid){0};
}

int cellGridLocate(const CellGrid* grid, int cell, Vec3 p, float coordinates[4])
{
    int best = -1;
    float bestLowest = -TET_SLACK;
    for (int i = grid->tetStart[cell]; i < grid->tetStart[cell + 1]; ++i) {
        const TetFrame* frame = &grid->frames[grid->tets[i]];
        Vec3 from = vSub(p, frame->origin);
        float l1 = vDot(frame->rows[0], from);
        if (l1 <= bestLowest)
            continue;
        float l2 = vDot(frame->rows[1], from);
        if (l2 <= bestLowest)
            continue;
        float l3 = vDot(frame->rows[2], from);
        float l0 = 1.0f - (l1 + l2 + l3);
        float lowest = minF(minF(l0, l1), minF(l2, l3));
        if (lowest > bestLowest) {
            bestLowest = lowest;
            best = grid->tets[i];
            coordinates[0] = l0;
            coordinates[1] = l1;
            coordinates[2] = l2;
            coordinates[3] = l3;
            if (lowest >= 0.0f)
                break;
        }
    }
    return best;
}
