// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Image files that an asset carries for whoever draws it: three optional chunks, read and checked.
#pragma once

#include "solid/asset.h"

// PNG, JPEG, WebP or KTX2 by its first bytes; null: none of them.
const char* textureMime(const void* bytes, size_t size);
// "png", "jpg", "webp", "ktx2"; null as above.
const char* textureExtension(const void* bytes, size_t size);

// The checks that a definition shares with a file.
shStatus texturesCheck(int textureCount, const shTexture* textures, int surfaceCount, const shSurfaceMaps* maps,
                       shMessage* message);

// Takes the chunks out of an asset's image, if they are there.
shStatus texturesRead(shAsset* asset, shMessage* message);

// Its textures as an array of textureCount; null when there are none or memory runs out.
shTexture* assetTextures(const shAsset* asset);
