// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The lattice: cube corners and cube centres, both at spacing `cell`. Points are addressed by doubled coordinates, all
// even (corners) or all odd (centres), so that the 14 neighbours of any point are the same offsets: 6 along the axes
// (long edges, one cell) and 8 along the diagonals (short edges, √3/2 cell). Each tetrahedron has one long edge
// between corners and, opposite, one between centres; the other four are short.
#include "mesh/lattice_stuff.h"

#include "core/constants.h"
#include "core/message.h"

#include <string.h>

typedef struct Cut {
    int a, b;    // lattice points, a < b, one inside and one outside
    double t;    // where on the way from a to b
    DVec3 point; // on the surface
    bool off;    // or not quite, see clampCuts
} Cut;

typedef struct Lattice {
    const LatticeDef* def;
    Memory* memory;
    bool keepOpen, fillThin;
    int cells[3];
    int cornerCount, pointCount;
    DVec3 origin; // of the doubled coordinates
    double half;  // cell / 2: one step of them
    float* value; // [pointCount] signed distance; 0: on the surface, there or moved there
    int* first;   // [pointCount] first cut of which the point is the lower end, −1: none
    int* warp;    // [pointCount] the cut the point has moved to, −1: none
    int* node;    // [pointCount] its node in the output, −1: none yet
    int blocks[3];
    int* evaluations; // [block]
    ARRAY(Cut) cuts;
    ARRAY(int) cutNodes; // [cut]
} Lattice;

static const int neighborSteps[14][3] = {{2, 0, 0},  {-2, 0, 0},  {0, 2, 0},   {0, -2, 0},  {0, 0, 2},
                                         {0, 0, -2}, {1, 1, 1},   {-1, 1, 1},  {1, -1, 1},  {-1, -1, 1},
                                         {1, 1, -1}, {-1, 1, -1}, {1, -1, -1}, {-1, -1, -1}};

void latticeFor(const LatticeDef* def, int count, int block, shTask* task, void* arg)
{
    if (def->context != NULL)
        parallelFor(def->context, count, block, task, arg);
    else if (count > 0)
        task(0, count, 0, arg);
}

DVec3 latticeGradient(const LatticeDef* def, DVec3 p)
{
    double h = LATTICE_GRADIENT_STEP * def->cell;
    double axes[3];
    for (int axis = 0; axis < 3; ++axis) {
        DVec3 step = {axis == 0 ? h : 0.0, axis == 1 ? h : 0.0, axis == 2 ? h : 0.0};
        axes[axis] = (def->distance(dAdd(p, step), def->user) - def->distance(dSub(p, step), def->user)) / (2.0 * h);
    }
    return dvec3(axes[0], axes[1], axes[2]);
}

DVec3 latticeTowardsSurface(const LatticeDef* def, DVec3 p)
{
    if (def->closest != NULL)
        return def->closest(p, def->user);
    DVec3 gradient = latticeGradient(def, p);
    double length2 = dLength2(gradient);
    return length2 > 0.0 ? dMad(p, -def->distance(p, def->user) / length2, gradient) : p;
}

void tetSoupFree(TetSoup* soup, Memory* memory)
{
    arrayFree(memory, &soup->nodes);
    arrayFree(memory, &soup->tets);
    arrayFree(memory, &soup->offNodes);
    arrayFree(memory, &soup->spans);
    arrayFree(memory, &soup->witnesses);
}

// Addresses -----------------------------------------------------------------------------------------------------------

static int cornerAt(const Lattice* l, int i, int j, int k)
{
    return i + (l->cells[0] + 1) * (j + (l->cells[1] + 1) * k);
}

static int centerAt(const Lattice* l, int i, int j, int k)
{
    return l->cornerCount + i + l->cells[0] * (j + l->cells[1] * k);
}

static bool isCenter(const Lattice* l, int point) { return point >= l->cornerCount; }

static void doubledOf(const Lattice* l, int point, int d[3])
{
    int odd = isCenter(l, point), index = odd ? point - l->cornerCount : point;
    int nx = l->cells[0] + 1 - odd, ny = l->cells[1] + 1 - odd;
    d[0] = 2 * (index % nx) + odd;
    d[1] = 2 * (index / nx % ny) + odd;
    d[2] = 2 * (index / nx / ny) + odd;
}

