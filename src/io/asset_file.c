// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Assets from and to .sherd files.
#include "core/message.h"
#include "io/file.h"
#include "solid/asset.h"

static void releaseMapping(Memory* memory, const void* bytes, size_t size)
{
    fileClose(&(FileBlock){bytes, size, true}, memory);
}

shStatus shLoadAsset(shContext* context, const char* path, shAsset** asset, shMessage* message)
{
    if (context == NULL || path == NULL || asset == NULL)
        return fail(message, shInvalid, "load: context, path and asset must not be null");
    *asset = NULL;
    FileBlock file;
    shStatus status = fileOpen(&file, &context->memory, path, message);
    if (status != shOk)
        return status;
    status = assetOpen(context, path, file.bytes, file.size, file.mapped ? releaseMapping : assetReleaseMemory, asset,
                       message);
    if (status != shOk)
        fileClose(&file, &context->memory);
    return status;
}

shStatus shSaveAsset(const shAsset* asset, const char* path, shMessage* message)
{
    if (asset == NULL || path == NULL)
        return fail(message, shInvalid, "save: asset and path must not be null");
    return fileWrite(&asset->context->memory, path, asset->image.bytes, asset->image.size, message);
}
