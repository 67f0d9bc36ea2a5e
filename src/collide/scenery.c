// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "collide/scenery.h"

#include "core/constants.h"
#include "mesh/tri_query.h"

// ---- patches --------------------------------------------------------------------------------------------------------

static void wholePatch(const shScenery* scenery, SceneryPatch* patch)
{
    *patch = (SceneryPatch){.scenery = scenery,
                            .root = scenery->tree.nodes.data[0],
                            .bounds = scenery->info.box,
                            .reach = INFINITY,
                            .depth = scenery->info.closed ? INFINITY : scenery->thickness};
}

// The children of a node that meet the box; at most `room`, else none is taken and the answer is -1.
static int openNode(const WideNode* node, shBox box, int room, int lanes[wideLanes])
{
    int count = 0;
    for (int lane = 0; lane < wideLanes; ++lane)
        if (boxOverlaps(wideNodeBox(node, lane), box)) {
            if (count == room)
                return -1;
            lanes[count++] = lane;
        }
    return count;
}

void sceneryPatch(const shScenery* scenery, shBox box, float size, float margin, SceneryPatch* patch)
{
    float layer = minF(scenery->thickness, size);
    patch->scenery = scenery;
    patch->depth = scenery->info.closed ? INFINITY : layer;
    patch->reach = layer + margin;
    box = boxGrow(box, patch->reach);
    // A node whose children fit is opened, until none does.
    shBox boxes[wideLanes];
    int children[wideLanes], count = 1, next = 0;
    boxes[0] = scenery->info.box;
    children[0] = 0;
    while (next < count) {
        int lanes[wideLanes], found = -1;
        const WideNode* node = children[next] >= 0 ? &scenery->tree.nodes.data[children[next]] : NULL;
        if (node != NULL)
            found = openNode(node, box, wideLanes - (count - 1), lanes);
        if (found < 0) {
            ++next;
            continue;
        }
        --count;
        boxes[next] = boxes[count];
        children[next] = children[count];
        for (int i = 0; i < found; ++i, ++count) {
            boxes[count] = wideNodeBox(node, lanes[i]);
            children[count] = node->child[lanes[i]];
        }
    }
    patch->root = wideNodeEmpty();
    patch->bounds = boxEmpty();
    for (int i = 0; i < count; ++i) {
        wideNodeSet(&patch->root, i, boxes[i], children[i]);
        patch->bounds = boxUnion(patch->bounds, boxes[i]);
    }
}

// ---- probes ---------------------------------------------------------------------------------------------------------

static void cornersOf(const shScenery* scenery, int slot, DVec3 corners[3])
{
    const SceneryPacket* packet = &scenery->packets[slot / wideLanes];
    int lane = slot % wideLanes;
    for (int k = 0; k < 3; ++k)
        corners[k] = dvec3((double)packet->corners[k][0][lane], (double)packet->corners[k][1][lane],
                           (double)packet->corners[k][2][lane]);
}

// What the closest point lies on; null: within a face, or as good as that.
static const SceneryCrease* creaseAt(const shScenery* scenery, const SceneryTriangle* triangle, TriFeature feature)
{
    const SceneryCrease* crease = NULL;
    if (feature >= triCorner0)
        crease = &scenery->vertices[triangle->vertices[feature - triCorner0]];
    else if (feature >= triEdge0)
        crease = &scenery->edges[triangle->edges[feature - triEdge0]];
    return crease != NULL && crease->kind != creaseFlat ? crease : NULL;
}

// Fills `hit` from the closest triangle. True: p is behind it.
static bool hitOf(const shScenery* scenery, int slot, Vec3 p, FieldHit* hit)
{
    const SceneryTriangle* triangle = &scenery->triangles[slot];
    DVec3 corners[3];
    cornersOf(scenery, slot, corners);
    TriHit closest = triClosest(corners[0], corners[1], corners[2], dFromV(p));
    const SceneryCrease* crease = creaseAt(scenery, triangle, closest.feature);
    Vec3 away = vFromD(dSub(dFromV(p), closest.point)), normal = triangle->normal;
    float distance = (float)closest.distance, height = vDot(away, normal);
    // On the surface itself the way to the closest point is noise.
    bool apart = distance > ROUNDING * (fabsf(p.x) + fabsf(p.y) + fabsf(p.z));
    bool behind = height < 0.0f;
    if (crease == NULL) {
        if (triangle->sheet && behind)
            normal = vNeg(normal);
        behind = behind && !triangle->sheet;
    } else if (crease->kind == creaseFolded) {
        behind = vDot(away, crease->normal) < 0.0f;
        normal = apart ? vScale((behind ? -1.0f : 1.0f) / distance, away) : crease->normal;
    } else {
        // Beyond the rim, unless by rounding.
        behind = height < -SCENERY_STRAIGHT * distance && !triangle->sheet;
        if (apart && !behind)
            normal = vScale(1.0f / distance, away);
    }
    *hit = (FieldHit){behind ? -distance : distance, normal, vFromD(closest.point), triangle->id};
    return behind;
}

float sceneryBound(const SceneryPatch* patch, Vec3 p)
{
    // Behind the surface a sample may be as deep as it is far from it, and below that the layer's underside is nearer.
    float distance = sqrtf(boxDistance2(patch->bounds, p));
    return distance > patch->depth ? distance - patch->depth : -INFINITY;
}

