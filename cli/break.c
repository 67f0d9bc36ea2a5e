// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cli/breaking.h"
#include "cli/pattern_file.h"
#include "cli/table.h"
#include "core/message.h"
#include "core/vec.h"
#include "sherd/fragments.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

// "x,y,z" in metres.
static bool parsePoint(const char* text, shVec3* point)
{
    char end;
    return sscanf(text, "%f,%f,%f%c", &point->x, &point->y, &point->z, &end) == 3 && vFinite(*point);
}

// Places such as "0,1,0;0.5,1,0"; returns how many, or -1 if they make no sense.
static int parsePlaces(const char* text, shVec3 places[MAX_HITS])
{
    char copy[4096], *rest = NULL;
    int count = 0;
    if (strlen(text) >= sizeof copy)
        return -1;
    strcpy(copy, text);
    for (char* word = strtok_r(copy, " ;", &rest); word != NULL; word = strtok_r(NULL, " ;", &rest))
        if (count == MAX_HITS || !parsePoint(word, &places[count++]))
            return -1;
    return count > 0 ? count : -1;
}

static int largestPiece(const shSolid* solid)
{
    int largest = 0;
    double volume = 0.0;
    for (int i = 0; i < shSolid_GetPieceCount(solid); ++i) {
        shPieceInfo piece = shSolid_GetPiece(solid, i); // nothing where it was removed
        if (piece.volume > volume) {
            volume = piece.volume;
            largest = i;
        }
    }
    return largest;
}

static shStatus openAsset(shContext* context, const char* word, float detail, shAsset** asset, shMessage* message)
{
    const char* dot = strrchr(word, '.');
    if (dot != NULL && strcmp(dot, ".sherd") == 0)
        return shLoadAsset(context, word, asset, message);
    shCookDef cook = shDefaultCookDef();
    return shCookModel(context, word, detail, &cook, asset, message);
}

json_t* piecesJson(const shSolid* solid)
{
    json_t* list = json_array();
    for (int i = 0; i < shSolid_GetPieceCount(solid); ++i) {
        if (!shSolid_HasPiece(solid, i))
            continue;
        shPieceInfo p = shSolid_GetPiece(solid, i);
        json_array_append_new(
            list,
            json_pack("{s:i, s:i, s:i, s:f, s:f, s:[f,f,f], s:[[f,f,f],[f,f,f],[f,f,f]], s:[[f,f,f],[f,f,f]]}", "piece",
                      i, "parent", p.parent, "triangles", p.triangleCount, "volume", p.volume, "mass", p.mass, "centre",
                      p.centre[0], p.centre[1], p.centre[2], "inertia", p.inertia[0][0], p.inertia[0][1],
                      p.inertia[0][2], p.inertia[1][0], p.inertia[1][1], p.inertia[1][2], p.inertia[2][0],
                      p.inertia[2][1], p.inertia[2][2], "box", (double)p.box.lower.x, (double)p.box.lower.y,
                      (double)p.box.lower.z, (double)p.box.upper.x, (double)p.box.upper.y, (double)p.box.upper.z));
    }
    return list;
}

static json_t* verdictJson(const shVerdict* verdict)
{
    json_t* takes = isfinite(verdict->breakingImpulse) ? json_real(verdict->breakingImpulse) : json_null();
    return json_pack("{s:b, s:o, s:f, s:f, s:f, s:i, s:f}", "breaks", (int)verdict->breaks, "breaking_impulse", takes,
                     "energy", verdict->energy, "crack_energy", verdict->crackEnergy, "crack_area", verdict->crackArea,
                     "pieces", verdict->pieces, "radius", (double)verdict->radius);
}

static void verdictPrint(const shVerdict* verdict)
{
    printf("%s: it takes %.3g N·s there", verdict->breaks ? "breaks" : "holds", verdict->breakingImpulse);
    if (verdict->breaks)
        printf("; %.3g J for cracks, of about %d pieces", verdict->crackEnergy, verdict->pieces);
    if (verdict->breaks && verdict->radius > 0.0f)
        printf(" within %.0f mm", 1e3 * (double)verdict->radius);
    putchar('\n');
}

