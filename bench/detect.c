// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Suite `detect`: contacts of two bunnies and of their fragments, beside other engines on the same triangle meshes in
// the same poses. Every query is a first meeting. CPU time of one thread; blocks of ours and theirs take turns; each
// pose counts with its best block.
#include "bench/cache.h"
#include "bench/clock.h"
#include "bench/peer_pairs.h"
#include "bench/poses.h"
#include "bench/suites.h"
#include "cli/progress.h"
#include "core/message.h"
#include "core/random.h"
#include "core/weld.h"
#include "solid/solid.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PEERS = 3, MOST_POSES = 300, FRAGMENTS = 10, BLOCKS = 5 };

static const char* const peerNames[PEERS] = {"fcl", "bullet", "ode"};
static const float DEEPEST = 0.1f; // of the smaller piece's diameter
static const float CLOSE = 0.01f;  // likewise: how far around the first touch agreement is looked at closely
static const double PEER_SECONDS = 60.0;

// Poses, the meshes that peers see, and everybody's times.
typedef struct Match {
    Bench* bench;
    shQuery* query;
    Memory* memory;
    Pose poses[MOST_POSES];
    int poseCount;
    PeerMesh meshes[2 * FRAGMENTS];
    int meshIds[MOST_POSES][2];
    int meshCount;
    double ours[MOST_POSES];          // µs
    double theirs[PEERS][MOST_POSES]; // µs
    uint8_t touches[PEERS][MOST_POSES];
    bool present[PEERS];
    char notes[PEERS][BENCH_NOTE]; // version and settings, or why a peer is missing
} Match;

// ---- meshes and poses -----------------------------------------------------------------------------------------------

static void freeMesh(PeerMesh* mesh, Memory* memory)
{
    memFree(memory, (void*)mesh->vertices, (size_t)mesh->vertexCount * sizeof(Vec3));
    memFree(memory, (void*)mesh->triangles, (size_t)mesh->triangleCount * sizeof(int[3]));
}

// A piece's closed surface with shared vertices.
static bool meshOf(const shSolid* solid, int piece, Memory* memory, PeerMesh* mesh)
{
    int count = shSolid_GetTriangles(solid, piece, NULL, NULL, 0);
    Vec3* corners = NEW_ARRAY(memory, Vec3, 3 * count);
    int* indices = NEW_ARRAY(memory, int, 3 * count);
    int* firsts = NEW_ARRAY(memory, int, 3 * count);
    Vec3* vertices = NULL;
    int vertexCount = -1;
    if (corners != NULL && indices != NULL && firsts != NULL) {
        shSolid_GetTriangles(solid, piece, (Vec3(*)[3])corners, NULL, count);
        vertexCount = weldRows(memory, corners, sizeof(Vec3), 3 * count, indices, firsts);
        vertices = vertexCount > 0 ? NEW_ARRAY(memory, Vec3, vertexCount) : NULL;
    }
    for (int i = 0; i < vertexCount && vertices != NULL; ++i)
        vertices[i] = corners[firsts[i]];
    FREE_ARRAY(memory, corners, 3 * count);
    FREE_ARRAY(memory, firsts, 3 * count);
    *mesh = (PeerMesh){vertexCount, count, vertices, (const int(*)[3])indices};
    if (vertices == NULL)
        FREE_ARRAY(memory, indices, 3 * count);
    return vertices != NULL;
}

typedef enum PoseKind { poseDeep, poseApart, poseClose } PoseKind;

// Share of the smaller diameter that pose i is deep: evenly spread in an order without pattern.
static float depthOf(PoseKind kind, Random* random)
{
    float u = randomFloat(random);
    return kind == poseDeep ? DEEPEST * u : kind == poseApart ? -DEEPEST * u : CLOSE * (2.0f * u - 1.0f);
}

// `count` poses of random pairs, one piece of each list.
static void findPoses(Match* match, const shSolid* const solids[2], const int* const pieces[2],
                      const int pieceCounts[2], PoseKind kind, int count, uint64_t seed)
{
    match->poseCount = 0;
    for (uint64_t attempt = 0; match->poseCount < count && attempt < 4 * (uint64_t)count; ++attempt) {
        Random random = randomSeedItem(seed, attempt);
        shCollider pair[2];
        float diameter = INFINITY;
        int meshes[2];
        for (int side = 0; side < 2; ++side) {
            int i = randomBelow(&random, pieceCounts[side]);
            pair[side] = (shCollider){.solid = solids[side], .piece = pieces[side][i]};
            meshes[side] = match->meshCount > 1 ? side * pieceCounts[0] + i : 0;
            diameter = minF(diameter, pieceDiameter(solids[side], pieces[side][i]));
        }
        float depth = diameter * depthOf(kind, &random);
        if (!poseFind(match->query, pair, depth, randomBits(&random), &match->poses[match->poseCount]))
            continue;
        memcpy(match->meshIds[match->poseCount++], meshes, sizeof(meshes));
    }
}

