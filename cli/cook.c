// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cook/cook.h"

#include "cli/command.h"
#include "cli/cook_folder.h"
#include "cli/describe.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "sherd/export.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct CookOptions {
    const char* output;
    bool all, json;
    bool strict, measure, again;
    int triangles, mesher, threads, inner, maxTets, up, open, unit;
    double detail, scale, cell, grid, thickness;
    const char* material;
} CookOptions;

static bool isFile(const char* input) { return strpbrk(input, "./") != NULL; }

static int unknownModel(const char* name)
{
    const char* names[64];
    int count = 0;
    for (; count < shGetModelCount() && count < 63; ++count)
        names[count] = shGetModel(count).name;
    names[count] = NULL;
    const char* nearest = nearestWord(name, names);
    if (nearest != NULL)
        return usageError("cook", "there is no model '%s'; did you mean %s?", name, nearest);
    return usageError("cook",
                      "there is no model '%s'; sherd list models names those there are, and a mesh file's "
                      "name has an extension",
                      name);
}

static bool isModel(const char* name)
{
    for (int i = 0; i < shGetModelCount(); ++i)
        if (strcmp(shGetModel(i).name, name) == 0)
            return true;
    return false;
}

// What came out, beside the asset itself.
typedef struct Cooked {
    shAsset* asset;
    CookFileReport report; // of a file
    double seconds;
    int64_t peakBytes;
} Cooked;

static shStatus cookOne(shContext* context, const CookOptions* options, const char* input, char* label, Cooked* cooked,
                        shMessage* message)
{
    *cooked = (Cooked){.report = {.mesher = "built in"}};
    shCookDef def = shDefaultCookDef();
    def.material = options->material != NULL ? shMaterialPreset(options->material) : NULL;
    def.cell = (float)options->cell;
    def.gridCell = (float)options->grid;
    def.innerSpheres = options->inner;
    def.thickness = (float)options->thickness;
    def.maxTets = options->maxTets;
    def.progress = progressOfCook;
    def.progressUser = label;
    double start = contextSeconds(context);
    shStatus status;
    if (isFile(input)) {
        CookFileDef file = cookDefaultFileDef();
        const char* program = getenv("SHERD_TETGEN");
        file.path = input;
        file.triangles = options->triangles;
        static const double units[] = {1.0, 1e-3, 1e-2, 0.0254, 0.3048, 1e3};
        file.scale = options->scale * units[options->unit];
        file.up = options->up;
        file.open = (OpenPolicy)options->open;
        file.strict = options->strict;
        file.measure = options->measure;
        file.mesher = (CookMesher)options->mesher;
        file.tetgen.program = program != NULL ? program : file.tetgen.program;
        file.cook = def;
        progressShow("%s: reading and meshing", label);
        status = cookFile(context, &file, &cooked->asset, &cooked->report, message);
    } else {
        status = shCookModel(context, input, (float)options->detail, &def, &cooked->asset, message);
    }
    cooked->seconds = contextSeconds(context) - start;
    cooked->peakBytes = shContext_GetMemory(context).peakBytes;
    progressClear();
    return status;
}

static json_t* cookedJson(const CookOptions* options, const Cooked* cooked, const char* input, const char* output)
{
    json_t* json = assetJson(cooked->asset);
    const CookFileReport* r = &cooked->report;
    json_object_set_new(json, "input", json_string(input));
    json_object_set_new(json, "output", json_string(output));
    json_object_set_new(json, "mesher", json_string(r->mesher));
    json_object_set_new(json, "seconds", json_real(cooked->seconds));
    json_object_set_new(json, "peak_bytes", json_integer((json_int_t)cooked->peakBytes));
    if (!isFile(input))
        return json;
    json_object_set_new(json, "read_triangles", json_integer(r->readTriangles));
    json_object_set_new(json, "stages",
                        json_pack("{s:f,s:f,s:f,s:f}", "read", r->readSeconds, "decimate", r->decimateSeconds, "mesh",
                                  r->meshSeconds, "cook", r->cookSeconds));
    if (r->fallback.text[0] != '\0')
        json_object_set_new(json, "fallback", json_string(r->fallback.text));
    char text[2048];
    cookReportText(r, text, sizeof text);
    json_object_set_new(json, "mended", json_string(text));
    json_object_set_new(json, "textures", json_integer(shAsset_GetTextureCount(cooked->asset)));
    json_object_set_new(json, "parts_left_out", json_integer(r->partsLeftOut));
    json_object_set_new(json, "thickness", json_real(r->lattice.thickness));
    if (r->tetgen.attempts > 0)
        json_object_set_new(json, "tetgen",
                            json_pack("{s:i,s:s}", "attempts", r->tetgen.attempts, "switches", r->tetgen.switches));
    if (options->measure)
        json_object_set_new(json, "measured",
                            json_pack("{s:f,s:f,s:o,s:o}", "input_to_mesh", r->inputToMesh, "mesh_to_input",
                                      r->meshToInput, "volume_error",
                                      isnan(r->volumeError) ? json_null() : json_real(r->volumeError), "uvs_kept",
                                      isnan(r->uvsKept) ? json_null() : json_real(r->uvsKept)));
    return json;
}

