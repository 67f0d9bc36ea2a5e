// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "mesh/tet_mesh.h"

#include "core/message.h"
#include "core/trig.h"
#include "mesh/adjacency.h"

#include <string.h>

bool tetMeshAlloc(TetMesh* mesh, Memory* memory, int nodeCount, int tetCount, int triangleCount)
{
    memset(mesh, 0, sizeof *mesh);
    mesh->nodeCount = nodeCount;
    mesh->tetCount = tetCount;
    mesh->triangleCount = triangleCount;
    size_t triangles = (size_t)triangleCount;
    mesh->nodes = NEW_ARRAY(memory, Vec3, nodeCount);
    mesh->tets = memAlloc(memory, memBytes((size_t)tetCount, sizeof *mesh->tets));
    mesh->triangles = memAlloc(memory, memBytes(triangles, sizeof *mesh->triangles));
    mesh->corners = memAlloc(memory, memBytes(triangles, sizeof *mesh->corners));
    mesh->groups = NEW_ZEROED(memory, uint16_t, triangleCount);
    bool whole = (mesh->nodes != NULL || nodeCount == 0) && (mesh->tets != NULL || tetCount == 0) &&
                 (triangleCount == 0 || (mesh->triangles != NULL && mesh->corners != NULL && mesh->groups != NULL));
    if (!whole)
        tetMeshFree(mesh, memory);
    return whole;
}

void tetMeshFree(TetMesh* mesh, Memory* memory)
{
    FREE_ARRAY(memory, mesh->nodes, mesh->nodeCount);
    FREE_ARRAY(memory, mesh->tets, mesh->tetCount);
    FREE_ARRAY(memory, mesh->triangles, mesh->triangleCount);
    FREE_ARRAY(memory, mesh->corners, mesh->triangleCount);
    FREE_ARRAY(memory, mesh->groups, mesh->triangleCount);
    memset(mesh, 0, sizeof *mesh);
}

static double tetOrient(const Vec3* nodes, const int* t)
{
    return dOrient(dFromV(nodes[t[0]]), dFromV(nodes[t[1]]), dFromV(nodes[t[2]]), dFromV(nodes[t[3]]));
}

static shStatus checkIndices(int tet, const int* nodes, int nodeCount, shMessage* message)
{
    for (int k = 0; k < 4; ++k)
        if (nodes[k] < 0 || nodes[k] >= nodeCount)
            return fail(message, shBadMesh, "tetrahedron %d: node index %d is out of range (there are %d nodes)", tet,
                        nodes[k], nodeCount);
    for (int k = 0; k < 6; ++k)
        if (nodes[tetEdges[k][0]] == nodes[tetEdges[k][1]])
            return fail(message, shBadMesh, "tetrahedron %d: node %d is used twice", tet, nodes[tetEdges[k][0]]);
    return shOk;
}

static shStatus checkCounts(int nodeCount, int tetCount, shMessage* message)
{
    if (nodeCount < 4 || tetCount < 1)
        return fail(message, shBadMesh, "%d nodes and %d tetrahedra make no solid", nodeCount, tetCount);
    if (tetCount > MAX_TETS)
        return fail(message, shLimit, "%d tetrahedra are more than the limit of %d", tetCount, MAX_TETS);
    return shOk;
}

// Building ------------------------------------------------------------------------------------------------------------

// Copies the tets in positive orientation.
static shStatus copyTets(int (*out)[4], const Vec3* nodes, int nodeCount, int tetCount, const int (*tets)[4],
                         bool fixOrientation, shMessage* message)
{
    for (int t = 0; t < tetCount; ++t) {
        shStatus status = checkIndices(t, tets[t], nodeCount, message);
        if (status != shOk)
            return status;
        memcpy(out[t], tets[t], sizeof out[t]);
        double orient = tetOrient(nodes, out[t]);
        if (orient < 0.0 && fixOrientation) {
            out[t][2] = tets[t][3];
            out[t][3] = tets[t][2];
            orient = -orient;
        }
        if (!(orient > 0.0))
            return fail(message, shBadMesh, "tetrahedron %d: %s", t,
                        orient < 0.0 ? "inside out: its volume is negative"
                                     : "flat: its volume is zero in single precision");
    }
    return shOk;
}

