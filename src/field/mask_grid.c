// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "field/mask_grid.h"

#include "core/constants.h"
#include "core/message.h"

// Nodes of the tetrahedra in a block, each once; `stamps` remembers the last block of a node. Counts only when `out`
// is null.
static int nodesOfBlock(const MaskGrid* grid, const TetMesh* mesh, const CellGrid* cells, int block, int* stamps,
                        int* out)
{
    const int* size = grid->levels[0].size;
    int at[3] = {block % size[0], block / size[0] % size[1], block / size[0] / size[1]};
    int lower[3], upper[3], count = 0;
    for (int k = 0; k < 3; ++k) {
        lower[k] = at[k] * MASK_CELLS;
        upper[k] = minI(lower[k] + MASK_CELLS, cells->size[k]);
    }
    for (int z = lower[2]; z < upper[2]; ++z) {
        for (int y = lower[1]; y < upper[1]; ++y) {
            const int* start = &cells->tetStart[(z * cells->size[1] + y) * cells->size[0]];
            for (int i = start[lower[0]]; i < start[upper[0]]; ++i) {
                for (int k = 0; k < 4; ++k) {
                    int node = mesh->tets[cells->tets[i]][k];
                    if (stamps[node] == block)
                        continue;
                    stamps[node] = block;
                    if (out != NULL)
                        out[count] = node;
                    ++count;
                }
            }
        }
    }
    return count;
}

static bool listNodes(MaskGrid* grid, Memory* memory, const TetMesh* mesh, const CellGrid* cells)
{
    int* stamps = NEW_ARRAY(memory, int, mesh->nodeCount);
    grid->nodeStart = NEW_ZEROED(memory, int, grid->blockCount + 1);
    bool enough = stamps != NULL && grid->nodeStart != NULL;
    for (int filling = 0; filling < 2 && enough; ++filling) {
        for (int n = 0; n < mesh->nodeCount; ++n)
            stamps[n] = -1;
        for (int b = 0; b < grid->blockCount; ++b) {
            int* out = filling ? &grid->nodes[grid->nodeStart[b]] : NULL;
            grid->nodeStart[b + 1] = grid->nodeStart[b] + nodesOfBlock(grid, mesh, cells, b, stamps, out);
        }
        if (!filling) {
            grid->nodes = NEW_ARRAY(memory, int, grid->nodeStart[grid->blockCount]);
            enough = grid->nodes != NULL;
        }
    }
    FREE_ARRAY(memory, stamps, mesh->nodeCount);
    return enough;
}

static float longestEdge(const TetMesh* mesh)
{
    float longest = 0.0f;
    for (int t = 0; t < mesh->tetCount; ++t) {
        const int* tet = mesh->tets[t];
        for (int e = 0; e < 6; ++e)
            longest =
                maxF(longest, vDistance2(mesh->nodes[tet[tetEdgeEnds[e][0]]], mesh->nodes[tet[tetEdgeEnds[e][1]]]));
    }
    return sqrtf(longest);
}

shStatus maskGridBuild(MaskGrid* grid, Memory* memory, const TetMesh* mesh, const CellGrid* cells, shMessage* message)
{
    *grid = (MaskGrid){.origin = cells->origin, .longestEdge = longestEdge(mesh)};
    float edge = MASK_CELLS * cells->cell;
    MaskLevel level = {.inverse = 1.0f / edge};
    grid->slack = fabsf(cells->origin.x) + fabsf(cells->origin.y) + fabsf(cells->origin.z);
    for (int k = 0; k < 3; ++k) {
        level.size[k] = (cells->size[k] + MASK_CELLS - 1) / MASK_CELLS;
        grid->slack += (float)level.size[k] * edge;
    }
    grid->slack *= ROUNDING;
    grid->blockCount = level.size[0] * level.size[1] * level.size[2];
    bool several = true;
    for (; several && grid->levelCount < maskMaxLevels; edge *= 2.0f) {
        level.inverse = 1.0f / edge;
        level.reach = MASK_REACH * edge;
        level.first = grid->maskCount;
        grid->maskCount += level.size[0] * level.size[1] * level.size[2];
        grid->levels[grid->levelCount++] = level;
        several = maxI(level.size[0], maxI(level.size[1], level.size[2])) > 2;
        for (int k = 0; k < 3; ++k)
            level.size[k] = (level.size[k] + 1) / 2;
    }
    if (listNodes(grid, memory, mesh, cells))
        return shOk;
    maskGridFree(grid, memory);
    return failMemory(message);
}

void maskGridFree(MaskGrid* grid, Memory* memory)
{
    if (grid->nodes != NULL)
        FREE_ARRAY(memory, grid->nodes, grid->nodeStart[grid->blockCount]);
    FREE_ARRAY(memory, grid->nodeStart, grid->blockCount + 1);
    *grid = (MaskGrid){0};
}

// ---- masks ----------------------------------------------------------------------------------------------------------

static bool hasBit(uint64_t mask, int label) { return (mask >> ((unsigned)label & 63u) & 1u) != 0; }

// Index of the cell along an axis, clamped to the level.
static int cellAt(float x, int size) { return (int)maxF(0.0f, minF(x, (float)(size - 1))); }

