// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// WebAssembly has none; cmocka's users include it all the same.
#pragma once
