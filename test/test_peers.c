// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Without argument: our side of the talk with peers, played with shell scripts. With the name of a peer: that it tells
// round things that touch from those that do not; exit code 77 when it was not built.
#include "bench/peer_pairs.h"
#include "cook/process.h"
#include "core/quat.h"
#include "test/shapes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ABSENT = 77 };

static char folder[256], workFile[300];
static const char* peerName;
static shMessage message;

static int makeScratch(void** unused)
{
    (void)unused;
    if (!makeFolder(folder, sizeof(folder)))
        return -1;
    snprintf(workFile, sizeof(workFile), "%s/work", folder);
    return 0;
}

static int removeScratch(void** unused)
{
    (void)unused;
    removeFolder(folder);
    return 0;
}

// A peer whose program is the given shell script.
static void play(const char* name, const char* script)
{
    char path[300];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n%s\n", script);
    fclose(file);
    chmod(path, 0755);
    setenv("SHERD_PEERS", folder, 1);
}

#define INFO "read l; echo '{\"peer\":\"x\",\"version\":\"1.2\",\"settings\":\"none\"}'; "

static void expectStart(const char* name, shStatus status, const char* text)
{
    Peer* peer;
    assert_int_equal(peerStart(name, workFile, 0.3, &peer, &message), status);
    assert_null(peer);
    if (strstr(message.text, text) == NULL)
        fail_msg("\"%s\" does not tell: %s", message.text, text);
}

static void aMissingPeerIsToldApartFromABrokenOne(void** unused)
{
    (void)unused;
    setenv("SHERD_PEERS", folder, 1);
    assert_false(peerExists("nobody"));
    expectStart("nobody", shNoFile, "peer nobody is not built");
    play("dead", "exit 3");
    assert_true(peerExists("dead"));
    expectStart("dead", shFailed, "exit code 3");
    play("crash", "kill -SEGV $$");
    expectStart("crash", shFailed, "signal 11");
    play("sorry", "echo '{\"error\":\"no luck\"}'");
    expectStart("sorry", shFailed, "peer sorry: no luck");
    play("loud", "echo hello");
    expectStart("loud", shFailed, "not one JSON object");
    play("list", "echo '[1]'");
    expectStart("list", shFailed, "not one JSON object");
}

static void aPeerThatHangsIsKilledInTime(void** unused)
{
    (void)unused;
    play("slow", "exec sleep 60");
    expectStart("slow", shFailed, "no answer after 0.3 s");
    play("stubborn", INFO "exec sleep 60"); // does not go when its input ends
    Peer* peer;
    assert_int_equal(peerStart("stubborn", workFile, 5.0, &peer, &message), shOk);
    peerStop(peer);
}

static void answersOfABlockAreHandedOver(void** unused)
{
    (void)unused;
    play("good", INFO "read l; [ \"$l\" = block ] && echo '{\"us\":[1.5,2],\"touch\":[0,1],\"depth\":[null,0.25]}'");
    Peer* peer;
    assert_int_equal(peerStart("good", workFile, 5.0, &peer, &message), shOk);
    assert_string_equal(peerInfo(peer), "good 1.2 (none)");
    double us[2];
    uint8_t touch[2];
    float depth[2];
    assert_int_equal(peerBlock(peer, us, touch, depth, 2, &message), shOk);
    assert_true(us[0] == 1.5 && us[1] == 2.0);
    assert_true(touch[0] == 0 && touch[1] == 1);
    assert_true(isnan(depth[0]) && depth[1] == 0.25f);
    // It has ended by now: that is an error, twice, and no signal.
    assert_int_equal(peerBlock(peer, us, touch, depth, 2, &message), shFailed);
    assert_int_equal(peerBlock(peer, us, touch, depth, 2, &message), shFailed);
    assert_non_null(strstr(message.text, "ended before"));
    peerStop(peer);
    play("fewer", INFO "read l; echo '{\"us\":[1],\"touch\":[0,1],\"depth\":[null,0.25]}'");
    assert_int_equal(peerStart("fewer", workFile, 5.0, &peer, &message), shOk);
    assert_int_equal(peerBlock(peer, us, touch, depth, 2, &message), shFailed);
    assert_non_null(strstr(message.text, "2 poses"));
    peerStop(peer);
    peerStop(NULL);
}

