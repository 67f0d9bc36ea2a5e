// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Regions placed at an impact, and patterns made of what has broken.
#include "core/constants.h"
#include "core/message.h"
#include "core/trig.h"
#include "fracture/pattern.h"
#include "solid/solid.h"

// Turns the two axes across the third.
static void turnFrame(PatternFrame* frame, uint64_t seed)
{
    Random random = randomSeed(seed);
    double sine, cosine;
    trigSinCos(2.0 * TRIG_PI * randomDouble(&random), &sine, &cosine);
    DVec3 x = frame->axes[0], y = frame->axes[1];
    frame->axes[0] = dMad(dScale(cosine, x), sine, y);
    frame->axes[1] = dMad(dScale(cosine, y), -sine, x);
}

// Brings the first axis as near to a direction as the third allows. False: they are one.
static bool aimFrame(PatternFrame* frame, DVec3 direction)
{
    DVec3 n = dNormalize(direction);
    DVec3 across = dMad(n, -dDot(n, frame->axes[2]), frame->axes[2]);
    if (!(dLength2(across) > GRAIN_PARALLEL * GRAIN_PARALLEL))
        return false;
    frame->axes[0] = dNormalize(across);
    frame->axes[1] = dCross(frame->axes[2], frame->axes[0]);
    return true;
}

PatternFrame regionFrame(const RegionRecord* record, const Struck* struck, const shPattern* pattern)
{
    double reach2 = 0.0;
    for (int i = 0; i < struck->nodeCount; ++i)
        reach2 = maxD(reach2, dLength2(dSub(dFromV(struckPlace(struck, i)), dFromV(struck->point))));
    double size = (double)struck->scale * sqrt(reach2) / (double)record->reach;
    PatternFrame blow = frameAlong(struck->point, struck->direction, 1.0);
    PatternFrame own = frameAlong(record->center, record->direction, 1.0);
    PatternFrame aimed = blow;
    if (dLength2(dFromV(pattern->grain)) > 0.0 && aimFrame(&aimed, dFromV(pattern->grain)) && aimFrame(&own, dAxis(0)))
        blow = aimed;
    if (pattern->seed != 0)
        turnFrame(&blow, pattern->seed);
    // From a direction of the piece to the same of the regions, in cells; and where the first sample is in the piece.
    double cells = 1.0 / (size * (double)record->cell);
    PatternFrame frame = {.origin = blow.origin, .stretch = 1.0};
    DVec3 first = dSub(dFromV(record->lower), own.origin);
    for (int j = 0; j < 3; ++j) {
        frame.origin = dMad(frame.origin, size * dDot(own.axes[j], first), blow.axes[j]);
        for (int k = 0; k < 3; ++k)
            frame.axes[k] = dMad(frame.axes[k], cells * dGet(own.axes[j], k), blow.axes[j]);
    }
    return frame;
}

int regionCell(RegionCells* cells, Vec3 p)
{
    cells->reads += cells->aligned ? 1 : 8;
    return cells->aligned ? regionsNearest(cells->regions, p) : regionsLowest(cells->regions, p);
}

static float leadAt(RegionCells* cells, Vec3 p, int region)
{
    cells->reads += 8;
    return regionsLead(cells->regions, p, region);
}

// False position; an end that stays twice counts half, so that it moves (the Illinois rule).
float regionCut(RegionCells* cells, Vec3 a, Vec3 b, int region)
{
    float inside = 0.0f, outside = 1.0f, middle = 0.5f;
    float lead = leadAt(cells, a, region), lag = leadAt(cells, b, region);
    float near = REGION_CUT_NEAR * cells->regions->record->cell;
    int kept = 0;
    for (int step = 0; step < REGION_CUT_STEPS && lead > lag; ++step) {
        middle = inside + (outside - inside) * (lead / (lead - lag));
        float here = leadAt(cells, vLerp(a, b, middle), region);
        if (fabsf(here) < near)
            break;
        if (here > 0.0f) {
            inside = middle;
            lead = here;
            lag = kept > 0 ? 0.5f * lag : lag;
            kept = 1;
        } else {
            outside = middle;
            lag = here;
            lead = kept < 0 ? 0.5f * lead : lead;
            kept = -1;
        }
    }
    return middle;
}

// Where what a piece has of a region is in the mean.
typedef struct RegionShare {
    DVec3 moment; // m⁴
    double volume;
} RegionShare;

