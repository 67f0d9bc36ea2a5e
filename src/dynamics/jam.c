// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The way out of a jam. Samples miss where two edges cross, so sharp edges may get into each other before any contact
// tells; then each sample asks for the nearest face, and those are on both sides. No contact knows which way leads out:
// it is found by trying, for translations in directions that the contacts suggest.
#include "core/constants.h"
#include "dynamics/world.h"

// The direction that deep contacts agree on best, and how much the least willing one does: a cosine, or less.
static float agreement(const JamContact* deep, int count, Vec3* direction)
{
    float best = -1.0f;
    Vec3 sum = {0.0f, 0.0f, 0.0f};
    for (int i = 0; i < count; ++i)
        sum = vAdd(sum, deep[i].normal);
    for (int round = 0; round < JAM_ROUNDS && vLength2(sum) > 0.0f; ++round) {
        Vec3 u = vNormalize(sum);
        int least = 0;
        for (int i = 1; i < count; ++i) {
            if (vDot(u, deep[i].normal) < vDot(u, deep[least].normal))
                least = i;
        }
        float agrees = vDot(u, deep[least].normal);
        if (agrees > best) {
            best = agrees;
            *direction = u;
        }
        sum = vAdd(u, vScale(JAM_TURN, deep[least].normal)); // towards it
    }
    return best;
}

typedef struct Escape {
    const shWorld* world;
    shQuery* query;
    const Body *a, *b;
    float tolerance;
    float first; // m: the least way worth trying
    Vec3 way;    // the best so far
    float length;
    float enough; // m: one that is no longer will do
} Escape;

// Is nothing deeper than the tolerance when A has gone so far? False: memory.
static bool isOut(const Escape* escape, Vec3 shift, bool* out)
{
    shCollideDef def = shDefaultCollideDef();
    def.tolerance = escape->tolerance;
    def.maxContacts = 1;
    shTransform moved = escape->a->transform;
    moved.p = vAdd(moved.p, shift);
    const shContact* contacts;
    int count;
    if (!bodiesCollide(escape->world, escape->query, &def, escape->a, moved, escape->b, escape->b->transform, NULL,
                       &contacts, &count))
        return false;
    *out = true;
    for (int i = 0; i < count; ++i)
        *out &= contacts[i].distance >= -escape->tolerance;
    return true;
}

// Is this direction a shorter way out? False: memory.
static bool tryWay(Escape* escape, Vec3 direction)
{
    if (escape->length <= escape->enough || !(vLength2(direction) > 0.0f))
        return true;
    direction = vNormalize(direction);
    for (float length = escape->first; length < escape->length; length *= JAM_GROWTH) {
        bool out;
        if (!isOut(escape, vScale(length, direction), &out))
            return false;
        if (out) {
            escape->way = direction;
            escape->length = length;
        }
    }
    return true;
}

// In directions that the contacts suggest: what they agree on, each one's own and, where two push against each other,
// across both. False: memory.
static bool trySuggested(Escape* escape, const JamContact* deep, int count)
{
    int one = 0, other = count - 1;
    for (int i = 0; i < count; ++i) {
        for (int k = i + 1; k < count; ++k) {
            if (vDot(deep[i].normal, deep[k].normal) < vDot(deep[one].normal, deep[other].normal))
                one = i, other = k;
        }
    }
    Vec3 agreed = {0.0f, 0.0f, 0.0f};
    agreement(deep, count, &agreed);
    bool enough = tryWay(escape, agreed);
    for (int i = 0; i < minI(count, JAM_NORMALS) && enough; ++i)
        enough = tryWay(escape, deep[i].normal);
    Vec3 across = vCross(deep[one].normal, deep[other].normal), sum = vAdd(deep[one].normal, deep[other].normal);
    return enough && tryWay(escape, across) && tryWay(escape, vNeg(across)) && tryWay(escape, sum);
}

// All around: the faces, edges and corners of a cube. False: memory.
static bool tryAround(Escape* escape)
{
    for (int i = 0; i < 27; ++i) {
        Vec3 direction = {(float)(i % 3 - 1), (float)(i / 3 % 3 - 1), (float)(i / 9 - 1)};
        if (!tryWay(escape, direction))
            return false;
    }
    return true;
}

bool jamWayOut(const shWorld* world, shQuery* query, const Pair* pair, const JamContact* deep, int count, bool hard,
               Vec3* way, float* length)
{
    const Body *a = &world->bodies.data[pair->a], *b = &world->bodies.data[pair->b];
    float most = JAM_FARTHEST * minF(a->radius, b->radius);
    Escape escape = {.world = world, .query = query, .a = a, .b = b, .tolerance = pair->tolerance, .length = most};
    for (int i = 0; i < count; ++i)
        escape.first = maxF(escape.first, deep[i].depth);
    escape.enough = hard ? 0.0f : JAM_EASY * escape.first;
    if (!trySuggested(&escape, deep, count) || !tryWay(&escape, vFromD(dSub(a->centre, b->centre))) ||
        !tryAround(&escape))
        return false;
    *way = escape.way;
    *length = escape.length < most && escape.length > escape.enough ? escape.length : INFINITY;
    return true;
}