static CellRange cellsOfBox(const MaskGrid* grid, const MaskLevel* level, shBox box)
{
    Vec3 lower = vScale(level->inverse, vSub(box.lower, grid->origin));
    Vec3 upper = vScale(level->inverse, vSub(box.upper, grid->origin));
    const int* size = level->size;
    return (CellRange){{cellAt(lower.x, size[0]), cellAt(lower.y, size[1]), cellAt(lower.z, size[2])},
                       {cellAt(upper.x, size[0]), cellAt(upper.y, size[1]), cellAt(upper.z, size[2])}};
}

// The masks below a cell, joined; at the upper ends of an odd level some are missing.
static uint64_t joinBelow(const MaskLevel* below, const uint64_t* masks, int x, int y, int z)
{
    uint64_t mask = 0;
    for (int k = 2 * z; k <= minI(2 * z + 1, below->size[2] - 1); ++k) {
        for (int j = 2 * y; j <= minI(2 * y + 1, below->size[1] - 1); ++j) {
            const uint64_t* row = &masks[below->first + (k * below->size[1] + j) * below->size[0]];
            mask |= row[2 * x] | row[minI(2 * x + 1, below->size[0] - 1)];
        }
    }
    return mask;
}

// Brings the higher levels up to date with the blocks of a range.
static void joinLevels(const MaskGrid* grid, uint64_t* masks, CellRange range)
{
    for (int l = 1; l < grid->levelCount; ++l) {
        const MaskLevel *below = &grid->levels[l - 1], *level = &grid->levels[l];
        for (int k = 0; k < 3; ++k) {
            range.lower[k] /= 2;
            range.upper[k] /= 2;
        }
        for (int z = range.lower[2]; z <= range.upper[2]; ++z) {
            for (int y = range.lower[1]; y <= range.upper[1]; ++y) {
                uint64_t* row = &masks[level->first + (z * level->size[1] + y) * level->size[0]];
                for (int x = range.lower[0]; x <= range.upper[0]; ++x)
                    row[x] = joinBelow(below, masks, x, y, z);
            }
        }
    }
}

void maskGridFill(const MaskGrid* grid, uint64_t* masks)
{
    for (int b = 0; b < grid->blockCount; ++b)
        masks[b] = grid->nodeStart[b + 1] > grid->nodeStart[b];
    const int* size = grid->levels[0].size;
    joinLevels(grid, masks, (CellRange){{0, 0, 0}, {size[0] - 1, size[1] - 1, size[2] - 1}});
}

void maskGridUpdate(const MaskGrid* grid, uint64_t* masks, const int* labels, int parent, shBox changed)
{
    // A block with a node in its list is no farther away from it than an edge.
    const MaskLevel* blocks = &grid->levels[0];
    CellRange range = cellsOfBox(grid, blocks, boxGrow(changed, grid->longestEdge + grid->slack));
    for (int z = range.lower[2]; z <= range.upper[2]; ++z) {
        for (int y = range.lower[1]; y <= range.upper[1]; ++y) {
            for (int x = range.lower[0]; x <= range.upper[0]; ++x) {
                int block = (z * blocks->size[1] + y) * blocks->size[0] + x;
                if (!hasBit(masks[block], parent))
                    continue;
                uint64_t mask = 0;
                for (int i = grid->nodeStart[block]; i < grid->nodeStart[block + 1]; ++i)
                    mask |= (uint64_t)1 << ((unsigned)labels[grid->nodes[i]] & 63u);
                masks[block] = mask;
            }
        }
    }
    joinLevels(grid, masks, range);
}

float maskGridForeign(const MaskGrid* grid, const uint64_t* masks, int label, shBox box)
{
    const MaskLevel* blocks = &grid->levels[0];
    CellRange range = cellsOfBox(grid, blocks, box);
    int foreign = 0, all = 0;
    for (int z = range.lower[2]; z <= range.upper[2]; ++z) {
        for (int y = range.lower[1]; y <= range.upper[1]; ++y) {
            const uint64_t* row = &masks[(z * blocks->size[1] + y) * blocks->size[0]];
            for (int x = range.lower[0]; x <= range.upper[0]; ++x)
                foreign += row[x] != 0 && !hasBit(row[x], label);
            all += range.upper[0] - range.lower[0] + 1;
        }
    }
    return (float)foreign / (float)all;
}

float maskGridClear(const MaskGrid* grid, const uint64_t* masks, int label, Vec3 p, float radius)
{
    float clear = maxF(radius, 0.0f) + grid->slack;
    int l = 0;
    while (l < grid->levelCount && clear > grid->levels[l].reach)
        ++l;
    if (l == grid->levelCount)
        return 0.0f;
    const MaskLevel* level = &grid->levels[l];
    // Most spheres are near the piece: the cell around the centre says so at once.
    CellRange centre = cellsOfBox(grid, level, (shBox){p, p});
    const uint64_t* middle =
        &masks[level->first + (centre.lower[2] * level->size[1] + centre.lower[1]) * level->size[0]];
    if (hasBit(middle[centre.lower[0]], label))
        return 0.0f;
    // Twice the slack: what is said to be clear is so after rounding.
    CellRange range = cellsOfBox(grid, level, boxGrow((shBox){p, p}, clear + grid->slack));
    for (int z = range.lower[2]; z <= range.upper[2]; ++z) {
        uint64_t mask = 0;
        for (int y = range.lower[1]; y <= range.upper[1]; ++y) {
            const uint64_t* row = &masks[level->first + (z * level->size[1] + y) * level->size[0]];
            for (int x = range.lower[0]; x <= range.upper[0]; ++x)
                mask |= row[x];
        }
        if (hasBit(mask, label))
            return 0.0f;
    }
    return clear;
}