// ---- racing ---------------------------------------------------------------------------------------------------------

static shStatus writeWork(const Match* match, char* path, size_t size, shMessage* message)
{
    PeerPose work[MOST_POSES];
    for (int i = 0; i < match->poseCount; ++i)
        work[i] = (PeerPose){match->meshIds[i][0], match->meshIds[i][1], match->poses[i].colliders[0].transform,
                             match->poses[i].colliders[1].transform};
    char name[64];
    snprintf(name, sizeof(name), "detect-%ld.pairs", (long)getpid());
    shStatus status = cachePath(name, path, size, message);
    return status == shOk ? peerWriteFile(path, match->meshes, match->meshCount, work, match->poseCount, message)
                          : status;
}

static void startPeers(Match* match, const char* path, Peer* peers[PEERS])
{
    for (int p = 0; p < PEERS; ++p) {
        shMessage why = {""};
        match->present[p] = peerStart(peerNames[p], path, PEER_SECONDS, &peers[p], &why) == shOk;
        snprintf(match->notes[p], BENCH_NOTE, "%.250s", match->present[p] ? peerInfo(peers[p]) : why.text);
    }
}

static void peerTurn(Match* match, int p, Peer* peer)
{
    double us[MOST_POSES];
    shMessage why = {""};
    match->present[p] = peerBlock(peer, us, match->touches[p], NULL, match->poseCount, &why) == shOk;
    if (!match->present[p])
        snprintf(match->notes[p], BENCH_NOTE, "%.250s", why.text);
    for (int i = 0; i < match->poseCount && match->present[p]; ++i)
        match->theirs[p][i] = minD(match->theirs[p][i], us[i]);
}

// Blocks in turn. Without our clock (`blocks` 1, for touch or not) the times mean nothing.
static shStatus race(Match* match, int blocks, shMessage* message)
{
    char path[1024];
    Peer* peers[PEERS] = {NULL};
    shStatus status = writeWork(match, path, sizeof(path), message);
    if (status != shOk)
        return status;
    for (int i = 0; i < match->poseCount; ++i) {
        match->ours[i] = INFINITY;
        for (int p = 0; p < PEERS; ++p)
            match->theirs[p][i] = INFINITY;
    }
    startPeers(match, path, peers);
    shCollideDef def = shDefaultCollideDef();
    for (int block = 0; block < blocks && status == shOk; ++block) {
        progressShow("detect: block %d of %d", block + 1, blocks);
        status = posesTime(match->query, &def, match->poses, match->poseCount, match->ours, message);
        for (int p = 0; p < PEERS; ++p)
            if (match->present[p])
                peerTurn(match, p, peers[p]);
    }
    for (int p = 0; p < PEERS; ++p)
        peerStop(peers[p]);
    remove(path);
    return status;
}

// ---- rows -----------------------------------------------------------------------------------------------------------

// Percentile (or with share < 0 the mean) of the fastest peer over ours.
static void speedupRow(Match* match, const char* row, double share, const char* goal)
{
    int n = match->poseCount, fastest = -1;
    double best = INFINITY, ours = share < 0.0 ? meanOf(match->ours, n) : percentileOf(match->ours, n, share);
    for (int p = 0; p < PEERS; ++p) {
        double theirs = share < 0.0 ? meanOf(match->theirs[p], n) : percentileOf(match->theirs[p], n, share);
        if (match->present[p] && theirs < best) {
            best = theirs;
            fastest = p;
        }
    }
    BenchRow* made = benchRow(match->bench, row, fastest >= 0 ? best / ours : NO_VALUE, "x", NO_VALUE, goal);
    if (fastest >= 0)
        benchNote(made, "%s %.0f us, ours %.1f us; %d poses", peerNames[fastest], best, ours, n);
    else
        benchNote(made, "no peer: %.200s", match->notes[0]);
}

