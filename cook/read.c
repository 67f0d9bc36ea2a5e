// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cook/cook.h"
#include "cook/orient.h"
#include "cook/read_mtl.h"
#include "cook/readers.h"
#include "core/message.h"

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

void slotNamesFree(SlotNames* names, Memory* memory)
{
    FREE_ARRAY(memory, names->names, names->count);
    *names = (SlotNames){0};
}

static const Format* formatOf(const char* path)
{
    for (int i = 0; i < formatCount; ++i)
        if (extensionIs(path, formats[i].extension))
            return &formats[i];
    return NULL;
}

static void readOwn(shContext* context, const Format* format, Text* text, TriMesh* mesh, Looks* looks,
                    shMessage* message)
{
    SlotNames names = {0};
    const char* path = text->path;
    if (textOpen(text, context, path, message))
        format->read(text, mesh, &names);
    textClose(text);
    if (text->status == shOk && !readMaterialLibraries(context, path, &names, looks))
        text->status = failMemory(message);
    slotNamesFree(&names, &context->memory);
}

shStatus cookReadModel(shContext* context, const char* path, TriMesh* mesh, Looks* looks, shMessage* message)
{
    *mesh = (TriMesh){0};
    *looks = (Looks){0};
    const Format* format = formatOf(path);
    Text text = {.memory = &context->memory, .path = path, .message = message};
    if (format != NULL)
        readOwn(context, format, &text, mesh, looks, message);
    else if (assimpReads(path))
        readByAssimp(&text, mesh, looks);
    else
        return fail(message, shInvalid,
                    "%.200s: the extension names no format that is read; .obj, .off, .stl, .ply, .gltf, .glb, .node, "
                    ".ele and .msh are, and others that assimp knows",
                    path);
    if (text.status == shOk && !orientSurface(mesh, &context->memory))
        text.status = failMemory(message);
    if (text.status != shOk) {
        triMeshFree(mesh, &context->memory);
        looksFree(looks, &context->memory);
    }
    return text.status;
}

shStatus cookReadMesh(shContext* context, const char* path, TriMesh* mesh, SlotNames* names, shMessage* message)
{
    Looks looks;
    shStatus status = cookReadModel(context, path, mesh, &looks, message);
    if (status == shOk && names != NULL) {
        *names = (SlotNames){.count = looks.surfaceCount};
        names->names = memAlloc(&context->memory, memBytes((size_t)looks.surfaceCount, sizeof *names->names));
        if (looks.surfaceCount > 0 && names->names == NULL) {
            triMeshFree(mesh, &context->memory);
            status = failMemory(message);
            names->count = 0;
        }
        for (int i = 0; i < names->count; ++i)
            memcpy(names->names[i], looks.surfaces[i].name, SLOT_NAME_BYTES);
    }
    looksFree(&looks, &context->memory);
    return status;
}

shStatus cookReadRegions(shContext* context, const char* path, TriMesh* mesh, SlotNames* names, shMessage* message)
{
    *mesh = (TriMesh){0};
    *names = (SlotNames){0};
    Text text;
    if (textOpen(&text, context, path, message))
        readObjRegions(&text, mesh, names);
    textClose(&text);
    if (text.status != shOk) {
        triMeshFree(mesh, &context->memory);
        slotNamesFree(names, &context->memory);
    }
    return text.status;
}
