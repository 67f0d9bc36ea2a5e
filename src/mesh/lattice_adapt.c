// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "mesh/lattice_adapt.h"

#include "core/constants.h"
#include "core/forest.h"
#include "core/message.h"
#include "mesh/adjacency.h"

#include <string.h>

typedef struct Point {
    int x[3]; // steps of the finest grid
} Point;

// Numbers for edges (a < b), in a growing open-addressing table.
typedef struct EdgeMap {
    Memory* memory;
    struct EdgeSlot {
        int a, b, value; // a < 0: free
    } * slots;
    int capacity, count; // capacity: a power of two
} EdgeMap;

enum { wantUnknown, wantSplit, wantKeep };

typedef struct Adapt {
    const AdaptDef* def;
    Memory* memory;
    TetSoup* soup;
    DVec3 origin;
    double step; // m per unit of Point
    ARRAY(Point) points;
    ARRAY(TetNodes) tets;
    ARRAY(uint8_t) wants; // [tet]
    ARRAY(int) checked;   // [tet] clock when its edges were last looked up
    ARRAY(int) stamps;    // [point] clock when an edge at it was last split
    int clock;
    EdgeMap split; // edge -> its middle
    // After refinement:
    float* values; // [point] signed distance; 0: on the surface
    DVec3* places; // [point]
    int* nodes;    // [point] in the soup, -1: none yet
    EdgeMap cutMap;
    struct Cut {
        int a, b; // a < b, one inside and one outside
        double t;
        DVec3 point;
        int node; // in the soup, -1: none yet
        bool off; // not quite on the surface
    } * cuts;
    int cutCount, cutCapacity;
} Adapt;

// Edges ---------------------------------------------------------------------------------------------------------------

static uint32_t hashEdge(int a, int b)
{
    uint64_t x = ((uint64_t)(uint32_t)a << 32 | (uint32_t)b) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(x >> 32);
}

static int edgeFind(const EdgeMap* map, int a, int b)
{
    if (map->capacity == 0)
        return -1;
    if (a > b) {
        int swap = a;
        a = b;
        b = swap;
    }
    for (uint32_t i = hashEdge(a, b);; ++i) {
        const struct EdgeSlot* slot = &map->slots[i & (uint32_t)(map->capacity - 1)];
        if (slot->a < 0)
            return -1;
        if (slot->a == a && slot->b == b)
            return slot->value;
    }
}

static void edgePut(EdgeMap* map, int a, int b, int value)
{
    uint32_t i = hashEdge(a, b);
    while (map->slots[i & (uint32_t)(map->capacity - 1)].a >= 0)
        ++i;
    map->slots[i & (uint32_t)(map->capacity - 1)] = (struct EdgeSlot){a, b, value};
}

// The edge must be new.
static bool edgeAdd(EdgeMap* map, int a, int b, int value)
{
    if (2 * (map->count + 1) > map->capacity) {
        if (map->capacity > 1 << 28)
            return false;
        EdgeMap larger = {.memory = map->memory, .capacity = maxI(2 * map->capacity, 1024), .count = map->count};
        larger.slots = NEW_ARRAY(map->memory, struct EdgeSlot, larger.capacity);
        if (larger.slots == NULL)
            return false;
        for (int i = 0; i < larger.capacity; ++i)
            larger.slots[i].a = -1;
        for (int i = 0; i < map->capacity; ++i)
            if (map->slots[i].a >= 0)
                edgePut(&larger, map->slots[i].a, map->slots[i].b, map->slots[i].value);
        FREE_ARRAY(map->memory, map->slots, map->capacity);
        *map = larger;
    }
    edgePut(map, minI(a, b), maxI(a, b), value);
    ++map->count;
    return true;
}

static void edgeFree(EdgeMap* map) { FREE_ARRAY(map->memory, map->slots, map->capacity); }

// Refinement ----------------------------------------------------------------------------------------------------------

static DVec3 placeOf(const Adapt* a, int point)
{
    const int* x = a->points.data[point].x;
    return dMad(a->origin, a->step, dvec3(x[0], x[1], x[2]));
}

