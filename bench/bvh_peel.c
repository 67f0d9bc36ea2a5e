// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// An apple that is peeled along a spiral in 800 frames (Otaduy §5.3, Fig. 8): in every frame triangles of the skin are
// cut and come off, inside and flesh open, and the peel, which rolls up behind the knife, moves and meets itself. The
// motion is given, not simulated. Our updates are compared with a tree that is rebuilt whenever something is cut.
#include "bench/bvh.h"
#include "bench/clock.h"
#include "bench/plot.h"
#include "cli/progress.h"
#include "core/message.h"
#include "core/vec.h"

#include <string.h>

enum { FRAMES = 800, AROUND = 57, ROWS = 55 };
static const double PI = 3.14159265358979323846;
static const double TOP = 0.3501, WIDTH = 0.2244; // rad: where the strip begins, how wide it is
static const double TURNS = 2.2;                  // that are peeled
// Radii of the apple: thickness, first radius of the roll, and its growth per length, by which windings touch.
static const double THICK = 0.03, ROLL = 0.25, GROWTH = 0.0035;

// A point of the skin or of the peel's inside.
typedef struct SkinPoint {
    bool moves;               // belongs to the strip
    double s, across, height; // place along the strip, rad; from its middle, above the skin
    int inside, flesh, still; // points under it, and one in its place that stays, made when needed; 0: not yet
    double turn, polar;       // of points of the grid
    Vec3 rest;
} SkinPoint;

typedef struct Pending {
    int triangle;
    bool whole; // has still to be cut
    double at;  // place of the knife
} Pending;

typedef struct Peel {
    Bench* bench;
    shContext* context;
    Memory* memory;
    CrackMesh mesh;
    int gridPoints, pendingCount, movedCount;
    SkinPoint* skin;     // [pointCapacity]
    int (*cutPoints)[2]; // [by cut edge] above and below the border
    KeySet cutEdges;
    Pending* pending;   // [triangleCapacity]
    int *moved, *items; // [triangleCapacity], as all below
    shBox *movedBoxes, *boxes;
    bool* fresh; // added in this frame
    shBoxTree *tree, *rebuilt;
    double knife;
} Peel;

// ---- places ---------------------------------------------------------------------------------------------------------

static DVec3 surface(double turn, double polar, double depth)
{
    double c = cos(polar), radius = 1.0 - 0.25 * c * c * c * c * c * c - depth;
    return (DVec3){radius * sin(polar) * cos(turn), radius * c, radius * sin(polar) * sin(turn)};
}

// Strip coordinate: borders are at whole numbers, and the spiral goes down by one strip per turn.
static double stripOf(double turn, double polar) { return (polar - TOP) / WIDTH - turn / (2.0 * PI); }

// Turns of a triangle's corners without the jump from a full turn to none.
static void turnsOf(const SkinPoint* skin, const int t[3], double turns[3])
{
    for (int k = 0; k < 3; ++k) {
        double turn = skin[t[k]].turn, jump = skin[t[0]].turn - turn;
        turns[k] = turn + 2.0 * PI * (jump > PI ? 1.0 : jump < -PI ? -1.0 : 0.0);
    }
}

static SkinPoint skinAt(double turn, double polar, int strip)
{
    SkinPoint point = {.moves = strip >= 0, .s = 2.0 * PI * strip + turn};
    point.across = (stripOf(turn, polar) - strip - 0.5) * WIDTH;
    point.rest = vFromD(surface(turn, polar, 0.0));
    return point;
}

static DVec3 middleAt(double s) { return surface(s, TOP + WIDTH * (s / (2.0 * PI) + 0.5), 0.0); }

