// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A pumpkin that breaks at once into 2 … 12 pieces and more (Otaduy §5.4, Fig. 8). The breaks are the library's own;
// what is measured is how the tree of its surface becomes one tree per piece: split as shBoxTree_Split does it, cloned
// and emptied as the paper does, or rebuilt.
#include "bench/bvh.h"
#include "bench/cache.h"
#include "bench/clock.h"
#include "bench/plot.h"
#include "cli/progress.h"
#include "core/message.h"
#include "core/quat.h"
#include "core/random.h"
#include "core/vec.h"
#include "sherd/ray.h"
#include "sherd/solid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PIECES = 1200, FEW_PIECES = 12, SEEDS = 4, POSES = 6 };

// A broken surface as numbered triangles: those of the whole keep theirs.
typedef struct Broken {
    Memory* memory;
    int wholeCount, triangleCount, pieceCount;
    int pointCount, pointCapacity, triangleCapacity, slotCount;
    shVec3* points;
    int* slots; // hash of points by their bits, -1: free
    int (*triangles)[3];
    shBox* boxes;
    int* pieces; // by triangle; of the whole -1: it was cut
    KeySet faces;
    // Added triangles, in the order of their numbers, and who is beside whom.
    int *added, *addedPieces, *neighbourStarts, *neighbours;
} Broken;

// ---- the surface ----------------------------------------------------------------------------------------------------

static int pointOf(Broken* broken, Vec3 p)
{
    uint32_t bits[3];
    p = vAdd(p, vec3(0.0f, 0.0f, 0.0f)); // one zero
    memcpy(bits, &p, sizeof bits);
    uint32_t slot = (bits[0] * 73856093u ^ bits[1] * 19349663u ^ bits[2] * 83492791u) * 2654435769u;
    slot = (slot >> 7) % (uint32_t)broken->slotCount;
    for (; broken->slots[slot] >= 0; slot = (slot + 1) % (uint32_t)broken->slotCount)
        if (vDistance2(broken->points[broken->slots[slot]], p) <= 0.0f)
            return broken->slots[slot];
    broken->points[broken->pointCount] = p;
    return broken->slots[slot] = broken->pointCount++;
}

static void brokenFree(Broken* broken)
{
    Memory* memory = broken->memory;
    if (memory == NULL)
        return;
    int room = broken->triangleCapacity;
    FREE_ARRAY(memory, broken->points, broken->pointCapacity);
    FREE_ARRAY(memory, broken->slots, broken->slotCount);
    FREE_ARRAY(memory, broken->triangles, room);
    FREE_ARRAY(memory, broken->boxes, room);
    FREE_ARRAY(memory, broken->pieces, room);
    FREE_ARRAY(memory, broken->added, room);
    FREE_ARRAY(memory, broken->addedPieces, room);
    FREE_ARRAY(memory, broken->neighbourStarts, room + 1);
    FREE_ARRAY(memory, broken->neighbours, 3 * room);
    keySetFree(&broken->faces, memory);
    *broken = (Broken){0};
}

static bool brokenAlloc(Broken* broken, Memory* memory, int triangles)
{
    *broken = (Broken){.memory = memory, .pointCapacity = 3 * triangles, .triangleCapacity = triangles};
    broken->slotCount = 6 * triangles + 1;
    broken->points = NEW_ARRAY(memory, shVec3, broken->pointCapacity);
    broken->slots = NEW_ARRAY(memory, int, broken->slotCount);
    broken->triangles = memAlloc(memory, memBytes((uint64_t)triangles, sizeof broken->triangles[0]));
    broken->boxes = NEW_ARRAY(memory, shBox, triangles);
    broken->pieces = NEW_ARRAY(memory, int, triangles);
    broken->added = NEW_ARRAY(memory, int, triangles);
    broken->addedPieces = NEW_ARRAY(memory, int, triangles);
    broken->neighbourStarts = NEW_ARRAY(memory, int, triangles + 1);
    broken->neighbours = NEW_ARRAY(memory, int, 3 * triangles);
    bool fits = broken->points != NULL && broken->slots != NULL && broken->triangles != NULL && broken->boxes != NULL &&
                broken->pieces != NULL && broken->added != NULL && broken->addedPieces != NULL &&
                broken->neighbourStarts != NULL && broken->neighbours != NULL &&
                keySetInit(&broken->faces, memory, triangles);
    for (int i = 0; fits && i < broken->slotCount; ++i)
        broken->slots[i] = -1;
    return fits;
}

