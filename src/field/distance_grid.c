// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "field/distance_grid.h"

#include "core/constants.h"
#include "core/message.h"

#include <float.h>
#include <string.h>

DistanceGridDef distanceGridDefaultDef(void)
{
    return (DistanceGridDef){.cells = 64, .maxBytes = (size_t)DISTANCE_GRID_MAX_MB << 20};
}

size_t distanceGridMemory(const DistanceGrid* grid)
{
    return (size_t)distanceGridIndexCount(&grid->shape) * sizeof(int32_t) +
           (size_t)distanceGridValueCount(&grid->shape) * sizeof(float);
}

void distanceGridFree(DistanceGrid* grid, Memory* memory)
{
    FREE_ARRAY(memory, grid->index, distanceGridIndexCount(&grid->shape));
    FREE_ARRAY(memory, grid->values, distanceGridValueCount(&grid->shape));
    *grid = (DistanceGrid){0};
}

float distanceGridLower(const DistanceGrid* grid, Vec3 p)
{
    // The surface lies in the box, which is convex: from outside, the nearest point of the box is at a right angle.
    Vec3 inside = vMin(vMax(p, grid->shape.lower), grid->shape.upper);
    DistanceCell cell = distanceGridCell(grid, inside);
    float spread2 = cell.x * (1.0f - cell.x) + cell.y * (1.0f - cell.y) + cell.z * (1.0f - cell.z);
    float spacing = grid->shape.cellSize * ((float)brickCells / cell.cellsPerBrick);
    float value = fabsf(distanceCellSample(cell, grid->shape.bricksPerMetre).distance);
    float lower = maxF(value - spacing * sqrtf(maxF(spread2, 0.0f)) - grid->shape.slack, 0.0f);
    float offset2 = vDistance2(p, inside);
    return offset2 > 0.0f ? sqrtf(lower * lower + offset2) * DISTANCE_OUTSIDE_ROUNDING : lower;
}

// ---- samples --------------------------------------------------------------------------------------------------

typedef enum SignRule {
    byNormals,
    byWindingOfClosed, // a sign can be handed on between samples that nothing lies between
    byWinding,
} SignRule;

typedef struct Build {
    DistanceGrid* grid;
    const TriQuery* query;
    SignRule rule;
    int (*bricks)[3]; // [brickCount] the bricks to sample; while that lasts the grid's index holds their numbers or −1
    bool* torn;       // [slabs or bricks]: neighbouring samples contradict each other
    bool* wanted;     // [brickCount]: reaches into the band
    float* brickValues; // [brickCount · brickSamples]
} Build;

// Closest points from one sample to the next: the last one found is a good first guess.
typedef struct Walk {
    const Build* build;
    DVec3 point; // of the surface
    bool torn;
} Walk;

// Whether two samples a and b, `apart` from each other, must have the same sign: no surface fits in between.
static bool linked(float a, float b, double apart)
{
    return fabs((double)a) + fabs((double)b) > apart * (1.0 + DISTANCE_ROUNDING);
}

// What a sample holds before it is filled: INFINITY when it is to be found, NaN when another brick finds it.
#define TO_BE_FOUND INFINITY
#define FOUND_ELSEWHERE NAN

// Samples of one box at the given spacing in cells, x fastest: those that are to be found.
static void fillSamples(Walk* walk, const int first[3], const int count[3], int step, float* out)
{
    const DistanceGridShape* shape = &walk->build->grid->shape;
    const TriQuery* query = walk->build->query;
    const SignRule rule = walk->build->rule;
    const double h = (double)shape->cellSize, apart = h * step;
    const DVec3 lower = dFromV(shape->lower);
    const int strides[3] = {1, count[0], count[0] * count[1]};
    for (int k = 0; k < count[2]; ++k)
        for (int j = 0; j < count[1]; ++j)
            for (int i = 0; i < count[0]; ++i, ++out) {
                if (!isinf(*out))
                    continue;
                const int at[3] = {i, j, k};
                DVec3 p = {lower.x + h * (first[0] + step * i), lower.y + h * (first[1] + step * j),
                           lower.z + h * (first[2] + step * k)};
                double reach = dDistance(p, walk->point) + apart * DISTANCE_ROUNDING;
                TriHit hit = triQueryClosest(query, p, reach);
                walk->point = hit.point;
                float distance = (float)hit.distance;
                int from = -1; // an axis along which the last sample must have the same sign
                for (int axis = 0; axis < 3 && from < 0; ++axis)
                    if (at[axis] > 0 && linked(distance, out[-strides[axis]], apart))
                        from = axis;
                bool inside;
                if (rule == byNormals)
                    inside = triQueryBehind(query, p, &hit);
                else if (rule == byWindingOfClosed && from >= 0)
                    inside = signbit(out[-strides[from]]);
                else
                    inside = triQueryInside(query, p);
                *out = inside ? -distance : distance;
                walk->torn = walk->torn || (from >= 0 && inside != (bool)signbit(out[-strides[from]]));
            }
}

