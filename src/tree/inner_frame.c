// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "core/constants.h"
#include "core/quat.h"
#include "tree/inner_query.h"

// In double, so that two bodies far from the world's origin meet as they do near it.
InnerFrame innerFrame(const InnerTree* a, shTransform poseA, const InnerTree* b, shTransform poseB)
{
    DQuat toA = dqConjugate(dqNormalize(dqFromQ(poseA.q))), fromB = dqNormalize(dqFromQ(poseB.q));
    DMat3 turn = dqToMat(dqMul(toA, fromB));
    DVec3 offset = dqRotate(toA, dSub(dFromV(poseB.p), dFromV(poseA.p)));
    InnerFrame frame;
    const DVec3 rows[3] = {turn.r0, turn.r1, turn.r2};
    for (int i = 0; i < 3; ++i) {
        frame.rows[i][0] = (float)rows[i].x;
        frame.rows[i][1] = (float)rows[i].y;
        frame.rows[i][2] = (float)rows[i].z;
        frame.offset[i] = (float)dGet(offset, i);
    }
    frame.slack = a->record.slack + b->record.slack + INNER_SLACK * (float)dLength(offset);
    return frame;
}