float sceneryProbe(const SceneryPatch* patch, Vec3 p, float margin, float interest, const NormalCone* cone, bool* found,
                   FieldHit* hit)
{
    const shScenery* scenery = patch->scenery;
    bool closed = scenery->info.closed;
    float limit = maxF(interest, 0.0f) + (closed ? patch->reach : patch->depth), distance2 = limit * limit;
    *found = false;
    int slot = SIMD_CHOOSE(sceneryNearest)(patch, p, NULL, &distance2);
    if (closed && (slot < 0 || distance2 > patch->reach * patch->reach)) {
        // What is near may be out of the patch, and only the closest one knows which side p is on.
        SceneryPatch whole;
        wholePatch(scenery, &whole);
        distance2 = INFINITY;
        slot = SIMD_CHOOSE(sceneryNearest)(&whole, p, NULL, &distance2);
    }
    if (slot < 0)
        return INFINITY; // beyond all interest
    bool behind = hitOf(scenery, slot, p, hit);
    if (behind && -hit->distance > patch->depth) {
        // Below the layer, whose underside is there.
        *hit = (FieldHit){-hit->distance - patch->depth, vNeg(hit->normal),
                          vMad(hit->point, -patch->depth, hit->normal), hit->feature};
        *found = hit->distance < margin;
        return hit->distance;
    }
    // As in pieces: inside, a surface that faces the sample is preferred while it is about as near.
    if (behind && cone != NULL && cone->count > 0) {
        FieldHit facing;
        float reach = minF(-FACING_REACH * hit->distance, maxF(patch->reach, -hit->distance));
        distance2 = reach * reach;
        slot = SIMD_CHOOSE(sceneryNearest)(patch, p, cone, &distance2);
        if (slot >= 0 && hitOf(scenery, slot, p, &facing) && -facing.distance <= patch->depth)
            *hit = facing;
    }
    *found = hit->distance < margin;
    return hit->distance;
}

bool sceneryClosest(const shScenery* scenery, Vec3 p, float reach, FieldHit* hit)
{
    SceneryPatch whole;
    wholePatch(scenery, &whole);
    float distance2 = reach * reach;
    int slot = SIMD_CHOOSE(sceneryNearest)(&whole, p, NULL, &distance2);
    if (slot < 0)
        return false;
    if (hitOf(scenery, slot, p, hit) && -hit->distance > whole.depth) {
        hit->distance = -hit->distance; // in the open, below the layer
        hit->normal = vNeg(hit->normal);
    }
    return true;
}

// ---- ridges ---------------------------------------------------------------------------------------------------------

int sceneryStride(const shScenery* scenery, int ridge, float spacing)
{
    float length = vDistance(scenery->ridges[ridge].a, scenery->ridges[ridge].b);
    if (length == 0.0f)
        return 0;
    int stride = 1 << scenery->stepBits;
    for (; stride > 1 && length > spacing; stride /= 2)
        length *= 0.5f;
    return stride;
}

// The part of the segment from a to b that is within the box, as fractions; false: none.
static bool clipSegment(shBox box, Vec3 a, Vec3 b, float* from, float* to)
{
    *from = 0.0f;
    *to = 1.0f;
    for (int axis = 0; axis < 3; ++axis) {
        float start = vGet(a, axis), along = vGet(b, axis) - start;
        float lower = vGet(box.lower, axis) - start, upper = vGet(box.upper, axis) - start;
        if (along == 0.0f) {
            if (lower > 0.0f || upper < 0.0f)
                return false;
            continue;
        }
        float enter = lower / along, leave = upper / along;
        *from = maxF(*from, minF(enter, leave));
        *to = minF(*to, maxF(enter, leave));
    }
    return *from <= *to;
}

typedef struct RidgeWalk {
    const shScenery* scenery;
    shTransform frame;
    shBox box;
    float spacing;
    SceneryVisit* visit;
    void* user;
} RidgeWalk;

static bool walkRidge(int index, void* user)
{
    const RidgeWalk* walk = user;
    const shScenery* scenery = walk->scenery;
    const SceneryRidge* ridge = &scenery->ridges[index];
    int steps = 1 << scenery->stepBits, first = index << scenery->stepBits;
    Vec3 a = xformPoint(walk->frame, ridge->a), b = xformPoint(walk->frame, ridge->b);
    float from, to;
    if (!clipSegment(walk->box, a, b, &from, &to))
        return true;
    int stride = sceneryStride(scenery, index, walk->spacing);
    if (stride == 0)
        return walk->visit(first, a, walk->user);
    int k = maxI((int)(from * (float)(steps / stride)) * stride, stride);
    int last = minI((int)(to * (float)(steps / stride)) * stride, steps - stride);
    for (; k <= last; k += stride)
        if (!walk->visit(first + k, vLerp(a, b, (float)k / (float)steps), walk->user))
            return false;
    return true;
}

void sceneryRidgeSamples(const shScenery* scenery, shTransform frame, shBox box, float spacing, SceneryVisit* visit,
                         void* user)
{
    shBox around = boxEmpty();
    for (int k = 0; k < 8; ++k) {
        Vec3 corner = {k & 1 ? box.upper.x : box.lower.x, k & 2 ? box.upper.y : box.lower.y,
                       k & 4 ? box.upper.z : box.lower.z};
        around = boxAdd(around, xformUnpoint(frame, corner));
    }
    RidgeWalk walk = {scenery, frame, box, spacing, visit, user};
    wideTreeOverlaps(&scenery->ridgeTree, around, walkRidge, &walk);
}
