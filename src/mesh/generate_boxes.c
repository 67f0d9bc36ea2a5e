// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Solids made of axis-aligned boxes that touch: one grid whose planes pass through every side of every box, so all
// corners and edges are exact. Flat normals and box-projected UVs are right as the builder makes them.

#include "core/message.h"
#include "mesh/generate.h"

enum { MAX_BOXES = 7 };

typedef struct BoxSolid {
    int boxCount;
    double boxes[MAX_BOXES][2][3]; // lower, upper corner, m
    double cell[3];                // size of a cell at detail 1, m
    bool middles;                  // twelve tets a cell, better for boards one cell thick; else five
} BoxSolid;

static const BoxSolid box = {1, {{{-0.25, 0, -0.25}, {0.25, 0.5, 0.25}}}, {0.5 / 6, 0.5 / 6, 0.5 / 6}, false};

// 13 · 2 · 5 cells: 404 triangles and 650 tets (Glondu: 468 and 594).
static const BoxSolid brick = {
    1, {{{-0.1075, 0, -0.05125}, {0.1075, 0.065, 0.05125}}}, {0.215 / 13, 0.065 / 2, 0.1025 / 5}, false};

static const BoxSolid wall = {1, {{{-1.2, 0, -0.1}, {1.2, 1.6, 0.1}}}, {0.1, 0.1, 0.1}, false};

// Two uprights, five boards: 4,116 triangles, 10,440 tets, 2,922 points (Glondu: 4,652, 10,200, 2,989).
static const BoxSolid shelf = {7,
                               {{{-0.53, 0, -0.125}, {-0.5, 1.75, 0.125}},
                                {{0.5, 0, -0.125}, {0.53, 1.75, 0.125}},
                                {{-0.5, 0, -0.125}, {0.5, 0.03, 0.125}},
                                {{-0.5, 0.43, -0.125}, {0.5, 0.46, 0.125}},
                                {{-0.5, 0.86, -0.125}, {0.5, 0.89, 0.125}},
                                {{-0.5, 1.29, -0.125}, {0.5, 1.32, 0.125}},
                                {{-0.5, 1.72, -0.125}, {0.5, 1.75, 0.125}}},
                               {0.05, 0.05, 0.05},
                               true};

static const BoxSolid table = {5,
                               {{{-0.6, 0.7, -0.35}, {0.6, 0.74, 0.35}},
                                {{-0.55, 0, -0.3}, {-0.48, 0.7, -0.23}},
                                {{0.48, 0, -0.3}, {0.55, 0.7, -0.23}},
                                {{-0.55, 0, 0.23}, {-0.48, 0.7, 0.3}},
                                {{0.48, 0, 0.23}, {0.55, 0.7, 0.3}}},
                               {0.06, 0.06, 0.06},
                               true};

// Fine for its thickness: cracks in glass run for long, and are seen.
static const BoxSolid pane = {1, {{{-0.45, 0, -0.005}, {0.45, 0.6, 0.005}}}, {0.015, 0.015, 0.01}, true};

typedef ARRAY(double) Lines;

// All sides of all boxes along one axis, ascending, with the cells between them.
static bool gridLines(Memory* memory, const BoxSolid* solid, int axis, float detail, Lines* lines)
{
    double sides[2 * MAX_BOXES] = {0};
    int count = 0;
    for (int s = 0; s < 2 * solid->boxCount; ++s) {
        double side = solid->boxes[s / 2][s % 2][axis];
        int at = count;
        while (at > 0 && sides[at - 1] >= side)
            --at;
        if (at < count && sides[at] == side)
            continue;
        for (int k = count++; k > at; --k)
            sides[k] = sides[k - 1];
        sides[at] = side;
    }
    for (int s = 0; s + 1 < count; ++s) {
        int cells = detailCount((sides[s + 1] - sides[s]) / solid->cell[axis], detail);
        if (!arrayReserve(memory, lines, lines->count + cells + 1))
            return false;
        for (int k = 0; k < cells; ++k)
            lines->data[lines->count++] = sides[s] + (sides[s + 1] - sides[s]) * k / cells;
    }
    lines->data[lines->count++] = sides[count - 1];
    return true;
}

static bool inSolid(const BoxSolid* solid, const double p[3])
{
    for (int b = 0; b < solid->boxCount; ++b) {
        bool inside = true;
        for (int axis = 0; axis < 3; ++axis)
            inside = inside && p[axis] > solid->boxes[b][0][axis] && p[axis] < solid->boxes[b][1][axis];
        if (inside)
            return true;
    }
    return false;
}