static void timeRows(Match* match, const char* prefix)
{
    int n = match->poseCount;
    char row[BENCH_NAME];
    shCollideDef def = shDefaultCollideDef();
    snprintf(row, sizeof(row), "%sours_avg_us", prefix);
    double visited = posesVisited(match->query, &def, match->poses, n);
    benchNote(benchRow(match->bench, row, meanOf(match->ours, n), "us", NO_VALUE, NULL), "%.0f samples tested",
              visited);
    snprintf(row, sizeof(row), "%sours_p99_us", prefix);
    benchRow(match->bench, row, percentileOf(match->ours, n, 0.99), "us", NO_VALUE, NULL);
    for (int p = 0; p < PEERS; ++p) {
        snprintf(row, sizeof(row), "%s%s_avg_us", prefix, peerNames[p]);
        double value = match->present[p] ? meanOf(match->theirs[p], n) : NO_VALUE;
        benchNote(benchRow(match->bench, row, value, "us", NO_VALUE, NULL), "%s", match->notes[p]);
        snprintf(row, sizeof(row), "%s%s_p99_us", prefix, peerNames[p]);
        value = match->present[p] ? percentileOf(match->theirs[p], n, 0.99) : NO_VALUE;
        benchRow(match->bench, row, value, "us", NO_VALUE, NULL);
    }
}

static shCollideDef variantDef(bool all, bool plainOrder)
{
    shCollideDef def = shDefaultCollideDef();
    def.all = all;
    def.plainOrder = plainOrder;
    return def;
}

// Deepest contact of a query over the deepest of the full one; returns the number of contacts.
static int depthRatio(shQuery* query, const shCollideDef* def, const Pose* pose, Samples* ratios)
{
    shCollideDef all = variantDef(true, false);
    int count;
    float selected = poseDeepest(query, def, pose, &count);
    float full = poseDeepest(query, &all, pose, NULL);
    if (full > 0.0f)
        samplesAdd(ratios, (double)maxF(selected, 0.0f) / (double)full);
    return count;
}

// How much dearer (or cheaper) a query is without one of its ideas.
static shStatus variantRow(Match* match, const char* row, const shCollideDef* variant, const Pose* poses,
                           shMessage* message)
{
    int n = match->poseCount;
    double times[2][MOST_POSES];
    shCollideDef usual = shDefaultCollideDef();
    for (int i = 0; i < n; ++i)
        times[0][i] = times[1][i] = INFINITY;
    shStatus status = shOk;
    for (int block = 0; block < BLOCKS && status == shOk; ++block) {
        status = posesTime(match->query, &usual, match->poses, n, times[0], message);
        if (status == shOk)
            status = posesTime(match->query, variant, poses, n, times[1], message);
    }
    Samples ratios = {0};
    double contacts = 0.0;
    for (int i = 0; i < n; ++i)
        contacts += depthRatio(match->query, variant, &poses[i], &ratios);
    benchNote(benchRow(match->bench, row, meanOf(times[1], n) / meanOf(times[0], n), "x", NO_VALUE, NULL),
              "time over ours; %.1f us, %.0f samples tested, %.1f contacts, depth ratio p5 %.2f", meanOf(times[1], n),
              posesVisited(match->query, variant, poses, n), contacts / n, samplesPercentile(&ratios, 0.05));
    return status;
}

static double agreement(const Match* match, int* count)
{
    shCollideDef def = shDefaultCollideDef();
    int agreed = 0;
    for (int i = 0; i < match->poseCount; ++i)
        agreed += (poseDeepest(match->query, &def, &match->poses[i], NULL) > 0.0f) == (match->touches[0][i] != 0);
    *count += match->poseCount;
    return agreed;
}

// Selected against full.
static void selectionOf(const Match* match, Samples* ratios, int* mostContacts)
{
    shCollideDef def = shDefaultCollideDef();
    for (int i = 0; i < match->poseCount; ++i)
        *mostContacts = maxI(*mostContacts, depthRatio(match->query, &def, &match->poses[i], ratios));
}

// How true reported depths are.
static void depthErrorRow(Match* match, const char* row)
{
    Samples errors = {0};
    for (int i = 0; i < match->poseCount; ++i) {
        double error = poseDepthError(match->query, &match->poses[i]);
        if (isfinite(error))
            samplesAdd(&errors, error);
    }
    benchNote(benchRow(match->bench, row, samplesPercentile(&errors, 0.95), "x", NO_VALUE, NULL),
              "deepest of the full query / its true distance; median %.3f, largest %.2f", samplesMedian(&errors),
              samplesLargest(&errors));
}

