// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Questions to the balanced tree about boxes (O6, O8): overlaps, segments, pairs. Both boxes of a node are tested when
// it is reached, so a slot on the stack is known to be of interest.
#include "core/constants.h"
#include "tree/balanced_tree.h"

enum {
    DESCENT = balancedMostHeight + 2,              // slots that can wait: one per level
    PAIR_DESCENT = 3 * 2 * balancedMostHeight + 4, // three of four per pair of levels, and either side may go alone
};

void shBoxTree_Overlap(const shBoxTree* tree, shBox box, shBoxFn* visit, void* user)
{
    int stack[DESCENT], count = 0;
    if (tree->itemCount > 0 && boxOverlaps(balancedBox(tree, 0), box))
        stack[count++] = 0;
    while (count > 0) {
        int child = balancedChild(tree, stack[--count]);
        if (child < 0) {
            if (!visit(~child, user))
                return;
            continue;
        }
        const BalancedNode* node = &tree->nodes[child];
        for (int side = 1; side >= 0; --side)
            if (boxOverlaps(node->box[side], box))
                stack[count++] = 2 * child + side;
    }
}

// ---- segments -------------------------------------------------------------------------------------------------------

typedef struct Segment {
    double origin[3], inverse[3];
    int near[3], far[3]; // which of a box's six numbers it meets first and last, by axis
} Segment;

// Along an axis in which the segment stays, every way is this long: it is within the box from the start or never.
#define STILL 1e300

// Where the segment enters a box, as a fraction of it; infinite: it does not. Never too late, by a little more than
// rounding; differences of floats have the right sign.
static inline double enter(const Segment* segment, const shBox* box, double most)
{
    const float sides[6] = {box->lower.x, box->lower.y, box->lower.z, box->upper.x, box->upper.y, box->upper.z};
    double near[3], far[3];
    for (int k = 0; k < 3; ++k) {
        near[k] = ((double)sides[segment->near[k]] - segment->origin[k]) * segment->inverse[k];
        far[k] = ((double)sides[segment->far[k]] - segment->origin[k]) * segment->inverse[k];
    }
    double first = maxD(maxD(near[0], near[1]), maxD(near[2], 0.0)) * (1.0 - RAY_BOX_ROUNDING);
    double last = minD(minD(far[0], far[1]), minD(far[2], most)) * (1.0 + RAY_BOX_ROUNDING);
    return first <= last ? first : (double)INFINITY;
}

void shBoxTree_CastRay(const shBoxTree* tree, shVec3 origin, shVec3 translation, shBoxRayFn* visit, void* user)
{
    typedef struct Waiting {
        double at;
        int slot;
    } Waiting;
    Waiting stack[DESCENT];
    int count = 0;
    float most = 1.0f;
    if (tree->itemCount == 0 || !vFinite(origin) || !vFinite(translation))
        return;
    Segment segment;
    for (int k = 0; k < 3; ++k) {
        double along = (double)vGet(translation, k);
        segment.origin[k] = (double)vGet(origin, k);
        segment.inverse[k] = along != 0.0 ? 1.0 / along : STILL;
        segment.near[k] = along < 0.0 ? k + 3 : k;
        segment.far[k] = along < 0.0 ? k : k + 3;
    }
    shBox root = balancedBox(tree, 0);
    stack[count] = (Waiting){enter(&segment, &root, 1.0), 0};
    count += isfinite(stack[0].at);
    while (count > 0) {
        Waiting top = stack[--count];
        if (top.at > (double)most)
            continue;
        int child = balancedChild(tree, top.slot);
        if (child < 0) {
            most = minF(visit(~child, most, user), most);
            if (!(most >= 0.0f))
                return;
            continue;
        }
        const BalancedNode* node = &tree->nodes[child];
        double at[2] = {enter(&segment, &node->box[0], (double)most), enter(&segment, &node->box[1], (double)most)};
        int far = at[1] >= at[0];
        if (isfinite(at[far]))
            stack[count++] = (Waiting){at[far], 2 * child + far};
        if (isfinite(at[1 - far]))
            stack[count++] = (Waiting){at[1 - far], 2 * child + 1 - far};
    }
}

// ---- pairs ----------------------------------------------------------------------------------------------------------

// How the boxes of b look from a: the axis-aligned box around the turned one, a little wider than rounding.
typedef struct Turned {
    bool same; // b is not turned
    Vec3 rows[3], sizes[3], shift;
} Turned;

