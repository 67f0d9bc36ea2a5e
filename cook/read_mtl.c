// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cook/read_mtl.h"

#include "cook/limits.h"
#include "cook/text.h"

#include <stdio.h>
#include <string.h>

typedef struct Library {
    Text text;
    const SlotNames* names;
    Looks* looks;
    int slot; // of the material being read, −1: one that is not used
    bool failed;
} Library;

static int slotOf(const SlotNames* names, Word word)
{
    for (int i = 0; i < names->count; ++i)
        if (strncmp(names->names[i], word.start, (size_t)minI(word.length, SLOT_NAME_BYTES - 1)) == 0 &&
            (int)strlen(names->names[i]) == minI(word.length, SLOT_NAME_BYTES - 1))
            return i;
    return -1;
}

static float readShare(Library* l, float usual)
{
    Word word;
    double value;
    if (!textWord(&l->text, &word) || !wordNumber(word, &value) || !(value >= 0.0 && value <= 1.0))
        return usual;
    return (float)value;
}

// The last word of the line, after options such as "-bm 0.2"; a name with blanks counts whole when there are no
// options.
static int readMap(Library* l)
{
    Word rest = textRest(&l->text);
    char name[1024];
    if (rest.length == 0 || rest.length >= (int)sizeof name)
        return 0;
    const char* start = rest.start;
    if (*start == '-')
        for (const char* c = rest.start; c < rest.start + rest.length; ++c)
            start = *c == ' ' || *c == '\t' ? c + 1 : start;
    snprintf(name, sizeof name, "%.*s", (int)(rest.start + rest.length - start), start);
    int number = looksAddTextureFile(l->looks, l->text.memory, l->text.path, name);
    l->failed = l->failed || number < 0;
    return number > 0 ? number : 0;
}

static void readStatement(Library* l, Word word)
{
    if (wordIs(word, "newmtl")) {
        l->slot = slotOf(l->names, textRest(&l->text));
        return;
    }
    if (l->slot < 0)
        return;
    shSurface* surface = &l->looks->surfaces[l->slot];
    shSurfaceMaps* maps = &l->looks->maps[l->slot];
    if (wordIs(word, "Kd")) {
        for (int k = 0; k < 3; ++k)
            surface->color[k] = readShare(l, surface->color[k]);
    } else if (wordIs(word, "d")) {
        surface->color[3] = readShare(l, 1.0f);
    } else if (wordIs(word, "Tr")) {
        surface->color[3] = 1.0f - readShare(l, 0.0f);
    } else if (wordIs(word, "Pr")) {
        surface->roughness = readShare(l, surface->roughness);
    } else if (wordIs(word, "Pm")) {
        surface->metallic = readShare(l, surface->metallic);
    } else if (wordIs(word, "map_Kd")) {
        maps->color = readMap(l);
    } else if (wordIs(word, "norm") || wordIs(word, "map_Kn")) {
        maps->normal = readMap(l);
    } else if (wordIs(word, "map_Ke")) {
        maps->emissive = readMap(l);
    }
}

static bool readLibrary(shContext* context, const char* path, const SlotNames* names, Looks* looks)
{
    Library l = {.names = names, .looks = looks, .slot = -1};
    shMessage unused;
    Word word;
    if (textOpen(&l.text, context, path, &unused))
        while (!l.failed && textNextLine(&l.text) && textWord(&l.text, &word))
            readStatement(&l, word);
    textClose(&l.text);
    return !l.failed && l.text.status != shOutOfMemory;
}

bool readMaterialLibraries(shContext* context, const char* objPath, const SlotNames* names, Looks* looks)
{
    if (!looksAlloc(looks, &context->memory, names->count))
        return false;
    for (int i = 0; i < names->count; ++i)
        looks->surfaces[i] = lookPlain(names->names[i]);
    if (names->count == 0)
        return true;
    Text text;
    shMessage unused;
    Word word;
    bool ok = textOpen(&text, context, objPath, &unused);
    for (int libraries = 0; ok && libraries < COOK_MAX_LIBRARIES && textNextLine(&text) && textWord(&text, &word);) {
        if (!wordIs(word, "mtllib"))
            continue;
        ++libraries;
        Word name = textRest(&text);
        char path[2048];
        const char* slash = strrchr(objPath, '/');
        int folder = slash != NULL ? (int)(slash + 1 - objPath) : 0;
        if (snprintf(path, sizeof path, "%.*s%.*s", folder, objPath, name.length, name.start) < (int)sizeof path)
            ok = readLibrary(context, path, names, looks);
    }
    bool room = ok || text.status != shOk;
    textClose(&text);
    return room;
}
