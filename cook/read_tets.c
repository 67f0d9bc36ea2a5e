// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cook/read_tets.h"

#include "cook/bytes.h"
#include "cook/limits.h"
#include "core/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void rawTetsFree(RawTets* raw, Memory* memory)
{
    arrayFree(memory, &raw->nodes);
    arrayFree(memory, &raw->tets);
}

static const char* extensionOf(const char* path)
{
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    return dot != NULL && (slash == NULL || dot > slash) ? dot + 1 : "";
}

static bool isOf(const char* path, const char* extension)
{
    const char* own = extensionOf(path);
    size_t i = 0;
    for (; extension[i] != '\0' && (own[i] | 0x20) == extension[i]; ++i)
        continue;
    return extension[i] == '\0' && own[i] == '\0';
}

bool tetsAreRead(const char* path) { return isOf(path, "node") || isOf(path, "ele") || isOf(path, "msh"); }

// Nodes and elements carry tags of their own, in any order.
typedef struct Tag {
    int64_t tag;
    int index;
} Tag;

typedef struct Reader {
    Bytes bytes;
    Memory* memory;
    RawTets* raw;
    ARRAY(Tag) tags;
} Reader;

static bool outOfMemory(Reader* r)
{
    r->bytes.status = failMemory(r->bytes.message);
    return false;
}

static bool readNode(Reader* r, int64_t tag)
{
    double x[3];
    static const char* const names[3] = {"x", "y", "z"};
    for (int axis = 0; axis < 3; ++axis) {
        if (!bytesReal(&r->bytes, &x[axis], names[axis]))
            return false;
        if (!(fabs(x[axis]) <= COOK_MAX_COORDINATE))
            return bytesFail(&r->bytes, shBadFile, "%s is %g; coordinates beyond %g m are refused", names[axis],
                             x[axis], COOK_MAX_COORDINATE);
    }
    if (r->raw->nodes.count >= COOK_MAX_VERTICES)
        return bytesFail(&r->bytes, shLimit, "more than %d nodes", COOK_MAX_VERTICES);
    if (!arrayReserve(r->memory, &r->raw->nodes, (int64_t)r->raw->nodes.count + 1) ||
        !arrayReserve(r->memory, &r->tags, (int64_t)r->tags.count + 1))
        return outOfMemory(r);
    r->tags.data[r->tags.count++] = (Tag){tag, r->raw->nodes.count};
    r->raw->nodes.data[r->raw->nodes.count++] = dvec3(x[0] + 0.0, x[1] + 0.0, x[2] + 0.0);
    return true;
}

static int compareTags(const void* left, const void* right)
{
    const Tag *a = left, *b = right;
    if (a->tag != b->tag)
        return a->tag < b->tag ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static bool sortTags(Reader* r)
{
    if (r->tags.count == 0)
        return bytesFail(&r->bytes, shBadFile, "there are no nodes");
    qsort(r->tags.data, (size_t)r->tags.count, sizeof(Tag), compareTags);
    for (int i = 1; i < r->tags.count; ++i)
        if (r->tags.data[i].tag == r->tags.data[i - 1].tag)
            return bytesFail(&r->bytes, shBadFile, "two nodes have the number %lld", (long long)r->tags.data[i].tag);
    return true;
}

static int nodeOf(const Reader* r, int64_t tag)
{
    int low = 0, high = r->tags.count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (r->tags.data[middle].tag < tag)
            low = middle + 1;
        else
            high = middle;
    }
    return low < r->tags.count && r->tags.data[low].tag == tag ? r->tags.data[low].index : -1;
}

static bool addTet(Reader* r, const int64_t tags[4])
{
    TetIndices tet;
    for (int k = 0; k < 4; ++k) {
        tet.n[k] = nodeOf(r, tags[k]);
        if (tet.n[k] < 0)
            return bytesFail(&r->bytes, shBadFile, "a tetrahedron has node %lld, which there is not",
                             (long long)tags[k]);
        for (int j = 0; j < k; ++j)
            if (tet.n[j] == tet.n[k])
                return bytesFail(&r->bytes, shBadFile, "a tetrahedron has node %lld twice", (long long)tags[k]);
    }
    if (r->raw->tets.count >= COOK_MAX_TRIANGLES)
        return bytesFail(&r->bytes, shLimit, "more than %d tetrahedra", COOK_MAX_TRIANGLES);
    if (!arrayReserve(r->memory, &r->raw->tets, (int64_t)r->raw->tets.count + 1))
        return outOfMemory(r);
    r->raw->tets.data[r->raw->tets.count++] = tet;
    return true;
}

