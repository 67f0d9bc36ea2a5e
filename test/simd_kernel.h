// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Every operation of simd.h on the same input, one result word after the other; compiled once per instruction set.
#pragma once

#include <stdint.h>

#define SIMD_BATTERY_WORDS 512 // at most, per group of input

// a, b, c: 8 floats each; table: 64 floats. Returns the number of words written.
typedef int SimdBattery(const float* a, const float* b, const float* c, const float* table, uint32_t* words);

SimdBattery simdBattery_scalar, simdBattery_sse2, simdBattery_avx2, simdBattery_wasm;