// Where the peel is behind the knife: rolled up along its length.
static Vec3 rolled(const SkinPoint* point, double knife)
{
    if (!point->moves || point->s >= knife)
        return point->rest;
    DVec3 at = middleAt(knife), step = dScale(0.5e3, dSub(middleAt(knife + 1e-3), middleAt(knife - 1e-3)));
    double perTurn = dLength(step), behind = perTurn * (knife - point->s);
    DVec3 along = dNormalize(step), out = dNormalize(dMad(at, -dDot(at, along), along)), side = dCross(along, out);
    double radius = ROLL + GROWTH * behind, angle = log(1.0 + GROWTH * behind / ROLL) / GROWTH;
    DVec3 place = dMad(at, ROLL, out);
    place = dMad(place, (point->height - radius) * cos(angle), out);
    place = dMad(place, (point->height - radius) * sin(angle), along);
    place = dMad(place, -point->across, side);
    return vFromD(dLerp(dFromV(point->rest), place, minD(1.0, behind / ROLL)));
}

// ---- cutting --------------------------------------------------------------------------------------------------------

static int underPoint(Peel* peel, int point, bool flesh)
{
    SkinPoint* skin = &peel->skin[point];
    int* made = flesh ? &skin->flesh : &skin->inside;
    if (*made == 0) {
        double depth = flesh ? THICK : 0.9 * THICK; // the knife takes some
        SkinPoint under = *skin;
        DVec3 rest = dFromV(skin->rest);
        under.rest = vFromD(dScale(1.0 - depth / dLength(rest), rest));
        under.height = -depth;
        under.moves = !flesh && skin->moves;
        *made = crackMeshPoint(&peel->mesh, under.rest);
        peel->skin[*made] = under;
    }
    return *made;
}

static void wall(Peel* peel, int p, int q, bool flesh)
{
    int pUnder = underPoint(peel, p, flesh), qUnder = underPoint(peel, q, flesh);
    if (flesh) { // of its own: the skin's points go with the peel
        Vec3 a = peel->skin[p].rest, b = peel->skin[q].rest;
        p = crackMeshPoint(&peel->mesh, a), q = crackMeshPoint(&peel->mesh, b);
        peel->skin[p] = (SkinPoint){.rest = a}, peel->skin[q] = (SkinPoint){.rest = b};
    }
    crackMeshAdd(&peel->mesh, p, pUnder, q, -1);
    crackMeshAdd(&peel->mesh, q, pUnder, qUnder, -1);
}

// A part of the skin comes off: its inside and the flesh below open, and walls where it was cut.
static void peelOff(Peel* peel, int triangle)
{
    int t[3];
    memcpy(t, peel->mesh.triangles[triangle], sizeof t);
    for (int flesh = 0; flesh < 2; ++flesh) {
        int under[3];
        for (int k = 0; k < 3; ++k)
            under[k] = underPoint(peel, t[k], flesh);
        crackMeshAdd(&peel->mesh, under[0], under[flesh ? 1 : 2], under[flesh ? 2 : 1], -1);
    }
    for (int k = 0; k < 3; ++k)
        if (t[k] >= peel->gridPoints && t[(k + 1) % 3] >= peel->gridPoints)
            for (int flesh = 0; flesh < 2; ++flesh)
                wall(peel, t[k], t[(k + 1) % 3], flesh);
}

static double lastPlace(const Peel* peel, int triangle)
{
    const int* t = peel->mesh.triangles[triangle];
    return maxD(peel->skin[t[0]].s, maxD(peel->skin[t[1]].s, peel->skin[t[2]].s));
}

static void addPending(Peel* peel, int triangle, bool whole, double at)
{
    peel->pending[peel->pendingCount++] = (Pending){triangle, whole, at};
}

// The two points where a border crosses a side of a triangle: they go with the strip above and the one below.
static const int* cutSide(Peel* peel, int a, int b, double turnA, double turnB, int border)
{
    int known = peel->cutEdges.count, edge = keySetAddEdge(&peel->cutEdges, a, b);
    if (edge == known) {
        double polarA = peel->skin[a].polar, polarB = peel->skin[b].polar;
        double gA = stripOf(turnA, polarA), gB = stripOf(turnB, polarB), t = (border - gA) / (gB - gA);
        double turn = turnA + t * (turnB - turnA), polar = polarA + t * (polarB - polarA);
        Vec3 flat = vLerp(peel->skin[a].rest, peel->skin[b].rest, (float)t);
        for (int below = 0; below < 2; ++below) {
            int point = crackMeshPoint(&peel->mesh, flat);
            peel->skin[point] = skinAt(turn, polar, border - 1 + below);
            peel->skin[point].rest = flat;
            peel->cutPoints[edge][below] = point;
        }
    }
    return peel->cutPoints[edge];
}

