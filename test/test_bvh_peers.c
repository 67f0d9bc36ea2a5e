// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The peers of suite `bvh` answer as its rows need it: times of all states, and as many rays hit as ours. Exit code 77
// when none of them was built.
#include "bench/bvh.h"
#include "bench/peer.h"
#include "core/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ABSENT = 77, STATES = 2, RAYS = 500 };

static shContext* context;
static BvhStates states;

static int make(void** state)
{
    (void)state;
    shContextDef def = shDefaultContextDef();
    if (shCreateContext(&def, &context, NULL) != shOk)
        return -1;
    Memory* memory = &context->memory;
    for (int i = 0; i < STATES; ++i) {
        if (bvhRound(memory, 40 + 8 * i, 20, &states.states[i], NULL) != shOk)
            return -1;
        ++states.stateCount;
    }
    Random random = randomSeed(1);
    states.rays = (BvhModel){.memory = memory, .pointCapacity = 2 * RAYS};
    states.rays.points = NEW_ARRAY(memory, shVec3, 2 * RAYS);
    if (states.rays.points == NULL)
        return -1;
    for (int i = 0; i < 2 * RAYS; ++i)
        states.rays.points[i] = randomInBox(&random, (shBox){{-2.0f, -1.5f, -2.0f}, {2.0f, 1.5f, 2.0f}});
    states.rays.mesh = (shTriangles){2 * RAYS, 0, states.rays.points, NULL};
    return 0;
}

static int unmake(void** state)
{
    (void)state;
    bvhStatesFree(&states);
    return shDestroyContext(context) == 0 ? 0 : -1;
}

static int ourHits(void)
{
    const shTriangles* mesh = &states.states[STATES - 1].mesh;
    static shBox boxes[4096];
    shBoxTreeDef def = shDefaultBoxTreeDef();
    shBoxTree* tree;
    int hits = 0;
    assert_true(mesh->triangleCount <= 4096);
    assert_int_equal(shTriangleBoxes(mesh, 0, mesh->triangleCount, boxes, NULL), shOk);
    assert_int_equal(shCreateBoxTree(context, &def, &tree, NULL), shOk);
    assert_int_equal(shBoxTree_Build(tree, mesh->triangleCount, NULL, boxes, NULL), shOk);
    for (int i = 0; i < RAYS; ++i) {
        bool any;
        shVec3 from = states.rays.points[2 * i], to = states.rays.points[2 * i + 1];
        shVec3 translation = {to.x - from.x, to.y - from.y, to.z - from.z};
        assert_int_equal(shTriangles_CastRayAny(tree, mesh, from, translation, &any, NULL), shOk);
        hits += any;
    }
    shDestroyBoxTree(tree);
    return hits;
}

static void embree_builds_refits_and_hits_as_many(void** state)
{
    (void)state;
    if (!peerExists("embree"))
        skip();
    BvhPeerTimes times = bvhAskPeer("embree", &states, 2);
    if (!times.there)
        fail_msg("%s", times.info);
    int ours = ourHits();
    assert_true(times.build > 0.0 && times.fast > 0.0 && times.refit > 0.0 && times.raysPerSecond > 0.0);
    assert_true(ours > RAYS / 4 && abs(times.hits - ours) <= 2); // in float, at the rim
}

static void fcl_builds_and_refits(void** state)
{
    (void)state;
    if (!peerExists("fcl_bvh"))
        skip();
    BvhPeerTimes times = bvhAskPeer("fcl_bvh", &states, 2);
    if (!times.there)
        fail_msg("%s", times.info);
    assert_true(times.build > 0.0 && times.refit > 0.0 && isnan(times.fast) && times.hits < 0);
}

static void a_missing_peer_says_so(void** state)
{
    (void)state;
    BvhPeerTimes times = bvhAskPeer("nobody", &states, 1);
    assert_true(!times.there && isnan(times.build) && isnan(times.raysPerSecond));
    assert_non_null(strstr(times.info, "peer nobody is not built"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(embree_builds_refits_and_hits_as_many),
        cmocka_unit_test(fcl_builds_and_refits),
        cmocka_unit_test(a_missing_peer_says_so),
    };
    int failed = cmocka_run_group_tests(tests, make, unmake);
    return failed == 0 && !peerExists("embree") && !peerExists("fcl_bvh") ? ABSENT : failed;
}
