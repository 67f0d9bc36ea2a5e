// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "field/field_walk.h"

#include "mesh/tri_query.h"

typedef struct BoxWalk {
    FieldVisit* visit;
    void* user;
} BoxWalk;

static bool visitPacket(const SkinView* view, int packet, void* user)
{
    const BoxWalk* walk = user;
    const SkinPacket* at = &view->packets[packet];
    for (int lane = 0; lane < skinLanes; ++lane) {
        const Vec3 corners[3] = {{at->a[0][lane], at->a[1][lane], at->a[2][lane]},
                                 {at->b[0][lane], at->b[1][lane], at->b[2][lane]},
                                 {at->c[0][lane], at->c[1][lane], at->c[2][lane]}};
        if ((view->alive[packet] >> lane & 1u) != 0 && !walk->visit(at->features[lane], corners, walk->user))
            return false;
    }
    return true;
}

bool fieldVisitBox(const FragmentField* field, int piece, shBox box, FieldVisit* visit, void* user)
{
    BoxWalk boxWalk = {visit, user};
    for (SkinWalk walk = fieldSkins(field, piece); fieldNextSkin(field, &walk);)
        if (!skinVisitBox(&walk.view, box, visitPacket, &boxWalk))
            return false;
    return true;
}

// ---- rays -----------------------------------------------------------------------------------------------------------

typedef struct RayWalk {
    TriRay ray;
    DVec3 origin, translation, inverse;
    FieldRayHit best;
} RayWalk;

static bool hitFeature(int feature, const Vec3 p[3], void* user)
{
    RayWalk* walk = user;
    const DVec3 corners[3] = {dFromV(p[0]), dFromV(p[1]), dFromV(p[2])};
    TriHit hit;
    if (!triRayHit(&walk->ray, corners, &hit) || hit.distance < 0.0 || hit.distance > walk->best.fraction)
        return true;
    DVec3 normal = dNormalize(dCross(dSub(corners[1], corners[0]), dSub(corners[2], corners[0])));
    // Of two at once, the one that faces the ray, and the lower feature.
    if (walk->best.feature != noFeature && hit.distance == walk->best.fraction) {
        bool faces = dDot(normal, walk->translation) < 0.0, other = dDot(walk->best.normal, walk->translation) < 0.0;
        if (faces != other ? other : feature >= walk->best.feature)
            return true;
    }
    walk->best = (FieldRayHit){hit.distance, normal, feature};
    return true;
}

// Where the ray enters the box of a lane; more than 1 where it does not. Boxes are wider than rounding here, and those
// of lanes without a child end before they begin.
static double entry(const RayWalk* walk, const SkinNode* node, int lane)
{
    double from = 0.0, to = walk->best.fraction;
    for (int axis = 0; axis < 3; ++axis) {
        double origin = dGet(walk->origin, axis), along = dGet(walk->translation, axis);
        double lower = (double)node->lower[axis][lane] - origin, upper = (double)node->upper[axis][lane] - origin;
        if (along == 0.0) {
            if (lower > 0.0 || upper < 0.0)
                return 2.0;
            continue;
        }
        from = maxD(from, (along > 0.0 ? lower : upper) * dGet(walk->inverse, axis));
        to = minD(to, (along > 0.0 ? upper : lower) * dGet(walk->inverse, axis));
    }
    return from <= to ? from : 2.0;
}

static void followRay(const SkinView* view, RayWalk* walk)
{
    struct {
        int level, index;
        double from;
    } stack[skinStack];
    BoxWalk boxWalk = {hitFeature, walk};
    int waits = 1;
    stack[0].level = view->tree->levels - 1;
    stack[0].index = 0;
    stack[0].from = 0.0;
    while (waits > 0) {
        --waits;
        int level = stack[waits].level, index = stack[waits].index, first = waits;
        if (stack[waits].from > walk->best.fraction)
            continue;
        if (level < 0) {
            visitPacket(view, index, &boxWalk);
            continue;
        }
        const SkinNode* node = &view->nodes[view->tree->starts[level] + index];
        for (int lane = 0; lane < skinLanes; ++lane) {
            double from = entry(walk, node, lane);
            if (from > 1.0)
                continue;
            // Those that come first on top.
            int at = waits++;
            for (; at > first && stack[at - 1].from < from; --at)
                stack[at] = stack[at - 1];
            stack[at].level = level - 1;
            stack[at].index = skinLanes * index + lane;
            stack[at].from = from;
        }
    }
}

bool fieldRay(const FragmentField* field, int piece, DVec3 origin, DVec3 translation, FieldRayHit* hit)
{
    if (dLength2(translation) == 0.0)
        return false;
    RayWalk ray = {triRay(origin, translation),
                   origin,
                   translation,
                   {1.0 / translation.x, 1.0 / translation.y, 1.0 / translation.z},
                   {1.0, {0.0, 0.0, 0.0}, noFeature}};
    for (SkinWalk walk = fieldSkins(field, piece); fieldNextSkin(field, &walk);)
        followRay(&walk.view, &ray);
    *hit = ray.best;
    return hit->feature != noFeature;
}