// Divides a triangle along the border between two strips; its parts wait for the knife.
static void cutTriangle(Peel* peel, int triangle)
{
    int t[3];
    double turns[3], g[3];
    memcpy(t, peel->mesh.triangles[triangle], sizeof t);
    turnsOf(peel->skin, t, turns);
    for (int k = 0; k < 3; ++k)
        g[k] = stripOf(turns[k], peel->skin[t[k]].polar);
    int border = (int)floor(maxD(g[0], maxD(g[1], g[2])));
    bool low[3] = {g[0] >= border, g[1] >= border, g[2] >= border};
    int k = low[0] != low[1] && low[0] != low[2] ? 0 : low[1] != low[0] && low[1] != low[2] ? 1 : 2;
    int a = k, b = (k + 1) % 3, c = (k + 2) % 3;
    const int* p = cutSide(peel, t[a], t[b], turns[a], turns[b], border);
    const int* q = cutSide(peel, t[a], t[c], turns[a], turns[c], border);
    crackMeshRemove(&peel->mesh, triangle);
    const int parts[3] = {crackMeshAdd(&peel->mesh, t[a], p[low[a]], q[low[a]], triangle),
                          crackMeshAdd(&peel->mesh, p[!low[a]], t[b], t[c], triangle),
                          crackMeshAdd(&peel->mesh, p[!low[a]], t[c], q[!low[a]], triangle)};
    for (int i = 0; i < 3; ++i)
        if (peel->skin[peel->mesh.triangles[parts[i]][i == 0 ? 0 : 1]].moves)
            addPending(peel, parts[i], false, lastPlace(peel, parts[i]));
}

// ---- making and moving it -------------------------------------------------------------------------------------------

// Where the spiral begins its side lies against skin that stays: that has points of its own there.
static int stillPoint(Peel* peel, int point)
{
    if (peel->skin[point].still == 0) {
        SkinPoint still = peel->skin[point];
        still.moves = false;
        int made = crackMeshPoint(&peel->mesh, still.rest);
        peel->skin[made] = still;
        peel->skin[point].still = made;
    }
    return peel->skin[point].still;
}

static void prepareTriangle(Peel* peel, int triangle)
{
    CrackMesh* mesh = &peel->mesh;
    int t[3], poles = (ROWS - 1) * AROUND;
    double turns[3], least = (double)INFINITY, most = -(double)INFINITY, place = (double)INFINITY, last = -1.0;
    bool changed = false;
    memcpy(t, mesh->triangles[triangle], sizeof t);
    mesh->boxes[triangle] = crackMeshBox(mesh, triangle);
    if (t[0] >= poles || t[1] >= poles || t[2] >= poles)
        return;
    turnsOf(peel->skin, t, turns);
    for (int k = 0; k < 3; ++k) {
        double g = stripOf(turns[k], peel->skin[t[k]].polar);
        least = minD(least, g), most = maxD(most, g);
        if (g >= 0.0)
            place = minD(place, 2.0 * PI * floor(g) + turns[k]);
        last = maxD(last, 2.0 * PI * floor(g) + turns[k]);
        if (g < 0.0 && peel->skin[t[k]].moves)
            t[k] = stillPoint(peel, t[k]), changed = true;
    }
    if (changed) {
        crackMeshRemove(mesh, triangle);
        triangle = crackMeshAdd(mesh, t[0], t[1], t[2], triangle);
        mesh->boxes[triangle] = crackMeshBox(mesh, triangle);
    }
    if (floor(least) != floor(most) && most >= 0.0)
        addPending(peel, triangle, true, place);
    else if (least >= 0.0)
        addPending(peel, triangle, false, last);
}

