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
    bool easy; // and hardly longer than the contacts are deep
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
    if (!bodiesCollide(escape->world, escape->query, &def, escape->a, moved, escape->b, &contacts, &count))
        return false;
    *out = true;
    for (int i = 0; i < count; ++i)
        *out &= contacts[i].distance >= -escape->tolerance;
    return true;
}

// Is this direction a shorter way out? False: memory.
static bool tryWay(Escape* escape, Vec3 direction)
{
    if (escape->easy || !(vLength2(direction) > 0.0f))
        return true;
    direction = vNormalize(direction);
    for (float length = escape->first; length < escape->length; length *= JAM_GROWTH) {
        bool out;
        if (!isOut(escape, vScale(length, direction), &out))
            return false;
        if (out) {
            escape->way = direction;
            escape->length = length;
            escape->easy = length <= JAM_EASY * escape->first;
        }
    }
    return true;
}

bool jamWayOut(const shWorld* world, shQuery* query, const Pair* pair, const JamContact* deep, int count, Vec3* way,
               float* length)
{
    const Body *a = &world->bodies.data[pair->a], *b = &world->bodies.data[pair->b];
    float most = JAM_FARTHEST * minF(a->radius, b->radius);
    Escape escape = {world, query, a, b, pair->tolerance, CONTACT_DEEP * pair->tolerance, {0.0f, 0.0f, 0.0f}, most, false};
    int one = 0, other = count > 1 ? 1 : 0;
    for (int i = 0; i < count; ++i) {
        escape.first = maxF(escape.first, deep[i].depth);
        for (int k = i + 1; k < count; ++k) {
            if (vDot(deep[i].normal, deep[k].normal) < vDot(deep[one].normal, deep[other].normal))
                one = i, other = k;
        }
    }
    Vec3 agreed = {0.0f, 0.0f, 0.0f};
    agreement(deep, count, &agreed);
    if (!tryWay(&escape, agreed))
        return false;
    if (count == 1 && !tryWay(&escape, vFromD(dSub(a->centre, b->centre))))
        return false;
    for (int i = 0; i < minI(count, JAM_NORMALS); ++i) {
        if (!tryWay(&escape, deep[i].normal))
            return false;
    }
    // Where two push against each other: across both.
    Vec3 against = vSub(deep[one].normal, deep[other].normal);
    Vec3 right = vCross(against, vAdd(deep[one].normal, deep[other].normal));
    if (!(vLength2(right) > JAM_OPPOSED))
        right = vFromD(dPerpendicular(dFromV(vNormalize(against))));
    right = vNormalize(right);
    Vec3 up = vNormalize(vCross(right, against));
    static const float circle[8][2] = {{1.0f, 0.0f},  {0.0f, 1.0f},   {-1.0f, 0.0f}, {0.0f, -1.0f},
                                       {1.0f, 1.0f}, {-1.0f, 1.0f}, {1.0f, -1.0f}, {-1.0f, -1.0f}};
    for (int i = 0; i < 8; ++i) {
        if (!tryWay(&escape, vAdd(vScale(circle[i][0], right), vScale(circle[i][1], up))))
            return false;
    }
    if (!tryWay(&escape, vFromD(dSub(a->centre, b->centre))))
        return false;
    *way = escape.way;
    *length = escape.length < most && !escape.easy ? escape.length : INFINITY;
    return true;
}
