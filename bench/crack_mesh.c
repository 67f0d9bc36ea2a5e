// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "bench/crack_mesh.h"

#include "core/check.h"
#include "core/message.h"
#include "core/vec.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// ---- the mesh -------------------------------------------------------------------------------------------------------

void crackMeshFree(CrackMesh* mesh)
{
    Memory* memory = mesh->memory;
    int triangles = mesh->triangleCapacity;
    FREE_ARRAY(memory, mesh->points, mesh->pointCapacity);
    FREE_ARRAY(memory, mesh->triangles, triangles);
    FREE_ARRAY(memory, mesh->live, triangles);
    FREE_ARRAY(memory, mesh->boxes, triangles);
    FREE_ARRAY(memory, mesh->users, 3 * triangles);
    FREE_ARRAY(memory, mesh->removed, triangles);
    FREE_ARRAY(memory, mesh->added, triangles);
    FREE_ARRAY(memory, mesh->addedFrom, triangles);
    FREE_ARRAY(memory, mesh->neighbourStarts, triangles + 1);
    FREE_ARRAY(memory, mesh->neighbours, 3 * CRACK_USERS * triangles);
    FREE_ARRAY(memory, mesh->addedBoxes, triangles);
    keySetFree(&mesh->edges, memory);
    *mesh = (CrackMesh){.memory = memory};
}

static void place(CrackMesh* mesh, int triangle)
{
    const int* t = mesh->triangles[triangle];
    for (int k = 0; k < 3; ++k) {
        int known = mesh->edges.count, edge = keySetAddEdge(&mesh->edges, t[k], t[(k + 1) % 3]);
        int* users = mesh->users[edge];
        if (edge == known)
            memset(users, -1, sizeof mesh->users[0]);
        for (int i = 0; i < CRACK_USERS; ++i)
            if (users[i] < 0) {
                users[i] = triangle;
                break;
            }
    }
}

shStatus crackMeshCreate(Memory* memory, const shTriangles* from, int growth, CrackMesh* made, shMessage* message)
{
    int triangles = growth * from->triangleCount, points = growth * from->pointCount;
    *made = (CrackMesh){.memory = memory, .pointCapacity = points, .triangleCapacity = triangles};
    made->points = NEW_ARRAY(memory, shVec3, points);
    made->triangles = memAlloc(memory, memBytes((uint64_t)triangles, sizeof made->triangles[0]));
    made->live = NEW_ZEROED(memory, bool, triangles);
    made->boxes = NEW_ZEROED(memory, shBox, triangles);
    made->users = memAlloc(memory, memBytes(3 * (uint64_t)triangles, sizeof made->users[0]));
    made->removed = NEW_ARRAY(memory, int, triangles);
    made->added = NEW_ARRAY(memory, int, triangles);
    made->addedFrom = NEW_ARRAY(memory, int, triangles);
    made->neighbourStarts = NEW_ARRAY(memory, int, triangles + 1);
    made->neighbours = NEW_ARRAY(memory, int, 3 * CRACK_USERS * triangles);
    made->addedBoxes = NEW_ARRAY(memory, shBox, triangles);
    bool fits = made->points != NULL && made->triangles != NULL && made->live != NULL && made->boxes != NULL &&
                made->users != NULL && made->removed != NULL && made->added != NULL && made->addedFrom != NULL &&
                made->neighbourStarts != NULL && made->neighbours != NULL && made->addedBoxes != NULL &&
                keySetInit(&made->edges, memory, 3 * (int64_t)triangles);
    if (!fits) {
        crackMeshFree(made);
        return failMemory(message);
    }
    memcpy(made->points, from->points, sizeof *from->points * (size_t)from->pointCount);
    memcpy(made->triangles, from->triangles, sizeof from->triangles[0] * (size_t)from->triangleCount);
    made->pointCount = from->pointCount;
    made->triangleCount = made->liveCount = from->triangleCount;
    for (int t = 0; t < from->triangleCount; ++t) {
        made->live[t] = true;
        place(made, t);
    }
    return shTriangleBoxes(from, 0, from->triangleCount, made->boxes, message);
}

shTriangles crackMeshView(const CrackMesh* mesh)
{
    return (shTriangles){mesh->pointCount, mesh->triangleCount, mesh->points, (const int(*)[3])mesh->triangles};
}