static void prepareSkin(Peel* peel)
{
    CrackMesh* mesh = &peel->mesh;
    int poles = (ROWS - 1) * AROUND, triangles = mesh->triangleCount;
    for (int p = 0; p < peel->gridPoints; ++p) {
        double polar = p < poles ? PI * (1 + p / AROUND) / ROWS : p == poles ? 0.0 : PI;
        double turn = 2.0 * PI * (p % AROUND) / AROUND;
        peel->skin[p] = skinAt(turn, polar, (int)floor(stripOf(turn, polar)));
        peel->skin[p].moves = p < poles && peel->skin[p].moves;
        peel->skin[p].turn = turn, peel->skin[p].polar = polar;
        mesh->points[p] = peel->skin[p].rest;
    }
    for (int t = 0; t < triangles; ++t)
        prepareTriangle(peel, t);
    crackMeshDescribe(mesh); // that is where it begins
}

static shStatus peelCreate(Peel* peel, shMessage* message)
{
    BvhModel model;
    shStatus status = bvhRound(peel->memory, AROUND, ROWS, &model, message);
    if (status != shOk)
        return status;
    peel->gridPoints = model.mesh.pointCount;
    status = crackMeshCreate(peel->memory, &model.mesh, 8, &peel->mesh, message);
    bvhModelFree(&model);
    if (status != shOk)
        return status;
    int points = peel->mesh.pointCapacity, triangles = peel->mesh.triangleCapacity;
    peel->skin = NEW_ZEROED(peel->memory, SkinPoint, points);
    peel->cutPoints = memAlloc(peel->memory, memBytes((uint64_t)triangles, sizeof peel->cutPoints[0]));
    peel->pending = NEW_ARRAY(peel->memory, Pending, triangles);
    peel->moved = NEW_ARRAY(peel->memory, int, triangles);
    peel->items = NEW_ARRAY(peel->memory, int, triangles);
    peel->movedBoxes = NEW_ARRAY(peel->memory, shBox, triangles);
    peel->boxes = NEW_ARRAY(peel->memory, shBox, triangles);
    peel->fresh = NEW_ZEROED(peel->memory, bool, triangles);
    if (peel->skin == NULL || peel->cutPoints == NULL || peel->pending == NULL || peel->moved == NULL ||
        peel->items == NULL || peel->movedBoxes == NULL || peel->boxes == NULL || peel->fresh == NULL ||
        !keySetInit(&peel->cutEdges, peel->memory, triangles))
        return failMemory(message);
    prepareSkin(peel);
    shBoxTreeDef def = shDefaultBoxTreeDef();
    status = shCreateBoxTree(peel->context, &def, &peel->tree, message);
    if (status == shOk)
        status = shCreateBoxTree(peel->context, &def, &peel->rebuilt, message);
    int count = crackMeshLive(&peel->mesh, peel->items, peel->boxes);
    if (status == shOk)
        status = shBoxTree_Build(peel->tree, count, peel->items, peel->boxes, message);
    return status == shOk ? shBoxTree_Build(peel->rebuilt, count, peel->items, peel->boxes, message) : status;
}

static void peelFree(Peel* peel)
{
    int points = peel->mesh.pointCapacity, triangles = peel->mesh.triangleCapacity;
    shDestroyBoxTree(peel->tree);
    shDestroyBoxTree(peel->rebuilt);
    FREE_ARRAY(peel->memory, peel->skin, points);
    FREE_ARRAY(peel->memory, peel->cutPoints, triangles);
    FREE_ARRAY(peel->memory, peel->pending, triangles);
    FREE_ARRAY(peel->memory, peel->moved, triangles);
    FREE_ARRAY(peel->memory, peel->items, triangles);
    FREE_ARRAY(peel->memory, peel->movedBoxes, triangles);
    FREE_ARRAY(peel->memory, peel->boxes, triangles);
    FREE_ARRAY(peel->memory, peel->fresh, triangles);
    keySetFree(&peel->cutEdges, peel->memory);
    crackMeshFree(&peel->mesh);
}

