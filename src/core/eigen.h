// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The symmetric 3×3 eigenproblem: principal axes of inertia and of stress.
#pragma once

#include "core/vec.h"

typedef struct Eigen3 {
    DVec3 values; // ascending
    DMat3 axes;   // rows: the unit eigenvectors, right-handed. axes · x turns x into the principal frame
} Eigen3;

// Reads the upper triangle of m, all finite. Residual |m a − λ a| ≤ 1e-15 of the largest entry when the
// eigenvalues are apart. The frame is canonical: the largest component of the first two axes is positive (the
// first of equals), and where eigenvalues coincide (EIGEN_EQUAL) the axes are the ones nearest to the coordinate
// axes, so that a cube, a sphere or a cylinder does not get axes made of rounding errors.
Eigen3 eigenSymmetric(DMat3 m);
