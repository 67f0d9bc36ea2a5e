// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cook/limits.h"
#include "cook/readers.h"
#include "cook/soup.h"
#include "core/message.h"

#include <string.h>

typedef struct Uv {
    float uv[2];
} Uv;

// Names in order of first use; a name's place is its slot.
typedef struct Names {
    ARRAY(Word) list;
    int current;
} Names;

typedef struct Obj {
    Text* text;
    Soup soup;
    ARRAY(Uv) uvs;
    ARRAY(Vec3) normals;
    ARRAY(uint16_t) groups; // slot by group name per triangle; the soup holds the slot by material
    Names materialNames, groupNames;
    bool byRegion; // each object or group is a region, whatever it is made of
} Obj;

static bool outOfMemory(Text* text)
{
    text->status = failMemory(text->message);
    return false;
}

static bool setName(Obj* obj, Names* names, Word name)
{
    for (int i = 0; i < names->list.count; ++i) {
        Word other = names->list.data[i];
        if (other.length == name.length && memcmp(other.start, name.start, (size_t)name.length) == 0) {
            names->current = i;
            return true;
        }
    }
    if (obj->byRegion && names->list.count == COOK_MAX_SLOTS)
        return textFail(obj->text, shLimit, "more than %d regions", COOK_MAX_SLOTS);
    if (names->list.count < COOK_MAX_SLOTS) {
        if (!arrayReserve(obj->text->memory, &names->list, names->list.count + 1))
            return outOfMemory(obj->text);
        names->list.data[names->list.count++] = name;
    }
    names->current = names->list.count - 1;
    return true;
}

static bool readUv(Obj* obj)
{
    double u, v = 0.0;
    Word word;
    if (!textNumber(obj->text, &u, "u"))
        return false;
    if (textWord(obj->text, &word) && (!wordNumber(word, &v) || !isfinite(v)))
        return textFail(obj->text, shBadFile, "v is not a finite number");
    if (fabs(u) > COOK_MAX_COORDINATE || fabs(v) > COOK_MAX_COORDINATE)
        return textFail(obj->text, shBadFile, "a texture coordinate beyond %g", COOK_MAX_COORDINATE);
    if (obj->uvs.count >= 3 * COOK_MAX_TRIANGLES)
        return textFail(obj->text, shLimit, "more than %d texture coordinates", 3 * COOK_MAX_TRIANGLES);
    if (!arrayReserve(obj->text->memory, &obj->uvs, obj->uvs.count + 1))
        return outOfMemory(obj->text);
    obj->uvs.data[obj->uvs.count++] = (Uv){{(float)u, (float)v}};
    return true;
}

static bool readNormal(Obj* obj)
{
    DVec3 n;
    if (!textNumber(obj->text, &n.x, "x") || !textNumber(obj->text, &n.y, "y") || !textNumber(obj->text, &n.z, "z"))
        return false;
    if (obj->normals.count >= 3 * COOK_MAX_TRIANGLES)
        return textFail(obj->text, shLimit, "more than %d normals", 3 * COOK_MAX_TRIANGLES);
    if (!arrayReserve(obj->text->memory, &obj->normals, obj->normals.count + 1))
        return outOfMemory(obj->text);
    // A zero normal says nothing: NaN makes it the triangle's own later.
    double length = dLength(n);
    bool usable = length > 0.0 && isfinite(length);
    obj->normals.data[obj->normals.count++] = usable ? vFromD(dScale(1.0 / length, n)) : (Vec3){NAN, NAN, NAN};
    return true;
}

// A one-based or, when negative, backward index into a list of `count`; −1 for none.
static bool readIndex(Obj* obj, Word word, int count, const char* what, int* index)
{
    int64_t value;
    if (!wordInt(word, &value))
        return textFail(obj->text, shBadFile, "%s index '%.*s' is not a whole number", what,
                        word.length < 40 ? word.length : 40, word.start);
    int64_t found = value < 0 ? count + value : value - 1;
    if (value == 0 || found < 0 || found >= count)
        return textFail(obj->text, shBadFile, "%s index %lld: %d are defined before this face", what, (long long)value,
                        count);
    *index = (int)found;
    return true;
}

// v, v/vt, v//vn or v/vt/vn.
static bool readCorner(Obj* obj, Word word)
{
    Word parts[3] = {{word.start, 0}, {NULL, 0}, {NULL, 0}};
    int part = 0;
    for (int i = 0; i < word.length; ++i) {
        if (word.start[i] != '/') {
            ++parts[part].length;
        } else if (++part < 3) {
            parts[part].start = word.start + i + 1;
        } else {
            return textFail(obj->text, shBadFile, "a face corner has more than three indices");
        }
    }
    int vertex = -1, uv = -1, normal = -1;
    if (!readIndex(obj, parts[0], obj->soup.vertices.count, "vertex", &vertex))
        return false;
    if (parts[1].length > 0 && !readIndex(obj, parts[1], obj->uvs.count, "texture coordinate", &uv))
        return false;
    if (parts[2].length > 0 && !readIndex(obj, parts[2], obj->normals.count, "normal", &normal))
        return false;
    return soupAddCorner(&obj->soup, obj->text, vertex, uv >= 0 ? obj->uvs.data[uv].uv : NULL,
                         normal >= 0 ? &obj->normals.data[normal] : NULL);
}

