// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cook/cook.h"
#include "cook/limits.h"
#include "core/message.h"
#include "mesh/transfer.h"

#include <meshoptimizer.h>
#include <string.h>

// Allowed error, as a share of the extent, and target in shares of the slack: another target takes other collapses,
// which helps when the first ones pinch the surface.
typedef struct Attempt {
    float error;
    double shift;
} Attempt;

static const Attempt attempts[] = {{0.02f, 0.0}, {0.02f, -0.4}, {0.02f, 0.4}, {0.02f, -0.8},
                                   {0.02f, 0.8}, {0.1f, 0.0},   {0.1f, -0.5}, {1.0f, 0.0}};
enum { attemptCount = sizeof(attempts) / sizeof(attempts[0]) };

typedef struct Decimation {
    shContext* context;
    const TriMesh* input;
    float (*positions)[3];
    unsigned* before; // [3 · triangles] indices of the input
    unsigned* after;  // of the result
    int* number;      // [vertices] of the result
    bool closed;      // the input is a sound solid, so the result must be one too
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

static shStatus attempt(const Decimation* d, int target, Attempt with, TriMesh* output, DecimateReport* report,
                        shMessage* message)
{
    const TriMesh* input = d->input;
    double wanted = (double)target * (1.0 + with.shift * COOK_DECIMATE_SLACK);
    float error = 0.0f;
    size_t indices = meshopt_simplify(d->after, d->before, 3 * (size_t)input->triangleCount, &d->positions[0][0],
                                      (size_t)input->vertexCount, sizeof(d->positions[0]), 3 * (size_t)wanted,
                                      with.error, 0, &error);
    int count = (int)(indices / 3);
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
    shStatus status = transferTo(d, output) ? shOk : failMemory(message);
    if (status == shOk && d->closed && triMeshCheck(output, &d->context->memory, &reason) != shOk)
        status =
            fail(message, shFailed, "decimation to %d triangles spoils the surface (%.200s); ask for another number",
                 target, reason.text);
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
    shStatus status = shFailed;
    for (int i = 0; i < attemptCount && status == shFailed; ++i)
        status = attempt(d, target, attempts[i], output, report, message);
    return status;
}

shStatus cookDecimate(shContext* context, const TriMesh* input, int triangles, TriMesh* output, DecimateReport* report,
                      shMessage* message)
{
    *output = (TriMesh){0};
    DecimateReport unused = {0};
    report = report != NULL ? report : &unused;
    *report = (DecimateReport){0};
    if (triangles < COOK_MIN_TRIANGLES)
        return fail(message, shInvalid, "decimation to %d triangles; a solid needs at least %d", triangles,
                    COOK_MIN_TRIANGLES);
    Memory* memory = &context->memory;
    int vertices = input->vertexCount;
    int64_t indices = 3 * (int64_t)input->triangleCount;
    Decimation d = {.context = context, .input = input};
    d.positions = memAlloc(memory, memBytes((size_t)vertices, sizeof(*d.positions)));
    d.before = NEW_ARRAY(memory, unsigned, indices);
    d.after = NEW_ARRAY(memory, unsigned, indices);
    d.number = NEW_ARRAY(memory, int, vertices);
    bool ok = d.positions != NULL && d.before != NULL && d.after != NULL && d.number != NULL;
    shStatus status = ok ? decimate(&d, triangles, output, report, message) : failMemory(message);
    FREE_ARRAY(memory, d.positions, vertices);
    FREE_ARRAY(memory, d.before, indices);
    FREE_ARRAY(memory, d.after, indices);
    FREE_ARRAY(memory, d.number, vertices);
    return status;
}
