// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The hierarchy, level by level from the top: ranges of spheres are clustered into up to four groups, each of which is
// a child with the smallest sphere around its own spheres. Large ranges are clustered by all workers together, small
// ones side by side.
#include "core/constants.h"
#include "core/enclosing_ball.h"
#include "core/message.h"
#include "core/random.h"
#include "core/rounding.h"
#include "core/trig.h"
#include "tree/inner_grid.h"
#include "tree/inner_tree.h"

#include <float.h>
#include <string.h>

// A node to make: spheres order[begin] … before order[end], more than one of them (but for a tree of one sphere).
typedef struct Range {
    int begin, end, node, depth;
    int ends[innerArity]; // of the children's ranges, after clustering
    Ball balls[innerArity];
    float volumeRadii[innerArity];
} Range;

typedef struct Build {
    shContext* context;
    const InnerSphere* spheres; // of the packing
    const InnerBuildDef* def;
    InnerTree* tree;
    int *order, *scratch; // [sphereCount]
    uint8_t* groups;      // [sphereCount]
    Range *ranges, *below;
    int rangeCount, belowCount;
    bool together; // this pass: ranges one by one, by all workers
} Build;

// ---- spheres around spheres -----------------------------------------------------------------------------------------

typedef struct Listed {
    const InnerSphere* spheres;
    const int* order;
} Listed;

static Ball listedAt(const void* balls, int i)
{
    const Listed* listed = balls;
    const InnerSphere* sphere = &listed->spheres[listed->order[i]];
    return (Ball){dFromV(innerCentre(sphere)), (double)sphere->radius};
}

// The centre is rounded to float first; then radii are taken from there, and rounded up.
static Ball aroundSpheres(const Build* build, int begin, int end, float* volumeRadius)
{
    const int* order = build->order + begin;
    Listed listed = {build->spheres, order};
    int count = end - begin;
    Ball ball = enclosingBall(listedAt, &listed, count);
    ball.centre = dFromV(vRounded(ball.centre));
    ball.radius = 0.0;
    double most = 0.0;
    for (int i = 0; i < count; ++i) {
        const InnerSphere* sphere = &build->spheres[order[i]];
        double distance = dDistance(ball.centre, dFromV(innerCentre(sphere)));
        ball.radius = maxD(ball.radius, distance + (double)sphere->radius);
        most = maxD(most, distance + (double)maxF(sphere->radius, sphere->volumeRadius));
    }
    ball.radius = (double)roundedUp(ball.radius * (1.0 + BALL_ROUNDING));
    *volumeRadius = roundedUp(most * (1.0 + BALL_ROUNDING));
    return ball;
}

// ---- dividing -------------------------------------------------------------------------------------------------------

// Four groups of equal numbers, where clustering has left all in one: spheres with one centre, as good as.
static void quarter(uint8_t* groups, int count)
{
    for (int i = 0; i < count; ++i)
        groups[i] = (uint8_t)((int64_t)i * innerArity / count);
}

// Groups 2 and 3 against 0 and 1 by the longest side of the box, and each half by its own.
static void halveTwice(const Build* build, const int* order, uint8_t* groups, int count)
{
    memset(groups, 0, (size_t)count);
    for (int step = 2; step > 0; --step)
        for (int half = 0; half < 4; half += 2 * step) {
            shBox box = boxEmpty();
            for (int i = 0; i < count; ++i)
                if (groups[i] == half)
                    box = boxAdd(box, innerCentre(&build->spheres[order[i]]));
            int axis = dLargestAxis(dFromV(boxSize(box)));
            float middle = vGet(boxCenter(box), axis);
            for (int i = 0; i < count; ++i)
                if (groups[i] == half && vGet(innerCentre(&build->spheres[order[i]]), axis) > middle)
                    groups[i] = (uint8_t)(half + step);
        }
}

static bool inOneGroup(const uint8_t* groups, int count)
{
    for (int i = 1; i < count; ++i)
        if (groups[i] != groups[0])
            return false;
    return true;
}

static void divide(const Build* build, Range* range)
{
    int count = range->end - range->begin, *order = build->order + range->begin;
    uint8_t* groups = build->groups + range->begin;
    if (count <= innerArity) {
        for (int i = 0; i < count; ++i)
            groups[i] = (uint8_t)i;
    } else if (range->depth >= INNER_GAS_DEPTH) {
        quarter(groups, count);
    } else if (build->def->quick) {
        halveTwice(build, order, groups, count);
        if (inOneGroup(groups, count))
            quarter(groups, count);
    } else {
        Random random = randomSeedItem(build->def->seed, (uint64_t)range->node);
        InnerGas gas = {build->spheres,
                        order,
                        count,
                        randomBits(&random),
                        build->def->unweighted,
                        build->together ? build->context : NULL};
        DVec3 prototypes[4];
        innerCluster(&gas, prototypes, groups);
        if (inOneGroup(groups, count))
            quarter(groups, count);
    }
    int* sorted = build->scratch + range->begin;
    int at = 0;
    for (int g = 0; g < innerArity; ++g) {
        for (int i = 0; i < count; ++i)
            if (groups[i] == g)
                sorted[at++] = order[i];
        range->ends[g] = range->begin + at;
    }
    memcpy(order, sorted, sizeof(int) * (size_t)count);
    for (int g = 0, begin = range->begin; g < innerArity; begin = range->ends[g++])
        if (range->ends[g] > begin)
            range->balls[g] = aroundSpheres(build, begin, range->ends[g], &range->volumeRadii[g]);
}

