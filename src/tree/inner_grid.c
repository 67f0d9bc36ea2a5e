// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "tree/inner_grid.h"

bool innerGridInit(InnerGrid* grid, Memory* memory, DVec3 lower, DVec3 upper, double base, int capacity)
{
    *grid = (InnerGrid){.lower = lower, .upper = upper, .base = base, .capacity = capacity};
    grid->next = NEW_ARRAY(memory, int, capacity);
    double radius = base;
    for (int k = 0; k < innerGridLevels; ++k, radius *= 2.0) {
        InnerGridLevel* level = &grid->levels[k];
        level->radius = radius;
        level->cell = 2.0 * radius;
        for (int axis = 0; axis < 3; ++axis)
            level->counts[axis] = (int)((dGet(upper, axis) - dGet(lower, axis)) / level->cell) + 1;
    }
    return grid->next != NULL;
}

static size_t cellsOf(const InnerGridLevel* level)
{
    return (size_t)level->counts[0] * (size_t)level->counts[1] * (size_t)level->counts[2];
}

void innerGridFree(InnerGrid* grid, Memory* memory)
{
    for (int k = 0; k < innerGridLevels; ++k)
        if (grid->levels[k].heads != NULL)
            FREE_ARRAY(memory, grid->levels[k].heads, cellsOf(&grid->levels[k]));
    FREE_ARRAY(memory, grid->next, grid->capacity);
    *grid = (InnerGrid){0};
}

static int cellAlong(const InnerGrid* grid, const InnerGridLevel* level, double at, int axis)
{
    double place = (at - dGet(grid->lower, axis)) / level->cell;
    return place <= 0.0 ? 0 : place >= level->counts[axis] ? level->counts[axis] - 1 : (int)place;
}

bool innerGridAdd(InnerGrid* grid, Memory* memory, const InnerSphere* spheres, int index)
{
    const InnerSphere* sphere = &spheres[index];
    int k = 0;
    while (k + 1 < innerGridLevels && (double)sphere->radius > grid->levels[k].radius)
        ++k;
    InnerGridLevel* level = &grid->levels[k];
    if (level->heads == NULL) {
        level->heads = NEW_ARRAY(memory, int, cellsOf(level));
        if (level->heads == NULL)
            return false;
        for (size_t i = 0; i < cellsOf(level); ++i)
            level->heads[i] = -1;
    }
    int x = cellAlong(grid, level, (double)sphere->x, 0), y = cellAlong(grid, level, (double)sphere->y, 1),
        z = cellAlong(grid, level, (double)sphere->z, 2);
    int* head =
        &level->heads[((size_t)z * (size_t)level->counts[1] + (size_t)y) * (size_t)level->counts[0] + (size_t)x];
    grid->next[index] = *head;
    *head = index;
    ++level->spheres;
    return true;
}

int innerGridNear(const InnerGrid* grid, const InnerSphere* spheres, DVec3 p, double reach, float least, int* found,
                  int room)
{
    int count = 0;
    for (int k = 0; k < innerGridLevels; ++k) {
        const InnerGridLevel* level = &grid->levels[k];
        if (level->spheres == 0 || level->radius < (double)least)
            continue;
        double around = reach + level->radius;
        int first[3], last[3];
        for (int axis = 0; axis < 3; ++axis) {
            first[axis] = cellAlong(grid, level, dGet(p, axis) - around, axis);
            last[axis] = cellAlong(grid, level, dGet(p, axis) + around, axis);
        }
        for (int z = first[2]; z <= last[2]; ++z)
            for (int y = first[1]; y <= last[1]; ++y) {
                const int* heads =
                    level->heads + ((size_t)z * (size_t)level->counts[1] + (size_t)y) * (size_t)level->counts[0];
                for (int x = first[0]; x <= last[0]; ++x)
                    for (int i = heads[x]; i >= 0; i = grid->next[i]) {
                        double most = reach + (double)spheres[i].radius;
                        if (spheres[i].radius < least ||
                            dLength2(dSub(p, dFromV(innerCentre(&spheres[i])))) > most * most)
                            continue;
                        if (count < room)
                            found[count] = i;
                        ++count;
                    }
            }
    }
    return count;
}
