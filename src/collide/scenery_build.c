// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// From a triangle mesh to scenery: points that coincide become one, triangles that are none go, edges and corners get
// their kind and normal, convex ones become ridges.
#include "collide/scenery.h"
#include "core/arena.h"
#include "core/constants.h"
#include "core/hash.h"
#include "core/message.h"
#include "core/trig.h"
#include "core/weld.h"
#include "mesh/adjacency.h"
#include "mesh/tri_mesh.h"

#include <string.h>

#define SCENERY_COOKIE 0x53485343u // "SHSC"

// The triangles that meet at an edge.
typedef struct EdgeUse {
    int first, second; // triangle · 3 + corner; -1: none
    int count;
    bool apart; // the first two run along it in opposite directions
} EdgeUse;

typedef struct Build {
    shScenery* scenery;
    Memory* memory;
    const shSceneryDef* def;
    Arena arena;
    int *welded, *distinct; // [pointCount]
    int vertexCount;
    DVec3* vertices;
    int (*triangles)[3]; // that are kept, by vertex
    DVec3* normals;      // of them
    int* ids;            // in the input
    bool* sheets;
    int triangleCount;
    KeySet edgeKeys;
    EdgeUse* edges;
    int (*triangleEdges)[3];
    NormalCone* vertexCones; // of the faces around a vertex
} Build;

shSceneryDef shDefaultSceneryDef(void) { return (shSceneryDef){.cookie = SCENERY_COOKIE}; }

shSceneryInfo shScenery_GetInfo(const shScenery* scenery) { return scenery->info; }

void shDestroyScenery(shScenery* scenery)
{
    if (scenery == NULL)
        return;
    Memory* memory = &scenery->context->memory;
    wideTreeFree(&scenery->tree, memory);
    wideTreeFree(&scenery->ridgeTree, memory);
    FREE_ARRAY(memory, scenery->packets, scenery->slotCount / wideLanes);
    FREE_ARRAY(memory, scenery->triangles, scenery->slotCount);
    FREE_ARRAY(memory, scenery->edges, scenery->edgeCount);
    FREE_ARRAY(memory, scenery->vertices, scenery->vertexCount);
    FREE_ARRAY(memory, scenery->ridges, scenery->info.ridgeCount);
    FREE_ARRAY(memory, scenery, 1);
}

static shStatus checkDef(const shSceneryDef* def, shMessage* message)
{
    if (def->cookie != SCENERY_COOKIE)
        return fail(message, shInvalid, "scenery: fill the definition with shDefaultSceneryDef() first");
    if (!(def->thickness >= 0.0f) || !isfinite(def->thickness))
        return fail(message, shInvalid, "scenery: the thickness must be finite and not negative");
    if (def->pointCount <= 0 || def->triangleCount <= 0 || def->points == NULL || def->triangles == NULL)
        return fail(message, shBadMesh, "scenery: a mesh of %d points and %d triangles; give at least one triangle",
                    def->pointCount, def->triangleCount);
    if (def->triangleCount > MAX_TRIANGLES || def->pointCount > 3 * MAX_TRIANGLES)
        return fail(message, shLimit, "scenery: %d triangles of %d points; at most %d are possible: divide it",
                    def->triangleCount, def->pointCount, MAX_TRIANGLES);
    for (int i = 0; i < def->pointCount; ++i) {
        Vec3 p = def->points[i];
        if (!(fabsf(p.x) <= MAX_COORDINATE && fabsf(p.y) <= MAX_COORDINATE && fabsf(p.z) <= MAX_COORDINATE))
            return fail(message, shBadMesh, "scenery: point %d is not finite or farther than %g m from the origin", i,
                        (double)MAX_COORDINATE);
    }
    for (int t = 0; t < def->triangleCount; ++t)
        for (int k = 0; k < 3; ++k)
            if (def->triangles[t][k] < 0 || def->triangles[t][k] >= def->pointCount)
                return fail(message, shBadMesh, "scenery: triangle %d: point %d does not exist; there are %d", t,
                            def->triangles[t][k], def->pointCount);
    return shOk;
}

// ---- points and triangles -------------------------------------------------------------------------------------------

