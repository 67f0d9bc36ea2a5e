// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cook/flip.h"

#include "cook/limits.h"
#include "mesh/adjacency.h"

// Half edge h = 3 · triangle + k runs from corner k to corner k + 1.
typedef struct Flipper {
    const DVec3* vertices;
    int (*triangles)[3];
    int* twins;
} Flipper;

static int nextOf(int h) { return h % 3 == 2 ? h - 2 : h + 1; }
static int startOf(const Flipper* f, int h) { return f->triangles[h / 3][h % 3]; }

static DVec3 areaOf(const Flipper* f, int a, int b, int c)
{
    return dCross(dSub(f->vertices[b], f->vertices[a]), dSub(f->vertices[c], f->vertices[a]));
}

static DVec3 normalOf(const Flipper* f, int triangle)
{
    const int* t = f->triangles[triangle];
    return dNormalize(areaOf(f, t[0], t[1], t[2]));
}

// 1 for an equilateral triangle, 0 for a flat one.
static double roundness(const Flipper* f, int a, int b, int c)
{
    const DVec3* v = f->vertices;
    double sum = dLength2(dSub(v[b], v[a])) + dLength2(dSub(v[c], v[b])) + dLength2(dSub(v[a], v[c]));
    return sum > 0.0 ? 2.0 * sqrt(3.0) * dLength(areaOf(f, a, b, c)) / sum : 0.0;
}

// Edges at the start of h; `found` when one of them leads to `vertex`.
static int countAround(const Flipper* f, int h, int vertex, bool* found)
{
    int count = 0;
    int at = h;
    do {
        *found = *found || startOf(f, nextOf(at)) == vertex;
        ++count;
        at = nextOf(f->twins[at]);
    } while (at != h);
    return count;
}

// How well two triangles lie: the rounder the better, the less they turn against each other and their neighbours.
typedef struct Fit {
    double roundness; // of the worse one
    double turn;      // smallest cosine between neighbours' normals
} Fit;

static Fit fitOf(const Flipper* f, int a, int b, int c, int d, const int outer[4], bool flipped)
{
    // Flipped: (c, a, d) and (d, b, c); else (a, b, c) and (b, a, d). Outer half edges: c-a, a-d, d-b, b-c.
    DVec3 first = dNormalize(flipped ? areaOf(f, c, a, d) : areaOf(f, a, b, c));
    DVec3 second = dNormalize(flipped ? areaOf(f, d, b, c) : areaOf(f, b, a, d));
    Fit fit = {flipped ? minD(roundness(f, c, a, d), roundness(f, d, b, c))
                       : minD(roundness(f, a, b, c), roundness(f, b, a, d)),
               dDot(first, second)};
    for (int k = 0; k < 4; ++k) {
        bool ofFirst = flipped ? k < 2 : k == 0 || k == 3;
        fit.turn = minD(fit.turn, dDot(ofFirst ? first : second, normalOf(f, f->twins[outer[k]] / 3)));
    }
    return fit;
}

static void link(Flipper* f, int h, int twin)
{
    f->twins[h] = twin;
    f->twins[twin] = h;
}

// Swaps the edge of h when that is better; keeps the surface closed and simple.
static bool tryFlip(Flipper* f, int h)
{
    int g = f->twins[h];
    int a = startOf(f, h), b = startOf(f, g), c = startOf(f, nextOf(nextOf(h))), d = startOf(f, nextOf(nextOf(g)));
    const int outer[4] = {nextOf(nextOf(h)), nextOf(g), nextOf(nextOf(g)), nextOf(h)};
    if (c == d)
        return false;
    Fit before = fitOf(f, a, b, c, d, outer, false), after = fitOf(f, a, b, c, d, outer, true);
    bool rounder = after.roundness > before.roundness * FLIP_GAIN && after.turn >= minD(before.turn, FLIP_FLAT);
    bool unfolds = before.turn < FLIP_FOLD && after.turn > before.turn + FLIP_FLATTER && after.roundness > 0.0;
    if (!rounder && !unfolds)
        return false;
    bool joined = false, unused = false;
    countAround(f, outer[0], d, &joined); // c and d must not be neighbours already
    if (joined || countAround(f, h, -1, &unused) < 4 || countAround(f, g, -1, &unused) < 4)
        return false;
    int ca = f->twins[outer[0]], ad = f->twins[outer[1]], db = f->twins[outer[2]], bc = f->twins[outer[3]];
    int s = h / 3, t = g / 3;
    f->triangles[s][0] = c, f->triangles[s][1] = a, f->triangles[s][2] = d;
    f->triangles[t][0] = d, f->triangles[t][1] = b, f->triangles[t][2] = c;
    link(f, 3 * s, ca);
    link(f, 3 * s + 1, ad);
    link(f, 3 * t, db);
    link(f, 3 * t + 1, bc);
    link(f, 3 * s + 2, 3 * t + 2);
    return true;
}

int flipEdges(TriMesh* mesh, Memory* memory)
{
    int64_t halfEdges = 3 * (int64_t)mesh->triangleCount;
    Flipper f = {mesh->vertices, mesh->triangles, NEW_ARRAY(memory, int, halfEdges)};
    if (f.twins == NULL)
        return -1;
    shStatus status = matchEdges(memory, mesh->triangleCount, (const int(*)[3])mesh->triangles, f.twins, NULL);
    int total = 0, flips = 1;
    for (int sweep = 0; status == shOk && sweep < FLIP_SWEEPS && flips > 0; ++sweep) {
        flips = 0;
        for (int h = 0; h < (int)halfEdges; ++h)
            flips += f.twins[h] > h && tryFlip(&f, h);
        total += flips;
    }
    FREE_ARRAY(memory, f.twins, halfEdges);
    return status == shOutOfMemory ? -1 : total;
}
