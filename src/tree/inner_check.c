// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Trees from files: what passes here cannot lead a query out of the arrays, into a loop, or past a sphere.
#include "core/constants.h"
#include "core/message.h"
#include "mesh/tri_mesh.h"
#include "tree/inner_tree.h"

typedef struct Check {
    const InnerTree* tree;
    int triangleCount;
    int nodesSeen;
    shMessage* message;
} Check;

static bool within(float value, float most) { return value >= 0.0f && value <= most; }

static shStatus checkSpheres(const Check* check)
{
    const InnerTree* tree = check->tree;
    for (int i = 0; i < tree->sphereCount; ++i) {
        const InnerSphere* s = &tree->spheres[i];
        if (!(fabsf(s->x) <= MAX_COORDINATE && fabsf(s->y) <= MAX_COORDINATE && fabsf(s->z) <= MAX_COORDINATE) ||
            !within(s->radius, MAX_COORDINATE) || !within(s->volumeRadius, MAX_COORDINATE))
            return fail(check->message, shBadFile, "inner sphere %d lies at (%g, %g, %g) with radii %g and %g", i,
                        (double)s->x, (double)s->y, (double)s->z, (double)s->radius, (double)s->volumeRadius);
        if (s->triangle < -1 || s->triangle >= check->triangleCount)
            return fail(check->message, shBadFile, "inner sphere %d: triangle %d of %d", i, s->triangle,
                        check->triangleCount);
    }
    return shOk;
}

// Spheres [first, end) within a child's two spheres, whose volumes add up.
static shStatus checkChild(const Check* check, int index, int lane, int first, int end)
{
    const InnerNode* node = &check->tree->nodes[index];
    DVec3 centre = {(double)node->x[lane], (double)node->y[lane], (double)node->z[lane]};
    double volume = 0.0;
    bool encloses =
        within(node->radius[lane], 4.0f * MAX_COORDINATE) && within(node->volumeRadius[lane], 4.0f * MAX_COORDINATE);
    for (int i = first; i < end && encloses; ++i) {
        const InnerSphere* s = &check->tree->spheres[i];
        double distance = dDistance(centre, dFromV(innerCentre(s))), radius = (double)s->volumeRadius;
        bool leaf = end - first == 1 && node->child[lane] < 0;
        double outer = leaf ? radius : (double)maxF(s->volumeRadius, s->radius);
        encloses = distance + (double)s->radius <= (double)node->radius[lane] &&
                   distance + outer <= (double)node->volumeRadius[lane];
        volume += INNER_UNIT_BALL * radius * radius * radius;
    }
    if (!encloses)
        return fail(check->message, shBadFile, "inner node %d: child %d does not enclose its spheres", index, lane);
    if (!(fabs((double)node->volume[lane] - volume) <= INNER_VOLUME_ROUNDING * volume))
        return fail(check->message, shBadFile, "inner node %d: child %d has a volume of %g m³ instead of %g", index,
                    lane, (double)node->volume[lane], volume);
    return shOk;
}

// The node's spheres begin at *next, which is moved to their end.
static shStatus checkNode(Check* check, int index, int depth, int* next)
{
    const InnerNode* node = &check->tree->nodes[index];
    ++check->nodesSeen;
    if (depth >= innerDepthMost)
        return fail(check->message, shBadFile, "inner node %d is deeper than %d levels", index, innerDepthMost);
    for (int lane = 0; lane < innerArity; ++lane) {
        int child = node->child[lane], first = *next;
        if (child == innerNoChild) {
            if (lane == 0 || node->x[lane] != INNER_FAR || node->y[lane] != INNER_FAR || node->z[lane] != INNER_FAR ||
                node->radius[lane] != 0.0f || node->volumeRadius[lane] != 0.0f || node->volume[lane] != 0.0f)
                return fail(check->message, shBadFile, "inner node %d: place %d is empty and not as it should be",
                            index, lane);
            continue;
        }
        bool sphere = child < 0 && ~child == first && first < check->tree->sphereCount;
        // Nodes are numbered level by level, so that every one can be met but once.
        bool inner = child > index && child < check->tree->nodeCount;
        if (node->first[lane] != first || !(sphere || inner))
            return fail(check->message, shBadFile, "inner node %d: child %d leads to %d", index, lane, child);
        *next = first + 1;
        if (inner) {
            if (check->nodesSeen >= check->tree->nodeCount)
                return fail(check->message, shBadFile, "inner node %d is met twice", child);
            *next = first;
            shStatus status = checkNode(check, child, depth + 1, next);
            if (status != shOk)
                return status;
        }
        shStatus status = checkChild(check, index, lane, first, *next);
        if (status != shOk)
            return status;
    }
    return shOk;
}

shStatus innerTreeCheck(const InnerTree* tree, int triangleCount, shMessage* message)
{
    Check check = {tree, triangleCount, 0, message};
    const InnerRecord* r = &tree->record;
    Vec3 centre = {r->x, r->y, r->z};
    if (tree->sphereCount < 1 || tree->sphereCount > INNER_MOST_SPHERES || tree->nodeCount < 1 ||
        tree->nodeCount > maxI(1, tree->sphereCount - 1))
        return fail(message, shBadFile, "%d inner spheres under %d nodes", tree->sphereCount, tree->nodeCount);
    bool plain = vFinite(centre) && within(r->radius, 4.0f * MAX_COORDINATE) &&
                 within(r->volumeRadius, 4.0f * MAX_COORDINATE) && r->voxel > 0.0 && r->volume > 0.0 &&
                 r->covered >= 0.0 && isfinite(r->voxel) && isfinite(r->volume) && isfinite(r->covered) &&
                 r->voxelCount > 0 && r->multiplicity > 0 && r->multiplicity <= tree->sphereCount &&
                 r->slack == INNER_SLACK * (vLength(centre) + r->volumeRadius);
    if (!plain)
        return fail(message, shBadFile, "the record of the inner spheres makes no sense");
    shStatus status = checkSpheres(&check);
    int next = 0;
    if (status == shOk)
        status = checkNode(&check, 0, 0, &next);
    if (status == shOk && (next != tree->sphereCount || check.nodesSeen != tree->nodeCount))
        status = fail(message, shBadFile, "the inner nodes lead to %d of %d spheres and %d of %d nodes", next,
                      tree->sphereCount, check.nodesSeen, tree->nodeCount);
    for (int i = 0; i < tree->sphereCount && status == shOk; ++i) {
        const InnerSphere* s = &tree->spheres[i];
        double distance = dDistance(dFromV(centre), dFromV(innerCentre(s)));
        if (!(distance + (double)s->radius <= (double)r->radius &&
              distance + (double)s->volumeRadius <= (double)r->volumeRadius))
            status = fail(message, shBadFile, "inner sphere %d sticks out of the sphere around all", i);
    }
    return status;
}