// The knife goes on: what it passes is cut and comes off, and the peel moves.
static void advance(Peel* peel, double knife)
{
    CrackMesh* mesh = &peel->mesh;
    peel->knife = knife;
    for (int i = 0; i < peel->pendingCount; ++i) { // grows meanwhile
        Pending next = peel->pending[i];
        if (next.at > knife)
            continue;
        peel->pending[i].at = (double)INFINITY;
        if (next.whole)
            cutTriangle(peel, next.triangle);
        else
            peelOff(peel, next.triangle);
    }
    for (int k = 0; k < mesh->addedCount; ++k)
        peel->fresh[mesh->added[k]] = true;
    for (int p = 0; p < mesh->pointCount; ++p)
        if (peel->skin[p].moves && peel->skin[p].s < knife)
            mesh->points[p] = rolled(&peel->skin[p], knife);
    peel->movedCount = 0;
    for (int t = 0; t < mesh->triangleCount; ++t) {
        const int* c = mesh->triangles[t];
        bool moves = false;
        for (int k = 0; k < 3; ++k)
            moves |= peel->skin[c[k]].moves && peel->skin[c[k]].s < knife;
        if (!mesh->live[t] || !moves)
            continue;
        mesh->boxes[t] = crackMeshBox(mesh, t);
        if (peel->fresh[t])
            continue;
        peel->moved[peel->movedCount] = t;
        peel->movedBoxes[peel->movedCount++] = mesh->boxes[t];
    }
    for (int k = 0; k < mesh->addedCount; ++k)
        peel->fresh[mesh->added[k]] = false;
}

// ---- measuring ------------------------------------------------------------------------------------------------------

static bool countPair(int a, int b, void* user)
{
    (void)a, (void)b;
    ++*(int64_t*)user;
    return true;
}

typedef struct PeelSums {
    Samples update, rebuild, queryOurs, queryRebuilt; // ms
    int64_t pairs;
    int cutFrames, pairsDiffer;
    double quality, rebuiltQuality; // largest of ours, and that of the other then
} PeelSums;

static shStatus selfQuery(const shBoxTree* tree, const shTriangles* mesh, int64_t* pairs, double* ms,
                          shMessage* message)
{
    double start = clockSeconds(clockThread);
    *pairs = 0;
    shStatus status = shTriangles_CollideSelf(tree, mesh, countPair, pairs, message);
    *ms = 1e3 * (clockSeconds(clockThread) - start);
    return status;
}

static shStatus frame(Peel* peel, int number, int queryEvery, PeelSums* sums, Plot* plot, shMessage* message)
{
    advance(peel, 2.0 * PI * TURNS * (number + 1) / FRAMES);
    bool cuts = peel->mesh.addedCount > 0;
    shBoxTreeUpdate update = crackMeshDescribe(&peel->mesh);
    update.movedCount = peel->movedCount, update.moved = peel->moved, update.movedBoxes = peel->movedBoxes;
    int count = crackMeshLive(&peel->mesh, peel->items, peel->boxes);
    double start = clockSeconds(clockThread);
    shStatus status = shBoxTree_Update(peel->tree, &update, message);
    double updated = clockSeconds(clockThread);
    if (status == shOk)
        status = cuts ? shBoxTree_Build(peel->rebuilt, count, peel->items, peel->boxes, message)
                      : shBoxTree_Refit(peel->rebuilt, peel->mesh.boxes, peel->mesh.triangleCount, message);
    double rebuilt = clockSeconds(clockThread);
    double ms = 1e3 * (updated - start), msRebuilt = 1e3 * (rebuilt - updated), query = NO_VALUE,
           queryRebuilt = NO_VALUE;
    samplesAdd(&sums->update, ms);
    if (cuts)
        samplesAdd(&sums->rebuild, msRebuilt);
    sums->cutFrames += cuts;
    if (number % queryEvery == queryEvery - 1 && status == shOk) {
        shTriangles mesh = crackMeshView(&peel->mesh);
        int64_t pairs[2];
        bool oursFirst = number / queryEvery % 2; // turns: the second finds points in the cache
        for (int i = 0; i < 2 && status == shOk; ++i) {
            bool ours = (i == 0) == oursFirst;
            status = selfQuery(ours ? peel->tree : peel->rebuilt, &mesh, &pairs[ours], ours ? &query : &queryRebuilt,
                               message);
        }
        if (status == shOk)
            status = shBoxTree_Validate(peel->tree, message);
        samplesAdd(&sums->queryOurs, query);
        samplesAdd(&sums->queryRebuilt, queryRebuilt);
        sums->pairs += pairs[0];
        sums->pairsDiffer += pairs[0] != pairs[1];
        double quality = shBoxTree_GetInfo(peel->tree).quality;
        if (quality > sums->quality)
            sums->quality = quality, sums->rebuiltQuality = shBoxTree_GetInfo(peel->rebuilt).quality;
    }
    PLOT_ROW(plot, number, ms, msRebuilt, query, queryRebuilt);
    return status;
}

