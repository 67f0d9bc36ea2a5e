// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "tree/sphere_tree.h"

#include "core/constants.h"
#include "core/message.h"

#include <stdlib.h>
#include <string.h>

// A distance that rounding cannot have made too small.
static float reachOf(Vec3 a, Vec3 b) { return vDistance(a, b) * (1.0f + REACH_ROUNDING); }

static void setRadius(TreePoint* points, int point)
{
    int child = points[point].child;
    points[point].radius = child >= 0 ? points[child].reach : 0.0f;
}

// ---- building -------------------------------------------------------------------------------------------------------

// Buckets of the points of one level, for nearest-neighbour search.
typedef struct Buckets {
    Vec3 lower;
    float inverse;
    int size[3];
    int* heads; // [size product]
    int* next;  // [count] by rank
} Buckets;

static int bucketAxis(const Buckets* buckets, float x, float lower, int axis)
{
    float cell = (x - lower) * buckets->inverse;
    return cell <= 0.0f ? 0 : minI((int)cell, buckets->size[axis] - 1);
}

static void bucketFill(Buckets* buckets, const TreePoint* points, const int* order, int count, shBox box)
{
    Vec3 size = boxSize(box);
    float longest = maxF(size.x, maxF(size.y, size.z));
    // About one point per cell if they lie on a surface; never more cells than the array has.
    int along = maxI(1, minI(64, (int)sqrtf((float)count)));
    buckets->lower = box.lower;
    buckets->inverse = longest > 0.0f ? (float)along / longest : 0.0f;
    buckets->size[0] = minI(along, (int)(size.x * buckets->inverse) + 1);
    buckets->size[1] = minI(along, (int)(size.y * buckets->inverse) + 1);
    buckets->size[2] = minI(along, (int)(size.z * buckets->inverse) + 1);
    memset(buckets->heads, -1, sizeof(int) * (size_t)(buckets->size[0] * buckets->size[1] * buckets->size[2]));
    for (int rank = count - 1; rank >= 0; --rank) {
        Vec3 p = points[order[rank]].p;
        int cell =
            (bucketAxis(buckets, p.z, box.lower.z, 2) * buckets->size[1] + bucketAxis(buckets, p.y, box.lower.y, 1)) *
                buckets->size[0] +
            bucketAxis(buckets, p.x, box.lower.x, 0);
        buckets->next[rank] = buckets->heads[cell];
        buckets->heads[cell] = rank;
    }
}

// Rank of the closest of the filled points, the lowest on ties.
static int bucketClosest(const Buckets* buckets, const TreePoint* points, const int* order, Vec3 p)
{
    int x = bucketAxis(buckets, p.x, buckets->lower.x, 0), y = bucketAxis(buckets, p.y, buckets->lower.y, 1),
        z = bucketAxis(buckets, p.z, buckets->lower.z, 2);
    int best = -1;
    float best2 = INFINITY;
    int widest = maxI(buckets->size[0], maxI(buckets->size[1], buckets->size[2]));
    for (int ring = 0; ring <= widest; ++ring) {
        // Everything in this ring is at least ring − 1 cells away.
        float away = buckets->inverse > 0.0f ? (float)(ring - 1) / buckets->inverse : 0.0f;
        if (ring > 1 && away * away > best2)
            break;
        for (int k = maxI(z - ring, 0); k <= minI(z + ring, buckets->size[2] - 1); ++k) {
            for (int j = maxI(y - ring, 0); j <= minI(y + ring, buckets->size[1] - 1); ++j) {
                bool face = abs(k - z) == ring || abs(j - y) == ring;
                int step = face || ring == 0 ? 1 : 2 * ring;
                for (int i = x - ring; i <= x + ring; i += step) {
                    if (i < 0 || i >= buckets->size[0])
                        continue;
                    int cell = (k * buckets->size[1] + j) * buckets->size[0] + i;
                    for (int rank = buckets->heads[cell]; rank >= 0; rank = buckets->next[rank]) {
                        float d2 = vDistance2(p, points[order[rank]].p);
                        if (d2 < best2 || (d2 == best2 && rank < best)) {
                            best2 = d2;
                            best = rank;
                        }
                    }
                }
            }
        }
    }
    return best;
}

