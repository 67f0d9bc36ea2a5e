// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Walks through the box tree, eight boxes at a time.
//
// That a node is passed over only if everything in it would be needs no tolerance: its box holds theirs exactly, and
// each bound (an entry into a slab, a distance) is computed by operations whose rounding keeps order.
#include "dynamics/box_tree.h"

#include <float.h>

static inline uint32_t nodeRef(int level, int node) { return (uint32_t)level << boxRefShift | (uint32_t)node; }
static inline int refLevel(uint32_t ref) { return (int)(ref >> boxRefShift); }
static inline int refNode(uint32_t ref) { return (int)(ref & ((1u << boxRefShift) - 1)); }

void SIMD_NAME(boxTreeRefit)(BoxTree* tree)
{
    for (int level = 0; level + 1 < tree->levelCount; ++level) {
        int count = boxTreeNodeCount(tree, level);
        uint8_t* changed = tree->changed[level];
        for (int i = 0; i < count; ++i) {
            if (!changed[i])
                continue;
            changed[i] = 0;
            const BoxNode* node = &tree->nodes[level][i];
            BoxNode* parent = &tree->nodes[level + 1][i / boxTreeWidth];
            int lane = i % boxTreeWidth;
            for (int axis = 0; axis < 3; ++axis) {
                parent->lower[axis][lane] = f8Least(f8LoadAligned(node->lower[axis]));
                parent->upper[axis][lane] = f8Most(f8LoadAligned(node->upper[axis]));
            }
            tree->changed[level + 1][i / boxTreeWidth] = 1;
        }
    }
    if (tree->levelCount > 0)
        tree->changed[tree->levelCount - 1][0] = 0;
}

// Lanes of a node that have slots from `first` on.
static inline int lanesFrom(int first, int level, int node)
{
    int lane = (first >> 3 * level) - node * boxTreeWidth;
    return lane <= 0 ? 255 : lane >= boxTreeWidth ? 0 : 255 << lane & 255;
}

int SIMD_NAME(boxWalkNext)(const BoxTree* tree, BoxWalk* walk, int* found, int room)
{
    const F8 lowerX = f8Set(walk->box.lower.x), lowerY = f8Set(walk->box.lower.y), lowerZ = f8Set(walk->box.lower.z);
    const F8 upperX = f8Set(walk->box.upper.x), upperY = f8Set(walk->box.upper.y), upperZ = f8Set(walk->box.upper.z);
    int count = 0;
    while (walk->depth > 0 && count + boxTreeWidth <= room) {
        uint32_t ref = walk->stack[--walk->depth];
        int level = refLevel(ref), index = refNode(ref);
        const BoxNode* node = &tree->nodes[level][index];
        M8 x = m8And(f8LessEqual(f8LoadAligned(node->lower[0]), upperX),
                     f8LessEqual(lowerX, f8LoadAligned(node->upper[0])));
        M8 y = m8And(f8LessEqual(f8LoadAligned(node->lower[1]), upperY),
                     f8LessEqual(lowerY, f8LoadAligned(node->upper[1])));
        M8 z = m8And(f8LessEqual(f8LoadAligned(node->lower[2]), upperZ),
                     f8LessEqual(lowerZ, f8LoadAligned(node->upper[2])));
        uint32_t lanes = (uint32_t)(m8Bits(m8And(m8And(x, y), z)) & lanesFrom(walk->first, level, index));
        for (; lanes != 0; lanes &= lanes - 1) {
            int child = index * boxTreeWidth + __builtin_ctz(lanes);
            if (level > 0)
                walk->stack[walk->depth++] = nodeRef(level - 1, child);
            else
                found[count++] = tree->items[child];
        }
    }
    return count;
}

// Nodes and items that wait, the nearest on top.
typedef struct Queue {
    int depth;
    struct {
        float at;
        uint32_t ref;
    } waiting[boxTreeStack];
} Queue;

