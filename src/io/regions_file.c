// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Patterns from and to files.
#include "core/message.h"
#include "fracture/regions.h"
#include "io/file.h"

static void releaseMapping(Memory* memory, const void* bytes, size_t size)
{
    fileClose(&(FileBlock){bytes, size, true}, memory);
}

shStatus shLoadRegions(shContext* context, const char* path, shRegions** regions, shMessage* message)
{
    if (context == NULL || path == NULL || regions == NULL)
        return fail(message, shInvalid, "load: context, path and regions must not be null");
    *regions = NULL;
    FileBlock file;
    shStatus status = fileOpen(&file, &context->memory, path, message);
    if (status != shOk)
        return status;
    status = regionsOpen(context, path, file.bytes, file.size, file.mapped ? releaseMapping : regionsReleaseMemory,
                         regions, message);
    if (status != shOk)
        fileClose(&file, &context->memory);
    return status;
}

shStatus shSaveRegions(const shRegions* regions, const char* path, shMessage* message)
{
    if (regions == NULL || path == NULL)
        return fail(message, shInvalid, "save: regions and path must not be null");
    return fileWrite(&regions->context->memory, path, regions->image.bytes, regions->image.size, message);
}