// Reaches from nothing: every point reports to all its ancestors, then siblings pass theirs forward.
static void measureReaches(TreePoint* points, const int* order, int count)
{
    for (int i = 0; i < count; ++i)
        points[order[i]].reach = 0.0f;
    for (int i = 0; i < count; ++i) {
        int below = order[i];
        for (int above = points[below].parent; above >= 0; below = above, above = points[above].parent)
            points[below].reach = maxF(points[below].reach, reachOf(points[above].p, points[order[i]].p));
    }
    // Siblings are in order of rank: from the back, the next one's reach is final.
    for (int i = count - 1; i >= 0; --i) {
        TreePoint* point = &points[order[i]];
        if (point->sibling >= 0)
            point->reach = maxF(point->reach, points[point->sibling].reach);
    }
    for (int i = 0; i < count; ++i)
        setRadius(points, order[i]);
}

shStatus sphereTreeBuild(TreePoint* points, const int* order, int count, Memory* memory, int* root, shMessage* message)
{
    int cells = 64 * 64 * 64;
    Buckets buckets = {.heads = NEW_ARRAY(memory, int, cells), .next = NEW_ARRAY(memory, int, count)};
    int* last = NEW_ARRAY(memory, int, count); // last child so far
    bool enough = buckets.heads && buckets.next && last;
    if (enough) {
        shBox box = boxEmpty();
        for (int i = 0; i < count; ++i) {
            TreePoint* point = &points[i];
            point->child = point->sibling = point->parent = -1;
            last[i] = -1;
            box = boxAdd(box, point->p);
        }
        for (int begin = 1; begin < count; begin *= 2) {
            bucketFill(&buckets, points, order, begin, box);
            for (int rank = begin; rank < minI(2 * begin, count); ++rank) {
                int point = order[rank];
                int parent = order[bucketClosest(&buckets, points, order, points[point].p)];
                points[point].parent = parent;
                *(last[parent] < 0 ? &points[parent].child : &points[last[parent]].sibling) = point;
                last[parent] = point;
            }
        }
        *root = order[0];
        measureReaches(points, order, count);
    }
    FREE_ARRAY(memory, buckets.heads, cells);
    FREE_ARRAY(memory, buckets.next, count);
    FREE_ARRAY(memory, last, count);
    return enough ? shOk : failMemory(message);
}

// ---- a solid's own trees --------------------------------------------------------------------------------------------

void treesInit(PieceTrees* trees, Memory* memory, const TreePoint* rest, int restCount, int restRoot)
{
    *trees = (PieceTrees){.memory = memory, .rest = rest, .restCount = restCount, .restRoot = restRoot};
}

void treesFree(PieceTrees* trees)
{
    arrayFree(trees->memory, &trees->own);
    arrayFree(trees->memory, &trees->roots);
    arrayFree(trees->memory, &trees->heads);
    arrayFree(trees->memory, &trees->nextHeads);
}

int64_t treesBytes(const PieceTrees* trees)
{
    return (int64_t)sizeof(TreePoint) * trees->own.capacity + (int64_t)sizeof(int) * trees->roots.capacity +
           (int64_t)sizeof(TreeHead) * (trees->heads.capacity + trees->nextHeads.capacity);
}

bool treesReserve(PieceTrees* trees, int newCuts, int pieceCount, int pointCount)
{
    int64_t now = trees->own.count > 0 ? trees->own.count : trees->restCount;
    return arrayReserve(trees->memory, &trees->own, now + 2 * (int64_t)newCuts) &&
           arrayReserve(trees->memory, &trees->roots, pieceCount) &&
           arrayReserve(trees->memory, &trees->heads, pointCount) &&
           arrayReserve(trees->memory, &trees->nextHeads, pointCount);
}

// Farthest descendant of `top` (itself included) from p.
static float farthest(const TreePoint* points, int top, Vec3 p)
{
    float best2 = 0.0f;
    for (int at = top;;) {
        best2 = maxF(best2, vDistance2(p, points[at].p));
        if (points[at].child >= 0) {
            at = points[at].child;
            continue;
        }
        while (at != top && points[at].sibling < 0)
            at = points[at].parent;
        if (at == top)
            return sqrtf(best2) * (1.0f + REACH_ROUNDING);
        at = points[at].sibling;
    }
}

// Takes a place among the parent's children by reach: behind those that reach farther (G13: the level whose radius is
// just larger than the distance).
static void addChild(TreePoint* points, int parent, int child, float reach)
{
    int* link = &points[parent].child;
    while (*link >= 0 && points[*link].reach >= reach)
        link = &points[*link].sibling;
    points[child].sibling = *link;
    points[child].parent = parent;
    points[child].reach = *link >= 0 ? maxF(reach, points[*link].reach) : reach;
    *link = child;
    setRadius(points, parent);
}

static void removeChild(TreePoint* points, int child)
{
    int parent = points[child].parent;
    int* link = &points[parent].child;
    while (*link != child)
        link = &points[*link].sibling;
    *link = points[child].sibling;
    points[child].sibling = -1;
    setRadius(points, parent);
}

