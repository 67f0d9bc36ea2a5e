// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A snapshot: header, embedded images, the world's definition, the world.
#include "core/message.h"
#include "dynamics/world_state.h"
#include "fracture/regions.h"
#include "solid/solid.h"

#include <string.h>

#define SAVE_COOKIE 0x53485356u // "SHSV"
#define LOAD_COOKIE 0x53484c44u // "SHLD"

static const StreamKind snapshotKind = {{'S', 'H', 'W', 'O', 'R', 'L', 'D', 0x1a}, 3, "a snapshot of a world"};

shSaveDef shDefaultSaveDef(void) { return (shSaveDef){.cookie = SAVE_COOKIE}; }

shLoadDef shDefaultLoadDef(void) { return (shLoadDef){.cookie = LOAD_COOKIE}; }

void shFreeBytes(shContext* context, void* bytes, size_t size)
{
    if (context != NULL)
        memFree(&context->memory, bytes, size);
}

uint64_t shWorld_GetHash(const shWorld* world)
{
    // A hasher changes nothing of what it hashes.
    shWorldDef def = world->def;
    Stream stream = streamHasher();
    streamWorldDef(&stream, &def);
    streamWorld(&stream, (shWorld*)world, NULL);
    return hashValue(&stream.hash);
}

// ---- saving ---------------------------------------------------------------------------------------------------------

typedef ARRAY(const Image*) ImageList;

static void addImage(Stream* stream, ImageList* list, const Image* image)
{
    for (int i = 0; i < list->count; ++i) {
        if (list->data[i] == image)
            return;
    }
    if (!arrayReserve(stream->memory, list, list->count + 1))
        streamFailMemory(stream);
    else
        list->data[list->count++] = image;
}

static void writeImages(Stream* stream, ImageList* list)
{
    streamI32(stream, &list->count);
    for (int i = 0; i < list->count; ++i) {
        uint64_t size = list->data[i]->size;
        streamU64(stream, &size);
        streamBytes(stream, (void*)list->data[i]->bytes, list->data[i]->size);
    }
    arrayFree(stream->memory, list);
}

static void writeEmbedded(Stream* stream, const shWorld* world, bool embed)
{
    ImageList assets = {0}, regions = {0};
    for (int i = 0; i < world->solids.count && embed; ++i) {
        const WorldSolid* solid = &world->solids.data[i];
        if (solid->solid == NULL)
            continue;
        addImage(stream, &assets, &solid->solid->asset->image);
        if (solid->breaks && solid->fracture.pattern.regions != NULL)
            addImage(stream, &regions, &solid->fracture.pattern.regions->image);
    }
    writeImages(stream, &assets);
    writeImages(stream, &regions);
}

shStatus shWorld_Save(const shWorld* world, const shSaveDef* def, void** bytes, size_t* size, shMessage* message)
{
    if (world == NULL || bytes == NULL || size == NULL)
        return fail(message, shInvalid, "save: world, bytes and size must not be null");
    *bytes = NULL;
    *size = 0;
    if (def != NULL && def->cookie != SAVE_COOKIE)
        return fail(message, shInvalid, "save: fill the definition with shDefaultSaveDef() first");
    shWorldDef worldDef = world->def;
    Stream stream = streamWriter(world->memory);
    streamBegin(&stream, snapshotKind);
    writeEmbedded(&stream, world, def != NULL && def->embed);
    streamWorldDef(&stream, &worldDef);
    streamWorld(&stream, (shWorld*)world, NULL); // which it does not change
    streamSeal(&stream);
    uint8_t* block = streamOk(&stream) ? memAlloc(world->memory, stream.at) : NULL;
    if (block != NULL) { // not a byte more than needed
        memcpy(block, stream.data, stream.at);
        *bytes = block;
        *size = stream.at;
    }
    streamFree(&stream);
    return block != NULL ? shOk : failMemory(message);
}

// ---- loading --------------------------------------------------------------------------------------------------------

// The next embedded image, in place.
static const uint8_t* readImage(Stream* stream, size_t* size)
{
    uint64_t bytes = 0;
    streamU64(stream, &bytes);
    streamCheck(stream, bytes <= stream->size - stream->at, "what is embedded is cut off");
    if (!streamOk(stream))
        return NULL;
    const uint8_t* image = stream->bytes + stream->at;
    *size = (size_t)bytes;
    stream->at += *size;
    return image;
}

static void readEmbedded(Stream* stream, shWorld* world)
{
    size_t size = 0;
    if (streamArray(stream, world->memory, &world->ownAssets, sizeof(uint64_t))) {
        for (int i = 0; i < world->ownAssets.count && streamOk(stream); ++i) {
            const uint8_t* image = readImage(stream, &size);
            if (image != NULL)
                stream->status = shLoadAssetFromMemory(world->context, image, size, "snapshot: embedded asset",
                                                       &world->ownAssets.data[i], stream->message);
        }
    }
    if (streamOk(stream) && streamArray(stream, world->memory, &world->ownRegions, sizeof(uint64_t))) {
        for (int i = 0; i < world->ownRegions.count && streamOk(stream); ++i) {
            const uint8_t* image = readImage(stream, &size);
            if (image != NULL)
                stream->status = shLoadRegionsFromMemory(world->context, image, size, "snapshot: embedded regions",
                                                         &world->ownRegions.data[i], stream->message);
        }
    }
}

shStatus shWorld_Load(shContext* context, const void* bytes, size_t size, const shLoadDef* def, shWorld** world,
                      shMessage* message)
{
    if (context == NULL || bytes == NULL || world == NULL)
        return fail(message, shInvalid, "load: context, bytes and world must not be null");
    *world = NULL;
    shLoadDef nothing = shDefaultLoadDef();
    if (def == NULL)
        def = &nothing;
    if (def->cookie != LOAD_COOKIE)
        return fail(message, shInvalid, "load: fill the definition with shDefaultLoadDef() first");
    Stream stream = streamReader("snapshot", bytes, size, message);
    streamOpen(&stream, snapshotKind);
    if (!streamOk(&stream))
        return stream.status;
    shWorldDef worldDef = shDefaultWorldDef();
    shWorld* made;
    shStatus status = shCreateWorld(context, &worldDef, &made, message);
    if (status != shOk)
        return status;
    readEmbedded(&stream, made);
    streamWorldDef(&stream, &worldDef);
    shMessage reason = {""};
    streamCheck(&stream, worldCheckDef(&worldDef, &reason) == shOk, reason.text);
    worldDef.shouldBreak = def->shouldBreak;
    worldDef.shouldBreakUser = def->shouldBreakUser;
    made->def = worldDef;
    if (streamOk(&stream))
        streamWorld(&stream, made, def);
    streamCheck(&stream, stream.at == size, "the world ends here, but the bytes do not");
    if (streamOk(&stream))
        *world = made;
    else
        shDestroyWorld(made);
    return stream.status;
}
