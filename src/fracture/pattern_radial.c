// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// How a pane breaks: spokes run from the impact to the rim, rings of straight cracks join neighbouring spokes, their
// radii growing by a factor. Rings do not all go around, some sectors divide farther out, and nothing is quite even.
// In depth rings close in like spheres, so that thick solids lose a crater and not a column.
#include "core/constants.h"
#include "core/trig.h"
#include "fracture/pattern.h"

// Ascends with the angle from 0 to 4, without any trigonometry.
static float pseudoAngle(float x, float y)
{
    float sum = fabsf(x) + fabsf(y);
    float t = sum > 0.0f ? y / sum : 0.0f;
    return x < 0.0f ? 2.0f - t : y < 0.0f ? 4.0f + t : t;
}

typedef struct RadialDraft {
    uint64_t seed;
    double inner, step; // logarithms of the first radius, and between rings
    int rings;
} RadialDraft;

// A number within −1 … 1 that depends on what it is for only.
static double jitter(const RadialDraft* draft, int what, int a, int b)
{
    Random random = randomSeedItem(draft->seed, ((uint64_t)what * 1024 + (uint64_t)a) * 1024 + (uint64_t)b);
    return randomRangeD(&random, -1.0, 1.0);
}

enum {
    jitterSpoke,
    jitterRingSpoke,
    jitterRingSector,
    jitterMissing,
    jitterBranch,
    jitterBranchRing,
    jitterBranchTurn
};

static double ringAt(const RadialDraft* draft, int spoke, int sector, int ring)
{
    double k = ring + RADIAL_RING_JITTER_SPOKE * jitter(draft, jitterRingSpoke, spoke, ring);
    if (ring > 0) // the first goes around without a step
        k += RADIAL_RING_JITTER_SECTOR * jitter(draft, jitterRingSector, sector, ring);
    return trigExp(draft->inner + draft->step * k);
}

static void makeRings(RadialCells* cells, const RadialDraft* draft)
{
    for (int s = 0; s < cells->spokeCount; ++s)
        for (int half = 0; half < 2; ++half)
            for (int k = 0; k < draft->rings; ++k) {
                int sector = k > cells->spokes[s].branchRing ? 2 * s + half : 2 * s;
                float* ring = cells->rings[(2 * s + half) * draft->rings + k];
                bool last = k == draft->rings - 1;
                bool missing = k > 0 && !(cells->partial && last) &&
                               jitter(draft, jitterMissing, sector, k) < 2.0 * RADIAL_RING_MISSING - 1.0;
                for (int end = 0; end < 2; ++end)
                    ring[end] =
                        missing ? INFINITY : (float)(1.0 / ringAt(draft, (s + end) % cells->spokeCount, sector, k));
            }
}

// How far the piece goes on from the impact, along the axis or against it.
static double depthOf(const Struck* struck, double sign)
{
    double step = sign * RADIAL_DEPTH_STEP * (double)struck->spacing, depth = 0.0;
    for (int i = 1; i <= RADIAL_DEPTH_STEPS; ++i) {
        Vec3 p = vMad(struck->point, (float)(i * step), struck->direction);
        if (fieldOwner(struck->field, p) != struck->piece)
            break;
        depth = i * fabs(step);
    }
    return depth;
}

// A plate of which limbs stick out, such as the top of a table: cracks run through the plate, and limbs come off whole
// where they would else be split along their length.
static void findLimbs(RadialCells* cells, const Struck* struck, const PatternFrame* frame, const shPattern* pattern)
{
    cells->above = -INFINITY;
    cells->below = INFINITY;
    double front = depthOf(struck, 1.0), back = depthOf(struck, -1.0), thickness = front + back;
    // Points come bent by the walls' roughness: what is of the plate must not seem to stick out.
    double bend = (double)pattern->rough * trigCbrt(struck->volume / pattern->pieces);
    double margin = RADIAL_LIMB_MARGIN * thickness, plate = 0.0, least = 0.0, most = 0.0;
    for (int i = 0; i < struck->nodeCount; ++i) {
        double z = (double)frameApply(frame, struckPlace(struck, i)).z;
        least = minD(least, z);
        most = maxD(most, z);
        plate += z >= -back - margin && z <= front + margin ? struck->volumes[i] : 0.0;
    }
    margin += RADIAL_LIMB_BEND * bend;
    if (plate < RADIAL_PLATE_SHARE * struck->volume)
        return;
    if (-least > RADIAL_LIMB_LENGTH * thickness + margin)
        cells->above = (float)(-back - margin);
    if (most > RADIAL_LIMB_LENGTH * thickness + margin)
        cells->below = (float)(front + margin);
}