typedef struct Builder {
    int nodeCount, tetCount;
    Vec3* nodes;         // in input order, single precision
    int (*tets)[4];      // in input order and numbering, positive
    int (*neighbors)[4]; // over faces
    int* order;          // input node → new node; before that a mark: 0 unused, 1 inside, 2 on the surface
} Builder;

// Marks nodes, numbers them surface first, each kind in input order.
static void orderNodes(Builder* b, int* nodeCount, int* surfaceNodeCount, int* triangleCount)
{
    *triangleCount = 0;
    for (int t = 0; t < b->tetCount; ++t) {
        for (int k = 0; k < 4; ++k)
            b->order[b->tets[t][k]] = maxI(b->order[b->tets[t][k]], 1);
        for (int k = 0; k < 4; ++k) {
            if (b->neighbors[t][k] >= 0)
                continue;
            ++*triangleCount;
            for (int i = 0; i < 3; ++i)
                b->order[b->tets[t][tetFaces[k][i]]] = 2;
        }
    }
    int surface = 0, inside = 0;
    for (int n = 0; n < b->nodeCount; ++n)
        surface += b->order[n] == 2;
    *surfaceNodeCount = surface;
    surface = 0;
    for (int n = 0; n < b->nodeCount; ++n)
        b->order[n] = b->order[n] == 2 ? surface++ : b->order[n] == 1 ? *surfaceNodeCount + inside++ : -1;
    *nodeCount = surface + inside;
}

static void fillMesh(TetMesh* mesh, const Builder* b)
{
    for (int n = 0; n < b->nodeCount; ++n)
        if (b->order[n] >= 0)
            mesh->nodes[b->order[n]] = b->nodes[n];
    int triangle = 0;
    for (int t = 0; t < b->tetCount; ++t) {
        for (int k = 0; k < 4; ++k)
            mesh->tets[t][k] = b->order[b->tets[t][k]];
        for (int k = 0; k < 4; ++k) {
            if (b->neighbors[t][k] >= 0)
                continue;
            int* corner = mesh->triangles[triangle];
            for (int i = 0; i < 3; ++i)
                corner[i] = mesh->tets[t][tetFaces[k][i]];
            DVec3 p[3];
            for (int i = 0; i < 3; ++i)
                p[i] = dFromV(mesh->nodes[corner[i]]);
            cornersFlat(p, mesh->corners[triangle]);
            ++triangle;
        }
    }
}

shStatus tetMeshBuild(TetMesh* mesh, Memory* memory, int nodeCount, const DVec3* nodes, int tetCount,
                      const int (*tets)[4], bool fixOrientation, shMessage* message)
{
    return tetMeshBuildTraced(mesh, memory, nodeCount, nodes, tetCount, tets, fixOrientation, NULL, message);
}

shStatus tetMeshBuildTraced(TetMesh* mesh, Memory* memory, int nodeCount, const DVec3* nodes, int tetCount,
                            const int (*tets)[4], bool fixOrientation, int* source, shMessage* message)
{
    memset(mesh, 0, sizeof *mesh);
    shStatus status = checkCounts(nodeCount, tetCount, message);
    if (status != shOk)
        return status;
    Builder b = {.nodeCount = nodeCount, .tetCount = tetCount};
    b.nodes = NEW_ARRAY(memory, Vec3, nodeCount);
    b.tets = memAlloc(memory, memBytes((size_t)tetCount, sizeof *b.tets));
    b.neighbors = memAlloc(memory, memBytes((size_t)tetCount, sizeof *b.neighbors));
    b.order = NEW_ZEROED(memory, int, nodeCount);
    if (b.nodes == NULL || b.tets == NULL || b.neighbors == NULL || b.order == NULL)
        status = failMemory(message);
    for (int n = 0; n < nodeCount && status == shOk; ++n) {
        b.nodes[n] = vFromD(nodes[n]);
        if (!vFinite(b.nodes[n]))
            status = fail(message, shBadMesh, "node %d is not finite in single precision", n);
    }
    if (status == shOk)
        status = copyTets(b.tets, b.nodes, nodeCount, tetCount, tets, fixOrientation, message);
    if (status == shOk)
        status = matchFaces(memory, tetCount, (const int(*)[4])b.tets, b.neighbors, message);
    if (status == shOk) {
        int used, surface, triangles;
        orderNodes(&b, &used, &surface, &triangles);
        if (tetMeshAlloc(mesh, memory, used, tetCount, triangles)) {
            mesh->surfaceNodeCount = surface;
            fillMesh(mesh, &b);
            for (int n = 0; n < nodeCount && source != NULL; ++n)
                if (b.order[n] >= 0)
                    source[b.order[n]] = n;
        } else {
            status = failMemory(message);
        }
    }
    FREE_ARRAY(memory, b.nodes, nodeCount);
    FREE_ARRAY(memory, b.tets, tetCount);
    FREE_ARRAY(memory, b.neighbors, tetCount);
    FREE_ARRAY(memory, b.order, nodeCount);
    return status;
}

