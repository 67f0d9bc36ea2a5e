// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What the processor offers beyond the baseline the library is compiled for.
#pragma once

#include <stdbool.h>

// False in builds without AVX2 kernels (scalar, WebAssembly, other processors).
bool cpuHasAvx2(void);
