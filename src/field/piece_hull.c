// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "field/piece_hull.h"

#include "core/constants.h"
#include "field/fragment_field.h"

// Directions are sorted into squares on the sides of a cube; facets of one flat crack share a square.
enum { squaresAlong = 4, squaresPerSide = squaresAlong * squaresAlong, squareCount = 6 * squaresPerSide };

// Twice the area of the crack facets that face each square, times their normal.
typedef struct HullAreas {
    Vec3 of[squareCount];
} HullAreas;

static int squareAlong(float x) { return minI((int)((0.5f * x + 0.5f) * (float)squaresAlong), squaresAlong - 1); }

static int squareOf(Vec3 n)
{
    float x = fabsf(n.x), y = fabsf(n.y), z = fabsf(n.z);
    int axis = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
    float length = vGet(n, axis), inverse = 1.0f / fabsf(length);
    int u = squareAlong(vGet(n, (axis + 1) % 3) * inverse), v = squareAlong(vGet(n, (axis + 2) % 3) * inverse);
    return (2 * axis + (length < 0.0f)) * squaresPerSide + squaresAlong * v + u;
}

// The same in whole steps, which add up to the same in any order: trees hold facets as history has put them there.
typedef struct HullSteps {
    int64_t of[squareCount][3];
    double perArea; // steps
} HullSteps;

static void addArea(HullSteps* steps, const Facet* facet)
{
    Vec3 area = vCross(vSub(facet->p[1], facet->p[0]), vSub(facet->p[2], facet->p[0]));
    if (facet->source >= 0 || !(vLength2(area) > 0.0f))
        return;
    int64_t* sum = steps->of[squareOf(area)];
    for (int k = 0; k < 3; ++k)
        sum[k] += (int64_t)floor((double)vGet(area, k) * steps->perArea + 0.5);
}

static void addAreas(HullSteps* steps, const FragmentField* field, const SkinView* view)
{
    for (int packet = 0; packet < view->tree->packetCount; ++packet) {
        for (unsigned lanes = view->alive[packet]; lanes != 0; lanes &= lanes - 1u) {
            int feature = view->packets[packet].features[__builtin_ctz(lanes)];
            if (feature < 0)
                addArea(steps, &field->facets.data[~feature]);
        }
    }
}

static HullAreas areasOf(const FragmentField* field, int piece)
{
    Vec3 size = boxSize(field->pieces.data[piece].box);
    double longest = (double)maxF(size.x, maxF(size.y, size.z));
    HullSteps steps = {.perArea = longest > 0.0 ? HULL_STEPS / (longest * longest) : 0.0};
    for (SkinWalk walk = fieldSkins(field, piece); fieldNextSkin(field, &walk);)
        addAreas(&steps, field, &walk.view);
    HullAreas areas;
    for (int s = 0; s < squareCount; ++s)
        areas.of[s] =
            vec3((float)((double)steps.of[s][0] / steps.perArea), (float)((double)steps.of[s][1] / steps.perArea),
                 (float)((double)steps.of[s][2] / steps.perArea));
    return areas;
}

// The largest crack faces first. Facets that are about parallel count as one face.
static int layPlanes(HullAreas* areas, HullReach* reach)
{
    int count = 0;
    for (; count < hullMaxPlanes; ++count) {
        int largest = 0;
        for (int s = 1; s < squareCount; ++s) {
            if (vLength2(areas->of[s]) > vLength2(areas->of[largest]))
                largest = s;
        }
        Vec3 most = areas->of[largest], sum = {0.0f, 0.0f, 0.0f};
        if (!(vLength2(most) > 0.0f))
            break;
        for (int s = 0; s < squareCount; ++s) {
            Vec3 area = areas->of[s];
            float along = vDot(area, most);
            if (along <= 0.0f || along * along < HULL_PARALLEL * (vLength2(area) * vLength2(most)))
                continue;
            sum = vAdd(sum, area);
            areas->of[s] = vec3(0.0f, 0.0f, 0.0f);
        }
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