// The children of a node in the given lanes; `at` says how near they are.
static void queueChildren(Queue* queue, F8 at, int lanes, int level, int node)
{
    float near[boxTreeWidth];
    f8Store(near, at);
    int base = queue->depth;
    for (uint32_t left = (uint32_t)lanes; left != 0; left &= left - 1) {
        int lane = __builtin_ctz(left), place = queue->depth++;
        for (; place > base && queue->waiting[place - 1].at < near[lane]; --place)
            queue->waiting[place] = queue->waiting[place - 1];
        queue->waiting[place].at = near[lane];
        queue->waiting[place].ref = nodeRef(level, node * boxTreeWidth + lane);
    }
}

// Where a line enters the slabs of one axis and leaves them.
static inline void clip(const float* lower, const float* upper, float origin, float shift, F8* enter, F8* leave)
{
    F8 o = f8Set(origin), low = f8LoadAligned(lower), high = f8LoadAligned(upper);
    if (shift == 0.0f) { // never, or always
        M8 within = m8And(f8LessEqual(low, o), f8LessEqual(o, high));
        *leave = f8Select(within, *leave, f8Set(-1.0f));
        return;
    }
    F8 s = f8Set(shift);
    F8 toLow = f8Div(f8Sub(low, o), s), toHigh = f8Div(f8Sub(high, o), s);
    *enter = f8Max(*enter, shift > 0.0f ? toLow : toHigh);
    *leave = f8Min(*leave, shift > 0.0f ? toHigh : toLow);
}

// Levels are counted from one here: zero is an item's slot.
static void queueRoot(Queue* queue, const BoxTree* tree)
{
    queue->depth = tree->levelCount > 0 ? 1 : 0;
    queue->waiting[0].at = 0.0f;
    queue->waiting[0].ref = nodeRef(tree->levelCount, 0);
}

void SIMD_NAME(boxTreeRay)(const BoxTree* tree, Vec3 origin, Vec3 shift, float most, BoxVisitor* visit, void* user)
{
    Queue queue;
    queueRoot(&queue, tree);
    while (queue.depth > 0 && most >= 0.0f) {
        --queue.depth;
        uint32_t ref = queue.waiting[queue.depth].ref;
        int level = refLevel(ref) - 1, index = refNode(ref);
        if (queue.waiting[queue.depth].at > most)
            continue;
        if (level < 0) {
            most = visit(tree->items[index], most, user);
            continue;
        }
        const BoxNode* node = &tree->nodes[level][index];
        F8 enter = f8Zero(), leave = f8Set(most);
        clip(node->lower[0], node->upper[0], origin.x, shift.x, &enter, &leave);
        clip(node->lower[1], node->upper[1], origin.y, shift.y, &enter, &leave);
        clip(node->lower[2], node->upper[2], origin.z, shift.z, &enter, &leave);
        queueChildren(&queue, enter, m8Bits(f8LessEqual(enter, leave)), level, index);
    }
}

static inline F8 outside(const float* lower, const float* upper, float p)
{
    F8 at = f8Set(p);
    return f8Max(f8Max(f8Sub(f8LoadAligned(lower), at), f8Sub(at, f8LoadAligned(upper))), f8Zero());
}

void SIMD_NAME(boxTreeNear)(const BoxTree* tree, Vec3 point, float most, BoxVisitor* visit, void* user)
{
    Queue queue;
    queueRoot(&queue, tree);
    while (queue.depth > 0 && most >= 0.0f) {
        --queue.depth;
        uint32_t ref = queue.waiting[queue.depth].ref;
        int level = refLevel(ref) - 1, index = refNode(ref);
        if (queue.waiting[queue.depth].at > most * most)
            continue;
        if (level < 0) {
            most = visit(tree->items[index], most, user);
            continue;
        }
        const BoxNode* node = &tree->nodes[level][index];
        F8 x = outside(node->lower[0], node->upper[0], point.x);
        F8 y = outside(node->lower[1], node->upper[1], point.y);
        F8 z = outside(node->lower[2], node->upper[2], point.z);
        F8 distance2 = f8Add(f8Add(f8Mul(x, x), f8Mul(y, y)), f8Mul(z, z));
        float limit = minF(most * most, FLT_MAX); // holes are infinitely far
        queueChildren(&queue, distance2, m8Bits(f8LessEqual(distance2, f8Set(limit))), level, index);
    }
}
