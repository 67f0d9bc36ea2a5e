// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// return fail(message, shBadFile, "%s: byte %zu: checksum is wrong; make it again", path, offset);
#pragma once

#include "sherd/base.h"

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
shStatus
fail(shMessage* message, shStatus status, const char* format, ...);

// The one text for the one failure that can happen anywhere. Returns shOutOfMemory.
shStatus failMemory(shMessage* message);
