// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "solid/textures.h"

#include "core/constants.h"
#include "core/message.h"

#include <limits.h>
#include <string.h>

_Static_assert(sizeof(AssetTexture) == 8 && sizeof(shSurfaceMaps) == 16, "no padding");

typedef struct Kind {
    const char *mime, *extension;
    size_t offset, length;
    const char* magic;
} Kind;

static const Kind kinds[] = {
    {"image/png", "png", 0, 8, "\x89PNG\r\n\x1a\n"},
    {"image/jpeg", "jpg", 0, 3, "\xff\xd8\xff"},
    {"image/webp", "webp", 8, 4, "WEBP"},
    {"image/ktx2", "ktx2", 0, 7, "\xabKTX 20"},
};

static const Kind* kindOf(const void* bytes, size_t size)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i)
        if (size > kinds[i].offset + kinds[i].length &&
            memcmp((const char*)bytes + kinds[i].offset, kinds[i].magic, kinds[i].length) == 0)
            return &kinds[i];
    return NULL;
}

const char* textureMime(const void* bytes, size_t size)
{
    const Kind* kind = kindOf(bytes, size);
    return kind != NULL ? kind->mime : NULL;
}

const char* textureExtension(const void* bytes, size_t size)
{
    const Kind* kind = kindOf(bytes, size);
    return kind != NULL ? kind->extension : NULL;
}

static bool mapsFit(const shSurfaceMaps* maps, int textureCount)
{
    const int all[4] = {maps->color, maps->normal, maps->metallicRoughness, maps->emissive};
    for (int k = 0; k < 4; ++k)
        if (all[k] < 0 || all[k] > textureCount)
            return false;
    return true;
}

shStatus texturesCheck(int textureCount, const shTexture* textures, int surfaceCount, const shSurfaceMaps* maps,
                       shMessage* message)
{
    if (textureCount < 0 || textureCount > MAX_TEXTURES || (textureCount > 0 && (textures == NULL || maps == NULL)))
        return fail(message, shInvalid, "%d textures; there may be up to %d, with the maps of all surfaces",
                    textureCount, MAX_TEXTURES);
    size_t total = 0;
    for (int i = 0; i < textureCount; ++i) {
        if (textures[i].bytes == NULL || textureMime(textures[i].bytes, textures[i].size) == NULL)
            return fail(message, shInvalid, "texture %d is no PNG, JPEG, WebP or KTX2 file", i);
        total += textures[i].size;
        if (textures[i].size > MAX_TEXTURE_BYTES || total > MAX_TEXTURE_BYTES)
            return fail(message, shLimit, "the textures have more than %zu bytes", MAX_TEXTURE_BYTES);
    }
    for (int i = 0; i < surfaceCount && maps != NULL; ++i)
        if (!mapsFit(&maps[i], textureCount))
            return fail(message, shInvalid, "surface %d: a map beyond the %d textures", i, textureCount);
    return shOk;
}

shStatus texturesRead(shAsset* asset, shMessage* message)
{
    const Image* image = &asset->image;
    if (imageFind(image, "TEXI") == NULL)
        return shOk;
    const void *list, *bytes, *maps;
    int count, byteCount, mapCount;
    asset->chunksRead += 3;
    shStatus status = imageArray(image, "TEXI", sizeof(AssetTexture), &list, &count, message);
    if (status == shOk)
        status = imageArray(image, "TEXD", 1, &bytes, &byteCount, message);
    if (status == shOk)
        status = imageArray(image, "TEXM", sizeof(shSurfaceMaps), &maps, &mapCount, message);
    if (status != shOk)
        return status;
    if (count < 1 || count > MAX_TEXTURES || mapCount != asset->surfaceCount)
        return imageFail(image, message, list, "%d textures, and the maps of %d surfaces for %d", count, mapCount,
                         asset->surfaceCount);
    const AssetTexture* textures = list;
    uint64_t end = 0;
    for (int i = 0; i < count; ++i) {
        if (textures[i].offset != end || (uint64_t)textures[i].offset + textures[i].size > (uint64_t)byteCount)
            return imageFail(image, message, &textures[i], "texture %d is not where it should be", i);
        end += textures[i].size;
        if (textureMime((const uint8_t*)bytes + textures[i].offset, textures[i].size) == NULL)
            return imageFail(image, message, &textures[i], "texture %d is of no known kind", i);
    }
    if (end != (uint64_t)byteCount)
        return imageFail(image, message, list, "%d bytes of textures, of which %llu are used", byteCount,
                         (unsigned long long)end);
    for (int i = 0; i < mapCount; ++i)
        if (!mapsFit((const shSurfaceMaps*)maps + i, count))
            return imageFail(image, message, (const shSurfaceMaps*)maps + i, "surface %d: a map beyond the textures",
                             i);
    asset->textures = textures;
    asset->textureBytes = bytes;
    asset->maps = maps;
    asset->textureCount = count;
    return shOk;
}

int shAsset_GetTextureCount(const shAsset* asset) { return asset->textureCount; }

shTexture shAsset_GetTexture(const shAsset* asset, int index)
{
    if (index < 0 || index >= asset->textureCount)
        return (shTexture){0};
    const AssetTexture* texture = &asset->textures[index];
    return (shTexture){asset->textureBytes + texture->offset, texture->size};
}

shSurfaceMaps shAsset_GetSurfaceMaps(const shAsset* asset, int slot)
{
    bool known = asset->textureCount > 0 && slot >= 0 && slot < asset->surfaceCount;
    return known ? asset->maps[slot] : (shSurfaceMaps){0};
}

shTexture* assetTextures(const shAsset* asset)
{
    shTexture* textures =
        asset->textureCount > 0 ? NEW_ARRAY(&asset->context->memory, shTexture, asset->textureCount) : NULL;
    for (int i = 0; textures != NULL && i < asset->textureCount; ++i)
        textures[i] = shAsset_GetTexture(asset, i);
    return textures;
}
