// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The program from outside: exit codes, texts, JSON. The environment variable SHERD_PROGRAM says where it is.

#include "cook/process.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[256];
static char out[400000]; // of the last run
static ProcessResult last;

static char* pathOf(const char* name)
{
    static char paths[4][400];
    static int turn;
    char* path = paths[turn++ % 4];
    snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
    return path;
}

// Runs `sherd` with words separated by spaces; @ stands for the test's folder. Returns the exit code.
static int run(const char* words)
{
    char text[2048] = "";
    const char* arguments[32] = {getenv("SHERD_PROGRAM")};
    size_t length = 0;
    for (const char* c = words; *c != '\0'; ++c) {
        if (*c == '@')
            length += (size_t)sprintf(text + length, "%s", folder);
        else
            text[length++] = *c;
    }
    text[length] = '\0';
    int count = 1;
    for (char* word = strtok(text, " "); word != NULL; word = strtok(NULL, " "))
        arguments[count++] = word;
    ProcessDef def = {.arguments = arguments, .seconds = 120.0, .outputPath = pathOf("stdout")};
    processRun(&def, &last);
    if (last.end != processExited)
        fail_msg("sherd %s: did not end by itself: %s", words, last.output);
    FILE* file = fopen(def.outputPath, "r");
    assert_non_null(file);
    out[fread(out, 1, sizeof(out) - 1, file)] = '\0';
    fclose(file);
    return last.code;
}

static void expect(const char* words, int code, const char* said)
{
    int got = run(words);
    const char* text = code == 0 ? out : last.output;
    if (got != code || strstr(text, said) == NULL)
        fail_msg("sherd %s: exit code %d (want %d), \"%s\" does not say \"%s\"", words, got, code, text, said);
    if (code == 0 && last.output[0] != '\0')
        fail_msg("sherd %s: wrote \"%s\" to stderr", words, last.output);
    if (code != 0 && out[0] != '\0')
        fail_msg("sherd %s: failed, but wrote \"%s\" to stdout", words, out);
}

static json_t* expectJson(const char* words)
{
    if (run(words) != 0)
        fail_msg("sherd %s: %s", words, last.output);
    json_error_t error;
    json_t* json = json_loads(out, JSON_REJECT_DUPLICATES, &error);
    if (json == NULL)
        fail_msg("sherd %s: line %d: %s", words, error.line, error.text);
    return json;
}

