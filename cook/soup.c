// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cook/soup.h"

#include "cook/limits.h"
#include "cook/polygon.h"
#include "cook/smooth.h"
#include "core/message.h"
#include "mesh/adjacency.h"

#include <stdlib.h>

void soupFree(Soup* soup, Memory* memory)
{
    arrayFree(memory, &soup->vertices);
    arrayFree(memory, &soup->triangles);
    arrayFree(memory, &soup->polygon);
}

static bool outOfMemory(Text* text)
{
    if (text->status == shOk)
        text->status = failMemory(text->message);
    return false;
}

bool soupReadVertex(Soup* soup, Text* text)
{
    double x[3];
    static const char* const names[3] = {"x", "y", "z"};
    for (int axis = 0; axis < 3; ++axis) {
        if (!textNumber(text, &x[axis], names[axis]))
            return false;
        if (fabs(x[axis]) > COOK_MAX_COORDINATE)
            return textFail(text, shBadFile, "%s is %g; coordinates beyond %g m are refused", names[axis], x[axis],
                            COOK_MAX_COORDINATE);
    }
    if (soup->vertices.count >= COOK_MAX_VERTICES)
        return textFail(text, shLimit, "more than %d vertices", COOK_MAX_VERTICES);
    if (!arrayReserve(text->memory, &soup->vertices, soup->vertices.count + 1))
        return outOfMemory(text);
    // Adding zero turns −0 into 0, so that equal positions have equal bits.
    soup->vertices.data[soup->vertices.count++] = dvec3(x[0] + 0.0, x[1] + 0.0, x[2] + 0.0);
    return true;
}

void soupClearPolygon(Soup* soup) { soup->polygon.count = 0; }

bool soupAddCorner(Soup* soup, Text* text, int vertex, const float* uv, const Vec3* normal)
{
    if (soup->polygon.count >= COOK_MAX_POLYGON)
        return textFail(text, shLimit, "a face with more than %d corners", COOK_MAX_POLYGON);
    if (!arrayReserve(text->memory, &soup->polygon, soup->polygon.count + 1))
        return outOfMemory(text);
    SoupCorner* corner = &soup->polygon.data[soup->polygon.count++];
    *corner = (SoupCorner){vertex, {{NAN, NAN}, {NAN, NAN, NAN}}};
    if (uv != NULL) {
        corner->attributes.uv[0] = uv[0];
        corner->attributes.uv[1] = uv[1];
    }
    if (normal != NULL)
        corner->attributes.normal = *normal;
    soup->attributes = soup->attributes || uv != NULL || normal != NULL;
    soup->normals = soup->normals || normal != NULL;
    return true;
}

static void addTriangle(Soup* soup, int a, int b, int c, int group)
{
    const SoupCorner* polygon = soup->polygon.data;
    int va = polygon[a].vertex, vb = polygon[b].vertex, vc = polygon[c].vertex;
    if (va != vb && vb != vc && vc != va)
        soup->triangles.data[soup->triangles.count++] =
            (SoupTriangle){{polygon[a], polygon[b], polygon[c]}, (uint16_t)group};
}

bool soupAddPolygon(Soup* soup, Text* text, int group)
{
    int count = soup->polygon.count;
    if (count < 3)
        return textFail(text, shBadFile, "a face with %d corner%s; it needs 3", count, count == 1 ? "" : "s");
    if (soup->triangles.count + count - 2 > COOK_MAX_TRIANGLES)
        return textFail(text, shLimit, "more than %d triangles", COOK_MAX_TRIANGLES);
    if (!arrayReserve(text->memory, &soup->triangles, (int64_t)soup->triangles.count + count - 2))
        return outOfMemory(text);
    if (count == 3) {
        addTriangle(soup, 0, 1, 2, group);
        return true;
    }

    DVec3 points[COOK_MAX_POLYGON];
    int next[COOK_MAX_POLYGON], previous[COOK_MAX_POLYGON], triangles[COOK_MAX_POLYGON][3];
    for (int i = 0; i < count; ++i)
        points[i] = soup->vertices.data[soup->polygon.data[i].vertex];
    polygonTriangulate(count, points, next, previous, triangles);
    for (int i = 0; i < count - 2; ++i)
        addTriangle(soup, triangles[i][0], triangles[i][1], triangles[i][2], group);
    return true;
}

// True when some edge has an odd number of triangles: the surface is open there.
static bool findOpenEdges(const Soup* soup, Text* text, bool* open)
{
    KeySet edges = {0};
    int64_t count = 3 * (int64_t)soup->triangles.count;
    bool* odd = NEW_ZEROED(text->memory, bool, count);
    bool ok = odd != NULL && keySetInit(&edges, text->memory, count);
    for (int i = 0; ok && i < soup->triangles.count; ++i) {
        const SoupCorner* corners = soup->triangles.data[i].corners;
        for (int k = 0; k < 3; ++k) {
            int edge = keySetAddEdge(&edges, corners[k].vertex, corners[(k + 1) % 3].vertex);
            odd[edge] = !odd[edge];
        }
    }
    *open = false;
    for (int i = 0; ok && i < edges.count; ++i)
        *open = *open || odd[i];
    keySetFree(&edges, text->memory);
    FREE_ARRAY(text->memory, odd, count);
    return ok || outOfMemory(text);
}

