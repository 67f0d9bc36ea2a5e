// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "field/tet_cut.h"

#include "field/topology.h"

const uint8_t cornerLowest[16] = {4, 0, 1, 0, 2, 0, 1, 0, 3, 0, 1, 0, 2, 0, 1, 0};

// Fraction of the way from corner i to corner j at which their edge is cut.
static float cutFrom(const TetCut* cut, int i, int j)
{
    float t = cut->t[tetEdgeBetween[i][j]];
    return i < j ? t : 1.0f - t;
}

static int birthOf(const TetCut* cut, int i, int j) { return cut->birth[tetEdgeBetween[i][j]]; }

// Birth of the oldest cut among the edges of `edges` (a mask), 0 if none.
static int oldest(const TetCut* cut, unsigned edges)
{
    int best = 0;
    for (int e = 0; e < 6; ++e) {
        int birth = cut->birth[e];
        if ((edges >> e & 1u) != 0 && birth != 0 && (best == 0 || birth < best))
            best = birth;
    }
    return best;
}

// Edges with both ends in a set of corners, by the set.
static unsigned edgesOfCorners(unsigned corners)
{
    static const uint8_t edges[16] = {0, 0, 0, 1, 0, 2, 8, 11, 0, 4, 16, 21, 32, 38, 56, 63};
    return edges[corners];
}

// Corners of `set` that no cut born up to `birth` separates from `corner`. Cuts come in whole walls: two corners are
// together exactly when their own edge is.
static unsigned groupAt(const TetCut* cut, unsigned set, int corner, int birth)
{
    unsigned group = 1u << corner;
    for (int i = 0; i < 4; ++i) {
        if (i == corner || (set >> i & 1u) == 0)
            continue;
        int b = birthOf(cut, corner, i);
        if (b == 0 || b > birth)
            group |= 1u << i;
    }
    return group;
}

unsigned tetCutGroup(const TetCut* cut, int corner) { return groupAt(cut, 15u, corner, 255); }

static int lowestCorner(unsigned set) { return cornerLowest[set]; }

static int cornerCount(unsigned set) { return (int)((set & 1u) + (set >> 1 & 1u) + (set >> 2 & 1u) + (set >> 3 & 1u)); }

// ---- shape ----------------------------------------------------------------------------------------------------------

// Mean of the cut points on the edges of `edges` that were born first.
static void meanOfOldest(const TetCut* cut, unsigned edges, float mean[4])
{
    int birth = oldest(cut, edges), count = 0;
    for (int i = 0; i < 4; ++i)
        mean[i] = 0.0f;
    for (int e = 0; birth != 0 && e < 6; ++e) {
        if ((edges >> e & 1u) == 0 || cut->birth[e] != birth)
            continue;
        mean[tetEdgeEnds[e][0]] += 1.0f - cut->t[e];
        mean[tetEdgeEnds[e][1]] += cut->t[e];
        ++count;
    }
    for (int i = 0; i < 4 && count > 0; ++i)
        mean[i] /= (float)count;
}

// The quad of two against two: a0, a1 | b0, b1 with a0 = corner 0. Its diagonal joins the cuts of a0-b0 and a1-b1.
typedef struct Quad {
    int a0, a1, b0, b1;
} Quad;

static Quad quadOf(unsigned side)
{
    unsigned zero = side & 1u ? side : 15u ^ side;
    unsigned other = 15u ^ zero;
    int b0 = lowestCorner(other);
    return (Quad){0, lowestCorner(zero & ~1u), b0, lowestCorner(other & ~(1u << b0))};
}