static void agreeRow(Match* match, const char* row, double agreed, int count, const char* goal, const char* what)
{
    BenchRow* made =
        benchRow(match->bench, row, match->present[0] ? 100.0 * agreed / count : NO_VALUE, "%", NO_VALUE, goal);
    if (match->present[0])
        benchNote(made, "%d of %d poses, %s", (int)agreed, count, what);
    else
        benchNote(made, "%s", match->notes[0]);
}

// ---- the suite ------------------------------------------------------------------------------------------------------

static shStatus intact(Match* match, const shSolid* solid, int poses, int blocks, Samples* ratios, int* mostContacts,
                       shMessage* message)
{
    const shSolid* const solids[2] = {solid, solid};
    const int whole = 0, one[2] = {1, 1};
    const int* const pieces[2] = {&whole, &whole};
    if (!meshOf(solid, 0, match->memory, &match->meshes[0]))
        return failMemory(message);
    match->meshCount = 1;
    double agreed = 0.0;
    int count = 0, close = 0;
    // Closeness first: its rows come last, but its times are not wanted.
    findPoses(match, solids, pieces, one, poseClose, benchAmount(match->bench, 3, MOST_POSES, MOST_POSES), 3);
    shStatus status = race(match, 1, message);
    double closeAgreed = agreement(match, &close);
    findPoses(match, solids, pieces, one, poseApart, benchAmount(match->bench, 3, MOST_POSES, MOST_POSES), 2);
    if (status == shOk)
        status = race(match, 1, message);
    agreed += agreement(match, &count);
    findPoses(match, solids, pieces, one, poseDeep, poses, 1);
    if (status == shOk)
        status = race(match, blocks, message);
    if (status != shOk)
        return status;
    agreed += agreement(match, &count);
    selectionOf(match, ratios, mostContacts);
    speedupRow(match, "speedup_avg", -1.0, ">= 60");
    speedupRow(match, "speedup_p99", 0.99, ">= 30");
    agreeRow(match, "agree_pct", agreed, count, ">= 99.5", "10 % apart to 10 % deep, margin 0, against fcl");
    agreeRow(match, "agree_close_pct", closeAgreed, close, NULL, "1 % apart to 1 % deep: edge against edge included");
    depthErrorRow(match, "depth_over_exact_p95");
    timeRows(match, "");
    shCollideDef full = variantDef(true, false), plain = variantDef(false, true);
    status = variantRow(match, "variant_full", &full, match->poses, message);
    if (status == shOk)
        status = variantRow(match, "variant_plain_order", &plain, match->poses, message);
    freeMesh(&match->meshes[0], match->memory);
    return status;
}

// The same poses on solids that were broken with the naive restructuring.
static shStatus naiveRows(Match* match, const shSolid* const solids[2], shMessage* message)
{
    shSolid* naive[2] = {NULL, NULL};
    shStatus status = shOk;
    for (int side = 0; side < 2 && status == shOk; ++side) {
        status = shCreateSolid(shSolid_GetAsset(solids[side]), &naive[side], message);
        if (status == shOk) {
            naive[side]->trees.restructure = restructureFirst;
            status = breakSeeded(naive[side], FRAGMENTS, 11 + (uint64_t)side, message);
        }
    }
    Pose poses[MOST_POSES];
    for (int i = 0; i < match->poseCount; ++i) {
        poses[i] = match->poses[i];
        poses[i].colliders[0].solid = naive[0];
        poses[i].colliders[1].solid = naive[1];
    }
    shCollideDef usual = shDefaultCollideDef(), plain = variantDef(false, true);
    if (status == shOk)
        status = variantRow(match, "variant_naive_restructure", &usual, poses, message);
    if (status == shOk)
        status = variantRow(match, "variant_naive_both", &plain, poses, message);
    for (int side = 0; side < 2; ++side)
        shDestroySolid(naive[side]);
    return status;
}

