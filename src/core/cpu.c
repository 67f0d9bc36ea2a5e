// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "core/cpu.h"

#include "core/simd.h"

bool cpuHasAvx2(void)
{
#ifdef SIMD_HAS_AVX2_KERNELS
    return __builtin_cpu_supports("avx2") != 0; // also asks whether the system saves the wide registers
#else
    return false;
#endif
}