static void takeTriangles(Broken* broken, const shSolid* solid, int piece, shVec3 (*corners)[3], int count)
{
    shSolid_GetTriangles(solid, piece, corners, NULL, count);
    for (int i = 0; i < count; ++i) {
        int t[3];
        for (int k = 0; k < 3; ++k)
            t[k] = pointOf(broken, corners[i][k]);
        int known = broken->faces.count, face = keySetAdd(&broken->faces, t[0], t[1], t[2]);
        if (face == known || broken->wholeCount == 0 || face >= broken->wholeCount) { // the last: a wall's other side
            face = broken->triangleCount++;
            memcpy(broken->triangles[face], t, sizeof t);
        }
        broken->pieces[face] = piece;
    }
}

// Twins along sides within a piece: by KeySets of one piece at a time.
static bool linkAdded(Broken* broken)
{
    Memory* memory = broken->memory;
    int count = 0, addedCount = broken->triangleCount - broken->wholeCount;
    int(*users)[2] = memAlloc(memory, memBytes(3 * (uint64_t)broken->triangleCount, sizeof users[0]));
    KeySet* edges = NEW_ARRAY(memory, KeySet, broken->pieceCount);
    int* firstOf = NEW_ZEROED(memory, int, broken->pieceCount + 1); // edges of a piece begin there
    bool fits = users != NULL && edges != NULL && firstOf != NULL;
    int made = 0;
    for (int t = 0; fits && t < broken->triangleCount; ++t)
        if (broken->pieces[t] >= 0)
            firstOf[broken->pieces[t] + 1] += 3;
    for (int p = 0; fits && p < broken->pieceCount; ++p) {
        fits = keySetInit(&edges[p], memory, firstOf[p + 1] + 1);
        made += fits;
        firstOf[p + 1] += firstOf[p];
    }
    for (int t = 0; fits && t < broken->triangleCount; ++t)
        for (int k = 0; k < 3 && broken->pieces[t] >= 0; ++k) {
            KeySet* mine = &edges[broken->pieces[t]];
            int known = mine->count;
            int edge = keySetAddEdge(mine, broken->triangles[t][k], broken->triangles[t][(k + 1) % 3]);
            int* pair = users[firstOf[broken->pieces[t]] + edge];
            if (edge == known)
                pair[0] = pair[1] = -1;
            pair[pair[0] >= 0] = t;
        }
    for (int i = 0; fits && i < addedCount; ++i) {
        int t = broken->wholeCount + i;
        broken->added[i] = t;
        broken->addedPieces[i] = broken->pieces[t];
        broken->neighbourStarts[i] = count;
        for (int k = 0; k < 3; ++k) {
            const int* c = broken->triangles[t];
            const int* pair =
                users[firstOf[broken->pieces[t]] + keySetFindEdge(&edges[broken->pieces[t]], c[k], c[(k + 1) % 3])];
            for (int u = 0; u < 2; ++u)
                if (pair[u] >= 0 && pair[u] != t)
                    broken->neighbours[count++] = pair[u];
        }
    }
    if (fits)
        broken->neighbourStarts[addedCount] = count;
    for (int p = 0; p < made; ++p)
        keySetFree(&edges[p], memory);
    FREE_ARRAY(memory, firstOf, broken->pieceCount + 1);
    FREE_ARRAY(memory, edges, broken->pieceCount);
    FREE_ARRAY(memory, users, 3 * (int64_t)broken->triangleCount);
    return fits;
}

