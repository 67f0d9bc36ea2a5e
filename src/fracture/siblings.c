// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "fracture/siblings.h"

#include "core/constants.h"
#include "fracture/walls.h"

#include <stdlib.h>

void siblingsFree(Siblings* siblings, Memory* memory)
{
    arrayFree(memory, &siblings->contacts);
    arrayFree(memory, &siblings->walls);
    arrayFree(memory, &siblings->patch);
}

// ---- walls of cut edges ---------------------------------------------------------------------------------------------

typedef struct TetWalls {
    const FragmentField* field;
    CutWall* walls; // of the last break's cuts
    int tet;
} TetWalls;

static bool isAt(Vec3 a, Vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

// A triangle belongs to those of its corners that are cut edges, in equal parts.
static void addTriangle(int from, int to, const Vec3 corners[3], void* user)
{
    const TetWalls* all = user;
    const FragmentField* field = all->field;
    const int* edges = field->rest->topology->tetEdges[all->tet];
    int owners[6], count = 0;
    for (int e = 0; e < 6; ++e) {
        int cut = field->edgeCuts[edges[e]];
        if (cut < field->firstNewCut)
            continue;
        Vec3 p = field->cuts.data[cut].p;
        if (isAt(p, corners[0]) || isAt(p, corners[1]) || isAt(p, corners[2]))
            owners[count++] = cut;
    }
    DVec3 area = triangleArea(corners); // towards the side of `to`
    int a = field->labels[from], b = field->labels[to];
    for (int i = 0; i < count; ++i) {
        CutWall* wall = &all->walls[owners[i] - field->firstNewCut];
        bool out = a == wall->a && b == wall->b ? false : a == wall->b && b == wall->a;
        if (!out && !(a == wall->a && b == wall->b))
            continue; // where more than two meet, others are across
        wall->area = vMad(wall->area, (out ? 1.0f : -1.0f) / (float)count, vFromD(area));
    }
}

static void startWalls(Siblings* siblings, const FragmentField* field)
{
    siblings->walls.count = field->labels != NULL ? field->cuts.count - field->firstNewCut : 0;
    for (int i = 0; i < siblings->walls.count; ++i) {
        const CutPoint* cut = &field->cuts.data[field->firstNewCut + i];
        const int* ends = field->rest->topology->edges[cut->edge];
        int low = field->labels[ends[0]], high = field->labels[ends[1]];
        siblings->walls.data[i] =
            (CutWall){.a = minI(low, high), .b = maxI(low, high), .cut = field->firstNewCut + i, .point = cut->p};
    }
}

static int byPieces(const void* x, const void* y)
{
    const CutWall *a = x, *b = y;
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    if (a->b != b->b)
        return a->b < b->b ? -1 : 1;
    return a->cut < b->cut ? -1 : 1;
}

enum { siblingCorners = 6 }; // of a patch, at most

// ---- patches --------------------------------------------------------------------------------------------------------

// The largest wall that is in no patch yet, or null.
static const CutWall* largestLeft(const CutWall* walls, int count)
{
    const CutWall* largest = NULL;
    for (int i = 0; i < count; ++i) {
        if (!walls[i].taken && (largest == NULL || vLength2(walls[i].area) > vLength2(largest->area)))
            largest = &walls[i];
    }
    return largest;
}

// The direction in a patch along which its points are spread most.
static Vec3 longestWay(const CutWall* const* patch, int count, Vec3 normal)
{
    Vec3 u = vFromD(dPerpendicular(dFromV(normal))), v = vCross(normal, u), middle = {0.0f, 0.0f, 0.0f};
    for (int i = 0; i < count; ++i)
        middle = vMad(middle, 1.0f / (float)count, patch[i]->point);
    float uu = 0.0f, uv = 0.0f, vv = 0.0f;
    for (int i = 0; i < count; ++i) {
        Vec3 from = vSub(patch[i]->point, middle);
        float x = vDot(from, u), y = vDot(from, v);
        uu += x * x;
        uv += x * y;
        vv += y * y;
    }
    // The eigenvector of the larger eigenvalue of [uu uv; uv vv].
    float half = 0.5f * (uu - vv), root = sqrtf(half * half + uv * uv);
    Vec3 way = half >= 0.0f ? vAdd(vScale(half + root, u), vScale(uv, v)) : vAdd(vScale(uv, u), vScale(root - half, v));
    return vLength2(way) > 0.0f ? vNormalize(way) : u;
}

// The points of a patch that lie farthest in six directions.
static int cornersOf(const CutWall* const* patch, int count, Vec3 normal, const CutWall* corners[siblingCorners])
{
    static const float cosines[siblingCorners] = {1.0f, 0.5f, -0.5f, -1.0f, -0.5f, 0.5f};
    static const float sines[siblingCorners] = {0.0f, 0.8660254f, 0.8660254f, 0.0f, -0.8660254f, -0.8660254f};
    Vec3 along = longestWay(patch, count, normal), across = vCross(normal, along);
    int found = 0;
    for (int k = 0; k < siblingCorners; ++k) {
        Vec3 way = vMad(vScale(cosines[k], along), sines[k], across);
        float most = -INFINITY;
        const CutWall* corner = NULL;
        for (int i = 0; i < count; ++i) {
            float far = vDot(patch[i]->point, way);
            if (far > most) {
                most = far;
                corner = patch[i];
            }
        }
        bool known = false;
        for (int i = 0; i < found; ++i)
            known |= corners[i] == corner;
        if (!known)
            corners[found++] = corner;
    }
    return found;
}

static int sampleOf(const FragmentField* field, int cut, int piece)
{
    const int* ends = field->rest->topology->edges[field->cuts.data[cut].edge];
    return field->rest->mesh->nodeCount + 2 * cut + (field->labels[ends[0]] == piece ? 0 : 1);
}

// The contacts of one pair.
static void addPatches(Siblings* siblings, const FragmentField* field, CutWall* walls, int count)
{
    const CutWall** patch = siblings->patch.data;
    float all = 0.0f, left;
    for (int i = 0; i < count; ++i)
        all += vLength(walls[i].area);
    left = all;
    for (int patches = 0; patches < SIBLING_PATCHES && left > SIBLING_REST * all; ++patches) {
        const CutWall* seed = largestLeft(walls, count);
        if (seed == NULL)
            break;
        Vec3 direction = vNormalize(seed->area), sum = {0.0f, 0.0f, 0.0f};
        int many = 0;
        for (int i = 0; i < count; ++i) {
            float size = vLength(walls[i].area);
            if (walls[i].taken || !(vDot(walls[i].area, direction) >= SIBLING_CONE * size))
                continue;
            walls[i].taken = true;
            patch[many++] = &walls[i];
            sum = vAdd(sum, walls[i].area);
            left -= size;
        }
        if (many == 0 || !(vLength(sum) > SIBLING_REST * all))
            continue;
        Vec3 normal = vNormalize(sum);
        const CutWall* corners[siblingCorners];
        int found = cornersOf(patch, many, normal, corners);
        for (int i = 0; i < found; ++i) {
            const CutWall* at = corners[i];
            siblings->contacts.data[siblings->contacts.count++] = (SiblingContact){
                at->a, at->b, sampleOf(field, at->cut, at->a), sampleOf(field, at->cut, at->b), at->point, normal};
        }
    }
}

bool siblingsFind(Siblings* siblings, const FragmentField* field, Memory* memory)
{
    siblings->contacts.count = siblings->walls.count = 0;
    int cuts = field->labels != NULL ? field->cuts.count - field->firstNewCut : 0;
    // Corners of patches are cuts, each in one patch at most.
    if (!arrayReserve(memory, &siblings->walls, cuts) || !arrayReserve(memory, &siblings->contacts, cuts) ||
        !arrayReserve(memory, &siblings->patch, cuts))
        return false;
    startWalls(siblings, field);
    TetWalls each = {.field = field, .walls = siblings->walls.data};
    for (int i = 0; i < field->newTets.count && cuts > 0; ++i) {
        each.tet = field->newTets.data[i];
        wallsOfTet(field, each.tet, field->firstNewCut, addTriangle, &each);
    }
    CutWall* walls = siblings->walls.data;
    if (cuts > 0)
        qsort(walls, (size_t)cuts, sizeof *walls, byPieces);
    for (int begin = 0, end; begin < cuts; begin = end) {
        for (end = begin + 1; end < cuts && walls[end].a == walls[begin].a && walls[end].b == walls[begin].b;)
            ++end;
        addPatches(siblings, field, walls + begin, end - begin);
    }
    return true;
}