int crackMeshPoint(CrackMesh* mesh, shVec3 p)
{
    CHECK(mesh->pointCount < mesh->pointCapacity);
    mesh->points[mesh->pointCount] = p;
    return mesh->pointCount++;
}

int crackMeshAdd(CrackMesh* mesh, int a, int b, int c, int from)
{
    CHECK(mesh->triangleCount < mesh->triangleCapacity);
    int t = mesh->triangleCount++, k = mesh->addedCount++;
    mesh->triangles[t][0] = a, mesh->triangles[t][1] = b, mesh->triangles[t][2] = c;
    mesh->live[t] = true;
    ++mesh->liveCount;
    mesh->added[k] = t;
    mesh->addedFrom[k] = from >= 0 ? mesh->removedCount - 1 : -1;
    place(mesh, t);
    return t;
}

void crackMeshRemove(CrackMesh* mesh, int triangle)
{
    const int* t = mesh->triangles[triangle];
    for (int k = 0; k < 3; ++k) {
        int* users = mesh->users[keySetFindEdge(&mesh->edges, t[k], t[(k + 1) % 3])];
        for (int i = 0; i < CRACK_USERS; ++i)
            if (users[i] == triangle)
                users[i] = -1;
    }
    mesh->live[triangle] = false;
    --mesh->liveCount;
    mesh->removed[mesh->removedCount++] = triangle;
}

shBox crackMeshBox(const CrackMesh* mesh, int triangle)
{
    const int* t = mesh->triangles[triangle];
    return boxAdd(boxAdd(boxAdd(boxEmpty(), mesh->points[t[0]]), mesh->points[t[1]]), mesh->points[t[2]]);
}

shBoxTreeUpdate crackMeshDescribe(CrackMesh* mesh)
{
    int count = 0;
    for (int k = 0; k < mesh->addedCount; ++k) {
        int triangle = mesh->added[k];
        const int* t = mesh->triangles[triangle];
        mesh->addedBoxes[k] = mesh->boxes[triangle] = crackMeshBox(mesh, triangle);
        mesh->neighbourStarts[k] = count;
        for (int side = 0; side < 3; ++side) {
            const int* users = mesh->users[keySetFindEdge(&mesh->edges, t[side], t[(side + 1) % 3])];
            for (int i = 0; i < CRACK_USERS; ++i)
                if (users[i] >= 0 && users[i] != triangle)
                    mesh->neighbours[count++] = users[i];
        }
    }
    mesh->neighbourStarts[mesh->addedCount] = count;
    shBoxTreeUpdate update = {.removedCount = mesh->removedCount,
                              .removed = mesh->removed,
                              .addedCount = mesh->addedCount,
                              .added = mesh->added,
                              .addedBoxes = mesh->addedBoxes,
                              .addedFrom = mesh->addedFrom,
                              .neighbourStarts = mesh->neighbourStarts,
                              .neighbours = mesh->neighbours};
    mesh->removedCount = mesh->addedCount = 0;
    return update;
}

int crackMeshLive(const CrackMesh* mesh, int* items, shBox* boxes)
{
    int count = 0;
    for (int t = 0; t < mesh->triangleCount; ++t)
        if (mesh->live[t]) {
            items[count] = t;
            boxes[count++] = mesh->boxes[t];
        }
    return count;
}

// ---- a crack in a plane ---------------------------------------------------------------------------------------------

enum { MIDDLES = 256 };

void planeCrackFree(PlaneCrack* crack, Memory* memory)
{
    FREE_ARRAY(memory, crack->middles, MIDDLES);
    FREE_ARRAY(memory, crack->cuts, crack->originalCount);
    FREE_ARRAY(memory, crack->points, 3 * crack->originalCount);
    FREE_ARRAY(memory, crack->spines, 3 * crack->originalCount);
    keySetFree(&crack->edges, memory);
    *crack = (PlaneCrack){0};
}

static bool behind(const PlaneCrack* crack, const CrackMesh* mesh, int point)
{
    return vGet(mesh->points[point], crack->axis) < crack->place;
}

// Where the plane cuts a side of a triangle.
static shVec3 cutOf(const PlaneCrack* crack, const CrackMesh* mesh, int a, int b)
{
    if (a > b) {
        int swap = a;
        a = b;
        b = swap;
    }
    Vec3 p = mesh->points[a], q = mesh->points[b];
    float from = vGet(p, crack->axis), to = vGet(q, crack->axis);
    return vLerp(p, q, (crack->place - from) / (to - from));
}