// −1 beyond the lattice.
static int pointAt(const Lattice* l, const int d[3])
{
    for (int axis = 0; axis < 3; ++axis)
        if (d[axis] < 0 || d[axis] > 2 * l->cells[axis])
            return -1;
    return d[0] & 1 ? centerAt(l, d[0] / 2, d[1] / 2, d[2] / 2) : cornerAt(l, d[0] / 2, d[1] / 2, d[2] / 2);
}

static DVec3 positionOf(const Lattice* l, int point)
{
    int d[3];
    doubledOf(l, point, d);
    return dMad(l->origin, l->half, dvec3(d[0], d[1], d[2]));
}

// Distances -----------------------------------------------------------------------------------------------------------

typedef struct Region {
    int lower[3], upper[3]; // cubes; a cube owns its lower corner and its centre
} Region;

static void setCube(Lattice* l, int i, int j, int k, const float* fill, int* evaluations)
{
    int points[2] = {cornerAt(l, i, j, k), -1};
    if (i < l->cells[0] && j < l->cells[1] && k < l->cells[2])
        points[1] = centerAt(l, i, j, k);
    for (int n = 0; n < 2 && points[n] >= 0; ++n) {
        if (fill == NULL)
            ++*evaluations;
        l->value[points[n]] = fill != NULL ? *fill : (float)l->def->distance(positionOf(l, points[n]), l->def->user);
    }
}

// Asks at the region's centre; if the surface cannot reach into the region, that settles the side of all its points.
static void fillRegion(Lattice* l, Region r, int* evaluations)
{
    int size[3], longest = 0;
    for (int axis = 0; axis < 3; ++axis) {
        size[axis] = r.upper[axis] - r.lower[axis];
        if (size[axis] <= 0)
            return;
        longest = maxI(longest, size[axis]);
    }
    if (longest == 1) {
        setCube(l, r.lower[0], r.lower[1], r.lower[2], NULL, evaluations);
        return;
    }
    DVec3 middle = {r.lower[0] + r.upper[0], r.lower[1] + r.upper[1], r.lower[2] + r.upper[2]};
    DVec3 extent = {size[0], size[1], size[2]};
    double distance = l->def->distance(dMad(l->origin, l->half, middle), l->def->user);
    ++*evaluations;
    if (fabs(distance) > l->half * dLength(extent)) {
        float fill = (float)distance;
        for (int k = r.lower[2]; k < r.upper[2]; ++k)
            for (int j = r.lower[1]; j < r.upper[1]; ++j)
                for (int i = r.lower[0]; i < r.upper[0]; ++i)
                    setCube(l, i, j, k, &fill, evaluations);
        return;
    }
    for (int child = 0; child < 8; ++child) {
        Region part = r;
        for (int axis = 0; axis < 3; ++axis) {
            int split = r.lower[axis] + (size[axis] + 1) / 2;
            if (child >> axis & 1)
                part.lower[axis] = split;
            else
                part.upper[axis] = split;
        }
        fillRegion(l, part, evaluations);
    }
}

static void fillBlocks(int begin, int end, int worker, void* arg)
{
    (void)worker;
    Lattice* l = arg;
    for (int block = begin; block < end; ++block) {
        int at[3] = {block % l->blocks[0], block / l->blocks[0] % l->blocks[1], block / l->blocks[0] / l->blocks[1]};
        Region r;
        for (int axis = 0; axis < 3; ++axis) {
            r.lower[axis] = at[axis] * LATTICE_BLOCK;
            r.upper[axis] = minI(r.lower[axis] + LATTICE_BLOCK, l->cells[axis] + 1);
        }
        fillRegion(l, r, &l->evaluations[block]);
    }
}

static shStatus checkDef(const LatticeDef* def, shMessage* message)
{
    if (!dFinite(def->lower) || !dFinite(def->upper) || def->lower.x >= def->upper.x || def->lower.y >= def->upper.y ||
        def->lower.z >= def->upper.z)
        return fail(message, shInvalid, "lattice mesher: the box is empty, turned around or not finite");
    if (!isfinite(def->cell) || def->cell <= 0.0)
        return fail(message, shInvalid, "lattice mesher: a cell of %g m makes no sense", def->cell);
    return shOk;
}

