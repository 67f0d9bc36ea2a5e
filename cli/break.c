// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cli/command.h"
#include "cli/table.h"
#include "core/random.h"
#include "sherd/solid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_SITES = 4096 };

// "x,y,z" in metres.
static bool parsePoint(const char* text, shVec3* point)
{
    char end;
    return sscanf(text, "%f,%f,%f%c", &point->x, &point->y, &point->z, &end) == 3 && vFinite(*point);
}

// Sites all over the solid or, with a point of impact, crowded around it. Only places inside the solid count.
static int placeSites(const shSolid* solid, shBox box, const shVec3* at, int wanted, uint64_t seed, shVec3* sites)
{
    Random random = randomSeed(seed);
    int count = 0;
    for (int tries = 0; count < wanted && tries < 1000 * wanted; ++tries) {
        Vec3 p = randomInBox(&random, box);
        if (at != NULL) {
            float pull = randomFloat(&random);
            p = vLerp(*at, p, pull * pull);
        }
        if (shSolid_FindOwner(solid, p) >= 0)
            sites[count++] = p;
    }
    return count;
}

static shStatus openAsset(shContext* context, const char* word, shAsset** asset, shMessage* message)
{
    const char* dot = strrchr(word, '.');
    if (dot != NULL && strcmp(dot, ".sherd") == 0)
        return shLoadAsset(context, word, asset, message);
    shCookDef cook = shDefaultCookDef();
    return shCookModel(context, word, 1.0f, &cook, asset, message);
}

static int report(const shSolid* solid, double milliseconds, bool json)
{
    int count = shSolid_GetPieceCount(solid);
    double volume = 0.0;
    Table table;
    tableInit(&table, ">piece >triangles >volume_cm³ >mass_kg >size_mm");
    json_t* list = json_array();
    for (int i = 0; i < count; ++i) {
        shPieceInfo piece = shSolid_GetPiece(solid, i);
        Vec3 size = boxSize(piece.box);
        volume += piece.volume;
        tableRow(&table, "%d\t%d\t%.2f\t%.4f\t%.0f × %.0f × %.0f", i, piece.triangleCount, 1e6 * piece.volume,
                 piece.mass, 1e3 * (double)size.x, 1e3 * (double)size.y, 1e3 * (double)size.z);
        json_array_append_new(list, json_pack("{s:i, s:i, s:f, s:f}", "piece", i, "triangles", piece.triangleCount,
                                              "volume", piece.volume, "mass", piece.mass));
    }
    int code = 0;
    if (json) {
        code = printJson(json_pack("{s:o, s:f, s:f, s:I}", "pieces", list, "volume", volume, "break_ms", milliseconds,
                                   "bytes", (json_int_t)shSolid_GetBytes(solid)));
    } else {
        json_decref(list);
        tablePrint(&table);
        printf("%d pieces, %.2f cm³ together, broken in %.2f ms\n", count, 1e6 * volume, milliseconds);
    }
    tableFree(&table);
    return code;
}

static double milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

int commandBreak(int count, char* const* arguments)
{
    const char* output = NULL;
    const char* at = NULL;
    int pieces = 10, seed = 1;
    double explode = 0.2;
    bool json = false;
    const Option options[] = {
        {"output", 'o', "FILE", "write the pieces as .glb or .obj", optionText, &output, 0.0, 0.0, NULL},
        {"pieces", 'n', "N", "cells to break along (10)", optionInt, &pieces, 1.0, MAX_SITES, NULL},
        {"at", 0, "X,Y,Z", "point of impact: smaller pieces around it, m", optionText, &at, 0.0, 0.0, NULL},
        {"seed", 0, "S", "another seed, another break (1)", optionInt, &seed, 0.0, 1e9, NULL},
        {"explode", 0, "E", "move the pieces apart by this share of their distance (0.2)", optionReal, &explode, 0.0,
         100.0, NULL},
        JSON_OPTION(&json),
    };
    const Usage usage = {.command = "break",
                         .form = "ASSET.sherd|MODEL [-o FILE.glb] [options]",
                         .summary = "Breaks a solid along Voronoi cells and lists the pieces.",
                         .options = options,
                         .optionCount = sizeof(options) / sizeof(options[0]),
                         .wordsMost = 1};
    const char* word;
    int wordCount;
    ParseResult parsed = optionsParse(&usage, count, arguments, &word, &wordCount);
    if (parsed != parseRun)
        return parsed == parseHelp ? 0 : 2;
    if (wordCount < 1)
        return usageError("break", "name an asset file or a built-in model (sherd list models)");
    shVec3 impact;
    if (at != NULL && !parsePoint(at, &impact))
        return usageError("break", "--at %s: give three numbers, such as 0.1,0,0.2", at);

    shContext* context = openContext("break", 1);
    if (context == NULL)
        return 1;
    shMessage message;
    shAsset* asset = NULL;
    shSolid* solid = NULL;
    shVec3* sites = malloc(sizeof(shVec3) * (size_t)pieces);
    int code = 1;
    shStatus status = openAsset(context, word, &asset, &message);
    if (status == shOk)
        status = shCreateSolid(asset, &solid, &message);
    double spent = 0.0;
    if (status == shOk && sites != NULL) {
        int placed =
            placeSites(solid, shAsset_GetInfo(asset).box, at != NULL ? &impact : NULL, pieces, (uint64_t)seed, sites);
        double start = milliseconds();
        status = shSolid_BreakVoronoi(solid, 0, sites, placed, NULL, &message);
        spent = milliseconds() - start;
    }
    if (status == shOk && output != NULL)
        status = shExportSolid(solid, (float)explode, output, &message);
    code = status == shOk ? report(solid, spent, json) : commandFailed("break", &message);
    free(sites);
    shDestroySolid(solid);
    shDestroyAsset(asset);
    shDestroyContext(context);
    return code;
}