// Checking ------------------------------------------------------------------------------------------------------------

static shStatus checkElements(const TetMesh* mesh, shMessage* message)
{
    shStatus status = checkCounts(mesh->nodeCount, mesh->tetCount, message);
    if (status != shOk)
        return status;
    if (mesh->surfaceNodeCount < 4 || mesh->surfaceNodeCount > mesh->nodeCount)
        return fail(message, shBadMesh, "%d surface nodes of %d make no sense", mesh->surfaceNodeCount,
                    mesh->nodeCount);
    if (mesh->triangleCount < 4 || mesh->triangleCount > MAX_TRIANGLES)
        return fail(message, shBadMesh, "%d boundary triangles make no sense", mesh->triangleCount);
    for (int n = 0; n < mesh->nodeCount; ++n)
        if (!vFinite(mesh->nodes[n]))
            return fail(message, shBadMesh, "node %d is not finite", n);
    for (int t = 0; t < mesh->tetCount; ++t) {
        status = checkIndices(t, mesh->tets[t], mesh->nodeCount, message);
        if (status != shOk)
            return status;
        double orient = tetOrient(mesh->nodes, mesh->tets[t]);
        if (!(orient > 0.0))
            return fail(message, shBadMesh, "tetrahedron %d: volume %g m³ is not positive", t, orient / 6.0);
    }
    for (int t = 0; t < mesh->triangleCount; ++t)
        for (int k = 0; k < 3; ++k) {
            int node = mesh->triangles[t][k];
            Corner corner = mesh->corners[t][k];
            if (node < 0 || node >= mesh->nodeCount)
                return fail(message, shBadMesh, "triangle %d: node index %d is out of range (there are %d nodes)", t,
                            node, mesh->nodeCount);
            if (node >= mesh->surfaceNodeCount)
                return fail(message, shBadMesh, "triangle %d: node %d is not among the %d surface nodes", t, node,
                            mesh->surfaceNodeCount);
            if (!isfinite(corner.uv[0]) || !isfinite(corner.uv[1]) || !vFinite(corner.normal))
                return fail(message, shBadMesh, "triangle %d: corner %d: UV or normal is not finite", t, k);
        }
    return shOk;
}

// Do the triangles list each boundary face once, with its turn, and no other face?
static shStatus checkBoundary(const TetMesh* mesh, Memory* memory, const int (*neighbors)[4], shMessage* message)
{
    KeySet faces;
    if (!keySetInit(&faces, memory, mesh->triangleCount))
        return failMemory(message);
    shStatus status = shOk;
    for (int t = 0; t < mesh->triangleCount && status == shOk; ++t) {
        const int* v = mesh->triangles[t];
        if (keySetAdd(&faces, v[0], v[1], v[2]) != t)
            status = fail(message, shBadMesh, "triangle %d (%d, %d, %d) is listed twice", t, v[0], v[1], v[2]);
    }
    int found = 0;
    for (int side = 0; side < 4 * mesh->tetCount && status == shOk; ++side) {
        if (neighbors[side / 4][side % 4] >= 0)
            continue;
        const int *tet = mesh->tets[side / 4], *face = tetFaces[side % 4];
        int a = tet[face[0]], b = tet[face[1]], c = tet[face[2]], triangle = keySetFind(&faces, a, b, c);
        if (triangle < 0) {
            status = fail(message, shBadMesh, "tetrahedron %d: boundary face (%d, %d, %d) is not among the triangles",
                          side / 4, a, b, c);
            break;
        }
        const int* v = mesh->triangles[triangle];
        if (!((v[0] == a && v[1] == b) || (v[0] == b && v[1] == c) || (v[0] == c && v[1] == a)))
            status = fail(message, shBadMesh, "triangle %d (%d, %d, %d) faces inwards", triangle, v[0], v[1], v[2]);
        ++found;
    }
    // Each boundary face has found a triangle of its own, so a surplus of triangles is no boundary.
    if (status == shOk && found != mesh->triangleCount)
        status = fail(message, shBadMesh, "%d triangles but %d boundary faces: some triangles are no boundary",
                      mesh->triangleCount, found);
    keySetFree(&faces, memory);
    return status;
}