// Where the coarse sample at the lowest corner of a brick is.
static int32_t coarseStart(const DistanceGridShape* shape, int x, int y, int z)
{
    return (z * (shape->bricks[1] + 1) + y) * (shape->bricks[0] + 1) + x;
}

static void fillSlab(int begin, int end, int worker, void* arg)
{
    (void)worker;
    Build* build = arg;
    const DistanceGridShape* shape = &build->grid->shape;
    for (int slab = begin; slab < end; ++slab) {
        const int first[3] = {0, 0, brickCells * slab}, count[3] = {shape->bricks[0] + 1, shape->bricks[1] + 1, 1};
        float* out = build->grid->values + coarseStart(shape, 0, 0, slab);
        for (int i = 0; i < count[0] * count[1]; ++i)
            out[i] = TO_BE_FOUND;
        Walk walk = {build, build->query->corners[0][0], false};
        fillSamples(&walk, first, count, brickCells, out);
        build->torn[slab] = walk.torn;
    }
}

// A sample belongs to the brick in whose lower three layers it is. That brick's number, −1 when it is not sampled.
static int ownerOf(const DistanceGrid* grid, const int brick[3], int i, int j, int k)
{
    const int32_t* bricks = grid->shape.bricks;
    int x = brick[0] + i / brickCells, y = brick[1] + j / brickCells, z = brick[2] + k / brickCells;
    return x < bricks[0] && y < bricks[1] && z < bricks[2] ? grid->index[(z * bricks[1] + y) * bricks[0] + x] : -1;
}

// The samples a brick owns and those that nobody owns. Its corners are coarse samples, already there.
static void fillBricks(int begin, int end, int worker, void* arg)
{
    (void)worker;
    Build* build = arg;
    const DistanceGrid* grid = build->grid;
    Walk walk = {build, build->query->corners[0][0], false};
    for (int b = begin; b < end; ++b) {
        const int* brick = build->bricks[b];
        const int first[3] = {brickCells * brick[0], brickCells * brick[1], brickCells * brick[2]};
        const int count[3] = {brickSide, brickSide, brickSide};
        float* out = build->brickValues + (size_t)b * brickSamples;
        for (int s = 0; s < brickSamples; ++s) {
            int i = s % brickSide, j = s / brickSide % brickSide, k = s / (brickSide * brickSide);
            int owner = ownerOf(grid, brick, i, j, k);
            if (i % brickCells == 0 && j % brickCells == 0 && k % brickCells == 0)
                out[s] = grid->values[coarseStart(&grid->shape, brick[0] + i / brickCells, brick[1] + j / brickCells,
                                                  brick[2] + k / brickCells)];
            else
                out[s] = owner == b || owner < 0 ? TO_BE_FOUND : FOUND_ELSEWHERE;
        }
        walk.torn = false;
        fillSamples(&walk, first, count, 1, out);
        build->torn[b] = walk.torn;
    }
}

// Fetches from their owners what is still missing; then it is clear whether a brick reaches into the band.
static void finishBricks(int begin, int end, int worker, void* arg)
{
    (void)worker;
    Build* build = arg;
    const DistanceGridShape* shape = &build->grid->shape;
    // A point is at most half a cell's diagonal from the nearest sample.
    const double reach = (double)shape->band + 0.5 * sqrt(3.0) * (double)shape->cellSize;
    for (int b = begin; b < end; ++b) {
        float* out = build->brickValues + (size_t)b * brickSamples;
        build->wanted[b] = false;
        for (int s = 0; s < brickSamples; ++s) {
            int i = s % brickSide, j = s / brickSide % brickSide, k = s / (brickSide * brickSide);
            if (isnan(out[s])) {
                size_t owner = (size_t)ownerOf(build->grid, build->bricks[b], i, j, k);
                int there = (k % brickCells * brickSide + j % brickCells) * brickSide + i % brickCells;
                out[s] = build->brickValues[owner * brickSamples + (size_t)there];
            }
            build->wanted[b] = build->wanted[b] || fabs((double)out[s]) <= reach;
        }
    }
}

static bool anyOf(const bool* flags, int count)
{
    for (int i = 0; i < count; ++i)
        if (flags[i])
            return true;
    return false;
}

