// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "field/field_walk.h"

#include "core/constants.h"
#include "mesh/tri_query.h"

static bool visitFeature(const FragmentField* field, int feature, FieldVisit* visit, void* user)
{
    Vec3 corners[3];
    fieldFeature(field, feature, corners);
    return visit(feature, (const Vec3*)corners, user);
}

// The facets of a piece in a cut tetrahedron: those on original triangle `source`, or the cracks (-1).
static bool visitCutTet(const FragmentField* field, int piece, const CutTet* cut, int source, FieldVisit* visit,
                        void* user)
{
    for (int k = 0; k < 4; ++k) {
        if (cut->facetCount[k] == 0 || field->labels[cut->nodes[k]] != piece)
            continue;
        for (int f = cut->facets[k]; f < cut->facets[k] + cut->facetCount[k]; ++f)
            if (field->facets.data[f].source == source && !visitFeature(field, ~f, visit, user))
                return false;
    }
    return true;
}

static bool visitCell(const FragmentField* field, int piece, int cell, FieldVisit* visit, void* user)
{
    const CellGrid* cells = field->rest->cells;
    const int* labels = field->labels;
    for (int i = cells->triangleStart[cell]; i < cells->triangleStart[cell + 1]; ++i) {
        int t = cells->triangles[i];
        bool more = true;
        if (labels != NULL && field->triangleIsCut[t]) {
            int cut = field->tetCuts[field->rest->topology->triangleTets[t]];
            more = visitCutTet(field, piece, &field->cutTets.data[cut], t, visit, user);
        } else if (labels == NULL || labels[field->rest->mesh->triangles[t][0]] == piece) {
            more = visitFeature(field, t, visit, user);
        }
        if (!more)
            return false;
    }
    for (int link = labels != NULL ? field->cellHeads[cell] : -1; link >= 0; link = field->links.data[link].next)
        if (!visitCutTet(field, piece, &field->cutTets.data[field->tetCuts[field->links.data[link].tet]], -1, visit,
                         user))
            return false;
    return true;
}

// Where the piece's surface is.
static shBox surfaceBox(const FragmentField* field, int piece)
{
    const CellGrid* cells = field->rest->cells;
    if (field->labels != NULL)
        return fieldBox(field, piece);
    Vec3 size = {(float)cells->size[0], (float)cells->size[1], (float)cells->size[2]};
    return (shBox){cells->origin, vMad(cells->origin, cells->cell, size)};
}

bool fieldVisitBox(const FragmentField* field, int piece, shBox box, FieldVisit* visit, void* user)
{
    const CellGrid* cells = field->rest->cells;
    shBox surface = surfaceBox(field, piece);
    if (!boxOverlaps(box, surface))
        return true;
    CellRange range = cellGridRange(cells, (shBox){vMax(box.lower, surface.lower), vMin(box.upper, surface.upper)});
    for (int z = range.lower[2]; z <= range.upper[2]; ++z)
        for (int y = range.lower[1]; y <= range.upper[1]; ++y)
            for (int x = range.lower[0]; x <= range.upper[0]; ++x)
                if (!visitCell(field, piece, (z * cells->size[1] + y) * cells->size[0] + x, visit, user))
                    return false;
    return true;
}

// ---- rays -----------------------------------------------------------------------------------------------------------

typedef struct RayWalk {
    TriRay ray;
    DVec3 translation;
    FieldRayHit best;
} RayWalk;

static bool hitFeature(int feature, const Vec3 p[3], void* user)
{
    RayWalk* walk = user;
    const DVec3 corners[3] = {dFromV(p[0]), dFromV(p[1]), dFromV(p[2])};
    TriHit hit;
    if (!triRayHit(&walk->ray, corners, &hit) || hit.distance < 0.0 || hit.distance > walk->best.fraction)
        return true;
    DVec3 normal = dNormalize(dCross(dSub(corners[1], corners[0]), dSub(corners[2], corners[0])));
    // Of two at once, the one that faces the ray.
    if (walk->best.feature != noFeature && hit.distance == walk->best.fraction &&
        dDot(normal, walk->translation) >= 0.0)
        return true;
    walk->best = (FieldRayHit){hit.distance, normal, feature};
    return true;
}

// The part of the ray that is within the box, give or take `slack`; false: none.
static bool clipRay(shBox box, double slack, DVec3 origin, DVec3 translation, double* from, double* to)
{
    *from = 0.0;
    *to = 1.0;
    for (int axis = 0; axis < 3; ++axis) {
        double lower = (double)vGet(box.lower, axis) - slack - dGet(origin, axis);
        double upper = (double)vGet(box.upper, axis) + slack - dGet(origin, axis), along = dGet(translation, axis);
        if (along == 0.0) {
            if (lower > 0.0 || upper < 0.0)
                return false;
            continue;
        }
        *from = maxD(*from, minD(lower / along, upper / along));
        *to = minD(*to, maxD(lower / along, upper / along));
    }
    return *from <= *to;
}

bool fieldRay(const FragmentField* field, int piece, DVec3 origin, DVec3 translation, FieldRayHit* hit)
{
    const CellGrid* cells = field->rest->cells;
    double from, to, cell = (double)cells->cell;
    // Cells list what comes near them: where exactly the ray goes from one to the next does not matter.
    if (dLength2(translation) == 0.0 ||
        !clipRay(surfaceBox(field, piece), (double)ROUNDING * cell, origin, translation, &from, &to))
        return false;
    RayWalk walk = {triRay(origin, translation), translation, {to, {0.0, 0.0, 0.0}, noFeature}};
    DVec3 start = dSub(dMad(origin, from, translation), dFromV(cells->origin));
    int at[3], step[3], left[3]; // cells before the grid ends
    double next[3], delta[3];    // fraction of the next wall, and from wall to wall
    for (int axis = 0; axis < 3; ++axis) {
        double along = dGet(translation, axis), x = dGet(start, axis) / cell;
        at[axis] = minI(maxI((int)floor(x), 0), cells->size[axis] - 1);
        step[axis] = along < 0.0 ? -1 : 1;
        left[axis] = along < 0.0 ? at[axis] : cells->size[axis] - 1 - at[axis];
        delta[axis] = along == 0.0 ? (double)INFINITY : cell / fabs(along);
        next[axis] = (double)INFINITY;
        if (along != 0.0)
            next[axis] = from + ((double)(at[axis] + (along > 0.0)) - x) * cell / along;
    }
    for (;;) {
        visitCell(field, piece, (at[2] * cells->size[1] + at[1]) * cells->size[0] + at[0], hitFeature, &walk);
        int axis = next[0] <= next[1] && next[0] <= next[2] ? 0 : next[1] <= next[2] ? 1 : 2;
        if (next[axis] > walk.best.fraction || left[axis]-- == 0)
            break;
        at[axis] += step[axis];
        next[axis] += delta[axis];
    }
    *hit = walk.best;
    return hit->feature != noFeature;
}