static void writeFile(const char* name, const char* text)
{
    FILE* file = fopen(pathOf(name), "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static bool sameFiles(const char* a, const char* b)
{
    FILE *x = fopen(pathOf(a), "rb"), *y = fopen(pathOf(b), "rb");
    assert_true(x != NULL && y != NULL);
    int c, d;
    do {
        c = fgetc(x);
        d = fgetc(y);
    } while (c == d && c != EOF);
    fclose(x);
    fclose(y);
    return c == d;
}

static void everyCommandHasHelp(void** state)
{
    (void)state;
    expect("--version", 0, "sherd 0.");
    expect("--help", 0, "export");
    expect("-h", 0, "bench");
    static const char* const commands[] = {"cook", "info", "break", "export", "list", "bench"};
    for (int i = 0; i < 6; ++i) {
        char words[64], head[64];
        snprintf(words, sizeof(words), "%s --help", commands[i]);
        snprintf(head, sizeof(head), "sherd %s ", commands[i]);
        expect(words, 0, head);
        snprintf(words, sizeof(words), "%s -h", commands[i]);
        expect(words, 0, "--help");
    }
}

static void wrongUsageIsExitCode2WithAHint(void** state)
{
    (void)state;
    expect("", 2, "say what to do");
    expect("coko", 2, "did you mean cook?");
    expect("xyzzy", 2, "unknown command 'xyzzy' (see sherd --help)");
    expect("--verbose", 2, "unknown option --verbose");
    expect("cook", 2, "name a mesh file or a model");
    expect("cook brick --trianlges 5", 2, "did you mean --triangles?");
    expect("cook brick -x", 2, "unknown option -x (see sherd cook --help)");
    expect("cook brick --qqqqqqqq", 2, "unknown option --qqqqqqqq (see");
    expect("cook brick --detail", 2, "--detail needs a value: D");
    expect("cook brick --detail=fine", 2, "--detail fine: not a number");
    expect("cook brick --detail 1000", 2, "it must be 0.1 to 10");
    expect("cook a.obj --triangles 1.5", 2, "not a whole number");
    expect("cook a.obj --triangles 3", 2, "it must be 4 to");
    expect("cook a.obj --triangles nan", 2, "not a whole number");
    expect("cook a.obj --mesher gmsh", 2, "one of auto, tetgen, lattice");
    expect("cook brick --json=yes", 2, "--json takes no value");
    expect("cook brick plate", 2, "'plate' is one word too many");
    expect("cook brik", 2, "there is no model 'brik'; did you mean brick?");
    expect("cook zzzzzz", 2, "sherd list models");
    expect("cook brick --material glas", 2, "did you mean glass?");
    expect("cook brick --material unobtainium", 2, "sherd list materials");
    expect("cook brick --triangles 100", 2, "--triangles is for mesh files");
    expect("cook --all", 2, "needs -o FOLDER");
    expect("cook --all brick -o @/all", 2, "takes no input");
    expect("info", 2, "name an asset file");
    expect("export a.sherd", 2, "name an asset file and the file to write");
    expect("export a.sherd b.fbx", 2, "must end in .glb or .obj");
    expect("list", 2, "models or materials");
    expect("list colours", 2, "'colours' cannot be listed");
    expect("bench nosuchsuite", 2, "no suite 'nosuchsuite'");
    expect("bench coook", 2, "did you mean cook?");
    expect("bench --repeat 0", 2, "it must be 1 to");
}

static void failuresAreExitCode1WithFileAndReason(void** state)
{
    (void)state;
    expect("info @/none.sherd", 1, "none.sherd");
    writeFile("junk.sherd", "this is not an asset, whatever its name says\n");
    expect("info @/junk.sherd", 1, "junk.sherd");
    expect("export @/junk.sherd @/x.glb", 1, "junk.sherd");
    expect("cook @/none.obj -o @/x.sherd", 1, "none.obj: cannot open: No such file");
    writeFile("bad.obj", "v 0 0 0\nv 1 0 0\nv 0 nan 0\n");
    expect("cook @/bad.obj -o @/x.sherd", 1, "bad.obj:3: y is nan");
    writeFile("none.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 1\n");
    expect("cook @/none.off -o @/x.sherd", 1, "none.off: 0 triangles; a mesh needs at least 1");
    expect("cook @/model.pdf -o @/x.sherd", 1, "model.pdf: the extension");
    expect("cook brick -o @/no/such/folder/x.sherd", 1, "x.sherd");
    assert_true(access(pathOf("x.sherd"), F_OK) != 0);
}

static void listsAreTablesOrJson(void** state)
{
    (void)state;
    expect("list models", 0, "brick");
    expect("list materials", 0, "glass");
    json_t* models = expectJson("list models --json");
    assert_true(json_is_array(models) && json_array_size(models) >= 10);
    for (size_t i = 0; i < json_array_size(models); ++i)
        assert_true(json_is_string(json_object_get(json_array_get(models, i), "name")));
    json_decref(models);
    json_t* materials = expectJson("list --json materials");
    assert_int_equal(json_array_size(materials), 6);
    assert_true(json_is_number(json_object_get(json_array_get(materials, 0), "density")));
    json_decref(materials);
}

static json_int_t intOf(const json_t* json, const char* key)
{
    const json_t* value = json_object_get(json, key);
    if (!json_is_integer(value))
        fail_msg("no integer %s", key);
    return json_integer_value(value);
}

static void modelsAreCookedShownAndExported(void** state)
{
    (void)state;
    expect("cook brick -o @/brick.sherd --threads 1", 0, "tetrahedra");
    json_t* cooked = expectJson("cook brick -o @/brick2.sherd --threads 2 --json");
    json_t* shown = expectJson("info @/brick2.sherd --json");
    assert_true(sameFiles("brick.sherd", "brick2.sherd"));
    assert_true(intOf(shown, "tetrahedra") > 100);
    assert_int_equal(intOf(shown, "tetrahedra"), intOf(cooked, "tetrahedra"));
    assert_string_equal(json_string_value(json_object_get(shown, "hash")),
                        json_string_value(json_object_get(cooked, "hash")));
    assert_string_equal(json_string_value(json_object_get(shown, "name")), "brick");
    json_decref(cooked);
    json_decref(shown);
    expect("info @/brick.sherd", 0, "volume      0.00143");
    expect("cook brick --material=ice --detail=0.5 -o @/ice.sherd", 0, "ice, 917 kg/m³");
    expect("export @/brick.sherd @/brick.glb", 0, "brick.glb");
    expect("export @/brick.sherd @/brick.obj", 0, "brick.obj");
    assert_int_equal(access(pathOf("brick.glb"), R_OK), 0);
    // What we write we can read: the surface of a brick is a closed mesh.
    expect("cook @/brick.obj -o @/again.sherd", 0, "volume      0.00143");
}

static void solidsAreBroken(void** state)
{
    (void)state;
    expect("break brick -n 6 -o @/broken.glb", 0, "pieces, 1432.44 cm³ together");
    assert_int_equal(access(pathOf("broken.glb"), R_OK), 0);
    json_t* broken = expectJson("break brick -n 6 --at 0,0.03,0 --seed 7 --json");
    assert_true(json_array_size(json_object_get(broken, "pieces")) >= 6);
    assert_true(fabs(json_real_value(json_object_get(broken, "volume")) - 0.0014324375) < 1e-9);
    json_decref(broken);
    // The same seed, the same break.
    expect("break brick -n 6 --seed 5 -o @/one.glb", 0, "pieces");
    expect("break brick -n 6 --seed 5 -o @/two.glb", 0, "pieces");
    assert_true(sameFiles("one.glb", "two.glb"));
    static const char* const patterns[] = {"radial", "uniform", "clustered", "slabs", "splinters", "bricks"};
    for (int i = 0; i < 6; ++i) {
        char command[128];
        snprintf(command, sizeof command, "break brick -p %s -n 12 --at 0,0.065,0 --dir 0,-1,0 --again 1", patterns[i]);
        expect(command, 0, "pieces, 1432.44 cm³ together");
    }
    expect("break brick -p radial --at 0.1,0.03,0;-0.1,0.03,0 --radius 0.05", 0, "pieces, 1432.44 cm³ together");
    expect("break brick -p glass", 2, "radial");
    expect("break plate --detail 0.5 -p radial -n 30 --at 0.03,0.01,0.02 --impulse 0.01", 0, "holds: it takes");
    expect("break plate --detail 0.5 -p radial -n 30 --at 0.03,0.01,0.02 --dir 0,-1,0 --impulse 20", 0, "breaks: it");
    json_t* held = expectJson("break brick -n 12 --at 0,0.065,0 --impulse 0.001 --json");
    assert_int_equal(json_array_size(json_object_get(held, "pieces")), 1);
    assert_true(json_is_false(json_object_get(json_object_get(held, "verdict"), "breaks")));
    json_decref(held);
    expect("break brick -p bricks --brick 1,0,1", 1, "positive");
    expect("break brick --dir 0,0", 2, "three numbers");
    expect("break brick --at 1,2", 2, "three numbers");
    expect("break", 2, "name an asset");
    expect("break nothing", 1, "nothing");
}

// Two boxes side by side, each an object; `wrong` leaves a face of the second out.
static void writePattern(const char* name, bool wrong)
{
    FILE* file = fopen(pathOf(name), "w");
    assert_non_null(file);
    for (int box = 0; box < 2; ++box) {
        fprintf(file, "o half%d\nusemtl stone\n", box);
        for (int c = 0; c < 8; ++c)
            fprintf(file, "v %g %d %d\n", (c & 1 ? 0.2 : -1.0) + 1.2 * box * (c & 1 ? 0.6667 : 1.0), c & 2 ? 1 : -1,
                    c & 4 ? 1 : -1);
        static const int quads[6][4] = {{1, 5, 7, 3}, {2, 4, 8, 6}, {1, 2, 6, 5},
                                        {3, 7, 8, 4}, {1, 3, 4, 2}, {5, 6, 8, 7}};
        for (int f = 0; f < (wrong && box == 1 ? 5 : 6); ++f)
            fprintf(file, "f %d %d %d %d\n", quads[f][0] + 8 * box, quads[f][1] + 8 * box, quads[f][2] + 8 * box,
                    quads[f][3] + 8 * box);
    }
    fclose(file);
}

static void solidsAreBrokenByRegionsFromFiles(void** state)
{
    (void)state;
    writePattern("halves.obj", false);
    writePattern("open.obj", true);
    expect("break box --pattern @/halves.obj --cells 16", 0, "2 pieces, 125000.00 cm³ together");
    expect("break box -p @/halves.obj --aligned --seed 3 --again 1", 0, "3 pieces, 125000.00 cm³ together");
    expect("break box -p @/open.obj", 1, "region 1 'half1' is not closed");
    expect("break box -p @/none.obj", 1, "none.obj");
    expect("break box -p @/none.shp", 1, "none.shp");
    // What is broken in place is a pattern, as a file of ours or as a .glb.
    expect("break box -n 6 --at 0,0.5,0 --explode 0 -o @/five.glb --save-pattern @/five.shp", 0, "5 pieces");
    expect("break box --at 0,0.5,0 -p @/five.shp -o @/again.glb", 0, "5 pieces, 125000.00 cm³ together");
    expect("break box -p @/five.glb --cells 32", 0, "pieces, 125000.00 cm³ together");
    expect("break box -p @/five.shp --at 0,0.5,0 --radius 0.05", 0, "pieces");
    expect("break @/five.shp", 1, "five.shp");
    expect("break box --cells 2", 2, "cells");
}

static void manyBreaksFillAFolderEachAndGoOnWhereTheyStopped(void** state)
{
    (void)state;
    expect("break brick -n 5 --pieces @/pieces", 0, "pieces");
    assert_true(access(pathOf("pieces/piece-0000.obj"), R_OK) == 0);
    assert_true(access(pathOf("pieces/materials.mtl"), R_OK) == 0);
    json_t* made = expectJson("break brick -n 5 --count 6 --pieces @/many --threads 2 --json");
    assert_int_equal(intOf(made, "written"), 6);
    assert_int_equal(json_array_size(json_object_get(made, "list")), 6);
    json_decref(made);
    // Interrupted: one folder is missing, another was being written.
    assert_int_equal(rename(pathOf("many/seed-000002"), pathOf("many/.seed-000002.tmp")), 0);
    assert_int_equal(rename(pathOf("many/seed-000003"), pathOf("elsewhere")), 0);
    made = expectJson("break brick -n 5 --count 8 --pieces @/many --threads 1 --json");
    assert_int_equal(intOf(made, "written"), 4);
    assert_int_equal(intOf(made, "found"), 4);
    json_decref(made);
    assert_true(access(pathOf("many/.seed-000002.tmp"), F_OK) != 0);
    assert_true(access(pathOf("many/seed-000002/break.json"), R_OK) == 0);
    assert_true(sameFiles("many/seed-000003/piece-0001.obj", "elsewhere/piece-0001.obj"));
    assert_false(sameFiles("many/seed-000003/piece-0001.obj", "many/seed-000004/piece-0001.obj"));
    expect("break brick -n 6 --count 8 --pieces @/many", 1, "other settings");
    expect("break brick --count 8", 2, "--pieces");
    expect("break brick --count 8 --pieces @/many -o @/x.glb", 2, "no -o");
    expect("break brick --pieces @/no/where", 1, "No such file");
}

static void meshFilesAreCooked(void** state)
{
    (void)state;
    writeFile("cube.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nusemtl red\n"
                          "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nusemtl blue\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n");
    setenv("SHERD_TETGEN", "/nowhere/tetgen", 1);
    expect("cook @/cube.obj --mesher tetgen -o @/cube.sherd", 1, "cannot be started");
    unsetenv("SHERD_TETGEN");
    json_t* cooked = expectJson("cook @/cube.obj --mesher tetgen -o @/cube.sherd --json");
    assert_true(json_real_value(json_object_get(cooked, "volume")) == 1.0);
    assert_string_equal(json_string_value(json_object_get(cooked, "mesher")), "tetgen");
    assert_int_equal(intOf(cooked, "triangles"), 12);
    assert_int_equal(intOf(cooked, "read_triangles"), 12);
    json_t* surfaces = json_object_get(cooked, "surfaces");
    assert_int_equal(json_array_size(surfaces), 3);
    assert_string_equal(json_string_value(json_object_get(json_array_get(surfaces, 2), "name")), "blue");
    json_decref(cooked);
    cooked = expectJson("cook @/cube.obj --scale 0.5 -o @/cube.sherd --json");
    assert_true(fabs(json_real_value(json_object_get(cooked, "volume")) - 0.125) < 1e-9);
    json_decref(cooked);
    expect("cook brick --scale 2 -o @/cube.sherd", 2, "--scale is for mesh files");
}

static void foldersAreCookedAtOnceAndGoOnWhereTheyWere(void** state)
{
    (void)state;
    writeFile("one.off", "OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n");
    writeFile("two.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"); // a sheet
    writeFile("bad.off", "OFF\n3 1 0\n0 0 0\n1 x 0\n0 1 0\n3 0 1 2\n");
    expect("cook @/one.off @/two.off", 2, "several files need -o FOLDER");
    assert_int_equal(run("cook @/one.off @/two.off @/bad.off -o @/baked --json"), 1);
    assert_non_null(strstr(last.output, "bad.off:4: y is 'x'"));
    json_t* list = json_loads(out, 0, NULL);
    assert_int_equal(json_array_size(list), 3);
    json_decref(list);
    assert_int_equal(access(pathOf("baked/one.sherd"), R_OK), 0);
    assert_int_equal(access(pathOf("baked/two.sherd"), R_OK), 0);
    assert_true(access(pathOf("baked/bad.sherd"), F_OK) != 0);
    assert_true(access(pathOf("baked/one.sherd.json"), F_OK) != 0);
    expect("cook @/one.off @/two.off -o @/baked", 0, "2 were up to date");
    assert_int_equal(remove(pathOf("baked/one.sherd")), 0);
    expect("cook @/one.off @/two.off -o @/baked", 0, "1 were up to date");
    assert_int_equal(access(pathOf("baked/one.sherd"), R_OK), 0);
    expect("cook @/two.off --strict -o @/x.sherd", 1, "not clean");
    json_t* cooked = expectJson("cook @/two.off --thickness 0.1 --measure --json -o @/two.sherd");
    assert_true(fabs(json_real_value(json_object_get(cooked, "thickness")) - 0.1) < 1e-6);
    assert_non_null(strstr(json_string_value(json_object_get(cooked, "mended")), "given a thickness"));
    json_decref(cooked);
}

// The contract of the benchmarks: these keys and no others.
static void benchRowsFollowTheContract(void** state)
{
    (void)state;
    expect("bench --list", 0, "cook");
    char path[4096];
    snprintf(path, sizeof(path), "%s", getenv("PATH"));
    setenv("SHERD_CACHE", folder, 1);
    setenv("PATH", "/nowhere", 1); // no tar, no bunny: those rows must have no value, and say why
    json_t* suite = expectJson("bench cook --quick --json --csv @");
    setenv("PATH", path, 1);
    assert_int_equal(json_object_size(suite), 3);
    assert_string_equal(json_string_value(json_object_get(suite, "suite")), "cook");
    assert_true(json_is_object(json_object_get(suite, "machine")));
    json_t* rows = json_object_get(suite, "rows");
    assert_true(json_array_size(rows) > 20);
    int nulls = 0, mets = 0;
    for (size_t i = 0; i < json_array_size(rows); ++i) {
        json_t* row = json_array_get(rows, i);
        json_t *value = json_object_get(row, "value"), *paper = json_object_get(row, "paper");
        json_t *goal = json_object_get(row, "goal"), *met = json_object_get(row, "met");
        json_t* note = json_object_get(row, "note");
        assert_int_equal(json_object_size(row), 7);
        assert_true(json_is_string(json_object_get(row, "row")) && json_is_string(json_object_get(row, "unit")));
        assert_true(json_is_number(value) || (json_is_null(value) && json_is_string(note)));
        assert_true(json_is_number(paper) || json_is_null(paper));
        assert_true(json_is_string(goal) || json_is_null(goal));
        assert_true(json_is_boolean(met) == (json_is_string(goal) && json_is_number(value)));
        assert_true(json_is_boolean(met) || json_is_null(met));
        assert_true(json_is_string(note) || json_is_null(note));
        nulls += json_is_null(value);
        mets += json_is_boolean(met);
    }
    assert_true(nulls >= 2 && mets >= 1);
    json_decref(suite);
    assert_int_equal(access(pathOf("cook.csv"), R_OK), 0);
}

static int setUp(void** state)
{
    (void)state;
    return !makeFolder(folder, sizeof(folder));
}

static int tearDown(void** state)
{
    (void)state;
    removeFolder(folder);
    return 0;
}

int main(void)
{
    if (getenv("SHERD_PROGRAM") == NULL) {
        puts("SHERD_PROGRAM is not set: nothing to test");
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everyCommandHasHelp),
        cmocka_unit_test(wrongUsageIsExitCode2WithAHint),
        cmocka_unit_test(failuresAreExitCode1WithFileAndReason),
        cmocka_unit_test(listsAreTablesOrJson),
        cmocka_unit_test(modelsAreCookedShownAndExported),
        cmocka_unit_test(solidsAreBroken),
        cmocka_unit_test(solidsAreBrokenByRegionsFromFiles),
        cmocka_unit_test(manyBreaksFillAFolderEachAndGoOnWhereTheyStopped),
        cmocka_unit_test(meshFilesAreCooked),
        cmocka_unit_test(foldersAreCookedAtOnceAndGoOnWhereTheyWere),
        cmocka_unit_test(benchRowsFollowTheContract),
    };
    return cmocka_run_group_tests(tests, setUp, tearDown);
}
