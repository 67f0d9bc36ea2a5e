// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Placing a pattern at an impact and breaking along it: every node gets the label of its cell, every edge between two
// labels is cut where it leaves the first cell.
#include "fracture/pattern.h"

#include "core/closest.h"
#include "core/constants.h"
#include "core/message.h"
#include "core/trig.h"
#include "fracture/voronoi_crack.h"
#include "solid/solid.h"

#define PATTERN_COOKIE 0x70617474u
#define IMPACT_COOKIE 0x696d7061u

typedef struct PatternTraits {
    const char* name;
    double crowding; // of sites
    float rough, aspect;
} PatternTraits;

static const PatternTraits traits[shRegionPattern + 1] = {
    [shRadialPattern] = {"radial", 0.0, 0.1f, 1.0f},       [shUniformPattern] = {"uniform", 0.0, 0.2f, 1.0f},
    [shClusteredPattern] = {"clustered", 3.0, 0.2f, 1.0f}, [shSlabPattern] = {"slabs", 0.0, 0.05f, 5.0f},
    [shSplinterPattern] = {"splinters", 1.5, 0.05f, 8.0f}, [shBrickPattern] = {"bricks", 3.0, 0.0f, 1.0f},
    [shRegionPattern] = {"regions", 0.0, 0.0f, 1.0f},
};

static bool knownType(shPatternType type)
{
    return (int)type >= 0 && type <= shRegionPattern && traits[type].name != NULL;
}

const char* shPatternName(shPatternType type) { return knownType(type) ? traits[type].name : NULL; }

shPattern shDefaultPattern(shPatternType type)
{
    shPattern pattern = {.type = type, .seed = 1, .pieces = 20, .aspect = 1.0f, .cookie = PATTERN_COOKIE};
    if (knownType(type)) {
        pattern.rough = traits[type].rough;
        pattern.aspect = traits[type].aspect;
    }
    if (type == shRegionPattern)
        pattern.seed = 0;
    return pattern;
}

shImpact shDefaultImpact(shVec3 point) { return (shImpact){.point = point, .scale = 1.0f, .cookie = IMPACT_COOKIE}; }

// ---- checks ---------------------------------------------------------------------------------------------------------

static bool within(float x, float lower, float upper) { return x >= lower && x <= upper; } // no NaN

static bool isZero(Vec3 a) { return a.x == 0.0f && a.y == 0.0f && a.z == 0.0f; }

static shStatus checkPattern(const shPattern* pattern, shMessage* message)
{
    if (pattern == NULL || pattern->cookie != PATTERN_COOKIE)
        return fail(message, shInvalid, "pattern: not filled by shDefaultPattern");
    if (!knownType(pattern->type))
        return fail(message, shInvalid, "pattern: there is no type %d", (int)pattern->type);
    if (pattern->type == shRegionPattern && pattern->regions == NULL)
        return fail(message, shInvalid, "pattern: of regions, but there are none");
    if (pattern->pieces < 1 || pattern->pieces > SH_MAX_PATTERN_PIECES)
        return fail(message, shInvalid, "pattern: %d pieces; give 1 to %d", pattern->pieces, SH_MAX_PATTERN_PIECES);
    if (!within(pattern->rough, 0.0f, 1.0f))
        return fail(message, shInvalid, "pattern: roughness %g is not between 0 and 1", (double)pattern->rough);
    if (!within(pattern->aspect, 1.0f, 100.0f))
        return fail(message, shInvalid, "pattern: aspect %g is not between 1 and 100", (double)pattern->aspect);
    if (!vFinite(pattern->grain))
        return fail(message, shInvalid, "pattern: the grain is not finite");
    Vec3 b = pattern->brick;
    if (!isZero(b) && !(vFinite(b) && b.x > 0.0f && b.y > 0.0f && b.z > 0.0f))
        return fail(message, shInvalid, "pattern: a brick of %g x %g x %g m; all three must be positive, or all zero",
                    (double)b.x, (double)b.y, (double)b.z);
    if (!within(pattern->smallest, 0.0f, INFINITY))
        return fail(message, shInvalid, "pattern: smallest volume %g m³ is negative or not a number",
                    (double)pattern->smallest);
    return shOk;
}

