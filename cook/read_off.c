// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cook/limits.h"
#include "cook/readers.h"
#include "cook/soup.h"
#include "core/message.h"

#include <string.h>

typedef struct Off {
    Text* text;
    Soup soup;
    bool uvs, colours, normals; // per vertex, from the prefix
    int vertexCount, faceCount;
    ARRAY(Corner) corners; // per vertex, when the file has UVs or normals
} Off;

// The first word: [ST][C][N]OFF. Coordinates of four or n dimensions are another thing.
static bool readKind(Off* off)
{
    Word word, rest;
    if (!textNextLine(off->text) || !textWord(off->text, &word))
        return textFail(off->text, shBadFile, "no OFF header: the file holds only comments");
    rest = word;
    if (rest.length > 2 && memcmp(rest.start, "ST", 2) == 0) {
        off->uvs = true;
        rest.start += 2, rest.length -= 2;
    }
    if (rest.length > 1 && rest.start[0] == 'C') {
        off->colours = true;
        ++rest.start, --rest.length;
    }
    if (rest.length > 1 && rest.start[0] == 'N') {
        off->normals = true;
        ++rest.start, --rest.length;
    }
    if (!wordIs(rest, "OFF"))
        return textFail(off->text, shBadFile, "starts with '%.*s'; an OFF file starts with OFF, COFF, NOFF or STOFF",
                        word.length < 40 ? word.length : 40, word.start);
    return true;
}

static bool readCount(Off* off, const char* what, int limit, int* count)
{
    int64_t value;
    if (!textInt(off->text, &value, what))
        return false;
    if (value < 0)
        return textFail(off->text, shBadFile, "%s is %lld", what, (long long)value);
    if (value > limit)
        return textFail(off->text, shLimit, "%s is %lld; the limit is %d", what, (long long)value, limit);
    *count = (int)value;
    return true;
}

static bool readCounts(Off* off)
{
    Word word;
    const char* before = off->text->at;
    if (textWord(off->text, &word)) { // counts on the header's own line
        if (wordIs(word, "BINARY"))
            return textFail(off->text, shBadFile, "binary OFF is not read; convert it to text");
        off->text->at = before;
    } else if (!textNextLine(off->text)) {
        return textFail(off->text, shBadFile, "the file ends after its header");
    }
    return readCount(off, "the number of vertices", COOK_MAX_VERTICES, &off->vertexCount) &&
           readCount(off, "the number of faces", COOK_MAX_TRIANGLES, &off->faceCount);
}

// After x y z: a normal (N), a colour of three or four numbers (C), u v (ST).
static bool readVertexExtras(Off* off)
{
    if (!off->uvs && !off->normals)
        return true; // a colour, or what writers append unasked
    double numbers[9];
    int count = 0;
    Word word;
    while (count < 9 && textWord(off->text, &word)) {
        if (!wordNumber(word, &numbers[count]) || !(fabs(numbers[count]) <= COOK_MAX_COORDINATE))
            return textFail(off->text, shBadFile, "'%.*s' is not a number or too large",
                            word.length < 40 ? word.length : 40, word.start);
        ++count;
    }
    int needed = 3 * off->normals + 3 * off->colours + 2 * off->uvs;
    if (count < needed)
        return textFail(off->text, shBadFile, "a vertex with %d numbers; %d are needed", 3 + count, 3 + needed);
    Corner corner = {{NAN, NAN}, {NAN, NAN, NAN}};
    if (off->normals) {
        double length = dLength(dvec3(numbers[0], numbers[1], numbers[2]));
        if (length > 0.0 && isfinite(length))
            corner.normal = vFromD(dScale(1.0 / length, dvec3(numbers[0], numbers[1], numbers[2])));
    }
    if (off->uvs) {
        corner.uv[0] = (float)numbers[count - 2];
        corner.uv[1] = (float)numbers[count - 1];
    }
    if (!arrayReserve(off->text->memory, &off->corners, off->corners.count + 1)) {
        off->text->status = failMemory(off->text->message);
        return false;
    }
    off->corners.data[off->corners.count++] = corner;
    return true;
}

static bool readVertices(Off* off)
{
    for (int i = 0; i < off->vertexCount; ++i) {
        if (!textNextLine(off->text))
            return textFail(off->text, shBadFile, "the file ends after %d of %d vertices", i, off->vertexCount);
        if (!soupReadVertex(&off->soup, off->text) || !readVertexExtras(off))
            return false;
    }
    return true;
}

static bool readFace(Off* off)
{
    int64_t corners, vertex;
    if (!textInt(off->text, &corners, "the number of corners"))
        return false;
    if (corners < 1 || corners > COOK_MAX_POLYGON)
        return textFail(off->text, shBadFile, "a face with %lld corners; 3 to %d are read", (long long)corners,
                        COOK_MAX_POLYGON);
    soupClearPolygon(&off->soup);
    for (int k = 0; k < (int)corners; ++k) {
        if (!textInt(off->text, &vertex, "a vertex index"))
            return false;
        if (vertex < 0 || vertex >= off->vertexCount)
            return textFail(off->text, shBadFile, "vertex index %lld; there are %d vertices, counted from 0",
                            (long long)vertex, off->vertexCount);
        const Corner* corner = off->corners.count > 0 ? &off->corners.data[vertex] : NULL;
        if (!soupAddCorner(&off->soup, off->text, (int)vertex, off->uvs && corner != NULL ? corner->uv : NULL,
                           off->normals && corner != NULL ? &corner->normal : NULL))
            return false;
    }
    return soupAddPolygon(&off->soup, off->text, 0); // the rest of the line is a colour
}

static bool readFaces(Off* off)
{
    for (int i = 0; i < off->faceCount; ++i) {
        if (!textNextLine(off->text))
            return textFail(off->text, shBadFile, "the file ends after %d of %d faces", i, off->faceCount);
        if (!readFace(off))
            return false;
    }
    return true;
}

void readOff(Text* text, TriMesh* mesh, SlotNames* names)
{
    (void)names; // the format has none
    Off off = {.text = text};
    if (readKind(&off) && readCounts(&off) && readVertices(&off) && readFaces(&off))
        soupFinish(&off.soup, text, mesh, false);
    soupFree(&off.soup, text->memory);
    arrayFree(text->memory, &off.corners);
}
