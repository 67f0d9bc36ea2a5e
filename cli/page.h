// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A page that plays a film: one file, no network.
#pragma once

#include "play/script.h"

// `film` is a .glb.
shStatus writePage(shContext* context, const Script* script, const char* film, const char* path, shMessage* message);

// The template, from cli/viewer.html: where @title@, @view@ and @data@ stand, ours goes.
extern const BuiltIn pageTemplate[];
