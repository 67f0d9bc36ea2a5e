// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "field/near_grid.h"

#include "core/constants.h"
#include "field/fragment_field.h"

static int cornersAlong(float length, float spacing) { return (int)ceilf(length / spacing + 2.0f * NEAR_AROUND) + 1; }

// How many corners a piece of so many nodes gets.
static int cornersFor(int nodes)
{
    int wanted = nodes < NEAR_MOST / NEAR_PER_NODE ? NEAR_PER_NODE * nodes : NEAR_MOST;
    return wanted >= NEAR_LEAST ? wanted : 0;
}

int nearGridMore(int nodes, int room)
{
    int wanted = cornersFor(nodes);
    return wanted > room ? wanted : 0;
}

// The finest grid around a box that has no more than so many corners.
static NearGrid gridAround(shBox box, float finest, int room)
{
    Vec3 size = boxSize(box), extent = vMax(vNeg(box.lower), box.upper);
    NearGrid grid = {.spacing = maxF(finest, maxF(size.x, maxF(size.y, size.z)) / (float)room)};
    for (;; grid.spacing *= NEAR_COARSER) {
        int64_t corners = 1;
        for (int k = 0; k < 3; ++k) {
            grid.size[k] = cornersAlong(vGet(size, k), grid.spacing);
            corners *= grid.size[k];
        }
        if (corners <= room)
            break;
    }
    Vec3 all = {(float)(grid.size[0] - 1), (float)(grid.size[1] - 1), (float)(grid.size[2] - 1)};
    grid.origin = vMad(boxCenter(box), -0.5f * grid.spacing, all);
    grid.inverse = 1.0f / grid.spacing;
    grid.slack = ROUNDING * (fabsf(extent.x) + fabsf(extent.y) + fabsf(extent.z) + vLength(size)) +
                 grid.spacing / (float)nearParts;
    return grid;
}

void nearGridLay(FragmentField* field, int piece)
{
    Piece* owner = &field->pieces.data[piece];
    int first = owner->near.first, room = owner->near.room, more = nearGridMore(owner->count, room);
    if (more > 0) {
        first = field->nears.count;
        room = more;
        field->nears.count += more;
    }
    // What was there before leaves room, but has no say: the grid follows from the piece as it is.
    int wanted = cornersFor(owner->count);
    owner->near = wanted > 0 ? gridAround(owner->box, NEAR_SPACING * field->rest->cells->cell, wanted) : (NearGrid){0};
    owner->near.first = first;
    owner->near.room = room;
    int count = owner->near.size[0] * owner->near.size[1] * owner->near.size[2];
    for (int i = 0; i < count; ++i)
        atomic_init(&field->nears.data[first + i], nearUnknown);
}

int nearGridLearn(const FragmentField* field, int piece, int x, int y, int z)
{
    const NearGrid* grid = &field->pieces.data[piece].near;
    Vec3 p = vMad(grid->origin, grid->spacing, vec3((float)x, (float)y, (float)z));
    FieldHit hit;
    float reach = NEAR_REACH * grid->spacing;
    float distance = fieldProbeFar(field, piece, p, reach, &hit) ? hit.distance : reach;
    float steps = floorf((distance - grid->slack) * grid->inverse * (float)nearParts);
    int value = steps > (float)nearUnknown ? (int)steps : nearUnknown + 1;
    atomic_store_explicit(&field->nears.data[grid->first + (z * grid->size[1] + y) * grid->size[0] + x], (short)value,
                          memory_order_relaxed);
    return value;
}

float nearGridBound(const FragmentField* field, int piece, Vec3 p)
{
    const NearGrid* grid = &field->pieces.data[piece].near;
    if (grid->size[0] == 0)
        return -INFINITY;
    Vec3 from = vScale(grid->inverse, vSub(p, grid->origin)); // in spacings
    int first[3];
    float away2[3][2];
    for (int k = 0; k < 3; ++k) {
        float x = vGet(from, k); // not a number where a sweep looks ahead for ever
        first[k] = x > 0.0f ? (int)minF(x, (float)(grid->size[k] - 2)) : 0;
        float low = x - (float)first[k], high = low - 1.0f;
        away2[k][0] = low * low;
        away2[k][1] = high * high;
    }
    int row = grid->size[0], layer = row * grid->size[1];
    NearCorner* corners = field->nears.data + grid->first + (first[2] * layer + first[1] * row + first[0]);
    float values[8], ways2[8];
    for (int i = 0; i < 8; ++i) {
        int x = i & 1, y = i >> 1 & 1, z = i >> 2;
        int value = atomic_load_explicit(&corners[z * layer + y * row + x], memory_order_relaxed);
        if (value == nearUnknown)
            value = nearGridLearn(field, piece, first[0] + x, first[1] + y, first[2] + z);
        values[i] = (float)value * (1.0f / (float)nearParts);
        ways2[i] = away2[0][x] + away2[1][y] + away2[2][z];
    }
    float bound = -INFINITY;
    for (int i = 0; i < 8; ++i)
        bound = maxF(bound, values[i] - sqrtf(ways2[i]));
    return bound * grid->spacing - grid->slack;
}
