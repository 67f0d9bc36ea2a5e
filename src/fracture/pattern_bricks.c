// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Masonry. Bricks have their places in the asset, wherever it is hit. Some bricks are drawn, the likelier the nearer to
// the impact; all others go with the nearest of these, in clumps that come apart along the joints. Those right at the
// impact break in two.
#include "core/constants.h"
#include "core/message.h"
#include "core/trig.h"
#include "fracture/pattern.h"

#include <stdlib.h>

static int brickTotal(const BrickCells* cells) { return (cells->count[0] + 1) * cells->count[1] * cells->count[2]; }

static int brickAt(const BrickCells* cells, Vec3 p, Vec3* middle)
{
    int course = minI(maxI((int)floor((double)p.y / cells->size.y + BRICK_JOINT_SLACK), 0), cells->count[1] - 1);
    int layer = minI(maxI((int)floor((double)p.z / cells->size.z + BRICK_JOINT_SLACK), 0), cells->count[2] - 1);
    double shift = (course + layer) % 2 != 0 ? 0.5 : 0.0;
    int column = minI(maxI((int)floor((double)p.x / cells->size.x + shift + BRICK_JOINT_SLACK), 0), cells->count[0]);
    *middle = vFromD(
        dvec3((column + 0.5 - shift) * cells->size.x, (course + 0.5) * cells->size.y, (layer + 0.5) * cells->size.z));
    return (course * (cells->count[0] + 1) + column) * cells->count[2] + layer;
}

int bricksCell(const BrickCells* cells, Vec3 p)
{
    Vec3 middle;
    int brick = brickAt(cells, p, &middle);
    Vec3 d = vSub(p, middle), plane = cells->breaks[brick];
    return 2 * brick + (d.x > plane.x + plane.y * d.y + plane.z * d.z);
}

// Up given, lengths go along the asset's longest side across it; the origin is the asset's lowest corner.
static PatternFrame brickFrame(const Struck* struck, Vec3 up, DVec3* extent)
{
    PatternFrame frame = {.axes[1] = dNormalize(dFromV(up)), .stretch = 1.0};
    DVec3 size = dFromV(boxSize(struck->restBox));
    double longest = -1.0;
    for (int k = 0; k < 3; ++k) {
        DVec3 side = dMad(dAxis(k), -dDot(dAxis(k), frame.axes[1]), frame.axes[1]);
        double length = dGet(size, k) * dLength2(side);
        if (length > longest) {
            longest = length;
            frame.axes[0] = dNormalize(side);
        }
    }
    frame.axes[2] = dCross(frame.axes[0], frame.axes[1]);
    double lower[3], upper[3];
    for (int k = 0; k < 3; ++k) {
        lower[k] = INFINITY, upper[k] = -INFINITY;
        for (int c = 0; c < 8; ++c) {
            DVec3 corner = dvec3((double)(c & 1 ? struck->restBox.upper.x : struck->restBox.lower.x),
                                 (double)(c & 2 ? struck->restBox.upper.y : struck->restBox.lower.y),
                                 (double)(c & 4 ? struck->restBox.upper.z : struck->restBox.lower.z));
            double at = dDot(frame.axes[k], corner);
            lower[k] = minD(lower[k], at), upper[k] = maxD(upper[k], at);
        }
        frame.origin = dMad(frame.origin, lower[k], frame.axes[k]);
    }
    *extent = dvec3(upper[0] - lower[0], upper[1] - lower[1], upper[2] - lower[2]);
    return frame;
}

// Whole bricks along height and depth, whole or half ones along the length.
static shStatus fitBricks(BrickCells* cells, DVec3 size, DVec3 extent, shMessage* message)
{
    double halves = maxD(floor(2.0 * extent.x / size.x + 0.5), 1.0);
    double courses = maxD(floor(extent.y / size.y + 0.5), 1.0);
    double layers = maxD(floor(extent.z / size.z + 0.5), 1.0);
    if (!((0.5 * halves + 2.0) * courses * layers < MAX_BRICKS))
        return fail(message, shLimit, "pattern: bricks of %g x %g x %g m are more than %d; make them larger", size.x,
                    size.y, size.z, MAX_BRICKS);
    cells->size = dvec3(2.0 * extent.x / halves, extent.y / courses, extent.z / layers);
    cells->count[0] = (int)ceil(0.5 * halves);
    cells->count[1] = (int)courses;
    cells->count[2] = (int)layers;
    return shOk;
}

static const double never = (double)INFINITY; // rank of bricks out of reach

typedef struct Brick {
    double rank; // lower is sooner drawn
    Vec3 middle;
    int index;
} Brick;

static int compareBricks(const void* a, const void* b)
{
    const Brick *s = a, *t = b;
    if (s->rank != t->rank)
        return s->rank < t->rank ? -1 : 1;
    return s->index - t->index;
}

// Drawing without putting back, by weights that fall with the third power of the distance.
static double brickRank(const shPattern* pattern, int brick, double distance)
{
    Random random = randomSeedItem(pattern->seed, (uint64_t)brick);
    return -trigLog(1.0 - randomDouble(&random)) * distance * distance * distance;
}

