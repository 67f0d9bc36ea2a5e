// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What the figures were measured on.
#pragma once

#include <jansson.h>

// Processor, cores, memory, system, compiler, version, load at the moment.
json_t* machineJson(void);
// "AMD EPYC …, 2 cores, 8 GB, Linux 6.1.0, gcc 12.2.0, load 0.4" for the head of a table.
void machineText(char* text, size_t size);
double machineLoad(void); // mean of the last minute; NaN: unknown
