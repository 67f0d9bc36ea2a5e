// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// One edge against eight.
#include "collide/edge_pairs.h"
#include "core/constants.h"
#include "core/vec8.h"

static inline V8 rowLoad(const EdgeList* list, int row, int first)
{
    return (V8){f8Load(list->rows[3 * row] + first), f8Load(list->rows[3 * row + 1] + first),
                f8Load(list->rows[3 * row + 2] + first)};
}

static inline V8 rowSet(const EdgeList* list, int row, int edge)
{
    return v8Set(vec3(list->rows[3 * row][edge], list->rows[3 * row + 1][edge], list->rows[3 * row + 2][edge]));
}

static inline M8 notNegative(F8 x) { return f8GreaterEqual(x, f8Zero()); }
static inline M8 notPositive(F8 x) { return f8LessEqual(x, f8Zero()); }

int SIMD_NAME(edgesCross)(const EdgeList* listA, int a, const EdgeList* listB, float margin, float deep,
                          EdgeCrossing* crossings, int count)
{
    V8 startA = rowSet(listA, 0, a), wayA = v8Sub(rowSet(listA, 1, a), startA);
    V8 firstA = rowSet(listA, 2, a), secondA = rowSet(listA, 3, a);
    F8 lengthA2 = v8Dot(wayA, wayA), zero = f8Zero();
    for (int first = 0; first < listB->count; first += 8) {
        V8 startB = rowLoad(listB, 0, first), wayB = v8Sub(rowLoad(listB, 1, first), startB);
        V8 across = v8Cross(wayA, wayB);
        F8 across2 = v8Dot(across, across);
        M8 crosses = f8Greater(across2, f8Mul(f8Set(EDGE_CROSS * EDGE_CROSS), f8Mul(lengthA2, v8Dot(wayB, wayB))));
        // Where the lines are closest: within both edges?
        V8 between = v8Sub(startB, startA);
        F8 s = v8Dot(v8Cross(between, wayB), across), t = v8Dot(v8Cross(between, wayA), across);
        crosses = m8And(crosses, m8And(notNegative(s), f8LessEqual(s, across2)));
        crosses = m8And(crosses, m8And(notNegative(t), f8LessEqual(t, across2)));
        if (!m8Any(crosses))
            continue;
        F8 length = f8Sqrt(across2), side = f8Neg(v8Dot(between, across));
        M8 close = f8LessEqual(f8Abs(side), f8Mul(f8Set(maxF(margin, deep)), length));
        crosses = m8And(crosses, close);
        if (!m8Any(crosses))
            continue;
        // Out of B and into A, one way or the other?
        V8 firstB = rowLoad(listB, 2, first), secondB = rowLoad(listB, 3, first);
        F8 a0 = v8Dot(across, firstA), a1 = v8Dot(across, secondA), b0 = v8Dot(across, firstB),
           b1 = v8Dot(across, secondB);
        M8 intoA = m8And(notPositive(a0), notPositive(a1)), outOfA = m8And(notNegative(a0), notNegative(a1));
        M8 outOfB = m8And(notNegative(b0), notNegative(b1)), intoB = m8And(notPositive(b0), notPositive(b1));
        M8 along = m8And(intoA, outOfB), both = m8Or(along, m8And(outOfA, intoB));
        // Where only one knows the way, that way is meant.
        M8 forward = m8Or(along, m8AndNot(m8Or(intoA, outOfB), both));
        V8 normal = v8Scale(f8Div(f8Select(forward, f8Set(1.0f), f8Set(-1.0f)), length), across);
        F8 gap = f8Sub(zero, v8Dot(between, normal));
        M8 within = m8And(f8Less(gap, f8Set(margin)), f8Greater(gap, f8Set(-deep)));
        M8 inA = m8Or(both, m8Or(intoA, outOfA)), inB = m8Or(both, m8Or(outOfB, intoB));
        // Not a normal of either way round at once.
        M8 counts = m8And(crosses, m8Or(m8AndNot(close, both), m8And(both, within)));
        unsigned bits = (unsigned)m8Bits(counts);
        if (bits == 0)
            continue;
        unsigned bitsA = (unsigned)m8Bits(inA), bitsB = (unsigned)m8Bits(inB), bitsBoth = (unsigned)m8Bits(both);
        V8 onA = v8Add(startA, v8Scale(f8Div(s, across2), wayA)), onB = v8Add(startB, v8Scale(f8Div(t, across2), wayB));
        float gaps[8], numbers[9][8];
        const V8 vectors[3] = {onA, onB, normal};
        f8Store(gaps, gap);
        for (int k = 0; k < 3; ++k)
            f8Store(numbers[3 * k], vectors[k].x), f8Store(numbers[3 * k + 1], vectors[k].y),
                f8Store(numbers[3 * k + 2], vectors[k].z);
        for (; bits != 0 && count < crossingsMost; bits &= bits - 1u) {
            int lane = __builtin_ctz(bits);
            bool together = bitsBoth >> lane & 1u;
            crossings[count++] = (EdgeCrossing){.a = a,
                                                .b = first + lane,
                                                .inA = together || ((bitsA >> lane & 1u) && !(bitsB >> lane & 1u)),
                                                .inB = together || ((bitsB >> lane & 1u) && !(bitsA >> lane & 1u)),
                                                .gap = gaps[lane],
                                                .onA = vec3(numbers[0][lane], numbers[1][lane], numbers[2][lane]),
                                                .onB = vec3(numbers[3][lane], numbers[4][lane], numbers[5][lane]),
                                                .normal = vec3(numbers[6][lane], numbers[7][lane], numbers[8][lane])};
        }
    }
    return count;
}
