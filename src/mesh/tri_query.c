// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "mesh/tri_query.h"

#include "core/constants.h"

#include <float.h>

enum {
    leafSize = 4,        // triangles; splitting further costs more box tests than it saves
    binCount = 16,       // candidate planes per axis, plus one
    maxBinnedDepth = 32, // deeper nodes are halved: at most 31 more levels
};

// ---- one triangle ---------------------------------------------------------------------------------------------

// Closest point of the segment between two corners to the origin, as a fraction of it: exactly 0 or 1 at the ends.
static double closestOnSide(DVec3 from, DVec3 to)
{
    DVec3 side = dSub(to, from);
    double along = -dDot(from, side), length2 = dLength2(side);
    if (along <= 0.0)
        return 0.0;
    return along >= length2 ? 1.0 : along / length2;
}

// The squared distance of p to a triangle; feature and weights of the closest point go to `hit`. Triangles whose
// plane is farther away than √limit2 are left alone.
static double closestSpot(const DVec3 corners[3], DVec3 p, double limit2, TriHit* hit)
{
    const DVec3 at[3] = {dSub(corners[0], p), dSub(corners[1], p), dSub(corners[2], p)};
    DVec3 ab = dSub(at[1], at[0]), ac = dSub(at[2], at[0]), normal = dCross(ab, ac);
    double height = dDot(at[0], normal), normal2 = dLength2(normal);
    if (height * height > limit2 * normal2 * (1.0 + TRI_ROUNDING))
        return (double)INFINITY;
    // Areas of the triangles that p makes with the opposite sides, seen along the normal: beyond a side it is negative.
    const double w[3] = {dDot(dCross(at[1], at[2]), normal), dDot(dCross(at[2], at[0]), normal),
                         dDot(dCross(at[0], at[1]), normal)};
    bool flat = normal2 <= TRI_NEEDLE * dLength2(ab) * dLength2(ac); // its normal and areas are rounding errors
    if (w[0] > 0.0 && w[1] > 0.0 && w[2] > 0.0 && !flat) {
        double scale = 1.0 / (w[0] + w[1] + w[2]);
        for (int i = 0; i < 3; ++i)
            hit->weights[i] = w[i] * scale;
        hit->feature = triFace;
        return dLength2(
            dAdd(dAdd(dScale(hit->weights[0], at[0]), dScale(hit->weights[1], at[1])), dScale(hit->weights[2], at[2])));
    }
    // Else the closest point is on a side that p is beyond.
    double best2 = (double)INFINITY;
    for (int side = 0; side < 3; ++side) {
        int next = (side + 1) % 3, opposite = (side + 2) % 3;
        if (w[opposite] > 0.0 && !flat)
            continue;
        double t = closestOnSide(at[side], at[next]);
        double distance2 = dLength2(t == 1.0 ? at[next] : dLerp(at[side], at[next], t));
        if (distance2 >= best2)
            continue;
        best2 = distance2;
        hit->weights[side] = 1.0 - t, hit->weights[next] = t, hit->weights[opposite] = 0.0;
        hit->feature = (TriFeature)(t == 0.0   ? (int)triCorner0 + side
                                    : t == 1.0 ? (int)triCorner0 + next
                                               : (int)triEdge0 + side);
    }
    return best2;
}

static DVec3 pointAt(const DVec3 corners[3], const double w[3])
{
    return dAdd(dAdd(dScale(w[0], corners[0]), dScale(w[1], corners[1])), dScale(w[2], corners[2]));
}

TriHit triClosest(DVec3 a, DVec3 b, DVec3 c, DVec3 p)
{
    const DVec3 corners[3] = {a, b, c};
    TriHit hit = {.triangle = -1, .slot = -1};
    hit.distance = sqrt(closestSpot(corners, p, (double)INFINITY, &hit));
    hit.point = pointAt(corners, hit.weights);
    return hit;
}

// ---- tree -----------------------------------------------------------------------------------------------------

typedef struct Item {
    shBox box;
    Vec3 center; // twice the middle of the box; only its order matters
    int id;
} Item;

typedef struct Split {
    int axis;
    float at;   // items with centers below it go left
    float cost; // half areas times counts
} Split;

static float halfArea(shBox box)
{
    Vec3 s = boxSize(box);
    return s.x * s.y + s.y * s.z + s.z * s.x;
}

static int binOf(float center, float lower, float scale) { return minI((int)((center - lower) * scale), binCount - 1); }

