// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Rounding to float that really happens. gcc 12 at -O3 takes dFromV(vFromD(p)) for p where it has made vectors of x and
// y: what is computed from the result then belongs to another point than the one that is stored.
#pragma once

#include "core/vec.h"

// The nearest point with float coordinates.
Vec3 vRounded(DVec3 p);
// The largest float not above, the smallest not below x ≥ 0.
float roundedDown(double x);
float roundedUp(double x);
