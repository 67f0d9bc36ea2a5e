// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Other programs that do the same work, for comparison: executables in the folder peers/ beside ours (SHERD_PEERS names
// another). They get the path of a file with their work and answer in lines of one JSON object each. Messages suit a
// row's note.
#pragma once

#include "sherd/base.h"

#include <jansson.h>

typedef struct Peer Peer;

bool peerExists(const char* name);

// A peer that stays and answers each line it is sent, so that blocks of theirs and ours can take turns.
//
// Starts peers/NAME FILE and waits until it has read its work and built what it needs. `seconds` is the limit for
// this and for each answer; a peer that takes longer is killed. `peer` is null on failure. shNoFile: it is not
// built; shFailed: it ended, was too slow, or said something else.
shStatus peerStart(const char* name, const char* file, double seconds, Peer** peer, shMessage* message);
// Asks, waits for the answer, and hands it over: release it with json_decref. After a failure the peer answers no more.
shStatus peerAsk(Peer* peer, const char* question, json_t** answer, shMessage* message);
// Closes its input and waits; kills what does not go within a second. Null is fine.
void peerStop(Peer* peer);

// "fcl 0.7.0 (BVHModel of …)"
const char* peerInfo(const Peer* peer);

// A peer that works once: runs peers/NAME FILE to its end. `lines` is an array of objects, to be released with
// json_decref; null on failure, which is told as above.
shStatus peerRun(const char* name, const char* file, double seconds, json_t** lines, shMessage* message);