static void makeSites(shBox box, int count, uint64_t seed, shVec3* sites)
{
    Random random = randomSeedItem(40, seed);
    for (int i = 0; i < count; ++i)
        sites[i] = randomInBox(&random, box);
}

static shStatus breakSolid(const shAsset* asset, int count, uint64_t seed, shSolid** solid, shMessage* message)
{
    shVec3 sites[MOST_PIECES];
    shStatus status = shCreateSolid(asset, solid, message);
    if (status != shOk)
        return status;
    makeSites(shSolid_GetPiece(*solid, 0).box, count, seed, sites);
    return shSolid_BreakVoronoi(*solid, 0, sites, count, NULL, message);
}

// The whole first, then its pieces: triangles with the corners of an old one are that one.
static shStatus breakPumpkin(const shAsset* asset, Memory* memory, int sites, uint64_t seed, Broken* broken,
                             shMessage* message)
{
    shSolid* solid;
    shStatus status = shCreateSolid(asset, &solid, message);
    if (status != shOk)
        return status;
    int whole = shSolid_GetPiece(solid, 0).triangleCount, room = 40 * whole + 1000;
    shVec3(*corners)[3] = memAlloc(memory, memBytes((uint64_t)room, sizeof corners[0]));
    shVec3 at[MOST_PIECES];
    makeSites(shSolid_GetPiece(solid, 0).box, sites, seed, at);
    if (corners == NULL || !brokenAlloc(broken, memory, room))
        status = failMemory(message);
    if (status == shOk) {
        takeTriangles(broken, solid, 0, corners, whole);
        broken->wholeCount = broken->triangleCount;
        status = shSolid_BreakVoronoi(solid, 0, at, sites, NULL, message);
    }
    for (int t = 0; status == shOk && t < broken->wholeCount; ++t)
        broken->pieces[t] = -1;
    broken->pieceCount = shSolid_GetPieceCount(solid);
    for (int p = 0; p < broken->pieceCount && status == shOk; ++p) {
        int count = shSolid_GetPiece(solid, p).triangleCount;
        if (broken->triangleCount + count > room)
            status = fail(message, shLimit, "bvh: the pumpkin has too many triangles in %d pieces", broken->pieceCount);
        else
            takeTriangles(broken, solid, p, corners, count);
    }
    if (status == shOk && !linkAdded(broken))
        status = failMemory(message);
    if (status == shOk) {
        shTriangles mesh = {broken->pointCount, broken->triangleCount, broken->points,
                            (const int(*)[3])broken->triangles};
        status = shTriangleBoxes(&mesh, 0, broken->triangleCount, broken->boxes, message);
    }
    FREE_ARRAY(memory, corners, room);
    shDestroySolid(solid);
    return status;
}

// ---- three ways -----------------------------------------------------------------------------------------------------

typedef struct PieceTimes { // ms
    double split, automatic, clone, restructure, refit, rebuild;
    double quality, rebuiltQuality;    // mean over pieces
    double triangles, pieces, rebuilt; // of the pieces, by the automatic choice
} PieceTimes;

static shStatus wholeTree(shContext* context, const Broken* broken, float rebuildQuality, shBoxTree** tree,
                          shMessage* message)
{
    shBoxTreeDef def = shDefaultBoxTreeDef();
    def.rebuildQuality = rebuildQuality;
    shStatus status = shCreateBoxTree(context, &def, tree, message);
    return status == shOk ? shBoxTree_Build(*tree, broken->wholeCount, NULL, broken->boxes, message) : status;
}

static shStatus splitTree(const shBoxTree* tree, const Broken* broken, shBoxTree** parts, double* ms,
                          shMessage* message)
{
    shBoxTreeSplit split = {.partCount = broken->pieceCount,
                            .itemCount = broken->wholeCount,
                            .partOf = broken->pieces,
                            .addedCount = broken->triangleCount - broken->wholeCount,
                            .added = broken->added,
                            .addedBoxes = broken->boxes + broken->wholeCount,
                            .addedParts = broken->addedPieces,
                            .neighbourStarts = broken->neighbourStarts,
                            .neighbours = broken->neighbours};
    double start = clockSeconds(clockThread);
    shStatus status = shBoxTree_Split(tree, &split, parts, message);
    *ms = 1e3 * (clockSeconds(clockThread) - start);
    return status;
}

