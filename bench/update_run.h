// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Parts of suite `update` in files of their own: the run of Fig. 15, the slice of Fig. 3.
#pragma once

#include "bench/suite.h"

shStatus updateRun(Bench* bench, shMessage* message);
shStatus updateSlice(Bench* bench, shMessage* message);