static void aLongAnswerArrivesWhole(void** unused)
{
    (void)unused;
    enum { COUNT = 50000 };
    play("long", INFO "read l; z=$(yes 7 | head -n 49999 | tr '\\n' ,)7; "
                      "echo \"{\\\"us\\\":[$z],\\\"touch\\\":[$z],\\\"depth\\\":[$z]}\"");
    Peer* peer;
    double* us = calloc(COUNT, sizeof(*us));
    assert_int_equal(peerStart("long", workFile, 5.0, &peer, &message), shOk);
    assert_int_equal(peerBlock(peer, us, NULL, NULL, COUNT, &message), shOk);
    for (int i = 0; i < COUNT; ++i)
        assert_true(us[i] == 7.0);
    free(us);
    peerStop(peer);
}

// Vertices on a sphere of radius 1, or on an ellipsoid, so the surface lies at most `SAG` below it.
enum { RINGS = 16, AROUND = 32, VERTICES = 2 + (RINGS - 1) * AROUND, TRIANGLES = 2 * (RINGS - 1) * AROUND };
enum { sphere, ellipsoid };
static const double SAG = 0.02, SHORT = 0.25, LONG = 0.75; // half axes: x and y, z
static shVec3 vertices[2][VERTICES];
static int triangles[TRIANGLES][3];

static void makeMeshes(PeerMesh meshes[2])
{
    shVec3* unit = vertices[sphere];
    unit[0] = (shVec3){0.0f, 0.0f, 1.0f};
    unit[1] = (shVec3){0.0f, 0.0f, -1.0f};
    int count = 0;
    for (int ring = 1; ring < RINGS; ++ring)
        for (int i = 0; i < AROUND; ++i) {
            double polar = TRIG_PI * ring / RINGS, angle = 2.0 * TRIG_PI * i / AROUND;
            int here = 2 + (ring - 1) * AROUND + i, next = 2 + (ring - 1) * AROUND + (i + 1) % AROUND;
            int above = ring > 1 ? here - AROUND : 0, below = ring + 1 < RINGS ? next + AROUND : 1;
            DVec3 p = {sin(polar) * cos(angle), sin(polar) * sin(angle), cos(polar)};
            unit[here] = vFromD(p);
            memcpy(triangles[count++], (int[3]){above, here, next}, sizeof(triangles[0]));
            memcpy(triangles[count++], (int[3]){here, below, next}, sizeof(triangles[0]));
        }
    assert_int_equal(count, TRIANGLES);
    for (int i = 0; i < VERTICES; ++i)
        vertices[ellipsoid][i] = (shVec3){(float)SHORT * unit[i].x, (float)SHORT * unit[i].y, (float)LONG * unit[i].z};
    for (int i = 0; i < 2; ++i)
        meshes[i] = (PeerMesh){VERTICES, TRIANGLES, vertices[i], triangles};
}

// Two bodies somewhere, turned anyhow, one from the other along an axis of the second (0: x, short; 1: z, long).
typedef struct Case {
    int a, b, axis;
    double reach;    // of both along that axis
    double distance; // of the centres
    bool touch;
} Case;

static const Case cases[] = {
    {sphere, sphere, 0, 2.0, 2.01, false},
    {sphere, sphere, 1, 2.0, 1.95, true},
    {sphere, sphere, 0, 2.0, 1.5, true},
    {sphere, sphere, 0, 2.0, 5.0, false},
    {sphere, ellipsoid, 0, 1.25, 1.26, false},
    {sphere, ellipsoid, 0, 1.25, 1.2, true},
    {sphere, ellipsoid, 1, 1.75, 1.76, false},
    {sphere, ellipsoid, 1, 1.75, 1.7, true},
    {sphere, ellipsoid, 1, 1.75, 1.4, true},
    {sphere, ellipsoid, 0, 1.25, 0.1, false}, // inside without touching: surfaces are hollow
    {ellipsoid, ellipsoid, 1, 1.5, 1.51, false},
};
enum { CASES = sizeof(cases) / sizeof(cases[0]), TURNS = 20, POSES = CASES * TURNS };

static shTransform turnedAt(DVec3 p)
{
    DQuat q = dqFromAxisAngle(randomPoint(1.0), randomIn(0.0, 3.0));
    return (shTransform){vFromD(p), qFromDq(q)};
}