// ---- building -------------------------------------------------------------------------------------------------

static int64_t coarseCount(const DistanceGridShape* shape)
{
    return (int64_t)(shape->bricks[0] + 1) * (shape->bricks[1] + 1) * (shape->bricks[2] + 1);
}

static shStatus tooLarge(const DistanceGridShape* shape, double bytes, size_t maxBytes, shMessage* message)
{
    return fail(message, shLimit,
                "a distance grid of %d x %d x %d bricks with cells of %g m needs %.0f MB, more than the limit of "
                "%.0f MB: use larger cells or a narrower band",
                shape->bricks[0], shape->bricks[1], shape->bricks[2], (double)shape->cellSize, bytes * 0x1p-20,
                (double)maxBytes * 0x1p-20);
}

static shStatus planShape(DistanceGridShape* shape, const TriQuery* query, const DistanceGridDef* def,
                          shMessage* message)
{
    if (query->triangleCount == 0)
        return fail(message, shBadMesh, "a surface without triangles has no distance field");
    Vec3 lower = query->nodes[0].lower, upper = query->nodes[0].upper;
    if (!vFinite(lower) || !vFinite(upper))
        return fail(message, shBadMesh, "the surface is not finite");
    if (def->cells < 0 || (def->cells == 0 && !(def->cellSize > 0.0)) || !(def->band >= 0.0))
        return fail(message, shInvalid,
                    "a distance grid needs a number of cells or a cell size above 0 and a band of at least 0");
    Vec3 size = boxSize((shBox){lower, upper});
    float longest = maxF(size.x, maxF(size.y, size.z));
    float cell = def->cells > 0 ? longest / (float)def->cells : (float)def->cellSize;
    if (!(cell > FLT_MIN) || !isfinite(cell))
        return fail(message, shInvalid, "a distance grid with cells of %g m cannot be built", (double)cell);
    Vec3 corner = vMax(vMax(upper, vNeg(upper)), vMax(lower, vNeg(lower)));
    float farthest = maxF(corner.x, maxF(corner.y, corner.z));
    if (cell < DISTANCE_MIN_CELL * FLT_EPSILON * farthest)
        return fail(message, shInvalid,
                    "a distance grid with cells of %g m cannot be built %g m from the origin: move the surface there",
                    (double)cell, (double)farthest);
    double band = def->band > 0.0 ? def->band : 2.0 * (double)cell;
    double brick = (double)brickCells * (double)cell, counts[3], bytes = sizeof(float) + sizeof(int32_t);
    for (int axis = 0; axis < 3; ++axis) {
        // The band, or at least a cell, on both sides, and as much more as makes whole bricks.
        counts[axis] = floor(((double)vGet(size, axis) + 2.0 * maxD((double)cell, band)) / brick) + 1.0;
        bytes *= counts[axis] + 1.0;
    }
    if (bytes > (double)def->maxBytes || bytes > (double)INT32_MAX) {
        for (int axis = 0; axis < 3; ++axis)
            shape->bricks[axis] = (int32_t)minD(counts[axis], (double)INT32_MAX);
        shape->cellSize = cell;
        return tooLarge(shape, bytes, def->maxBytes, message);
    }
    Vec3 half = vScale(0.5f * (float)brickCells * cell, vec3((float)counts[0], (float)counts[1], (float)counts[2]));
    Vec3 center = boxCenter((shBox){lower, upper});
    *shape = (DistanceGridShape){.lower = vSub(center, half),
                                 .upper = vAdd(center, half),
                                 .cellSize = cell,
                                 .bricksPerMetre = 1.0f / ((float)brickCells * cell),
                                 .band = (float)band,
                                 .bricks = {(int32_t)counts[0], (int32_t)counts[1], (int32_t)counts[2]}};
    shBox box = {shape->lower, shape->upper};
    shape->slack = DISTANCE_LOOKUP_ROUNDING * FLT_EPSILON * (vLength(boxSize(box)) + vLength(center));
    shape->coarseSize = (int32_t)((coarseCount(shape) + 15) / 16 * 16);
    return shOk;
}