static int lonely(const PlaneCrack* crack, const CrackMesh* mesh,
                  const int t[3]) // the corner on its own side; -1: none
{
    bool side[3];
    for (int k = 0; k < 3; ++k)
        side[k] = behind(crack, mesh, t[k]);
    if (side[0] == side[1] && side[1] == side[2])
        return -1;
    return side[0] != side[1] && side[0] != side[2] ? 0 : side[1] != side[0] && side[1] != side[2] ? 1 : 2;
}

static int middleAt(const PlaneCrack* crack, float way)
{
    int at = (int)((way - crack->begin) / (crack->end - crack->begin) * (float)MIDDLES);
    return maxI(0, minI(MIDDLES - 1, at));
}

// The middle of the section at every place along the way.
static void findMiddles(PlaneCrack* crack, const CrackMesh* mesh)
{
    float lower[MIDDLES], upper[MIDDLES];
    int across = 3 - crack->axis - crack->along;
    for (int i = 0; i < MIDDLES; ++i)
        lower[i] = INFINITY, upper[i] = -INFINITY;
    for (int i = 0; i < crack->cutCount; ++i) {
        const int* t = mesh->triangles[crack->cuts[i]];
        int k = lonely(crack, mesh, t);
        for (int side = 1; side < 3; ++side) {
            Vec3 p = cutOf(crack, mesh, t[k], t[(k + side) % 3]);
            int at = middleAt(crack, vGet(p, crack->along));
            lower[at] = minF(vGet(p, across), lower[at]);
            upper[at] = maxF(vGet(p, across), upper[at]);
        }
    }
    float last = 0.0f;
    for (int i = 0; i < MIDDLES; ++i) // where nothing is cut: as before
        crack->middles[i] = last = lower[i] <= upper[i] ? 0.5f * (lower[i] + upper[i]) : last;
}

static float positionOf(const PlaneCrack* crack, const CrackMesh* mesh, int triangle)
{
    const int* t = mesh->triangles[triangle];
    int k = lonely(crack, mesh, t);
    return 0.5f * (vGet(cutOf(crack, mesh, t[k], t[(k + 1) % 3]), crack->along) +
                   vGet(cutOf(crack, mesh, t[k], t[(k + 2) % 3]), crack->along));
}

static int compareOrder(const void* a, const void* b)
{
    const uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
    return (x > y) - (x < y);
}

// Between three and seven tenths of the box.
static float placePlane(PlaneCrack* crack, const CrackMesh* mesh, shBox box, int wanted)
{
    float lower = vGet(box.lower, crack->axis), size = vGet(boxSize(box), crack->axis), best = 0.0f;
    int least = INT_MAX;
    for (int i = 0; i <= 40; ++i) { // a little beside round numbers, where symmetric models have vertices
        crack->place = lower + (0.5003f + (i % 2 ? -0.01f : 0.01f) * (float)((i + 1) / 2)) * size;
        int cuts = 0;
        for (int t = 0; t < mesh->triangleCount; ++t)
            cuts += lonely(crack, mesh, mesh->triangles[t]) >= 0;
        int off = cuts > wanted ? cuts - wanted : wanted - cuts;
        if (off < least)
            least = off, best = crack->place;
    }
    return best;
}