// Manifold at vertices: walking around a vertex from any of its triangles meets all of them. Then also every node below
// surfaceNodeCount must be on some triangle and every node on some tet.
static shStatus checkVertices(const TetMesh* mesh, const int* twins, int* fan, shMessage* message)
{
    memset(fan, 0, memBytes((size_t)mesh->nodeCount, sizeof(int)));
    for (int t = 0; t < mesh->tetCount; ++t)
        for (int k = 0; k < 4; ++k)
            fan[mesh->tets[t][k]] = 1;
    for (int n = 0; n < mesh->nodeCount; ++n)
        if (fan[n] == 0)
            return fail(message, shBadMesh, "node %d belongs to no tetrahedron", n);
    memset(fan, 0, memBytes((size_t)mesh->nodeCount, sizeof(int)));
    for (int t = 0; t < mesh->triangleCount; ++t)
        for (int k = 0; k < 3; ++k)
            ++fan[mesh->triangles[t][k]];
    for (int n = 0; n < mesh->surfaceNodeCount; ++n)
        if (fan[n] == 0)
            return fail(message, shBadMesh, "node %d is listed as a surface node but touches no boundary face", n);
    for (int half = 0; half < 3 * mesh->triangleCount; ++half) {
        int node = mesh->triangles[half / 3][half % 3], steps = 0, walk = half;
        if (fan[node] == 0)
            continue; // this vertex is done
        do {
            int twin = twins[walk]; // arrives at `node`; the next half edge of its triangle leaves it
            walk = twin - twin % 3 + (twin % 3 + 1) % 3;
            ++steps;
        } while (walk != half && steps <= fan[node]);
        if (steps != fan[node])
            return fail(message, shBadMesh,
                        "node %d: the surface touches itself there (%d triangles, %d around one fan)", node, fan[node],
                        steps);
        fan[node] = 0;
    }
    return shOk;
}

// Numbers of connected parts; `part` receives the part of each tet. `stack` has room for every tet.
static int findParts(int tetCount, const int (*neighbors)[4], int* part, int* stack)
{
    int parts = 0;
    memset(part, 0xff, memBytes((size_t)tetCount, sizeof(int)));
    for (int seed = 0; seed < tetCount; ++seed) {
        if (part[seed] >= 0)
            continue;
        int depth = 0;
        stack[depth++] = seed;
        part[seed] = parts;
        while (depth > 0) {
            int t = stack[--depth];
            for (int k = 0; k < 4; ++k) {
                int next = neighbors[t][k];
                if (next >= 0 && part[next] < 0) {
                    part[next] = parts;
                    stack[depth++] = next;
                }
            }
        }
        ++parts;
    }
    return parts;
}

static shStatus checkParts(const TetMesh* mesh, const int (*neighbors)[4], int* part, int* stack, shMessage* message)
{
    int parts = findParts(mesh->tetCount, neighbors, part, stack);
    for (int t = 0; t < mesh->tetCount; ++t)
        if (part[t] > 0)
            return fail(message, shBadMesh, "the solid has %d parts: tetrahedron %d is not joined to tetrahedron 0",
                        parts, t);
    return shOk;
}