// The bricks that may reach into the band: a point is at most half a brick's diagonal from the nearest corner. Numbers
// them in the index and returns their count.
static int numberBricks(DistanceGrid* grid)
{
    const DistanceGridShape* shape = &grid->shape;
    const double reach =
        ((double)shape->band + 0.5 * sqrt(3.0) * brickCells * (double)shape->cellSize) * (1.0 + DISTANCE_ROUNDING);
    int count = 0;
    for (int z = 0, brick = 0; z < shape->bricks[2]; ++z)
        for (int y = 0; y < shape->bricks[1]; ++y)
            for (int x = 0; x < shape->bricks[0]; ++x, ++brick) {
                float nearest = INFINITY;
                for (int i = 0; i < 8; ++i)
                    nearest = minF(fabsf(grid->values[coarseStart(shape, x + (i & 1), y + (i >> 1 & 1), z + (i >> 2))]),
                                   nearest);
                grid->index[brick] = (double)nearest <= reach ? count++ : -1;
            }
    return count;
}

static void listBricks(const DistanceGrid* grid, int (*bricks)[3])
{
    const DistanceGridShape* shape = &grid->shape;
    for (int z = 0, brick = 0; z < shape->bricks[2]; ++z)
        for (int y = 0; y < shape->bricks[1]; ++y)
            for (int x = 0; x < shape->bricks[0]; ++x, ++brick) {
                int number = grid->index[brick];
                if (number >= 0)
                    bricks[number][0] = x, bricks[number][1] = y, bricks[number][2] = z;
            }
}

// Keeps the bricks that do reach into the band, in order, behind the coarse samples.
static shStatus packBricks(DistanceGrid* grid, Memory* memory, const Build* build, int count, size_t maxBytes,
                           shMessage* message)
{
    DistanceGridShape* shape = &grid->shape;
    int kept = 0;
    for (int b = 0; b < count; ++b)
        kept += build->wanted[b];
    int64_t valueCount = (int64_t)shape->coarseSize + (int64_t)kept * brickSamples;
    double bytes = (double)valueCount * sizeof(float) + (double)distanceGridIndexCount(shape) * (double)sizeof(int32_t);
    if (bytes > (double)maxBytes || valueCount > INT32_MAX)
        return tooLarge(shape, bytes, maxBytes, message);
    float* values = NEW_ARRAY(memory, float, valueCount);
    if (values == NULL)
        return failMemory(message);
    memcpy(values, grid->values, (size_t)shape->coarseSize * sizeof(float));
    FREE_ARRAY(memory, grid->values, shape->coarseSize);
    grid->values = values;
    for (int z = 0, brick = 0; z < shape->bricks[2]; ++z)
        for (int y = 0; y < shape->bricks[1]; ++y)
            for (int x = 0; x < shape->bricks[0]; ++x, ++brick)
                grid->index[brick] = coarseStart(shape, x, y, z);
    for (int b = 0; b < count; ++b) {
        if (!build->wanted[b])
            continue;
        const int* at = build->bricks[b];
        int32_t start = (int32_t)(shape->coarseSize + shape->brickCount * brickSamples);
        grid->index[(at[2] * shape->bricks[1] + at[1]) * shape->bricks[0] + at[0]] = start;
        memcpy(values + start, build->brickValues + (size_t)b * brickSamples, brickSamples * sizeof(float));
        ++shape->brickCount;
    }
    return shOk;
}

// Samples everything under one rule. `torn`: signs of neighbours with nothing in between differ.
static shStatus sampleAll(DistanceGrid* grid, shContext* context, const TriQuery* query, SignRule rule, size_t maxBytes,
                          bool* torn, shMessage* message)
{
    Memory* memory = &context->memory;
    Build build = {.grid = grid, .query = query, .rule = rule};
    const int slabCount = grid->shape.bricks[2] + 1;
    build.torn = NEW_ARRAY(memory, bool, slabCount);
    if (build.torn == NULL)
        return failMemory(message);
    parallelFor(context, slabCount, 1, fillSlab, &build);
    *torn = anyOf(build.torn, slabCount);
    FREE_ARRAY(memory, build.torn, slabCount);
    if (*torn && rule == byNormals)
        return shOk;

    const int count = numberBricks(grid);
    build.bricks = memAlloc(memory, memBytes((size_t)count, sizeof *build.bricks));
    build.torn = NEW_ARRAY(memory, bool, count);
    build.wanted = NEW_ARRAY(memory, bool, count);
    build.brickValues = NEW_ARRAY(memory, float, (int64_t)count* brickSamples);
    shStatus status = shOk;
    if (count > 0 && !(build.bricks && build.torn && build.wanted && build.brickValues)) {
        status = failMemory(message);
    } else {
        listBricks(grid, build.bricks);
        parallelFor(context, count, DISTANCE_BRICK_BLOCK, fillBricks, &build);
        parallelFor(context, count, DISTANCE_BRICK_BLOCK, finishBricks, &build);
        *torn = anyOf(build.torn, count);
        if (!*torn || rule != byNormals)
            status = packBricks(grid, memory, &build, count, maxBytes, message);
    }
    FREE_ARRAY(memory, build.brickValues, (int64_t)count * brickSamples);
    FREE_ARRAY(memory, build.wanted, count);
    FREE_ARRAY(memory, build.torn, count);
    memFree(memory, build.bricks, memBytes((size_t)count, sizeof *build.bricks));
    return status;
}

