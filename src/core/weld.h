// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Finds rows of bytes that are equal.
#pragma once

#include "core/memory.h"

// firsts[i] becomes the index of row i among the distinct rows in order of appearance; `distinct` gets the row each of
// these first appeared as, and may be null. Returns how many there are, or −1 when there is no memory.
int weldRows(Memory* memory, const void* rows, size_t rowSize, int count, int* firsts, int* distinct);