static shStatus fragments(Match* match, const shAsset* asset, int poses, int blocks, Samples* ratios, int* mostContacts,
                          shMessage* message)
{
    shSolid* solids[2] = {NULL, NULL};
    int lists[2][FRAGMENTS], counts[2] = {0, 0};
    shStatus status = shOk;
    match->meshCount = 0;
    for (int side = 0; side < 2 && status == shOk; ++side) {
        status = shCreateSolid(asset, &solids[side], message);
        if (status == shOk)
            status = breakSeeded(solids[side], FRAGMENTS, 11 + (uint64_t)side, message);
        if (status == shOk)
            counts[side] = largestPieces(solids[side], FRAGMENTS, lists[side]);
        for (int i = 0; i < counts[side] && status == shOk; ++i)
            if (meshOf(solids[side], lists[side][i], match->memory, &match->meshes[match->meshCount]))
                ++match->meshCount;
            else
                status = failMemory(message);
    }
    const shSolid* const both[2] = {solids[0], solids[1]};
    const int* const pieces[2] = {lists[0], lists[1]};
    if (status == shOk) {
        progressShow("detect: poses of fragments");
        findPoses(match, both, pieces, counts, poseDeep, poses, 4);
        status = race(match, blocks, message);
    }
    if (status == shOk) {
        int count = 0;
        double agreed = agreement(match, &count);
        selectionOf(match, ratios, mostContacts);
        speedupRow(match, "fragments_speedup_avg", -1.0, ">= 30");
        speedupRow(match, "fragments_speedup_p99", 0.99, NULL);
        agreeRow(match, "fragments_agree_pct", agreed, count, NULL, "all up to 10 % deep");
        depthErrorRow(match, "fragments_depth_over_exact_p95");
        timeRows(match, "fragments_");
        shCollideDef full = variantDef(true, false), plain = variantDef(false, true);
        status = variantRow(match, "variant_full_fragments", &full, match->poses, message);
        if (status == shOk)
            status = variantRow(match, "variant_plain_order_fragments", &plain, match->poses, message);
    }
    if (status == shOk)
        status = naiveRows(match, both, message);
    for (int i = 0; i < match->meshCount; ++i)
        freeMesh(&match->meshes[i], match->memory);
    for (int side = 0; side < 2; ++side)
        shDestroySolid(solids[side]);
    return status;
}

static void missing(Bench* bench, const shMessage* message)
{
    static const char* const rows[][3] = {{"speedup_avg", "x", ">= 60"},           {"speedup_p99", "x", ">= 30"},
                                          {"fragments_speedup_avg", "x", ">= 30"}, {"contacts_max", "", "<= 24"},
                                          {"agree_pct", "%", ">= 99.5"},           {"depth_ratio_p5", "", ">= 0.8"}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i)
        benchNote(benchRow(bench, rows[i][0], NO_VALUE, rows[i][1], NO_VALUE, rows[i][2]), "%.200s", message->text);
}

shStatus benchDetect(Bench* bench, shMessage* message)
{
    shAsset* asset;
    shSolid* solid = NULL;
    progressShow("detect: the bunny");
    shStatus status = bench->tiny ? cacheModel(bench->single, "sphere", 0.3f, &asset, message)
                                  : cacheBunny(bench->single, 7940, &asset, message);
    if (status == shNoFile || status == shFailed) {
        missing(bench, message);
        return shOk;
    }
    if (status != shOk)
        return status;
    Memory* memory = &bench->single->memory;
    Match* match = NEW_ZEROED(memory, Match, 1);
    status = match != NULL ? shCreateSolid(asset, &solid, message) : failMemory(message);
    if (status == shOk) {
        match->bench = bench;
        match->memory = memory;
        status = shCreateQuery(bench->single, &match->query, message);
    }
    Samples ratios = {0};
    int mostContacts = 0, poses = benchAmount(bench, 3, 100, MOST_POSES),
        blocks = maxI(BLOCKS, benchRepeats(bench, 5, 9));
    if (status == shOk)
        status = intact(match, solid, poses, blocks, &ratios, &mostContacts, message);
    if (status == shOk)
        status = fragments(match, asset, poses, blocks, &ratios, &mostContacts, message);
    if (status == shOk) {
        benchNote(benchRow(bench, "contacts_max", mostContacts, "", NO_VALUE, "<= 24"), "per pair, first meetings");
        benchNote(benchRow(bench, "depth_ratio_p5", samplesPercentile(&ratios, 0.05), "", NO_VALUE, ">= 0.8"),
                  "deepest selected / deepest of the full query; median %.3f, smallest %.3f, %d poses",
                  samplesMedian(&ratios), samplesBest(&ratios), ratios.count);
    }
    if (match != NULL)
        shDestroyQuery(match->query);
    FREE_ARRAY(memory, match, 1);
    shDestroySolid(solid);
    shDestroyAsset(asset);
    progressClear();
    return status;
}