// Bricks of the piece; `labels` serves as a mark.
static int listBricks(BrickCells* cells, const Struck* struck, const PatternFrame* frame, const shPattern* pattern,
                      Brick* bricks)
{
    Vec3 impact = frameApply(frame, struck->point);
    double reach = 0.0;
    int count = 0;
    for (int i = 0; i < struck->nodeCount; ++i) {
        Brick brick;
        brick.index = brickAt(cells, frameApply(frame, struckPlace(struck, i)), &brick.middle);
        if (cells->labels[2 * brick.index] != 0)
            continue;
        cells->labels[2 * brick.index] = 1;
        reach = maxD(reach, (double)vDistance(brick.middle, impact));
        bricks[count++] = brick;
    }
    double core = CLUSTER_CORE * reach * (double)struck->scale;
    for (int b = 0; b < count; ++b) {
        double distance = (double)vDistance(bricks[b].middle, impact);
        bool reached = struck->radius == 0.0f || distance < (double)struck->radius;
        bricks[b].rank = reached ? brickRank(pattern, bricks[b].index, distance + core) : never;
    }
    qsort(bricks, (size_t)count, sizeof(Brick), compareBricks);
    return count;
}

static void splitBrick(BrickCells* cells, const shPattern* pattern, int brick)
{
    Random random = randomSeedItem(~pattern->seed, (uint64_t)brick);
    float offset = BRICK_BREAK_OFFSET * (float)cells->size.x;
    Vec3* plane = &cells->breaks[brick];
    plane->x = randomRange(&random, -offset, offset);
    plane->y = randomRange(&random, -BRICK_BREAK_SLOPE, BRICK_BREAK_SLOPE);
    plane->z = randomRange(&random, -BRICK_BREAK_SLOPE, BRICK_BREAK_SLOPE);
    cells->labels[2 * brick + 1] = 1 + brickTotal(cells) + brick;
}

static bool labelBricks(BrickCells* cells, const Struck* struck, const PatternFrame* frame, const shPattern* pattern,
                        const Brick* bricks, int count)
{
    int drawn = 0;
    while (drawn < minI(count, pattern->pieces) && bricks[drawn].rank < never)
        ++drawn;
    SiteCells sites;
    Vec3* middles = NEW_ARRAY(struck->memory, Vec3, maxI(drawn, 1));
    for (int b = 0; middles != NULL && b < drawn; ++b)
        middles[b] = bricks[b].middle;
    bool enough = middles != NULL && sitesOf(&sites, struck->memory, middles, NULL, drawn);
    FREE_ARRAY(struck->memory, middles, maxI(drawn, 1));
    if (!enough)
        return false;
    Vec3 impact = frameApply(frame, struck->point);
    for (int b = 0; b < count; ++b) {
        int brick = bricks[b].index;
        bool reached = bricks[b].rank < never;
        int label = reached ? 1 + sitesNearest(&sites, bricks[b].middle) : 0;
        cells->labels[2 * brick] = cells->labels[2 * brick + 1] = label;
        if (reached && pattern->pieces > 1 &&
            (double)vDistance(bricks[b].middle, impact) < BRICK_SPLIT * (double)struck->scale * cells->size.x)
            splitBrick(cells, pattern, brick);
    }
    sitesFree(&sites, struck->memory);
    return true;
}

shStatus bricksMake(BrickCells* cells, const Struck* struck, PatternFrame* frame, const shPattern* pattern,
                    shMessage* message)
{
    *cells = (BrickCells){0};
    DVec3 extent, size = dFromV(pattern->brick);
    *frame = brickFrame(struck, pattern->grain, &extent);
    if (size.x == 0.0) {
        double larger = maxD(1.0, BRICK_MIN_NODES * (double)struck->spacing / BRICK_HEIGHT);
        size = dScale(larger, dvec3(BRICK_LENGTH, BRICK_HEIGHT, BRICK_DEPTH));
    }
    shStatus status = fitBricks(cells, size, extent, message);
    if (status != shOk)
        return status;
    int total = brickTotal(cells), room = minI(total, struck->nodeCount);
    cells->labels = NEW_ZEROED(struck->memory, int, 2 * total);
    cells->breaks = NEW_ZEROED(struck->memory, Vec3, total);
    Brick* bricks = NEW_ARRAY(struck->memory, Brick, room);
    bool enough = cells->labels != NULL && cells->breaks != NULL && bricks != NULL;
    if (enough) {
        int count = listBricks(cells, struck, frame, pattern, bricks);
        enough = labelBricks(cells, struck, frame, pattern, bricks, count);
    }
    FREE_ARRAY(struck->memory, bricks, room);
    if (enough)
        return shOk;
    bricksFree(cells, struck->memory);
    return failMemory(message);
}

void bricksFree(BrickCells* cells, Memory* memory)
{
    FREE_ARRAY(memory, cells->labels, 2 * brickTotal(cells));
    FREE_ARRAY(memory, cells->breaks, brickTotal(cells));
    *cells = (BrickCells){0};
}
