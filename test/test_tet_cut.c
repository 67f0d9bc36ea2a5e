// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// One tetrahedron, cut in random chains of breaks: shares close, volumes add up, owners agree with the geometry, and
// what a later cut does not touch stays as it was, bit for bit.
#include "field/tet_cut.h"
#include "field/topology.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static uint64_t state = 1;
static float uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (float)(state >> 40) * 0x1p-24f;
}

typedef struct Case {
    TetCut cut;
    TetCutPoints points;
    int label[4];
    int births;
} Case;

static void start(Case* c)
{
    memset(c, 0, sizeof(*c));
    double volume = 0.0;
    while (volume < 0.02) {
        for (int i = 0; i < 4; ++i)
            c->points.corner[i] = vec3(uniform(), uniform(), uniform());
        volume = dOrient(dFromV(c->points.corner[0]), dFromV(c->points.corner[1]), dFromV(c->points.corner[2]),
                         dFromV(c->points.corner[3]));
    }
}

// Splits the corners that carry `label` at random; false if nothing was cut.
static bool split(Case* c, int label, int newLabels)
{
    int next[4];
    for (int i = 0; i < 4; ++i)
        next[i] = c->label[i] == label ? 100 * (c->births + 1) + (int)(uniform() * (float)newLabels) : c->label[i];
    bool any = false;
    for (int e = 0; e < 6; ++e) {
        int a = tetEdgeEnds[e][0], b = tetEdgeEnds[e][1];
        if (c->label[a] == c->label[b] && next[a] != next[b]) {
            c->cut.birth[e] = (uint8_t)(c->births + 1);
            c->cut.t[e] = 0.05f + 0.9f * uniform();
            c->points.edge[e] = vLerp(c->points.corner[a], c->points.corner[b], c->cut.t[e]);
            any = true;
        }
    }
    if (!any)
        return false;
    memcpy(c->label, next, sizeof(next));
    ++c->births;
    tetCutShape(&c->cut);
    tetCutPlace(&c->cut, (int[4]){0, 1, 2, 3}, &c->points);
    return true;
}

static double facetVolume(const Facet* f)
{
    return dDot(dCross(dFromV(f->p[0]), dFromV(f->p[1])), dFromV(f->p[2])) / 6.0;
}

// With all four faces as boundary the facets plus whole faces close the share.
static double groupVolume(const Case* c, unsigned group)
{
    Facet facets[maxGroupFacets];
    int count = tetCutFacets(&c->cut, group, &c->points, 15u, facets);
    double volume = 0.0;
    for (int i = 0; i < count; ++i)
        volume += facetVolume(&facets[i]);
    for (int k = 0; k < 4; ++k) {
        const uint8_t* corner = tetFaceCorners[k];
        if ((group >> corner[0] & 1u) && (group >> corner[1] & 1u) && (group >> corner[2] & 1u)) {
            Facet whole = {
                {c->points.corner[corner[0]], c->points.corner[corner[1]], c->points.corner[corner[2]]}, 0, 0, 0};
            volume += facetVolume(&whole);
        }
    }
    return volume;
}

// The vector area of a closed surface is zero.
static double groupOpenness(const Case* c, unsigned group)
{
    Facet facets[maxGroupFacets];
    int count = tetCutFacets(&c->cut, group, &c->points, 15u, facets);
    DVec3 sum = {0};
    for (int i = 0; i < count; ++i) {
        DVec3 a = dFromV(facets[i].p[0]);
        sum = dAdd(sum, dCross(dSub(dFromV(facets[i].p[1]), a), dSub(dFromV(facets[i].p[2]), a)));
    }
    for (int k = 0; k < 4; ++k) {
        const uint8_t* corner = tetFaceCorners[k];
        if ((group >> corner[0] & 1u) && (group >> corner[1] & 1u) && (group >> corner[2] & 1u)) {
            DVec3 a = dFromV(c->points.corner[corner[0]]);
            sum = dAdd(sum, dCross(dSub(dFromV(c->points.corner[corner[1]]), a),
                                   dSub(dFromV(c->points.corner[corner[2]]), a)));
        }
    }
    return dLength(sum);
}

static unsigned groupOfCorner(const Case* c, int corner)
{
    unsigned group = 0;
    for (int i = 0; i < 4; ++i)
        group |= (unsigned)(c->label[i] == c->label[corner]) << i;
    return group;
}

