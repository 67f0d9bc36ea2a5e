// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// One balanced k-d tree answers both questions. Its nodes keep the largest gap (squared distance to the closest chosen
// point) below them, so the root always knows the next point: the tree is its own tournament, and a new point visits
// only the nodes whose box is closer to it than their largest gap. Each choice reaches a shrinking neighbourhood,
// n log n in all for evenly spread points.
//
// Box bounds are computed by the same operations as the distances they bound, from operands that are not smaller (or
// not larger). Rounding is monotone, so the bounds hold to the last bit and the order is exact without any tolerance.

#include "tree/point_order.h"

#include "core/check.h"
#include "core/constants.h"
#include "core/message.h"
#include "core/random.h"

#include <limits.h>

typedef struct Item {
    Vec3 p;
    int index; // in the caller's array
} Item;

typedef struct Node {
    shBox box;
    double reach; // largest squared distance of its points to the middle of all
    double gap;   // largest gap of its points; negative when all are chosen
    int lowest;   // lowest index of its points
    int next;     // the item with that gap; of several the one with the lowest index
} Node;

typedef struct Tree {
    Item* items;  // in tree order: the points of a node are a range
    double* gaps; // per item; negative: chosen
    Node* nodes;  // children of k: 2k + 1, 2k + 2; the leaves come last, all on one level
    int count, leafCount;
    DVec3 middle;
} Tree;

// A node and its items. Ranges are halved all the way down, so they need not be stored.
typedef struct Span {
    int node, begin, end;
} Span;

static Span rootSpan(const Tree* tree) { return (Span){0, 0, tree->count}; }
static Span leftSpan(Span s) { return (Span){2 * s.node + 1, s.begin, s.begin + (s.end - s.begin) / 2}; }
static Span rightSpan(Span s) { return (Span){2 * s.node + 2, s.begin + (s.end - s.begin) / 2, s.end}; }
static bool isLeaf(const Tree* tree, Span s) { return s.node >= tree->leafCount - 1; }

static double distance2(Vec3 a, Vec3 b) { return dLength2(dSub(dFromV(a), dFromV(b))); }

// Squared distance from p to the closest and to the furthest point of a box.
static double closestInBox2(DVec3 lower, DVec3 upper, DVec3 p)
{
    DVec3 under = dSub(lower, p), over = dSub(p, upper);
    return dLength2(
        (DVec3){maxD(maxD(under.x, over.x), 0.0), maxD(maxD(under.y, over.y), 0.0), maxD(maxD(under.z, over.z), 0.0)});
}

static double furthestInBox2(DVec3 lower, DVec3 upper, DVec3 p)
{
    DVec3 a = dSub(p, lower), b = dSub(upper, p);
    return dLength2((DVec3){maxD(a.x, b.x), maxD(a.y, b.y), maxD(a.z, b.z)});
}

// Building

static bool comesBefore(const Item* a, const Item* b, int axis)
{
    float x = vGet(a->p, axis), y = vGet(b->p, axis);
    return x < y || (x == y && a->index < b->index);
}

// Puts the item that sorting along the axis would put there at `middle`, smaller ones before it, larger ones after.
// Pivots are drawn by lot: no arrangement of points is slow.
static void selectItem(Item* items, int count, int middle, int axis, Random* random)
{
    int begin = 0, end = count;
    while (end - begin > 1) {
        Item pivot = items[begin + randomBelow(random, end - begin)];
        int i = begin, j = end - 1;
        while (i <= j) {
            while (comesBefore(&items[i], &pivot, axis)) {
                ++i;
            }
            while (comesBefore(&pivot, &items[j], axis)) {
                --j;
            }
            if (i <= j) {
                Item swap = items[i];
                items[i++] = items[j];
                items[j--] = swap;
            }
        }
        if (middle <= j) {
            end = j + 1;
        } else if (middle >= i) {
            begin = i;
        } else {
            return;
        }
    }
}