static bool weldPoints(Build* build)
{
    int count = build->def->pointCount;
    Vec3* rows = ARENA_ARRAY(&build->arena, Vec3, count);
    build->welded = ARENA_ARRAY(&build->arena, int, count);
    build->distinct = ARENA_ARRAY(&build->arena, int, count);
    if (rows == NULL || build->welded == NULL || build->distinct == NULL)
        return false;
    for (int i = 0; i < count; ++i)
        rows[i] = vAdd(build->def->points[i], vec3(0.0f, 0.0f, 0.0f)); // one zero
    build->vertexCount = weldRows(build->memory, rows, sizeof(Vec3), count, build->welded, build->distinct);
    if (build->vertexCount < 0)
        return false;
    build->vertices = ARENA_ARRAY(&build->arena, DVec3, build->vertexCount);
    for (int v = 0; build->vertices != NULL && v < build->vertexCount; ++v)
        build->vertices[v] = dFromV(rows[build->distinct[v]]);
    return build->vertices != NULL;
}

// Twice the area as a vector; zero when the triangle is thinner than floats can tell.
static DVec3 areaOf(const DVec3* vertices, const int v[3])
{
    DVec3 ab = dSub(vertices[v[1]], vertices[v[0]]), ac = dSub(vertices[v[2]], vertices[v[0]]),
          bc = dSub(vertices[v[2]], vertices[v[1]]);
    DVec3 area = dCross(ab, ac);
    double longest2 = maxD(dLength2(ab), maxD(dLength2(ac), dLength2(bc)));
    return dLength(area) > SCENERY_NEEDLE * longest2 ? area : dvec3(0.0, 0.0, 0.0);
}

// 0 or 1: which way it runs through its corners. Where it starts does not matter.
static int turnOf(const int v[3]) { return (v[0] < v[1]) ^ (v[1] < v[2]) ^ (v[2] < v[0]); }

static bool takeTriangles(Build* build)
{
    const shSceneryDef* def = build->def;
    Arena* arena = &build->arena;
    int count = def->triangleCount;
    KeySet keys;
    if (!keySetInit(&keys, build->memory, count))
        return false;
    build->triangles = arenaAlloc(arena, memBytes((size_t)count, sizeof(int[3])));
    build->normals = ARENA_ARRAY(arena, DVec3, count);
    build->ids = ARENA_ARRAY(arena, int, count);
    build->sheets = ARENA_ARRAY(arena, bool, count);
    int(*seen)[2] = arenaAlloc(arena, memBytes((size_t)count, sizeof(int[2]))); // triangle + 1 of a key, by turn
    bool fits = build->triangles && build->normals && build->ids && build->sheets && seen;
    if (fits)
        memset(seen, 0, memBytes((size_t)count, sizeof(int[2])));
    for (int t = 0; fits && t < count; ++t) {
        int v[3];
        for (int k = 0; k < 3; ++k)
            v[k] = build->welded[def->triangles[t][k]];
        DVec3 area = areaOf(build->vertices, v);
        if (dLength2(area) == 0.0) {
            ++build->scenery->info.degenerateCount;
            continue;
        }
        int key = keySetAdd(&keys, v[0], v[1], v[2]), turn = turnOf(v);
        if (seen[key][turn] != 0) {
            ++build->scenery->info.duplicateCount;
            continue;
        }
        int at = build->triangleCount++;
        seen[key][turn] = at + 1;
        memcpy(build->triangles[at], v, sizeof v);
        build->normals[at] = dNormalize(area);
        build->ids[at] = t;
        build->sheets[at] = seen[key][1 - turn] != 0;
        if (build->sheets[at])
            build->sheets[seen[key][1 - turn] - 1] = true;
    }
    keySetFree(&keys, build->memory);
    return fits;
}

// ---- edges and corners ----------------------------------------------------------------------------------------------

