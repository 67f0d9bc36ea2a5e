// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "bench/suites.h"

const Suite suites[] = {
    {"cook", "time and size of every built-in model and of the bunny, beside Glondu Table 1", benchCook},
};
const int suiteCount = sizeof(suites) / sizeof(suites[0]);