static void printCooked(const CookOptions* options, const Cooked* cooked, const char* input, const char* output)
{
    const CookFileReport* r = &cooked->report;
    assetPrint(cooked->asset);
    char text[2048];
    cookReportText(r, text, sizeof text);
    for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1)
        printf("%s%.*s\n", line == text ? "mended      " : "            ", (int)(end - line), line);
    char peak[16];
    bytesText(cooked->peakBytes, peak);
    printf("mesher      %s", r->mesher);
    if (r->tetgen.switches[0] != '\0')
        printf(" %s, attempt %d", r->tetgen.switches, r->tetgen.attempts);
    if (r->lattice.adaptive)
        printf(", sizes of %.4g to %.4g m", r->lattice.finest, r->lattice.cell);
    printf("\n");
    if (options->measure) {
        printf("deviation   input to mesh %.3g %%, mesh to input %.3g %% of the diagonal", 100.0 * r->inputToMesh,
               100.0 * r->meshToInput);
        if (!isnan(r->volumeError))
            printf("; volume %.3g %% off", 100.0 * r->volumeError);
        if (!isnan(r->uvsKept))
            printf("; %.3g %% of UVs as in the file", 100.0 * r->uvsKept);
        printf("\n");
    }
    if (isFile(input) && r->triangles != r->readTriangles)
        printf("decimated   from %d triangles\n", r->readTriangles);
    printf("time        %.2f s", cooked->seconds);
    if (isFile(input))
        printf(" (read %.2f, decimate %.2f, mesh %.2f, cook %.2f)", r->readSeconds, r->decimateSeconds, r->meshSeconds,
               r->cookSeconds);
    printf("\nmemory      %s at most\nwritten     %s\n", peak, output);
    if (r->fallback.text[0] != '\0')
        fprintf(stderr, "sherd cook: meshed by the lattice mesher, because: %s\n", r->fallback.text);
}

static int cookToFile(const CookOptions* options, const char* input)
{
    char output[1024];
    const char* slash = strrchr(input, '/');
    const char* stem = slash != NULL ? slash + 1 : input;
    if (options->output != NULL)
        snprintf(output, sizeof(output), "%s", options->output);
    else
        snprintf(output, sizeof(output), "%.*s.sherd", (int)strcspn(stem, "."), stem);

    shContext* context = openContext("cook", options->threads);
    if (context == NULL)
        return 1;
    shMessage message;
    Cooked cooked;
    char label[256];
    int code = 0;
    snprintf(label, sizeof(label), "%.200s", stem);
    shStatus status = cookOne(context, options, input, label, &cooked, &message);
    if (status == shOk)
        status = shSaveAsset(cooked.asset, output, &message);
    if (status != shOk)
        code = commandFailed("cook", &message);
    else if (options->json)
        code = printJson(cookedJson(options, &cooked, input, output));
    else
        printCooked(options, &cooked, input, output);
    shDestroyAsset(cooked.asset);
    shDestroyContext(context);
    return code;
}

static void addRow(Table* table, const Cooked* cooked)
{
    shAssetInfo info = shAsset_GetInfo(cooked->asset);
    char size[16], peak[16];
    bytesText(info.imageBytes, size);
    bytesText(cooked->peakBytes, peak);
    tableRow(table, "%s\t%d\t%d\t%d\t%.1f\t%.1f\t%.5g\t%.1f\t%s\t%s", info.name, info.triangleCount, info.tetCount,
             info.pointCount, info.minDihedral, info.maxDihedral, info.volume, 1000.0 * cooked->seconds, size, peak);
}