static void peelRows(Peel* peel, const PeelSums* sums, int queryEvery)
{
    Bench* bench = peel->bench;
    double ours = samplesMean(&sums->queryOurs), rebuilt = samplesMean(&sums->queryRebuilt);
    shBoxTreeInfo info = shBoxTree_GetInfo(peel->tree);
    benchNote(benchRow(bench, "query_ratio", ours / rebuilt, "x", 1.032, "<= 1.05"),
              "self-collision of the peeled apple, all pairs, updated tree over one rebuilt in each frame with a cut; "
              "%d frames of %d, %s",
              sums->queryOurs.count, FRAMES, sums->pairsDiffer == 0 ? "same pairs" : "PAIRS DIFFER");
    benchNote(benchRow(bench, "apple.update_ms", samplesMean(&sums->update), "ms", NO_VALUE, NULL),
              "mean of all frames, moved boxes and rebuilds included; %d frames with cuts", sums->cutFrames);
    benchNote(benchRow(bench, "apple.update_max_ms", samplesLargest(&sums->update), "ms", 12.0, "<= 12"),
              "one run; without rebuilds the paper is below 12");
    benchRow(bench, "apple.rebuild_ms", samplesMean(&sums->rebuild), "ms", NO_VALUE, NULL);
    benchNote(
        benchRow(bench, "apple.speedup", samplesMean(&sums->rebuild) / samplesMean(&sums->update), "x", 20.0, NULL),
        "the paper: up to");
    benchNote(benchRow(bench, "apple.rebuilds", info.rebuilds, "", 9.0, NULL),
              "largest Q %.3g, rebuilt in that frame %.3g", sums->quality, sums->rebuiltQuality);
    benchNote(benchRow(bench, "apple.query_ms", ours, "ms", 142.8, NULL), "%.0f pairs on average; every %d. frame",
              (double)sums->pairs / maxI(1, sums->queryOurs.count), queryEvery);
    benchRow(bench, "apple.query_rebuilt_ms", rebuilt, "ms", 138.3, NULL);
    benchNote(benchRow(bench, "apple.triangles", peel->mesh.liveCount, "", 11152.0, NULL),
              "from %d; the paper from 6124", 2 * AROUND * (ROWS - 1));
}

shStatus bvhPeelRows(Bench* bench, shMessage* message)
{
    static PeelSums sums;
    Peel peel = {.bench = bench};
    sums = (PeelSums){.cutFrames = 0};
    shStatus status = bvhContext(&peel.context, message);
    if (status != shOk)
        return status;
    peel.memory = &peel.context->memory;
    int frames = benchAmount(bench, 20, FRAMES, FRAMES), queryEvery = benchAmount(bench, 10, 20, 4);
    Plot* plot = plotOpen(bench, "fig8-apple", "frame,update,rebuild or refit,query,query rebuilt",
                          "set xlabel 'frame'\nset ylabel 'ms'\nset logscale y\n"
                          "plot for [i=2:5] data using 1:i with points pt 7 ps 0.3 title columnheader(i)\n");
    status = peelCreate(&peel, message);
    for (int f = 0; f < frames && status == shOk; ++f) {
        if (f % 50 == 0)
            progressShow("bvh: apple, frame %d of %d", f, frames);
        status = frame(&peel, f, queryEvery, &sums, plot, message);
    }
    if (status == shOk)
        peelRows(&peel, &sums, queryEvery);
    peelFree(&peel);
    shStatus drawn = plotClose(plot, message);
    shDestroyContext(peel.context);
    return status == shOk ? drawn : status;
}