static void draftBoxes(Draft* draft, const BoxSolid* solid, const Lines lines[3])
{
    int nx = lines[0].count, ny = lines[1].count, nz = lines[2].count;
    for (int z = 0; z < nz; ++z)
        for (int y = 0; y < ny; ++y)
            for (int x = 0; x < nx; ++x)
                draftNode(draft, dvec3(lines[0].data[x], lines[1].data[y], lines[2].data[z]));
    for (int z = 0; z + 1 < nz; ++z)
        for (int y = 0; y + 1 < ny; ++y)
            for (int x = 0; x + 1 < nx; ++x) {
                double middle[3] = {0.5 * (lines[0].data[x] + lines[0].data[x + 1]),
                                    0.5 * (lines[1].data[y] + lines[1].data[y + 1]),
                                    0.5 * (lines[2].data[z] + lines[2].data[z + 1])};
                if (!inSolid(solid, middle))
                    continue;
                int corner[8];
                for (int k = 0; k < 8; ++k)
                    corner[k] = (x + (k & 1)) + nx * ((y + (k >> 1 & 1)) + ny * (z + (k >> 2)));
                bool odd = (x + y + z) % 2 != 0;
                if (solid->middles)
                    draftCell12(draft, corner, draftNode(draft, dvec3(middle[0], middle[1], middle[2])), odd);
                else
                    draftCell5(draft, corner, odd);
            }
}

static shStatus generateBoxes(const BoxSolid* solid, const GenerateDef* def, Memory* memory, TetMesh* out,
                              shMessage* message)
{
    Draft draft = {.memory = memory};
    Lines lines[3] = {0};
    for (int axis = 0; axis < 3; ++axis)
        draft.failed = draft.failed || !gridLines(memory, solid, axis, def->detail, &lines[axis]);
    if (!draft.failed)
        draftBoxes(&draft, solid, lines);
    for (int axis = 0; axis < 3; ++axis)
        arrayFree(memory, &lines[axis]);
    return draftFinish(&draft, out, NULL, NULL, message);
}

static double distanceBoxes(const BoxSolid* solid, DVec3 p)
{
    const double x[3] = {p.x, p.y, p.z};
    double nearest = INFINITY;
    for (int b = 0; b < solid->boxCount; ++b) {
        double outside2 = 0.0, inside = -INFINITY;
        for (int axis = 0; axis < 3; ++axis) {
            double d = maxD(solid->boxes[b][0][axis] - x[axis], x[axis] - solid->boxes[b][1][axis]);
            outside2 += d > 0.0 ? d * d : 0.0;
            inside = maxD(inside, d);
        }
        nearest = minD(nearest, inside > 0.0 ? sqrt(outside2) : inside);
    }
    return fabs(nearest);
}

static double volumeBoxes(const BoxSolid* solid)
{
    double sum = 0.0;
    for (int b = 0; b < solid->boxCount; ++b) {
        const double(*corner)[3] = solid->boxes[b];
        sum += (corner[1][0] - corner[0][0]) * (corner[1][1] - corner[0][1]) * (corner[1][2] - corner[0][2]);
    }
    return sum;
}

shStatus generateBox(const GenerateDef* def, Memory* memory, TetMesh* out, shMessage* message)
{
    return generateBoxes(&box, def, memory, out, message);
}

shStatus generateBrick(const GenerateDef* def, Memory* memory, TetMesh* out, shMessage* message)
{
    return generateBoxes(&brick, def, memory, out, message);
}

shStatus generateWall(const GenerateDef* def, Memory* memory, TetMesh* out, shMessage* message)
{
    return generateBoxes(&wall, def, memory, out, message);
}

shStatus generateShelf(const GenerateDef* def, Memory* memory, TetMesh* out, shMessage* message)
{
    return generateBoxes(&shelf, def, memory, out, message);
}

shStatus generateTable(const GenerateDef* def, Memory* memory, TetMesh* out, shMessage* message)
{
    return generateBoxes(&table, def, memory, out, message);
}

shStatus generatePane(const GenerateDef* def, Memory* memory, TetMesh* out, shMessage* message)
{
    return generateBoxes(&pane, def, memory, out, message);
}

double distanceBox(DVec3 p) { return distanceBoxes(&box, p); }
double distanceBrick(DVec3 p) { return distanceBoxes(&brick, p); }
double distanceWall(DVec3 p) { return distanceBoxes(&wall, p); }
double distanceShelf(DVec3 p) { return distanceBoxes(&shelf, p); }
double distanceTable(DVec3 p) { return distanceBoxes(&table, p); }
double distancePane(DVec3 p) { return distanceBoxes(&pane, p); }

double volumeBox(void) { return volumeBoxes(&box); }
double volumeBrick(void) { return volumeBoxes(&brick); }
double volumeWall(void) { return volumeBoxes(&wall); }
double volumeShelf(void) { return volumeBoxes(&shelf); }
double volumeTable(void) { return volumeBoxes(&table); }
double volumePane(void) { return volumeBoxes(&pane); }