static int64_t length2Of(const Adapt* a, int p, int q)
{
    int64_t sum = 0;
    for (int axis = 0; axis < 3; ++axis) {
        int64_t d = (int64_t)a->points.data[p].x[axis] - a->points.data[q].x[axis];
        sum += d * d;
    }
    return sum;
}

static int longestEdge(const Adapt* a, const TetNodes* tet)
{
    int longest = 0;
    int64_t most = 0;
    for (int e = 0; e < 6; ++e) {
        int64_t length2 = length2Of(a, tet->n[tetEdges[e][0]], tet->n[tetEdges[e][1]]);
        if (length2 > most) {
            most = length2;
            longest = e;
        }
    }
    return longest;
}

static bool hasSplitEdge(const Adapt* a, int t)
{
    const TetNodes* tet = &a->tets.data[t];
    int fresh = 0;
    for (int k = 0; k < 4; ++k)
        fresh += a->stamps.data[tet->n[k]] > a->checked.data[t];
    if (fresh < 2)
        return false;
    for (int e = 0; e < 6; ++e)
        if (edgeFind(&a->split, tet->n[tetEdges[e][0]], tet->n[tetEdges[e][1]]) >= 0)
            return true;
    return false;
}

static int addPoint(Adapt* a, Point point)
{
    if (!arrayReserve(a->memory, &a->points, (int64_t)a->points.count + 1) ||
        !arrayReserve(a->memory, &a->stamps, (int64_t)a->points.count + 1))
        return -1;
    a->points.data[a->points.count] = point;
    a->stamps.data[a->points.count] = 0;
    return a->points.count++;
}

static bool addTet(Adapt* a, TetNodes tet, int checked)
{
    int64_t wanted = (int64_t)a->tets.count + 1;
    if (!arrayReserve(a->memory, &a->tets, wanted) || !arrayReserve(a->memory, &a->wants, wanted) ||
        !arrayReserve(a->memory, &a->checked, wanted))
        return false;
    a->wants.data[a->tets.count] = wantUnknown;
    a->checked.data[a->tets.count] = checked;
    a->tets.data[a->tets.count++] = tet;
    return true;
}

static bool bisect(Adapt* a, int t)
{
    TetNodes tet = a->tets.data[t];
    int e = longestEdge(a, &tet), i = tetEdges[e][0], j = tetEdges[e][1];
    int middle = edgeFind(&a->split, tet.n[i], tet.n[j]);
    if (middle < 0) {
        Point p;
        for (int axis = 0; axis < 3; ++axis)
            p.x[axis] = (a->points.data[tet.n[i]].x[axis] + a->points.data[tet.n[j]].x[axis]) / 2;
        middle = addPoint(a, p);
        if (middle < 0 || !edgeAdd(&a->split, tet.n[i], tet.n[j], middle))
            return false;
        ++a->clock;
        a->stamps.data[tet.n[i]] = a->stamps.data[tet.n[j]] = a->clock;
    }
    TetNodes second = tet;
    tet.n[j] = middle;
    second.n[i] = middle;
    a->tets.data[t] = tet;
    a->wants.data[t] = wantUnknown;
    // A child can have older split edges that its parent was waiting for: look at all of them.
    a->checked.data[t] = -1;
    return addTet(a, second, -1);
}

static void wantTask(int begin, int end, int worker, void* arg)
{
    (void)worker;
    Adapt* a = arg;
    for (int t = begin; t < end; ++t) {
        if (a->wants.data[t] != wantUnknown)
            continue;
        DVec3 p[4], sum = {0.0, 0.0, 0.0};
        for (int k = 0; k < 4; ++k) {
            p[k] = placeOf(a, a->tets.data[t].n[k]);
            sum = dAdd(sum, p[k]);
        }
        DVec3 middle = dScale(0.25, sum);
        double reach = 0.0, volume12 = 2.0 * fabs(dOrient(p[0], p[1], p[2], p[3])), finest = 4.0 * a->step;
        for (int k = 0; k < 4; ++k)
            reach = maxD(reach, dDistance(p[k], middle));
        double size = maxD(minD(a->def->size(middle, reach, a->def->sizeUser), a->def->coarsest), finest);
        a->wants.data[t] = volume12 > size * size * size ? wantSplit : wantKeep;
    }
}

