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

// The packets of a patch that meet the box; more than there is room for: -1.
static int packetsIn(const SceneryPatch* patch, shBox box, int packets[SCENERY_LEVEL_PACKETS])
{
    int stack[wideStack], stackCount = 0, count = 0;
    const WideNode* node = &patch->root;
    for (;;) {
        for (int lane = 0; lane < wideLanes; ++lane) {
            if (!boxOverlaps(wideNodeBox(node, lane), box))
                continue;
            if (node->child[lane] >= 0)
                stack[stackCount++] = node->child[lane];
            else if (count < SCENERY_LEVEL_PACKETS)
                packets[count++] = ~node->child[lane];
            else
                return -1;
        }
        if (stackCount == 0)
            return count;
        node = &patch->scenery->tree.nodes.data[stack[--stackCount]];
    }
}

// Most ground looks up as far as a piece is concerned, and then most samples are known to be above it, or not deep in
// it, from one product.
static void findLevel(SceneryPatch* patch, shBox box)
{
    const shScenery* scenery = patch->scenery;
    int packets[SCENERY_LEVEL_PACKETS], count = packetsIn(patch, box, packets);
    patch->up = vec3(0.0f, 0.0f, 0.0f);
    patch->top = INFINITY;
    patch->cosine = 1.0f;
    if (count <= 0)
        return;
    SceneryPatch level = *patch;
    SIMD_CHOOSE(sceneryLevel)(&level, packets, count);
    if (!(level.cosine > SCENERY_LEVEL_COSINE))
        return;
    // Rounding must not put a sample above what it is in.
    level.top += ROUNDING * vLength(vMax(vMax(box.upper, box.lower), vMax(vNeg(box.upper), vNeg(box.lower))));
    if (scenery->info.closed) {
        // Above the top everything is on the same side: that of the box's middle, if it is there.
        Vec3 middle = boxCenter(box);
        FieldHit hit;
        if (vDot(level.up, middle) < level.top || !sceneryClosest(scenery, middle, INFINITY, &hit) ||
            hit.distance < 0.0f)
            return;
    }
    patch->up = level.up;
    patch->top = level.top;
    patch->cosine = level.cosine;
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
    findLevel(patch, box);
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
    // Above the top the surface is no nearer than that, and cannot be seen from behind. Below it a sample that is
    // inside finds a way up that is no longer than the steepest triangle makes it.
    float height = vDot(patch->up, p) - patch->top;
    if (height >= -patch->reach)
        return height > 0.0f ? height : height / patch->cosine;
    // Behind the surface a sample may be as deep as it is far from it, and below that the layer's underside is nearer.
    float distance = sqrtf(boxDistance2(patch->bounds, p));
    return distance > patch->depth ? distance - patch->depth : -INFINITY;
}

float sceneryProbe(const SceneryPatch* patch, Vec3 p, float bound, float margin, float interest, const NormalCone* cone,
                   bool* found, FieldHit* hit)
{
    *found = false;
    if (bound > margin)
        return bound;
    const shScenery* scenery = patch->scenery;
    bool closed = scenery->info.closed;
    // Far enough to find a surface that p is behind of, and to rule out what hangs on the sample.
    float layer = closed ? patch->reach : patch->depth, deepest = bound < 0.0f ? minF(layer, -bound) : layer;
    float limit = maxF(interest, 0.0f) + deepest, distance2 = limit * limit;
    int slot = SIMD_CHOOSE(sceneryNearest)(patch, p, NULL, &distance2);
    if (closed && (slot < 0 ? bound == -INFINITY : distance2 > patch->reach * patch->reach)) {
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

typedef struct TriangleWalk {
    const shScenery* scenery;
    FieldVisit* visit;
    void* user;
} TriangleWalk;

static bool walkTriangle(int slot, void* user)
{
    const TriangleWalk* walk = user;
    DVec3 corners[3];
    cornersOf(walk->scenery, slot, corners);
    const Vec3 p[3] = {vFromD(corners[0]), vFromD(corners[1]), vFromD(corners[2])};
    return walk->visit(walk->scenery->triangles[slot].id, p, walk->user);
}

bool sceneryVisitBox(const shScenery* scenery, shBox box, FieldVisit* visit, void* user)
{
    TriangleWalk walk = {scenery, visit, user};
    return wideTreeOverlaps(&scenery->tree, box, walkTriangle, &walk);
}

// ---- rays -----------------------------------------------------------------------------------------------------------

typedef struct Waiting {
    int child;
    double enter;
} Waiting;

// Where a ray enters a box; infinity: not at all, or later than `limit`.
static double enterBox(shBox box, DVec3 origin, DVec3 inverse, double limit)
{
    double enter = 0.0, leave = limit;
    for (int axis = 0; axis < 3; ++axis) {
        double o = dGet(origin, axis), inv = dGet(inverse, axis);
        double lower = (double)vGet(box.lower, axis) - o, upper = (double)vGet(box.upper, axis) - o;
        // A start on the plane of a side that the ray runs along gives 0 · infinity: maxD and minD drop the NaN.
        enter = maxD((inv < 0.0 ? upper : lower) * inv, enter);
        leave = minD((inv < 0.0 ? lower : upper) * inv, leave);
    }
    return enter <= leave ? enter : (double)INFINITY;
}

int sceneryRay(const shScenery* scenery, DVec3 origin, DVec3 translation, double* fraction)
{
    if (dLength2(translation) == 0.0)
        return -1;
    TriRay ray = triRay(origin, translation);
    DVec3 inverse = {1.0 / translation.x, 1.0 / translation.y, 1.0 / translation.z};
    int best = -1, count = 0;
    Waiting stack[wideStack];
    stack[count++] = (Waiting){0, 0.0};
    while (count > 0) {
        Waiting top = stack[--count];
        if (top.enter > *fraction)
            continue;
        if (top.child < 0) {
            for (int slot = ~top.child * wideLanes; slot < (~top.child + 1) * wideLanes; ++slot) {
                DVec3 corners[3];
                TriHit hit;
                cornersOf(scenery, slot, corners);
                if (scenery->triangles[slot].id < 0 || !triRayHit(&ray, (const DVec3*)corners, &hit) ||
                    hit.distance < 0.0 || hit.distance > *fraction)
                    continue;
                // Of two at once, the one that faces the ray.
                if (best >= 0 && hit.distance == *fraction &&
                    dDot(dFromV(scenery->triangles[slot].normal), translation) >= 0.0)
                    continue;
                best = slot;
                *fraction = hit.distance;
            }
            continue;
        }
        const WideNode* node = &scenery->tree.nodes.data[top.child];
        int bottom = count;
        for (int lane = 0; lane < wideLanes; ++lane) {
            double enter = enterBox(wideNodeBox(node, lane), origin, inverse, *fraction);
            if (isinf(enter))
                continue;
            int hole = count++;
            for (; hole > bottom && stack[hole - 1].enter < enter; --hole)
                stack[hole] = stack[hole - 1];
            stack[hole] = (Waiting){node->child[lane], enter};
        }
    }
    return best;
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

static bool walkRidge(int slot, void* user)
{
    const RidgeWalk* walk = user;
    const shScenery* scenery = walk->scenery;
    int index = scenery->ridgeTree.items.data[slot];
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