// Every other turn has the two bodies the other way round.
static void makePoses(PeerPose* poses)
{
    static const DVec3 axes[2] = {{1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}};
    state = 7;
    for (int i = 0; i < POSES; ++i) {
        const Case* c = &cases[i % CASES];
        shTransform b = turnedAt(randomPoint(3.0));
        DVec3 way = dqRotate(dqFromQ(b.q), axes[c->axis]);
        shTransform a = turnedAt(dMad(dFromV(b.p), c->distance, way));
        poses[i] = i / CASES % 2 == 0 ? (PeerPose){c->a, c->b, a, b} : (PeerPose){c->b, c->a, b, a};
    }
}

static void checkBlock(const double* us, const uint8_t* touch, const float* depth)
{
    for (int i = 0; i < POSES; ++i) {
        const Case* c = &cases[i % CASES];
        assert_true(us[i] > 0.0);
        if (touch[i] != c->touch)
            fail_msg("case %d, turn %d: touch is %d", i % CASES, i / CASES, touch[i]);
        if (!c->touch)
            assert_true(isnan(depth[i]));
        else if (!(depth[i] >= 0.0f && (double)depth[i] <= c->reach - c->distance + 2.0 * SAG))
            fail_msg("case %d, turn %d: %g deep", i % CASES, i / CASES, (double)depth[i]);
    }
}

static void thePeerTellsWhatTouches(void** unused)
{
    (void)unused;
    PeerMesh meshes[2];
    static PeerPose poses[POSES];
    makeMeshes(meshes);
    makePoses(poses);
    assert_int_equal(peerWriteFile(workFile, meshes, 2, poses, POSES, &message), shOk);
    Peer* peer;
    if (peerStart(peerName, workFile, 20.0, &peer, &message) != shOk)
        fail_msg("%s", message.text);
    print_message("%s\n", peerInfo(peer));
    double us[POSES];
    uint8_t touch[POSES];
    float depth[POSES];
    for (int block = 0; block < 2; ++block) {
        assert_int_equal(peerBlock(peer, us, touch, depth, POSES, &message), shOk);
        checkBlock(us, touch, depth);
    }
    peerStop(peer);
}

static void thePeerRefusesDamagedFiles(void** unused)
{
    (void)unused;
    PeerMesh meshes[2];
    makeMeshes(meshes);
    PeerPose pose = {.b = 1, .xa.q = qIdentity(), .xb.q = qIdentity()};
    Peer* peer;
    assert_int_equal(peerWriteFile(workFile, meshes, 1, &pose, 1, &message), shOk);
    assert_int_equal(peerStart(peerName, workFile, 20.0, &peer, &message), shFailed);
    assert_non_null(strstr(message.text, "a mesh that is not there"));
    triangles[5][1] = VERTICES;
    assert_int_equal(peerWriteFile(workFile, meshes, 1, &pose, 1, &message), shOk);
    assert_int_equal(peerStart(peerName, workFile, 20.0, &peer, &message), shFailed);
    assert_non_null(strstr(message.text, "a vertex that is not there"));
    assert_int_equal(truncate(workFile, 5000), 0);
    assert_int_equal(peerStart(peerName, workFile, 20.0, &peer, &message), shFailed);
    assert_non_null(strstr(message.text, "ends too early"));
    remove(workFile);
    assert_int_equal(peerStart(peerName, workFile, 20.0, &peer, &message), shFailed);
    assert_non_null(strstr(message.text, "cannot be read"));
}

int main(int argc, char** argv)
{
    const struct CMUnitTest ours[] = {
        cmocka_unit_test(aMissingPeerIsToldApartFromABrokenOne),
        cmocka_unit_test(aPeerThatHangsIsKilledInTime),
        cmocka_unit_test(answersOfABlockAreHandedOver),
        cmocka_unit_test(aLongAnswerArrivesWhole),
    };
    const struct CMUnitTest theirs[] = {
        cmocka_unit_test(thePeerTellsWhatTouches),
        cmocka_unit_test(thePeerRefusesDamagedFiles),
    };
    if (argc < 2)
        return cmocka_run_group_tests_name("peers", ours, makeScratch, removeScratch);
    peerName = argv[1];
    if (!peerExists(peerName)) {
        printf("peer %s: absent\n", peerName);
        return ABSENT;
    }
    return cmocka_run_group_tests_name(peerName, theirs, makeScratch, removeScratch);
}