static Turned turnedBy(const shTransform* frame)
{
    Turned turned = {.same = frame == NULL};
    if (turned.same)
        return turned;
    const Vec3 axes[3] = {qRotate(frame->q, vec3(1.0f, 0.0f, 0.0f)), qRotate(frame->q, vec3(0.0f, 1.0f, 0.0f)),
                          qRotate(frame->q, vec3(0.0f, 0.0f, 1.0f))};
    for (int k = 0; k < 3; ++k) {
        turned.rows[k] = vec3(vGet(axes[0], k), vGet(axes[1], k), vGet(axes[2], k));
        turned.sizes[k] = vec3(fabsf(turned.rows[k].x), fabsf(turned.rows[k].y), fabsf(turned.rows[k].z));
    }
    turned.shift = frame->p;
    return turned;
}

// Without branches: which of the six comparisons fails is anybody's guess.
static inline bool meet(const shBox* a, const shBox* b)
{
    return (a->lower.x <= b->upper.x) & (b->lower.x <= a->upper.x) & (a->lower.y <= b->upper.y) &
           (b->lower.y <= a->upper.y) & (a->lower.z <= b->upper.z) & (b->lower.z <= a->upper.z);
}

static shBox turnBox(const Turned* turned, shBox box)
{
    if (turned->same)
        return box;
    Vec3 centre = boxCenter(box), half = vScale(0.5f, boxSize(box));
    Vec3 at = vec3(vDot(turned->rows[0], centre), vDot(turned->rows[1], centre), vDot(turned->rows[2], centre));
    Vec3 far = vec3(vDot(turned->sizes[0], half), vDot(turned->sizes[1], half), vDot(turned->sizes[2], half));
    at = vAdd(at, turned->shift);
    float slack =
        TURNED_BOX_ROUNDING * (fabsf(centre.x) + fabsf(centre.y) + fabsf(centre.z) + half.x + half.y + half.z +
                               fabsf(turned->shift.x) + fabsf(turned->shift.y) + fabsf(turned->shift.z));
    far = vAdd(far, vec3(slack, slack, slack));
    return (shBox){vSub(at, far), vAdd(at, far)};
}

typedef struct SlotPair {
    int a, b;
} SlotPair;

// From pairs whose boxes meet to pairs of items. Both sides go down at once; where one is a leaf, the other does.
// False: the visitor has had enough.
static bool descend(const shBoxTree* a, const shBoxTree* b, const Turned* turned, SlotPair first, shBoxPairFn* visit,
                    void* user)
{
    SlotPair stack[PAIR_DESCENT];
    int count = 0;
    stack[count++] = first;
    while (count > 0) {
        SlotPair pair = stack[--count];
        int childA = balancedChild(a, pair.a), childB = balancedChild(b, pair.b);
        if (childA < 0 && childB < 0) {
            if (!visit(~childA, ~childB, user))
                return false;
            continue;
        }
        int moreA = childA >= 0 ? 1 : 0, moreB = childB >= 0 ? 1 : 0;
        int beginA = moreA ? 2 * childA : pair.a, beginB = moreB ? 2 * childB : pair.b;
        const shBox* boxesA = &a->nodes[beginA >> 1].box[beginA & 1];
        const shBox* boxesB = &b->nodes[beginB >> 1].box[beginB & 1];
        shBox turnedB[2];
        if (!turned->same) {
            for (int j = 0; j <= moreB; ++j)
                turnedB[j] = turnBox(turned, boxesB[j]);
            boxesB = turnedB;
        }
        for (int i = moreA; i >= 0; --i)
            for (int j = moreB; j >= 0; --j) {
                stack[count] = (SlotPair){beginA + i, beginB + j};
                count += meet(&boxesA[i], &boxesB[j]);
            }
    }
    return true;
}

void shBoxTree_Pairs(const shBoxTree* a, const shBoxTree* b, const shTransform* frame, shBoxPairFn* visit, void* user)
{
    Turned turned = turnedBy(frame);
    if (a->itemCount > 0 && b->itemCount > 0 && boxOverlaps(balancedBox(a, 0), turnBox(&turned, balancedBox(b, 0))))
        descend(a, b, &turned, (SlotPair){0, 0}, visit, user);
}

void shBoxTree_SelfPairs(const shBoxTree* tree, shBoxPairFn* visit, void* user)
{
    const Turned turned = {.same = true};
    int stack[DESCENT], count = 0;
    if (tree->itemCount > 0)
        stack[count++] = 0;
    while (count > 0) {
        int child = balancedChild(tree, stack[--count]);
        if (child < 0)
            continue;
        const BalancedNode* node = &tree->nodes[child];
        if (boxOverlaps(node->box[0], node->box[1]) &&
            !descend(tree, tree, &turned, (SlotPair){2 * child, 2 * child + 1}, visit, user))
            return;
        stack[count++] = 2 * child + 1;
        stack[count++] = 2 * child;
    }
}
