// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Triangles by lane, for kernels.
#pragma once

#include "field/skin.h"

// What facets will be asked for soon; of a large solid they are far apart in memory.
static inline void skinPrefetch(const SkinSource* source, int feature)
{
    if (feature < 0)
        __builtin_prefetch(&source->facets[~feature]);
}

// The nine coordinates of eight triangles, by lane. Facets have them side by side; boundary triangles are collected.
static inline void skinLoad(const SkinSource* source, const int features[skinLanes], F8 out[9])
{
    float collected[skinLanes][9], last[skinLanes];
    F8 rows[skinLanes];
    for (int lane = 0; lane < skinLanes; ++lane) {
        const float* p = collected[lane];
        if (features[lane] < 0) {
            p = (const float*)source->facets[~features[lane]].p;
        } else {
            const int* corners = source->mesh->triangles[features[lane]];
            for (int k = 0; k < 3; ++k)
                memcpy(&collected[lane][3 * k], &source->mesh->nodes[corners[k]], sizeof(Vec3));
        }
        rows[lane] = f8Load(p);
        last[lane] = p[8];
    }
    f8Transpose(rows);
    for (int k = 0; k < 8; ++k)
        out[k] = rows[k];
    out[8] = f8Load(last);
}