static shStatus saveBoth(const shAsset* asset, const char* folder, const char* name, shMessage* message)
{
    char path[1024];
    snprintf(path, sizeof(path), "%s/%s.sherd", folder, name);
    shStatus status = shSaveAsset(asset, path, message);
    snprintf(path, sizeof(path), "%s/%s.glb", folder, name);
    return status == shOk ? shExportAsset(asset, path, message) : status;
}

// Every built-in model, each in a context of its own so that its memory is counted alone.
static int cookAll(const CookOptions* options)
{
    if (mkdir(options->output, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "sherd cook: %s: %s\n", options->output, strerror(errno));
        return 1;
    }
    Table table;
    tableInit(&table, "model >triangles >tetrahedra >points >min_° >max_° >volume_[m³] >time_[ms] >asset >peak_memory");
    json_t* list = json_array();
    int code = 0, modelCount = shGetModelCount();
    for (int i = 0; i < modelCount; ++i) {
        const char* name = shGetModel(i).name;
        shContext* context = openContext("cook", options->threads);
        if (context == NULL)
            return 1;
        char label[128];
        snprintf(label, sizeof(label), "[%d/%d] %s", i + 1, modelCount, name);
        Cooked cooked;
        shMessage message;
        shStatus status = cookOne(context, options, name, label, &cooked, &message);
        if (status == shOk)
            status = saveBoth(cooked.asset, options->output, name, &message);
        if (status == shOk) {
            addRow(&table, &cooked);
            json_array_append_new(list, cookedJson(options, &cooked, name, options->output));
        } else {
            code = commandFailed("cook", &message);
        }
        shDestroyAsset(cooked.asset);
        shDestroyContext(context);
    }
    if (options->json) {
        code = printJson(list) != 0 ? 1 : code;
    } else {
        json_decref(list);
        tablePrint(&table);
        printf("\nwritten: %s/*.sherd and %s/*.glb\n", options->output, options->output);
    }
    tableFree(&table);
    return code;
}

static int cookJob(const void* user, const char* input, const char* output)
{
    CookOptions own = *(const CookOptions*)user;
    own.output = output;
    own.json = true;
    own.threads = own.threads > 0 ? own.threads : 1;
    return cookToFile(&own, input);
}

static int checkMaterial(const char* name)
{
    if (name == NULL || shMaterialPreset(name) != NULL)
        return 0;
    const char* names[64];
    int count = 0;
    for (; count < shMaterialPresetCount() && count < 63; ++count)
        names[count] = shMaterialPresetAt(count)->name;
    names[count] = NULL;
    const char* nearest = nearestWord(name, names);
    if (nearest != NULL)
        return usageError("cook", "there is no material '%s'; did you mean %s?", name, nearest);
    return usageError("cook", "there is no material '%s'; sherd list materials names those there are", name);
}

