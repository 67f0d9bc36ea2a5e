// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What the guard takes for clear between two bodies without a look at them, where they are and on their ways, against
// every sample of both: plates that break on the ground and fly apart.
#include <stdio.h>

#include "test/world_scene.h"

#include "collide/target.h"
#include "solid/solid.h"
#include "test/tree_walk.h"

// Is no sample of a piece nearer to the other than `clear`? Below 0: deeper in it. `in` takes the samples' frame to the
// other's.
static bool isClear(const shCollider* samples, const shCollider* other, shTransform in, float clear)
{
    const TreePoint* points = treesPoints(&samples->solid->trees);
    int root = treesRoot(&samples->solid->trees, samples->piece);
    for (int at = root; at >= 0; at = treeNext(points, root, at)) {
        FieldHit hit;
        // Beyond the box nothing is: that spares most looks at a surface.
        Vec3 p = xformPoint(in, points[at].p);
        if (boxDistance2(targetPiece(other->solid, other->piece).box, p) < maxF(clear * clear, 1e-12f) &&
            fieldProbeFar(&other->solid->field, other->piece, p, fabsf(clear), &hit) && hit.distance < clear)
            return false;
    }
    return true;
}

// Returns how many pairs were said to be clear.
static int checkPairs(const shWorld* world)
{
    int count = 0;
    for (int i = 0; i < world->pairs.count; ++i) {
        const Pair* pair = &world->pairs.data[i];
        const Body *a = &world->bodies.data[pair->a], *b = &world->bodies.data[pair->b];
        if (!bodyIsSolid(a) || !bodyIsSolid(b))
            continue;
        float clear = pairClear(pair, a, a->transform, b, b->transform);
        if (!(clear > 0.0f))
            continue;
        ++count;
        shCollider ca = bodyCollider(world, a), cb = bodyCollider(world, b);
        shTransform toB = xformMul(xformInverse(b->transform), a->transform), toA = xformInverse(toB);
        assert_true(isClear(&ca, &cb, toB, clear));
        assert_true(isClear(&cb, &ca, toA, clear));
    }
    return count;
}

// The same of the ways that bodies have gone in the step. Returns how many pairs something was said of.
static int checkWays(const shWorld* world, int* close)
{
    int count = 0;
    for (int i = 0; i < world->pairs.count; ++i) {
        const Pair* pair = &world->pairs.data[i];
        const Body *a = &world->bodies.data[pair->a], *b = &world->bodies.data[pair->b];
        if (!bodyIsSolid(a) || !bodyIsSolid(b) || a->state < 0 || b->state < 0)
            continue;
        const BodyWay *wayA = bodyWay(world, a), *wayB = bodyWay(world, b);
        float since = maxF(wayA->since, wayB->since), apart = waysApart(world, pair->a, pair->b, since);
        if (!(apart > -SWEEP_DEPTH * minF(a->thin, b->thin)) || apart > 0.3f * minF(a->radius, b->radius))
            continue; // far apart, they say little
        ++count;
        *close += apart < 0.0f;
        shCollider ca = bodyCollider(world, a), cb = bodyCollider(world, b);
        for (int k = 0; k <= 4; ++k) {
            float time = since + 0.25f * (float)k * (1.0f - since);
            shTransform toB = xformMul(xformInverse(wayAt(world, b->state, time)), wayAt(world, a->state, time));
            assert_true(isClear(&ca, &cb, toB, apart));
            assert_true(isClear(&cb, &ca, xformInverse(toB), apart));
        }
    }
    return count;
}

static void nothingIsNearerThanThat(void** unused)
{
    (void)unused;
    int checked = 0, ways = 0, close = 0;
    Random random = randomSeed(77);
    for (int k = 0; k < 2; ++k) {
        Scene scene = sceneMake("plate");
        sceneGround(&scene, qIdentity(), 0.5f);
        shFractureDef fracture = shDefaultFractureDef(shUniformPattern);
        fracture.pattern.pieces = 12;
        fracture.pattern.seed = randomBits(&random);
        fracture.factor = 0.3;
        for (int i = 0; i < 4; ++i) {
            shBodyDef def = scenePiece(&scene, vec3(randomRange(&random, -0.1f, 0.1f), 0.2f + 0.3f * (float)i, 0.0f));
            def.fracture = &fracture;
            def.velocity = vec3(0.0f, -8.0f, 0.0f);
            def.transform.q = randomRotation(&random);
            sceneAdd(&scene, def);
        }
        shMessage message = {""};
        for (int i = 0; i < 40; ++i) {
            sceneCheck(shWorld_Step(scene.world, 0.01f, &message), &message);
            checked += i % 3 == 0 ? checkPairs(scene.world) : 0;
            ways += i % 3 == 1 ? checkWays(scene.world, &close) : 0;
        }
        assert_true(shWorld_GetCounters(scene.world).bodies > 10);
        sceneFree(&scene);
    }
    printf("%d pairs said to be clear, %d on their ways, %d of them less than that\n", checked, ways, close);
    assert_true(checked > 1000 && ways > 500 && close > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothingIsNearerThanThat)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
