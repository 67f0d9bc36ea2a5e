// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Every tolerance and limit of the library, by room: unit, and why this value. No magic numbers elsewhere.
#pragma once

// core

// Jacobi sweeps of the 3×3 eigenproblem: convergence is quadratic, six reach the last bit; the rest is margin.
#define EIGEN_MAX_SWEEPS 16

// Cosine. Two unit vectors closer than this to opposite have no plane of rotation that rounding has not
// chosen; the axis is then any fixed perpendicular.
#define QUAT_OPPOSITE_COSINE (-0.999999)

// Bytes. First block of an arena and the step by which blocks grow: a few pages, so that small steps
// never chain.
#define ARENA_MIN_BLOCK 65536

// Rounds of the busy wait before a thread of the task pool sleeps: about 20 µs, more than the gap between
// two loops of one step and far less than a frame.
#define TASK_SPIN_ROUNDS 2000

// mesh

// Cluster radii. Triangles seen from farther away than this count as one cluster in a winding number: the next term
// of its expansion adds up to less than 0.05, a tenth of what separates inside from outside.
#define WINDING_FAR 2.0

// Length of the summed area vectors over the area. A shell with more than this missing (a hole of a tenth of a
// sphere's surface) has no volume whose sign could be trusted.
#define WINDING_SHELL_OPENNESS 0.1