// Winding number of the share around a point, by solid angles.
static double winding(const Case* c, unsigned group, DVec3 p)
{
    Facet facets[maxGroupFacets + 4];
    int count = tetCutFacets(&c->cut, group, &c->points, 15u, facets);
    for (int k = 0; k < 4; ++k) {
        const uint8_t* corner = tetFaceCorners[k];
        if ((group >> corner[0] & 1u) && (group >> corner[1] & 1u) && (group >> corner[2] & 1u))
            facets[count++] = (Facet){
                {c->points.corner[corner[0]], c->points.corner[corner[1]], c->points.corner[corner[2]]}, 0, 0, 0};
    }
    double sum = 0.0;
    for (int i = 0; i < count; ++i) {
        DVec3 a = dSub(dFromV(facets[i].p[0]), p), b = dSub(dFromV(facets[i].p[1]), p),
              d = dSub(dFromV(facets[i].p[2]), p);
        double la = dLength(a), lb = dLength(b), ld = dLength(d);
        double down = la * lb * ld + dDot(a, b) * ld + dDot(b, d) * la + dDot(d, a) * lb;
        sum += atan2(dDot(a, dCross(b, d)), down) / (2.0 * 3.14159265358979323846);
    }
    return sum;
}

static double facetDistance(const Case* c, unsigned group, DVec3 p)
{
    Facet facets[maxGroupFacets];
    int count = tetCutFacets(&c->cut, group, &c->points, 15u, facets);
    double best = 1e9;
    for (int i = 0; i < count; ++i) { // distance to the plane is a lower bound, which is all that is needed here
        DVec3 a = dFromV(facets[i].p[0]);
        DVec3 n = dNormalize(dCross(dSub(dFromV(facets[i].p[1]), a), dSub(dFromV(facets[i].p[2]), a)));
        if (dLength2(n) > 0.5)
            best = minD(best, fabs(dDot(n, dSub(p, a))));
    }
    return best;
}

static void shares_close_and_add_up(void** unused)
{
    (void)unused;
    state = 7;
    for (int trial = 0; trial < 20000; ++trial) {
        Case c;
        start(&c);
        split(&c, 0, 2 + trial % 3);
        for (int again = 0; again < trial % 4; ++again)
            split(&c, c.label[(trial / 4 + again) % 4], 2 + trial % 2);
        double total = 0.0;
        for (int i = 0; i < 4; ++i) {
            unsigned group = groupOfCorner(&c, i);
            assert_int_equal(group, tetCutGroup(&c.cut, i));
            if ((group & ((1u << i) - 1u)) != 0)
                continue; // counted at its lowest corner
            double volume = groupVolume(&c, group);
            assert_true(volume > 0.0);
            assert_true(groupOpenness(&c, group) < 1e-6);
            total += volume;
        }
        double tet = dOrient(dFromV(c.points.corner[0]), dFromV(c.points.corner[1]), dFromV(c.points.corner[2]),
                             dFromV(c.points.corner[3])) /
                     6.0;
        assert_true(fabs(total - tet) < 1e-6);
    }
}

static void owner_agrees_with_the_closed_share(void** unused)
{
    (void)unused;
    state = 11;
    int tested = 0;
    for (int trial = 0; trial < 4000; ++trial) {
        Case c;
        start(&c);
        split(&c, 0, 2 + trial % 3);
        for (int again = 0; again < trial % 4; ++again)
            split(&c, c.label[(trial / 4 + again) % 4], 2 + trial % 2);
        for (int k = 0; k < 10; ++k) {
            float lambda[4], sum = 0.0f;
            for (int i = 0; i < 4; ++i)
                sum += lambda[i] = 0.001f + uniform() * uniform();
            DVec3 p = {0};
            for (int i = 0; i < 4; ++i)
                p = dMad(p, (double)(lambda[i] / sum), dFromV(c.points.corner[i]));
            int owner = tetCutOwner(&c.cut, lambda);
            unsigned group = groupOfCorner(&c, owner);
            if (facetDistance(&c, group, p) < 1e-5)
                continue;
            ++tested;
            assert_true(fabs(winding(&c, group, p) - 1.0) < 1e-3);
        }
    }
    assert_true(tested > 30000);
}