bool radialMake(RadialCells* cells, const Struck* struck, const PatternFrame* frame, const shPattern* pattern)
{
    double reach2 = 0.0;
    for (int i = 0; i < struck->nodeCount; ++i) {
        Vec3 p = frameApply(frame, struckPlace(struck, i));
        reach2 = maxD(reach2, (double)(p.x * p.x + p.y * p.y));
    }
    double reach = sqrt(reach2);
    bool partial = struck->radius > 0.0f && (double)struck->radius < reach;
    reach = (partial ? (double)struck->radius : RADIAL_OUTER * reach) * (double)struck->scale;

    int wanted = pattern->pieces;
    int spokes =
        wanted <= RADIAL_FEW ? maxI(wanted, 4) : minI((int)(2.0 * sqrt((double)wanted) + 0.5), RADIAL_MAX_SPOKES);
    int rings = wanted <= RADIAL_FEW
                    ? 0
                    : minI((int)((double)(wanted - 1) / (RADIAL_SECTORS * spokes) + 0.5), RADIAL_MAX_RINGS);
    rings = minI(maxI(rings, wanted > RADIAL_FEW ? 1 : 0) + partial, RADIAL_MAX_RINGS);
    *cells =
        (RadialCells){.spokeCount = spokes,
                      .ringCount = rings,
                      .innerSectors = rings == 0 ? minI(wanted, spokes) : maxI(spokes / RADIAL_INNER_SPOKES, 1),
                      .spokes = NEW_ARRAY(struck->memory, Spoke, spokes),
                      .rings = (float(*)[2])memAlloc(struck->memory, memBytes(2 * (size_t)spokes * (size_t)rings, 8)),
                      .partial = partial};
    if (cells->spokes == NULL || (rings > 0 && cells->rings == NULL)) {
        radialFree(cells, struck->memory);
        return false;
    }
    double finest = RADIAL_MIN_NODES * (double)struck->spacing * maxD(1.0, spokes / (2.0 * TRIG_PI));
    double inner = minD(maxD(RADIAL_INNER * reach / RADIAL_OUTER, finest), 0.5 * reach);
    RadialDraft draft = {pattern->seed, rings > 1 ? trigLog(inner) : trigLog(partial ? reach : 2.0 * inner),
                         rings > 1 ? trigLog(reach / inner) / (rings - 1) : 0.0, rings};
    double turn = 2.0 * TRIG_PI / spokes;
    double angles[RADIAL_MAX_SPOKES + 1];
    for (int s = 0; s < spokes; ++s)
        angles[s] = turn * (s + RADIAL_SPOKE_JITTER * (1.0 + jitter(&draft, jitterSpoke, s, 0)));
    angles[spokes] = angles[0] + 2.0 * TRIG_PI;
    for (int s = 0; s < spokes; ++s) {
        double sine0, cosine0, sine1, cosine1, sine, cosine;
        trigSinCos(angles[s], &sine0, &cosine0);
        trigSinCos(angles[s + 1], &sine1, &cosine1);
        double middle = 0.5 + RADIAL_BRANCH_JITTER * jitter(&draft, jitterBranchTurn, s, 0);
        trigSinCos(angles[s] + middle * (angles[s + 1] - angles[s]), &sine, &cosine);
        double down = cosine0 * sine1 - sine0 * cosine1; // sine of less than half a turn
        bool branches = rings > 1 && jitter(&draft, jitterBranch, s, 0) < 2.0 * RADIAL_BRANCH_CHANCE - 1.0;
        double share = 0.75 + 0.25 * jitter(&draft, jitterBranchRing, s, 0);
        cells->spokes[s] = (Spoke){
            .turn = pseudoAngle((float)cosine0, (float)sine0),
            .inverse = {{(float)(sine1 / down), (float)(-cosine1 / down)},
                        {(float)(-sine0 / down), (float)(cosine0 / down)}},
            .branch = {(float)cosine, (float)sine},
            .branchRing = branches ? minI((int)(share * rings), rings - 1) : rings,
        };
    }
    makeRings(cells, &draft);
    findLimbs(cells, struck, frame, pattern);
    return true;
}

void radialFree(RadialCells* cells, Memory* memory)
{
    FREE_ARRAY(memory, cells->spokes, cells->spokeCount);
    FREE_ARRAY(memory, cells->rings, 2 * cells->spokeCount * cells->ringCount);
    *cells = (RadialCells){0};
}

int radialCell(const RadialCells* cells, Vec3 p)
{
    if (p.z < cells->above || p.z > cells->below)
        return 2 * cells->spokeCount * (cells->ringCount + 1);
    float turn = pseudoAngle(p.x, p.y);
    int lower = 0, upper = cells->spokeCount; // spokes before `lower` have a smaller angle
    while (lower < upper) {
        int middle = (lower + upper) / 2;
        if (cells->spokes[middle].turn <= turn)
            lower = middle + 1;
        else
            upper = middle;
    }
    int sector = lower > 0 ? lower - 1 : cells->spokeCount - 1;
    const Spoke* spoke = &cells->spokes[sector];
    bool second = spoke->branch[0] * p.y - spoke->branch[1] * p.x > 0.0f;
    float along[2] = {spoke->inverse[0][0] * p.x + spoke->inverse[0][1] * p.y,
                      spoke->inverse[1][0] * p.x + spoke->inverse[1][1] * p.y};
    int half = 2 * sector + second, k = 0;
    for (; k < cells->ringCount; ++k) {
        const float* ring = cells->rings[half * cells->ringCount + k];
        float across = along[0] * ring[0] + along[1] * ring[1], deep = 0.5f * (ring[0] + ring[1]) * p.z;
        if (across * across + deep * deep < 1.0f) // never where the ring is missing
            break;
    }
    if (k == 0) // what is punched out goes to fewer pieces
        half = 2 * (sector * cells->innerSectors / cells->spokeCount);
    else if (k <= spoke->branchRing)
        half = 2 * sector;
    return half * (cells->ringCount + 1) + k;
}