// Gmsh ----------------------------------------------------------------------------------------------------------------

enum { gmshTet = 4, gmshTet10 = 11, gmshTypes = 31 };

// Nodes per element, by type.
static const int gmshNodes[gmshTypes + 1] = {0, 2,  3,  4,  4, 8,  6,  5,  3,  6,  9, 10, 27, 18, 14, 1,
                                             8, 20, 15, 13, 9, 10, 12, 15, 15, 21, 4, 5,  6,  20, 35, 56};

static bool gmshElement(Reader* r, int64_t type, int width)
{
    if (type < 1 || type > gmshTypes)
        return bytesFail(&r->bytes, shBadFile, "element type %lld is not known", (long long)type);
    int64_t tags[4] = {0}, other;
    for (int k = 0; k < gmshNodes[type]; ++k)
        if (!bytesInt(&r->bytes, k < 4 ? &tags[k] : &other, width, "a node of an element"))
            return false;
    if (type != gmshTet && type != gmshTet10) {
        ++r->raw->otherElements;
        return true;
    }
    r->raw->quadratic = r->raw->quadratic || type == gmshTet10;
    return addTet(r, tags);
}

static bool gmshNodes2(Reader* r)
{
    Bytes* b = &r->bytes;
    int64_t count, tag;
    bool binary = b->binary;
    char line[64];
    b->binary = false; // the count is text in binary files too
    bool ok = bytesInt(b, &count, 4, "the count of nodes");
    b->binary = binary;
    ok = ok && (!binary || bytesLine(b, line, sizeof line)) && bytesHold(b, count, 4, 28);
    for (int64_t i = 0; ok && i < count; ++i)
        ok = bytesInt(b, &tag, 4, "a node's number") && readNode(r, tag);
    return ok;
}

static bool gmshElements2(Reader* r)
{
    Bytes* b = &r->bytes;
    int64_t count, number, type = 0, tagCount = 0, inBlock = 1, unused;
    bool binary = b->binary;
    char line[64];
    b->binary = false;
    bool ok = bytesInt(b, &count, 4, "the count of elements");
    b->binary = binary;
    ok = ok && (!binary || bytesLine(b, line, sizeof line)) && bytesHold(b, count, 4, 12);
    for (int64_t i = 0; ok && i < count;) {
        if (binary)
            ok = bytesInt(b, &type, 4, "an element type") && bytesInt(b, &inBlock, 4, "a count of elements") &&
                 bytesInt(b, &tagCount, 4, "a count of tags") && bytesHold(b, inBlock, 2, 8);
        if (ok && (inBlock < 1 || inBlock > count - i))
            ok = bytesFail(b, shBadFile, "a block of %lld elements", (long long)inBlock);
        for (int64_t j = 0; ok && j < inBlock; ++j, ++i) {
            ok = bytesInt(b, &number, 4, "an element's number");
            if (!binary)
                ok = ok && bytesInt(b, &type, 4, "an element type") && bytesInt(b, &tagCount, 4, "a count of tags");
            if (ok && (tagCount < 0 || tagCount > 1024))
                ok = bytesFail(b, shBadFile, "%lld tags", (long long)tagCount);
            for (int64_t k = 0; ok && k < tagCount; ++k)
                ok = bytesInt(b, &unused, 4, "a tag");
            ok = ok && gmshElement(r, type, 4);
        }
    }
    return ok;
}