// The lattice is centred on the box and goes at least one cell beyond it.
static shStatus layLattice(Lattice* l, LatticeReport* report, shMessage* message)
{
    const LatticeDef* def = l->def;
    DVec3 size = dSub(def->upper, def->lower), center = dLerp(def->lower, def->upper, 0.5);
    double extent[3] = {size.x, size.y, size.z}, points = 2.0;
    int blockCount = 1;
    for (int axis = 0; axis < 3; ++axis) {
        double count = 2.0 * (floor(0.5 * extent[axis] / def->cell) + 2.0);
        points *= count + 1.0;
        if (!(points < LATTICE_MAX_POINTS))
            return fail(message, shLimit,
                        "lattice mesher: a cell of %g m in a box of %g × %g × %g m gives more than %d lattice points; "
                        "take a larger cell",
                        def->cell, size.x, size.y, size.z, LATTICE_MAX_POINTS);
        l->cells[axis] = (int)count;
        l->blocks[axis] = (l->cells[axis] + LATTICE_BLOCK) / LATTICE_BLOCK;
        blockCount *= l->blocks[axis];
    }
    l->half = 0.5 * def->cell;
    l->origin = dMad(center, -l->half, dvec3(l->cells[0], l->cells[1], l->cells[2]));
    l->cornerCount = (l->cells[0] + 1) * (l->cells[1] + 1) * (l->cells[2] + 1);
    l->pointCount = l->cornerCount + l->cells[0] * l->cells[1] * l->cells[2];
    l->value = NEW_ARRAY(l->memory, float, l->pointCount);
    l->first = NEW_ARRAY(l->memory, int, l->pointCount);
    l->warp = NEW_ARRAY(l->memory, int, l->pointCount);
    l->node = NEW_ARRAY(l->memory, int, l->pointCount);
    l->evaluations = NEW_ZEROED(l->memory, int, blockCount);
    if (l->value == NULL || l->first == NULL || l->warp == NULL || l->node == NULL || l->evaluations == NULL)
        return failMemory(message);
    memset(l->first, 0xff, memBytes((size_t)l->pointCount, sizeof(int)));
    memset(l->warp, 0xff, memBytes((size_t)l->pointCount, sizeof(int)));
    memset(l->node, 0xff, memBytes((size_t)l->pointCount, sizeof(int)));
    latticeFor(def, blockCount, 1, fillBlocks, l);
    for (int block = 0; block < blockCount; ++block)
        report->evaluationCount += l->evaluations[block];
    report->pointCount = l->pointCount;
    FREE_ARRAY(l->memory, l->evaluations, blockCount);
    l->evaluations = NULL;
    return shOk;
}

static shStatus checkValues(const Lattice* l, TetSoup* soup, shMessage* message)
{
    int inside = 0;
    for (int point = 0; point < l->pointCount; ++point) {
        DVec3 p = positionOf(l, point);
        if (!isfinite(l->value[point]))
            return fail(message, shInvalid, "lattice mesher: the distance at (%g, %g, %g) is not finite", p.x, p.y,
                        p.z);
        if (fabs((double)l->value[point]) < l->def->cell) {
            if (!arrayReserve(l->memory, &soup->witnesses, (int64_t)soup->witnesses.count + 1))
                return failMemory(message);
            soup->witnesses.data[soup->witnesses.count++] = p;
        }
        if (l->value[point] >= 0.0f)
            continue;
        ++inside;
        int d[3];
        doubledOf(l, point, d);
        for (int axis = 0; axis < 3; ++axis)
            if (d[axis] <= 1 || d[axis] >= 2 * l->cells[axis] - 1)
                return fail(message, shInvalid,
                            "lattice mesher: the solid reaches beyond its box at (%g, %g, %g): the surface is open "
                            "or the box too small",
                            p.x, p.y, p.z);
    }
    if (inside == 0)
        return fail(message, shBadMesh,
                    "lattice mesher: no lattice point is inside: the surface encloses nothing, or nothing as thick as "
                    "a cell (%g m)",
                    l->def->cell);
    return shOk;
}

// Cuts ----------------------------------------------------------------------------------------------------------------

static bool addSpan(const Lattice* l, TetSoup* soup, int a, int b)
{
    double va = (double)l->value[a], vb = (double)l->value[b];
    if (l->def->allowThin || va * vb <= 0.0 || fabs(va) + fabs(vb) >= l->def->cell)
        return true;
    if (!arrayReserve(l->memory, &soup->spans, (int64_t)soup->spans.count + 1))
        return false;
    DVec3 pa = positionOf(l, a), pb = positionOf(l, b);
    soup->spans.data[soup->spans.count++] = (ThinSpan){pa, dLerp(pa, pb, va / (va + vb)), pb};
    return true;
}