// A plane is known by its values at the corners: at the cut of i-j, (1−u)·value_i + u·value_j = 0.
// `side` holds corner 0.
static void shapePlanes(TetCut* cut, unsigned side)
{
    cut->planeSide = (uint8_t)side;
    float* first = cut->plane[0];
    float* second = cut->plane[1];
    int count = cornerCount(side);
    cut->flat = count != 2;
    cut->convex = 1;
    if (cut->flat) {
        int lone = lowestCorner(count == 1 ? side : 15u ^ side);
        float sign = count == 1 ? 1.0f : -1.0f;
        for (int j = 0; j < 4; ++j) {
            if (j == lone) {
                first[j] = sign;
            } else {
                float u = cutFrom(cut, lone, j);
                first[j] = -sign * (1.0f - u) / u;
            }
        }
        return;
    }
    Quad q = quadOf(side);
    float u00 = cutFrom(cut, q.a0, q.b0), u10 = cutFrom(cut, q.a1, q.b0);
    float u01 = cutFrom(cut, q.a0, q.b1), u11 = cutFrom(cut, q.a1, q.b1);
    float a0 = u00 / (1.0f - u00); // both planes: −1 at b0, zero at the cut of a0-b0
    first[q.b0] = second[q.b0] = -1.0f;
    first[q.a0] = second[q.a0] = a0;
    first[q.a1] = u10 / (1.0f - u10); // through a1-b0 and a1-b1
    first[q.b1] = -first[q.a1] * (1.0f - u11) / u11;
    second[q.b1] = -a0 * (1.0f - u01) / u01; // through a0-b1 and a1-b1
    second[q.a1] = -second[q.b1] * u11 / (1.0f - u11);
    // Does the second triangle bend towards corner 0's side of the first plane? Then that side is convex.
    float bend = (1.0f - u01) * first[q.a0] + u01 * first[q.b1];
    cut->convex = bend >= 0.0f;
}

// Two groups and no later crack: planes decide, and the surface is the whole crack. The other points can wait.
static bool isSimple(const TetCut* cut)
{
    int count = 0;
    for (int e = 0; e < 6; ++e) {
        if (cut->birth[e] > 1)
            return false;
        count += cut->birth[e];
    }
    return count == 3 || (count == 4 && cut->planeSide != 0);
}

unsigned tetCutAcross(unsigned side) { return 63u ^ edgesOfCorners(side) ^ edgesOfCorners(15u ^ side); }

void tetCutFirst(TetCut* cut, unsigned side)
{
    unsigned across = tetCutAcross(side);
    for (int e = 0; e < 6; ++e)
        cut->birth[e] = (uint8_t)(across >> e & 1u);
    shapePlanes(cut, side);
}

void tetCutShape(TetCut* cut)
{
    int first = oldest(cut, 63u);
    unsigned side = groupAt(cut, 15u, 0, first);
    unsigned rest = 15u ^ side;
    bool twoGroups = rest != 0 && groupAt(cut, rest, lowestCorner(rest), first) == rest;
    cut->planeSide = 0;
    if (twoGroups)
        shapePlanes(cut, side);
    if (isSimple(cut))
        return;
    for (int k = 0; k < 4; ++k)
        meanOfOldest(cut, edgesOfCorners(15u ^ 1u << k), cut->face[k]);
    meanOfOldest(cut, 63u, cut->inner);
    if (twoGroups && !cut->flat) {
        // The inner point lies on the fold.
        Quad q = quadOf(side);
        float u0 = cutFrom(cut, q.a0, q.b0), u1 = cutFrom(cut, q.a1, q.b1);
        cut->inner[q.a0] = 0.5f * (1.0f - u0);
        cut->inner[q.b0] = 0.5f * u0;
        cut->inner[q.a1] = 0.5f * (1.0f - u1);
        cut->inner[q.b1] = 0.5f * u1;
    }
}

// ---- owner ----------------------------------------------------------------------------------------------------------

static float det3(const float a[3], const float b[3], const float c[3])
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

// A face in its own barycentric coordinates: corners 0, 1, 2 are the face's, `point` is where the ray from the inner
// point through the query point leaves the tetrahedron, up to scale.
typedef struct FaceView {
    int corner[3];    // local corners of the tetrahedron
    float center[3];  // the face point
    float point[3];   // the query
    float edge[3][3]; // cut point of the edge opposite corner i
    bool isCut[3];    // and whether it counts at this birth
} FaceView;

static float sideOf(const FaceView* view, const float from[3], const float to[3], int corner)
{
    const float unit[3] = {corner == 0, corner == 1, corner == 2};
    float side = det3(from, to, view->point);
    return det3(from, to, unit) >= 0.0f ? side : -side;
}

// Is the query in the sector of `corner` between the rays from the face point to its two edge cuts?
static bool inSector(const FaceView* view, int corner)
{
    int j = (corner + 1) % 3, k = (corner + 2) % 3;
    const float* toJ = view->edge[k]; // edge corner-j lies opposite k
    const float* toK = view->edge[j];
    const float unit[3] = {corner == 0, corner == 1, corner == 2};
    bool pastJ = sideOf(view, view->center, toJ, corner) >= 0.0f;
    bool pastK = sideOf(view, view->center, toK, corner) >= 0.0f;
    bool narrow = (det3(view->center, toJ, toK) >= 0.0f) == (det3(view->center, toJ, unit) >= 0.0f);
    return narrow ? pastJ && pastK : pastJ || pastK;
}