static bool gmshNodes4(Reader* r)
{
    Bytes* b = &r->bytes;
    int64_t blocks, count, low, high, dim, entity, parametric, inBlock;
    bool ok = bytesInt(b, &blocks, 8, "the count of blocks") && bytesInt(b, &count, 8, "the count of nodes") &&
              bytesInt(b, &low, 8, "the lowest node") && bytesInt(b, &high, 8, "the highest node") &&
              bytesHold(b, blocks, 4, 20) && bytesHold(b, count, 4, 32);
    for (int64_t i = 0; ok && i < blocks; ++i) {
        ok = bytesInt(b, &dim, 4, "a dimension") && bytesInt(b, &entity, 4, "an entity") &&
             bytesInt(b, &parametric, 4, "whether parametric") && bytesInt(b, &inBlock, 8, "a count of nodes") &&
             bytesHold(b, inBlock, 4, 32);
        if (ok && (dim < 0 || dim > 3 || inBlock > count))
            ok =
                bytesFail(b, shBadFile, "a block of %lld nodes in %lld dimensions", (long long)inBlock, (long long)dim);
        ARRAY(int64_t) tags = {0};
        if (ok && !arrayReserve(r->memory, &tags, inBlock + 1))
            ok = outOfMemory(r);
        for (int64_t k = 0; ok && k < inBlock; ++k)
            ok = bytesInt(b, &tags.data[k], 8, "a node's number");
        for (int64_t k = 0; ok && k < inBlock; ++k) {
            double unused;
            ok = readNode(r, tags.data[k]);
            for (int64_t d = 0; ok && parametric != 0 && d < dim; ++d)
                ok = bytesReal(b, &unused, "a parameter");
        }
        arrayFree(r->memory, &tags);
    }
    return ok;
}

static bool gmshElements4(Reader* r)
{
    Bytes* b = &r->bytes;
    int64_t blocks, count, low, high, dim, entity, type, inBlock, number;
    bool ok = bytesInt(b, &blocks, 8, "the count of blocks") && bytesInt(b, &count, 8, "the count of elements") &&
              bytesInt(b, &low, 8, "the lowest element") && bytesInt(b, &high, 8, "the highest element") &&
              bytesHold(b, blocks, 4, 20) && bytesHold(b, count, 2, 16);
    for (int64_t i = 0; ok && i < blocks; ++i) {
        ok = bytesInt(b, &dim, 4, "a dimension") && bytesInt(b, &entity, 4, "an entity") &&
             bytesInt(b, &type, 4, "an element type") && bytesInt(b, &inBlock, 8, "a count of elements") &&
             bytesHold(b, inBlock, 2, 16);
        for (int64_t k = 0; ok && k < inBlock; ++k)
            ok = bytesInt(b, &number, 8, "an element's number") && gmshElement(r, type, 8);
    }
    return ok;
}

static bool gmshFormat(Reader* r, int* version)
{
    Bytes* b = &r->bytes;
    char line[256];
    double number;
    int binary, width;
    if (!bytesLine(b, line, sizeof line) || sscanf(line, "%lf %d %d", &number, &binary, &width) != 3)
        return bytesFail(b, shBadFile, "the format line is not \"version type size\"");
    *version = number == 2.2 ? 2 : number == 4.1 ? 4 : 0;
    if (*version == 0)
        return bytesFail(b, shBadFile, "version %g; 2.2 and 4.1 are read", number);
    if (width != 8 || binary < 0 || binary > 1)
        return bytesFail(b, shBadFile, "file type %d with numbers of %d bytes", binary, width);
    if (binary == 0)
        return true;
    int64_t one;
    b->binary = true;
    if (!bytesInt(b, &one, 4, "the number one"))
        return false;
    b->swapped = one != 1;
    return one == 1 || one == 0x01000000 || bytesFail(b, shBadFile, "the byte order is not known");
}

static bool gmshSection(Reader* r, const char* name, int* version)
{
    if (strcmp(name, "MeshFormat") == 0)
        return gmshFormat(r, version);
    bool nodes = strcmp(name, "Nodes") == 0, elements = strcmp(name, "Elements") == 0;
    if ((nodes || elements) && *version == 0)
        return bytesFail(&r->bytes, shBadFile, "$%s before $MeshFormat", name);
    if (nodes)
        return *version == 2 ? gmshNodes2(r) : gmshNodes4(r);
    if (elements)
        return sortTags(r) && (*version == 2 ? gmshElements2(r) : gmshElements4(r));
    return true;
}

static void readGmsh(Reader* r)
{
    Bytes* b = &r->bytes;
    int version = 0;
    char line[256], end[300];
    bool elements = false;
    while (b->status == shOk && bytesLine(b, line, sizeof line)) {
        if (line[0] == '\0')
            continue;
        if (line[0] != '$') {
            bytesFail(b, shBadFile, "no section begins here; this is no Gmsh file");
            return;
        }
        elements = elements || strcmp(line, "$Elements") == 0;
        if (!gmshSection(r, line + 1, &version))
            return;
        snprintf(end, sizeof end, "$End%s", line + 1);
        if (!bytesFind(b, end)) {
            bytesFail(b, shBadFile, "%s does not come", end);
            return;
        }
        bytesLine(b, line, sizeof line);
    }
    if (!elements)
        bytesFail(b, shBadFile, "there are no elements");
}