// The best of the planes between bins on each axis, by surface area.
static Split findSplit(const Item* items, int count, shBox centers)
{
    Split best = {-1, 0.0f, INFINITY};
    for (int axis = 0; axis < 3; ++axis) {
        float lower = vGet(centers.lower, axis), extent = vGet(centers.upper, axis) - lower;
        float scale = (float)binCount / extent;
        if (!(extent > 0.0f) || !isfinite(extent) || !isfinite(scale))
            continue;
        shBox boxes[binCount];
        int counts[binCount] = {0};
        for (int b = 0; b < binCount; ++b)
            boxes[b] = boxEmpty();
        for (int i = 0; i < count; ++i) {
            int b = binOf(vGet(items[i].center, axis), lower, scale);
            boxes[b] = boxUnion(boxes[b], items[i].box);
            ++counts[b];
        }
        float rightCost[binCount];
        shBox box = boxEmpty();
        int total = 0;
        for (int b = binCount - 1; b > 0; --b) {
            box = boxUnion(box, boxes[b]);
            total += counts[b];
            rightCost[b] = total > 0 ? halfArea(box) * (float)total : INFINITY;
        }
        box = boxEmpty();
        total = 0;
        for (int b = 0; b < binCount - 1; ++b) {
            box = boxUnion(box, boxes[b]);
            total += counts[b];
            float cost = total > 0 ? halfArea(box) * (float)total + rightCost[b + 1] : INFINITY;
            if (cost < best.cost)
                best = (Split){axis, (float)(b + 1), cost};
        }
    }
    return best;
}

static void swapItems(Item* a, Item* b)
{
    Item c = *a;
    *a = *b;
    *b = c;
}

static int partition(Item* items, int count, Split split, shBox centers)
{
    float lower = vGet(centers.lower, split.axis);
    float scale = (float)binCount / (vGet(centers.upper, split.axis) - lower);
    int left = 0;
    for (int i = 0; i < count; ++i)
        if (binOf(vGet(items[i].center, split.axis), lower, scale) < (int)split.at)
            swapItems(&items[i], &items[left++]);
    return left;
}

typedef struct Pending {
    int node, begin, count, depth;
} Pending;

// Splits top down with an explicit stack; halves by position in the list where no plane separates the centers.
static int buildNodes(TriNode* nodes, Item* items, int count)
{
    Pending stack[triTreeDepth];
    int stackCount = 0, nodeCount = 1;
    stack[stackCount++] = (Pending){0, 0, count, 0};
    while (stackCount > 0) {
        Pending job = stack[--stackCount];
        Item* mine = items + job.begin;
        shBox box = boxEmpty(), centers = boxEmpty();
        for (int i = 0; i < job.count; ++i) {
            box = boxUnion(box, mine[i].box);
            centers = boxAdd(centers, mine[i].center);
        }
        TriNode* node = &nodes[job.node];
        *node = (TriNode){box.lower, job.begin, box.upper, job.count};
        if (job.count <= leafSize)
            continue;
        Split split = {-1, 0.0f, 0.0f};
        if (job.depth < maxBinnedDepth)
            split = findSplit(mine, job.count, centers);
        int left = split.axis >= 0 ? partition(mine, job.count, split, centers) : job.count / 2;
        node->first = nodeCount;
        node->count = 0;
        stack[stackCount++] = (Pending){nodeCount + 1, job.begin + left, job.count - left, job.depth + 1};
        stack[stackCount++] = (Pending){nodeCount, job.begin, left, job.depth + 1};
        nodeCount += 2;
    }
    return nodeCount;
}

