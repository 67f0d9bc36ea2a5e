// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A pattern of one's own: a pane of glass breaks into the pieces of a jigsaw puzzle. Each region is a prism over a
// piece's outline; neighbours share outlines, so the regions fill their box. The pattern is saved for
// `sherd break pane --pattern jigsaw.shp`, the broken pane written as jigsaw.glb.
#include <sherd/export.h>
#include <sherd/fracture.h>

#include <math.h>
#include <stdio.h>

enum { COLUMNS = 6, ROWS = 4, ARC = 12, SIDE = ARC + 3, OUTLINE = 4 * SIDE, PIECES = COLUMNS * ROWS };
static const float width = 0.15f, depth = 0.15f, height = 0.02f; // of a piece, m

typedef struct Point {
    float x, z;
} Point;

// Knobs point to the one side or the other, without any rule.
static float knobSide(int i, int j) { return (i * 7 + j * 5 + i * j) % 3 == 1 ? -1.0f : 1.0f; }

// SIDE points from corner a to the one before corner b, with a knob to the left (side 1), the right (−1) or none (0).
static void drawSide(Point a, Point b, float side, Point* points)
{
    float dx = b.x - a.x, dz = b.z - a.z;
    for (int i = 0; i < SIDE; ++i) {
        float along = i == 0 ? 0.0f : i == 1 ? 0.4f : 0.6f, across = 0.0f;
        if (i >= 2 && i < SIDE - 1) {
            float angle = 3.84f - 4.54f * (float)(i - 2) / (float)(ARC - 1); // 220° to −40°, over the top
            along = 0.5f + 0.14f * cosf(angle);
            across = side * (0.15f + 0.14f * sinf(angle));
        }
        points[i] = (Point){a.x + along * dx - across * dz, a.z + along * dz + across * dx};
    }
}

// A side is drawn once, from its lower corner up; the piece on its other side walks it backwards.
static void appendSide(Point* outline, int* count, Point a, Point b, float side, bool backwards)
{
    Point points[SIDE + 1];
    drawSide(a, b, side, points);
    points[SIDE] = b;
    for (int i = 0; i < SIDE; ++i)
        outline[(*count)++] = backwards ? points[SIDE - i] : points[i];
}

static void drawPiece(int i, int j, Point outline[OUTLINE])
{
    float x0 = width * ((float)i - 0.5f * COLUMNS), z0 = depth * ((float)j - 0.5f * ROWS);
    Point corner[4] = {{x0, z0}, {x0 + width, z0}, {x0 + width, z0 + depth}, {x0, z0 + depth}};
    int count = 0;
    appendSide(outline, &count, corner[0], corner[1], j > 0 ? knobSide(i, j) : 0.0f, false);
    appendSide(outline, &count, corner[1], corner[2], i + 1 < COLUMNS ? knobSide(j, i + 4) : 0.0f, false);
    appendSide(outline, &count, corner[3], corner[2], j + 1 < ROWS ? knobSide(i, j + 1) : 0.0f, true);
    appendSide(outline, &count, corner[0], corner[3], i > 0 ? knobSide(j, i + 3) : 0.0f, true);
}

static float turn(Point a, Point b, Point c) { return (b.x - a.x) * (c.z - a.z) - (b.z - a.z) * (c.x - a.x); }

static bool isEar(const Point* outline, const int* left, int count, int k)
{
    Point a = outline[left[(k + count - 1) % count]], b = outline[left[k]], c = outline[left[(k + 1) % count]];
    if (turn(a, b, c) <= 0.0f)
        return false;
    for (int i = 0; i < count; ++i) {
        Point p = outline[left[i]];
        bool corner = i == k || i == (k + 1) % count || i == (k + count - 1) % count;
        if (!corner && turn(a, b, p) >= 0.0f && turn(b, c, p) >= 0.0f && turn(c, a, p) >= 0.0f)
            return false;
    }
    return true;
}

// Cuts ears off until a triangle is left.
static int fillOutline(const Point* outline, int (*triangles)[3])
{
    int left[OUTLINE], count = OUTLINE, made = 0;
    for (int i = 0; i < OUTLINE; ++i)
        left[i] = i;
    while (count >= 3) {
        int k = 0;
        while (k < count - 1 && !isEar(outline, left, count, k))
            ++k;
        int* triangle = triangles[made++];
        triangle[0] = left[(k + count - 1) % count];
        triangle[1] = left[k];
        triangle[2] = left[(k + 1) % count];
        --count;
        for (int i = k; i < count; ++i)
            left[i] = left[i + 1];
    }
    return made;
}

