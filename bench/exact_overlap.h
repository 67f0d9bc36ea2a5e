// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The volume that two closed surfaces share, without spheres or trees: along columns through both the shared length is
// exact; between columns it is summed. With 512 columns across it is within about 0.02 % where the overlap is round.
#pragma once

#include "core/memory.h"
#include "sherd/triangle_tree.h"

// Columns along z of the world, `across` by `across` over the boxes' common part. Negative: no memory.
double exactOverlap(Memory* memory, const shTriangles* a, shTransform poseA, const shTriangles* b, shTransform poseB,
                    int across);
