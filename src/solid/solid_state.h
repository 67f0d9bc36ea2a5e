// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A solid as bytes and back (X9): nothing while it is whole. Reading wants a solid just made, and leaves it so when it
// fails.
#pragma once

#include "core/stream.h"
#include "solid/solid.h"

void streamSolid(Stream* stream, shSolid* solid);
