// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Inside or outside: exactly by normals for clean surfaces, by winding numbers for all others.
#include "core/constants.h"
#include "core/forest.h"
#include "core/message.h"
#include "core/trig.h"
#include "mesh/adjacency.h"
#include "mesh/tri_query.h"

// ---- normals --------------------------------------------------------------------------------------------------

// Twice the area, as a vector.
static DVec3 areaNormal(const DVec3 corners[3])
{
    return dCross(dSub(corners[1], corners[0]), dSub(corners[2], corners[0]));
}

static DVec3 centroidOf(const DVec3 corners[3])
{
    return dScale(1.0 / 3.0, dAdd(dAdd(corners[0], corners[1]), corners[2]));
}

static double angleBetween(DVec3 a, DVec3 b) { return trigAtan2(dLength(dCross(a, b)), dDot(a, b)); }

shStatus triQueryAddNormals(TriQuery* query, Memory* memory, shMessage* message)
{
    if (query->triangleCount == 0)
        return fail(message, shBadMesh, "a surface without triangles has no inside");
    for (int s = 0; s < query->triangleCount; ++s)
        if (!(dLength2(areaNormal(query->corners[s])) > 0.0))
            return fail(message, shBadMesh, "triangle %d has no area", query->ids[s]);
    int* twins = NEW_ARRAY(memory, int, 3 * query->triangleCount);
    DVec3* normals = NEW_ZEROED(memory, DVec3, query->vertexCount);
    shStatus status = shOutOfMemory;
    if (twins != NULL && normals != NULL)
        status = matchEdges(memory, query->triangleCount, (const int(*)[3])query->vertices, twins, NULL);
    if (status != shOk) {
        FREE_ARRAY(memory, normals, query->vertexCount);
        FREE_ARRAY(memory, twins, 3 * query->triangleCount);
        return status == shOutOfMemory ? failMemory(message) : fail(message, status, "the surface is not closed");
    }
    for (int s = 0; s < query->triangleCount; ++s) {
        const DVec3* corners = query->corners[s];
        DVec3 normal = dNormalize(areaNormal(corners));
        for (int i = 0; i < 3; ++i) {
            DVec3* sum = &normals[query->vertices[s][i]];
            DVec3 p = corners[i], next = corners[(i + 1) % 3], last = corners[(i + 2) % 3];
            *sum = dMad(*sum, angleBetween(dSub(next, p), dSub(last, p)), normal);
        }
    }
    query->twins = twins;
    query->vertexNormals = normals;
    return shOk;
}

bool triQueryBehind(const TriQuery* query, DVec3 p, const TriHit* hit)
{
    DVec3 normal;
    if (hit->feature >= triCorner0) {
        normal = query->vertexNormals[query->vertices[hit->slot][hit->feature - triCorner0]];
    } else {
        normal = dNormalize(areaNormal(query->corners[hit->slot]));
        if (hit->feature != triFace) {
            int other = query->twins[3 * hit->slot + (hit->feature - triEdge0)] / 3;
            normal = dAdd(normal, dNormalize(areaNormal(query->corners[other])));
        }
    }
    return dDot(dSub(p, hit->point), normal) < 0.0;
}

double triQuerySignedDistance(const TriQuery* query, DVec3 p, double maxDistance)
{
    TriHit hit = triQueryClosest(query, p, maxDistance);
    if (hit.triangle < 0)
        return (double)NAN;
    return triQueryBehind(query, p, &hit) ? -hit.distance : hit.distance;
}

// ---- winding numbers ------------------------------------------------------------------------------------------

// Solid angle of a triangle seen from p, counted in whole turns: 1 = 4π.
static double turnsOf(const DVec3 corners[3], DVec3 p)
{
    DVec3 a = dSub(corners[0], p), b = dSub(corners[1], p), c = dSub(corners[2], p);
    double la = dLength(a), lb = dLength(b), lc = dLength(c);
    double volume = dDot(a, dCross(b, c));
    double cosine = la * lb * lc + dDot(a, b) * lc + dDot(b, c) * la + dDot(c, a) * lb;
    return trigAtan2(volume, cosine) / (2.0 * TRIG_PI);
}

