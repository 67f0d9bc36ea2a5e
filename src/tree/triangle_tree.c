// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Exact questions to meshes through a balanced tree (O6): pairs of boxes, then pairs of triangles.
#include "sherd/triangle_tree.h"

#include "core/constants.h"
#include "core/message.h"
#include "mesh/tri_query.h"
#include "tree/balanced_tree.h"
#include "tree/triangle_pair.h"

shStatus shTriangleBoxes(const shTriangles* mesh, int begin, int end, shBox* boxes, shMessage* message)
{
    if (begin < 0 || begin > end || end > mesh->triangleCount)
        return fail(message, shInvalid, "triangles %d … %d: there are %d", begin, end, mesh->triangleCount);
    for (int t = begin; t < end; ++t) {
        shBox box = boxEmpty();
        for (int k = 0; k < 3; ++k) {
            int point = mesh->triangles[t][k];
            if (point < 0 || point >= mesh->pointCount)
                return fail(message, shBadMesh, "triangle %d: point %d is not in 0 … %d", t, point,
                            mesh->pointCount - 1);
            if (!vFinite(mesh->points[point]))
                return fail(message, shBadMesh, "triangle %d: point %d is not finite", t, point);
            box = boxAdd(box, mesh->points[point]);
        }
        boxes[t - begin] = box;
    }
    return shOk;
}

static shStatus checkMesh(const shBoxTree* tree, const shTriangles* mesh, shMessage* message)
{
    if (mesh == NULL || mesh->triangleCount < tree->itemEnd)
        return fail(message, shInvalid, "the tree has items up to %d, the mesh %d triangles", tree->itemEnd - 1,
                    mesh != NULL ? mesh->triangleCount : 0);
    return shOk;
}

static void cornersOf(const shTriangles* mesh, int t, Vec3 corners[3])
{
    for (int k = 0; k < 3; ++k)
        corners[k] = mesh->points[mesh->triangles[t][k]];
}

// ---- pairs ----------------------------------------------------------------------------------------------------------

typedef struct Colliding {
    const shTriangles *a, *b;
    const shTransform* frame;
    shBoxPairFn* visit;
    void* user;
} Colliding;

static bool visitPair(int a, int b, void* user)
{
    const Colliding* colliding = user;
    Vec3 t[3], u[3];
    cornersOf(colliding->a, a, t);
    cornersOf(colliding->b, b, u);
    for (int k = 0; k < 3 && colliding->frame != NULL; ++k)
        u[k] = xformPoint(*colliding->frame, u[k]);
    return !trianglesMeet(t, u) || colliding->visit(a, b, colliding->user);
}

static bool visitOwnPair(int a, int b, void* user)
{
    const Colliding* colliding = user;
    const shTriangles* mesh = colliding->a;
    return !trianglesCross(mesh->points, mesh->triangles[a], mesh->triangles[b]) ||
           colliding->visit(a, b, colliding->user);
}

shStatus shTriangles_Collide(const shBoxTree* treeA, const shTriangles* a, const shBoxTree* treeB, const shTriangles* b,
                             const shTransform* frame, shBoxPairFn* visit, void* user, shMessage* message)
{
    shStatus status = checkMesh(treeA, a, message);
    if (status == shOk)
        status = checkMesh(treeB, b, message);
    if (status == shOk && frame != NULL && !(vFinite(frame->p) && vFinite(frame->q.v) && isfinite(frame->q.s)))
        status = fail(message, shInvalid, "collide: the frame of b is not finite");
    Colliding colliding = {a, b, frame, visit, user};
    if (status == shOk)
        shBoxTree_Pairs(treeA, treeB, frame, visitPair, &colliding);
    return status;
}

shStatus shTriangles_CollideSelf(const shBoxTree* tree, const shTriangles* mesh, shBoxPairFn* visit, void* user,
                                 shMessage* message)
{
    shStatus status = checkMesh(tree, mesh, message);
    Colliding colliding = {mesh, mesh, NULL, visit, user};
    if (status == shOk)
        shBoxTree_SelfPairs(tree, visitOwnPair, &colliding);
    return status;
}

// ---- rays -----------------------------------------------------------------------------------------------------------

typedef struct Casting {
    const shTriangles* mesh;
    TriRay ray;
    TriHit best; // triangle -1: none
    bool any;
} Casting;

static float visitTriangle(int item, float most, void* user)
{
    Casting* casting = user;
    Vec3 corners[3];
    cornersOf(casting->mesh, item, corners);
    const DVec3 exact[3] = {dFromV(corners[0]), dFromV(corners[1]), dFromV(corners[2])};
    TriHit hit = {.triangle = item}, *best = &casting->best;
    if (!triRayHit(&casting->ray, exact, &hit) || !(hit.distance >= 0.0) || hit.distance > best->distance ||
        (hit.distance == best->distance && best->triangle >= 0 && best->triangle < item))
        return most;
    *best = hit;
    // Not below it: equally near ones are looked at as well.
    return casting->any ? -1.0f : (float)hit.distance * (1.0f + FLT_STEP);
}

static shStatus cast(const shBoxTree* tree, Casting* casting, Vec3 origin, Vec3 translation, shMessage* message)
{
    shStatus status = checkMesh(tree, casting->mesh, message);
    casting->best = (TriHit){.triangle = -1, .distance = 1.0};
    if (status == shOk && !(vFinite(origin) && vFinite(translation)))
        status = fail(message, shInvalid, "ray: its origin or translation is not finite");
    bool still = translation.x == 0.0f && translation.y == 0.0f && translation.z == 0.0f;
    if (status != shOk || still)
        return status;
    casting->ray = triRay(dFromV(origin), dFromV(translation));
    shBoxTree_CastRay(tree, origin, translation, visitTriangle, casting);
    return shOk;
}

shStatus shTriangles_CastRay(const shBoxTree* tree, const shTriangles* mesh, shVec3 origin, shVec3 translation,
                             shTriangleHit* hit, shMessage* message)
{
    Casting casting = {.mesh = mesh};
    shStatus status = cast(tree, &casting, origin, translation, message);
    *hit = (shTriangleHit){.item = casting.best.triangle, .fraction = 1.0f};
    if (casting.best.triangle < 0)
        return status;
    hit->fraction = (float)casting.best.distance;
    hit->point = vFromD(casting.best.point);
    for (int k = 0; k < 3; ++k)
        hit->weights[k] = (float)casting.best.weights[k];
    return status;
}

shStatus shTriangles_CastRayAny(const shBoxTree* tree, const shTriangles* mesh, shVec3 origin, shVec3 translation,
                                bool* hits, shMessage* message)
{
    Casting casting = {.mesh = mesh, .any = true};
    shStatus status = cast(tree, &casting, origin, translation, message);
    *hits = casting.best.triangle >= 0;
    return status;
}