// `verdict`: null unless an impulse was given.
static int report(const shSolid* solid, double milliseconds, const shVerdict* verdict, bool json)
{
    int count = 0;
    double volume = 0.0;
    Table table;
    tableInit(&table, ">piece >triangles >volume_cm³ >mass_kg >size_mm");
    for (int i = 0; i < shSolid_GetPieceCount(solid); ++i) {
        if (!shSolid_HasPiece(solid, i))
            continue;
        shPieceInfo piece = shSolid_GetPiece(solid, i);
        Vec3 size = boxSize(piece.box);
        volume += piece.volume;
        ++count;
        tableRow(&table, "%d\t%d\t%.2f\t%.4f\t%.0f × %.0f × %.0f", i, piece.triangleCount, 1e6 * piece.volume,
                 piece.mass, 1e3 * (double)size.x, 1e3 * (double)size.y, 1e3 * (double)size.z);
    }
    int code = 0;
    if (json) {
        json_t* all = json_pack("{s:o, s:f, s:f, s:I}", "pieces", piecesJson(solid), "volume", volume, "break_ms",
                                milliseconds, "bytes", (json_int_t)shSolid_GetBytes(solid));
        if (verdict != NULL)
            json_object_set_new(all, "verdict", verdictJson(verdict));
        code = printJson(all);
    } else {
        tablePrint(&table);
        if (verdict != NULL)
            verdictPrint(verdict);
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

// What a blow does to a piece. Without a direction it goes through the centre of mass.
static shVerdict judge(const shSolid* solid, int piece, int pieces, const shImpact* impact, double impulse)
{
    const shMaterial* material = shAsset_GetInfo(shSolid_GetAsset(solid)).material;
    shPieceInfo info = shSolid_GetPiece(solid, piece);
    shStrength strength = shGetStrength(material, &info);
    const double point[3] = {(double)impact->point.x, (double)impact->point.y, (double)impact->point.z};
    double along[3] = {(double)impact->direction.x, (double)impact->direction.y, (double)impact->direction.z};
    bool through = along[0] == 0.0 && along[1] == 0.0 && along[2] == 0.0;
    const shTransform rest = {.q.s = 1.0f};
    shHit hit = {.impulse = impulse,
                 .inverseMass = through ? 1.0 / info.mass : shGetInverseMass(&info, rest, point, along),
                 .restitution = (double)material->restitution,
                 .pieces = maxI(pieces, 2)};
    return shJudgeHit(&strength, &hit);
}

shStatus applyBlows(shSolid* solid, shPattern pattern, const Blows* blows, shVerdict* verdict, shMessage* message)
{
    shStatus status = shOk;
    for (int i = 0; i < blows->count + blows->again && status == shOk; ++i) {
        bool again = i >= blows->count;
        shPattern now = pattern;
        shImpact impact = blows->impact;
        impact.point = blows->places[again ? blows->count - 1 : i];
        int piece = again ? largestPiece(solid) : shSolid_FindPiece(solid, impact.point);
        ++pattern.seed;
        if (blows->impulse > 0.0) {
            shVerdict judged = judge(solid, piece, pattern.pieces, &impact, blows->impulse);
            if (i == 0 && verdict != NULL)
                *verdict = judged;
            if (!judged.breaks)
                continue;
            now.pieces = judged.pieces;
            if (impact.radius == 0.0f)
                impact.radius = judged.radius;
        }
        status = shSolid_BreakPattern(solid, piece, &now, &impact, NULL, message);
    }
    return status;
}

typedef struct Output {
    const char *file, *folder, *pattern; // or null
    float explode;
    int cells; // of the pattern's grid
    bool json;
} Output;

static int breakOnce(const shAsset* asset, shPattern pattern, Blows blows, const Output* output)
{
    shMessage message;
    shSolid* solid;
    double spent = 0.0;
    shVerdict verdict = {0};
    shStatus status = shCreateSolid(asset, &solid, &message);
    if (status == shOk) {
        double start = milliseconds();
        status = applyBlows(solid, pattern, &blows, &verdict, &message);
        spent = milliseconds() - start;
    }
    if (status == shOk && output->file != NULL)
        status = shExportSolid(solid, output->explode, output->file, &message);
    if (status == shOk && output->folder != NULL) {
        if (mkdir(output->folder, 0777) != 0 && errno != EEXIST)
            status = fail(&message, shNoFile, "%.400s: %s", output->folder, strerror(errno));
        else
            status = shExportPieces(solid, output->folder, &message);
    }
    if (status == shOk && output->pattern != NULL) {
        shRegions* regions = NULL;
        blows.impact.point = blows.places[0];
        status = shCreateRegionsFromSolid(solid, &blows.impact, output->cells, &regions, &message);
        if (status == shOk)
            status = shSaveRegions(regions, output->pattern, &message);
        shDestroyRegions(regions);
    }
    int code = status == shOk ? report(solid, spent, blows.impulse > 0.0 ? &verdict : NULL, output->json)
                              : commandFailed("break", &message);
    shDestroySolid(solid);
    return code;
}

int commandBreak(int count, char* const* arguments)
{
    static const char* const names[] = {"radial", "uniform", "clustered", "slabs", "splinters", "bricks", NULL};
    _Static_assert(sizeof names / sizeof *names == shPatternTypeCount + 1, "a name for every pattern");
    const char *output = NULL, *at = NULL, *direction = NULL, *grain = NULL, *brick = NULL;
    const char *how = NULL, *savePattern = NULL, *folder = NULL;
    int type = -1, pieces = 10, seed = -1, again = 0, cells = 0, many = 0, threads = 0;
    double explode = 0.2, detail = 1.0, scale = 1.0, radius = 0.0, smallest = 0.0, rough = -1.0, aspect = 0.0;
    double impulse = 0.0;
    bool json = false, aligned = false;
    const Option options[] = {
        {"output", 'o', "FILE", "write the pieces as .glb or .obj", optionText, &output, 0.0, 0.0, NULL},
        {"pieces", 0, "FOLDER", "write one .obj for each piece, in place", optionText, &folder, 0.0, 0.0, NULL},
        {"pattern", 'p', "NAME|FILE", "how it breaks (uniform; with --at clustered), see below", optionText, &how, 0.0,
         0.0, NULL},
        {"save-pattern", 0, "FILE.shp", "make a pattern of the pieces, centred at the first impact", optionText,
         &savePattern, 0.0, 0.0, NULL},
        {"cells", 0, "N", "grid for the regions of a pattern, along its longest side (64)", optionInt, &cells, 4.0,
         SH_MAX_REGION_CELLS, NULL},
        {"aligned", 0, NULL, "regions: take the nearest sample of their grid, without interpolation", optionFlag,
         &aligned, 0.0, 0.0, NULL},
        {"into", 'n', "N", "about so many pieces (10)", optionInt, &pieces, 1.0, SH_MAX_PATTERN_PIECES, NULL},
        {"at", 0, "X,Y,Z", "point of impact, m; several, with ; between them, hit in turn", optionText, &at, 0.0, 0.0,
         NULL},
        {"dir", 0, "X,Y,Z", "direction of the blow (into the surface)", optionText, &direction, 0.0, 0.0, NULL},
        {"impulse", 0, "J", "of the blow, N·s: its material decides if and how far it breaks", optionReal, &impulse,
         0.0, 1e12, NULL},
        {"scale", 0, "S", "rings and clusters, against the piece (1)", optionReal, &scale, 1e-3, 1e3, NULL},
        {"radius", 0, "R", "break only what is this near, m (everything)", optionReal, &radius, 0.0, 1e5, NULL},
        {"grain", 0, "X,Y,Z", "of slabs and splinters; up for bricks", optionText, &grain, 0.0, 0.0, NULL},
        {"aspect", 0, "A", "length over thickness of slabs and splinters", optionReal, &aspect, 1.0, 100.0, NULL},
        {"brick", 0, "L,H,D", "size of a brick with its joint, m (0.225,0.075,0.1125)", optionText, &brick, 0.0, 0.0,
         NULL},
        {"rough", 0, "R", "how far walls stray, in sizes of a piece", optionReal, &rough, 0.0, 1.0, NULL},
        {"smallest", 0, "V", "leave parts below so many cm³ with their neighbours (four nodes)", optionReal, &smallest,
         0.0, 1e12, NULL},
        {"again", 0, "K", "break the largest piece again, K times", optionInt, &again, 0.0, 1000.0, NULL},
        {"seed", 0, "S", "another seed, another break (1); turns regions about the blow (0: not)", optionInt, &seed,
         0.0, 1e9, NULL},
        {"count", 0, "N", "break it N times, from seed S on; a folder of pieces each, in that of --pieces", optionInt,
         &many, 1.0, 1e7, NULL},
        {"detail", 0, "D", "resolution of a built-in model (1)", optionReal, &detail, 0.25, 8.0, NULL},
        {"explode", 0, "E", "move the pieces apart by this share of their distance (0.2)", optionReal, &explode, 0.0,
         100.0, NULL},
        THREADS_OPTION(&threads),
        JSON_OPTION(&json),
    };
    const Usage usage = {
        .command = "break",
        .form = "ASSET.sherd|MODEL [-o FILE.glb] [options]",
        .summary = "Breaks a solid along a pattern and lists the pieces.",
        .more = "Patterns are radial, uniform, clustered, slabs, splinters and bricks; or closed regions from "
                "a file:\nobjects or groups of an .obj, nodes of a .glb, or what --save-pattern wrote. "
                "Blows land at the\norigin of such a file, downwards (-y).\n"
                "An impulse without --dir goes through the centre of mass; what strikes is taken to be hard.\n"
                "With --count and without --at each break has a random place of its own. Folders that are complete\n"
                "are not made again, so what was interrupted goes on where it was.",
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
    bool file = how != NULL && isPatternFile(how);
    for (int i = 0; how != NULL && i < (int)shPatternTypeCount; ++i)
        type = strcmp(how, names[i]) == 0 ? i : type;
    if (how != NULL && type < 0 && !file)
        return usageError("break",
                          "--pattern %s: there is no such pattern; give radial, uniform, clustered, slabs, splinters, "
                          "bricks, or a file (.obj, .glb, .shp)",
                          how);
    if (file)
        type = shRegionPattern;
    else if (type < 0)
        type = at != NULL ? shClusteredPattern : shUniformPattern;
    shPattern pattern = shDefaultPattern((shPatternType)type);
    Blows blows = {.count = 1, .again = again, .impact = shDefaultImpact((shVec3){0.0f, 0.0f, 0.0f})};
    if (at != NULL && (blows.count = parsePlaces(at, blows.places)) < 0)
        return usageError("break", "--at %s: give three numbers, such as 0.1,0,0.2, at most %d times", at, MAX_HITS);
    if (direction != NULL && !parsePoint(direction, &blows.impact.direction))
        return usageError("break", "--dir %s: give three numbers, such as 0,0,-1", direction);
    if (grain != NULL && !parsePoint(grain, &pattern.grain))
        return usageError("break", "--grain %s: give three numbers, such as 0,1,0", grain);
    if (brick != NULL && !parsePoint(brick, &pattern.brick))
        return usageError("break", "--brick %s: give three numbers, such as 0.4,0.2,0.2", brick);
    pattern.aligned = aligned;
    if (seed >= 0)
        pattern.seed = (uint64_t)seed;
    pattern.pieces = pieces;
    pattern.smallest = (float)(1e-6 * smallest);
    if (rough >= 0.0)
        pattern.rough = (float)rough;
    if (aspect > 0.0)
        pattern.aspect = (float)aspect;
    blows.impulse = impulse;
    blows.impact.scale = (float)scale;
    blows.impact.radius = (float)radius;

    if (many > 0 && (folder == NULL || output != NULL || savePattern != NULL))
        return usageError("break", "--count writes folders: give --pieces FOLDER, and no -o or --save-pattern");

    shContext* context = openContext("break", many > 0 ? threads : 1);
    if (context == NULL)
        return 1;
    shMessage message;
    shAsset* asset = NULL;
    shRegions* regions = NULL;
    shStatus status = openAsset(context, word, (float)detail, &asset, &message);
    if (status == shOk && file)
        status = loadPattern(context, how, cells, &regions, &message);
    pattern.regions = regions;
    if (status == shOk && at == NULL)
        blows.places[0] = boxCenter(shAsset_GetInfo(asset).box);
    int code = 0;
    if (status != shOk)
        code = commandFailed("break", &message);
    else if (many > 0)
        code =
            breakMany(&(ManyBreaks){context, asset, pattern, blows, at == NULL, file ? how : NULL, many, folder}, json);
    else
        code = breakOnce(asset, pattern, blows, &(Output){output, folder, savePattern, (float)explode, cells, json});
    shDestroyRegions(regions);
    shDestroyAsset(asset);
    shDestroyContext(context);
    return code;
}