// §4.2 as it stands: a clone per piece, from which goes what belongs to others or was cut, and into which comes what is
// new. What an update is given is put together before the clock starts.
static shStatus cloneAndDelete(const shBoxTree* tree, const Broken* broken, PieceTimes* times, shMessage* message)
{
    Memory* memory = broken->memory;
    int room = broken->triangleCount;
    int *removed = NEW_ARRAY(memory, int, room), *added = NEW_ARRAY(memory, int, room),
        *starts = NEW_ARRAY(memory, int, room + 1), *neighbours = NEW_ARRAY(memory, int, 3 * room);
    shBox* boxes = NEW_ARRAY(memory, shBox, room);
    bool fits = removed != NULL && added != NULL && starts != NULL && neighbours != NULL && boxes != NULL;
    shStatus status = fits ? shOk : failMemory(message);
    times->clone = times->restructure = times->refit = 0.0;
    for (int p = 0; p < broken->pieceCount && status == shOk; ++p) {
        shBoxTreeUpdate update = {.removed = removed, .added = added, .addedBoxes = boxes};
        int count = 0;
        for (int t = 0; t < broken->wholeCount; ++t)
            if (broken->pieces[t] != p)
                removed[update.removedCount++] = t;
        for (int i = 0; i < broken->triangleCount - broken->wholeCount; ++i)
            if (broken->addedPieces[i] == p) {
                int k = update.addedCount++;
                added[k] = broken->added[i];
                boxes[k] = broken->boxes[added[k]];
                starts[k] = count;
                for (int n = broken->neighbourStarts[i]; n < broken->neighbourStarts[i + 1]; ++n)
                    neighbours[count++] = broken->neighbours[n];
            }
        starts[update.addedCount] = count;
        update.neighbourStarts = starts, update.neighbours = neighbours;
        shBoxTree* clone;
        double start = clockSeconds(clockThread);
        status = shCloneBoxTree(tree, &clone, message);
        if (status != shOk)
            break;
        double cloned = clockSeconds(clockThread);
        status = shBoxTree_Update(clone, &update, message);
        double updated = clockSeconds(clockThread);
        shBoxTreeProfile profile = shBoxTree_GetProfile(clone);
        times->clone += 1e3 * (cloned - start);
        times->restructure += 1e3 * (updated - cloned - profile.refitSeconds);
        times->refit += 1e3 * profile.refitSeconds;
        shDestroyBoxTree(clone);
    }
    FREE_ARRAY(memory, boxes, room);
    FREE_ARRAY(memory, neighbours, 3 * (int64_t)room);
    FREE_ARRAY(memory, starts, room + 1);
    FREE_ARRAY(memory, added, room);
    FREE_ARRAY(memory, removed, room);
    return status;
}

static shStatus rebuildPieces(shContext* context, const Broken* broken, shBoxTree** parts, double* ms,
                              shMessage* message)
{
    int* items = NEW_ARRAY(broken->memory, int, broken->triangleCount);
    shBox* boxes = NEW_ARRAY(broken->memory, shBox, broken->triangleCount);
    shBoxTreeDef def = shDefaultBoxTreeDef();
    shStatus status = items != NULL && boxes != NULL ? shOk : failMemory(message);
    *ms = 0.0;
    for (int p = 0; p < broken->pieceCount && status == shOk; ++p) {
        int count = 0;
        for (int t = 0; t < broken->triangleCount; ++t)
            if (broken->pieces[t] == p) {
                items[count] = t;
                boxes[count++] = broken->boxes[t];
            }
        double start = clockSeconds(clockThread);
        status = shCreateBoxTree(context, &def, &parts[p], message);
        if (status == shOk)
            status = shBoxTree_Build(parts[p], count, items, boxes, message);
        *ms += 1e3 * (clockSeconds(clockThread) - start);
    }
    FREE_ARRAY(broken->memory, boxes, broken->triangleCount);
    FREE_ARRAY(broken->memory, items, broken->triangleCount);
    return status;
}

