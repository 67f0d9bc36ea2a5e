// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Words that were mistyped.
#pragma once

// The word of the null-terminated list that is most like `word`; null when none is close.
const char* nearestWord(const char* word, const char* const* list);