static void divideSome(int begin, int end, int worker, void* arg)
{
    (void)worker;
    const Build* build = arg;
    for (int i = begin; i < end; ++i)
        if (build->ranges[i].end - build->ranges[i].begin <= INNER_GAS_ALONE)
            divide(build, &build->ranges[i]);
}

static void setNoChild(InnerNode* node, int lane)
{
    node->x[lane] = node->y[lane] = node->z[lane] = INNER_FAR;
    node->radius[lane] = node->volumeRadius[lane] = node->volume[lane] = 0.0f;
    node->child[lane] = innerNoChild;
    node->first[lane] = 0;
}

// Children of one spot in the list of their own; empty groups come last.
static void makeNode(Build* build, const Range* range)
{
    InnerTree* tree = build->tree;
    InnerNode* node = &tree->nodes[range->node];
    int lane = 0;
    for (int g = 0, begin = range->begin; g < innerArity; begin = range->ends[g++]) {
        int end = range->ends[g];
        if (end == begin)
            continue;
        node->x[lane] = (float)range->balls[g].centre.x;
        node->y[lane] = (float)range->balls[g].centre.y;
        node->z[lane] = (float)range->balls[g].centre.z;
        node->radius[lane] = (float)range->balls[g].radius;
        node->volumeRadius[lane] = range->volumeRadii[g];
        node->first[lane] = begin;
        if (end - begin == 1) {
            const InnerSphere* sphere = &build->spheres[build->order[begin]];
            node->x[lane] = sphere->x, node->y[lane] = sphere->y, node->z[lane] = sphere->z;
            node->radius[lane] = sphere->radius;
            node->volumeRadius[lane] = sphere->volumeRadius;
            node->child[lane] = ~begin;
        } else {
            node->child[lane] = tree->nodeCount;
            build->below[build->belowCount++] =
                (Range){.begin = begin, .end = end, .node = tree->nodeCount++, .depth = range->depth + 1};
        }
        ++lane;
    }
    for (; lane < innerArity; ++lane)
        setNoChild(node, lane);
}

static void divideAll(Build* build)
{
    build->ranges[0] = (Range){.begin = 0, .end = build->tree->sphereCount, .node = 0};
    build->rangeCount = build->tree->nodeCount = 1;
    while (build->rangeCount > 0) {
        build->together = true;
        for (int i = 0; i < build->rangeCount; ++i)
            if (build->ranges[i].end - build->ranges[i].begin > INNER_GAS_ALONE)
                divide(build, &build->ranges[i]);
        build->together = false;
        parallelFor(build->context, build->rangeCount, INNER_RANGE_BLOCK, divideSome, build);
        build->belowCount = 0;
        for (int i = 0; i < build->rangeCount; ++i)
            makeNode(build, &build->ranges[i]);
        Range* done = build->ranges;
        build->ranges = build->below;
        build->below = done;
        build->rangeCount = build->belowCount;
    }
}

// ---- what follows ---------------------------------------------------------------------------------------------------

// Volumes of all nodes, from below.
static void sumVolumes(InnerTree* tree)
{
    for (int n = tree->nodeCount - 1; n >= 0; --n) {
        InnerNode* node = &tree->nodes[n];
        for (int lane = 0; lane < innerArity; ++lane) {
            int child = node->child[lane];
            if (child == innerNoChild)
                continue;
            double volume = 0.0;
            if (child < 0) {
                double radius = (double)tree->spheres[~child].volumeRadius;
                volume = 4.0 / 3.0 * TRIG_PI * radius * radius * radius;
            } else {
                for (int k = 0; k < innerArity; ++k)
                    volume += (double)tree->nodes[child].volume[k];
            }
            node->volume[lane] = (float)volume;
        }
    }
}

typedef struct Counting {
    const InnerTree* tree;
    const InnerGrid* grid;
    int* counts;
} Counting;

// How many volume spheres can share a point: in the smallest of them, the others are not smaller and meet it.
static void countNeighbours(int begin, int end, int worker, void* arg)
{
    (void)worker;
    const Counting* counting = arg;
    const InnerSphere* spheres = counting->tree->spheres;
    for (int i = begin; i < end; ++i) {
        int found[INNER_NEIGHBOURS];
        const InnerSphere* mine = &spheres[i];
        DVec3 p = dFromV(innerCentre(mine));
        int count =
            innerGridNear(counting->grid, spheres, p, (double)mine->radius, mine->radius, found, INNER_NEIGHBOURS);
        int met = 1;
        for (int k = 0; k < minI(count, INNER_NEIGHBOURS); ++k) // of equals, those that come before
            met += spheres[found[k]].radius > mine->radius || found[k] < i;
        counting->counts[i] = count <= INNER_NEIGHBOURS ? met : count;
    }
}