static int depthOf(const TreePoint* points, int point)
{
    int depth = 0;
    while ((point = points[point].parent) >= 0)
        ++depth;
    return depth;
}

static int compareHeads(const void* left, const void* right)
{
    const TreeHead *a = left, *b = right;
    if (a->depth != b->depth)
        return a->depth > b->depth ? -1 : 1;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    if (a->label != b->label)
        return a->label < b->label ? -1 : 1;
    return (a->point > b->point) - (a->point < b->point);
}

// Points whose parent is of another piece now.
static void collectHead(PieceTrees* trees, const FragmentField* field, int point)
{
    TreePoint* points = trees->own.data;
    int parent = points[point].parent;
    if (parent < 0)
        return;
    int label = treePointLabel(field, point);
    if (label != treePointLabel(field, parent))
        trees->heads.data[trees->heads.count++] = (TreeHead){depthOf(points, parent), parent, label, point};
}

static void collectAround(PieceTrees* trees, const FragmentField* field, int point, int kept)
{
    collectHead(trees, field, point);
    // The largest part's points are not visited; those of them that hang on this one are seen from here.
    for (int child = trees->own.data[point].child; child >= 0; child = trees->own.data[child].sibling) {
        if (treePointLabel(field, child) == kept)
            collectHead(trees, field, child);
    }
}

// Around the nodes of all but the largest part.
static void collectFromParts(PieceTrees* trees, const FragmentField* field)
{
    const TetTopology* topology = field->rest->topology;
    int nodeCount = field->rest->mesh->nodeCount, kept = field->children.data[0];
    for (int c = 1; c < field->children.count; ++c) {
        const Piece* piece = &field->pieces.data[field->children.data[c]];
        for (int i = piece->first; i < piece->first + piece->count; ++i) {
            int node = field->nodeOrder[i];
            collectAround(trees, field, node, kept);
            for (int k = topology->nodeEdgeStart[node]; k < topology->nodeEdgeStart[node + 1]; ++k) {
                int edge = topology->nodeEdges[k], cut = field->edgeCuts[edge];
                if (cut >= 0 && cut < field->firstNewCut)
                    collectAround(trees, field, nodeCount + 2 * cut + (topology->edges[edge][1] == node), kept);
            }
        }
    }
}

static void collectHeads(PieceTrees* trees, const FragmentField* field)
{
    int gone = 0;
    for (int c = 1; c < field->children.count; ++c)
        gone += field->pieces.data[field->children.data[c]].count;
    trees->heads.count = 0;
    // Looking at every point in turn is quicker than looking around half of them.
    if (2 * gone < trees->own.count)
        collectFromParts(trees, field);
    else
        for (int point = 0; point < trees->own.count; ++point)
            collectHead(trees, field, point);
    qsort(trees->heads.data, (size_t)trees->heads.count, sizeof(TreeHead), compareHeads);
}

// The point that stands for a group of heads in the place of their old ancestor.
static int choose(const PieceTrees* trees, const TreeHead* group, int count)
{
    const TreePoint* points = trees->own.data;
    int best = group[0].point;
    for (int i = 1; i < count && trees->restructure == restructureNearest; ++i) {
        Vec3 at = points[group[0].at].p;
        if (vDistance2(points[group[i].point].p, at) < vDistance2(points[best].p, at))
            best = group[i].point;
    }
    return best;
}

// Heads climb their old ancestors, deepest first. Where one finds an ancestor of its own piece it will hang there;
// where several of a piece meet, the chosen one takes the others and climbs on; whoever climbs out is the piece's root.
// Only decides: the first `decided` heads then hold (point, new parent in `at`), deepest first. Old links stay
// readable.
static int decideParents(PieceTrees* trees, const FragmentField* field)
{
    const TreePoint* points = trees->own.data;
    TreeHead* heads = trees->heads.data;
    TreeHead* level = trees->nextHeads.data; // climbers, then newcomers, all of one depth
    int first = 0, decided = 0, climbers = 0;
    while (first < trees->heads.count || climbers > 0) {
        // Newcomers are sorted by depth and climbers go up by one: none of those left is deeper than they are.
        int depth = climbers > 0 ? level[0].depth : heads[first].depth;
        int count = climbers;
        while (first < trees->heads.count && heads[first].depth == depth)
            level[count++] = heads[first++];
        qsort(level, (size_t)count, sizeof(TreeHead), compareHeads);
        climbers = 0;
        for (int begin = 0, end; begin < count; begin = end) {
            end = begin + 1;
            while (end < count && level[end].at == level[begin].at && level[end].label == level[begin].label)
                ++end;
            TreeHead group = level[begin];
            bool home = treePointLabel(field, group.at) == group.label;
            int parent = home ? group.at : choose(trees, &level[begin], end - begin);
            for (int i = begin; i < end; ++i) {
                if (level[i].point != parent)
                    heads[decided++] = (TreeHead){.point = level[i].point, .at = parent};
            }
            int above = points[group.at].parent;
            if (!home && above >= 0)
                level[climbers++] = (TreeHead){depth - 1, above, group.label, parent};
            else if (!home)
                trees->roots.data[group.label] = parent;
        }
    }
    return decided;
}