static void later_cuts_leave_other_shares_alone(void** unused)
{
    (void)unused;
    state = 13;
    int compared = 0;
    for (int trial = 0; trial < 5000; ++trial) {
        Case c;
        start(&c);
        split(&c, 0, 2);
        if (c.births == 0)
            continue;
        Case before = c;
        int broken = c.label[trial % 4];
        if (!split(&c, broken, 3))
            continue;
        for (int i = 0; i < 4; ++i) {
            if (before.label[i] == broken)
                continue;
            unsigned group = groupOfCorner(&before, i);
            Facet old[maxGroupFacets], now[maxGroupFacets];
            int oldCount = tetCutFacets(&before.cut, group, &before.points, 15u, old);
            int nowCount = tetCutFacets(&c.cut, group, &c.points, 15u, now);
            assert_int_equal(oldCount, nowCount);
            assert_memory_equal(old, now, sizeof(Facet) * (size_t)oldCount);
            ++compared;
        }
        for (int k = 0; k < 200; ++k) {
            float lambda[4];
            for (int i = 0; i < 4; ++i)
                lambda[i] = uniform() - 0.01f;
            int was = tetCutOwner(&before.cut, lambda), is = tetCutOwner(&c.cut, lambda);
            bool untouched = before.label[was] != broken;
            assert_int_equal(untouched, before.label[is] != broken);
        }
    }
    assert_true(compared > 3000);
}

// The short ways, of counting and of a first crack into two, against the long one.
static void short_ways_lead_to_the_same_facets(void** unused)
{
    (void)unused;
    state = 14;
    int halves = 0;
    for (int trial = 0; trial < 5000; ++trial) {
        Case c;
        start(&c);
        unsigned boundary = (unsigned)trial % 16u;
        for (int generation = 0; generation < 3 && split(&c, c.label[trial % 4], 2 + trial % 3); ++generation) {
            for (int i = 0; i < 4; ++i) {
                Facet facets[maxGroupFacets];
                unsigned group = groupOfCorner(&c, i);
                assert_int_equal(tetCutFacetCount(&c.cut, group, boundary),
                                 tetCutFacets(&c.cut, group, &c.points, boundary, facets));
            }
            unsigned side = groupOfCorner(&c, 0), other = 15u ^ side;
            if (generation > 0 || tetCutGroup(&c.cut, cornerLowest[other]) != other)
                continue;
            TetCut first = {.planeSide = 0};
            memcpy(first.t, c.cut.t, sizeof(first.t));
            tetCutFirst(&first, side);
            assert_memory_equal(&first, &c.cut, sizeof(TetCut));
            Facet quick[2][maxGroupFacets], slow[2][maxGroupFacets];
            tetCutHalves(&first, &c.points, boundary, quick[0], quick[1]);
            for (int k = 0; k < 2; ++k) {
                int count = tetCutFacets(&c.cut, k ? other : side, &c.points, boundary, slow[k]);
                assert_int_equal(tetCutHalfCount(k ? other : side, boundary), count);
                assert_memory_equal(quick[k], slow[k], sizeof(Facet) * (size_t)count);
            }
            ++halves;
        }
    }
    assert_true(halves > 1000);
}

static void first_cuts_into_many_are_counted_right(void** unused)
{
    (void)unused;
    state = 15;
    int checked = 0;
    for (int trial = 0; trial < 3000; ++trial) {
        Case c;
        start(&c);
        if (!split(&c, c.label[0], 2 + trial % 3))
            continue;
        unsigned groups[4], pair = 0;
        int lone = 0;
        for (int i = 0; i < 4; ++i) {
            groups[i] = groupOfCorner(&c, i);
            if (groups[i] == 1u << i)
                ++lone;
            else
                pair = groups[i];
        }
        if (lone != 4 && lone != 2)
            continue; // halves
        for (unsigned boundary = 0; boundary < 16; ++boundary)
            for (int i = 0; i < 4; ++i, ++checked) {
                unsigned other = lone == 2 && groups[i] != pair ? 15u ^ pair ^ groups[i] : 0;
                assert_int_equal(tetCutManyCount(groups[i], other, boundary),
                                 tetCutFacetCount(&c.cut, groups[i], boundary));
            }
    }
    assert_true(checked > 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_close_and_add_up),
        cmocka_unit_test(owner_agrees_with_the_closed_share),
        cmocka_unit_test(later_cuts_leave_other_shares_alone),
        cmocka_unit_test(short_ways_lead_to_the_same_facets),
        cmocka_unit_test(first_cuts_into_many_are_counted_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
