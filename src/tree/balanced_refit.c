// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Boxes of the balanced tree brought up to date, where they are dirty or everywhere, with permutations on the way; and
// the quality Q (Otaduy §4.3).
#include "core/arena.h"
#include "core/constants.h"
#include "core/message.h"
#include "tree/balanced_tree.h"

// ---- quality --------------------------------------------------------------------------------------------------------

static double longestSide(const shBox* box)
{
    double x = (double)box->upper.x - (double)box->lower.x, y = (double)box->upper.y - (double)box->lower.y,
           z = (double)box->upper.z - (double)box->lower.z;
    return maxD(x, maxD(y, z));
}

// Where everything is one point all measures are one.
void balancedTune(shBoxTree* tree)
{
    if (tree->itemCount == 0)
        return;
    double size = longestSide(&tree->nodes[0].box[0]);
    if (tree->pad > 0.0 && size >= 0.5 * tree->padSize && size <= 2.0 * tree->padSize)
        return;
    tree->padSize = size;
    tree->pad = size > 0.0 ? size * BALANCED_PAD : 1.0;
    tree->sumKnown = false;
}

static double sumBelow(const shBoxTree* tree, int slot)
{
    shBox box = balancedBox(tree, slot);
    int child = balancedChild(tree, slot);
    double sum = balancedMeasure(tree->pad, &box);
    return child < 0 ? sum : sum + (sumBelow(tree, 2 * child) + sumBelow(tree, 2 * child + 1));
}

double balancedSum(const shBoxTree* tree) { return sumBelow(tree, 0); }

double balancedQuality(shBoxTree* tree)
{
    if (tree->itemCount == 0)
        return 0.0;
    balancedTune(tree);
    // Differences that have been added up are exact to a part of the largest sum there was.
    if (!tree->sumKnown || tree->sum < BALANCED_SUM_SHARE * tree->peakSum) {
        tree->sum = tree->peakSum = balancedSum(tree);
        tree->sumKnown = true;
    }
    tree->peakSum = maxD(tree->peakSum, tree->sum);
    return tree->sum / balancedMeasure(tree->pad, &tree->nodes[0].box[0]);
}

// ---- dirty slots ----------------------------------------------------------------------------------------------------

static shBox refitNode(shBoxTree* tree, int at, bool optimise)
{
    BalancedNode* node = &tree->nodes[at];
    for (int side = 0; side < 2; ++side) {
        if (!(node->dirty >> side & 1))
            continue;
        shBox box = refitNode(tree, node->child[side], optimise);
        if (tree->sumKnown)
            tree->sum += balancedMeasure(tree->pad, &box) - balancedMeasure(tree->pad, &node->box[side]);
        node->box[side] = box;
    }
    node->dirty = 0;
    ++tree->profile.refitted;
    if (optimise)
        balancedPermute(tree, at);
    return balancedUnion(node);
}

void balancedRefitDirty(shBoxTree* tree, bool optimise)
{
    BalancedNode* anchor = &tree->nodes[0];
    tree->peakSum = maxD(tree->peakSum, tree->sum);
    if (tree->itemCount == 0 || !(anchor->dirty & 1))
        return;
    if (anchor->child[0] < 0) { // a single leaf
        anchor->dirty = 0;
        return;
    }
    balancedTune(tree);
    shBox box = refitNode(tree, anchor->child[0], optimise);
    if (tree->sumKnown)
        tree->sum += balancedMeasure(tree->pad, &box) - balancedMeasure(tree->pad, &anchor->box[0]);
    anchor->box[0] = box;
    anchor->dirty = 0;
    tree->peakSum = maxD(tree->peakSum, tree->sum);
    balancedTune(tree);
}

// ---- everything -----------------------------------------------------------------------------------------------------

// Branches of about so many leaves are the parts of a parallel refit.
typedef struct RefitAll {
    shBoxTree* tree;
    const shBox* boxes; // by item
    int branches[BALANCED_BRANCHES];
    double sums[BALANCED_BRANCHES]; // of measures below the branch's root
    int branchCount, branchHeight;
} RefitAll;

