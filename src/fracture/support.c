// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Support: which pieces anchors hold, and which groups bonds make.
#include "sherd/support.h"
#include "core/message.h"
#include "solid/solid.h"

// ---- anchors --------------------------------------------------------------------------------------------------------

// A triangle cut down to one side of a plane keeps at most one corner more; six planes follow each other.
enum { CLIP_CORNERS = 9 };

// Keeps what has sign · coordinate ≤ sign · limit.
static int clipAxis(DVec3* polygon, int count, int axis, double sign, double limit)
{
    DVec3 kept[CLIP_CORNERS];
    int keptCount = 0;
    for (int i = 0; i < count; ++i) {
        DVec3 a = polygon[i], b = polygon[(i + 1) % count];
        double da = sign * (dGet(a, axis) - limit), db = sign * (dGet(b, axis) - limit);
        if (da <= 0.0)
            kept[keptCount++] = a;
        if ((da < 0.0 && db > 0.0) || (da > 0.0 && db < 0.0))
            kept[keptCount++] = dLerp(a, b, da / (da - db));
    }
    for (int i = 0; i < keptCount; ++i)
        polygon[i] = kept[i];
    return keptCount;
}

static bool triangleTouchesBox(const Vec3 corners[3], shBox box)
{
    DVec3 polygon[CLIP_CORNERS] = {dFromV(corners[0]), dFromV(corners[1]), dFromV(corners[2])};
    DVec3 lower = dFromV(box.lower), upper = dFromV(box.upper);
    int count = 3;
    for (int axis = 0; axis < 3 && count > 0; ++axis) {
        count = clipAxis(polygon, count, axis, 1.0, dGet(upper, axis));
        if (count > 0)
            count = clipAxis(polygon, count, axis, -1.0, dGet(lower, axis));
    }
    return count > 0;
}

typedef struct Touch {
    const shAnchor* anchor;
    bool found;
} Touch;

static void testTriangle(const Vec3 corners[3], int source, void* user)
{
    (void)source;
    Touch* touch = user;
    if (touch->found)
        return;
    if (touch->anchor->type == shBoxAnchor) {
        touch->found = triangleTouchesBox(corners, touch->anchor->box);
        return;
    }
    for (int k = 0; k < 3; ++k)
        touch->found = touch->found || dDot(dFromV(touch->anchor->normal),
                                            dSub(dFromV(corners[k]), dFromV(touch->anchor->point))) <= 0.0;
}

static bool holdsNode(const FragmentField* field, const shAnchor* anchor, int piece)
{
    bool whole = field->labels == NULL;
    int first = whole ? 0 : field->pieces.data[piece].first;
    int count = whole ? field->rest->mesh->nodeCount : field->pieces.data[piece].count;
    for (int i = first; i < first + count; ++i) {
        int node = whole ? i : field->nodeOrder[i];
        if (anchor->holds(node, field->rest->mesh->nodes[node], anchor->user))
            return true;
    }
    return false;
}

static bool holds(const FragmentField* field, const shAnchor* anchor, int piece)
{
    FieldHit hit;
    Touch touch = {anchor, false};
    switch (anchor->type) {
    case shBallAnchor:
        return fieldOwner(field, anchor->point) == piece ||
               (anchor->radius > 0.0f && fieldProbeFar(field, piece, anchor->point, anchor->radius, &hit));
    case shNodeAnchor:
        return holdsNode(field, anchor, piece);
    case shBoxAnchor:
        if (!boxOverlaps(fieldBox(field, piece), anchor->box))
            return false;
        touch.found = fieldOwner(field, boxCenter(anchor->box)) == piece; // no surface near: all inside or all outside
        break;
    case shHalfSpaceAnchor:
        break;
    }
    fieldSurface(field, piece, testTriangle, &touch);
    return touch.found;
}

static shStatus checkAnchor(const shAnchor* anchor, int index, shMessage* message)
{
    switch (anchor->type) {
    case shBallAnchor:
        if (vFinite(anchor->point) && anchor->radius >= 0.0f && isfinite(anchor->radius))
            return shOk;
        return fail(message, shInvalid, "anchor %d: the ball's point is not finite or its radius negative", index);
    case shBoxAnchor:
        if (vFinite(anchor->box.lower) && vFinite(anchor->box.upper) && anchor->box.lower.x <= anchor->box.upper.x &&
            anchor->box.lower.y <= anchor->box.upper.y && anchor->box.lower.z <= anchor->box.upper.z)
            return shOk;
        return fail(message, shInvalid, "anchor %d: the box is not finite, or upside down", index);
    case shHalfSpaceAnchor:
        if (vFinite(anchor->point) && vFinite(anchor->normal) && vLength2(anchor->normal) > 0.0f)
            return shOk;
        return fail(message, shInvalid, "anchor %d: the half-space needs a finite point and a normal", index);
    case shNodeAnchor:
        if (anchor->holds != NULL)
            return shOk;
        return fail(message, shInvalid, "anchor %d: no function says which nodes it holds", index);
    }
    return fail(message, shInvalid, "anchor %d: there is no type %d", index, (int)anchor->type);
}

shStatus shSolid_FindHeld(const shSolid* solid, const shAnchor* anchors, int anchorCount, const int* pieces,
                          int pieceCount, bool* held, shMessage* message)
{
    if (solid == NULL)
        return fail(message, shInvalid, "anchors: the solid must not be null");
    for (int i = 0; i < anchorCount; ++i) {
        shStatus status = checkAnchor(&anchors[i], i, message);
        if (status != shOk)
            return status;
    }
    for (int p = 0; p < pieceCount; ++p)
        if (!fieldHasPiece(&solid->field, pieces[p]))
            return fail(message, shInvalid, "anchors: the solid has no piece %d", pieces[p]);
    for (int p = 0; p < pieceCount; ++p) {
        held[p] = false;
        for (int i = 0; i < anchorCount && !held[p]; ++i)
            held[p] = holds(&solid->field, &anchors[i], pieces[p]);
    }
    return shOk;
}

// ---- groups ---------------------------------------------------------------------------------------------------------

// Each piece points to a lower one of its group, the lowest to itself; paths are halved on the way.
static int lowestOf(int* groups, int piece)
{
    while (groups[piece] != piece) {
        groups[piece] = groups[groups[piece]];
        piece = groups[piece];
    }
    return piece;
}

int shFindGroups(const shBonds* bonds, const bool* present, const bool* held, int pieceCount, int* groups,
                 bool* groupHeld)
{
    for (int p = 0; p < pieceCount; ++p)
        groups[p] = present == NULL || present[p] ? p : -1;
    for (int i = 0; bonds != NULL && i < bonds->count; ++i) {
        const shBond* bond = &bonds->data[i];
        if (bond->broken || bond->a < 0 || bond->b < 0 || bond->a >= pieceCount || bond->b >= pieceCount ||
            groups[bond->a] < 0 || groups[bond->b] < 0)
            continue;
        int a = lowestOf(groups, bond->a), b = lowestOf(groups, bond->b);
        groups[maxI(a, b)] = minI(a, b);
    }
    // From the lowest up: whom a piece points to has its group's number already.
    int count = 0;
    for (int p = 0; p < pieceCount; ++p) {
        if (groups[p] < 0)
            continue;
        bool first = groups[p] == p;
        groups[p] = first ? count++ : groups[groups[p]];
        if (groupHeld != NULL)
            groupHeld[groups[p]] = (!first && groupHeld[groups[p]]) || (held != NULL && held[p]);
    }
    return count;
}