bool triQueryBuild(TriQuery* query, Memory* memory, const DVec3* vertices, const int (*triangles)[3], int triangleCount)
{
    *query = (TriQuery){.triangleCount = triangleCount};
    if (triangleCount <= 0)
        return true;
    int nodeCapacity = 2 * triangleCount - 1;
    Item* items = NEW_ARRAY(memory, Item, triangleCount);
    TriNode* nodes = NEW_ARRAY(memory, TriNode, nodeCapacity);
    query->corners = memAlloc(memory, memBytes((size_t)triangleCount, sizeof(*query->corners)));
    query->vertices = memAlloc(memory, memBytes((size_t)triangleCount, sizeof(*query->vertices)));
    query->ids = NEW_ARRAY(memory, int, triangleCount);
    bool fits = items && nodes && query->corners && query->vertices && query->ids;
    if (fits) {
        double largest = 0.0;
        for (int t = 0; t < triangleCount; ++t)
            for (int i = 0; i < 3; ++i) {
                DVec3 p = vertices[triangles[t][i]];
                largest = maxD(largest, maxD(fabs(p.x), maxD(fabs(p.y), fabs(p.z))));
            }
        // More than twice what rounding to float takes away: rays and distances in double never miss a box.
        float slack = 2.0f * FLT_EPSILON * (float)largest;
        for (int t = 0; t < triangleCount; ++t) {
            DVec3 a = vertices[triangles[t][0]], b = vertices[triangles[t][1]], c = vertices[triangles[t][2]];
            Vec3 lower = {(float)minD(a.x, minD(b.x, c.x)), (float)minD(a.y, minD(b.y, c.y)),
                          (float)minD(a.z, minD(b.z, c.z))};
            Vec3 upper = {(float)maxD(a.x, maxD(b.x, c.x)), (float)maxD(a.y, maxD(b.y, c.y)),
                          (float)maxD(a.z, maxD(b.z, c.z))};
            items[t] = (Item){boxGrow((shBox){lower, upper}, slack), vAdd(lower, upper), t};
        }
        query->nodeCount = buildNodes(nodes, items, triangleCount);
        query->nodes = NEW_ARRAY(memory, TriNode, query->nodeCount);
        fits = query->nodes != NULL;
    }
    if (fits) {
        for (int n = 0; n < query->nodeCount; ++n)
            query->nodes[n] = nodes[n];
        for (int s = 0; s < triangleCount; ++s) {
            query->ids[s] = items[s].id;
            for (int i = 0; i < 3; ++i) {
                query->vertices[s][i] = triangles[items[s].id][i];
                query->corners[s][i] = vertices[query->vertices[s][i]];
                query->vertexCount = maxI(query->vertexCount, query->vertices[s][i] + 1);
            }
        }
    }
    FREE_ARRAY(memory, nodes, nodeCapacity);
    FREE_ARRAY(memory, items, triangleCount);
    if (!fits)
        triQueryFree(query, memory);
    return fits;
}

void triQueryFree(TriQuery* query, Memory* memory)
{
    FREE_ARRAY(memory, query->flipped, query->triangleCount);
    FREE_ARRAY(memory, query->clusters, query->nodeCount);
    FREE_ARRAY(memory, query->vertexNormals, query->vertexCount);
    FREE_ARRAY(memory, query->twins, 3 * query->triangleCount);
    FREE_ARRAY(memory, query->ids, query->triangleCount);
    FREE_ARRAY(memory, query->vertices, query->triangleCount);
    FREE_ARRAY(memory, query->corners, query->triangleCount);
    FREE_ARRAY(memory, query->nodes, query->nodeCount);
    *query = (TriQuery){0};
}

// ---- closest --------------------------------------------------------------------------------------------------

static double nodeDistance2(const TriNode* node, DVec3 p)
{
    double x = maxD(maxD((double)node->lower.x - p.x, p.x - (double)node->upper.x), 0.0);
    double y = maxD(maxD((double)node->lower.y - p.y, p.y - (double)node->upper.y), 0.0);
    double z = maxD(maxD((double)node->lower.z - p.z, p.z - (double)node->upper.z), 0.0);
    return x * x + y * y + z * z;
}

typedef struct Waiting {
    int node;
    double distance; // of its box: squared for closest points, along the ray for rays
} Waiting;

TriHit triQueryClosest(const TriQuery* query, DVec3 p, double maxDistance)
{
    TriHit best = {.triangle = -1, .slot = -1, .distance = maxDistance};
    double best2 = maxDistance * maxDistance;
    Waiting stack[triTreeDepth];
    int stackCount = 0;
    if (query->nodeCount > 0)
        stack[stackCount++] = (Waiting){0, nodeDistance2(&query->nodes[0], p)};
    while (stackCount > 0) {
        Waiting top = stack[--stackCount];
        if (!(top.distance <= best2))
            continue;
        const TriNode* node = &query->nodes[top.node];
        if (node->count == 0) {
            Waiting left = {node->first, nodeDistance2(&query->nodes[node->first], p)};
            Waiting right = {node->first + 1, nodeDistance2(&query->nodes[node->first + 1], p)};
            Waiting nearer = left.distance <= right.distance ? left : right;
            Waiting farther = left.distance <= right.distance ? right : left;
            if (farther.distance <= best2)
                stack[stackCount++] = farther;
            if (nearer.distance <= best2)
                stack[stackCount++] = nearer;
            continue;
        }
        for (int s = node->first; s < node->first + node->count; ++s) {
            TriHit hit = {.slot = s};
            double distance2 = closestSpot(query->corners[s], p, best2, &hit);
            if (distance2 < best2 || (best.slot < 0 && distance2 <= best2)) {
                best = hit;
                best2 = distance2;
            }
        }
    }
    if (best.slot >= 0) {
        best.triangle = query->ids[best.slot];
        best.point = pointAt(query->corners[best.slot], best.weights);
        best.distance = sqrt(best2);
    }
    return best;
}

// ---- rays -----------------------------------------------------------------------------------------------------

