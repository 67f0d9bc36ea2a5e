// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "mesh/lattice_plan.h"

#include "core/constants.h"

#include <string.h>

static double areaOf(const SurfaceSolid* s, int t)
{
    const int* n = s->triangles[t];
    DVec3 a = s->vertices[n[0]], b = s->vertices[n[1]], c = s->vertices[n[2]];
    return 0.5 * dLength(dCross(dSub(b, a), dSub(c, a)));
}

// Tetrahedra of the boundary layer when no size is below `least`.
static double estimate(const SurfaceSolid* s, const LatticePlan* plan, double least)
{
    double count = 0.0;
    for (int t = 0; t < s->triangleCount; ++t) {
        if (s->roles[t] == roleFlat || s->roles[t] == roleInner)
            continue;
        double size = maxD(plan->sizes[t], least);
        double each = s->roles[t] == roleSheet              ? PLAN_TETS_SHEET
                      : size < PLAN_EVEN_SHARE * plan->cell ? PLAN_TETS_WALL
                                                            : PLAN_TETS_EVEN;
        count += each * areaOf(s, t) / (size * size);
    }
    return count;
}

// Least size at which the budget is kept; at most the cell.
static double leastSize(const SurfaceSolid* s, const LatticePlan* plan, double maxTets)
{
    double low = plan->cell * PLAN_FINEST, high = plan->cell;
    if (estimate(s, plan, low) <= maxTets)
        return low;
    for (int step = 0; step < 40; ++step) {
        double middle = sqrt(low * high);
        if (estimate(s, plan, middle) <= maxTets)
            high = middle;
        else
            low = middle;
    }
    return high;
}

static bool buildSizes(LatticePlan* plan, const SurfaceSolid* s)
{
    int count = 0;
    for (int t = 0; t < s->triangleCount; ++t)
        count += s->roles[t] != roleFlat;
    int room = maxI(count, 1);
    int(*list)[3] = memAlloc(plan->memory, memBytes((size_t)room, sizeof *list));
    int* numbers = NEW_ARRAY(plan->memory, int, room);
    bool ok = list != NULL && numbers != NULL;
    for (int t = 0, at = 0; ok && t < s->triangleCount; ++t)
        if (s->roles[t] != roleFlat) {
            memcpy(list[at], s->triangles[t], sizeof list[at]);
            numbers[at++] = t;
        }
    TriQuery* query = &plan->query;
    ok = ok && triQueryBuild(query, plan->memory, s->vertices, (const int(*)[3])list, count);
    if (ok && count > 0) {
        plan->slotSizes = NEW_ARRAY(plan->memory, double, query->triangleCount);
        plan->nodeSizes = NEW_ARRAY(plan->memory, double, query->nodeCount);
        ok = plan->slotSizes != NULL && plan->nodeSizes != NULL;
    }
    for (int slot = 0; ok && slot < count; ++slot)
        plan->slotSizes[slot] = plan->sizes[numbers[query->ids[slot]]];
    for (int n = query->nodeCount - 1; ok && n >= 0; --n) { // children come after their parent
        const TriNode* node = &query->nodes[n];
        plan->nodeSizes[n] = (double)INFINITY;
        for (int i = node->first; i < node->first + node->count; ++i)
            plan->nodeSizes[n] = minD(plan->nodeSizes[n], plan->slotSizes[i]);
        if (node->count == 0)
            plan->nodeSizes[n] = minD(plan->nodeSizes[node->first], plan->nodeSizes[node->first + 1]);
    }
    FREE_ARRAY(plan->memory, list, room);
    FREE_ARRAY(plan->memory, numbers, room);
    return ok;
}

// Walls thinner than what the least size resolves grow by half of what is missing on either side.
static bool thicken(LatticePlan* plan, SurfaceSolid* s, const double* walls, double least, double glue)
{
    double thinnest = least / PLAN_SIZE_OF_WALL;
    double* radius = NEW_ZEROED(plan->memory, double, s->triangleCount);
    if (radius == NULL)
        return false;
    if (glue > 0.0)
        plan->gluedTriangles = surfaceSolidGlue(s, glue, radius);
    s->thickness = maxD(s->thickness, thinnest);
    for (int t = 0; t < s->triangleCount; ++t) {
        plan->rounded[t] = s->roles[t] == roleSheet || radius[t] > 0.0;
        if (s->roles[t] != roleBoundary || !(walls[t] < thinnest * PLAN_WALL_SLACK))
            continue;
        radius[t] = maxD(radius[t], 0.5 * (thinnest - walls[t]));
        plan->rounded[t] = true;
        ++plan->thickenedWalls;
    }
    plan->thickness = s->defects.sheetTriangles > 0 ? s->thickness : 0.0;
    plan->thickenedTo = plan->thickenedWalls > 0 ? thinnest : 0.0;
    bool ok =
        plan->thickenedWalls + plan->gluedTriangles + s->defects.sheetTriangles == 0 || surfaceSolidThicken(s, radius);
    FREE_ARRAY(plan->memory, radius, s->triangleCount);
    return ok;
}