static shStatus refine(Adapt* a, shMessage* message)
{
    for (bool again = true; again;) {
        again = false;
        latticeFor(a->def->lattice, a->tets.count, LATTICE_TASK_BLOCK, wantTask, a);
        for (int t = 0; t < a->tets.count; ++t) {
            while (a->wants.data[t] == wantSplit || hasSplitEdge(a, t)) {
                if (!bisect(a, t))
                    return failMemory(message);
                again = true;
            }
            a->checked.data[t] = a->clock;
            if (a->tets.count > ADAPT_MAX_TETS)
                return fail(message, shLimit, "lattice mesher: more than %d lattice tetrahedra; allow larger ones",
                            ADAPT_MAX_TETS);
        }
    }
    return shOk;
}

// Cubes around the box, six tetrahedra each around a diagonal.
static shStatus layRoots(Adapt* a, shMessage* message)
{
    const LatticeDef* def = a->def->lattice;
    DVec3 size = dSub(def->upper, def->lower), center = dLerp(def->lower, def->upper, 0.5);
    double longest = maxD(size.x, maxD(size.y, size.z)), edge = longest / 8.0, extent[3] = {size.x, size.y, size.z};
    int cells[3], unit = 1 << ADAPT_DEPTH;
    a->step = edge / unit;
    for (int axis = 0; axis < 3; ++axis)
        cells[axis] = (int)ceil(extent[axis] / edge * 1.0001) + 1;
    a->origin = dMad(center, -0.5 * edge, dvec3(cells[0], cells[1], cells[2]));
    for (int k = 0; k <= cells[2]; ++k)
        for (int j = 0; j <= cells[1]; ++j)
            for (int i = 0; i <= cells[0]; ++i)
                if (addPoint(a, (Point){{i * unit, j * unit, k * unit}}) < 0)
                    return failMemory(message);
    static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    int steps[3] = {1, cells[0] + 1, (cells[0] + 1) * (cells[1] + 1)};
    for (int k = 0; k < cells[2]; ++k)
        for (int j = 0; j < cells[1]; ++j)
            for (int i = 0; i < cells[0]; ++i)
                for (int o = 0; o < 6; ++o) {
                    TetNodes tet;
                    tet.n[0] = i + steps[1] * j + steps[2] * k;
                    for (int s = 0; s < 3; ++s)
                        tet.n[s + 1] = tet.n[s] + steps[orders[o][s]];
                    if (!addTet(a, tet, 0))
                        return failMemory(message);
                }
    return shOk;
}

// Values and cuts -----------------------------------------------------------------------------------------------------

static void valueTask(int begin, int end, int worker, void* arg)
{
    (void)worker;
    Adapt* a = arg;
    const LatticeDef* def = a->def->lattice;
    for (int n = begin; n < end; ++n) {
        a->places[n] = placeOf(a, n);
        a->values[n] = (float)def->distance(a->places[n], def->user);
    }
}

static shStatus findCuts(Adapt* a, shMessage* message)
{
    for (int t = 0; t < a->tets.count; ++t)
        for (int e = 0; e < 6; ++e) {
            int p = a->tets.data[t].n[tetEdges[e][0]], q = a->tets.data[t].n[tetEdges[e][1]];
            if ((a->values[p] < 0.0f) == (a->values[q] < 0.0f) || a->values[p] == 0.0f || a->values[q] == 0.0f ||
                edgeFind(&a->cutMap, p, q) >= 0)
                continue;
            if (!arrayReserveBytes(a->memory, &a->cuts, &a->cutCapacity, sizeof *a->cuts, (int64_t)a->cutCount + 1) ||
                !edgeAdd(&a->cutMap, p, q, a->cutCount))
                return failMemory(message);
            a->cuts[a->cutCount++] = (struct Cut){.a = minI(p, q), .b = maxI(p, q), .node = -1};
        }
    return shOk;
}

