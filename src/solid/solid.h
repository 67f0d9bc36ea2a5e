// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A solid: field and trees of one instance of an asset.
#pragma once

#include "sherd/solid.h"
#include "solid/asset.h"

struct shSolid {
    const shAsset* asset;
    FragmentField field;
    PieceTrees trees;
    PieceSamples samples;
    double updateSeconds; // that all of its breaks so far took to cut tetrahedra and bring field and trees up to date
};
