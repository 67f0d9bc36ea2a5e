// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "core/constants.h"
#include "core/vec8.h"
#include "field/hull_vertices.h"

// The corner of a grid of squares on a side of the cube, −1 … 1.
static inline float gridLine(float i) { return 2.0f * i / (float)hullCells - 1.0f; }

// Coordinates of points as a side of the cube sees them: towards it, and along its two axes.
static inline V8 seenFromSide(V8 p, int side)
{
    F8 sign = f8Set(side & 1 ? -1.0f : 1.0f);
    switch (side / 2) {
    case 0:
        return (V8){f8Mul(sign, p.x), p.y, p.z};
    case 1:
        return (V8){f8Mul(sign, p.y), p.z, p.x};
    default:
        return (V8){f8Mul(sign, p.z), p.x, p.y};
    }
}

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

// The next eight points, the last of them repeated; false: there are no more.
static bool nextPoints(Points* points, V8* p)
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
    if (points->count == 0)
        return false;
    for (int k = 0; k < 3; ++k) {
        for (int i = points->count; i < 8; ++i)
            points->waiting[k][i] = points->waiting[k][points->count - 1];
    }
    *p = (V8){f8Load(points->waiting[0]), f8Load(points->waiting[1]), f8Load(points->waiting[2])};
    int left = points->count - 8 > 0 ? points->count - 8 : 0;
    for (int k = 0; k < 3; ++k)
        memmove(points->waiting[k], points->waiting[k] + 8, sizeof(float) * (size_t)left);
    points->count = left;
    return true;
}

// ---- what is kept ---------------------------------------------------------------------------------------------------

static inline bool isLower(Vec3 a, Vec3 b) { return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z < b.z; }

void SIMD_NAME(hullExtremesAdd)(HullExtremes* extremes, const SkinView* view)
{
    Points points;
    pointsStart(&points, view);
    V8 p;
    while (nextPoints(&points, &p)) {
        for (int side = 0; side < 6; ++side) {
            V8 q = seenFromSide(p, side);
            float* farthest = extremes->farthest + side * hullCells * hullCells;
            for (int k = 0; k < hullCells; ++k) {
                F8 row = f8Add(q.x, f8Mul(f8Set(gridLine((float)k + 0.5f)), q.z));
                for (int i = 0; i < hullCells; ++i) {
                    F8 far = f8Add(row, f8Mul(f8Set(gridLine((float)i + 0.5f)), q.y));
                    int cell = k * hullCells + i, slot = side * hullCells * hullCells + cell;
                    unsigned more = (unsigned)m8Bits(f8GreaterEqual(far, f8Set(farthest[cell])));
                    if (more == 0)
                        continue;
                    float x[8], y[8], z[8], at[8];
                    f8Store(at, far);
                    f8Store(x, p.x);
                    f8Store(y, p.y);
                    f8Store(z, p.z);
                    for (; more != 0; more &= more - 1u) {
                        int lane = __builtin_ctz(more);
                        Vec3 point = {x[lane], y[lane], z[lane]};
                        Vec3 best = {extremes->at[0][slot], extremes->at[1][slot], extremes->at[2][slot]};
                        if (at[lane] < farthest[cell] || (at[lane] == farthest[cell] && !isLower(point, best)))
                            continue;
                        farthest[cell] = at[lane];
                        extremes->at[0][slot] = point.x;
                        extremes->at[1][slot] = point.y;
                        extremes->at[2][slot] = point.z;
                    }
                }
            }
        }
    }
}

// How far the farthest point of each square's middle is in the square's four corners.
typedef struct CellCorners {
    float of[hullCellCount][4];
} CellCorners;

static inline float axisOf(const HullExtremes* extremes, int slot, int axis) { return extremes->at[axis % 3][slot]; }