// Collects the cuts, and the spans to be looked at for walls and gaps between their ends.
static shStatus findCuts(Lattice* l, TetSoup* soup, shMessage* message)
{
    for (int a = 0; a < l->pointCount; ++a) {
        int d[3], begin = l->cuts.count;
        doubledOf(l, a, d);
        for (int n = 0; n < 14; ++n) {
            int other[3] = {d[0] + neighborSteps[n][0], d[1] + neighborSteps[n][1], d[2] + neighborSteps[n][2]};
            int b = pointAt(l, other);
            if (b > a && !addSpan(l, soup, a, b))
                return failMemory(message);
            if (b <= a || !((l->value[a] < 0.0f && l->value[b] > 0.0f) || (l->value[a] > 0.0f && l->value[b] < 0.0f)))
                continue;
            if (!arrayReserve(l->memory, &l->cuts, (int64_t)l->cuts.count + 1))
                return failMemory(message);
            l->cuts.data[l->cuts.count++] = (Cut){.a = a, .b = b};
        }
        if (l->cuts.count > begin)
            l->first[a] = begin;
    }
    return shOk;
}

// Where the distance changes sign between a and b. False position with the stale end's value halved (Illinois), every
// third step a bisection so that a jump of the distance (a hole in the surface) is found as well.
static void locateCuts(int begin, int end, int worker, void* arg)
{
    (void)worker;
    Lattice* l = arg;
    double close = LATTICE_ROOT_TOLERANCE * l->def->cell;
    for (int n = begin; n < end; ++n) {
        Cut* cut = &l->cuts.data[n];
        DVec3 a = positionOf(l, cut->a), b = positionOf(l, cut->b);
        double t0 = 0.0, t1 = 1.0, f0 = (double)l->value[cut->a], f1 = (double)l->value[cut->b], t = 0.5;
        int last = 0;
        for (int step = 1; step <= LATTICE_ROOT_STEPS && t1 - t0 > LATTICE_ROOT_TOLERANCE; ++step) {
            t = step % 3 == 0 ? 0.5 * (t0 + t1) : clampD(t0 - f0 * (t1 - t0) / (f1 - f0), t0, t1);
            double f = l->def->distance(dLerp(a, b, t), l->def->user);
            if (fabs(f) <= close)
                break;
            if ((f < 0.0) == (f0 < 0.0)) {
                f1 *= last == 1 ? 0.5 : 1.0;
                t0 = t;
                f0 = f;
                last = 1;
            } else {
                f0 *= last == 2 ? 0.5 : 1.0;
                t1 = t;
                f1 = f;
                last = 2;
            }
        }
        cut->t = t;
        cut->point = dLerp(a, b, t);
    }
}

// The cut between two points, −1: none.
static int cutBetween(const Lattice* l, int a, int b)
{
    int lower = minI(a, b), upper = maxI(a, b);
    for (int n = l->first[lower]; n >= 0 && n < l->cuts.count && l->cuts.data[n].a == lower; ++n)
        if (l->cuts.data[n].b == upper)
            return n;
    return -1;
}

// Are the neighbours in `set` (a bit each) connected among themselves? The empty set is.
static bool connected(int set)
{
    int reached = set & -set, last = 0;
    while (reached != last) {
        last = reached;
        for (int i = 0; i < 14; ++i)
            for (int j = 0; j < 14 && reached >> i & 1; ++j) {
                const int *a = neighborSteps[i], *b = neighborSteps[j];
                int x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
                int square = x * x + y * y + z * z; // 3: short edge, 4 along an axis: long edge
                if ((square == 3 || square == 4) && set >> j & 1)
                    reached |= 1 << j;
            }
    }
    return reached == set;
}

