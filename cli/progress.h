// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// One line on standard error that says what is being done; nothing unless that is a terminal.
#pragma once

#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void progressShow(const char* format, ...);
void progressClear(void);

// shCookProgress; `user` is a text to start the line with, "[3/15] plate".
void progressOfCook(int stage, int stageCount, const char* what, void* user);
