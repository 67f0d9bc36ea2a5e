// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Limits of scene files: unit, and why this value.
#pragma once

// Brackets within brackets: a scene needs five; the reader calls itself.
#define JSON_DEPTH 32
// Bytes of a scene file; ours have a few thousand.
#define SCENE_BYTES 16777216
// Bodies that one entry repeats to, and steps of a run: far more than anybody waits for.
#define SCENE_COPIES 100000
#define SCENE_STEPS 10000000
// m, m/s: coordinates and speeds that the world's floats still hold well.
#define SCENE_FAR 1e4
#define SCENE_FAST 1e4
// Squares along a side of a terrain: a million triangles.
#define SCENE_TERRAIN 700
// Cells of a box asset: twelve tetrahedra each at most.
#define SCENE_CELLS 200000
