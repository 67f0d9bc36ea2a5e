// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A suite with a header of its own: scripts/score puts it into versions that do not list it.
#pragma once

#include "bench/suite.h"

shStatus benchScore(Bench* bench, shMessage* message);
