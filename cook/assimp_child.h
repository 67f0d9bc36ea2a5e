// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What runs in the child process: assimp reads a file and the result goes out as a block (scene_block.h).
#pragma once

// Writes the block, or a line of text saying why not, to `output`. Returns 0 with a block, 1 with a reason. Is meant
// for a process of its own: it may crash, hang or run out of memory on hostile files.
int assimpChild(const char* path, int output);

// Is there an importer for files ending so (".stl")?
int assimpKnows(const char* extension);