static double signOf(const TriQuery* query, int slot) { return query->flipped[slot] ? -1.0 : 1.0; }

// Sums over the triangles [begin, end): the nodes below a node cover one range, and it ends where their leaves end.
static TriCluster clusterOf(const TriQuery* query, int begin, int end)
{
    DVec3 weighted = {0.0, 0.0, 0.0}, middle = {0.0, 0.0, 0.0};
    TriCluster cluster = {.center = {0.0, 0.0, 0.0}};
    double area = 0.0;
    for (int s = begin; s < end; ++s) {
        const DVec3* t = query->corners[s];
        DVec3 normal = dScale(0.5 * signOf(query, s), areaNormal(t));
        DVec3 centroid = centroidOf(t);
        double a = dLength(normal);
        area += a;
        weighted = dMad(weighted, a, centroid);
        middle = dAdd(middle, centroid);
        cluster.dipole = dAdd(cluster.dipole, normal);
    }
    cluster.center = area > 0.0 ? dScale(1.0 / area, weighted) : dScale(1.0 / (end - begin), middle);
    for (int s = begin; s < end; ++s) {
        const DVec3* t = query->corners[s];
        DVec3 normal = dScale(0.5 * signOf(query, s), areaNormal(t));
        DVec3 offset = dSub(centroidOf(t), cluster.center);
        cluster.moment.r0 = dMad(cluster.moment.r0, normal.x, offset);
        cluster.moment.r1 = dMad(cluster.moment.r1, normal.y, offset);
        cluster.moment.r2 = dMad(cluster.moment.r2, normal.z, offset);
        for (int i = 0; i < 3; ++i)
            cluster.radius2 = maxD(cluster.radius2, dLength2(dSub(t[i], cluster.center)));
    }
    return cluster;
}

// Each node from its own triangles: a factor of the depth slower than merging children, and no rounding piles up.
static void buildClusters(TriQuery* query, int* ends)
{
    for (int n = query->nodeCount - 1; n >= 0; --n) {
        const TriNode* node = &query->nodes[n];
        ends[n] = node->count > 0 ? node->first + node->count : ends[node->first + 1];
        int begin = n;
        while (query->nodes[begin].count == 0)
            begin = query->nodes[begin].first;
        query->clusters[n] = clusterOf(query, query->nodes[begin].first, ends[n]);
    }
}

// The far field of a cluster, to the second term of its expansion; `r` points from the asker to the center.
static double clusterTurns(const TriCluster* cluster, DVec3 r)
{
    double d2 = dLength2(r), d = sqrt(d2), d3 = d2 * d;
    DVec3 m = dmMul(cluster->moment, r);
    double trace = cluster->moment.r0.x + cluster->moment.r1.y + cluster->moment.r2.z;
    return (dDot(cluster->dipole, r) + trace - 3.0 * dDot(r, m) / d2) / (4.0 * TRIG_PI * d3);
}

double triQueryWinding(const TriQuery* query, DVec3 p)
{
    double turns = 0.0;
    int stack[triTreeDepth], stackCount = 0;
    if (query->nodeCount > 0)
        stack[stackCount++] = 0;
    while (stackCount > 0) {
        int n = stack[--stackCount];
        const TriNode* node = &query->nodes[n];
        const TriCluster* cluster = &query->clusters[n];
        DVec3 r = dSub(cluster->center, p);
        if (dLength2(r) > WINDING_FAR * WINDING_FAR * cluster->radius2) {
            turns += clusterTurns(cluster, r);
        } else if (node->count > 0) {
            for (int s = node->first; s < node->first + node->count; ++s)
                turns += signOf(query, s) * turnsOf(query->corners[s], p);
        } else {
            stack[stackCount++] = node->first + 1;
            stack[stackCount++] = node->first;
        }
    }
    return turns;
}

// ---- orientation ----------------------------------------------------------------------------------------------

typedef struct Shell {
    double volume; // six times the volume, from the mesh's middle
    double area;   // twice the area
    DVec3 vector;  // sum of areas times normals: zero for a closed surface
    int firstSlot; // a triangle of it; −1: this vertex is not the root of a component
    double turns;  // of this shell alone around the centroid of that triangle
    bool insideOut;
} Shell;

