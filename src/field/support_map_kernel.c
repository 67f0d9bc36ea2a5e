// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "core/vec8.h"
#include "field/support_map.h"

// A line of the lattice on a side of the cube, −1 … 1.
static inline float lineAt(int i) { return 2.0f * (float)i / (float)supportCells - 1.0f; }

static inline F8 coordinate(V8 p, int axis) { return axis == 0 ? p.x : axis == 1 ? p.y : p.z; }

// ---- points, once each ----------------------------------------------------------------------------------------------

// Triangles that follow each other share corners: a table of the last ones seen passes most of them over. Some come
// twice, which does no harm.
enum { recentSlots = 512 };
typedef struct Points {
    const SkinView* view;
    int packet, corner; // next
    int count;          // points waiting
    float waiting[3][8 + skinLanes];
    Vec3 recent[recentSlots];
} Points;

static void pointsStart(Points* points, const SkinView* view)
{
    points->view = view;
    points->packet = points->corner = points->count = 0;
    for (int i = 0; i < recentSlots; ++i)
        points->recent[i] = vec3(NAN, NAN, NAN);
}

static inline unsigned slotOf(Vec3 p)
{
    uint32_t x, y, z;
    memcpy(&x, &p.x, sizeof x);
    memcpy(&y, &p.y, sizeof y);
    memcpy(&z, &p.z, sizeof z);
    uint32_t h = (x ^ y * 0x9e3779b1u ^ z * 0x85ebca6bu) * 0x9e3779b1u;
    return (h ^ h >> 15) % recentSlots;
}

// The next eight points, the last of them repeated; their number, 0: there are no more.
static int nextPoints(Points* points, V8* p)
{
    const SkinView* view = points->view;
    while (points->count < 8 && points->packet < view->tree->packetCount) {
        const SkinPacket* packet = &view->packets[points->packet];
        const float(*corner)[skinLanes] = points->corner == 0 ? packet->a : points->corner == 1 ? packet->b : packet->c;
        for (unsigned lanes = view->alive[points->packet]; lanes != 0; lanes &= lanes - 1u) {
            int lane = __builtin_ctz(lanes);
            Vec3 q = {corner[0][lane], corner[1][lane], corner[2][lane]};
            Vec3* slot = &points->recent[slotOf(q)];
            if (slot->x == q.x && slot->y == q.y && slot->z == q.z)
                continue;
            *slot = q;
            points->waiting[0][points->count] = q.x;
            points->waiting[1][points->count] = q.y;
            points->waiting[2][points->count++] = q.z;
        }
        if (++points->corner == 3) {
            points->corner = 0;
            ++points->packet;
        }
    }
    int count = points->count < 8 ? points->count : 8;
    if (count == 0)
        return 0;
    for (int k = 0; k < 3; ++k) {
        for (int i = points->count; i < 8; ++i)
            points->waiting[k][i] = points->waiting[k][points->count - 1];
    }
    *p = (V8){f8Load(points->waiting[0]), f8Load(points->waiting[1]), f8Load(points->waiting[2])};
    for (int k = 0; k < 3; ++k)
        memmove(points->waiting[k], points->waiting[k] + 8, sizeof(float) * (size_t)(points->count - count));
    points->count -= count;
    return count;
}

// ---- making a map ---------------------------------------------------------------------------------------------------

static void addFew(SupportBuild* build, V8 p, int count)
{
    float x[8], y[8], z[8];
    f8Store(x, p.x);
    f8Store(y, p.y);
    f8Store(z, p.z);
    for (int lane = 0; lane < count && build->fewCount <= supportFew; ++lane) {
        bool known = false;
        for (int i = 0; i < build->fewCount && !known; ++i)
            known = build->few[i].x == x[lane] && build->few[i].y == y[lane] && build->few[i].z == z[lane];
        if (known)
            continue;
        if (build->fewCount < supportFew)
            build->few[build->fewCount] = vec3(x[lane], y[lane], z[lane]);
        ++build->fewCount;
    }
}

static inline F8 higher(F8 a, const float* b) { return f8Max(a, f8Load(b)); }

void SIMD_NAME(supportMeasure)(SupportBuild* build, const SkinView* view)
{
    Points points;
    pointsStart(&points, view);
    V8 p;
    for (int count; (count = nextPoints(&points, &p)) > 0;) {
        if (build->fewCount <= supportFew)
            addFew(build, p, count);
        for (int axis = 0; axis < 3; ++axis) {
            F8 towards = coordinate(p, axis), u = coordinate(p, (axis + 1) % 3), v = coordinate(p, (axis + 2) % 3);
            float(*plus)[8] = build->highest + 2 * axis * supportSide, (*minus)[8] = plus + supportSide;
            for (int k = 0; k < supportLines; ++k) {
                F8 row = f8Mul(v, f8Set(lineAt(k)));
                for (int i = 0; i < supportLines; ++i, ++plus, ++minus) {
                    F8 aside = f8Add(f8Mul(u, f8Set(lineAt(i))), row);
                    f8Store(*plus, higher(f8Add(aside, towards), *plus));
                    f8Store(*minus, higher(f8Sub(aside, towards), *minus));
                }
            }
        }
    }
}

static inline bool isLower(Vec3 a, Vec3 b) { return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z < b.z; }

static inline void pick(SupportBuild* build, int slot, F8 height, V8 p)
{
    unsigned equal = (unsigned)m8Bits(f8Equal(height, f8Set(build->heights[slot])));
    if (equal == 0)
        return;
    float x[8], y[8], z[8];
    f8Store(x, p.x);
    f8Store(y, p.y);
    f8Store(z, p.z);
    for (; equal != 0; equal &= equal - 1u) {
        int lane = __builtin_ctz(equal);
        Vec3 q = {x[lane], y[lane], z[lane]};
        if (isLower(q, build->farthest[slot]))
            build->farthest[slot] = q;
    }
}

void SIMD_NAME(supportPick)(SupportBuild* build, const SkinView* view)
{
    Points points;
    pointsStart(&points, view);
    V8 p;
    while (nextPoints(&points, &p) > 0) {
        for (int axis = 0; axis < 3; ++axis) {
            F8 towards = coordinate(p, axis), u = coordinate(p, (axis + 1) % 3), v = coordinate(p, (axis + 2) % 3);
            for (int k = 0; k < supportLines; k += supportStride) {
                F8 row = f8Mul(v, f8Set(lineAt(k)));
                for (int i = 0; i < supportLines; i += supportStride) {
                    F8 aside = f8Add(f8Mul(u, f8Set(lineAt(i))), row);
                    int slot = 2 * axis * supportSide + k * supportLines + i;
                    pick(build, slot, f8Add(aside, towards), p);
                    pick(build, slot + supportSide, f8Sub(aside, towards), p);
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
