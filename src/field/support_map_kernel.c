// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "core/vec8.h"
#include "field/support_map.h"

// A line of the lattice on a side of the cube, −1 … 1.
static inline float lineAt(int i) { return 2.0f * (float)i / (float)supportCells - 1.0f; }

// ---- making a map ---------------------------------------------------------------------------------------------------

// Some points by coordinate; the last one fills the lanes that are left.
enum { chunkGroups = 8, chunkPoints = 8 * chunkGroups };
typedef struct Chunk {
    float p[3][chunkPoints];
    int groups;
} Chunk;

static void loadChunk(Chunk* chunk, const Vec3* points, int count)
{
    chunk->groups = (minI(count, chunkPoints) + 7) / 8;
    for (int i = 0; i < 8 * chunk->groups; ++i) {
        Vec3 p = points[minI(i, count - 1)];
        chunk->p[0][i] = p.x;
        chunk->p[1][i] = p.y;
        chunk->p[2][i] = p.z;
    }
}

static inline F8 groupOf(const Chunk* chunk, int axis, int group) { return f8Load(&chunk->p[axis][8 * group]); }

// On a side of the cube and the one across from it.
static inline void measureSides(SupportBuild* build, const Chunk* chunk, int axis)
{
    F8 along[supportLines][chunkGroups], row[chunkGroups], towards[chunkGroups];
    float(*plus)[8] = build->highest + 2 * axis * supportSide, (*minus)[8] = plus + supportSide;
    for (int g = 0; g < chunk->groups; ++g) {
        F8 u = groupOf(chunk, (axis + 1) % 3, g);
        towards[g] = groupOf(chunk, axis, g);
        for (int i = 0; i < supportLines; ++i)
            along[i][g] = f8Mul(u, f8Set(lineAt(i)));
    }
    for (int k = 0; k < supportLines; ++k) {
        for (int g = 0; g < chunk->groups; ++g)
            row[g] = f8Mul(groupOf(chunk, (axis + 2) % 3, g), f8Set(lineAt(k)));
        for (int i = 0; i < supportLines; ++i, ++plus, ++minus) {
            F8 highest = f8Load(*plus), lowest = f8Load(*minus);
            for (int g = 0; g < chunk->groups; ++g) {
                F8 aside = f8Add(along[i][g], row[g]);
                highest = f8Max(f8Add(aside, towards[g]), highest);
                lowest = f8Max(f8Sub(aside, towards[g]), lowest);
            }
            f8Store(*plus, highest);
            f8Store(*minus, lowest);
        }
    }
}

void SIMD_NAME(supportMeasure)(SupportBuild* build, const Vec3* points, int count)
{
    for (int i = 0; i < count; i += chunkPoints) {
        Chunk chunk;
        loadChunk(&chunk, points + i, count - i);
        for (int axis = 0; axis < 3; ++axis)
            measureSides(build, &chunk, axis);
    }
}

static inline bool isLower(Vec3 a, Vec3 b) { return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z < b.z; }

static inline void pick(SupportBuild* build, int slot, F8 height, const Chunk* chunk, int group)
{
    unsigned equal = (unsigned)m8Bits(f8Equal(height, f8Set(build->heights[slot])));
    for (; equal != 0; equal &= equal - 1u) {
        int at = 8 * group + __builtin_ctz(equal);
        Vec3 q = {chunk->p[0][at], chunk->p[1][at], chunk->p[2][at]};
        if (isLower(q, build->farthest[slot]))
            build->farthest[slot] = q;
    }
}

void SIMD_NAME(supportPick)(SupportBuild* build, const Vec3* points, int count)
{
    for (int first = 0; first < count; first += chunkPoints) {
        Chunk chunk;
        loadChunk(&chunk, points + first, count - first);
        for (int g = 0; g < chunk.groups; ++g) {
            for (int axis = 0; axis < 3; ++axis) {
                F8 towards = groupOf(&chunk, axis, g), u = groupOf(&chunk, (axis + 1) % 3, g),
                   v = groupOf(&chunk, (axis + 2) % 3, g);
                for (int k = 0; k < supportLines; k += supportStride) {
                    F8 row = f8Mul(v, f8Set(lineAt(k)));
                    for (int i = 0; i < supportLines; i += supportStride) {
                        F8 aside = f8Add(f8Mul(u, f8Set(lineAt(i))), row);
                        int slot = 2 * axis * supportSide + k * supportLines + i;
                        pick(build, slot, f8Add(aside, towards), &chunk, g);
                        pick(build, slot + supportSide, f8Sub(aside, towards), &chunk, g);
                    }
                }
            }
        }
    }
}

// ---- asking it ------------------------------------------------------------------------------------------------------

Vec3 SIMD_NAME(supportVertex)(const SupportMap* map, Vec3 direction)
{
    const float *xs = map->vertices, *ys = xs + map->room, *zs = ys + map->room;
    V8 d = v8Set(direction);
    F8 most = f8Set(-INFINITY);
    for (int i = 0; i < map->count; i += 8)
        most = f8Max(v8Dot(d, (V8){f8Load(xs + i), f8Load(ys + i), f8Load(zs + i)}), most);
    F8 best = f8Set(f8Most(most));
    Vec3 point = {INFINITY, INFINITY, INFINITY};
    for (int i = 0; i < map->count; i += 8) {
        F8 along = v8Dot(d, (V8){f8Load(xs + i), f8Load(ys + i), f8Load(zs + i)});
        for (unsigned bits = (unsigned)m8Bits(f8Equal(along, best)); bits != 0; bits &= bits - 1u) {
            int at = i + __builtin_ctz(bits);
            Vec3 p = {xs[at], ys[at], zs[at]};
            point = isLower(p, point) ? p : point;
        }
    }
    return point;
}