static void measureCorners(const HullExtremes* extremes, float slack, CellCorners* corners)
{
    for (int slot = 0; slot < hullCellCount; ++slot) {
        int side = slot / (hullCells * hullCells), cell = slot % (hullCells * hullCells), axis = side / 2;
        float towards = (side & 1 ? -1.0f : 1.0f) * axisOf(extremes, slot, axis);
        for (int c = 0; c < 4; ++c) {
            float row = towards + gridLine((float)(cell / hullCells + c / 2)) * axisOf(extremes, slot, axis + 2);
            corners->of[slot][c] =
                row + gridLine((float)(cell % hullCells + c % 2)) * axisOf(extremes, slot, axis + 1) - slack;
        }
    }
}

static unsigned keptOf(const CellCorners* corners, V8 p)
{
    M8 kept = m8First(0);
    for (int side = 0; side < 6; ++side) {
        V8 q = seenFromSide(p, side);
        F8 below[hullCells + 1];
        for (int k = 0; k <= hullCells; ++k) {
            F8 row = f8Add(q.x, f8Mul(f8Set(gridLine((float)k)), q.z)), above[hullCells + 1];
            for (int i = 0; i <= hullCells; ++i)
                above[i] = f8Add(row, f8Mul(f8Set(gridLine((float)i)), q.y));
            for (int i = 0; k > 0 && i < hullCells; ++i) {
                const float* of = corners->of[(side * hullCells + k - 1) * hullCells + i];
                kept = m8Or(kept,
                            m8Or(f8GreaterEqual(below[i], f8Set(of[0])), f8GreaterEqual(below[i + 1], f8Set(of[1]))));
                kept = m8Or(kept,
                            m8Or(f8GreaterEqual(above[i], f8Set(of[2])), f8GreaterEqual(above[i + 1], f8Set(of[3]))));
            }
            memcpy(below, above, sizeof below);
        }
    }
    return (unsigned)m8Bits(kept);
}

int SIMD_NAME(hullVerticesAdd)(const HullExtremes* extremes, const SkinView* view, float slack, float* rows, int room,
                               int count)
{
    CellCorners corners;
    measureCorners(extremes, slack, &corners);
    Points points;
    pointsStart(&points, view);
    V8 p;
    while (nextPoints(&points, &p)) {
        float x[8], y[8], z[8];
        f8Store(x, p.x);
        f8Store(y, p.y);
        f8Store(z, p.z);
        for (unsigned kept = keptOf(&corners, p); kept != 0; kept &= kept - 1u) {
            int lane = __builtin_ctz(kept);
            if (lane > 0 && x[lane] == x[lane - 1] && y[lane] == y[lane - 1] && z[lane] == z[lane - 1])
                continue; // the last one, repeated
            if (count == room)
                return -1;
            rows[count] = x[lane];
            rows[room + count] = y[lane];
            rows[2 * room + count++] = z[lane];
        }
    }
    return count;
}

// ---- the farthest ---------------------------------------------------------------------------------------------------

Vec3 SIMD_NAME(hullFarthest)(const HullVertices* vertices, Vec3 direction)
{
    const float *xs = vertices->rows, *ys = xs + vertices->room, *zs = ys + vertices->room;
    V8 d = v8Set(direction);
    F8 most = f8Set(-INFINITY);
    for (int i = 0; i < vertices->count; i += 8)
        most = f8Max(v8Dot(d, (V8){f8Load(xs + i), f8Load(ys + i), f8Load(zs + i)}), most);
    F8 best = f8Set(f8Most(most));
    Vec3 point = {INFINITY, INFINITY, INFINITY};
    for (int i = 0; i < vertices->count; i += 8) {
        F8 along = v8Dot(d, (V8){f8Load(xs + i), f8Load(ys + i), f8Load(zs + i)});
        for (unsigned bits = (unsigned)m8Bits(f8Equal(along, best)); bits != 0; bits &= bits - 1u) {
            int at = i + __builtin_ctz(bits);
            Vec3 p = {xs[at], ys[at], zs[at]};
            point = isLower(p, point) ? p : point;
        }
    }
    return point;
}
