// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Worlds as bytes and back, exactly (X9): a world that was saved and loaded does what the original does, bit for bit,
// on any machine and any number of threads. Save every step to roll back, or once to carry on elsewhere.
//
// Between steps all is saved: bodies and their handles, pieces and cracks, contacts, who sleeps, breaks that wait. Not
// saved: profiles, the events of the step before, callbacks. Assets, scenery and regions are known by their content
// hashes and handed over when loading; assets and regions can also be embedded.
#pragma once

#include "sherd/world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shSaveDef {
    bool embed;      // assets and regions, too: whoever loads needs to bring scenery only
    uint32_t cookie; // set by shDefaultSaveDef
} shSaveDef;
SH_API shSaveDef shDefaultSaveDef(void);

// Writes the world to a block of memory that the caller gives back with shFreeBytes. `def` may be null.
SH_API shStatus shWorld_Save(const shWorld* world, const shSaveDef* def, void** bytes, size_t* size,
                             shMessage* message);
SH_API void shFreeBytes(shContext* context, void* bytes, size_t size); // null is fine

// What a snapshot refers to, in any order; all of it must outlive the world. More than it needs does no harm. What was
// embedded and is not given belongs to the world.
typedef struct shLoadDef {
    const shAsset* const* assets;
    int assetCount;
    const shScenery* const* sceneries;
    int sceneryCount;
    const shRegions* const* regions;
    int regionsCount;
    shShouldBreak* shouldBreak; // as in shWorldDef
    void* shouldBreakUser;
    uint32_t cookie; // set by shDefaultLoadDef
} shLoadDef;
SH_API shLoadDef shDefaultLoadDef(void);

// Makes a world from a snapshot. Bytes from anywhere will do: they are checked, and refused with offset and reason
// unless they could have come from a world. Finite places and speeds are believed.
SH_API shStatus shWorld_Load(shContext* context, const void* bytes, size_t size, const shLoadDef* def, shWorld** world,
                             shMessage* message);

#ifdef __cplusplus
}
#endif