static void destroyAll(shBoxTree** parts, int count)
{
    for (int p = 0; p < count; ++p) {
        shDestroyBoxTree(parts[p]);
        parts[p] = NULL;
    }
}

static void least(double* best, double ms, bool first)
{
    if (first || ms < *best)
        *best = ms;
}

static double meanQuality(shBoxTree* const* parts, int count)
{
    double sum = 0.0;
    for (int p = 0; p < count; ++p)
        sum += shBoxTree_GetInfo(parts[p]).quality;
    return sum / count;
}

typedef struct Ways {
    shBoxTree* split[MOST_PIECES];
    shBoxTree* automatic[MOST_PIECES];
    shBoxTree* rebuilt[MOST_PIECES];
} Ways;

// Best of the repeats; the trees of the last one stay.
static shStatus timeWays(shContext* context, const Broken* broken, bool paper, int repeats, Ways* ways,
                         PieceTimes* times, shMessage* message)
{
    shBoxTree *tree = NULL, *choosing = NULL;
    shStatus status = wholeTree(context, broken, 0.0f, &tree, message);
    if (status == shOk)
        status = wholeTree(context, broken, 2.3f, &choosing, message);
    *times = (PieceTimes){.pieces = broken->pieceCount, .clone = NO_VALUE, .restructure = NO_VALUE, .refit = NO_VALUE};
    for (int r = 0; r < repeats && status == shOk; ++r) {
        double split, automatic = 0.0, rebuild = 0.0;
        PieceTimes once = {.clone = 0.0};
        destroyAll(ways->split, broken->pieceCount);
        destroyAll(ways->automatic, broken->pieceCount);
        destroyAll(ways->rebuilt, broken->pieceCount);
        status = splitTree(tree, broken, ways->split, &split, message);
        if (status == shOk)
            status = splitTree(choosing, broken, ways->automatic, &automatic, message);
        if (status == shOk)
            status = rebuildPieces(context, broken, ways->rebuilt, &rebuild, message);
        if (status == shOk && paper)
            status = cloneAndDelete(tree, broken, &once, message);
        least(&times->split, split, r == 0);
        least(&times->automatic, automatic, r == 0);
        least(&times->rebuild, rebuild, r == 0);
        if (paper &&
            (r == 0 || once.clone + once.restructure + once.refit < times->clone + times->restructure + times->refit))
            times->clone = once.clone, times->restructure = once.restructure, times->refit = once.refit;
    }
    for (int p = 0; p < broken->pieceCount && status == shOk; ++p) {
        status = shBoxTree_Validate(ways->split[p], message);
        times->triangles += shBoxTree_GetInfo(ways->split[p]).itemCount;
        times->rebuilt += shBoxTree_GetInfo(ways->automatic[p]).rebuilds;
    }
    if (status == shOk) {
        times->quality = meanQuality(ways->split, broken->pieceCount);
        times->rebuiltQuality = meanQuality(ways->rebuilt, broken->pieceCount);
    }
    shDestroyBoxTree(tree);
    shDestroyBoxTree(choosing);
    return status;
}

// ---- queries --------------------------------------------------------------------------------------------------------

static bool countPair(int a, int b, void* user)
{
    (void)a, (void)b;
    ++*(int64_t*)user;
    return true;
}