bool latticePlan(LatticePlan* plan, SurfaceSolid* s, double cell, double maxTets, double glue)
{
    Memory* memory = s->memory;
    int count = s->triangleCount;
    *plan = (LatticePlan){.memory = memory, .triangleCount = count, .cell = cell, .finest = cell};
    double* walls = NEW_ARRAY(memory, double, count);
    double* gaps = NEW_ARRAY(memory, double, count);
    plan->sizes = NEW_ARRAY(memory, double, count);
    plan->rounded = NEW_ZEROED(memory, bool, count);
    bool ok = walls != NULL && gaps != NULL && plan->sizes != NULL && plan->rounded != NULL &&
              surfaceSolidWalls(s, walls, gaps);
    if (ok) {
        plan->uniform = s->defects.sheetTriangles == 0 && glue == 0.0;
        for (int t = 0; t < count; ++t) {
            double wall = s->roles[t] == roleSheet ? s->thickness : walls[t];
            double size = minD(PLAN_SIZE_OF_WALL * wall, maxD(PLAN_SIZE_OF_WALL * gaps[t], PLAN_FINEST_GAP * cell));
            plan->sizes[t] = minD(size, cell);
            if (s->roles[t] == roleBoundary && walls[t] < PLAN_UNIFORM_WALL * cell)
                plan->uniform = false;
        }
        double least = leastSize(s, plan, maxTets);
        ok = plan->uniform || thicken(plan, s, walls, least, glue);
        for (int t = 0; t < count; ++t) {
            plan->sizes[t] = maxD(plan->sizes[t], least);
            if (s->roles[t] == roleBoundary || s->roles[t] == roleSheet)
                plan->finest = minD(plan->finest, plan->sizes[t]);
        }
        ok = ok && buildSizes(plan, s);
    }
    FREE_ARRAY(memory, walls, count);
    FREE_ARRAY(memory, gaps, count);
    if (!ok)
        latticePlanFree(plan);
    return ok;
}

void latticePlanFree(LatticePlan* plan)
{
    FREE_ARRAY(plan->memory, plan->sizes, plan->triangleCount);
    FREE_ARRAY(plan->memory, plan->rounded, plan->triangleCount);
    FREE_ARRAY(plan->memory, plan->slotSizes, plan->query.triangleCount);
    FREE_ARRAY(plan->memory, plan->nodeSizes, plan->query.nodeCount);
    triQueryFree(&plan->query, plan->memory);
    *plan = (LatticePlan){.memory = plan->memory};
}

static double grown(double size, double distance, double reach)
{
    return size + PLAN_GROWTH * maxD(distance - reach, 0.0);
}

double latticePlanSize(DVec3 p, double reach, void* user)
{
    const LatticePlan* plan = user;
    const TriQuery* query = &plan->query;
    double best = PLAN_COARSEST * plan->cell;
    int stack[triTreeDepth + 1], count = 0;
    if (query->triangleCount > 0)
        stack[count++] = 0;
    while (count > 0) {
        int n = stack[--count];
        const TriNode* node = &query->nodes[n];
        if (grown(plan->nodeSizes[n], triNodeDistance(node, p), reach) >= best)
            continue;
        for (int slot = node->first; slot < node->first + node->count; ++slot) {
            const DVec3* c = query->corners[slot];
            if (plan->slotSizes[slot] < best)
                best = minD(best, grown(plan->slotSizes[slot], triClosest(c[0], c[1], c[2], p).distance, reach));
        }
        if (node->count > 0)
            continue;
        bool leftFirst =
            triNodeDistance(&query->nodes[node->first], p) <= triNodeDistance(&query->nodes[node->first + 1], p);
        stack[count++] = node->first + leftFirst;
        stack[count++] = node->first + !leftFirst;
    }
    return best;
}
