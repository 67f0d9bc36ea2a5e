// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Other programs that do the same work, for comparison: executables in the folder peers/ beside ours (SHERD_PEERS names
// another). They get the path of a file with their work and print one JSON object per line.
#pragma once

#include "sherd/base.h"

#include <jansson.h>

bool peerExists(const char* name);
// Runs peers/NAME FILE. `lines` is an array of objects, to be released with json_decref; null on failure. shNoFile:
// the peer is not built; shFailed: it failed, took too long, or printed something else; the message suits a row's note.
shStatus peerRun(const char* name, const char* file, double seconds, json_t** lines, shMessage* message);
