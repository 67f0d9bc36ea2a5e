// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cook/looks.h"

#include "cook/limits.h"
#include "core/constants.h"
#include "solid/textures.h"

#include <stdio.h>
#include <string.h>

shSurface lookPlain(const char* name)
{
    shSurface look = {.color = {0.8f, 0.8f, 0.8f, 1.0f}, .roughness = 0.6f};
    size_t length = strnlen(name, sizeof look.name - 1);
    while (length > 0 && name[length] != '\0' && ((unsigned char)name[length] & 0xc0) == 0x80)
        --length; // not in the middle of a character
    for (size_t i = 0; i < length; ++i)
        look.name[i] = (unsigned char)name[i] < ' ' ? ' ' : name[i];
    return look;
}

bool looksAlloc(Looks* looks, Memory* memory, int surfaceCount)
{
    *looks = (Looks){.surfaceCount = surfaceCount};
    looks->surfaces = NEW_ZEROED(memory, shSurface, surfaceCount);
    looks->maps = NEW_ZEROED(memory, shSurfaceMaps, surfaceCount);
    if (surfaceCount > 0 && (looks->surfaces == NULL || looks->maps == NULL))
        return false;
    for (int i = 0; i < surfaceCount; ++i)
        looks->surfaces[i] = lookPlain("");
    return true;
}

void looksFree(Looks* looks, Memory* memory)
{
    for (int i = 0; i < looks->textureCount; ++i)
        memFree(memory, (void*)(uintptr_t)looks->textures[i].bytes, looks->textures[i].size);
    FREE_ARRAY(memory, looks->textures, MAX_TEXTURES);
    FREE_ARRAY(memory, looks->surfaces, looks->surfaceCount);
    FREE_ARRAY(memory, looks->maps, looks->surfaceCount);
    *looks = (Looks){0};
}

int looksAddTexture(Looks* looks, Memory* memory, const void* bytes, size_t size)
{
    size_t total = size;
    for (int i = 0; i < looks->textureCount; ++i) {
        total += looks->textures[i].size;
        if (looks->textures[i].size == size && memcmp(looks->textures[i].bytes, bytes, size) == 0)
            return i + 1;
    }
    if (size > MAX_TEXTURE_BYTES || total > MAX_TEXTURE_BYTES || looks->textureCount == MAX_TEXTURES ||
        textureMime(bytes, size) == NULL)
        return 0;
    if (looks->textures == NULL)
        looks->textures = NEW_ZEROED(memory, shTexture, MAX_TEXTURES);
    void* copy = memAlloc(memory, size);
    if (looks->textures == NULL || copy == NULL) {
        memFree(memory, copy, size);
        return -1;
    }
    memcpy(copy, bytes, size);
    looks->textures[looks->textureCount++] = (shTexture){copy, size};
    return looks->textureCount;
}

int looksAddTextureFile(Looks* looks, Memory* memory, const char* model, const char* name)
{
    char path[2048];
    const char* slash = strrchr(model, '/');
    int folder = slash != NULL && name[0] != '/' ? (int)(slash + 1 - model) : 0;
    int length = snprintf(path, sizeof path, "%.*s%s", folder, model, name);
    if (length < 0 || (size_t)length >= sizeof path)
        return 0;
    for (char* c = path; *c != '\0'; ++c)
        *c = *c == '\\' ? '/' : *c;
    FILE* file = fopen(path, "rb");
    if (file == NULL)
        return 0;
    int added = 0;
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (size > 0 && (size_t)size <= COOK_MAX_TEXTURE_BYTES && fseek(file, 0, SEEK_SET) == 0) {
        void* bytes = memAlloc(memory, (size_t)size);
        added = bytes == NULL ? -1 : 0;
        if (bytes != NULL && fread(bytes, 1, (size_t)size, file) == (size_t)size)
            added = looksAddTexture(looks, memory, bytes, (size_t)size);
        memFree(memory, bytes, (size_t)size);
    }
    fclose(file);
    return added;
}