static bool matchTriangles(Build* build)
{
    int count = build->triangleCount;
    build->triangleEdges = arenaAlloc(&build->arena, memBytes((size_t)count, sizeof(int[3])));
    build->edges = ARENA_ARRAY(&build->arena, EdgeUse, 3 * count);
    if (build->triangleEdges == NULL || build->edges == NULL || !keySetInit(&build->edgeKeys, build->memory, 3 * count))
        return false;
    for (int h = 0; h < 3 * count; ++h) {
        const int* v = build->triangles[h / 3];
        int from = v[h % 3], to = v[(h + 1) % 3], known = build->edgeKeys.count;
        int e = keySetAddEdge(&build->edgeKeys, from, to);
        EdgeUse* edge = &build->edges[e];
        if (e == known)
            *edge = (EdgeUse){h, -1, 0, false};
        if (edge->count++ == 1) {
            edge->second = h;
            edge->apart = build->triangles[edge->first / 3][edge->first % 3] == to;
        }
        build->triangleEdges[h / 3][h % 3] = e;
    }
    return true;
}

static bool isLoose(const Build* build, const EdgeUse* edge)
{
    return edge->count != 2 || !edge->apart || build->sheets[edge->first / 3] || build->sheets[edge->second / 3];
}

static double foldOf(const Build* build, const EdgeUse* edge)
{
    return dDot(build->normals[edge->first / 3], build->normals[edge->second / 3]);
}

// Is the second triangle behind the first one's plane?
static bool isConvex(const Build* build, const EdgeUse* edge)
{
    const int* first = build->triangles[edge->first / 3];
    const int* second = build->triangles[edge->second / 3];
    DVec3 opposite = build->vertices[second[(edge->second + 2) % 3]];
    return dDot(build->normals[edge->first / 3], dSub(opposite, build->vertices[first[0]])) < 0.0;
}

static void shapeEdges(Build* build)
{
    shScenery* scenery = build->scenery;
    for (int e = 0; e < scenery->edgeCount; ++e) {
        const EdgeUse* edge = &build->edges[e];
        scenery->info.openEdgeCount += edge->count == 1;
        scenery->info.crowdedEdgeCount += edge->count > 1 && isLoose(build, edge);
        DVec3 sum = build->normals[edge->first / 3];
        CreaseKind kind = creaseLoose;
        if (!isLoose(build, edge)) {
            sum = dNormalize(dAdd(sum, build->normals[edge->second / 3]));
            kind = foldOf(build, edge) >= SCENERY_FLAT ? creaseFlat : creaseFolded;
        }
        scenery->edges[e] = (SceneryCrease){vFromD(sum), kind};
    }
    scenery->info.closed = scenery->info.openEdgeCount == 0 && scenery->info.crowdedEdgeCount == 0;
}

static bool shapeVertices(Build* build)
{
    shScenery* scenery = build->scenery;
    DVec3* sums = ARENA_ARRAY(&build->arena, DVec3, build->vertexCount);
    build->vertexCones = ARENA_ARRAY(&build->arena, NormalCone, build->vertexCount);
    if (sums == NULL || build->vertexCones == NULL)
        return false;
    memset(sums, 0, memBytes((size_t)build->vertexCount, sizeof(DVec3)));
    for (int h = 0; h < 3 * build->triangleCount; ++h) {
        const int* v = build->triangles[h / 3];
        DVec3 p = build->vertices[v[h % 3]];
        DVec3 next = dSub(build->vertices[v[(h + 1) % 3]], p), last = dSub(build->vertices[v[(h + 2) % 3]], p);
        double angle = trigAtan2(dLength(dCross(next, last)), dDot(next, last));
        sums[v[h % 3]] = dMad(sums[v[h % 3]], angle, build->normals[h / 3]);
    }
    for (int v = 0; v < build->vertexCount; ++v) {
        sums[v] = dNormalize(sums[v]);
        scenery->vertices[v] = (SceneryCrease){vFromD(sums[v]), creaseFlat};
        build->vertexCones[v] = (NormalCone){.count = 0};
    }
    for (int h = 0; h < 3 * build->triangleCount; ++h) {
        int v = build->triangles[h / 3][h % 3], w = build->triangles[h / 3][(h + 1) % 3];
        float cosine = (float)dDot(sums[v], build->normals[h / 3]);
        coneAdd(&build->vertexCones[v], vFromD(build->normals[h / 3]));
        if (cosine < (float)SCENERY_FLAT && scenery->vertices[v].kind == creaseFlat)
            scenery->vertices[v].kind = creaseFolded;
        if (isLoose(build, &build->edges[build->triangleEdges[h / 3][h % 3]]))
            scenery->vertices[v].kind = scenery->vertices[w].kind = creaseLoose;
    }
    return true;
}

