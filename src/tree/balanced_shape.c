// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The shape of the balanced tree: insertion, removal, rotation, permutation, joining (Otaduy §3.2, §3.3).
#include "core/check.h"
#include "tree/balanced_tree.h"

void balancedClear(shBoxTree* tree)
{
    for (int i = 0; i < tree->itemEnd; ++i)
        tree->places[i] = balancedAbsent;
    tree->nodes[0] = (BalancedNode){.parent = balancedDetached};
    tree->nodeEnd = 1;
    tree->freeNode = 0;
    tree->itemEnd = tree->itemCount = 0;
    tree->sum = tree->peakSum = 0.0;
    tree->sumKnown = false;
    tree->builtQuality = 0.0;
}

int balancedTakeNode(shBoxTree* tree)
{
    int node = tree->freeNode;
    if (node != 0)
        tree->freeNode = tree->nodes[node].parent;
    else
        node = tree->nodeEnd++;
    CHECK(node < tree->nodeCapacity);
    tree->nodes[node].dirty = 0;
    tree->nodes[node].unused = 0;
    return node;
}

void balancedMark(shBoxTree* tree, int node)
{
    while (node > 0) {
        int slot = tree->nodes[node].parent;
        if (slot < 0)
            return;
        BalancedNode* above = &tree->nodes[slot >> 1];
        if (above->dirty >> (slot & 1) & 1)
            return;
        above->dirty |= (uint8_t)(1 << (slot & 1));
        node = slot >> 1;
    }
}

// What two slots hold, the other way round. Neither is above the other.
static void exchange(shBoxTree* tree, int s, int t)
{
    int child = balancedChild(tree, s), height = balancedHeight(tree, s);
    shBox box = balancedBox(tree, s);
    bool dirty = balancedDirty(tree, s);
    balancedPut(tree, s, balancedChild(tree, t), balancedBox(tree, t), balancedHeight(tree, t), balancedDirty(tree, t));
    balancedPut(tree, t, child, box, height, dirty);
}

// Box and height of a slot from the node in it.
static void renew(shBoxTree* tree, int slot)
{
    BalancedNode* above = &tree->nodes[slot >> 1];
    int side = slot & 1;
    const BalancedNode* node = &tree->nodes[above->child[side]];
    shBox box = balancedUnion(node);
    if (tree->sumKnown)
        tree->sum += balancedMeasure(tree->pad, &box) - balancedMeasure(tree->pad, &above->box[side]);
    above->box[side] = box;
    above->height[side] = (uint8_t)balancedHigher(node);
    above->dirty = (uint8_t)((above->dirty & ~(1 << side)) | (node->dirty != 0) << side);
}

// A node whose children differ by two: the higher child's higher child and the lower child change places. That is the
// single rotation, with the pre-swap where it is needed; of equally high ones that is lifted which leaves less volume.
static void rotate(shBoxTree* tree, int node)
{
    const BalancedNode* a = &tree->nodes[node];
    int high = a->height[1] > a->height[0], b = a->child[high], lower = 2 * node + 1 - high;
    const BalancedNode* below = &tree->nodes[b];
    int lifted = below->height[1] > below->height[0];
    if (below->height[0] == below->height[1]) {
        shBox stays1 = boxUnion(below->box[1], a->box[1 - high]), stays0 = boxUnion(below->box[0], a->box[1 - high]);
        lifted = balancedMeasure(tree->pad, &stays0) < balancedMeasure(tree->pad, &stays1);
    }
    exchange(tree, 2 * b + lifted, lower);
    renew(tree, 2 * node + high);
    ++tree->profile.rotations;
}

void balancedRebalance(shBoxTree* tree, int node)
{
    while (node > 0) {
        BalancedNode* a = &tree->nodes[node];
        int difference = (int)a->height[0] - (int)a->height[1];
        if (difference > 1 || difference < -1)
            rotate(tree, node);
        int height = balancedHigher(a), slot = a->parent;
        if (slot < 0 || balancedHeight(tree, slot) == height)
            return;
        tree->nodes[slot >> 1].height[slot & 1] = (uint8_t)height;
        node = slot >> 1;
    }
}

