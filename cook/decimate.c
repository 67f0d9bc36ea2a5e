// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cook/cook.h"
#include "cook/flip.h"
#include "cook/limits.h"
#include "core/message.h"
#include "mesh/transfer.h"

#include <meshoptimizer.h>
#include <string.h>

// The collapses do not look at topology: where thin parts touch, edges of four triangles arise. Other ways to the same
// target, by a stop at so many times its triangles, take other collapses, and one of them nearly always comes out
// whole.
static const double stops[] = {1.0, 1.5, 2.0, 1.25, 2.5, 3.0, 5.0, 1.1, 4.0, 1.75};
enum { stopCount = sizeof(stops) / sizeof(stops[0]) };

typedef struct Decimation {
    shContext* context;
    const TriMesh* input;
    float (*positions)[3];
    unsigned* before; // [3 · triangles] indices of the input
    unsigned* middle; // of a stop on the way
    unsigned* after;  // of the result
    int* number;      // [vertices] of the result
    bool closed;      // the input is a sound solid, so the result must be one too
    int euler;        // of the input
} Decimation;

// Compacts the kept triangles and vertices.
static bool makeMesh(const Decimation* d, int triangleCount, TriMesh* mesh)
{
    const TriMesh* input = d->input;
    for (int i = 0; i < input->vertexCount; ++i)
        d->number[i] = -1;
    for (int i = 0; i < 3 * triangleCount; ++i)
        d->number[d->after[i]] = 0;
    int vertexCount = 0;
    for (int i = 0; i < input->vertexCount; ++i)
        if (d->number[i] == 0)
            d->number[i] = vertexCount++;
    if (!triMeshAlloc(mesh, &d->context->memory, vertexCount, triangleCount, input->corners != NULL,
                      input->groups != NULL))
        return false;
    for (int i = 0; i < input->vertexCount; ++i)
        if (d->number[i] >= 0)
            mesh->vertices[d->number[i]] = input->vertices[i];
    for (int i = 0; i < triangleCount; ++i)
        for (int k = 0; k < 3; ++k)
            mesh->triangles[i][k] = d->number[d->after[3 * i + k]];
    return true;
}

static bool transferTo(const Decimation* d, TriMesh* mesh)
{
    Memory* memory = &d->context->memory;
    DVec3(*points)[3] = memAlloc(memory, memBytes((size_t)mesh->triangleCount, sizeof(*points)));
    if (points == NULL)
        return false;
    for (int i = 0; i < mesh->triangleCount; ++i)
        for (int k = 0; k < 3; ++k)
            points[i][k] = mesh->vertices[mesh->triangles[i][k]];
    TransferTarget target = {mesh->triangleCount, (const DVec3(*)[3])points, mesh->corners, mesh->groups};
    bool ok = transferSurface(d->context, d->input, &target);
    FREE_ARRAY(memory, points, mesh->triangleCount);
    return ok;
}

static bool reachesTarget(int count, int target)
{
    return fabs((double)count - (double)target) <= maxD(2.0, COOK_DECIMATE_SLACK * (double)target);
}

static int simplify(const Decimation* d, const unsigned* from, int count, double target, float* error)
{
    const float noLimit = 1.0f; // as a share of the extent
    return (int)(meshopt_simplify(d->after, from, 3 * (size_t)count, &d->positions[0][0], (size_t)d->input->vertexCount,
                                  sizeof(d->positions[0]), 3 * (size_t)target, noLimit, 0, error) /
                 3);
}

// V − E + F of a closed surface, where E is 3/2 F: two for each shell, less two for each handle.
static int eulerOf(const TriMesh* mesh) { return mesh->vertexCount - mesh->triangleCount / 2; }