// All pairs of pieces, each a little out of place, as they are soon after a break.
static shStatus queryAll(const Broken* broken, shBoxTree* const* parts, const shTransform* places, int64_t* pairs,
                         double* ms, shMessage* message)
{
    shTriangles mesh = {broken->pointCount, broken->triangleCount, broken->points, (const int(*)[3])broken->triangles};
    double start = clockSeconds(clockThread);
    shStatus status = shOk;
    for (int a = 0; a < broken->pieceCount; ++a)
        for (int b = a + 1; b < broken->pieceCount && status == shOk; ++b) {
            shTransform frame = {qUnrotate(places[a].q, vSub(places[b].p, places[a].p)),
                                 qMul((shQuat){vNeg(places[a].q.v), places[a].q.s}, places[b].q)};
            status = shTriangles_Collide(parts[a], &mesh, parts[b], &mesh, &frame, countPair, pairs, message);
        }
    *ms += 1e3 * (clockSeconds(clockThread) - start);
    return status;
}

static shStatus queryRows(Bench* bench, const Broken* broken, const Ways* ways, shMessage* message)
{
    shTransform places[MOST_PIECES];
    double ms[2] = {0.0, 0.0};
    int64_t pairs[2] = {0, 0};
    Random random = randomSeed(41);
    shBox box = shBoxTree_GetInfo(ways->split[0]).box;
    for (int p = 1; p < broken->pieceCount; ++p)
        box = boxUnion(box, shBoxTree_GetInfo(ways->split[p]).box);
    float size = vLength(boxSize(box));
    shStatus status = shOk;
    for (int pose = 0; pose < POSES && status == shOk; ++pose) {
        for (int p = 0; p < broken->pieceCount; ++p) {
            DVec3 axis = randomDirection(&random);
            places[p].p = vFromD(randomVector(&random, 0.01 * (double)size));
            places[p].q = qFromAxisAngle(vFromD(axis), 0.02f);
        }
        for (int i = 0; i < 2 && status == shOk; ++i) {
            int kind = (i + pose) % 2;
            status =
                queryAll(broken, kind == 0 ? ways->split : ways->rebuilt, places, &pairs[kind], &ms[kind], message);
        }
    }
    if (status == shOk)
        benchNote(benchRow(bench, "pumpkin.8.query_ratio", ms[0] / ms[1], "x", 1.27, NULL),
                  "all pairs of triangles of %d pieces a little out of place, split trees over rebuilt ones: %.3g and "
                  "%.3g ms, %.0f pairs, %s",
                  broken->pieceCount, ms[0] / POSES, ms[1] / POSES, (double)pairs[0] / POSES,
                  pairs[0] == pairs[1] ? "the same" : "NOT THE SAME");
    return status;
}

// Rays at the pieces where they broke, one piece at a time: through the trees of eight boxes and triangles that the
// library keeps for its own surfaces, and through ours.
static shStatus skinRows(Bench* bench, const shAsset* asset, const Broken* broken, int sites, uint64_t seed,
                         const Ways* ways, shMessage* message)
{
    shSolid* solid = NULL;
    int count = benchAmount(bench, 50, 5000, 20000), differ = 0;
    double seconds[2] = {0.0, 0.0};
    shTriangles mesh = {broken->pointCount, broken->triangleCount, broken->points, (const int(*)[3])broken->triangles};
    Random random = randomSeed(42);
    shStatus status = breakSolid(asset, sites, seed, &solid, message);
    for (int p = 0; p < broken->pieceCount && status == shOk; ++p) {
        shCollider collider = {.solid = solid, .piece = p, .transform = {.q = {.s = 1.0f}}};
        shBox box = boxGrow(shBoxTree_GetInfo(ways->split[p]).box, 0.01f);
        for (int i = 0; i < count && status == shOk; i += 64) {
            shRay rays[64];
            shRayHit skin[64];
            shTriangleHit tree[64];
            for (int k = 0; k < 64; ++k) {
                rays[k].origin = randomInBox(&random, box);
                rays[k].translation = vSub(randomInBox(&random, box), rays[k].origin);
            }
            double start = clockSeconds(clockThread);
            for (int k = 0; k < 64 && status == shOk; ++k)
                status = shRayCast(&collider, &rays[k], &skin[k], message);
            double middle = clockSeconds(clockThread);
            for (int k = 0; k < 64 && status == shOk; ++k)
                status =
                    shTriangles_CastRay(ways->split[p], &mesh, rays[k].origin, rays[k].translation, &tree[k], message);
            seconds[0] += middle - start;
            seconds[1] += clockSeconds(clockThread) - middle;
            for (int k = 0; k < 64 && status == shOk; ++k)
                differ += skin[k].hits != (tree[k].item >= 0) || fabsf(skin[k].fraction - tree[k].fraction) > 1e-5f;
        }
    }
    double all = (double)((count + 63) / 64 * 64) * broken->pieceCount;
    if (status == shOk) {
        benchNote(benchRow(bench, "pumpkin.8.rays_tree_per_s", all / seconds[1], "1/s", NO_VALUE, NULL),
                  "at one piece at a time; %.3g %% of the hits differ by more than 1e-5 of the way",
                  100.0 * differ / all);
        benchNote(benchRow(bench, "pumpkin.8.rays_skin_per_s", all / seconds[0], "1/s", NO_VALUE, NULL),
                  "the library's own trees, eight boxes to a node, eight triangles to a leaf; inside or outside is "
                  "told, too");
    }
    shDestroySolid(solid);
    return status;
}