void balancedInsertAt(shBoxTree* tree, int slot, int item, shBox box)
{
    int x = balancedTakeNode(tree), above = slot >> 1, side = slot & 1;
    BalancedNode *node = &tree->nodes[x], *up = &tree->nodes[above];
    int child = up->child[side];
    node->box[0] = up->box[side], node->box[1] = box;
    node->child[0] = child, node->child[1] = ~item;
    node->parent = slot;
    node->height[0] = up->height[side], node->height[1] = 0;
    node->dirty = up->dirty >> side & 1; // and stays so above
    if (child < 0)
        tree->places[~child] = 2 * x;
    else
        tree->nodes[child].parent = 2 * x;
    tree->places[item] = 2 * x + 1;
    up->box[side] = balancedUnion(node);
    up->child[side] = x;
    up->height[side] = (uint8_t)(node->height[0] + 1);
    if (tree->sumKnown)
        tree->sum += balancedMeasure(tree->pad, &box) + balancedMeasure(tree->pad, &up->box[side]);
    ++tree->itemCount;
    tree->itemEnd = maxI(tree->itemEnd, item + 1);
    balancedMark(tree, above);
    balancedRebalance(tree, above);
}

void balancedInsertFirst(shBoxTree* tree, int item, shBox box)
{
    balancedPut(tree, 0, ~item, box, 0, false);
    tree->itemCount = 1;
    tree->itemEnd = maxI(tree->itemEnd, item + 1);
    tree->sumKnown = false;
}

void balancedRemoveItem(shBoxTree* tree, int item)
{
    int slot = tree->places[item], x = slot >> 1;
    tree->places[item] = balancedAbsent;
    if (--tree->itemCount == 0) {
        tree->nodes[0] = (BalancedNode){.parent = balancedDetached};
        tree->sumKnown = false;
        return;
    }
    int other = slot ^ 1, above = tree->nodes[x].parent;
    if (tree->sumKnown) {
        shBox gone = balancedBox(tree, slot), old = balancedBox(tree, above);
        tree->sum -= balancedMeasure(tree->pad, &gone) + balancedMeasure(tree->pad, &old);
    }
    balancedPut(tree, above, balancedChild(tree, other), balancedBox(tree, other), balancedHeight(tree, other),
                balancedDirty(tree, other));
    tree->nodes[x].parent = tree->freeNode;
    tree->freeNode = x;
    balancedMark(tree, above >> 1);
    balancedRebalance(tree, above >> 1);
}

void balancedSetLeaf(shBoxTree* tree, int slot, int item, shBox box)
{
    if (tree->sumKnown) {
        shBox old = balancedBox(tree, slot);
        tree->sum += balancedMeasure(tree->pad, &box) - balancedMeasure(tree->pad, &old);
    }
    balancedPut(tree, slot, ~item, box, 0, false);
    tree->itemEnd = maxI(tree->itemEnd, item + 1);
    balancedMark(tree, slot >> 1);
}

// The side of a node whose box grows less, then the nearer, then the lower one.
static int cheaperSide(const BalancedNode* node, const shBox* box)
{
    double growth[2], distance[2];
    for (int side = 0; side < 2; ++side) {
        const shBox* mine = &node->box[side];
        const double size[3] = {(double)mine->upper.x - (double)mine->lower.x,
                                (double)mine->upper.y - (double)mine->lower.y,
                                (double)mine->upper.z - (double)mine->lower.z};
        shBox both = boxUnion(*mine, *box);
        const double grown[3] = {(double)both.upper.x - (double)both.lower.x,
                                 (double)both.upper.y - (double)both.lower.y,
                                 (double)both.upper.z - (double)both.lower.z};
        growth[side] = (grown[0] * grown[1] + grown[1] * grown[2] + grown[2] * grown[0]) -
                       (size[0] * size[1] + size[1] * size[2] + size[2] * size[0]);
        distance[side] = 0.0;
        for (int k = 0; k < 3; ++k)
            distance[side] += fabs((double)vGet(mine->lower, k) + (double)vGet(mine->upper, k) -
                                   (double)vGet(box->lower, k) - (double)vGet(box->upper, k));
    }
    if (growth[0] != growth[1])
        return growth[1] < growth[0];
    if (distance[0] != distance[1])
        return distance[1] < distance[0];
    return node->height[1] < node->height[0];
}

int balancedNearest(const shBoxTree* tree, shBox box)
{
    int slot = 0;
    for (int child = balancedChild(tree, slot); child >= 0; child = balancedChild(tree, slot))
        slot = 2 * child + cheaperSide(&tree->nodes[child], &box);
    return slot;
}

// ---- permutations ---------------------------------------------------------------------------------------------------

static bool near1(int a, int b) { return a - b <= 1 && b - a <= 1; }

// Four grandchildren in the other two pairings (§3.3.2). A node of the new pair (s, t), (u, v) is balanced if each pair
// is; the node above then is, and keeps its height.
static double pairing(const shBoxTree* tree, const BalancedNode* s, int i, const BalancedNode* t, int j)
{
    if (!near1(s->height[i], t->height[j]) || !near1(s->height[1 - i], t->height[1 - j]))
        return (double)INFINITY;
    shBox first = boxUnion(s->box[i], t->box[j]), second = boxUnion(s->box[1 - i], t->box[1 - j]);
    return balancedMeasure(tree->pad, &first) + balancedMeasure(tree->pad, &second);
}