// Where a ray enters a node's box, INFINITY when it misses.
static double nodeEntry(const TriNode* node, DVec3 origin, DVec3 inverse, double maxT)
{
    const Vec3 lower = node->lower, upper = node->upper;
    bool backX = inverse.x < 0.0, backY = inverse.y < 0.0, backZ = inverse.z < 0.0;
    // An origin on the plane of a side that the ray runs along gives 0 · infinity: maxD and minD drop the NaN.
    double enter = 0.0, leave = maxT;
    enter = maxD(((double)(backX ? upper.x : lower.x) - origin.x) * inverse.x, enter);
    leave = minD(((double)(backX ? lower.x : upper.x) - origin.x) * inverse.x, leave);
    enter = maxD(((double)(backY ? upper.y : lower.y) - origin.y) * inverse.y, enter);
    leave = minD(((double)(backY ? lower.y : upper.y) - origin.y) * inverse.y, leave);
    enter = maxD(((double)(backZ ? upper.z : lower.z) - origin.z) * inverse.z, enter);
    leave = minD(((double)(backZ ? lower.z : upper.z) - origin.z) * inverse.z, leave);
    return enter <= leave ? enter : (double)INFINITY;
}

static double component(DVec3 a, int axis) { return axis == 0 ? a.x : axis == 1 ? a.y : a.z; }

TriRay triRay(DVec3 origin, DVec3 direction)
{
    double x = fabs(direction.x), y = fabs(direction.y), z = fabs(direction.z);
    TriRay view = {.origin = origin, .axis = x > y ? (x > z ? 0 : 2) : (y > z ? 1 : 2)};
    view.perAxis = 1.0 / component(direction, view.axis);
    view.driftU = component(direction, (view.axis + 1) % 3) * view.perAxis;
    view.driftV = component(direction, (view.axis + 2) % 3) * view.perAxis;
    return view;
}

// In the view: does the triangle hold the origin? Each sign below is a comparison of two rounded products, so it is
// right or zero, never wrong, and zero counts as a hit: nothing slips through at edges and vertices.
bool triRayHit(const TriRay* view, const DVec3 corners[3], TriHit* hit)
{
    double u[3], v[3], depth[3];
    for (int i = 0; i < 3; ++i) {
        DVec3 offset = dSub(corners[i], view->origin);
        depth[i] = component(offset, view->axis);
        u[i] = component(offset, (view->axis + 1) % 3) - view->driftU * depth[i];
        v[i] = component(offset, (view->axis + 2) % 3) - view->driftV * depth[i];
    }
    double a = u[1] * v[2] - v[1] * u[2], b = u[2] * v[0] - v[2] * u[0], c = u[0] * v[1] - v[0] * u[1];
    if (!((a >= 0.0 && b >= 0.0 && c >= 0.0) || (a <= 0.0 && b <= 0.0 && c <= 0.0)))
        return false;
    double sum = a + b + c;
    if (sum == 0.0)
        return false;
    double* w = hit->weights;
    w[0] = a / sum, w[1] = b / sum, w[2] = c / sum;
    hit->point = pointAt(corners, w);
    hit->distance = (w[0] * depth[0] + w[1] * depth[1] + w[2] * depth[2]) * view->perAxis;
    return true;
}

TriHit triQueryRay(const TriQuery* query, DVec3 origin, DVec3 direction, double maxT)
{
    TriHit best = {.triangle = -1, .slot = -1, .distance = maxT};
    if (query->nodeCount == 0)
        return best;
    TriRay view = triRay(origin, direction);
    DVec3 inverse = {1.0 / direction.x, 1.0 / direction.y, 1.0 / direction.z};
    Waiting stack[triTreeDepth];
    int stackCount = 0;
    stack[stackCount++] = (Waiting){0, nodeEntry(&query->nodes[0], origin, inverse, maxT)};
    while (stackCount > 0) {
        Waiting top = stack[--stackCount];
        if (!(top.distance <= best.distance) || isinf(top.distance))
            continue;
        const TriNode* node = &query->nodes[top.node];
        for (int s = node->first; s < node->first + node->count; ++s) {
            TriHit hit = {.triangle = query->ids[s], .slot = s};
            if (triRayHit(&view, query->corners[s], &hit) && hit.distance >= 0.0 &&
                (hit.distance < best.distance || (best.triangle < 0 && hit.distance <= maxT)))
                best = hit;
        }
        if (node->count > 0)
            continue;
        int first = node->first;
        Waiting left = {first, nodeEntry(&query->nodes[first], origin, inverse, best.distance)};
        Waiting right = {first + 1, nodeEntry(&query->nodes[first + 1], origin, inverse, best.distance)};
        bool leftFirst = left.distance <= right.distance;
        stack[stackCount++] = leftFirst ? right : left;
        stack[stackCount++] = leftFirst ? left : right;
    }
    return best;
}