// The face's corner, among those of `set`, on whose side of the cuts the query lies.
static int faceOwner(const FaceView* view, unsigned set)
{
    int inside[3], count = 0;
    for (int i = 0; i < 3; ++i) {
        if (set >> view->corner[i] & 1u)
            inside[count++] = i;
    }
    if (count == 1)
        return view->corner[inside[0]];
    if (count == 2) {
        int i = inside[0], j = inside[1], k = 3 - i - j;
        bool first = !view->isCut[k] || sideOf(view, view->center, view->edge[k], i) >= 0.0f;
        return view->corner[first ? i : j];
    }
    int cuts = view->isCut[0] + view->isCut[1] + view->isCut[2];
    if (cuts == 0)
        return view->corner[0];
    if (cuts == 2) {
        int whole = !view->isCut[0] ? 0 : !view->isCut[1] ? 1 : 2; // the edge opposite the lone corner
        bool lone = sideOf(view, view->edge[(whole + 1) % 3], view->edge[(whole + 2) % 3], whole) >= 0.0f;
        return view->corner[lone ? whole : (whole + 1) % 3];
    }
    return view->corner[inSector(view, 0) ? 0 : inSector(view, 1) ? 1 : 2];
}

static int coneOwner(const TetCut* cut, unsigned set, int birth, const float point[4])
{
    // The ray from the inner point leaves through the face with the smallest ratio.
    int k = 0;
    float ratio = point[0] / cut->inner[0];
    for (int i = 1; i < 4; ++i) {
        float r = point[i] / cut->inner[i];
        if (r < ratio) {
            ratio = r;
            k = i;
        }
    }
    FaceView view;
    for (int i = 0; i < 3; ++i) {
        int corner = tetFaceCorners[k][i];
        view.corner[i] = corner;
        view.center[i] = cut->face[k][corner];
        view.point[i] = point[corner] - ratio * cut->inner[corner];
    }
    for (int i = 0; i < 3; ++i) {
        int a = (i + 1) % 3, b = (i + 2) % 3;
        int born = birthOf(cut, view.corner[a], view.corner[b]);
        float u = cutFrom(cut, view.corner[a], view.corner[b]);
        view.isCut[i] = born != 0 && born <= birth;
        view.edge[i][i] = 0.0f;
        view.edge[i][a] = 1.0f - u;
        view.edge[i][b] = u;
    }
    // A face without a single corner of the set can only be hit through rounding.
    bool any = false;
    for (int i = 0; i < 3; ++i)
        any = any || (set >> view.corner[i] & 1u) != 0;
    return any ? faceOwner(&view, set) : lowestCorner(set);
}

int tetCutOwner(const TetCut* cut, const float point[4])
{
    unsigned set = 15u;
    if (cut->planeSide != 0) {
        float side[2];
        for (int k = 0; k < 2; ++k) {
            const float* p = cut->plane[k];
            side[k] = p[0] * point[0] + p[1] * point[1] + p[2] * point[2] + p[3] * point[3];
        }
        bool first = side[0] > 0.0f, second = side[1] > 0.0f;
        bool positive = cut->flat ? first : cut->convex ? first && second : first || second;
        set = positive ? cut->planeSide : 15u ^ cut->planeSide;
    }
    for (;;) {
        int birth = oldest(cut, edgesOfCorners(set));
        if (birth == 0)
            return lowestCorner(set);
        set = groupAt(cut, set, coneOwner(cut, set, birth, point), birth);
    }
}

// ---- facets ---------------------------------------------------------------------------------------------------------