// A child changes places with a child of the other child `a`, which keeps its other child. q of the node counts what
// comes up in place of the child, Q only what becomes of the other child: both have to fall.
static double lifting(const shBoxTree* tree, const BalancedNode* node, int side, const BalancedNode* a, int lifted,
                      double before)
{
    int stays = 1 - lifted;
    if (!near1(node->height[side], a->height[stays]))
        return (double)INFINITY;
    int made = 1 + maxI(node->height[side], a->height[stays]);
    if (!near1(made, a->height[lifted]) || maxI(made, a->height[lifted]) != balancedHigher(node) - 1)
        return (double)INFINITY;
    shBox both = boxUnion(node->box[side], a->box[stays]);
    double measure = balancedMeasure(tree->pad, &both);
    if (!(measure < before))
        return (double)INFINITY;
    return measure + balancedMeasure(tree->pad, &a->box[lifted]);
}

bool balancedPermute(shBoxTree* tree, int node)
{
    const BalancedNode* a = &tree->nodes[node];
    const int child[2] = {a->child[0], a->child[1]};
    if (child[0] < 0 && child[1] < 0)
        return false;
    const double measure[2] = {balancedMeasure(tree->pad, &a->box[0]), balancedMeasure(tree->pad, &a->box[1])};
    double least = measure[0] + measure[1];
    int from = -1, to = -1;
    if (child[0] >= 0 && child[1] >= 0)
        for (int k = 0; k < 2; ++k) { // the first child's second goes to the other child, and its child k comes
            double q = pairing(tree, &tree->nodes[child[0]], 0, &tree->nodes[child[1]], k);
            if (q < least)
                least = q, from = 2 * child[0] + 1, to = 2 * child[1] + k;
        }
    for (int side = 0; side < 2; ++side)
        for (int k = 0; k < 2 && child[1 - side] >= 0; ++k) {
            double q = lifting(tree, a, side, &tree->nodes[child[1 - side]], k, measure[1 - side]);
            if (q < least)
                least = q, from = 2 * node + side, to = 2 * child[1 - side] + k;
        }
    if (from < 0)
        return false;
    exchange(tree, from, to);
    for (int side = 0; side < 2; ++side)
        if (a->child[side] >= 0)
            renew(tree, 2 * node + side);
    ++tree->profile.permutations;
    return true;
}

// ---- joining --------------------------------------------------------------------------------------------------------

// One node above two branches whose heights differ by one at most.
static BalancedBranch pairUp(shBoxTree* tree, BalancedBranch a, BalancedBranch b)
{
    int x = balancedTakeNode(tree);
    BalancedNode* node = &tree->nodes[x];
    node->parent = balancedDetached;
    balancedPut(tree, 2 * x, a.child, a.box, a.height, a.child >= 0 && tree->nodes[a.child].dirty != 0);
    balancedPut(tree, 2 * x + 1, b.child, b.box, b.height, b.child >= 0 && tree->nodes[b.child].dirty != 0);
    return (BalancedBranch){x, balancedHigher(node), balancedUnion(node)};
}

// The lower branch goes beside a node of its own height in the higher one, which grows there by one, as if a leaf had
// been inserted.
BalancedBranch balancedJoin(shBoxTree* tree, BalancedBranch a, BalancedBranch b)
{
    if (near1(a.height, b.height))
        return pairUp(tree, a, b);
    BalancedBranch tall = a.height > b.height ? a : b, low = a.height > b.height ? b : a;
    int node = tall.child, side;
    tree->nodes[node].parent = balancedDetached;
    for (;;) {
        side = cheaperSide(&tree->nodes[node], &low.box);
        BalancedNode* at = &tree->nodes[node];
        if (at->height[side] <= low.height + 1)
            break;
        at->box[side] = boxUnion(at->box[side], low.box);
        node = at->child[side];
    }
    BalancedNode* at = &tree->nodes[node];
    BalancedBranch made = pairUp(tree, (BalancedBranch){at->child[side], at->height[side], at->box[side]}, low);
    balancedPut(tree, 2 * node + side, made.child, made.box, made.height, true);
    balancedMark(tree, node);
    balancedRebalance(tree, node);
    const BalancedNode* root = &tree->nodes[tall.child];
    return (BalancedBranch){tall.child, balancedHigher(root), boxUnion(tall.box, low.box)};
}

void balancedPlant(shBoxTree* tree, BalancedBranch root)
{
    balancedPut(tree, 0, root.child, root.box, root.height, root.child >= 0 && tree->nodes[root.child].dirty != 0);
}
