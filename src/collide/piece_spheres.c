// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Inner spheres of the pieces of a broken solid. A sphere that a crack has cut is replaced from within: points inside
// it know their piece and how far that piece's surface and the sphere's own are, and the largest balls around them
// become spheres. What lies inside one old sphere meets none that lies in another: nothing else has to be looked at,
// and all cut spheres can be filled at once. The volume the old one stood for is shared out by those points.
#include "core/constants.h"
#include "core/message.h"
#include "core/trig.h"
#include "solid/solid.h"
#include "tree/inner_object.h"

#include <string.h>

enum { pointsMost = 64 };

typedef struct Part {
    InnerSphere sphere; // volumeRadius holds the volume, m³, until all is shared out
    int piece;          // −1: none
} Part;

typedef struct Filling {
    const shSolid* solid;
    const InnerTree* tree;
    Vec3 points[2][pointsMost]; // in the unit ball: few for small spheres, more for large ones
    int pointCounts[2];
    Part (*parts)[INNER_PIECE_MOST]; // [sphereCount]
    int* counts;                     // [sphereCount]
} Filling;

static float volumeOf(float radius) { return (float)(INNER_UNIT_BALL * (double)(radius * radius * radius)); }

// The piece that has all of a sphere; −1: none.
static int wholeOwner(const Filling* filling, const InnerSphere* s)
{
    const FragmentField* field = &filling->solid->field;
    Vec3 centre = innerCentre(s);
    int piece = fieldOwner(field, centre);
    FieldHit hit;
    if (piece < 0)
        return -1;
    if (!fieldClosest(field, piece, centre, s->radius, &hit))
        return piece;
    return fabsf(hit.distance) >= s->radius * (1.0f - INNER_PIECE_KEEP) ? piece : -1;
}

typedef struct Spot {
    Vec3 p;
    int piece;
    float free;
} Spot;

// The largest free ball at a spot of `piece` (any: −1); false when there is none of that size.
static bool placeBest(Spot* spots, int count, int piece, float least, Part* part)
{
    int best = -1;
    for (int i = 0; i < count; ++i)
        if (spots[i].piece >= 0 && (piece < 0 || spots[i].piece == piece) && spots[i].free >= least &&
            (best < 0 || spots[i].free > spots[best].free))
            best = i;
    if (best < 0)
        return false;
    Vec3 p = spots[best].p;
    float radius = spots[best].free * (1.0f - INNER_PIECE_SAFE);
    *part = (Part){{p.x, p.y, p.z, radius, 0.0f, -1}, spots[best].piece};
    for (int i = 0; i < count; ++i)
        spots[i].free = minF(spots[i].free, vDistance(spots[i].p, p) - radius);
    return true;
}

static int fillCut(const Filling* filling, const InnerSphere* s, Part parts[INNER_PIECE_MOST])
{
    const FragmentField* field = &filling->solid->field;
    Spot spots[pointsMost];
    int set = (double)s->radius > INNER_PIECE_LARGE * filling->tree->record.voxel;
    int count = filling->pointCounts[set], made = 0;
    for (int i = 0; i < count; ++i) {
        Spot* spot = &spots[i];
        spot->p = vMad(innerCentre(s), s->radius, filling->points[set][i]);
        spot->piece = fieldOwner(field, spot->p);
        spot->free = s->radius - vDistance(spot->p, innerCentre(s));
        FieldHit hit;
        if (spot->piece >= 0 && fieldClosest(field, spot->piece, spot->p, spot->free, &hit))
            spot->free = minF(spot->free, fabsf(hit.distance));
    }
    float least = INNER_PIECE_LEAST * s->radius;
    // First one for each piece, then the largest ones.
    for (int i = 0; i < count; ++i) {
        bool known = spots[i].piece < 0;
        for (int k = 0; k < made; ++k)
            known = known || parts[k].piece == spots[i].piece;
        if (!known && made < INNER_PIECE_MOST && placeBest(spots, count, spots[i].piece, 0.0f, &parts[made]))
            made += parts[made].sphere.radius > 0.0f;
    }
    while (made < INNER_PIECE_MOST && placeBest(spots, count, -1, least, &parts[made]))
        ++made;
    // Each spot's share of the volume, to the nearest sphere of its piece.
    float share = volumeOf(s->volumeRadius) / (float)count;
    for (int i = 0; i < count; ++i) {
        int nearest = -1;
        float least2 = INFINITY;
        for (int k = 0; k < made; ++k) {
            float distance = vDistance(spots[i].p, innerCentre(&parts[k].sphere)) - parts[k].sphere.radius;
            if (parts[k].piece == spots[i].piece && distance < least2) {
                least2 = distance;
                nearest = k;
            }
        }
        if (nearest >= 0)
            parts[nearest].sphere.volumeRadius += share;
    }
    return made;
}

static void fillSome(int begin, int end, int worker, void* arg)
{
    (void)worker;
    Filling* filling = arg;
    for (int i = begin; i < end; ++i) {
        const InnerSphere* s = &filling->tree->spheres[i];
        int piece = wholeOwner(filling, s);
        filling->counts[i] = 1;
        if (piece >= 0) {
            filling->parts[i][0] = (Part){*s, piece};
            filling->parts[i][0].sphere.volumeRadius = volumeOf(s->volumeRadius);
            filling->parts[i][0].sphere.triangle = -1; // of the whole; the piece has its own
        } else {
            filling->counts[i] = fillCut(filling, s, filling->parts[i]);
        }
    }
}

static bool closestOfPiece(const void* user, int piece, Vec3 p, Vec3* point)
{
    const shSolid* solid = user;
    FieldHit hit;
    if (!fieldClosest(&solid->field, piece, p, INFINITY, &hit))
        return false;
    *point = hit.point;
    return true;
}

