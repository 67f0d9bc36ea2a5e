// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "bench/bin.h"

#include "core/vec.h"

int binBoxes(const BinDef* def, shVec3 halfExtents[BIN_BOXES], shVec3 centres[BIN_BOXES])
{
    const float t = 0.5f * BIN_THICKNESS, h = 0.5f * def->wallHeight;
    bool open = !(def->wallHeight > 0.0f);
    const float floorHalf = BIN_FLOOR_HALF; // what leaves a bin over its walls still lands
    halfExtents[0] = vec3(floorHalf, t, floorHalf);
    centres[0] = vec3(0.0f, -t, 0.0f);
    if (open)
        return 1;
    for (int i = 1; i < BIN_BOXES; ++i) {
        float side = i % 2 == 1 ? 1.0f : -1.0f, out = side * (def->half + t), along = def->half + BIN_THICKNESS;
        halfExtents[i] = i <= 2 ? vec3(t, h, along) : vec3(along, h, t);
        centres[i] = i <= 2 ? vec3(out, h, 0.0f) : vec3(0.0f, h, out);
    }
    return BIN_BOXES;
}

shStatus binAdd(shWorld* world, const BinDef* def, shMessage* message)
{
    shVec3 halfExtents[BIN_BOXES], centres[BIN_BOXES];
    shStatus status = shOk;
    int count = binBoxes(def, halfExtents, centres);
    for (int i = 0; i < count && status == shOk; ++i) {
        shShape box = {.type = shBoxShape, .halfExtent = halfExtents[i]};
        shBodyDef body = shDefaultBodyDef();
        shBodyId id;
        body.type = shStaticBody;
        body.shape = &box;
        body.transform.p = centres[i];
        body.friction = def->friction;
        status = shCreateBody(world, &body, &id, message);
    }
    return status;
}