// One point after the other: if the surface passes close on one of its edges the point moves there and counts as on
// the surface, which takes the cuts off all its edges. With keepOpen it stays if the surface passes it on two sides: to
// move would pinch a thin wall or gap together, and keeping that open is worth a sharper angle.
static void warpPoints(Lattice* l)
{
    for (int point = 0; point < l->pointCount; ++point) {
        if (l->value[point] == 0.0f)
            continue;
        int d[3];
        doubledOf(l, point, d);
        double nearest = (double)INFINITY;
        int inside = 0, outside = 0;
        for (int n = 0; n < 14; ++n) {
            int other[3] = {d[0] + neighborSteps[n][0], d[1] + neighborSteps[n][1], d[2] + neighborSteps[n][2]};
            int b = pointAt(l, other), cut = b < 0 || l->value[b] == 0.0f ? -1 : cutBetween(l, point, b);
            inside |= (b >= 0 && l->value[b] < 0.0f) << n;
            outside |= (b < 0 || l->value[b] > 0.0f) << n;
            if (cut < 0)
                continue;
            double t = point < b ? l->cuts.data[cut].t : 1.0 - l->cuts.data[cut].t;
            double length = n < 6 ? 1.0 : 0.5 * sqrt(3.0);
            if (t < (n < 6 ? LATTICE_WARP_LONG : LATTICE_WARP_SHORT) && t * length < nearest) {
                nearest = t * length;
                l->warp[point] = cut;
            }
        }
        if (l->warp[point] >= 0 && (!l->keepOpen || (connected(inside) && connected(outside))))
            l->value[point] = 0.0f;
        else
            l->warp[point] = -1;
    }
}

// Cuts right beside a point that could not be moved onto them would make needles; their nodes go to the surface later,
// when others can make room.

static void clampCuts(Lattice* l)
{
    for (int n = 0; n < l->cuts.count; ++n) {
        Cut* cut = &l->cuts.data[n];
        if (l->value[cut->a] == 0.0f || l->value[cut->b] == 0.0f ||
            (cut->t >= LATTICE_CUT_LOWEST && cut->t <= 1.0 - LATTICE_CUT_LOWEST))
            continue;
        cut->t = clampD(cut->t, LATTICE_CUT_LOWEST, 1.0 - LATTICE_CUT_LOWEST);
        cut->point = dLerp(positionOf(l, cut->a), positionOf(l, cut->b), cut->t);
        cut->off = true;
    }
}

// Stencils ------------------------------------------------------------------------------------------------------------

typedef struct Stuffing {
    Lattice* lattice;
    TetSoup* soup;
} Stuffing;

// Room for the nodes and tets of one lattice tetrahedron has been reserved.
static int nodeOfPoint(Stuffing* s, int point)
{
    Lattice* l = s->lattice;
    if (l->node[point] < 0) {
        l->node[point] = s->soup->nodes.count;
        int cut = l->warp[point];
        s->soup->nodes.data[s->soup->nodes.count++] = cut < 0 ? positionOf(l, point) : l->cuts.data[cut].point;
    }
    return l->node[point];
}

static int nodeOfCut(Stuffing* s, int a, int b)
{
    Lattice* l = s->lattice;
    int cut = cutBetween(l, a, b);
    if (l->cutNodes.data[cut] < 0) {
        l->cutNodes.data[cut] = s->soup->nodes.count;
        if (l->cuts.data[cut].off)
            s->soup->offNodes.data[s->soup->offNodes.count++] = s->soup->nodes.count;
        s->soup->nodes.data[s->soup->nodes.count++] = l->cuts.data[cut].point;
    }
    return l->cutNodes.data[cut];
}

static void emit(Stuffing* s, int a, int b, int c, int d)
{
    const DVec3* p = s->soup->nodes.data;
    bool positive = dOrient(p[a], p[b], p[c], p[d]) > 0.0;
    s->soup->tets.data[s->soup->tets.count++] = positive ? (TetNodes){{a, b, c, d}} : (TetNodes){{a, b, d, c}};
}

// The face a b o is cut on the edges to o, leaving the quad a, b, cut on b–o, cut on a–o. Both tetrahedra on the face
// must choose the same diagonal: does it start at a? The end of the long edge to o gets it; when both edges to o are
// short, a and b are neighbours of the same kind and their coordinates differ by one step: the even one gets it.
static bool diagonalAt(const Lattice* l, int a, int b, int o)
{
    if (isCenter(l, a) != isCenter(l, b))
        return isCenter(l, a) == isCenter(l, o);
    int d[3];
    doubledOf(l, a, d);
    return ((d[0] >> 1) + (d[1] >> 1) + (d[2] >> 1)) % 2 == 0;
}