shStatus impactCheck(const shImpact* impact, shMessage* message)
{
    if (impact == NULL || impact->cookie != IMPACT_COOKIE)
        return fail(message, shInvalid, "impact: not filled by shDefaultImpact");
    Vec3 p = impact->point;
    if (!(maxF(maxF(fabsf(p.x), fabsf(p.y)), fabsf(p.z)) <= MAX_COORDINATE) || !vFinite(p))
        return fail(message, shInvalid, "impact: the point %g, %g, %g is not finite or farther than %g m away",
                    (double)p.x, (double)p.y, (double)p.z, (double)MAX_COORDINATE);
    if (!vFinite(impact->direction))
        return fail(message, shInvalid, "impact: the direction is not finite");
    if (!(isfinite(impact->scale) && impact->scale > 0.0f))
        return fail(message, shInvalid, "impact: scale %g is not a positive number", (double)impact->scale);
    if (!(isfinite(impact->radius) && impact->radius >= 0.0f))
        return fail(message, shInvalid, "impact: radius %g m is negative or not finite; 0 breaks everything",
                    (double)impact->radius);
    return shOk;
}

// ---- what is hit ----------------------------------------------------------------------------------------------------

typedef struct Nearest {
    Vec3 p, point, normal;
    float distance2;
} Nearest;

static void visitNearest(const Vec3 corner[3], int source, void* user)
{
    (void)source;
    Nearest* nearest = user;
    Vec3 point = closestOnTriangle(nearest->p, corner[0], corner[1], corner[2]);
    float distance2 = vDistance2(nearest->p, point);
    if (!(distance2 < nearest->distance2))
        return;
    Vec3 normal = vNormalize(vCross(vSub(corner[1], corner[0]), vSub(corner[2], corner[0])));
    if (!isZero(normal)) {
        nearest->distance2 = distance2;
        nearest->point = point;
        nearest->normal = normal;
    }
}

static Nearest nearestOf(const FragmentField* field, int piece, Vec3 p)
{
    Nearest nearest = {.p = p, .point = p, .normal = {0.0f, 1.0f, 0.0f}, .distance2 = INFINITY};
    fieldSurface(field, piece, visitNearest, &nearest);
    return nearest;
}

void impactPlace(const FragmentField* field, int piece, const shImpact* impact, Vec3* point, Vec3* direction)
{
    *point = impact->point;
    *direction = vFromD(dNormalize(dFromV(impact->direction)));
    bool off = fieldOwner(field, impact->point) != piece;
    if (!off && !isZero(*direction))
        return;
    Nearest nearest = nearestOf(field, piece, impact->point);
    if (off)
        *point = nearest.point;
    if (isZero(*direction))
        *direction = vNeg(nearest.normal);
}

int shSolid_FindPiece(const shSolid* solid, shVec3 point)
{
    int owner = fieldOwner(&solid->field, point);
    if (owner >= 0)
        return owner;
    float best = INFINITY;
    for (int p = 0; p < fieldPieceCount(&solid->field); ++p) {
        if (!fieldHasPiece(&solid->field, p))
            continue;
        float distance2 = nearestOf(&solid->field, p, point).distance2;
        if (owner < 0 || distance2 < best) {
            best = distance2;
            owner = p;
        }
    }
    return owner;
}

// Mean length of edges, at some of the nodes.
static double meanEdge(const Struck* struck)
{
    const TetTopology* topology = struck->field->rest->topology;
    double sum = 0.0;
    int count = 0, stride = 1 + struck->nodeCount / SPACING_NODES;
    for (int i = 0; i < struck->nodeCount; i += stride) {
        int node = struckNode(struck, i);
        Vec3 p = struck->field->rest->mesh->nodes[node];
        for (int k = topology->nodeEdgeStart[node]; k < topology->nodeEdgeStart[node + 1]; ++k, ++count)
            sum += (double)vDistance(p, struck->field->rest->mesh->nodes[topology->nodeOthers[k]]);
    }
    return sum / count;
}

// `volumes` has room for all nodes.
static Struck aim(const shSolid* solid, int piece, const shImpact* impact, double* volumes)
{
    const FragmentField* field = &solid->field;
    Struck struck = {.field = field,
                     .memory = field->memory,
                     .piece = piece,
                     .nodeCount = field->rest->mesh->nodeCount,
                     .volumes = volumes,
                     .scale = impact->scale,
                     .radius = impact->radius,
                     .restBox = solid->asset->box};
    if (field->labels != NULL) {
        struck.nodeCount = field->pieces.data[piece].count;
        struck.nodes = field->nodeOrder + field->pieces.data[piece].first;
    }
    impactPlace(field, piece, impact, &struck.point, &struck.direction);
    for (int i = 0; i < struck.nodeCount; ++i)
        struck.volume += volumes[i] = field->rest->nodeVolumes[struckNode(&struck, i)];
    struck.spacing = (float)meanEdge(&struck);
    return struck;
}

// ---- placing --------------------------------------------------------------------------------------------------------