// Illinois steps, every third one a bisection so that a jump of the distance is found as well.
static void locateTask(int begin, int end, int worker, void* arg)
{
    (void)worker;
    Adapt* a = arg;
    const LatticeDef* def = a->def->lattice;
    for (int n = begin; n < end; ++n) {
        struct Cut* cut = &a->cuts[n];
        DVec3 p = a->places[cut->a], q = a->places[cut->b];
        double t0 = 0.0, t1 = 1.0, f0 = (double)a->values[cut->a], f1 = (double)a->values[cut->b], t = 0.5;
        double close = ADAPT_ROOT_TOLERANCE * dDistance(p, q);
        int last = 0;
        bool inside = a->values[cut->a] < 0.0f;
        if (a->def->crossing != NULL && a->def->crossing(inside ? p : q, inside ? q : p, &t, def->user)) {
            cut->t = inside ? t : 1.0 - t;
            cut->point = dLerp(p, q, cut->t);
            continue;
        }
        for (int step = 1; step <= ADAPT_ROOT_STEPS; ++step) {
            t = step % 3 == 0 ? 0.5 * (t0 + t1) : clampD(t0 - f0 * (t1 - t0) / (f1 - f0), t0, t1);
            double f = def->distance(dLerp(p, q, t), def->user);
            if (fabs(f) <= close)
                break;
            bool lower = (f < 0.0) == (f0 < 0.0);
            if (lower) {
                f1 *= last == 1 ? 0.5 : 1.0;
                t0 = t;
                f0 = f;
            } else {
                f0 *= last == 2 ? 0.5 : 1.0;
                t1 = t;
                f1 = f;
            }
            last = lower ? 1 : 2;
        }
        cut->t = t;
        cut->point = dLerp(p, q, t);
    }
}

// Warping -------------------------------------------------------------------------------------------------------------

typedef struct Warp {
    Adapt* adapt;
    int* first;  // [point + 1] into `around`
    int* around; // tets with a cut at the point
    int parents[128], link[128], linkCount;
} Warp;

static bool buildAround(Warp* w)
{
    Adapt* a = w->adapt;
    Memory* memory = a->memory;
    bool* cut = NEW_ZEROED(memory, bool, a->points.count);
    w->first = NEW_ZEROED(memory, int, (int64_t)a->points.count + 1);
    bool ok = cut != NULL && w->first != NULL;
    for (int n = 0; ok && n < a->cutCount; ++n)
        cut[a->cuts[n].a] = cut[a->cuts[n].b] = true;
    for (int c = 0; ok && c < 4 * a->tets.count; ++c)
        w->first[a->tets.data[c / 4].n[c % 4]] += cut[a->tets.data[c / 4].n[c % 4]];
    int total = 0;
    for (int n = 0; ok && n <= a->points.count; ++n) {
        total += w->first[n];
        w->first[n] = total;
    }
    w->around = ok ? NEW_ARRAY(memory, int, maxI(total, 1)) : NULL;
    ok = w->around != NULL;
    for (int c = 4 * a->tets.count - 1; ok && c >= 0; --c) {
        int n = a->tets.data[c / 4].n[c % 4];
        if (cut[n])
            w->around[--w->first[n]] = c / 4;
    }
    FREE_ARRAY(memory, cut, a->points.count);
    return ok;
}

static int linkIndex(Warp* w, int n)
{
    for (int i = 0; i < w->linkCount; ++i)
        if (w->link[i] == n)
            return i;
    if (w->linkCount == 128)
        return -1;
    w->link[w->linkCount] = n;
    w->parents[w->linkCount] = w->linkCount;
    return w->linkCount++;
}

// Are the neighbours inside connected among themselves, and those outside, and are there any of both? Else moving the
// node onto the surface would pinch a wall or a gap.
static bool linkIsSimple(Warp* w, int point)
{
    const Adapt* a = w->adapt;
    w->linkCount = 0;
    for (int i = w->first[point]; i < w->first[point + 1]; ++i) {
        const int* n = a->tets.data[w->around[i]].n;
        for (int e = 0; e < 6; ++e) {
            int p = n[tetEdges[e][0]], q = n[tetEdges[e][1]];
            if (p == point || q == point)
                continue;
            int x = linkIndex(w, p), y = linkIndex(w, q);
            if (x < 0 || y < 0)
                return false;
            if (a->values[p] != 0.0f && a->values[q] != 0.0f && (a->values[p] < 0.0f) == (a->values[q] < 0.0f))
                forestJoin(w->parents, x, y);
        }
    }
    int inside = 0, outside = 0;
    for (int i = 0; i < w->linkCount; ++i) {
        if (w->parents[i] != i || a->values[w->link[i]] == 0.0f)
            continue;
        inside += a->values[w->link[i]] < 0.0f;
        outside += a->values[w->link[i]] > 0.0f;
    }
    return inside == 1 && outside == 1;
}