// A prism with triangles lower and upper and lateral edges lower[i]–upper[i]. rank orders the lateral edges: the
// diagonal of the quad between i and j starts at the lower end of whichever ranks first.
static void emitPrism(Stuffing* s, const int lower[3], const int upper[3], const int rank[3])
{
    int order[3] = {0};
    for (int i = 0; i < 3; ++i)
        order[rank[i]] = i;
    int x = order[0], y = order[1], z = order[2];
    emit(s, lower[x], lower[y], lower[z], upper[z]);
    emit(s, lower[x], lower[y], upper[y], upper[z]);
    emit(s, lower[x], upper[x], upper[y], upper[z]);
}

// Three points inside: the tetrahedron without its corner o. The diagonals cannot run in a circle: of the three edges
// to o one is long, and the quads at its end have both diagonals there.
static void stuffThree(Stuffing* s, const int in[3], int o)
{
    const Lattice* l = s->lattice;
    int lower[3], upper[3], rank[3];
    for (int i = 0; i < 3; ++i) {
        lower[i] = nodeOfPoint(s, in[i]);
        upper[i] = nodeOfCut(s, in[i], o);
        rank[i] = !diagonalAt(l, in[i], in[(i + 1) % 3], o) + !diagonalAt(l, in[i], in[(i + 2) % 3], o);
    }
    emitPrism(s, lower, upper, rank);
}

// Two inside, two outside: a prism between the triangles at a and at b. The quad of four cuts lies on the surface, no
// neighbour minds its diagonal: the shorter one where the other two leave a choice.
static void stuffTwo(Stuffing* s, const int in[2], const int out[2])
{
    const Lattice* l = s->lattice;
    int lower[3], upper[3], rank[3];
    lower[0] = nodeOfPoint(s, in[0]);
    upper[0] = nodeOfPoint(s, in[1]);
    for (int i = 0; i < 2; ++i) {
        lower[i + 1] = nodeOfCut(s, in[0], out[i]);
        upper[i + 1] = nodeOfCut(s, in[1], out[i]);
    }
    bool first = diagonalAt(l, in[0], in[1], out[0]), second = diagonalAt(l, in[0], in[1], out[1]);
    const DVec3* p = s->soup->nodes.data;
    bool swap = dDistance(p[lower[2]], p[upper[1]]) < dDistance(p[lower[1]], p[upper[2]]);
    rank[0] = first && second ? 0 : first != second ? 1 : 2;
    if (first != second)
        swap = first;
    // Lateral edge 1 comes before 2 unless swapped; 0 is where its two diagonals put it.
    rank[swap ? 2 : 1] = rank[0] == 0 ? 1 : 0;
    rank[swap ? 1 : 2] = rank[0] == 2 ? 1 : 2;
    emitPrism(s, lower, upper, rank);
}

// For a tetrahedron with all points on the surface: usually it is outside or nearly flat, but in thin walls it may be
// all there is between two surfaces.
static bool isInside(const Lattice* l, const int points[4])
{
    DVec3 p[4], sum = {0.0, 0.0, 0.0};
    for (int k = 0; k < 4; ++k) {
        int cut = l->warp[points[k]];
        p[k] = cut < 0 ? positionOf(l, points[k]) : l->cuts.data[cut].point;
        sum = dAdd(sum, p[k]);
    }
    double cube = l->def->cell * l->def->cell * l->def->cell;
    return dOrient(p[0], p[1], p[2], p[3]) > LATTICE_THIN_VOLUME * cube &&
           l->def->distance(dScale(0.25, sum), l->def->user) < 0.0;
}

static void stuffTet(Stuffing* s, const int points[4])
{
    const Lattice* l = s->lattice;
    int in[4], on[4], out[4], ins = 0, ons = 0, outs = 0;
    for (int k = 0; k < 4; ++k) {
        float value = l->value[points[k]];
        if (value < 0.0f)
            in[ins++] = points[k];
        else if (value > 0.0f)
            out[outs++] = points[k];
        else
            on[ons++] = points[k];
    }
    int node[4];
    if (ins == 0 && (ons < 4 || !l->fillThin || !isInside(l, points)))
        return;
    if (outs == 0) {
        for (int k = 0; k < 4; ++k)
            node[k] = nodeOfPoint(s, points[k]);
        emit(s, node[0], node[1], node[2], node[3]);
    } else if (ins == 1) {
        node[0] = nodeOfPoint(s, in[0]);
        for (int k = 0; k < ons; ++k)
            node[1 + k] = nodeOfPoint(s, on[k]);
        for (int k = 0; k < outs; ++k)
            node[1 + ons + k] = nodeOfCut(s, in[0], out[k]);
        emit(s, node[0], node[1], node[2], node[3]);
    } else if (ins == 3) {
        stuffThree(s, in, out[0]);
    } else if (outs == 2) {
        stuffTwo(s, in, out);
    } else { // a pyramid over the quad in, in, cut, cut with its tip on the surface
        int start = diagonalAt(l, in[0], in[1], out[0]) ? 0 : 1, tip = nodeOfPoint(s, on[0]);
        node[0] = nodeOfPoint(s, in[start]);
        node[1] = nodeOfPoint(s, in[1 - start]);
        node[2] = nodeOfCut(s, in[1 - start], out[0]);
        node[3] = nodeOfCut(s, in[start], out[0]);
        emit(s, node[0], node[1], node[2], tip);
        emit(s, node[0], node[2], node[3], tip);
    }
}