shStatus planeCrackCreate(const CrackMesh* mesh, int axis, int along, int cuts, PlaneCrack* crack, shMessage* message)
{
    Memory* memory = mesh->memory;
    shBox box = boxEmpty();
    *crack = (PlaneCrack){.axis = axis, .along = along, .originalCount = mesh->triangleCount};
    for (int i = 0; i < mesh->pointCount; ++i)
        box = boxAdd(box, mesh->points[i]);
    crack->place = placePlane(crack, mesh, box, cuts);
    crack->begin = vGet(box.lower, along);
    crack->end = vGet(box.upper, along);
    crack->middles = NEW_ARRAY(memory, float, MIDDLES);
    crack->cuts = NEW_ARRAY(memory, int, crack->originalCount);
    crack->points = memAlloc(memory, memBytes(3 * (uint64_t)crack->originalCount, sizeof crack->points[0]));
    crack->spines = memAlloc(memory, memBytes(3 * (uint64_t)crack->originalCount, sizeof crack->spines[0]));
    uint64_t* order = NEW_ARRAY(memory, uint64_t, crack->originalCount);
    if (crack->middles == NULL || crack->cuts == NULL || crack->points == NULL || crack->spines == NULL ||
        order == NULL || !keySetInit(&crack->edges, memory, 3 * (int64_t)crack->originalCount)) {
        FREE_ARRAY(memory, order, crack->originalCount);
        planeCrackFree(crack, memory);
        return failMemory(message);
    }
    float first = crack->end, last = crack->begin; // the front goes from cut to cut
    for (int t = 0; t < crack->originalCount; ++t)
        if (lonely(crack, mesh, mesh->triangles[t]) >= 0) {
            first = minF(first, positionOf(crack, mesh, t));
            last = maxF(last, positionOf(crack, mesh, t));
        }
    if (first < last)
        crack->begin = first, crack->end = last;
    for (int t = 0; t < crack->originalCount; ++t)
        if (lonely(crack, mesh, mesh->triangles[t]) >= 0)
            order[crack->cutCount++] =
                (uint64_t)((positionOf(crack, mesh, t) - crack->begin) / (crack->end - crack->begin) * 1e9f) << 32 |
                (uint32_t)t;
    qsort(order, (size_t)crack->cutCount, sizeof *order, compareOrder);
    for (int i = 0; i < crack->cutCount; ++i)
        crack->cuts[i] = (int)(uint32_t)order[i];
    FREE_ARRAY(memory, order, crack->originalCount);
    findMiddles(crack, mesh);
    return shOk;
}

// The point of a cut edge on one side of the crack, and its image on the middle line.
static int cutPoint(PlaneCrack* crack, CrackMesh* mesh, int a, int b, int side, int* spine)
{
    int known = crack->edges.count, edge = keySetAddEdge(&crack->edges, a, b);
    if (edge == known) {
        Vec3 p = cutOf(crack, mesh, a, b);
        float v = crack->middles[middleAt(crack, vGet(p, crack->along))];
        int across = 3 - crack->axis - crack->along;
        for (int i = 0; i < 2; ++i) {
            crack->points[edge][i] = crackMeshPoint(mesh, p);
            crack->spines[edge][i] =
                crackMeshPoint(mesh, vec3(across == 0 ? v : p.x, across == 1 ? v : p.y, across == 2 ? v : p.z));
        }
    }
    if (spine != NULL)
        *spine = crack->spines[edge][side];
    return crack->points[edge][side];
}

void planeCrackGrow(PlaneCrack* crack, CrackMesh* mesh, float fraction)
{
    float front = crack->begin + fraction * (crack->end - crack->begin);
    for (; crack->done < crack->cutCount; ++crack->done) {
        int triangle = crack->cuts[crack->done], t[3];
        if (fraction < 1.0f && positionOf(crack, mesh, triangle) > front)
            return;
        memcpy(t, mesh->triangles[triangle], sizeof t);
        int k = lonely(crack, mesh, t), a = t[k], b = t[(k + 1) % 3], c = t[(k + 2) % 3];
        int mine = behind(crack, mesh, a), other = 1 - mine;
        int p = cutPoint(crack, mesh, a, b, mine, NULL), q = cutPoint(crack, mesh, a, c, mine, NULL);
        int pOther = cutPoint(crack, mesh, a, b, other, NULL), qOther = cutPoint(crack, mesh, a, c, other, NULL);
        crackMeshRemove(mesh, triangle);
        crackMeshAdd(mesh, a, p, q, triangle);
        crackMeshAdd(mesh, pOther, b, c, triangle);
        crackMeshAdd(mesh, pOther, c, qOther, triangle);
        for (int side = 0; side < 2; ++side) { // the surfaces of both halves
            int spineP, spineQ;
            p = cutPoint(crack, mesh, a, b, side, &spineP);
            q = cutPoint(crack, mesh, a, c, side, &spineQ);
            crackMeshAdd(mesh, side == mine ? q : p, side == mine ? p : q, spineP, -1);
            crackMeshAdd(mesh, side == mine ? spineP : q, side == mine ? spineQ : spineP, side == mine ? q : spineQ,
                         -1);
        }
    }
}