static shStatus attempt(const Decimation* d, int target, double stop, TriMesh* output, DecimateReport* report,
                        shMessage* message)
{
    int count = d->input->triangleCount;
    float error = 0.0f;
    const unsigned* from = d->before;
    if (stop > 1.0 && stop * target < count) {
        count = simplify(d, from, count, stop * target, &error);
        memcpy(d->middle, d->after, 3 * (size_t)count * sizeof(d->after[0]));
        from = d->middle;
    }
    count = simplify(d, from, count, target, &error);
    report->error = (double)error;
    ++report->attempts;
    if (!reachesTarget(count, target))
        return fail(message, shFailed,
                    "decimation ends at %d triangles instead of %d: fewer would change its shape or "
                    "topology; ask for %d or more",
                    count, target, count);
    if (!makeMesh(d, count, output))
        return failMemory(message);
    shMessage reason;
    bool ok = flipEdges(output, &d->context->memory) >= 0 && transferTo(d, output);
    shStatus status = ok ? shOk : failMemory(message);
    if (status == shOk && d->closed && triMeshCheck(output, &d->context->memory, &reason) != shOk)
        status =
            fail(message, shFailed, "decimation to %d triangles spoils the surface (%.200s); ask for another number",
                 target, reason.text);
    if (status == shOk && d->closed && eulerOf(output) != d->euler)
        status = fail(message, shFailed, "decimation to %d triangles loses a shell or a handle; ask for more", target);
    if (status != shOk)
        triMeshFree(output, &d->context->memory);
    return status;
}

// Nothing to take away; corners and groups stay in place.
static bool copyMesh(const Decimation* d, TriMesh* output)
{
    const TriMesh* input = d->input;
    size_t count = (size_t)input->triangleCount;
    memcpy(d->after, d->before, 3 * count * sizeof(d->after[0]));
    if (!makeMesh(d, input->triangleCount, output))
        return false;
    if (input->corners != NULL)
        memcpy(output->corners, input->corners, count * sizeof(input->corners[0]));
    if (input->groups != NULL)
        memcpy(output->groups, input->groups, count * sizeof(input->groups[0]));
    return true;
}

static int countUsedVertices(const Decimation* d)
{
    int used = 0;
    for (int i = 0; i < d->input->vertexCount; ++i)
        d->number[i] = 0;
    for (int i = 0; i < 3 * d->input->triangleCount; ++i)
        used += d->number[d->before[i]]++ == 0;
    return used;
}

static shStatus decimate(Decimation* d, int target, TriMesh* output, DecimateReport* report, shMessage* message)
{
    const TriMesh* input = d->input;
    for (int i = 0; i < input->vertexCount; ++i) {
        Vec3 p = vFromD(input->vertices[i]);
        d->positions[i][0] = p.x, d->positions[i][1] = p.y, d->positions[i][2] = p.z;
    }
    for (int i = 0; i < input->triangleCount; ++i)
        for (int k = 0; k < 3; ++k)
            d->before[3 * i + k] = (unsigned)input->triangles[i][k];
    if (input->triangleCount <= target)
        return copyMesh(d, output) ? shOk : failMemory(message);

    d->closed = triMeshCheck(input, &d->context->memory, NULL) == shOk;
    d->euler = countUsedVertices(d) - input->triangleCount / 2;
    shStatus status = shFailed;
    for (int i = 0; i < stopCount && status == shFailed; ++i)
        status = attempt(d, target, stops[i], output, report, message);
    return status;
}

shStatus cookDecimate(shContext* context, const TriMesh* input, int triangles, TriMesh* output, DecimateReport* report,
                      shMessage* message)
{
    *output = (TriMesh){0};
    DecimateReport unused = {0};
    report = report != NULL ? report : &unused;
    *report = (DecimateReport){0};
    if (triangles < COOK_MIN_SOLID)
        return fail(message, shInvalid, "decimation to %d triangles; a solid needs at least %d", triangles,
                    COOK_MIN_SOLID);
    Memory* memory = &context->memory;
    int vertices = input->vertexCount;
    int64_t indices = 3 * (int64_t)input->triangleCount;
    Decimation d = {.context = context, .input = input};
    d.positions = memAlloc(memory, memBytes((size_t)vertices, sizeof(*d.positions)));
    d.before = NEW_ARRAY(memory, unsigned, indices);
    d.middle = NEW_ARRAY(memory, unsigned, indices);
    d.after = NEW_ARRAY(memory, unsigned, indices);
    d.number = NEW_ARRAY(memory, int, vertices);
    bool ok = d.positions != NULL && d.before != NULL && d.middle != NULL && d.after != NULL && d.number != NULL;
    shStatus status = ok ? decimate(&d, triangles, output, report, message) : failMemory(message);
    FREE_ARRAY(memory, d.positions, vertices);
    FREE_ARRAY(memory, d.before, indices);
    FREE_ARRAY(memory, d.middle, indices);
    FREE_ARRAY(memory, d.after, indices);
    FREE_ARRAY(memory, d.number, vertices);
    return status;
}
