// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cook/cook.h"
#include "cook/readers.h"
#include "core/message.h"
#include "mesh/adjacency.h"

#include <string.h>

typedef struct Format {
    const char* extension;
    void (*read)(Text* text, TriMesh* mesh, SlotNames* names);
} Format;

static const Format formats[] = {{"obj", readObj}, {"off", readOff}};
enum { formatCount = sizeof(formats) / sizeof(formats[0]) };

static bool extensionIs(const char* path, const char* extension)
{
    const char* dot = strrchr(path, '.');
    if (dot == NULL || strlen(dot + 1) != strlen(extension))
        return false;
    for (int i = 0; extension[i] != '\0'; ++i)
        if ((dot[1 + i] | 0x20) != extension[i])
            return false;
    return true;
}

// A closed surface whose triangles all face inwards is meant the other way round.
static void turnOutwards(TriMesh* mesh, Memory* memory)
{
    int count = mesh->triangleCount;
    int* twins = NEW_ARRAY(memory, int, 3 * (int64_t)count);
    bool closed = twins != NULL && matchEdges(memory, count, (const int(*)[3])mesh->triangles, twins, NULL) == shOk;
    FREE_ARRAY(memory, twins, 3 * (int64_t)count);
    if (!closed || triMeshVolume(mesh) >= 0.0)
        return;
    for (int i = 0; i < count; ++i) {
        int swapped = mesh->triangles[i][1];
        mesh->triangles[i][1] = mesh->triangles[i][2];
        mesh->triangles[i][2] = swapped;
        if (mesh->corners == NULL)
            continue;
        Corner corner = mesh->corners[i][1];
        mesh->corners[i][1] = mesh->corners[i][2];
        mesh->corners[i][2] = corner;
        for (int k = 0; k < 3; ++k)
            mesh->corners[i][k].normal = vNeg(mesh->corners[i][k].normal);
    }
}

void slotNamesFree(SlotNames* names, Memory* memory)
{
    FREE_ARRAY(memory, names->names, names->count);
    *names = (SlotNames){0};
}

shStatus cookReadMesh(shContext* context, const char* path, TriMesh* mesh, SlotNames* names, shMessage* message)
{
    *mesh = (TriMesh){0};
    const Format* format = NULL;
    for (int i = 0; i < formatCount; ++i)
        if (extensionIs(path, formats[i].extension))
            format = &formats[i];
    if (format == NULL)
        return fail(message, shInvalid, "%.200s: the extension names no format that is read; .obj and .off are", path);

    Text text;
    SlotNames found = {0};
    if (textOpen(&text, context, path, message))
        format->read(&text, mesh, &found);
    textClose(&text);
    if (text.status == shOk)
        turnOutwards(mesh, &context->memory);
    else
        triMeshFree(mesh, &context->memory);
    if (names != NULL && text.status == shOk)
        *names = found;
    else
        slotNamesFree(&found, &context->memory);
    return text.status;
}