// ---- ridges ---------------------------------------------------------------------------------------------------------

// Edges first, then their ends.
static bool findRidges(Build* build)
{
    shScenery* scenery = build->scenery;
    int edgeCount = scenery->edgeCount, count = 0;
    int(*ends)[3] = arenaAlloc(&build->arena, memBytes((size_t)edgeCount + (size_t)build->vertexCount, sizeof(int[3])));
    bool* isEnd = ARENA_ARRAY(&build->arena, bool, build->vertexCount);
    NormalCone* cones = ARENA_ARRAY(&build->arena, NormalCone, edgeCount + build->vertexCount);
    if (ends == NULL || isEnd == NULL || cones == NULL)
        return false;
    memset(isEnd, 0, sizeof(bool) * (size_t)build->vertexCount);
    for (int e = 0; e < edgeCount; ++e) {
        const EdgeUse* edge = &build->edges[e];
        double fold = isLoose(build, edge) ? -1.0 : foldOf(build, edge);
        if (fold > SCENERY_RIDGE || (!isLoose(build, edge) && !isConvex(build, edge)))
            continue;
        const int* v = build->triangles[edge->first / 3];
        int from = v[edge->first % 3], to = v[(edge->first + 1) % 3];
        isEnd[from] = isEnd[to] = true;
        ends[count][0] = from, ends[count][1] = ends[count][2] = to;
        cones[count] = (NormalCone){.count = 0};
        if (scenery->edges[e].kind != creaseLoose) {
            coneAdd(&cones[count], vFromD(build->normals[edge->first / 3]));
            coneAdd(&cones[count], vFromD(build->normals[edge->second / 3]));
            coneSeal(&cones[count]);
        }
        ++count;
    }
    for (int v = 0; v < build->vertexCount; ++v) {
        if (!isEnd[v])
            continue;
        ends[count][0] = ends[count][1] = ends[count][2] = v;
        cones[count] = scenery->vertices[v].kind != creaseLoose ? build->vertexCones[v] : (NormalCone){.count = 0};
        coneSeal(&cones[count++]);
    }
    for (scenery->stepBits = SCENERY_STEP_BITS; ((int64_t)count << scenery->stepBits) > INT32_MAX;)
        --scenery->stepBits;
    if (!wideTreeBuild(&scenery->ridgeTree, build->memory, build->vertices, (const int(*)[3])ends, count))
        return false;
    if (count == 0)
        return true;
    scenery->ridges = NEW_ARRAY(build->memory, SceneryRidge, count);
    if (scenery->ridges == NULL)
        return false;
    scenery->info.ridgeCount = count;
    for (int r = 0; r < count; ++r)
        scenery->ridges[r] =
            (SceneryRidge){vFromD(build->vertices[ends[r][0]]), vFromD(build->vertices[ends[r][1]]), cones[r]};
    return true;
}

// ---- packets --------------------------------------------------------------------------------------------------------

static bool fillPackets(Build* build)
{
    shScenery* scenery = build->scenery;
    if (!wideTreeBuild(&scenery->tree, build->memory, build->vertices, (const int(*)[3])build->triangles,
                       build->triangleCount))
        return false;
    int count = scenery->tree.items.count;
    scenery->packets = NEW_ARRAY(build->memory, SceneryPacket, count / wideLanes);
    scenery->triangles = NEW_ARRAY(build->memory, SceneryTriangle, count);
    scenery->slotCount = count; // what is null stays null
    if (scenery->packets == NULL || scenery->triangles == NULL)
        return false;
    for (int slot = 0; slot < count; ++slot) {
        int lane = slot % wideLanes, t = scenery->tree.items.data[slot];
        int shown = t >= 0 ? t : scenery->tree.items.data[slot - lane];
        SceneryTriangle* triangle = &scenery->triangles[slot];
        *triangle = (SceneryTriangle){
            vFromD(build->normals[shown]), t >= 0 ? build->ids[t] : -1, {0}, {0}, build->sheets[shown]};
        for (int k = 0; k < 3; ++k) {
            triangle->vertices[k] = build->triangles[shown][k];
            triangle->edges[k] = build->triangleEdges[shown][k];
            Vec3 p = vFromD(build->vertices[triangle->vertices[k]]);
            for (int axis = 0; axis < 3; ++axis)
                scenery->packets[slot / wideLanes].corners[k][axis][lane] = vGet(p, axis);
        }
    }
    return true;
}