// ---- rows -----------------------------------------------------------------------------------------------------------

static void timeRow(Bench* bench, int sites, const char* what, double value, const char* unit)
{
    char name[BENCH_NAME];
    snprintf(name, sizeof name, "pumpkin.%d.%s", sites, what);
    benchRow(bench, name, value, unit, NO_VALUE, NULL);
}

static void pieceRows(Bench* bench, int sites, const PieceTimes* times)
{
    timeRow(bench, sites, "split_ms", times->split, "ms");
    benchNote(&bench->rows[bench->rowCount - 1],
              "%.3g pieces, %.0f triangles; %.3g pieces built by the automatic choice: %.3g ms", times->pieces,
              times->triangles, times->rebuilt, times->automatic);
    timeRow(bench, sites, "paper_way_ms", times->clone + times->restructure + times->refit, "ms");
    benchNote(&bench->rows[bench->rowCount - 1], "clone %.3g, delete and insert %.3g, refit and permutations %.3g ms",
              times->clone, times->restructure, times->refit);
    timeRow(bench, sites, "rebuild_ms", times->rebuild, "ms");
    timeRow(bench, sites, "quality_ratio", times->quality / times->rebuiltQuality, "x");
}

static uint64_t seedOf(int seed, int sites) { return (uint64_t)seed + 1000u * (uint64_t)sites; }

// Means over the seeds, each asked for as many sites as pieces are wanted: close pieces may come in two.
static shStatus measure(Bench* bench, shContext* context, const shAsset* asset, int sites, Ways* ways, PieceTimes* mean,
                        bool query, shMessage* message)
{
    int seeds = benchAmount(bench, 1, 2, SEEDS);
    shStatus status = shOk;
    *mean = (PieceTimes){.pieces = 0};
    for (int seed = 1; seed <= seeds && status == shOk; ++seed) {
        Broken broken = {0};
        PieceTimes times = {0};
        status = breakPumpkin(asset, &context->memory, sites, seedOf(seed, sites), &broken, message);
        if (status == shOk)
            status = timeWays(context, &broken, sites <= FEW_PIECES, benchRepeats(bench, 3, 5), ways, &times, message);
        if (status == shOk && query && seed == 1)
            status = queryRows(bench, &broken, ways, message);
        if (status == shOk && query && seed == 1)
            status = skinRows(bench, asset, &broken, sites, seedOf(seed, sites), ways, message);
        destroyAll(ways->split, broken.pieceCount);
        destroyAll(ways->automatic, broken.pieceCount);
        destroyAll(ways->rebuilt, broken.pieceCount);
        brokenFree(&broken);
        mean->split += times.split / seeds, mean->automatic += times.automatic / seeds;
        mean->rebuild += times.rebuild / seeds, mean->clone += times.clone / seeds;
        mean->restructure += times.restructure / seeds, mean->refit += times.refit / seeds;
        mean->quality += times.quality / seeds, mean->rebuiltQuality += times.rebuiltQuality / seeds;
        mean->triangles += times.triangles / seeds, mean->pieces += times.pieces / seeds,
            mean->rebuilt += times.rebuilt / seeds;
    }
    return status;
}