void tetCutPlace(const TetCut* cut, const int rank[4], TetCutPoints* points)
{
    if (isSimple(cut))
        return;
    for (int k = 0; k < 4; ++k) {
        unsigned edges = edgesOfCorners(15u ^ 1u << k);
        int birth = oldest(cut, edges);
        if (birth == 0)
            continue;
        // The sum runs over the edges in the order of the corner they leave out, so that both neighbours round alike.
        int corner[3] = {tetFaceCorners[k][0], tetFaceCorners[k][1], tetFaceCorners[k][2]};
        for (int pass = 0; pass < 3; ++pass) {
            int i = pass == 1 ? 1 : 0;
            if (rank[corner[i]] > rank[corner[i + 1]]) {
                int swap = corner[i];
                corner[i] = corner[i + 1];
                corner[i + 1] = swap;
            }
        }
        Vec3 sum = {0.0f, 0.0f, 0.0f};
        int count = 0;
        for (int i = 0; i < 3; ++i) {
            int e = tetEdgeBetween[corner[(i + 1) % 3]][corner[(i + 2) % 3]];
            if (cut->birth[e] == birth) {
                sum = vAdd(sum, points->edge[e]);
                ++count;
            }
        }
        points->face[k] = vScale(1.0f / (float)count, sum);
    }
    Vec3 inner = {0.0f, 0.0f, 0.0f};
    for (int i = 0; i < 4; ++i)
        inner = vMad(inner, cut->inner[i], points->corner[i]);
    points->inner = inner;
}

// A group's corners in a face, by their mask: how many, and the first of them in cyclic order.
static const uint8_t shareCount[8] = {0, 1, 1, 2, 1, 2, 2, 3};
static const uint8_t shareBegin[8] = {0, 0, 1, 0, 2, 2, 1, 0};

static unsigned shareMask(int face, unsigned group)
{
    const uint8_t* c = tetFaceCorners[face];
    return (group >> c[0] & 1u) | (group >> c[1] & 1u) << 1 | (group >> c[2] & 1u) << 2;
}

// Does the trace around a lone corner bend at the face point? It passes straight unless it ended on, or was born
// together with, the one between the other two corners.
static bool bends(const TetCut* cut, int face, int lone)
{
    const uint8_t* c = tetFaceCorners[face];
    int i = c[lone], j = c[(lone + 1) % 3], k = c[(lone + 2) % 3];
    int bornIJ = birthOf(cut, i, j), bornIK = birthOf(cut, i, k), bornJK = birthOf(cut, j, k);
    return bornIJ != bornIK || (bornJK != 0 && bornJK <= bornIJ);
}

static Facet* addFacet(Facet* out, Vec3 a, Vec3 b, Vec3 c, int source)
{
    *out = (Facet){{a, b, c}, -1, source, -1};
    return out + 1;
}

// The first crack seen whole from one side: a triangle, or two with a common diagonal.
static Facet* wholeCrack(unsigned group, const TetCutPoints* points, Facet* out)
{
    int count = cornerCount(group);
    if (count != 2) {
        int lone = lowestCorner(count == 1 ? group : 15u ^ group);
        const uint8_t* far = tetFaceCorners[lone]; // counter-clockwise seen from outside, clockwise seen from `lone`
        Vec3 a = points->edge[tetEdgeBetween[lone][far[0]]], b = points->edge[tetEdgeBetween[lone][far[1]]],
             c = points->edge[tetEdgeBetween[lone][far[2]]];
        return count == 1 ? addFacet(out, a, b, c, -1) : addFacet(out, a, c, b, -1);
    }
    Quad q = quadOf(group);
    Vec3 p00 = points->edge[tetEdgeBetween[q.a0][q.b0]], p10 = points->edge[tetEdgeBetween[q.a1][q.b0]];
    Vec3 p11 = points->edge[tetEdgeBetween[q.a1][q.b1]], p01 = points->edge[tetEdgeBetween[q.a0][q.b1]];
    // Around the quad 00, 10, 11, 01. Seen from b it turns right when a0 a1 b0 b1 is an even permutation.
    bool even = q.a1 != 2;
    bool outward = ((group & 1u) != 0) != even;
    if (outward) {
        out = addFacet(out, p00, p10, p11, -1);
        return addFacet(out, p00, p11, p01, -1);
    }
    out = addFacet(out, p00, p11, p10, -1);
    return addFacet(out, p00, p01, p11, -1);
}

