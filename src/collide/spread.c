// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "collide/spread.h"

#include "core/vec.h"

// One that pushes another way is so far off, too, as the contacts are spread.
static float apart(const shContact* a, const shContact* b, float size)
{
    return vDistance(a->point, b->point) + 0.5f * size * (1.0f - vDot(a->normal, b->normal));
}

static void keep(shContact* contacts, float* away, int count, int kept, int chosen, float size)
{
    shContact contact = contacts[chosen];
    contacts[chosen] = contacts[kept];
    contacts[kept] = contact;
    away[chosen] = away[kept];
    for (int i = kept + 1; i < count; ++i)
        away[i] = minF(away[i], apart(&contacts[i], &contact, size));
}

void spreadContacts(shContact* contacts, int count, int kept, int wanted)
{
    float away[spreadMost]; // m, from the nearest one kept
    shBox box = boxEmpty();
    int first = kept; // the nearest
    for (int i = 0; i < count; ++i) {
        away[i] = INFINITY;
        box = boxAdd(box, contacts[i].point);
        first = i > kept && contacts[i].distance < contacts[first].distance ? i : first;
    }
    float size = vLength(boxSize(box));
    for (int i = 0; i < kept; ++i)
        keep(contacts, away, count, i, i, size);
    for (int i = kept; i < wanted && i < count; ++i) {
        int chosen = i == kept ? first : i;
        for (int k = i + 1; k < count && i > kept; ++k)
            chosen = away[k] > away[chosen] ? k : chosen;
        keep(contacts, away, count, i, chosen, size);
    }
}