static double shapeAround(const Warp* w, int point)
{
    const Adapt* a = w->adapt;
    double worst = (double)INFINITY;
    for (int i = w->first[point]; i < w->first[point + 1]; ++i) {
        const int* n = a->tets.data[w->around[i]].n;
        double sum = 0.0;
        for (int e = 0; e < 6; ++e)
            sum += dLength2(dSub(a->places[n[tetEdges[e][0]]], a->places[n[tetEdges[e][1]]]));
        double mean = sqrt(sum / 6.0);
        // Half of a cube's tetrahedra are negative; bisection keeps it so.
        bool negative = dOrient(placeOf(a, n[0]), placeOf(a, n[1]), placeOf(a, n[2]), placeOf(a, n[3])) < 0.0;
        double moved = dOrient(a->places[n[0]], a->places[n[1]], a->places[n[2]], a->places[n[3]]);
        worst = minD(worst, sqrt(2.0) * (negative ? -moved : moved) / (mean * mean * mean));
    }
    return worst;
}

static shStatus warpPoints(Adapt* a, shMessage* message)
{
    Warp* w = NEW_ZEROED(a->memory, Warp, 1);
    if (w == NULL)
        return failMemory(message);
    w->adapt = a;
    bool ok = buildAround(w);
    for (int n = 0; ok && n < a->points.count; ++n) {
        if (w->first[n] == w->first[n + 1] || a->values[n] == 0.0f)
            continue;
        double nearest = (double)INFINITY;
        int chosen = -1;
        for (int i = w->first[n]; i < w->first[n + 1]; ++i)
            for (int k = 0; k < 4; ++k) {
                int other = a->tets.data[w->around[i]].n[k];
                int cut = other == n || a->values[other] == 0.0f ? -1 : edgeFind(&a->cutMap, n, other);
                if (cut < 0)
                    continue;
                double t = a->cuts[cut].a == n ? a->cuts[cut].t : 1.0 - a->cuts[cut].t;
                double distance = dDistance(a->cuts[cut].point, placeOf(a, n));
                if (t < ADAPT_WARP && distance < nearest) {
                    nearest = distance;
                    chosen = cut;
                }
            }
        if (chosen < 0 || !linkIsSimple(w, n))
            continue;
        a->places[n] = a->cuts[chosen].point;
        if (shapeAround(w, n) < ADAPT_WARP_SHAPE)
            a->places[n] = placeOf(a, n);
        else
            a->values[n] = 0.0f;
    }
    for (int n = 0; ok && n < a->cutCount; ++n) {
        struct Cut* cut = &a->cuts[n];
        if (cut->t >= ADAPT_CUT_LOWEST && cut->t <= 1.0 - ADAPT_CUT_LOWEST)
            continue;
        cut->t = clampD(cut->t, ADAPT_CUT_LOWEST, 1.0 - ADAPT_CUT_LOWEST);
        cut->point = dLerp(placeOf(a, cut->a), placeOf(a, cut->b), cut->t);
        cut->off = true;
    }
    int total = ok ? w->first[a->points.count] : 0;
    FREE_ARRAY(a->memory, w->around, maxI(total, 1));
    FREE_ARRAY(a->memory, w->first, (int64_t)a->points.count + 1);
    FREE_ARRAY(a->memory, w, 1);
    return ok ? shOk : failMemory(message);
}

// Stencils ------------------------------------------------------------------------------------------------------------

static int nodeOfPoint(Adapt* a, int point)
{
    if (a->nodes[point] < 0) {
        a->nodes[point] = a->soup->nodes.count;
        a->soup->nodes.data[a->soup->nodes.count++] = a->places[point];
    }
    return a->nodes[point];
}

