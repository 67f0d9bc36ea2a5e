// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Assets that suites need, cooked once and kept beside the program, in the user's cache folder, or
// where SHERD_CACHE says. The key is a hash
// of the program itself: any change to the code makes new ones.
#pragma once

#include "bench/suite.h"
#include "sherd/asset.h"

// A built-in model at a detail, or "bunny" (the Stanford bunny of Debian's libcgal-demo) decimated to `triangles`
// (0: all 75,408). shNoFile when the bunny is not to be had; the message suits a row's note.
shStatus cacheModel(shContext* context, const char* model, float detail, shAsset** asset, shMessage* message);
shStatus cacheBunny(shContext* context, int triangles, shAsset** asset, shMessage* message);

// Anything else: made by `make`, which gets `user`, when it is not there; `name` is unique to what it makes.
typedef shStatus CacheMake(shContext* context, const void* user, shAsset** asset, shMessage* message);
shStatus cacheAsset(shContext* context, const char* name, CacheMake* make, const void* user, shAsset** asset,
                    shMessage* message);

// Unpacks a mesh of libcgal-demo ("triceratops.off") and tells where it is; the bunny's .off.
shStatus cacheMeshFile(const char* name, char* path, size_t size, shMessage* message);
shStatus cacheBunnyFile(char* path, size_t size, shMessage* message);
// A path in the cache for other files; `name` is unique to its content. The folder exists.
shStatus cachePath(const char* name, char* path, size_t size, shMessage* message);
// Of the program's own bytes, for names of files that depend on them; 0 when they cannot be read.
uint64_t cacheProgramHash(void);
// Where the program lies.
void programFolder(char* path, size_t size);
