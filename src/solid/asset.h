// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A cooked asset: an image and typed views into it. Nothing here can be written; whoever holds an asset may read it
// from any thread. What follows cheaply from the arrays is worked out when the asset is opened and not stored, so it
// cannot be wrong in a file.
#pragma once

#include "core/context.h"
#include "field/distance_grid.h"
#include "mesh/mass.h"
#include "sherd/asset.h"
#include "solid/image.h"
#include "solid/rest.h"
#include "solid/surface.h"
#include "tree/inner_object.h"

enum {
    ASSET_VERSION = 2, // of the chunks below; raise it whenever one of them changes, with that of patterns
    ASSET_NAME_BYTES = 64,
    ASSET_MAX_SURFACES = 4096, // slots of one asset; far more than artists use
};

// Chunk INFO: what is one of a kind.
typedef struct AssetRecord {
    char name[ASSET_NAME_BYTES]; // zero-terminated UTF-8, filled with zeros
    shMaterial material;
    int32_t surfaceNodeCount;
    float thickness; // m: a tenth of all ways straight through are shorter; 0: none came out
} AssetRecord;

// Chunk TEXI: a texture's place in chunk TEXD. Both, and TEXM (the surfaces' maps), are there only with textures.
typedef struct AssetTexture {
    uint32_t offset, size; // bytes
} AssetTexture;

// Gives the block of an image back.
typedef void AssetRelease(Memory* memory, const void* bytes, size_t size);

struct shAsset {
    shContext* context;
    Image image;
    AssetRelease* release;
    int chunksRead;
    const AssetRecord* record;
    const shSurface* surfaces; // [1 + surfaceCount] the inside first
    int surfaceCount;
    const AssetTexture* textures; // [textureCount]; none: null, and no chunks for them
    const uint8_t* textureBytes;
    const shSurfaceMaps* maps; // [surfaceCount]
    int textureCount;
    TetMesh mesh;      // its arrays are in the image
    DistanceGrid grid; // likewise
    bool gridIsFine;   // deep inside, what it says is good enough for a contact; else it is for bounds alone
    shBox box;
    PieceHull hull;      // of all of it: where the corners of its box are cut off
    MassProperties mass; // per unit of density
    Rest rest;
    bool hasInner;
    shInnerSpheres inner; // its tree is in the image
};

// Makes an asset of a block, which it takes over only if all is well. Checks everything: what it accepts, the rest of
// the library need not doubt.
shStatus assetOpen(shContext* context, const char* name, const void* bytes, size_t size, AssetRelease* release,
                   shAsset** asset, shMessage* message);
void assetReleaseMemory(Memory* memory, const void* bytes, size_t size);

// The cell of a distance grid that is fine enough for a solid of some thickness in such a box, m.
double assetGridCell(shBox box, float thickness);

// What an asset accepts as a material: in definitions and files alike.
shStatus materialCheck(const shMaterial* material, shMessage* message);