shStatus distanceGridBuild(DistanceGrid* grid, shContext* context, TriQuery* query, const DistanceGridDef* def,
                           shMessage* message)
{
    *grid = (DistanceGrid){0};
    Memory* memory = &context->memory;
    DistanceGridShape shape;
    shStatus status = planShape(&shape, query, def, message);
    if (status != shOk)
        return status;
    bool closed = query->twins != NULL;
    if (!closed) {
        status = triQueryAddNormals(query, memory, NULL);
        if (status == shOutOfMemory)
            return failMemory(message);
        closed = status == shOk;
    }
    grid->shape = shape;
    grid->index = NEW_ARRAY(memory, int32_t, distanceGridIndexCount(&shape));
    grid->values = NEW_ZEROED(memory, float, distanceGridValueCount(&shape));
    status = grid->index != NULL && grid->values != NULL ? shOk : failMemory(message);
    bool torn = true;
    if (status == shOk && closed && def->signs == distanceSignsAuto)
        status = sampleAll(grid, context, query, byNormals, def->maxBytes, &torn, message);
    if (status == shOk && torn && query->clusters == NULL && !triQueryAddWinding(query, memory))
        status = failMemory(message);
    if (status == shOk && torn)
        status = sampleAll(grid, context, query, closed ? byWindingOfClosed : byWinding, def->maxBytes, &torn, message);
    if (status != shOk)
        distanceGridFree(grid, memory);
    return status;
}

// ---- checking -------------------------------------------------------------------------------------------------

shStatus distanceGridCheckShape(const DistanceGridShape* shape, shMessage* message)
{
    double bricks = 1.0;
    for (int axis = 0; axis < 3; ++axis) {
        if (shape->bricks[axis] < 1)
            return fail(message, shBadFile, "distance grid: %d bricks along axis %d", shape->bricks[axis], axis);
        bricks *= (double)shape->bricks[axis] + 1.0;
    }
    if (bricks > INT32_MAX - 16 || shape->coarseSize != (coarseCount(shape) + 15) / 16 * 16)
        return fail(message, shBadFile, "distance grid: %d coarse values for %d x %d x %d bricks", shape->coarseSize,
                    shape->bricks[0], shape->bricks[1], shape->bricks[2]);
    if (shape->brickCount < 0 || shape->brickCount > distanceGridIndexCount(shape) ||
        distanceGridValueCount(shape) > INT32_MAX)
        return fail(message, shBadFile, "distance grid: %d bricks with samples", shape->brickCount);
    bool sane = vFinite(shape->lower) && vFinite(shape->upper) && shape->cellSize > 0.0f &&
                shape->bricksPerMetre > 0.0f && shape->band >= 0.0f && shape->slack >= 0.0f &&
                isfinite(shape->cellSize) && isfinite(shape->bricksPerMetre) && isfinite(shape->band) &&
                isfinite(shape->slack) && shape->lower.x < shape->upper.x && shape->lower.y < shape->upper.y &&
                shape->lower.z < shape->upper.z;
    return sane ? shOk : fail(message, shBadFile, "distance grid: its box, cell size or band makes no sense");
}

shStatus distanceGridCheck(const DistanceGrid* grid, shMessage* message)
{
    const DistanceGridShape* shape = &grid->shape;
    shStatus status = distanceGridCheckShape(shape, message);
    if (status != shOk)
        return status;
    const int64_t valueCount = distanceGridValueCount(shape);
    for (int z = 0, brick = 0; z < shape->bricks[2]; ++z)
        for (int y = 0; y < shape->bricks[1]; ++y)
            for (int x = 0; x < shape->bricks[0]; ++x, ++brick) {
                int32_t start = grid->index[brick];
                bool fine = start >= shape->coarseSize && start <= valueCount - brickSamples &&
                            (start - shape->coarseSize) % brickSamples == 0;
                if (!fine && start != coarseStart(shape, x, y, z))
                    return fail(message, shBadFile, "distance grid: brick %d starts at value %d of %lld", brick, start,
                                (long long)valueCount);
            }
    for (int64_t i = 0; i < valueCount; ++i)
        if (!isfinite(grid->values[i]))
            return fail(message, shBadFile, "distance grid: value %lld is not finite", (long long)i);
    return shOk;
}