typedef struct PlacedPattern {
    shPattern pattern; // with a grain, but for regions
    PatternFrame frame;
    SiteCells sites;
    RadialCells radial;
    BrickCells bricks;
    RegionCells regions;
    const RestField* rest;
    Vec3* places; // [nodeCount] of nodes in the pattern's space
    int* cells;   // [nodeCount]
} PlacedPattern;

PatternFrame frameAlong(Vec3 origin, Vec3 axis, double stretch)
{
    PatternFrame frame = {.origin = dFromV(origin), .axes[2] = dNormalize(dFromV(axis)), .stretch = stretch};
    frame.axes[0] = dPerpendicular(frame.axes[2]);
    frame.axes[1] = dCross(frame.axes[2], frame.axes[0]);
    return frame;
}

static Vec3 grainOf(const shPattern* pattern, shBox box)
{
    if (!isZero(pattern->grain) || pattern->type == shRegionPattern)
        return pattern->grain;
    int axis = pattern->type == shSplinterPattern ? dLargestAxis(dFromV(boxSize(box))) : 1;
    return vFromD(dAxis(axis));
}

static shStatus placePattern(PlacedPattern* placed, const Struck* struck, shMessage* message)
{
    shPattern* pattern = &placed->pattern;
    double aspect = (double)pattern->aspect;
    bool enough = true;
    pattern->grain = grainOf(pattern, struck->restBox);
    switch (pattern->type) {
    case shBrickPattern:
        return bricksMake(&placed->bricks, struck, &placed->frame, pattern, message);
    case shRegionPattern:
        placed->regions = (RegionCells){.regions = pattern->regions, .aligned = pattern->aligned};
        placed->frame = regionFrame(pattern->regions->record, struck, pattern);
        pattern->pieces = pattern->regions->record->regionCount; // for the size of what is rough
        break;
    case shRadialPattern:
        placed->frame = frameAlong(struck->point, struck->direction, 1.0);
        enough = radialMake(&placed->radial, struck, &placed->frame, pattern);
        break;
    default:
        placed->frame = frameAlong(struck->point, pattern->grain,
                                   pattern->type == shSlabPattern       ? aspect
                                   : pattern->type == shSplinterPattern ? 1.0 / aspect
                                                                        : 1.0);
        enough = sitesMake(&placed->sites, struck, &placed->frame, pattern, traits[pattern->type].crowding);
    }
    return enough ? shOk : failMemory(message);
}

static int cellAt(PlacedPattern* placed, Vec3 p)
{
    switch (placed->pattern.type) {
    case shRadialPattern:
        return radialCell(&placed->radial, p);
    case shBrickPattern:
        return bricksCell(&placed->bricks, p);
    case shRegionPattern:
        return regionCell(&placed->regions, p);
    default:
        return sitesNearest(&placed->sites, p);
    }
}

static int labelOf(const PlacedPattern* placed, int cell)
{
    switch (placed->pattern.type) {
    case shRadialPattern:
        return radialLabel(&placed->radial, cell);
    case shBrickPattern:
        return placed->bricks.labels[cell];
    case shRegionPattern:
        return placed->regions.reached == NULL || placed->regions.reached[cell] ? 1 + cell : 0;
    default:
        return placed->sites.reached[cell] ? 1 + cell : 0;
    }
}

// A node's place in sizes of a piece, from the impact.
static Vec3 roughPlace(const Struck* struck, float size, int i)
{
    return vScale(1.0f / size, vSub(struckPlace(struck, i), struck->point));
}

// Places of all nodes of the piece, bent by noise of the size of a piece, less near the impact.
static bool placeNodes(PlacedPattern* placed, const Struck* struck)
{
    double ball = 4.0 / 3.0 * TRIG_PI * trigPow((double)struck->radius, 3.0);
    double volume = struck->radius > 0.0f ? minD(ball, struck->volume) : struck->volume;
    float size = maxF((float)trigCbrt(volume / placed->pattern.pieces), ROUGH_FINEST * struck->spacing);
    Noise coarse = {.seed = placed->pattern.seed}, fine = {.seed = placed->pattern.seed};
    bool enough = true;
    if (placed->pattern.rough > 0.0f) {
        shBox box = boxEmpty();
        for (int i = 0; i < struck->nodeCount; ++i)
            box = boxAdd(box, roughPlace(struck, size, i));
        shBox twice = {vScale(2.0f, box.lower), vScale(2.0f, box.upper)};
        enough = noiseTable(&coarse, struck->memory, box, struck->nodeCount) &&
                 noiseTable(&fine, struck->memory, twice, struck->nodeCount);
    }
    for (int i = 0; i < struck->nodeCount && enough; ++i) {
        Vec3 p = struckPlace(struck, i);
        if (placed->pattern.rough > 0.0f) {
            Vec3 at = roughPlace(struck, size, i);
            Vec3 bend = vMad(smoothNoise(&coarse, at), 0.5f, smoothNoise(&fine, vScale(2.0f, at)));
            p = vMad(p, placed->pattern.rough * size * minF(1.0f, vLength(at)), bend);
        }
        placed->places[struckNode(struck, i)] = frameApply(&placed->frame, p);
    }
    noiseFree(&coarse, struck->memory);
    noiseFree(&fine, struck->memory);
    return enough;
}