enum { PRISM = 2 * (OUTLINE - 2) + 2 * OUTLINE }; // triangles

typedef struct Puzzle {
    shVec3 vertices[PIECES * 2 * OUTLINE];
    int triangles[PIECES * PRISM][3];
    int regions[PIECES * PRISM];
    int triangleCount;
} Puzzle;

static void addTriangle(Puzzle* puzzle, int region, int a, int b, int c)
{
    int base = 2 * OUTLINE * region, t = puzzle->triangleCount++;
    puzzle->triangles[t][0] = base + a;
    puzzle->triangles[t][1] = base + b;
    puzzle->triangles[t][2] = base + c;
    puzzle->regions[t] = region;
}

static void addPrism(Puzzle* puzzle, int region, const Point* outline)
{
    for (int i = 0; i < OUTLINE; ++i)
        for (int top = 0; top < 2; ++top)
            puzzle->vertices[2 * (OUTLINE * region + i) + top] =
                (shVec3){outline[i].x, top ? height : -height, outline[i].z};
    int caps[OUTLINE][3], count = fillOutline(outline, caps);
    for (int t = 0; t < count; ++t)
        for (int top = 0; top < 2; ++top)
            addTriangle(puzzle, region, 2 * caps[t][0] + top, 2 * caps[t][top ? 2 : 1] + top,
                        2 * caps[t][top ? 1 : 2] + top);
    for (int i = 0; i < OUTLINE; ++i) {
        int low = 2 * i, next = 2 * ((i + 1) % OUTLINE);
        addTriangle(puzzle, region, low, low + 1, next + 1);
        addTriangle(puzzle, region, low, next + 1, next);
    }
}

static shStatus breakPane(shContext* context, const shRegions* regions, shMessage* message)
{
    shCookDef cook = shDefaultCookDef();
    shAsset* pane = NULL;
    shSolid* solid = NULL;
    shPattern pattern = shDefaultPattern(shRegionPattern);
    shImpact impact = shDefaultImpact((shVec3){0.0f, 0.3f, 0.005f});
    pattern.regions = regions;
    impact.direction = (shVec3){0.0f, 0.0f, -1.0f};
    shStatus status = shCookModel(context, "pane", 1.5f, &cook, &pane, message);
    if (status == shOk)
        status = shCreateSolid(pane, &solid, message);
    if (status == shOk)
        status = shSolid_BreakPattern(solid, 0, &pattern, &impact, NULL, message);
    if (status == shOk)
        status = shExportSolid(solid, 0.15f, "jigsaw.glb", message);
    if (status == shOk)
        printf("%d pieces\n", shSolid_GetPieceCount(solid));
    shDestroySolid(solid);
    shDestroyAsset(pane);
    return status;
}

int main(void)
{
    static Puzzle puzzle;
    for (int i = 0; i < COLUMNS; ++i)
        for (int j = 0; j < ROWS; ++j) {
            Point outline[OUTLINE];
            drawPiece(i, j, outline);
            addPrism(&puzzle, i * ROWS + j, outline);
        }
    shRegionMesh mesh = {.regionCount = PIECES,
                         .vertexCount = PIECES * 2 * OUTLINE,
                         .triangleCount = puzzle.triangleCount,
                         .vertices = puzzle.vertices,
                         .triangles = (const int(*)[3])puzzle.triangles,
                         .regions = puzzle.regions};
    shRegionsDef def = shDefaultRegionsDef();
    def.cells = 200;

    shMessage message = {0};
    shContextDef contextDef = shDefaultContextDef();
    contextDef.workerCount = 2;
    shContext* context = NULL;
    shRegions* regions = NULL;
    shStatus status = shCreateContext(&contextDef, &context, &message);
    if (status == shOk)
        status = shCreateRegions(context, &mesh, &def, &regions, &message);
    if (status == shOk)
        status = shSaveRegions(regions, "jigsaw.shp", &message);
    if (status == shOk)
        status = breakPane(context, regions, &message);
    if (status != shOk)
        puts(message.text);
    shDestroyRegions(regions);
    if (context != NULL)
        shDestroyContext(context);
    return status == shOk ? 0 : 1;
}
