// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "field/piece_hull.h"

#include "core/constants.h"
#include "field/fragment_field.h"

// The squares that crack facets face, in order.
typedef struct HullAreas {
    Vec3 of[squareCount];
    float length2[squareCount]; // of `of`
    int count;
} HullAreas;

static HullAreas areasOf(const FragmentField* field, int piece)
{
    Vec3 size = boxSize(field->pieces.data[piece].box);
    double longest = (double)maxF(size.x, maxF(size.y, size.z));
    HullSteps steps = {.perArea = longest > 0.0 ? HULL_STEPS / (longest * longest) : 0.0};
    for (SkinWalk walk = fieldSkins(field, piece); fieldNextSkin(field, &walk);)
        SIMD_CHOOSE(hullAddAreas)(&steps, &walk.view, field->facets.data);
    HullAreas areas;
    areas.count = 0;
    for (int s = 0; s < squareCount; ++s) {
        const int64_t* sum = steps.of[s];
        if ((sum[0] | sum[1] | sum[2]) == 0)
            continue;
        Vec3 area = vec3((float)((double)sum[0] / steps.perArea), (float)((double)sum[1] / steps.perArea),
                         (float)((double)sum[2] / steps.perArea));
        areas.of[areas.count] = area;
        areas.length2[areas.count++] = vLength2(area);
    }
    return areas;
}

// The largest crack faces first. Facets that are about parallel count as one face.
static int layPlanes(HullAreas* areas, HullReach* reach)
{
    int count = 0;
    for (; count < hullMaxPlanes && areas->count > 0; ++count) {
        int largest = 0;
        for (int s = 1; s < areas->count; ++s) {
            if (areas->length2[s] > areas->length2[largest])
                largest = s;
        }
        Vec3 most = areas->of[largest], sum = {0.0f, 0.0f, 0.0f};
        float most2 = areas->length2[largest];
        if (!(most2 > 0.0f))
            break;
        int left = 0;
        for (int s = 0; s < areas->count; ++s) {
            Vec3 area = areas->of[s];
            float along = vDot(area, most), length2 = areas->length2[s];
            if (along <= 0.0f || along * along < HULL_PARALLEL * (length2 * most2)) {
                areas->of[left] = area;
                areas->length2[left++] = length2;
            } else {
                sum = vAdd(sum, area);
            }
        }
        areas->count = left;
        Vec3 normal = vNormalize(sum);
        reach->x[count] = normal.x, reach->y[count] = normal.y, reach->z[count] = normal.z;
    }
    return count;
}

// The reach of a set of points becomes planes, a little farther out than rounding may have put them.
static void planesAt(PieceHull* hull, const HullReach* reach, shBox box)
{
    Vec3 extent = vMax(vNeg(box.lower), box.upper);
    float slack = ROUNDING * (fabsf(extent.x) + fabsf(extent.y) + fabsf(extent.z));
    for (int k = 0; k < hull->count; ++k)
        hull->planes[k] = (HullPlane){{reach->x[k], reach->y[k], reach->z[k]}, reach->farthest[k] + slack};
}

PieceHull hullOfMesh(const TetMesh* mesh)
{
    PieceHull hull = {.count = hullMaxPlanes, .nodes = mesh->nodeCount};
    HullReach reach;
    shBox box = boxEmpty();
    float along = vNormalize(vec3(1.0f, 1.0f, 1.0f)).x;
    for (int k = 0; k < hullMaxPlanes; ++k) {
        reach.x[k] = k & 1 ? along : -along;
        reach.y[k] = k & 2 ? along : -along;
        reach.z[k] = k & 4 ? along : -along;
        reach.farthest[k] = -INFINITY;
    }
    for (int i = 0; i < mesh->surfaceNodeCount; ++i) {
        SIMD_CHOOSE(hullReachPoint)(&reach, mesh->nodes[i]);
        box = boxAdd(box, mesh->nodes[i]);
    }
    planesAt(&hull, &reach, box);
    return hull;
}

PieceHull hullOfPiece(const FragmentField* field, int piece)
{
    HullAreas areas = areasOf(field, piece);
    HullReach reach = {{0.0f}, {0.0f}, {0.0f}, {0.0f}};
    PieceHull hull = {.nodes = field->pieces.data[piece].count};
    hull.count = layPlanes(&areas, &reach);
    for (int k = 0; k < hullMaxPlanes; ++k)
        reach.farthest[k] = -INFINITY;
    for (SkinWalk walk = fieldSkins(field, piece); hull.count > 0 && fieldNextSkin(field, &walk);)
        SIMD_CHOOSE(hullReachSkin)(&reach, &walk.view);
    planesAt(&hull, &reach, field->pieces.data[piece].box);
    return hull;
}