// Over copies whose radius is the volume radius.
static bool countMultiplicity(InnerTree* tree, shContext* context)
{
    Memory* memory = &context->memory;
    int count = tree->sphereCount;
    InnerTree copy = {.sphereCount = count, .spheres = NEW_ARRAY(memory, InnerSphere, count)};
    int* counts = NEW_ARRAY(memory, int, count);
    InnerGrid grid = {0};
    bool fits = copy.spheres != NULL && counts != NULL;
    DVec3 centre = {(double)tree->record.x, (double)tree->record.y, (double)tree->record.z};
    double radius = (double)tree->record.volumeRadius, least = radius;
    for (int i = 0; i < count && fits; ++i) {
        copy.spheres[i] = tree->spheres[i];
        copy.spheres[i].radius = tree->spheres[i].volumeRadius;
        least = minD(least, (double)tree->spheres[i].volumeRadius);
    }
    DVec3 reach = {radius, radius, radius};
    double base = maxD(least, radius / INNER_COUNT_CELLS);
    fits = fits && innerGridInit(&grid, memory, dSub(centre, reach), dAdd(centre, reach), base, count);
    for (int i = 0; i < count && fits; ++i)
        fits = innerGridAdd(&grid, memory, copy.spheres, i);
    if (fits) {
        Counting counting = {&copy, &grid, counts};
        parallelFor(context, count, INNER_COUNT_BLOCK, countNeighbours, &counting);
        for (int i = 0; i < count; ++i)
            tree->record.multiplicity = maxI(tree->record.multiplicity, counts[i]);
    }
    innerGridFree(&grid, memory);
    FREE_ARRAY(memory, counts, count);
    FREE_ARRAY(memory, copy.spheres, count);
    return fits;
}

static void fillRecord(const Build* build, const InnerPacking* packing)
{
    InnerTree* tree = build->tree;
    InnerRecord* record = &tree->record;
    Ball ball = aroundSpheres(build, 0, tree->sphereCount, &record->volumeRadius);
    Vec3 centre = vFromD(ball.centre);
    record->x = centre.x, record->y = centre.y, record->z = centre.z;
    record->radius = (float)ball.radius;
    record->slack = INNER_SLACK * (vLength(centre) + record->volumeRadius);
    record->voxel = packing->voxel;
    record->volume = packing->volume;
    record->covered = packing->covered;
    record->voxelCount = packing->voxelCount;
}

bool innerTreeBuild(InnerTree* tree, shContext* context, const InnerPacking* packing, const InnerBuildDef* def)
{
    Memory* memory = &context->memory;
    int count = packing->count;
    *tree = (InnerTree){.sphereCount = count};
    // Every node but the root of a single sphere has two children or more.
    int most = maxI(1, count - 1);
    InnerNode* nodes = NEW_ARRAY(memory, InnerNode, most);
    Build build = {.context = context,
                   .spheres = packing->spheres,
                   .def = def,
                   .tree = tree,
                   .order = NEW_ARRAY(memory, int, count),
                   .scratch = NEW_ARRAY(memory, int, count),
                   .groups = NEW_ARRAY(memory, uint8_t, count),
                   .ranges = NEW_ARRAY(memory, Range, most),
                   .below = NEW_ARRAY(memory, Range, most)};
    tree->spheres = NEW_ARRAY(memory, InnerSphere, count);
    bool fits = nodes != NULL && build.order != NULL && build.scratch != NULL && build.groups != NULL &&
                build.ranges != NULL && build.below != NULL && tree->spheres != NULL;
    if (fits) {
        for (int i = 0; i < count; ++i)
            build.order[i] = i;
        tree->nodes = nodes;
        divideAll(&build);
        for (int i = 0; i < count; ++i)
            tree->spheres[i] = packing->spheres[build.order[i]];
        fillRecord(&build, packing);
        sumVolumes(tree);
        tree->nodes = NEW_ARRAY(memory, InnerNode, tree->nodeCount);
        fits = tree->nodes != NULL;
        if (fits)
            memcpy(tree->nodes, nodes, sizeof *nodes * (size_t)tree->nodeCount);
        fits = fits && countMultiplicity(tree, context);
    }
    FREE_ARRAY(memory, nodes, most);
    FREE_ARRAY(memory, build.below, most);
    FREE_ARRAY(memory, build.ranges, most);
    FREE_ARRAY(memory, build.groups, count);
    FREE_ARRAY(memory, build.scratch, count);
    FREE_ARRAY(memory, build.order, count);
    if (!fits)
        innerTreeFree(tree, memory);
    return fits;
}

void innerTreeFree(InnerTree* tree, Memory* memory)
{
    FREE_ARRAY(memory, tree->spheres, tree->sphereCount);
    FREE_ARRAY(memory, tree->nodes, tree->nodeCount);
    *tree = (InnerTree){0};
}

size_t innerTreeBytes(const InnerTree* tree)
{
    return sizeof(InnerSphere) * (size_t)tree->sphereCount + sizeof(InnerNode) * (size_t)tree->nodeCount;
}
