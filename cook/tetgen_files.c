// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cook/tetgen_files.h"

#include "cook/limits.h"
#include "cook/text.h"
#include "core/message.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

shStatus tetgenWriteSurface(const char* path, const TriMesh* surface, shMessage* message)
{
    FILE* file = fopen(path, "w");
    if (file == NULL)
        return fail(message, shNoFile, "%.200s: cannot be written: %s", path, strerror(errno));
    fprintf(file, "%d 3 0 0\n", surface->vertexCount);
    for (int i = 0; i < surface->vertexCount; ++i) {
        DVec3 p = dFromV(vFromD(surface->vertices[i]));
        fprintf(file, "%d %.9g %.9g %.9g\n", i, p.x, p.y, p.z); // nine digits tell any two floats apart
    }
    fprintf(file, "%d 0\n", surface->triangleCount);
    for (int i = 0; i < surface->triangleCount; ++i) {
        const int* v = surface->triangles[i];
        fprintf(file, "3 %d %d %d\n", v[0], v[1], v[2]);
    }
    fprintf(file, "0\n0\n"); // holes, regions
    bool wrong = ferror(file) != 0;
    wrong = fclose(file) != 0 || wrong;
    return wrong ? fail(message, shNoFile, "%.200s: cannot be written: %s", path, strerror(errno)) : shOk;
}

static bool outOfMemory(Text* text)
{
    text->status = failMemory(text->message);
    return false;
}

// "count  second  …" on the first line of both files.
static bool readHeader(Text* text, int limit, int second, int* count)
{
    int64_t value, width;
    if (!textNextLine(text))
        return textFail(text, shBadFile, "the file is empty");
    if (!textInt(text, &value, "the count") || !textInt(text, &width, "the width"))
        return false;
    if (value < 4 && second == 3)
        return textFail(text, shBadFile, "%lld nodes", (long long)value);
    if (value < 1 || value > limit || width != second)
        return textFail(text, shBadFile, "%lld records of %lld numbers", (long long)value, (long long)width);
    *count = (int)value;
    return true;
}

// Records are numbered from zero, as our input is.
static bool readNumber(Text* text, int expected)
{
    int64_t number;
    if (!textNextLine(text))
        return textFail(text, shBadFile, "the file ends before record %d", expected);
    if (!textInt(text, &number, "the record number"))
        return false;
    return number == expected ||
           textFail(text, shBadFile, "record %lld where %d should be", (long long)number, expected);
}

static bool readNodes(Text* text, TetgenMesh* mesh)
{
    if (!readHeader(text, COOK_MAX_VERTICES, 3, &mesh->nodeCount))
        return false;
    mesh->nodes = NEW_ARRAY(text->memory, DVec3, mesh->nodeCount);
    if (mesh->nodes == NULL)
        return outOfMemory(text);
    for (int i = 0; i < mesh->nodeCount; ++i) {
        DVec3* p = &mesh->nodes[i];
        if (!readNumber(text, i) || !textNumber(text, &p->x, "x") || !textNumber(text, &p->y, "y") ||
            !textNumber(text, &p->z, "z"))
            return false;
    }
    return true;
}

static bool readTets(Text* text, TetgenMesh* mesh)
{
    if (!readHeader(text, COOK_MAX_TRIANGLES, 4, &mesh->tetCount))
        return false;
    mesh->tets = memAlloc(text->memory, memBytes((size_t)mesh->tetCount, sizeof(*mesh->tets)));
    mesh->regions = NEW_ZEROED(text->memory, int, mesh->tetCount);
    if (mesh->tets == NULL || mesh->regions == NULL)
        return outOfMemory(text);
    for (int i = 0; i < mesh->tetCount; ++i) {
        if (!readNumber(text, i))
            return false;
        for (int k = 0; k < 4; ++k) {
            int64_t node;
            if (!textInt(text, &node, "a node"))
                return false;
            if (node < 0 || node >= mesh->nodeCount)
                return textFail(text, shBadFile, "node %lld of %d", (long long)node, mesh->nodeCount);
            mesh->tets[i][k] = (int)node;
        }
        Word word;
        int64_t region = 1;
        if (textWord(text, &word) && (!wordInt(word, &region) || region < 1 || region > mesh->tetCount))
            return textFail(text, shBadFile, "a region that is no number from 1");
        mesh->regions[i] = (int)region - 1;
        mesh->regionCount = maxI(mesh->regionCount, (int)region);
    }
    mesh->usedTetCount = mesh->tetCount;
    return true;
}

static shStatus readFile(shContext* context, const char* path, TetgenMesh* mesh, bool (*read)(Text*, TetgenMesh*),
                         shMessage* message)
{
    Text text;
    if (textOpen(&text, context, path, message))
        read(&text, mesh);
    textClose(&text);
    return text.status;
}

shStatus tetgenReadMesh(shContext* context, const char* nodePath, const char* elePath, TetgenMesh* mesh,
                        shMessage* message)
{
    *mesh = (TetgenMesh){0};
    shStatus status = readFile(context, nodePath, mesh, readNodes, message);
    if (status == shOk)
        status = readFile(context, elePath, mesh, readTets, message);
    if (status != shOk)
        tetgenFreeMesh(mesh, &context->memory);
    return status;
}

void tetgenFreeMesh(TetgenMesh* mesh, Memory* memory)
{
    FREE_ARRAY(memory, mesh->nodes, mesh->nodeCount);
    FREE_ARRAY(memory, mesh->tets, mesh->tetCount);
    FREE_ARRAY(memory, mesh->regions, mesh->tetCount);
    *mesh = (TetgenMesh){0};
}