int commandCook(int count, char* const* arguments)
{
    static const char* const meshers[] = {"auto", "tetgen", "lattice", NULL};
    static const char* const axes[] = {"x", "y", "z", NULL};
    static const char* const policies[] = {"auto", "fill", "shell", NULL};
    static const char* const units[] = {"m", "mm", "cm", "in", "ft", "km", NULL};
    CookOptions o = {.detail = 1.0, .scale = 1.0, .up = 1};
    const Option options[] = {
        {"output", 'o', "FILE", "asset to write (NAME.sherd); with --all a folder", optionText, &o.output, 0, 0, NULL},
        {"all", 0, NULL, "cook every built-in model, write .sherd and .glb", optionFlag, &o.all, 0, 0, NULL},
        {"unit", 0, "U", "of a mesh file: m, mm, cm, in, ft or km (m)", optionChoice, &o.unit, 0, 0, units},
        {"scale", 0, "S", "factor on a mesh file's size (1)", optionReal, &o.scale, 1e-6, 1e6, NULL},
        {"up-axis", 0, "AXIS", "that points up in a mesh file: x, y or z (y)", optionChoice, &o.up, 0, 0, axes},
        {"triangles", 0, "N", "decimate a mesh file to N triangles", optionInt, &o.triangles, 4, 2e7, NULL},
        {"mesher", 0, "WHICH", "auto, tetgen or lattice", optionChoice, &o.mesher, 0, 0, meshers},
        {"detail", 0, "D", "of a model: 2 halves its edges (1)", optionReal, &o.detail, 0.1, 10, NULL},
        {"cell", 0, "H", "cell of the lattice mesher, m (about the size of the triangles)", optionReal, &o.cell, 1e-6,
         1e3, NULL},
        {"grid", 0, "H", "cell of the distance grid, m (a quarter of the thickness)", optionReal, &o.grid, 1e-6, 1e3,
         NULL},
        {"inner", 0, "N", "with N inner spheres, for distances and shared volumes: 100k (none)", optionInt, &o.inner, 0,
         16777216, NULL},
        {"thickness", 0, "T", "given to open sheets, m (2 % of the diagonal)", optionReal, &o.thickness, 1e-6, 1e3,
         NULL},
        {"open", 0, "HOW", "surfaces with openings: auto, fill (close them), shell (give them a thickness)",
         optionChoice, &o.open, 0, 0, policies},
        {"max-tets", 0, "N", "budget of the lattice mesher; thinner parts get thicker (150000)", optionInt, &o.maxTets,
         100, 2e7, NULL},
        {"strict", 0, NULL, "refuse a mesh file that has to be mended in any way", optionFlag, &o.strict, 0, 0, NULL},
        {"again", 0, NULL, "of several files, cook those too whose assets are up to date", optionFlag, &o.again, 0, 0,
         NULL},
        {"measure", 0, NULL, "compare the result with the mesh file", optionFlag, &o.measure, 0, 0, NULL},
        {"material", 0, "NAME", "see sherd list materials", optionText, &o.material, 0, 0, NULL},
        THREADS_OPTION(&o.threads),
        JSON_OPTION(&o.json),
    };
    const Usage usage = {
        .command = "cook",
        .form = "FILE|MODEL [-o FILE.sherd] [options]\nsherd cook FILE FILE… -o FOLDER [options]\nsherd cook --all -o "
                "FOLDER [options]",
        .summary = "Makes an asset: a solid of tetrahedra ready for breaking, from a mesh file or a built-in model.",
        .more =
            "Reads .obj, .off, .stl, .ply, .gltf, .glb (and what else assimp knows), and ready tetrahedra: .node with\n"
            ".ele, .msh. Closed, clean surfaces are meshed as they are by TetGen, run as a separate program\n"
            "(SHERD_TETGEN names another one); everything else by the built-in lattice mesher, which orients patches,\n"
            "closes holes, joins shells and gives sheets a thickness. Lengths are metres.",
        .options = options,
        .optionCount = sizeof(options) / sizeof(options[0]),
        .wordsMost = cookFolderMost};
    static const char* inputs[cookFolderMost];
    int words;
    ParseResult parsed = optionsParse(&usage, count, arguments, inputs, &words);
    if (parsed != parseRun)
        return parsed == parseHelp ? 0 : 2;
    const char* input = inputs[0];
    if (checkMaterial(o.material) != 0)
        return 2;
    if (o.all && (words > 0 || o.output == NULL))
        return usageError("cook", "--all takes no input, and needs -o FOLDER");
    if (o.all)
        return cookAll(&o);
    if (words < 1)
        return usageError("cook", "name a mesh file or a model");
    if (words > 1 && !isFile(input))
        return usageError("cook", "'%s' is one word too many", inputs[1]);
    if (words > 1 && o.output == NULL)
        return usageError("cook", "several files need -o FOLDER");
    for (int i = 0; i < words && words > 1; ++i)
        if (!isFile(inputs[i]))
            return usageError("cook", "'%s' is no mesh file; models are cooked one by one, or all with --all",
                              inputs[i]);
    if (words > 1)
        return cookFolder(&(CookFolder){inputs, words, o.output, o.again, o.json, cookJob, &o});
    if (!isFile(input) && !isModel(input))
        return unknownModel(input);
    if (!isFile(input) && o.triangles > 0)
        return usageError("cook", "--triangles is for mesh files; models have --detail");
    if (!isFile(input) && o.scale != 1.0)
        return usageError("cook", "--scale is for mesh files; models are as large as they are");
    return cookToFile(&o, input);
}
