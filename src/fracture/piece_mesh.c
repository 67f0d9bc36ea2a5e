// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A piece's surface to look at (X7): the original surface keeps its normals, UVs and slots, cracks get their own.
#include "core/message.h"
#include "solid/solid.h"

typedef struct MeshWriter {
    const TetMesh* source;
    shPieceMesh* mesh;
    int count; // triangles so far
} MeshWriter;

// Weights of p in an original triangle that it lies on.
static void weightsIn(const TetMesh* mesh, int t, Vec3 p, float weights[3])
{
    const int* triangle = mesh->triangles[t];
    DVec3 a = dFromV(mesh->nodes[triangle[0]]), b = dFromV(mesh->nodes[triangle[1]]),
          c = dFromV(mesh->nodes[triangle[2]]), q = dFromV(p);
    DVec3 normal = dCross(dSub(b, a), dSub(c, a));
    double inverse = 1.0 / dLength2(normal);
    double wb = dDot(dCross(dSub(q, a), dSub(c, a)), normal) * inverse;
    double wc = dDot(dCross(dSub(b, a), dSub(q, a)), normal) * inverse;
    weights[0] = (float)(1.0 - wb - wc);
    weights[1] = (float)wb;
    weights[2] = (float)wc;
}

// Along the axis that the surface faces most.
static void projectUv(Vec3 p, Vec3 normal, float uv[2])
{
    Vec3 size = {fabsf(normal.x), fabsf(normal.y), fabsf(normal.z)};
    bool x = size.x >= size.y && size.x >= size.z, y = !x && size.y >= size.z;
    uv[0] = x ? p.y : p.x;
    uv[1] = x || y ? p.z : p.y;
}

static void writeTriangle(const Vec3 p[3], int source, void* user)
{
    MeshWriter* writer = user;
    shPieceMesh* mesh = writer->mesh;
    int t = writer->count++;
    Vec3 flat = vNormalize(vCross(vSub(p[1], p[0]), vSub(p[2], p[0])));
    for (int k = 0; k < 3; ++k) {
        int v = 3 * t + k;
        mesh->triangles[t][k] = v;
        mesh->positions[v] = p[k];
        mesh->normals[v] = flat;
        if (source < 0) {
            projectUv(p[k], flat, mesh->uvs[v]);
            continue;
        }
        float weights[3];
        weightsIn(writer->source, source, p[k], weights);
        const Corner* corners = writer->source->corners[source];
        Vec3 normal = {0.0f, 0.0f, 0.0f};
        mesh->uvs[v][0] = mesh->uvs[v][1] = 0.0f;
        for (int i = 0; i < 3; ++i) {
            normal = vMad(normal, weights[i], corners[i].normal);
            mesh->uvs[v][0] += weights[i] * corners[i].uv[0];
            mesh->uvs[v][1] += weights[i] * corners[i].uv[1];
        }
        if (vLength2(normal) > 0.0f)
            mesh->normals[v] = vNormalize(normal);
    }
    mesh->slots[t] = source < 0 ? -1 : writer->source->groups[source];
}

shStatus shSolid_CreatePieceMesh(const shSolid* solid, int piece, shPieceMesh* mesh, shMessage* message)
{
    *mesh = (shPieceMesh){0};
    int count = shSolid_GetTriangles(solid, piece, NULL, NULL, 0);
    if (count == 0)
        return fail(message, shInvalid, "mesh of piece %d: the solid has %d pieces", piece,
                    fieldPieceCount(&solid->field));
    Memory* memory = &solid->asset->context->memory;
    mesh->triangleCount = count;
    mesh->vertexCount = 3 * count;
    mesh->positions = NEW_ARRAY(memory, Vec3, 3 * count);
    mesh->normals = NEW_ARRAY(memory, Vec3, 3 * count);
    mesh->uvs = memAlloc(memory, memBytes((uint64_t)count, 3 * sizeof(float[2])));
    mesh->triangles = memAlloc(memory, memBytes((uint64_t)count, sizeof(int[3])));
    mesh->slots = NEW_ARRAY(memory, int, count);
    if (!mesh->positions || !mesh->normals || !mesh->uvs || !mesh->triangles || !mesh->slots) {
        shSolid_DestroyPieceMesh(solid, mesh);
        return failMemory(message);
    }
    MeshWriter writer = {&solid->asset->mesh, mesh, 0};
    fieldSurface(&solid->field, piece, writeTriangle, &writer);
    return shOk;
}

void shSolid_DestroyPieceMesh(const shSolid* solid, shPieceMesh* mesh)
{
    Memory* memory = &solid->asset->context->memory;
    FREE_ARRAY(memory, mesh->positions, mesh->vertexCount);
    FREE_ARRAY(memory, mesh->normals, mesh->vertexCount);
    FREE_ARRAY(memory, mesh->uvs, mesh->vertexCount);
    FREE_ARRAY(memory, mesh->triangles, mesh->triangleCount);
    FREE_ARRAY(memory, mesh->slots, mesh->triangleCount);
    *mesh = (shPieceMesh){0};
}