// Where the edge leaves the cell of its first end.
static float patternCut(int edge, void* user)
{
    PlacedPattern* placed = user;
    const int* ends = placed->rest->topology->edges[edge];
    Vec3 a = placed->places[ends[0]], b = placed->places[ends[1]];
    const Vec3* sites = placed->sites.sites;
    if (placed->sites.count > 0)
        return bisectorCut(a, b, sites[placed->cells[ends[0]]], sites[placed->cells[ends[1]]]);
    int label = labelOf(placed, placed->cells[ends[0]]);
    bool smooth = placed->pattern.type == shRegionPattern && !placed->pattern.aligned;
    if (smooth && label != 0 && labelOf(placed, placed->cells[ends[1]]) != 0)
        return regionCut(&placed->regions, a, b, placed->cells[ends[0]]);
    float inside = 0.0f, outside = 1.0f;
    for (int step = 0; step < WALL_STEPS; ++step) {
        float middle = 0.5f * (inside + outside);
        if (labelOf(placed, cellAt(placed, vLerp(a, b, middle))) == label)
            inside = middle;
        else
            outside = middle;
    }
    return 0.5f * (inside + outside);
}

// ---- breaking -------------------------------------------------------------------------------------------------------

static shStatus breakAlong(shSolid* solid, PlacedPattern* placed, const Struck* struck, int* labels, shBreak* result,
                           shMessage* message)
{
    shStatus status = placePattern(placed, struck, message);
    if (status != shOk)
        return status;
    if (!placeNodes(placed, struck))
        return failMemory(message);
    for (int i = 0; i < struck->nodeCount; ++i) {
        int node = struckNode(struck, i);
        placed->cells[node] = cellAt(placed, placed->places[node]);
    }
    if (placed->pattern.type == shRegionPattern && struck->radius > 0.0f &&
        !regionReach(&placed->regions, struck, placed->cells))
        return failMemory(message);
    for (int i = 0; i < struck->nodeCount; ++i) {
        int node = struckNode(struck, i);
        labels[node] = labelOf(placed, placed->cells[node]);
    }
    double smallest = (double)placed->pattern.smallest;
    if (smallest == 0.0)
        smallest = CRUMB_NODES * struck->volume / struck->nodeCount;
    if (!joinCrumbs(struck, smallest, labels))
        return failMemory(message);
    return shSolid_Break(solid, &(shCrack){struck->piece, labels, patternCut, placed}, result, message);
}

shStatus shSolid_BreakPattern(shSolid* solid, int piece, const shPattern* pattern, const shImpact* impact,
                              shBreak* result, shMessage* message)
{
    shStatus status = checkPattern(pattern, message);
    if (status == shOk)
        status = impactCheck(impact, message);
    if (status != shOk)
        return status;
    if (!fieldHasPiece(&solid->field, piece))
        return fail(message, shInvalid, "break: there is no piece %d; the solid has %d", piece,
                    fieldPieceCount(&solid->field));
    Memory* memory = solid->field.memory;
    const RestField* rest = solid->field.rest;
    int nodes = rest->mesh->nodeCount;
    int* labels = NEW_ARRAY(memory, int, nodes);
    double* volumes = NEW_ARRAY(memory, double, nodes);
    PlacedPattern placed = {.pattern = *pattern,
                            .rest = rest,
                            .places = NEW_ARRAY(memory, Vec3, nodes),
                            .cells = NEW_ARRAY(memory, int, nodes)};
    if (labels == NULL || volumes == NULL || placed.places == NULL || placed.cells == NULL) {
        status = failMemory(message);
    } else {
        Struck struck = aim(solid, piece, impact, volumes);
        status = breakAlong(solid, &placed, &struck, labels, result, message);
    }
    sitesFree(&placed.sites, memory);
    radialFree(&placed.radial, memory);
    bricksFree(&placed.bricks, memory);
    regionCellsFree(&placed.regions, memory);
    FREE_ARRAY(memory, placed.cells, nodes);
    FREE_ARRAY(memory, placed.places, nodes);
    FREE_ARRAY(memory, volumes, nodes);
    FREE_ARRAY(memory, labels, nodes);
    return status;
}