// Facets in one face of a group's share: its cracks, unless they are known as a whole, and its part of the original
// triangle, if it is one that is cut.
static Facet* faceFacets(const TetCut* cut, int face, unsigned group, const TetCutPoints* points, bool whole,
                         bool boundary, Facet* out)
{
    unsigned mask = shareMask(face, group);
    if (shareCount[mask] == 0 || shareCount[mask] == 3)
        return out;
    int begin = shareBegin[mask];
    int i = tetFaceCorners[face][begin], j = tetFaceCorners[face][(begin + 1) % 3],
        k = tetFaceCorners[face][(begin + 2) % 3];
    // A polygon, counter-clockwise seen from outside; its sides from `trace` on are cracks, but the last.
    const Vec3* p[4] = {&points->corner[i]};
    int count = 3, trace = 1;
    p[1] = &points->edge[tetEdgeBetween[i][j]];
    p[2] = &points->edge[tetEdgeBetween[i][k]];
    if (shareCount[mask] == 2) {
        p[1] = &points->corner[j];
        p[2] = &points->edge[tetEdgeBetween[j][k]];
        p[3] = &points->edge[tetEdgeBetween[i][k]];
        count = 4;
        trace = 2;
    } else if (bends(cut, face, begin)) {
        p[3] = p[2];
        p[2] = &points->face[face];
        count = 4;
    }
    for (int n = trace; n + 1 < count && !whole; ++n)
        out = addFacet(out, *p[n + 1], *p[n], points->inner, -1);
    // With a bend the polygon may be hollow there; the diagonal from the corner is always inside.
    for (int n = 1; n + 1 < count && boundary; ++n)
        out = addFacet(out, *p[0], *p[n], *p[n + 1], face);
    return out;
}

// Is the first crack all that bounds the group?
static bool isWhole(const TetCut* cut, unsigned group)
{
    return cut->planeSide != 0 && (group == cut->planeSide || group == (15u ^ cut->planeSide));
}

int tetCutFacets(const TetCut* cut, unsigned group, const TetCutPoints* points, unsigned boundary,
                 Facet facets[maxGroupFacets])
{
    Facet* out = facets;
    bool whole = isWhole(cut, group);
    if (whole)
        out = wholeCrack(group, points, out);
    for (int face = 0; face < 4; ++face) {
        bool original = (boundary >> face & 1u) != 0;
        if (!whole || original)
            out = faceFacets(cut, face, group, points, whole, original, out);
    }
    return (int)(out - facets);
}

int tetCutFacetCount(const TetCut* cut, unsigned group, unsigned boundary)
{
    bool whole = isWhole(cut, group);
    int count = 0;
    if (whole)
        count = cornerCount(group) == 2 ? 2 : 1;
    for (int face = 0; face < 4; ++face) {
        bool original = (boundary >> face & 1u) != 0;
        unsigned mask = shareMask(face, group);
        if ((whole && !original) || shareCount[mask] == 0 || shareCount[mask] == 3)
            continue;
        bool lone = shareCount[mask] == 1;
        int traces = 1 + (lone && bends(cut, face, shareBegin[mask]));
        count += whole ? 0 : traces;
        count += !original ? 0 : lone ? traces : 2;
    }
    return count;
}

// Where all three corners of a face are apart, each has two traces there and two parts of the original triangle. Only
// the face of a pair and a lone corner is divided in two: by one trace, which leaves the lone corner one part.
int tetCutManyCount(unsigned group, unsigned lone, unsigned boundary)
{
    if (cornerCount(group) == 2)
        return 6 + 2 * cornerCount(boundary);
    unsigned faces = boundary & ~group; // of the lone corner: all but the one opposite
    return 6 - cornerCount(lone) + 2 * cornerCount(faces) - cornerCount(faces & lone);
}

int tetCutHalfCount(unsigned group, unsigned boundary)
{
    int count = cornerCount(group) == 2 ? 2 : 1;
    for (int face = 0; boundary >> face != 0; ++face) {
        if (boundary >> face & 1u)
            count += shareCount[shareMask(face, group)] % 3; // a lone corner's triangle, or two of a quad
    }
    return count;
}

void tetCutHalves(const TetCut* cut, const TetCutPoints* points, unsigned boundary, Facet* first, Facet* second)
{
    unsigned side = cut->planeSide, other = 15u ^ side;
    Facet* end = wholeCrack(side, points, first);
    for (const Facet* f = first; f < end; ++f)
        *second++ = (Facet){{f->p[0], f->p[2], f->p[1]}, -1, -1, -1};
    for (int face = 0; boundary >> face != 0; ++face) {
        if ((boundary >> face & 1u) == 0)
            continue;
        end = faceFacets(cut, face, side, points, true, true, end);
        second = faceFacets(cut, face, other, points, true, true, second);
    }
}