bool regionReach(RegionCells* cells, const Struck* struck, const int* nodeCells)
{
    int count = cells->regions->record->regionCount;
    cells->reached = NEW_ZEROED(struck->memory, bool, count);
    RegionShare* shares = NEW_ZEROED(struck->memory, RegionShare, count);
    bool enough = cells->reached != NULL && shares != NULL;
    for (int i = 0; i < struck->nodeCount && enough; ++i) {
        RegionShare* share = &shares[nodeCells[struckNode(struck, i)]];
        DVec3 away = dSub(dFromV(struckPlace(struck, i)), dFromV(struck->point));
        share->moment = dMad(share->moment, struck->volumes[i], away);
        share->volume += struck->volumes[i];
    }
    for (int r = 0; r < count && enough; ++r)
        cells->reached[r] = dLength(shares[r].moment) < (double)struck->radius * shares[r].volume;
    FREE_ARRAY(struck->memory, shares, count);
    return enough;
}

void regionCellsFree(RegionCells* cells, Memory* memory)
{
    if (cells->reached != NULL)
        FREE_ARRAY(memory, cells->reached, cells->regions->record->regionCount);
    *cells = (RegionCells){0};
}

// ---- from a broken solid --------------------------------------------------------------------------------------------

// The surfaces of all pieces; each region a piece.
typedef struct PieceShells {
    int count; // of triangles
    shVec3 (*corners)[3];
    int (*triangles)[3];
    int *regions, *slots;
} PieceShells;

static void shellsFree(PieceShells* shells, Memory* memory)
{
    FREE_ARRAY(memory, shells->corners, shells->count);
    FREE_ARRAY(memory, shells->triangles, shells->count);
    FREE_ARRAY(memory, shells->regions, shells->count);
    FREE_ARRAY(memory, shells->slots, shells->count);
}

static bool shellsMake(PieceShells* shells, Memory* memory, const shSolid* solid, int count)
{
    *shells = (PieceShells){.count = count,
                            .corners = memAlloc(memory, memBytes((size_t)count, sizeof(shVec3[3]))),
                            .triangles = memAlloc(memory, memBytes((size_t)count, sizeof(int[3]))),
                            .regions = NEW_ARRAY(memory, int, count),
                            .slots = NEW_ARRAY(memory, int, count)};
    if (shells->corners == NULL || shells->triangles == NULL || shells->regions == NULL || shells->slots == NULL)
        return false;
    int done = 0;
    for (int piece = 0; piece < shSolid_GetPieceCount(solid); ++piece) {
        int more = shSolid_GetTriangles(solid, piece, shells->corners + done, shells->slots + done, count - done);
        for (int t = done; t < done + more; ++t) {
            shells->regions[t] = piece;
            for (int k = 0; k < 3; ++k)
                shells->triangles[t][k] = 3 * t + k;
        }
        done += more;
    }
    return true;
}

shStatus shCreateRegionsFromSolid(const shSolid* solid, const shImpact* impact, int cells, shRegions** regions,
                                  shMessage* message)
{
    if (solid == NULL || regions == NULL)
        return fail(message, shInvalid, "regions: solid and regions must not be null");
    *regions = NULL;
    shStatus status = impactCheck(impact, message);
    if (status != shOk)
        return status;
    shContext* context = solid->asset->context;
    FragmentField whole; // where the blow fell when there was no crack yet
    fieldInit(&whole, &context->memory, solid->field.rest);
    shRegionsDef def = shDefaultRegionsDef();
    def.cells = cells != 0 ? cells : def.cells;
    impactPlace(&whole, 0, impact, &def.center, &def.direction);
    fieldFree(&whole);
    status = regionsCheckDef(&def, message);
    if (status != shOk)
        return status;
    int pieces = shSolid_GetPieceCount(solid);
    int64_t count = 0;
    for (int piece = 0; piece < pieces; ++piece)
        count += shSolid_GetTriangles(solid, piece, NULL, NULL, 0);
    if (pieces > SH_MAX_REGIONS || count > REGION_MAX_TRIANGLES)
        return fail(message, shLimit, "regions: %d pieces; at most %d make a pattern", pieces, SH_MAX_REGIONS);
    if (count == 0)
        return fail(message, shInvalid, "regions: no piece of the solid is left");
    PieceShells shells;
    if (shellsMake(&shells, &context->memory, solid, (int)count)) {
        shRegionMesh mesh = {.regionCount = pieces,
                             .vertexCount = 3 * shells.count,
                             .triangleCount = shells.count,
                             .vertices = shells.corners[0],
                             .triangles = (const int(*)[3])shells.triangles,
                             .regions = shells.regions};
        status = regionsOfMesh(context, &mesh, &def, true, regions, message);
    } else {
        status = failMemory(message);
    }
    shellsFree(&shells, &context->memory);
    return status;
}