static bool readFace(Obj* obj)
{
    Word word;
    soupClearPolygon(&obj->soup);
    while (textWord(obj->text, &word))
        if (!readCorner(obj, word))
            return false;
    int before = obj->soup.triangles.count;
    if (obj->byRegion && obj->groupNames.list.count == 0 && !setName(obj, &obj->groupNames, (Word){"(no name)", 9}))
        return false;
    if (!soupAddPolygon(&obj->soup, obj->text, obj->materialNames.current))
        return false;
    if (!arrayReserve(obj->text->memory, &obj->groups, obj->soup.triangles.count))
        return outOfMemory(obj->text);
    for (int i = before; i < obj->soup.triangles.count; ++i)
        obj->groups.data[i] = (uint16_t)obj->groupNames.current;
    obj->groups.count = obj->soup.triangles.count;
    return true;
}

// Statements that say nothing about triangles. Anything else is a damaged file.
static bool isSkipped(Word word)
{
    static const char* const known[] = {"o",      "s",      "l",         "p",        "vp",       "mg",   "mtllib",
                                        "usemap", "maplib", "bevel",     "c_interp", "d_interp", "lod",  "shadow_obj",
                                        "ctech",  "stech",  "trace_obj", "deg",      "bmat",     "step", "cstype",
                                        "curv",   "curv2",  "surf",      "parm",     "trim",     "hole", "scrv",
                                        "sp",     "end",    "con",       "call",     "csh"};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); ++i)
        if (wordIs(word, known[i]))
            return true;
    return false;
}

static bool readStatement(Obj* obj)
{
    Word word;
    if (!textWord(obj->text, &word))
        return obj->text->status == shOk;
    if (wordIs(word, "v"))
        return soupReadVertex(&obj->soup, obj->text);
    if (wordIs(word, "f") || wordIs(word, "fo"))
        return readFace(obj);
    if (wordIs(word, "vt"))
        return readUv(obj);
    if (wordIs(word, "vn"))
        return readNormal(obj);
    if (wordIs(word, "usemtl"))
        return setName(obj, &obj->materialNames, textRest(obj->text));
    if (wordIs(word, "g") || (obj->byRegion && wordIs(word, "o")))
        return setName(obj, &obj->groupNames, textRest(obj->text));
    if (isSkipped(word))
        return true;
    return textFail(obj->text, shBadFile, "unknown statement '%.*s'; this is not an OBJ file or it is damaged",
                    word.length < 40 ? word.length : 40, word.start);
}

static bool copyNames(const Obj* obj, const Names* from, SlotNames* to)
{
    Text* text = obj->text;
    to->names = memAllocZero(text->memory, memBytes((size_t)from->list.count, sizeof(*to->names)));
    if (to->names == NULL)
        return outOfMemory(text);
    to->count = from->list.count;
    for (int i = 0; i < to->count; ++i) {
        Word name = from->list.data[i];
        int length = minI(name.length, SLOT_NAME_BYTES - 1);
        while (length < name.length && length > 0 && ((unsigned char)name.start[length] & 0xc0) == 0x80)
            --length; // not within a UTF-8 character
        memcpy(to->names[i], name.start, (size_t)length);
    }
    return true;
}

static void readSlots(Text* text, TriMesh* mesh, SlotNames* names, bool byRegion)
{
    Obj obj = {.text = text, .byRegion = byRegion};
    while (textNextLine(text) && readStatement(&obj))
        ;
    bool byMaterial = obj.materialNames.list.count > 0 && !byRegion;
    const Names* used = byMaterial ? &obj.materialNames : &obj.groupNames;
    for (int i = 0; !byMaterial && i < obj.groups.count; ++i)
        obj.soup.triangles.data[i].group = obj.groups.data[i];
    if (soupFinish(&obj.soup, text, mesh, used->list.count > 1) && used->list.count > 0)
        copyNames(&obj, used, names);

    soupFree(&obj.soup, text->memory);
    arrayFree(text->memory, &obj.uvs);
    arrayFree(text->memory, &obj.normals);
    arrayFree(text->memory, &obj.groups);
    arrayFree(text->memory, &obj.materialNames.list);
    arrayFree(text->memory, &obj.groupNames.list);
}

void readObj(Text* text, TriMesh* mesh, SlotNames* names) { readSlots(text, mesh, names, false); }

void readObjRegions(Text* text, TriMesh* mesh, SlotNames* names) { readSlots(text, mesh, names, true); }