static shBox refitBranch(const RefitAll* all, int at, double* sum)
{
    BalancedNode* node = &all->tree->nodes[at];
    for (int side = 0; side < 2; ++side) {
        int child = node->child[side];
        node->box[side] = child < 0 ? all->boxes[~child] : refitBranch(all, child, sum);
        *sum += balancedMeasure(all->tree->pad, &node->box[side]);
    }
    return balancedUnion(node);
}

static void refitTask(int begin, int end, int worker, void* arg)
{
    (void)worker;
    RefitAll* all = arg;
    for (int i = begin; i < end; ++i) {
        int slot = all->branches[i];
        all->tree->nodes[slot >> 1].box[slot & 1] = refitBranch(all, balancedChild(all->tree, slot), &all->sums[i]);
    }
}

static void collectBranches(RefitAll* all, int slot)
{
    int child = balancedChild(all->tree, slot);
    if (balancedHeight(all->tree, slot) <= all->branchHeight) {
        if (child >= 0)
            all->branches[all->branchCount++] = slot;
        return;
    }
    collectBranches(all, 2 * child);
    collectBranches(all, 2 * child + 1);
}

static shBox refitTop(const RefitAll* all, int slot, double* sum)
{
    int child = balancedChild(all->tree, slot);
    shBox box = child < 0 ? all->boxes[~child] : balancedBox(all->tree, slot);
    if (balancedHeight(all->tree, slot) > all->branchHeight) {
        shBox left = refitTop(all, 2 * child, sum), right = refitTop(all, 2 * child + 1, sum);
        box = boxUnion(left, right);
    }
    all->tree->nodes[slot >> 1].box[slot & 1] = box;
    *sum += balancedMeasure(all->tree->pad, &box);
    return box;
}

shStatus shBoxTree_Refit(shBoxTree* tree, const shBox* boxes, int count, shMessage* message)
{
    if (count < tree->itemEnd || (count > 0 && boxes == NULL))
        return fail(message, shInvalid, "refit: %d boxes for items up to %d: pass one per number", count,
                    tree->itemEnd - 1);
    for (int i = 0; i < tree->itemEnd; ++i)
        if (tree->places[i] >= 0 && !balancedValidBox(boxes[i]))
            return fail(message, shInvalid, "refit: the box of item %d is not finite or inside out", i);
    if (tree->itemCount == 0)
        return shOk;
    RefitAll all = {.tree = tree, .boxes = boxes};
    // No more branches than there is room for: every level doubles them at most.
    all.branchHeight = maxI(0, balancedHeight(tree, 0) - BALANCED_BRANCH_LEVELS);
    collectBranches(&all, 0);
    if (tree->itemCount < BALANCED_BRANCHES * BALANCED_GRAIN / 8) // sooner done than handed out
        refitTask(0, all.branchCount, 0, &all);
    else
        parallelFor(tree->context, all.branchCount, 1, refitTask, &all);
    double sum = 0.0;
    refitTop(&all, 0, &sum);
    for (int i = 0; i < all.branchCount; ++i)
        sum += all.sums[i];
    tree->sum = tree->peakSum = sum;
    tree->sumKnown = true;
    balancedTune(tree);
    return shOk;
}

static void optimiseBelow(shBoxTree* tree, int at)
{
    for (int side = 0; side < 2; ++side)
        if (tree->nodes[at].child[side] >= 0)
            optimiseBelow(tree, tree->nodes[at].child[side]);
    balancedPermute(tree, at);
}

int shBoxTree_Optimise(shBoxTree* tree)
{
    int before = tree->profile.permutations, root = tree->nodes[0].child[0];
    balancedTune(tree);
    if (tree->itemCount > 1)
        optimiseBelow(tree, root);
    return tree->profile.permutations - before;
}