// Components over shared vertices, each summed up at its root.
static double sumShells(const TriQuery* query, int* parents, Shell* shells)
{
    for (int v = 0; v < query->vertexCount; ++v) {
        parents[v] = v;
        shells[v] = (Shell){.firstSlot = -1};
    }
    DVec3 weighted = {0.0, 0.0, 0.0};
    double area = 0.0, volume = 0.0;
    for (int s = 0; s < query->triangleCount; ++s) {
        const int* v = query->vertices[s];
        int a = forestRoot(parents, v[0]);
        parents[forestRoot(parents, v[1])] = a;
        parents[forestRoot(parents, v[2])] = a;
        double mine = dLength(areaNormal(query->corners[s]));
        area += mine;
        weighted = dMad(weighted, mine, centroidOf(query->corners[s]));
    }
    DVec3 middle = area > 0.0 ? dScale(1.0 / area, weighted) : query->corners[0][0];
    for (int s = 0; s < query->triangleCount; ++s) {
        const DVec3* t = query->corners[s];
        Shell* shell = &shells[forestRoot(parents, query->vertices[s][0])];
        DVec3 normal = areaNormal(t);
        double mine = dDot(dSub(t[0], middle), normal);
        if (shell->firstSlot < 0)
            shell->firstSlot = s;
        shell->volume += mine;
        shell->area += dLength(normal);
        shell->vector = dAdd(shell->vector, normal);
        volume += mine;
    }
    return volume;
}

// Marks the triangles whose orientation is to be taken the other way.
static void repairOrientation(TriQuery* query, int* ends, int* parents, Shell* shells)
{
    bool inverted = sumShells(query, parents, shells) < 0.0;
    for (int s = 0; s < query->triangleCount; ++s)
        query->flipped[s] = inverted;
    buildClusters(query, ends);
    for (int s = 0; s < query->triangleCount; ++s) {
        Shell* shell = &shells[forestRoot(parents, query->vertices[s][0])];
        DVec3 p = centroidOf(query->corners[shell->firstSlot]);
        shell->turns += signOf(query, s) * turnsOf(query->corners[s], p);
    }
    bool changed = false;
    for (int v = 0; v < query->vertexCount; ++v) {
        Shell* shell = &shells[v];
        double volume = inverted ? -shell->volume : shell->volume;
        if (shell->firstSlot < 0 || volume >= 0.0 || dLength(shell->vector) > WINDING_SHELL_OPENNESS * shell->area)
            continue;
        // Around a cavity the others wind once, around a shell that is simply inside out not at all.
        double others = triQueryWinding(query, centroidOf(query->corners[shell->firstSlot])) - shell->turns;
        shell->insideOut = fabs(others) < 0.5;
        changed = changed || shell->insideOut;
    }
    if (!changed)
        return;
    for (int s = 0; s < query->triangleCount; ++s)
        query->flipped[s] ^= shells[forestRoot(parents, query->vertices[s][0])].insideOut;
    buildClusters(query, ends);
}

bool triQueryAddWinding(TriQuery* query, Memory* memory)
{
    if (query->triangleCount == 0)
        return true;
    query->clusters = NEW_ARRAY(memory, TriCluster, query->nodeCount);
    query->flipped = NEW_ARRAY(memory, bool, query->triangleCount);
    int* ends = NEW_ARRAY(memory, int, query->nodeCount);
    int* parents = NEW_ARRAY(memory, int, query->vertexCount);
    Shell* shells = NEW_ARRAY(memory, Shell, query->vertexCount);
    bool fits = query->clusters && query->flipped && ends && parents && shells;
    if (fits) {
        repairOrientation(query, ends, parents, shells);
    } else {
        FREE_ARRAY(memory, query->flipped, query->triangleCount);
        FREE_ARRAY(memory, query->clusters, query->nodeCount);
        query->flipped = NULL;
        query->clusters = NULL;
    }
    FREE_ARRAY(memory, shells, query->vertexCount);
    FREE_ARRAY(memory, parents, query->vertexCount);
    FREE_ARRAY(memory, ends, query->nodeCount);
    return fits;
}