shStatus tetMeshCheck(const TetMesh* mesh, Memory* memory, shMessage* message)
{
    shStatus status = checkElements(mesh, message);
    if (status != shOk)
        return status;
    int tetCount = mesh->tetCount, halves = 3 * mesh->triangleCount;
    const int(*tets)[4] = (const int(*)[4])mesh->tets;
    int(*neighbors)[4] = memAlloc(memory, memBytes((size_t)tetCount, sizeof *neighbors));
    int* twins = NEW_ARRAY(memory, int, halves);
    int* fan = NEW_ARRAY(memory, int, mesh->nodeCount);
    int* part = NEW_ARRAY(memory, int, tetCount);
    int* stack = NEW_ARRAY(memory, int, tetCount);
    if (neighbors == NULL || twins == NULL || fan == NULL || part == NULL || stack == NULL)
        status = failMemory(message);
    if (status == shOk)
        status = matchFaces(memory, tetCount, tets, neighbors, message);
    if (status == shOk)
        status = checkBoundary(mesh, memory, (const int(*)[4])neighbors, message);
    if (status == shOk)
        status = matchEdges(memory, mesh->triangleCount, (const int(*)[3])mesh->triangles, twins, message);
    if (status == shOk)
        status = checkVertices(mesh, twins, fan, message);
    if (status == shOk)
        status = checkParts(mesh, (const int(*)[4])neighbors, part, stack, message);
    FREE_ARRAY(memory, neighbors, tetCount);
    FREE_ARRAY(memory, twins, halves);
    FREE_ARRAY(memory, fan, mesh->nodeCount);
    FREE_ARRAY(memory, part, tetCount);
    FREE_ARRAY(memory, stack, tetCount);
    return status;
}

// Quality -------------------------------------------------------------------------------------------------------------

// Cosines of the six dihedral angles: minus the cosine between the outward normals of the two faces at an edge.
static void dihedralCosines(const DVec3 p[4], double cosines[6])
{
    DVec3 normals[4];
    for (int k = 0; k < 4; ++k) {
        const int* f = tetFaces[k];
        normals[k] = dNormalize(dCross(dSub(p[f[1]], p[f[0]]), dSub(p[f[2]], p[f[0]])));
    }
    for (int e = 0; e < 6; ++e)
        cosines[e] = clampD(-dDot(normals[tetEdges[e][0]], normals[tetEdges[e][1]]), -1.0, 1.0);
}

static double meanEdge(const TetMesh* mesh, Memory* memory)
{
    KeySet edges;
    if (!keySetInit(&edges, memory, 6 * (int64_t)mesh->tetCount))
        return 0.0;
    double sum = 0.0;
    for (int t = 0; t < mesh->tetCount; ++t)
        for (int e = 0; e < 6; ++e) {
            int a = mesh->tets[t][tetEdges[e][0]], b = mesh->tets[t][tetEdges[e][1]], known = edges.count;
            if (keySetAddEdge(&edges, a, b) == known)
                sum += dDistance(dFromV(mesh->nodes[a]), dFromV(mesh->nodes[b]));
        }
    double mean = edges.count > 0 ? sum / edges.count : 0.0;
    keySetFree(&edges, memory);
    return mean;
}

static int countParts(const TetMesh* mesh, Memory* memory)
{
    int tetCount = mesh->tetCount, parts = 0;
    int(*neighbors)[4] = memAlloc(memory, memBytes((size_t)tetCount, sizeof *neighbors));
    int* part = NEW_ARRAY(memory, int, tetCount);
    int* stack = NEW_ARRAY(memory, int, tetCount);
    if (neighbors != NULL && part != NULL && stack != NULL &&
        matchFaces(memory, tetCount, (const int(*)[4])mesh->tets, neighbors, NULL) == shOk)
        parts = findParts(tetCount, (const int(*)[4])neighbors, part, stack);
    FREE_ARRAY(memory, neighbors, tetCount);
    FREE_ARRAY(memory, part, tetCount);
    FREE_ARRAY(memory, stack, tetCount);
    return parts;
}

TetQuality tetMeshQuality(const TetMesh* mesh, Memory* memory)
{
    const double degrees = 180.0 / TRIG_PI;
    TetQuality quality = {0};
    double largest = -1.0, smallest = 1.0, minOrient = INFINITY;
    for (int t = 0; t < mesh->tetCount; ++t) {
        DVec3 p[4];
        double cosines[6];
        for (int k = 0; k < 4; ++k)
            p[k] = dFromV(mesh->nodes[mesh->tets[t][k]]);
        dihedralCosines(p, cosines);
        for (int e = 0; e < 6; ++e) {
            largest = maxD(largest, cosines[e]);
            smallest = minD(smallest, cosines[e]);
        }
        double orient = dOrient(p[0], p[1], p[2], p[3]);
        quality.volume += orient / 6.0;
        minOrient = minD(minOrient, orient);
    }
    quality.minDihedral = degrees * trigAcos(largest);
    quality.maxDihedral = degrees * trigAcos(smallest);
    quality.minVolume = minOrient / 6.0;
    quality.meanEdge = meanEdge(mesh, memory);
    quality.parts = countParts(mesh, memory);
    return quality;
}