static shStatus crossingRows(Bench* bench, shContext* context, const shAsset* asset, Ways* ways, shMessage* message)
{
    static const int counts[] = {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512};
    int most = benchAmount(bench, 3, 64, 512);
    double crossing = 0.0, paperCrossing = 0.0, last = 0.0, ratio = 0.0;
    Plot* plot = plotOpen(bench, "fig8-pumpkin", "pieces,split,automatic,clone,delete and insert,refit,rebuild",
                          "set xlabel 'pieces'\nset ylabel 'ms'\nset logscale xy\n"
                          "plot for [i=2:7] data using 1:i with linespoints title columnheader(i)\n");
    Plot* quality = plotOpen(bench, "fig8-quality", "pieces,split,rebuilt",
                             "set xlabel 'pieces'\nset ylabel 'mean Q'\nset logscale x\n"
                             "plot for [i=2:3] data using 1:i with linespoints title columnheader(i)\n");
    shStatus status = shOk;
    for (size_t i = 0; i < sizeof counts / sizeof *counts && status == shOk && counts[i] <= most; ++i) {
        int sites = counts[i];
        if (sites > FEW_PIECES && crossing > 0.0)
            break;
        PieceTimes times;
        progressShow("bvh: pumpkin in %d", sites);
        status = measure(bench, context, asset, sites, ways, &times, sites == 8, message);
        if (status != shOk)
            break;
        last = times.pieces;
        ratio = times.rebuild / times.split;
        if (crossing <= 0.0 && times.split > times.rebuild)
            crossing = times.pieces;
        if (paperCrossing <= 0.0 && times.clone + times.restructure + times.refit > times.rebuild)
            paperCrossing = times.pieces;
        if (sites == 2 || sites == 8 || sites == 12)
            pieceRows(bench, sites, &times);
        PLOT_ROW(plot, times.pieces, times.split, times.automatic, times.clone, times.restructure, times.refit,
                 times.rebuild);
        PLOT_ROW(quality, times.pieces, times.quality, times.rebuiltQuality);
    }
    if (status == shOk) {
        BenchRow* row = benchRow(bench, "pumpkin_crossing", crossing > 0.0 ? crossing : NO_VALUE, "pieces", 8.0, NULL);
        if (crossing > 0.0)
            benchNote(row, "from here on rebuilding the trees is cheaper; the automatic choice rebuilds then");
        else
            benchNote(row, "none up to %.3g pieces: rebuilding takes %.3g times as long there", last, ratio);
        row = benchRow(bench, "pumpkin_crossing_paper_way", paperCrossing > 0.0 ? paperCrossing : NO_VALUE, "pieces",
                       8.0, NULL);
        benchNote(row, paperCrossing > 0.0 ? "clone, delete, insert per piece" : "none up to 12 pieces");
    }
    shStatus first = plotClose(plot, message), second = plotClose(quality, message);
    return status != shOk ? status : first != shOk ? first : second;
}

shStatus bvhPumpkinRows(Bench* bench, shMessage* message)
{
    shContext* context;
    shAsset* asset = NULL;
    shStatus status = bvhContext(&context, message);
    if (status != shOk)
        return status;
    Ways* ways = calloc(1, sizeof *ways);
    if (ways == NULL)
        status = failMemory(message);
    if (status == shOk)
        status = cacheModel(context, bench->tiny ? "brick" : "pumpkin", 1.0f, &asset, message);
    if (status == shOk)
        status = crossingRows(bench, context, asset, ways, message);
    free(ways);
    shDestroyAsset(asset);
    shDestroyContext(context);
    return status;
}