typedef struct Place {
    DVec3 p;
    int index;
} Place;

static int comparePlaces(const void* a, const void* b)
{
    const Place *x = a, *y = b;
    if (x->p.x != y->p.x)
        return x->p.x < y->p.x ? -1 : 1;
    if (x->p.y != y->p.y)
        return x->p.y < y->p.y ? -1 : 1;
    if (x->p.z != y->p.z)
        return x->p.z < y->p.z ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

// All vertices of one position become the first of them.
static void weld(Soup* soup, Place* places, int* target)
{
    int count = soup->vertices.count;
    for (int i = 0; i < count; ++i)
        places[i] = (Place){soup->vertices.data[i], i};
    qsort(places, (size_t)count, sizeof(places[0]), comparePlaces);
    for (int begin = 0, end; begin < count; begin = end) {
        for (end = begin; end < count && dLength2(dSub(places[end].p, places[begin].p)) == 0.0; ++end)
            target[places[end].index] = places[begin].index;
    }
    int kept = 0;
    for (int i = 0; i < soup->triangles.count; ++i) {
        SoupTriangle triangle = soup->triangles.data[i];
        int v[3];
        for (int k = 0; k < 3; ++k)
            v[k] = triangle.corners[k].vertex = target[triangle.corners[k].vertex];
        if (v[0] != v[1] && v[1] != v[2] && v[2] != v[0])
            soup->triangles.data[kept++] = triangle;
    }
    soup->triangles.count = kept;
}

// What the file leaves out is taken from the triangle itself.
static void completeCorners(const Soup* soup, const SoupTriangle* triangle, Corner out[3])
{
    DVec3 p[3];
    for (int k = 0; k < 3; ++k)
        p[k] = soup->vertices.data[triangle->corners[k].vertex];
    cornersFlat(p, out);
    for (int k = 0; k < 3; ++k) {
        const Corner* given = &triangle->corners[k].attributes;
        if (!isnan(given->normal.x))
            out[k].normal = given->normal;
        if (!isnan(given->uv[0])) {
            out[k].uv[0] = given->uv[0];
            out[k].uv[1] = given->uv[1];
        }
    }
}

static bool makeMesh(const Soup* soup, Text* text, TriMesh* mesh, bool groups, int* number)
{
    int vertexCount = 0, triangleCount = soup->triangles.count;
    for (int i = 0; i < triangleCount; ++i)
        for (int k = 0; k < 3; ++k)
            number[soup->triangles.data[i].corners[k].vertex] = 1;
    for (int i = 0; i < soup->vertices.count; ++i)
        number[i] = number[i] != 0 ? vertexCount++ : -1;
    if (!triMeshAlloc(mesh, text->memory, vertexCount, triangleCount, soup->attributes, groups))
        return outOfMemory(text);
    for (int i = 0; i < soup->vertices.count; ++i)
        if (number[i] >= 0)
            mesh->vertices[number[i]] = soup->vertices.data[i];
    for (int i = 0; i < triangleCount; ++i) {
        const SoupTriangle* triangle = &soup->triangles.data[i];
        for (int k = 0; k < 3; ++k)
            mesh->triangles[i][k] = number[triangle->corners[k].vertex];
        if (soup->attributes)
            completeCorners(soup, triangle, mesh->corners[i]);
        if (groups)
            mesh->groups[i] = triangle->group;
    }
    if (soup->attributes && !soup->normals &&
        !smoothNormals(text->memory, vertexCount, mesh->vertices, triangleCount, (const int(*)[3])mesh->triangles,
                       mesh->corners))
        return outOfMemory(text);
    return true;
}

bool soupFinish(Soup* soup, Text* text, TriMesh* mesh, bool groups)
{
    if (text->status != shOk)
        return false;
    text->line = 0; // what follows concerns the file as a whole
    int vertexCount = soup->vertices.count, triangleCount = soup->triangles.count;
    if (triangleCount < COOK_MIN_TRIANGLES)
        return textFail(text, shBadMesh, "%d triangle%s; a mesh needs at least %d", triangleCount,
                        triangleCount == 1 ? "" : "s", COOK_MIN_TRIANGLES);

    Memory* memory = text->memory;
    Place* places = NEW_ARRAY(memory, Place, vertexCount);
    int* number = NEW_ZEROED(memory, int, vertexCount);
    bool open = false;
    bool ok = (places != NULL && number != NULL) || outOfMemory(text);
    ok = ok && findOpenEdges(soup, text, &open);
    if (ok && open) {
        weld(soup, places, number);
        for (int i = 0; i < vertexCount; ++i)
            number[i] = 0;
        if (soup->triangles.count < COOK_MIN_TRIANGLES)
            ok = textFail(text, shBadMesh, "%d triangles are left after joining equal vertices; a mesh needs %d",
                          soup->triangles.count, COOK_MIN_TRIANGLES);
    }
    ok = ok && makeMesh(soup, text, mesh, groups, number);
    FREE_ARRAY(memory, places, vertexCount);
    FREE_ARRAY(memory, number, vertexCount);
    return ok;
}
