// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "bench/peer_pairs.h"

#include "core/message.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// The structures are laid out as the file is: four-byte numbers, no gaps, and all machines we know are little-endian.
_Static_assert(sizeof(shVec3) == 12 && sizeof(int[3]) == 12 && sizeof(PeerPose) == 64, "written as they lie in memory");

static void writeMesh(FILE* file, const PeerMesh* mesh)
{
    const int counts[2] = {mesh->vertexCount, mesh->triangleCount};
    fwrite(counts, sizeof(counts), 1, file);
    if (mesh->vertexCount > 0)
        fwrite(mesh->vertices, sizeof(mesh->vertices[0]), (size_t)mesh->vertexCount, file);
    if (mesh->triangleCount > 0)
        fwrite(mesh->triangles, sizeof(mesh->triangles[0]), (size_t)mesh->triangleCount, file);
}

shStatus peerWriteFile(const char* path, const PeerMesh* meshes, int meshCount, const PeerPose* poses, int poseCount,
                       shMessage* message)
{
    FILE* file = fopen(path, "wb");
    if (file == NULL)
        return fail(message, shNoFile, "%.300s: %s", path, strerror(errno));
    const int counts[2] = {meshCount, poseCount};
    fwrite("sherd-p1", 8, 1, file);
    fwrite(counts, sizeof(counts), 1, file);
    for (int i = 0; i < meshCount; ++i)
        writeMesh(file, &meshes[i]);
    if (poseCount > 0)
        fwrite(poses, sizeof(poses[0]), (size_t)poseCount, file);
    bool failed = ferror(file) != 0;
    failed = fclose(file) != 0 || failed;
    return failed ? fail(message, shNoFile, "%.300s cannot be written", path) : shOk;
}

static const json_t* listOf(const json_t* answer, const char* name, int count)
{
    const json_t* list = json_object_get(answer, name);
    return json_is_array(list) && json_array_size(list) == (size_t)count ? list : NULL;
}

shStatus peerBlock(Peer* peer, double* us, uint8_t* touch, float* depth, int count, shMessage* message)
{
    json_t* answer;
    shStatus status = peerAsk(peer, "block", &answer, message);
    if (status != shOk)
        return status;
    const json_t *times = listOf(answer, "us", count), *touches = listOf(answer, "touch", count),
                 *depths = listOf(answer, "depth", count);
    if (times == NULL || touches == NULL || depths == NULL)
        status = fail(message, shFailed, "%.60s did not answer for %d poses", peerInfo(peer), count);
    for (int i = 0; i < count && status == shOk; ++i) {
        const json_t* deepest = json_array_get(depths, (size_t)i);
        if (us != NULL)
            us[i] = json_number_value(json_array_get(times, (size_t)i));
        if (touch != NULL)
            touch[i] = json_integer_value(json_array_get(touches, (size_t)i)) != 0;
        if (depth != NULL)
            depth[i] = json_is_number(deepest) ? (float)json_number_value(deepest) : NAN;
    }
    json_decref(answer);
    return status;
}