static int nodeOfCut(Adapt* a, int p, int q)
{
    struct Cut* cut = &a->cuts[edgeFind(&a->cutMap, p, q)];
    if (cut->node < 0) {
        cut->node = a->soup->nodes.count;
        if (cut->off)
            a->soup->offNodes.data[a->soup->offNodes.count++] = cut->node;
        a->soup->nodes.data[a->soup->nodes.count++] = cut->point;
    }
    return cut->node;
}

static void emit(Adapt* a, int n0, int n1, int n2, int n3)
{
    const DVec3* p = a->soup->nodes.data;
    bool positive = dOrient(p[n0], p[n1], p[n2], p[n3]) > 0.0;
    a->soup->tets.data[a->soup->tets.count++] = positive ? (TetNodes){{n0, n1, n2, n3}} : (TetNodes){{n0, n1, n3, n2}};
}

// A prism with triangles lower and upper. The diagonal of the quad between lateral edges i and j starts at the lower
// end of whichever comes first in `order`.
static void emitPrism(Adapt* a, const int lower[3], const int upper[3], const int order[3])
{
    int x = order[0], y = order[1], z = order[2];
    emit(a, lower[x], lower[y], lower[z], upper[z]);
    emit(a, lower[x], lower[y], upper[y], upper[z]);
    emit(a, lower[x], upper[x], upper[y], upper[z]);
}

// On a lattice face cut into a triangle and a quad the diagonal starts at the quad's lattice point of lower number.
static void stuffThree(Adapt* a, const int in[3], int out)
{
    int lower[3], upper[3], order[3];
    for (int i = 0; i < 3; ++i) {
        lower[i] = nodeOfPoint(a, in[i]);
        upper[i] = nodeOfCut(a, in[i], out);
        int rank = 0;
        for (int j = 0; j < 3; ++j)
            rank += in[j] < in[i];
        order[rank] = i;
    }
    emitPrism(a, lower, upper, order);
}

static void stuffTwo(Adapt* a, const int in[2], const int out[2])
{
    // The prism's triangles are around the two inner points; lateral edge 0 joins them.
    int first = in[0] < in[1] ? 0 : 1;
    int lower[3], upper[3];
    lower[0] = nodeOfPoint(a, in[first]);
    upper[0] = nodeOfPoint(a, in[1 - first]);
    for (int i = 0; i < 2; ++i) {
        lower[i + 1] = nodeOfCut(a, in[first], out[i]);
        upper[i + 1] = nodeOfCut(a, in[1 - first], out[i]);
    }
    // The quad of four cuts lies on the surface: its shorter diagonal.
    const DVec3* p = a->soup->nodes.data;
    bool swap = dDistance(p[lower[2]], p[upper[1]]) < dDistance(p[lower[1]], p[upper[2]]);
    emitPrism(a, lower, upper, swap ? (const int[3]){0, 2, 1} : (const int[3]){0, 1, 2});
}

// A tetrahedron with all nodes on the surface is what is left of a thin wall, or flat and outside.
static bool isInside(const Adapt* a, const int points[4])
{
    DVec3 sum = {0.0, 0.0, 0.0}, p[4];
    double edges = 0.0;
    for (int k = 0; k < 4; ++k) {
        p[k] = a->places[points[k]];
        sum = dAdd(sum, p[k]);
    }
    for (int e = 0; e < 6; ++e)
        edges += dLength2(dSub(p[tetEdges[e][0]], p[tetEdges[e][1]]));
    double mean = sqrt(edges / 6.0);
    const LatticeDef* def = a->def->lattice;
    return sqrt(2.0) * fabs(dOrient(p[0], p[1], p[2], p[3])) > ADAPT_WARP_SHAPE * mean * mean * mean &&
           def->distance(dScale(0.25, sum), def->user) < 0.0;
}

