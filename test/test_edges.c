// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Contacts of convex bodies against separating axes: rocks, boxes and prisms in each other by a little, in all
// positions. What the axes say is the least depth of all directions; no pair deeper than a hundredth of the size may be
// without a contact, and the deepest contact must tell nearly all of it.
#include "bench/convex_rock.h"
#include "core/random.h"
#include "sherd/collide.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { bodies = 12, cases = 3000 };
static shContext* context;
static Rock rocks[bodies];
static shAsset* assets[bodies];
static shSolid* solids[bodies];

static void check(shStatus status, const shMessage* message)
{
    if (status != shOk)
        fail_msg("%s: %s", shStatusText(status), message->text);
}

// Faces of many-sided bodies in general position: corners are moved by next to nothing.
static void makeBody(int kind, Random* random, Rock* rock)
{
    DVec3 corners[8];
    int count = 0;
    if (kind == 0) {
        rockMake(randomBits(random), rock);
        return;
    }
    double x = (double)randomRange(random, 0.2f, 0.6f), y = (double)randomRange(random, 0.2f, 0.6f),
           z = (double)randomRange(random, 0.2f, 0.6f);
    if (kind == 1) {
        for (int k = 0; k < 8; ++k)
            corners[count++] = dvec3(k & 1 ? x : -x, k & 2 ? y : -y, k & 4 ? z : -z);
    } else {
        for (int k = 0; k < 6; ++k) { // an edge of 60°
            const double across[3] = {-0.5, 0.5, 0.0}, up[3] = {0.0, 0.0, 0.8660254};
            corners[count++] = dvec3(x * across[k % 3] * 2.0, x * up[k % 3] * 2.0, k < 3 ? -z : z);
        }
    }
    for (int k = 0; k < count; ++k) {
        Vec3 near = vFromD(dMad(corners[k], 1e-5, randomDirection(random)));
        corners[k] = dFromV(near);
    }
    assert_true(rockHull(corners, count, rock));
}

// Moves B against A until they are as deep in each other as wanted.
static bool placeAt(const Rock* a, const Rock* b, shTransform* at, DVec3 way, double wanted)
{
    double low = 0.0, high = 3.0;
    PlacedRock placedA, placedB;
    rockPlace(a, (shTransform){{0, 0, 0}, {{0, 0, 0}, 1}}, &placedA);
    for (int i = 0; i < 40; ++i) {
        double middle = 0.5 * (low + high);
        at->p = vFromD(dScale(middle, way));
        rockPlace(b, *at, &placedB);
        if (rockDepth(&placedA, &placedB) > wanted)
            low = middle;
        else
            high = middle;
    }
    double depth = rockDepth(&placedA, &placedB);
    return depth > 0.5 * wanted && depth < 2.0 * wanted;
}

static int compare(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return x < y ? -1 : x > y;
}

static void contacts_of_convex_bodies_tell_their_depth(void** state)
{
    (void)state;
    shMessage message = {""};
    shQuery* query;
    check(shCreateQuery(context, &query, &message), &message);
    Random random = randomSeed(5);
    static double found[cases];
    int count = 0, missed = 0, trials = 0;
    while (count < cases && trials++ < 4 * cases) {
        int i = randomBelow(&random, bodies), k = randomBelow(&random, bodies);
        double wanted = exp((double)randomRange(&random, -6.9f, -3.0f)); // 1 to 50 mm of about a metre
        shTransform at = {{0, 0, 0}, randomRotation(&random)};
        if (!placeAt(&rocks[i], &rocks[k], &at, randomDirection(&random), wanted))
            continue;
        PlacedRock a, b;
        rockPlace(&rocks[i], (shTransform){{0, 0, 0}, {{0, 0, 0}, 1}}, &a);
        rockPlace(&rocks[k], at, &b);
        double depth = rockDepth(&a, &b);
        shCollideDef def = shDefaultCollideDef();
        shCollider colliders[2] = {{solids[i], 0, {{0, 0, 0}, {{0, 0, 0}, 1}}}, {solids[k], 0, at}};
        const shContact* contacts;
        int contactCount;
        check(shCollide(query, &def, &colliders[0], &colliders[1], NULL, &contacts, &contactCount, &message), &message);
        double deepest = 0.0;
        for (int c = 0; c < contactCount; ++c)
            deepest = maxD(deepest, -(double)contacts[c].distance);
        missed += deepest == 0.0 && depth > 0.01;
        found[count++] = deepest / depth;
    }
    qsort(found, (size_t)count, sizeof *found, compare);
    printf(
        "  %d pairs: %d deeper than 1 %% without a contact; depth found: %.3f at the 1st percentile, %.3f at the 5th, "
        "%.3f in the middle, %.3f at the 99th\n",
        count, missed, found[count / 100], found[count / 20], found[count / 2], found[count - count / 100 - 1]);
    assert_true(count > cases / 2);
    assert_int_equal(missed, 0);
    assert_true(found[count / 100] >= 0.8);
    shDestroyQuery(query);
}

static int setUp(void** state)
{
    (void)state;
    shMessage message = {""};
    shContextDef def = shDefaultContextDef();
    def.workerCount = 1;
    check(shCreateContext(&def, &context, &message), &message);
    Random random = randomSeed(1);
    for (int i = 0; i < bodies; ++i) {
        makeBody(i % 3, &random, &rocks[i]);
        check(rockCook(context, &rocks[i], &assets[i], &message), &message);
        check(shCreateSolid(assets[i], &solids[i], &message), &message);
    }
    return 0;
}

static int tearDown(void** state)
{
    (void)state;
    for (int i = 0; i < bodies; ++i) {
        shDestroySolid(solids[i]);
        shDestroyAsset(assets[i]);
    }
    return shDestroyContext(context) == 0 ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(contacts_of_convex_bodies_tell_their_depth)};
    return cmocka_run_group_tests(tests, setUp, tearDown);
}