// Two cubes that share a face have, around the edge between their centres, four tetrahedra, one per edge of the face.
static shStatus stuffAll(Stuffing* s, shMessage* message)
{
    Lattice* l = s->lattice;
    for (int cube = 0; cube < l->pointCount - l->cornerCount; ++cube) {
        int c[3] = {cube % l->cells[0], cube / l->cells[0] % l->cells[1], cube / l->cells[0] / l->cells[1]};
        for (int axis = 0; axis < 3; ++axis) {
            if (c[axis] + 1 == l->cells[axis])
                continue;
            int step[3] = {axis == 0, axis == 1, axis == 2}, u = (axis + 1) % 3, v = (axis + 2) % 3, face[4];
            int points[4] = {l->cornerCount + cube, centerAt(l, c[0] + step[0], c[1] + step[1], c[2] + step[2]), 0, 0};
            for (int k = 0; k < 4; ++k) {
                int at[3] = {c[0] + step[0], c[1] + step[1], c[2] + step[2]};
                at[u] += k == 1 || k == 2;
                at[v] += k >= 2;
                face[k] = cornerAt(l, at[0], at[1], at[2]);
            }
            // A tetrahedron gives at most three, with six nodes.
            if (!arrayReserve(l->memory, &s->soup->nodes, (int64_t)s->soup->nodes.count + 24) ||
                !arrayReserve(l->memory, &s->soup->offNodes, (int64_t)s->soup->offNodes.count + 24) ||
                !arrayReserve(l->memory, &s->soup->tets, (int64_t)s->soup->tets.count + 12))
                return failMemory(message);
            for (int k = 0; k < 4; ++k) {
                points[2] = face[k];
                points[3] = face[(k + 1) % 4];
                stuffTet(s, points);
            }
        }
    }
    return shOk;
}

static void latticeFree(Lattice* l)
{
    FREE_ARRAY(l->memory, l->value, l->pointCount);
    FREE_ARRAY(l->memory, l->first, l->pointCount);
    FREE_ARRAY(l->memory, l->warp, l->pointCount);
    FREE_ARRAY(l->memory, l->node, l->pointCount);
    FREE_ARRAY(l->memory, l->evaluations, l->blocks[0] * l->blocks[1] * l->blocks[2]);
    arrayFree(l->memory, &l->cuts);
    arrayFree(l->memory, &l->cutNodes);
}

shStatus latticeStuff(TetSoup* soup, Memory* memory, const LatticeDef* def, bool keepOpen, LatticeReport* report,
                      shMessage* message)
{
    Lattice l = {.def = def, .memory = memory, .keepOpen = keepOpen, .fillThin = keepOpen || def->creases == NULL};
    Stuffing stuffing = {&l, soup};
    shStatus status = checkDef(def, message);
    if (status == shOk)
        status = layLattice(&l, report, message);
    if (status == shOk)
        status = checkValues(&l, soup, message);
    if (status == shOk)
        status = findCuts(&l, soup, message);
    if (status == shOk) {
        latticeFor(def, l.cuts.count, LATTICE_TASK_BLOCK, locateCuts, &l);
        warpPoints(&l);
        clampCuts(&l);
        if (!arrayReserve(l.memory, &l.cutNodes, l.cuts.count + 1))
            status = failMemory(message);
    }
    if (status == shOk) {
        memset(l.cutNodes.data, 0xff, memBytes((size_t)l.cuts.count, sizeof(int)));
        status = stuffAll(&stuffing, message);
    }
    latticeFree(&l);
    return status;
}