static void stuffTet(Adapt* a, const int points[4])
{
    int in[4], on[4], out[4], ins = 0, ons = 0, outs = 0, node[4];
    for (int k = 0; k < 4; ++k) {
        float value = a->values[points[k]];
        if (value < 0.0f)
            in[ins++] = points[k];
        else if (value > 0.0f)
            out[outs++] = points[k];
        else
            on[ons++] = points[k];
    }
    if (ins == 0 && (ons < 4 || !isInside(a, points)))
        return;
    if (outs == 0) {
        for (int k = 0; k < 4; ++k)
            node[k] = nodeOfPoint(a, points[k]);
        emit(a, node[0], node[1], node[2], node[3]);
    } else if (ins == 1) {
        node[0] = nodeOfPoint(a, in[0]);
        for (int k = 0; k < ons; ++k)
            node[1 + k] = nodeOfPoint(a, on[k]);
        for (int k = 0; k < outs; ++k)
            node[1 + ons + k] = nodeOfCut(a, in[0], out[k]);
        emit(a, node[0], node[1], node[2], node[3]);
    } else if (ins == 3) {
        stuffThree(a, in, out[0]);
    } else if (outs == 2) {
        stuffTwo(a, in, out);
    } else { // a pyramid over the quad in, in, cut, cut with its tip on the surface
        int start = in[0] < in[1] ? 0 : 1, tip = nodeOfPoint(a, on[0]);
        node[0] = nodeOfPoint(a, in[start]);
        node[1] = nodeOfPoint(a, in[1 - start]);
        node[2] = nodeOfCut(a, in[1 - start], out[0]);
        node[3] = nodeOfCut(a, in[start], out[0]);
        emit(a, node[0], node[1], node[2], tip);
        emit(a, node[0], node[2], node[3], tip);
    }
}

static shStatus stuff(Adapt* a, shMessage* message)
{
    for (int t = 0; t < a->tets.count; ++t) {
        // A tetrahedron gives at most three, with six nodes.
        if (!arrayReserve(a->memory, &a->soup->nodes, (int64_t)a->soup->nodes.count + 6) ||
            !arrayReserve(a->memory, &a->soup->offNodes, (int64_t)a->soup->offNodes.count + 6) ||
            !arrayReserve(a->memory, &a->soup->tets, (int64_t)a->soup->tets.count + 3))
            return failMemory(message);
        stuffTet(a, a->tets.data[t].n);
    }
    return a->soup->tets.count > 0
               ? shOk
               : fail(message, shBadMesh, "lattice mesher: no lattice point is inside: the surface encloses nothing");
}

static shStatus cutAndStuff(Adapt* a, LatticeReport* report, shMessage* message)
{
    int count = a->points.count;
    a->values = NEW_ARRAY(a->memory, float, count);
    a->places = NEW_ARRAY(a->memory, DVec3, count);
    a->nodes = NEW_ARRAY(a->memory, int, count);
    if (a->values == NULL || a->places == NULL || a->nodes == NULL)
        return failMemory(message);
    memset(a->nodes, 0xff, (size_t)count * sizeof(int));
    latticeFor(a->def->lattice, count, LATTICE_TASK_BLOCK, valueTask, a);
    report->pointCount = report->evaluationCount = count;
    for (int n = 0; n < count; ++n)
        if (!isfinite(a->values[n]))
            return fail(message, shInvalid, "lattice mesher: the distance at (%g, %g, %g) is not finite",
                        a->places[n].x, a->places[n].y, a->places[n].z);
    shStatus status = findCuts(a, message);
    if (status == shOk) {
        latticeFor(a->def->lattice, a->cutCount, LATTICE_TASK_BLOCK, locateTask, a);
        status = warpPoints(a, message);
    }
    return status == shOk ? stuff(a, message) : status;
}

shStatus latticeAdapt(TetSoup* soup, Memory* memory, const AdaptDef* def, LatticeReport* report, shMessage* message)
{
    Adapt a = {.def = def, .memory = memory, .soup = soup, .split.memory = memory, .cutMap.memory = memory};
    shStatus status = layRoots(&a, message);
    if (status == shOk)
        status = refine(&a, message);
    edgeFree(&a.split);
    if (status == shOk)
        status = cutAndStuff(&a, report, message);
    int count = a.points.count;
    FREE_ARRAY(memory, a.values, count);
    FREE_ARRAY(memory, a.places, count);
    FREE_ARRAY(memory, a.nodes, count);
    FREE_ARRAY(memory, a.cuts, a.cutCapacity);
    edgeFree(&a.cutMap);
    arrayFree(memory, &a.points);
    arrayFree(memory, &a.tets);
    arrayFree(memory, &a.wants);
    arrayFree(memory, &a.checked);
    arrayFree(memory, &a.stamps);
    return status;
}