static void buildNode(Tree* tree, Span span, Random* random)
{
    Node* node = &tree->nodes[span.node];
    *node = (Node){.box = boxEmpty(), .gap = INFINITY, .lowest = INT_MAX};
    for (int i = span.begin; i < span.end; ++i) {
        node->box = boxAdd(node->box, tree->items[i].p);
        node->lowest = minI(node->lowest, tree->items[i].index);
    }
    DVec3 size = dSub(dFromV(node->box.upper), dFromV(node->box.lower));
    if (span.node == 0) {
        tree->middle = dMad(dFromV(node->box.lower), 0.5, size);
    }
    if (isLeaf(tree, span)) {
        for (int i = span.begin; i < span.end; ++i) {
            node->reach = maxD(node->reach, dLength2(dSub(dFromV(tree->items[i].p), tree->middle)));
        }
        return;
    }
    Span left = leftSpan(span), right = rightSpan(span);
    selectItem(tree->items + span.begin, span.end - span.begin, right.begin - span.begin, dLargestAxis(size), random);
    buildNode(tree, left, random);
    buildNode(tree, right, random);
    node->reach = maxD(tree->nodes[left.node].reach, tree->nodes[right.node].reach);
}

// The first two

typedef struct Pair {
    double length2;
    int low, high; // indices of the points
    int found;     // the item that was found last
} Pair;

typedef struct Search {
    const Tree* tree;
    Pair best;
    DVec3 p; // find the point furthest from this one
    int index;
    DVec3 offset; // of p from the middle
} Search;

static bool beats(const Search* search, double length2, int other)
{
    const Pair* best = &search->best;
    int low = minI(search->index, other), high = maxI(search->index, other);
    return length2 > best->length2 ||
           (length2 == best->length2 && (low < best->low || (low == best->low && high < best->high)));
}

// No point of the node is further than this from p. Far from p its box says enough. On round bodies, where every point
// has a partner almost as far as the best, boxes are too loose: with a and b seen from the middle,
// |a − b|² = 2|a|² + 2|b|² − |a + b|², so b must lie close to −a, the opposite of p, and only a spot is left.
static double furthestInNode2(const Search* search, const Node* node)
{
    const Tree* tree = search->tree;
    DVec3 lower = dFromV(node->box.lower), upper = dFromV(node->box.upper);
    double byBox = furthestInBox2(lower, upper, search->p);
    double miss2 = closestInBox2(dSub(lower, tree->middle), dSub(upper, tree->middle), dNeg(search->offset));
    double byOpposite = 2.0 * dLength2(search->offset) + 2.0 * node->reach - miss2;
    return minD(byBox, byOpposite + DIAMETER_ROUNDING * tree->nodes[0].reach);
}

static void searchNode(Search* search, Span span)
{
    const Tree* tree = search->tree;
    if (isLeaf(tree, span)) {
        for (int i = span.begin; i < span.end; ++i) {
            const Item* item = &tree->items[i];
            double length2 = dLength2(dSub(search->p, dFromV(item->p)));
            if (beats(search, length2, item->index) && item->index != search->index) {
                search->best = (Pair){length2, minI(search->index, item->index), maxI(search->index, item->index), i};
            }
        }
        return;
    }
    Span first = leftSpan(span), second = rightSpan(span);
    double firstFar2 = furthestInNode2(search, &tree->nodes[first.node]);
    double secondFar2 = furthestInNode2(search, &tree->nodes[second.node]);
    if (secondFar2 > firstFar2) {
        Span span0 = first;
        double far0 = firstFar2;
        first = second, firstFar2 = secondFar2;
        second = span0, secondFar2 = far0;
    }
    if (beats(search, firstFar2, tree->nodes[first.node].lowest)) {
        searchNode(search, first);
    }
    if (beats(search, secondFar2, tree->nodes[second.node].lowest)) {
        searchNode(search, second);
    }
}

// True when a better pair was found.
static bool searchFrom(Search* search, int item)
{
    search->p = dFromV(search->tree->items[item].p);
    search->index = search->tree->items[item].index;
    search->offset = dSub(search->p, search->tree->middle);
    Pair before = search->best;
    searchNode(search, rootSpan(search->tree));
    return search->best.low != before.low || search->best.high != before.high;
}

