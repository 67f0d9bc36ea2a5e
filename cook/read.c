// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cook/cook.h"
#include "cook/orient.h"
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
    if (text.status == shOk && !orientSurface(mesh, &context->memory))
        text.status = failMemory(message);
    if (text.status != shOk)
        triMeshFree(mesh, &context->memory);
    if (names != NULL && text.status == shOk)
        *names = found;
    else
        slotNamesFree(&found, &context->memory);
    return text.status;
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
