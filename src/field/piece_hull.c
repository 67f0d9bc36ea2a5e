// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "field/piece_hull.h"

#include "core/constants.h"
#include "field/fragment_field.h"

// Directions are sorted into squares on the sides of a cube; facets of one flat crack share a square.
enum { squaresAlong = 8, squaresPerSide = squaresAlong * squaresAlong, squareCount = 6 * squaresPerSide };

typedef struct Hulling {
    const FragmentField* field;
    Vec3 areas[squareCount]; // twice the area of the crack facets that face there, times their normal
    float reach[hullMaxPlanes];
    float x[hullMaxPlanes], y[hullMaxPlanes], z[hullMaxPlanes];
    float extent; // largest sum of coordinates
} Hulling;

static int squareAlong(float x) { return minI((int)((0.5f * x + 0.5f) * (float)squaresAlong), squaresAlong - 1); }

static int squareOf(Vec3 n)
{
    float x = fabsf(n.x), y = fabsf(n.y), z = fabsf(n.z);
    int axis = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
    float length = vGet(n, axis), inverse = 1.0f / fabsf(length);
    int u = squareAlong(vGet(n, (axis + 1) % 3) * inverse), v = squareAlong(vGet(n, (axis + 2) % 3) * inverse);
    return (2 * axis + (length < 0.0f)) * squaresPerSide + squaresAlong * v + u;
}

static void addArea(Hulling* hulling, const Facet* facet)
{
    if (facet->source >= 0)
        return;
    Vec3 area = vCross(vSub(facet->p[1], facet->p[0]), vSub(facet->p[2], facet->p[0]));
    if (!(vLength2(area) > 0.0f))
        return;
    Vec3* sum = &hulling->areas[squareOf(area)];
    *sum = vAdd(*sum, area);
}

static void addPoint(Hulling* hulling, Vec3 p)
{
    for (int k = 0; k < hullMaxPlanes; ++k) {
        float reach = hulling->x[k] * p.x + hulling->y[k] * p.y + hulling->z[k] * p.z;
        hulling->reach[k] = maxF(hulling->reach[k], reach);
    }
    hulling->extent = maxF(hulling->extent, fabsf(p.x) + fabsf(p.y) + fabsf(p.z));
}

static void addFacet(Hulling* hulling, const Facet* facet)
{
    for (int k = 0; k < 3; ++k)
        addPoint(hulling, facet->p[k]);
}

static void eachFacet(Hulling* hulling, const Piece* piece, void (*add)(Hulling*, const Facet*))
{
    const FragmentField* field = hulling->field;
    const TetTopology* topology = field->rest->topology;
    for (int i = piece->first; i < piece->first + piece->count; ++i) {
        int node = field->nodeOrder[i];
        for (int k = topology->nodeTetStart[node]; k < topology->nodeTetStart[node + 1]; ++k) {
            int tet = field->tetCuts[topology->nodeTets[k]];
            if (tet < 0)
                continue;
            const CutTet* cut = &field->cutTets.data[tet];
            int corner = 0;
            while (cut->nodes[corner] != node)
                ++corner;
            for (int f = cut->facets[corner]; f < cut->facets[corner] + cut->facetCount[corner]; ++f)
                add(hulling, &field->facets.data[f]);
        }
    }
}

// The largest crack faces first. Facets that are about parallel count as one face.
static int layPlanes(Hulling* hulling)
{
    int count = 0;
    for (; count < hullMaxPlanes; ++count) {
        int largest = 0;
        for (int s = 1; s < squareCount; ++s) {
            if (vLength2(hulling->areas[s]) > vLength2(hulling->areas[largest]))
                largest = s;
        }
        Vec3 most = hulling->areas[largest], sum = {0.0f, 0.0f, 0.0f};
        if (!(vLength2(most) > 0.0f))
            break;
        for (int s = 0; s < squareCount; ++s) {
            Vec3 area = hulling->areas[s];
            float along = vDot(area, most);
            if (along <= 0.0f || along * along < HULL_PARALLEL * (vLength2(area) * vLength2(most)))
                continue;
            sum = vAdd(sum, area);
            hulling->areas[s] = vec3(0.0f, 0.0f, 0.0f);
        }
        Vec3 normal = vNormalize(sum);
        hulling->x[count] = normal.x, hulling->y[count] = normal.y, hulling->z[count] = normal.z;
    }
    return count;
}

PieceHull hullOfPiece(const FragmentField* field, int piece)
{
    const Piece* range = &field->pieces.data[piece];
    Hulling hulling = {.field = field};
    PieceHull hull = {.nodes = range->count};
    eachFacet(&hulling, range, addArea);
    hull.count = layPlanes(&hulling);
    if (hull.count == 0)
        return hull;
    for (int k = 0; k < hullMaxPlanes; ++k)
        hulling.reach[k] = -INFINITY;
    // Corners of the surface are enough: facets where it is cut, nodes of the mesh's boundary elsewhere.
    eachFacet(&hulling, range, addFacet);
    for (int i = range->first; i < range->first + range->count; ++i) {
        int node = field->nodeOrder[i];
        if (field->rest->nodeDistances[node] == 0.0f)
            addPoint(&hulling, field->rest->mesh->nodes[node]);
    }
    for (int k = 0; k < hull.count; ++k)
        hull.planes[k] =
            (HullPlane){{hulling.x[k], hulling.y[k], hulling.z[k]}, hulling.reach[k] + ROUNDING * hulling.extent};
    return hull;
}
