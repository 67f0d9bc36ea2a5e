// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// All of a world that decides its future, as bytes, as a hash, and back (X9). A field that is forgotten here is
// forgotten by snapshots and by shWorld_GetHash alike.
#pragma once

#include "core/stream.h"
#include "dynamics/world.h"
#include "sherd/snapshot.h"

void streamWorldDef(Stream* stream, shWorldDef* def); // without callback
// Reading wants a world just made; when it fails, destroy it. `def` says where to find what it refers to, besides what
// the world owns.
void streamWorld(Stream* stream, shWorld* world, const shLoadDef* def);

// What solids and patterns are made of, by content hash. Reading, they are looked up.
void streamAsset(Stream* stream, const shWorld* world, const shLoadDef* def, const shAsset** asset);
void streamScenery(Stream* stream, const shLoadDef* def, const shScenery** scenery); // may be null
void streamPattern(Stream* stream, const shWorld* world, const shLoadDef* def, shPattern* pattern);
void streamAnchor(Stream* stream, shAnchor* anchor);