// The new surface points of a node on one side of the crack: each a child of the node, then all ancestors told.
static void insertCutPoints(PieceTrees* trees, const FragmentField* field, int node)
{
    const TetTopology* topology = field->rest->topology;
    TreePoint* points = trees->own.data;
    int nodeCount = field->rest->mesh->nodeCount;
    float overhang = 0.0f;
    for (int k = topology->nodeEdgeStart[node]; k < topology->nodeEdgeStart[node + 1]; ++k) {
        int edge = topology->nodeEdges[k], cut = field->edgeCuts[edge];
        if (cut < field->firstNewCut)
            continue;
        int point = nodeCount + 2 * cut + (topology->edges[edge][1] == node);
        float reach = reachOf(points[node].p, field->cuts.data[cut].p);
        points[point] = (TreePoint){.p = field->cuts.data[cut].p, .child = -1};
        addChild(points, node, point, reach);
        overhang = maxF(overhang, reach);
    }
    for (int below = node, above = points[node].parent; above >= 0; below = above, above = points[above].parent) {
        float room = (points[below].reach - overhang) * (1.0f - 2.0f * REACH_ROUNDING);
        if (room > 0.0f && vDistance2(points[above].p, points[node].p) <= room * room)
            continue;
        float reach = 0.0f;
        for (int k = topology->nodeEdgeStart[node]; k < topology->nodeEdgeStart[node + 1]; ++k) {
            int cut = field->edgeCuts[topology->nodeEdges[k]];
            if (cut >= field->firstNewCut)
                reach = maxF(reach, reachOf(points[above].p, field->cuts.data[cut].p));
        }
        // This child and the earlier ones, which reach over it.
        for (int child = points[above].child;; child = points[child].sibling) {
            points[child].reach = maxF(points[child].reach, reach);
            if (child == below)
                break;
        }
        setRadius(points, above);
    }
}

// Each node at a new cut once: with its first new point all of them get a parent.
static void insertNewPoints(PieceTrees* trees, const FragmentField* field)
{
    int nodeCount = field->rest->mesh->nodeCount;
    int first = nodeCount + 2 * field->firstNewCut, end = nodeCount + 2 * field->cuts.count;
    for (int point = first; point < end; ++point)
        trees->own.data[point].parent = -1;
    for (int point = first; point < end; ++point) {
        int edge = field->cuts.data[(point - nodeCount) / 2].edge;
        if (trees->own.data[point].parent < 0)
            insertCutPoints(trees, field, field->rest->topology->edges[edge][(point - nodeCount) % 2]);
    }
}

void treesBreak(PieceTrees* trees, const FragmentField* field)
{
    if (field->children.count < 2)
        return;
    if (trees->own.count == 0) {
        memcpy(trees->own.data, trees->rest, sizeof(TreePoint) * (size_t)trees->restCount);
        trees->own.count = trees->restCount;
        trees->roots.data[0] = trees->restRoot;
    }
    TreePoint* points = trees->own.data;
    int oldRoot = trees->roots.data[field->children.data[0]];
    trees->roots.count = field->pieces.count;
    trees->roots.data[treePointLabel(field, oldRoot)] = oldRoot;
    collectHeads(trees, field);
    for (int i = 0; i < trees->heads.count; ++i)
        removeChild(points, trees->heads.data[i].point);
    int decided = decideParents(trees, field);
    for (int i = 0; i < decided; ++i) {
        TreeHead head = trees->heads.data[i];
        addChild(points, head.at, head.point, farthest(points, head.point, points[head.at].p));
    }
    for (int c = 0; c < field->children.count; ++c) {
        int root = trees->roots.data[field->children.data[c]];
        points[root].parent = points[root].sibling = -1;
        points[root].reach = 0.0f;
    }
    trees->own.count = field->rest->mesh->nodeCount + 2 * field->cuts.count;
    insertNewPoints(trees, field);
}
