// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// CHECK(condition): a promise inside the library, or of code that calls it, never of data: files and user input
// are answered with a status. Debug builds test it, release builds (NDEBUG) do not. A broken promise calls
// CHECK_FAILED(text, file, line): define it on the compiler's command line to have your own handler; the default
// stops in the debugger.
#pragma once

#ifndef CHECK_FAILED
#define CHECK_FAILED(text, file, line) __builtin_trap()
#endif

#ifdef NDEBUG
#define CHECK(condition) ((void)sizeof((condition) ? 1 : 0))
#else
#define CHECK(condition) ((condition) ? (void)0 : (void)CHECK_FAILED(#condition, __FILE__, __LINE__))
#endif
