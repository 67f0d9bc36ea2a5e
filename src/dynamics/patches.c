// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "dynamics/patches.h"

#include "core/quat.h"

// Twice the area of a triangle, positive when it turns left.
static float turn(const Candidate* a, const Candidate* b, const Candidate* c)
{
    return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
}

static bool before(const Candidate* a, const Candidate* b) { return a->x < b->x || (a->x == b->x && a->y < b->y); }

// The members of a patch from left to right.
static int sortPatch(Candidate* candidates, int count, int patch, const Candidate** sorted)
{
    const Candidate* first = NULL;
    Vec3 right = {0.0f, 0.0f, 0.0f}, up = right;
    int members = 0;
    for (int i = 0; i < count; ++i) {
        Candidate* c = &candidates[i];
        if (c->patch != patch)
            continue;
        if (first == NULL) {
            first = c;
            right = vFromD(dPerpendicular(dFromV(c->normal)));
            up = vCross(c->normal, right);
        }
        c->x = vDot(c->point, right);
        c->y = vDot(c->point, up);
        int hole = members++;
        for (; hole > 0 && before(c, sorted[hole - 1]); --hole)
            sorted[hole] = sorted[hole - 1];
        sorted[hole] = c;
    }
    return members;
}

// The convex hull of sorted candidates, counter-clockwise (Andrew's chains). Room for twice as many.
static int hullOf(const Candidate* const* sorted, int count, const Candidate** hull)
{
    int corners = 0;
    for (int chain = 0; chain < 2; ++chain) {
        int base = corners;
        for (int i = 0; i < count; ++i) {
            const Candidate* c = sorted[chain == 0 ? i : count - 1 - i];
            while (corners >= base + 2 && turn(hull[corners - 2], hull[corners - 1], c) <= 0.0f)
                --corners;
            hull[corners++] = c;
        }
        --corners; // the next chain begins with it
    }
    return corners > 0 ? corners : 1;
}

// How far a corner stands out from the line between its neighbours; a new one counts for less.
static float standsOut(const Candidate* const* hull, int count, int i)
{
    const Candidate *a = hull[(i + count - 1) % count], *b = hull[i], *c = hull[(i + 1) % count];
    float dx = c->x - a->x, dy = c->y - a->y, length = sqrtf(dx * dx + dy * dy);
    float out =
        length > 0.0f ? turn(a, b, c) / length : sqrtf((b->x - a->x) * (b->x - a->x) + (b->y - a->y) * (b->y - a->y));
    return b->old ? CONTACT_STEADY * out : out;
}

void patchKeepCorners(Candidate* candidates, int count, int patch, float tolerance)
{
    const Candidate *sorted[mostFound], *hull[2 * (mostFound)];
    int members = sortPatch(candidates, count, patch, sorted);
    if (members == 0)
        return;
    const Candidate *deepest = sorted[0], *first = sorted[0]; // now, and by the end of the step
    for (int i = 1; i < members; ++i) {
        if (sorted[i]->gap < deepest->gap)
            deepest = sorted[i];
        if (sorted[i]->next < first->next)
            first = sorted[i];
    }
    hull[0] = sorted[0];
    int corners = members > 1 ? hullOf(sorted, members, hull) : 1;
    int most = deepest->soon ? CONTACT_CORNERS : 2;
    while (corners > 2) {
        int least = 0;
        for (int i = 1; i < corners; ++i) {
            if (standsOut(hull, corners, i) < standsOut(hull, corners, least))
                least = i;
        }
        if (corners <= most && standsOut(hull, corners, least) > tolerance)
            break;
        --corners;
        for (int i = least; i < corners; ++i)
            hull[i] = hull[i + 1];
    }
    float shallowest = INFINITY, last = INFINITY;
    for (int i = 0; i < corners; ++i) {
        candidates[hull[i] - candidates].kept = true;
        shallowest = minF(shallowest, hull[i]->gap);
        last = minF(last, hull[i]->next);
    }
    if (deepest->gap < shallowest - CONTACT_DEEPER * tolerance)
        candidates[deepest - candidates].kept = true;
    if (first->next < last - CONTACT_DEEPER * tolerance)
        candidates[first - candidates].kept = true;
}

void patchDropFar(Candidate* candidates, int count)
{
    int kept = 0;
    for (int i = 0; i < count; ++i)
        kept += candidateIsKept(&candidates[i]);
    for (; kept > CONTACT_ENOUGH; --kept) {
        Candidate* far = NULL;
        for (int i = 0; i < count; ++i) {
            Candidate* c = &candidates[i];
            if (c->kept && !c->soon && c->force <= 0.0f && (far == NULL || c->gap > far->gap))
                far = c;
        }
        if (far == NULL)
            return;
        far->kept = false;
    }
}