static bool allocCreases(Build* build)
{
    shScenery* scenery = build->scenery;
    scenery->edgeCount = build->edgeKeys.count;
    scenery->vertexCount = build->vertexCount;
    scenery->edges = NEW_ARRAY(build->memory, SceneryCrease, scenery->edgeCount);
    scenery->vertices = NEW_ARRAY(build->memory, SceneryCrease, scenery->vertexCount);
    return scenery->edges != NULL && scenery->vertices != NULL;
}

static uint64_t hashDef(const shSceneryDef* def, float thickness)
{
    Hash hash = hashStart(0);
    hashF32(&hash, thickness);
    hashU32(&hash, (uint32_t)def->pointCount);
    for (int i = 0; i < def->pointCount; ++i) {
        hashF32(&hash, def->points[i].x);
        hashF32(&hash, def->points[i].y);
        hashF32(&hash, def->points[i].z);
    }
    for (int i = 0; i < 3 * def->triangleCount; ++i)
        hashU32(&hash, (uint32_t)def->triangles[i / 3][i % 3]);
    return hashValue(&hash);
}

static shStatus makeScenery(Build* build, shMessage* message)
{
    shScenery* scenery = build->scenery;
    if (!weldPoints(build) || !takeTriangles(build))
        return failMemory(message);
    if (build->triangleCount == 0)
        return fail(message, shBadMesh, "scenery: none of the %d triangles has an area", build->def->triangleCount);
    if (!matchTriangles(build) || !allocCreases(build))
        return failMemory(message);
    shapeEdges(build);
    if (!shapeVertices(build) || !findRidges(build) || !fillPackets(build))
        return failMemory(message);
    scenery->info.contentHash = hashDef(build->def, scenery->thickness);
    scenery->info.triangleCount = build->triangleCount;
    scenery->info.box = boxEmpty();
    for (int i = 0; i < 3 * build->triangleCount; ++i)
        scenery->info.box = boxAdd(scenery->info.box, vFromD(build->vertices[build->triangles[i / 3][i % 3]]));
    scenery->info.bytes = (int64_t)sizeof(shScenery) + wideTreeBytes(&scenery->tree) +
                          wideTreeBytes(&scenery->ridgeTree) +
                          (int64_t)sizeof(SceneryPacket) * (scenery->slotCount / wideLanes) +
                          (int64_t)sizeof(SceneryTriangle) * scenery->slotCount +
                          (int64_t)sizeof(SceneryCrease) * ((int64_t)scenery->edgeCount + scenery->vertexCount) +
                          (int64_t)sizeof(SceneryRidge) * scenery->info.ridgeCount;
    return shOk;
}

shStatus shCreateScenery(shContext* context, const shSceneryDef* def, shScenery** scenery, shMessage* message)
{
    if (context == NULL || def == NULL || scenery == NULL)
        return fail(message, shInvalid, "scenery: context, definition and result must not be null");
    *scenery = NULL;
    shStatus status = checkDef(def, message);
    if (status != shOk)
        return status;
    Build build = {.memory = &context->memory, .def = def};
    build.scenery = NEW_ZEROED(build.memory, shScenery, 1);
    if (build.scenery == NULL)
        return failMemory(message);
    build.scenery->context = context;
    build.scenery->thickness = def->thickness > 0.0f ? def->thickness : SCENERY_THICKNESS;
    arenaInit(&build.arena, build.memory);
    status = makeScenery(&build, message);
    keySetFree(&build.edgeKeys, build.memory);
    arenaFree(&build.arena);
    if (status == shOk)
        *scenery = build.scenery;
    else
        shDestroyScenery(build.scenery);
    return status;
}