static Pair furthestPair(const Tree* tree)
{
    Search search = {.tree = tree, .best = {-1.0, INT_MAX, INT_MAX, 0}};
    // Back and forth between the furthest of the furthest: almost the diameter after a few turns, and with that the
    // search from the other points ends at once.
    while (searchFrom(&search, search.best.found)) {
    }
    for (int i = 0; i < tree->count; ++i) {
        searchFrom(&search, i);
    }
    return search.best;
}

// The others

static bool winsOver(const Tree* tree, int a, int b)
{
    return tree->gaps[a] > tree->gaps[b] ||
           (tree->gaps[a] == tree->gaps[b] && tree->items[a].index < tree->items[b].index);
}

// A point is chosen: updates the gaps it makes smaller, and the nodes above them and above itself.
static void chooseItem(Tree* tree, Span span, int chosen)
{
    Node* node = &tree->nodes[span.node];
    Vec3 p = tree->items[chosen].p;
    bool within = chosen >= span.begin && chosen < span.end;
    if (!within && closestInBox2(dFromV(node->box.lower), dFromV(node->box.upper), dFromV(p)) >= node->gap) {
        return;
    }
    if (isLeaf(tree, span)) {
        node->next = span.begin;
        for (int i = span.begin; i < span.end; ++i) {
            tree->gaps[i] = minD(tree->gaps[i], distance2(tree->items[i].p, p));
            node->next = winsOver(tree, i, node->next) ? i : node->next;
        }
    } else {
        Span left = leftSpan(span), right = rightSpan(span);
        chooseItem(tree, left, chosen);
        chooseItem(tree, right, chosen);
        int a = tree->nodes[left.node].next, b = tree->nodes[right.node].next;
        node->next = winsOver(tree, a, b) ? a : b;
    }
    node->gap = tree->gaps[node->next];
}

static void orderItems(Tree* tree, int* order, float* spacing)
{
    Pair first = furthestPair(tree);
    int firstItems[2] = {0, 0};
    for (int i = 0; i < tree->count; ++i) {
        tree->gaps[i] = INFINITY;
        if (tree->items[i].index == first.low) {
            firstItems[0] = i;
        } else if (tree->items[i].index == first.high) {
            firstItems[1] = i;
        }
    }
    for (int k = 0; k < tree->count; ++k) {
        int chosen = k < 2 ? firstItems[k] : tree->nodes[0].next;
        order[k] = tree->items[chosen].index;
        if (spacing) {
            spacing[k] = (float)sqrt(k < 2 ? first.length2 : tree->gaps[chosen]);
        }
        tree->gaps[chosen] = -1.0;
        chooseItem(tree, rootSpan(tree), chosen);
    }
}

shStatus pointOrder(const Vec3* points, int count, Memory* memory, int* order, float* spacing, shMessage* message)
{
    CHECK(count >= 0);
    if (count < 2) {
        for (int i = 0; i < count; ++i) {
            order[i] = i;
            if (spacing) {
                spacing[i] = 0.0f;
            }
        }
        return shOk;
    }
    Tree tree = {.count = count, .leafCount = 1};
    while (count / tree.leafCount >= ORDER_LEAF_POINTS) {
        tree.leafCount *= 2;
    }
    int nodeCount = 2 * tree.leafCount - 1;
    tree.items = NEW_ARRAY(memory, Item, count);
    tree.gaps = NEW_ARRAY(memory, double, count);
    tree.nodes = NEW_ARRAY(memory, Node, nodeCount);
    shStatus status = shOk;
    if (tree.items && tree.gaps && tree.nodes) {
        for (int i = 0; i < count; ++i) {
            tree.items[i] = (Item){points[i], i};
        }
        Random random = randomSeed((uint64_t)count);
        buildNode(&tree, rootSpan(&tree), &random);
        orderItems(&tree, order, spacing);
    } else {
        status = failMemory(message);
    }
    FREE_ARRAY(memory, tree.items, count);
    FREE_ARRAY(memory, tree.gaps, count);
    FREE_ARRAY(memory, tree.nodes, nodeCount);
    return status;
}
