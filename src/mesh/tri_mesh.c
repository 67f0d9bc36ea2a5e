// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "mesh/tri_mesh.h"

#include "core/message.h"
#include "mesh/adjacency.h"

#include <string.h>

void cornersFlat(const DVec3 p[3], Corner corners[3])
{
    Vec3 normal = vFromD(dNormalize(dCross(dSub(p[1], p[0]), dSub(p[2], p[0]))));
    float x = fabsf(normal.x), y = fabsf(normal.y), z = fabsf(normal.z);
    for (int k = 0; k < 3; ++k) {
        Vec3 at = vFromD(p[k]);
        corners[k].normal = normal;
        if (x >= y && x >= z) {
            corners[k].uv[0] = normal.x > 0.0f ? at.y : -at.y;
            corners[k].uv[1] = at.z;
        } else if (y >= z) {
            corners[k].uv[0] = normal.y > 0.0f ? -at.x : at.x;
            corners[k].uv[1] = at.z;
        } else {
            corners[k].uv[0] = normal.z > 0.0f ? at.x : -at.x;
            corners[k].uv[1] = at.y;
        }
    }
}

bool triMeshAlloc(TriMesh* mesh, Memory* memory, int vertexCount, int triangleCount, bool corners, bool groups)
{
    memset(mesh, 0, sizeof *mesh);
    mesh->vertexCount = vertexCount;
    mesh->triangleCount = triangleCount;
    size_t triangles = (size_t)triangleCount;
    mesh->vertices = NEW_ARRAY(memory, DVec3, vertexCount);
    mesh->triangles = memAlloc(memory, memBytes(triangles, sizeof *mesh->triangles));
    if (corners)
        mesh->corners = memAlloc(memory, memBytes(triangles, sizeof *mesh->corners));
    if (groups)
        mesh->groups = NEW_ARRAY(memory, uint16_t, triangleCount);
    bool whole = (mesh->vertices != NULL || vertexCount == 0) &&
                 (triangleCount == 0 || (mesh->triangles != NULL && (!corners || mesh->corners != NULL) &&
                                         (!groups || mesh->groups != NULL)));
    if (!whole)
        triMeshFree(mesh, memory);
    return whole;
}

void triMeshFree(TriMesh* mesh, Memory* memory)
{
    FREE_ARRAY(memory, mesh->vertices, mesh->vertexCount);
    FREE_ARRAY(memory, mesh->triangles, mesh->triangleCount);
    FREE_ARRAY(memory, mesh->corners, mesh->triangleCount);
    FREE_ARRAY(memory, mesh->groups, mesh->triangleCount);
    memset(mesh, 0, sizeof *mesh);
}

static shStatus checkTriangle(const TriMesh* mesh, int t, shMessage* message)
{
    const int* v = mesh->triangles[t];
    for (int k = 0; k < 3; ++k)
        if (v[k] < 0 || v[k] >= mesh->vertexCount)
            return fail(message, shBadMesh, "triangle %d: vertex index %d is out of range (there are %d vertices)", t,
                        v[k], mesh->vertexCount);
    for (int k = 0; k < 3; ++k)
        if (v[k] == v[(k + 1) % 3])
            return fail(message, shBadMesh, "triangle %d: vertex %d is used twice", t, v[k]);
    DVec3 a = mesh->vertices[v[0]], b = mesh->vertices[v[1]], c = mesh->vertices[v[2]];
    if (!(dLength2(dCross(dSub(b, a), dSub(c, a))) > 0.0))
        return fail(message, shBadMesh, "triangle %d (%d, %d, %d) has no area", t, v[0], v[1], v[2]);
    for (int k = 0; k < 3 && mesh->corners != NULL; ++k) {
        Corner corner = mesh->corners[t][k];
        if (!isfinite(corner.uv[0]) || !isfinite(corner.uv[1]) || !vFinite(corner.normal))
            return fail(message, shBadMesh, "triangle %d: corner %d: UV or normal is not finite", t, k);
    }
    return shOk;
}

shStatus triMeshCheck(const TriMesh* mesh, Memory* memory, shMessage* message)
{
    if (mesh->vertexCount < 4 || mesh->triangleCount < 4)
        return fail(message, shBadMesh, "%d vertices and %d triangles cannot enclose a solid: 4 of each are the least",
                    mesh->vertexCount, mesh->triangleCount);
    if (mesh->triangleCount > MAX_TRIANGLES)
        return fail(message, shLimit, "%d triangles are more than the limit of %d", mesh->triangleCount, MAX_TRIANGLES);
    for (int v = 0; v < mesh->vertexCount; ++v)
        if (!dFinite(mesh->vertices[v]))
            return fail(message, shBadMesh, "vertex %d is not finite", v);
    shStatus status = shOk;
    for (int t = 0; t < mesh->triangleCount && status == shOk; ++t)
        status = checkTriangle(mesh, t, message);
    if (status != shOk)
        return status;
    int* twins = NEW_ARRAY(memory, int, 3 * mesh->triangleCount);
    if (twins == NULL)
        return failMemory(message);
    status = matchEdges(memory, mesh->triangleCount, (const int(*)[3])mesh->triangles, twins, message);
    FREE_ARRAY(memory, twins, 3 * mesh->triangleCount);
    if (status != shOk)
        return status;
    double volume = triMeshVolume(mesh);
    if (!(volume > 0.0))
        return fail(message, shBadMesh, "the surface encloses a volume of %g m³: its triangles face inwards", volume);
    return shOk;
}

shBox triMeshBox(const TriMesh* mesh)
{
    shBox box = boxEmpty();
    for (int v = 0; v < mesh->vertexCount; ++v)
        box = boxAdd(box, vFromD(mesh->vertices[v]));
    return box;
}

double triMeshVolume(const TriMesh* mesh)
{
    if (mesh->vertexCount == 0)
        return 0.0;
    // Seen from a vertex of the mesh, so that a solid far from the origin loses no digits.
    DVec3 origin = mesh->vertices[0];
    double sum = 0.0;
    for (int t = 0; t < mesh->triangleCount; ++t) {
        const int* v = mesh->triangles[t];
        sum += dOrient(origin, mesh->vertices[v[0]], mesh->vertices[v[1]], mesh->vertices[v[2]]);
    }
    return sum / 6.0;
}
