// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Recordings (X9): a snapshot of the start, then every call that changes the world, and now and then the hash of what
// came of it. Replaying does the same again, anywhere, and says at which step the world first differed, if it did.
//
// What a should-break callback decides is not recorded: it must decide the same again.
#pragma once

#include "sherd/snapshot.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shRecordDef {
    int hashEvery;   // steps; 0: no hashes
    bool embed;      // assets and regions of the start, as in shSaveDef; those of bodies made later are not
    uint32_t cookie; // set by shDefaultRecordDef
} shRecordDef;
SH_API shRecordDef shDefaultRecordDef(void); // a hash every 50 steps

// From now on, until it is stopped or the world destroyed. `def` may be null.
SH_API shStatus shWorld_StartRecording(shWorld* world, const shRecordDef* def, shMessage* message);
// Ends the recording and hands it over: a block to be given back with shFreeBytes. When memory ran out on the way there
// is none.
SH_API shStatus shWorld_StopRecording(shWorld* world, void** bytes, size_t* size, shMessage* message);
SH_API bool shWorld_IsRecording(const shWorld* world);

typedef struct shReplay shReplay;

// Makes a world as it was at the start; `def` as for shWorld_Load, with all that is used later, too. `bytes` must live
// until the replay is destroyed.
SH_API shStatus shCreateReplay(shContext* context, const void* bytes, size_t size, const shLoadDef* def,
                               shReplay** replay, shMessage* message);
SH_API void shDestroyReplay(shReplay* replay); // and its world; null is fine
// Does what was done up to the end of the next step. `more` is false when there is none: all is done.
SH_API shStatus shReplay_Step(shReplay* replay, bool* more, shMessage* message);
SH_API shWorld* shReplay_GetWorld(const shReplay* replay); // look, do not touch

typedef struct shReplayInfo {
    int64_t steps;    // done
    int64_t hashes;   // compared
    int64_t firstBad; // step after which a hash differed for the first time, from 1 on; 0: none did
} shReplayInfo;
SH_API shReplayInfo shReplay_GetInfo(const shReplay* replay);

#ifdef __cplusplus
}
#endif