typedef struct Gathering {
    const Filling* filling;
    shContext* context;
    shInnerSpheres** pieces;
    bool* done;
} Gathering;

static bool gatherPiece(const Gathering* gathering, int piece)
{
    const Filling* filling = gathering->filling;
    Memory* memory = &gathering->context->memory;
    InnerPacking packing = {.voxel = filling->tree->record.voxel, .voxelCount = 1};
    for (int i = 0; i < filling->tree->sphereCount; ++i)
        for (int k = 0; k < filling->counts[i]; ++k)
            packing.capacity += filling->parts[i][k].piece == piece && filling->parts[i][k].sphere.volumeRadius > 0.0f;
    if (packing.capacity == 0)
        return true;
    // Points are few: what they share out is off by some percent for a piece, whose volume is known.
    packing.volume = shSolid_GetPiece(filling->solid, piece).volume;
    double shared = 0.0;
    for (int i = 0; i < filling->tree->sphereCount; ++i)
        for (int k = 0; k < filling->counts[i]; ++k)
            if (filling->parts[i][k].piece == piece)
                shared += (double)filling->parts[i][k].sphere.volumeRadius;
    packing.spheres = NEW_ARRAY(memory, InnerSphere, packing.capacity);
    shInnerSpheres* made = NEW_ZEROED(memory, shInnerSpheres, 1);
    bool fits = packing.spheres != NULL && made != NULL;
    for (int i = 0; i < filling->tree->sphereCount && fits; ++i)
        for (int k = 0; k < filling->counts[i]; ++k) {
            const Part* part = &filling->parts[i][k];
            if (part->piece != piece || !(part->sphere.volumeRadius > 0.0f))
                continue;
            InnerSphere* to = &packing.spheres[packing.count++];
            double volume = (double)part->sphere.volumeRadius * packing.volume / shared;
            *to = part->sphere;
            to->volumeRadius = (float)trigCbrt(volume / INNER_UNIT_BALL);
            packing.covered += (double)volumeOf(to->radius);
        }
    InnerBuildDef def = {.quick = true};
    fits = fits && innerTreeBuild(&made->tree, gathering->context, &packing, &def);
    innerPackingFree(&packing, memory);
    if (!fits) {
        FREE_ARRAY(memory, made, 1);
        return false;
    }
    made->context = gathering->context;
    made->ownsTree = true;
    made->closest = closestOfPiece;
    made->closestUser = filling->solid;
    made->closestPiece = piece;
    gathering->pieces[piece] = made;
    return true;
}

static void gatherSome(int begin, int end, int worker, void* arg)
{
    (void)worker;
    const Gathering* gathering = arg;
    for (int piece = begin; piece < end; ++piece)
        gathering->done[piece] = gatherPiece(gathering, piece);
}

static void spreadPoints(Filling* filling)
{
    for (int i = 0; i < 125; ++i) {
        Vec3 at = vec3((float)(i % 5 - 2), (float)(i / 5 % 5 - 2), (float)(i / 25 - 2));
        Vec3 fine = vScale(INNER_PIECE_SPACING, at), coarse = vScale(INNER_PIECE_COARSE, at);
        if (vLength2(fine) < 1.0f && filling->pointCounts[1] < pointsMost)
            filling->points[1][filling->pointCounts[1]++] = fine;
        if (vLength2(coarse) < 1.0f && filling->pointCounts[0] < pointsMost)
            filling->points[0][filling->pointCounts[0]++] = coarse;
    }
}

shStatus shCreatePieceSpheres(const shSolid* solid, shInnerSpheres** pieces, int count, shMessage* message)
{
    if (solid == NULL || pieces == NULL)
        return fail(message, shInvalid, "piece spheres: solid and pieces must not be null");
    if (count != shSolid_GetPieceCount(solid))
        return fail(message, shInvalid, "piece spheres: room for %d of %d pieces", count, shSolid_GetPieceCount(solid));
    memset(pieces, 0, sizeof(*pieces) * (size_t)count);
    if (!solid->asset->hasInner)
        return fail(message, shInvalid,
                    "piece spheres: the asset was cooked without inner spheres (sherd cook --inner, or "
                    "shCookDef.innerSpheres)");
    if (solid->field.labels == NULL)
        return fail(message, shInvalid, "piece spheres: the solid is whole; its spheres are the asset's");
    shContext* context = solid->asset->context;
    Memory* memory = &context->memory;
    const InnerTree* tree = &solid->asset->inner.tree;
    Filling filling = {.solid = solid, .tree = tree};
    filling.parts = memAlloc(memory, memBytes((uint64_t)tree->sphereCount, sizeof *filling.parts));
    filling.counts = NEW_ARRAY(memory, int, tree->sphereCount);
    Gathering gathering = {&filling, context, pieces, NEW_ZEROED(memory, bool, count)};
    bool fits = filling.parts != NULL && filling.counts != NULL && gathering.done != NULL;
    if (fits) {
        spreadPoints(&filling);
        parallelFor(context, tree->sphereCount, INNER_PIECE_BLOCK, fillSome, &filling);
        parallelFor(context, count, 1, gatherSome, &gathering);
        for (int i = 0; i < count; ++i)
            fits = fits && gathering.done[i];
    }
    FREE_ARRAY(memory, gathering.done, count);
    FREE_ARRAY(memory, filling.counts, tree->sphereCount);
    FREE_ARRAY(memory, filling.parts, tree->sphereCount);
    for (int i = 0; i < count && !fits; ++i) {
        shDestroyInnerSpheres(pieces[i]);
        pieces[i] = NULL;
    }
    return fits ? shOk : failMemory(message);
}