// TetGen --------------------------------------------------------------------------------------------------------------

// Takes comments out: what follows a # on a line becomes blanks.
static void blankComments(Bytes* b)
{
    bool comment = false;
    for (size_t i = 0; i < b->size; ++i) {
        comment = b->data[i] == '#' || (comment && b->data[i] != '\n');
        if (comment)
            b->data[i] = ' ';
    }
}

static bool tetgenNodes(Reader* r)
{
    Bytes* b = &r->bytes;
    int64_t count, dim, attributes, markers, tag;
    double unused;
    bool ok = bytesInt(b, &count, 8, "the count of nodes") && bytesInt(b, &dim, 8, "the dimension") &&
              bytesInt(b, &attributes, 8, "the count of attributes") && bytesInt(b, &markers, 8, "whether markers");
    if (ok && (dim != 3 || attributes < 0 || attributes > 1024 || markers < 0 || markers > 1))
        ok = bytesFail(b, shBadFile, "%lld dimensions, %lld attributes, %lld markers", (long long)dim,
                       (long long)attributes, (long long)markers);
    ok = ok && bytesHold(b, count, 4 + attributes + markers, 0);
    for (int64_t i = 0; ok && i < count; ++i) {
        ok = bytesInt(b, &tag, 8, "a node's number") && readNode(r, tag);
        for (int64_t k = 0; ok && k < attributes + markers; ++k)
            ok = bytesReal(b, &unused, "an attribute");
    }
    return ok && sortTags(r);
}

static bool tetgenTets(Reader* r)
{
    Bytes* b = &r->bytes;
    int64_t count, corners = 0, attributes, number, other;
    double unused;
    bool ok = bytesInt(b, &count, 8, "the count of tetrahedra") && bytesInt(b, &corners, 8, "the count of corners") &&
              bytesInt(b, &attributes, 8, "the count of attributes");
    if (ok && ((corners != 4 && corners != 10) || attributes < 0 || attributes > 1024))
        ok = bytesFail(b, shBadFile, "tetrahedra of %lld nodes with %lld attributes", (long long)corners,
                       (long long)attributes);
    ok = ok && bytesHold(b, count, 1 + corners + attributes, 0);
    r->raw->quadratic = corners == 10;
    for (int64_t i = 0; ok && i < count; ++i) {
        int64_t tags[4];
        ok = bytesInt(b, &number, 8, "a tetrahedron's number");
        for (int64_t k = 0; ok && k < corners; ++k)
            ok = bytesInt(b, k < 4 ? &tags[k] : &other, 8, "a node of a tetrahedron");
        for (int64_t k = 0; ok && k < attributes; ++k)
            ok = bytesReal(b, &unused, "an attribute");
        ok = ok && addTet(r, tags);
    }
    return ok;
}

static void readTetgen(Reader* r, Memory* memory, const char* path, shMessage* message)
{
    char other[1024];
    int stem = (int)(extensionOf(path) - path);
    for (int part = 0; part < 2; ++part) {
        if (snprintf(other, sizeof other, "%.*s%s", stem, path, part == 0 ? "node" : "ele") >= (int)sizeof other) {
            r->bytes.status = fail(message, shInvalid, "the path is too long");
            return;
        }
        if (bytesOpen(&r->bytes, memory, other, message)) {
            blankComments(&r->bytes);
            if (part == 0)
                tetgenNodes(r);
            else
                tetgenTets(r);
        }
        bytesClose(&r->bytes);
        if (r->bytes.status != shOk)
            return;
    }
}

shStatus readTets(shContext* context, const char* path, RawTets* raw, shMessage* message)
{
    *raw = (RawTets){0};
    Reader r = {.memory = &context->memory, .raw = raw};
    if (isOf(path, "msh")) {
        if (bytesOpen(&r.bytes, r.memory, path, message))
            readGmsh(&r);
    } else {
        readTetgen(&r, r.memory, path, message);
    }
    shStatus status = r.bytes.status;
    if (status == shOk && raw->tets.count == 0)
        status = fail(message, shBadMesh, "%.200s: no tetrahedra among %d elements; mesh it in three dimensions", path,
                      raw->otherElements);
    bytesClose(&r.bytes);
    arrayFree(r.memory, &r.tags);
    if (status != shOk)
        rawTetsFree(raw, r.memory);
    return status;
}
