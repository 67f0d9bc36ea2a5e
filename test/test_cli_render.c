// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// `sherd render` from outside. The clip is left out where ffmpeg is not installed.
#include "cook/process.h"
#include "sherd/export.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[256], out[4096];
static ProcessResult last;

static const char* pathOf(const char* name)
{
    static char paths[4][400];
    static int turn;
    char* path = paths[turn++ % 4];
    snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
    return path;
}

// Runs a program with words separated by spaces, in the test's folder for names that start with @.
static int run(const char* program, const char* words)
{
    char text[2048] = "";
    const char* arguments[32] = {program};
    size_t length = 0;
    for (const char* c = words; *c != '\0'; ++c)
        length += (size_t)(*c == '@' ? sprintf(text + length, "%s/", folder) : sprintf(text + length, "%c", *c));
    int count = 1;
    for (char* word = strtok(text, " "); word != NULL; word = strtok(NULL, " "))
        arguments[count++] = word;
    const char* output = pathOf("stdout");
    ProcessDef def = {.arguments = arguments, .seconds = 120.0, .outputPath = output};
    processRun(&def, &last);
    out[0] = '\0';
    FILE* file = fopen(output, "r");
    if (file != NULL) {
        out[fread(out, 1, sizeof(out) - 1, file)] = '\0';
        fclose(file);
        remove(output);
    }
    return last.end == processExited ? last.code : -1;
}

static void expect(const char* words, int code, const char* said)
{
    int got = run(getenv("SHERD_PROGRAM"), words);
    const char* text = code == 0 ? out : last.output;
    if (got != code || strstr(text, said) == NULL)
        fail_msg("sherd %s: exit code %d (want %d), \"%s\" does not say \"%s\"", words, got, code, text, said);
}

static void expectPng(const char* name, int width, int height)
{
    unsigned char head[24];
    FILE* file = fopen(pathOf(name), "rb");
    assert_non_null(file);
    assert_int_equal(fread(head, 1, sizeof(head), file), sizeof(head));
    fclose(file);
    assert_memory_equal(head, "\x89PNG\r\n\x1a\n", 8);
    assert_int_equal(head[18] << 8 | head[19], width);
    assert_int_equal(head[22] << 8 | head[23], height);
    remove(pathOf(name));
}

static int setUp(void** state)
{
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/sherd_render_XXXXXX");
    if (mkdtemp(folder) == NULL)
        return 1;
    static const shVec3 points[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const int triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    static const float times[2] = {0.0f, 0.5f};
    static const shTransform poses[2] = {{{0, 0, 0}, {{0, 0, 0}, 1}}, {{1, 0, 0}, {{0, 1, 0}, 0}}};
    static const shExportTrack track = {2, times, poses, 0.0f, 0.0f};
    static const shExportMesh mesh = {"tetrahedron", 4, 4, points, NULL, NULL, triangles, NULL};
    static const shExportNode still = {"still", 0, {{0, 0, 0}, {{0, 0, 0}, 1}}, NULL};
    static const shExportNode moving = {"moving", 0, {{0, 0, 0}, {{0, 0, 0}, 1}}, &track};
    const shExportScene a = {.meshCount = 1, .nodeCount = 1, .meshes = &mesh, .nodes = &still},
                        b = {.meshCount = 1, .nodeCount = 1, .meshes = &mesh, .nodes = &moving};
    shContextDef def = shDefaultContextDef();
    shContext* context = NULL;
    if (shCreateContext(&def, &context, NULL) != shOk || shWriteScene(context, &a, pathOf("a.glb"), NULL) != shOk ||
        shWriteScene(context, &b, pathOf("b.glb"), NULL) != shOk)
        return 1;
    return shDestroyContext(context) == 0 ? 0 : 1;
}

static int tearDown(void** state)
{
    (void)state;
    remove(pathOf("a.glb"));
    remove(pathOf("b.glb"));
    return rmdir(folder); // no temporary file may be left
}

static void aPictureHasTheSizeAskedFor(void** state)
{
    (void)state;
    expect("render @a.glb -o @a.png --size 120x90", 0, "120 × 90, 4 triangles");
    expectPng("a.png", 120, 90);
    expect("render @a.glb -o @a.png --size 64x64 --view 200,-10 --ground none --background #102030 --checker 4", 0, "");
    expectPng("a.png", 64, 64);
    expect("render @b.glb -o @a.png --size 64x64 --time 0.25 --frame 0 --ground -1 --json", 0, "\"triangles\": 4");
    expectPng("a.png", 64, 64);
}

static void sheetsShowFilesOrTimes(void** state)
{
    (void)state;
    expect("render @a.glb @b.glb @a.glb -o @s.png --size 90x60", 0, "12 triangles");
    expectPng("s.png", 2 * 94 - 4, 2 * (60 + 16));
    expect("render @b.glb -o @s.png --sheet --count 6 --columns 3 --size 90x60", 0, "");
    expectPng("s.png", 3 * 94 - 4, 2 * (60 + 16));
}

static void clipsGoThroughFfmpeg(void** state)
{
    (void)state;
    if (run("ffmpeg", "-version") != 0)
        skip();
    expect("render @b.glb -o @b.mp4 --size 64x64 --fps 20 --json", 0, "\"frames\": 11");
    FILE* file = fopen(pathOf("b.mp4"), "rb");
    assert_non_null(file);
    char head[8];
    assert_int_equal(fread(head, 1, sizeof(head), file), sizeof(head));
    fclose(file);
    assert_memory_equal(head + 4, "ftyp", 4);
    remove(pathOf("b.mp4"));
    expect("render @a.glb -o @a.mp4 --size 64x64 --seconds 0.2", 0, "6 frames");
    remove(pathOf("a.mp4"));
    expect("render @a.glb -o @a.mp4 --size 63x64", 1, "even");
    expect("render @a.glb -o @none/a.mp4 --size 64x64", 1, "a.mp4");
}

static void mistakesAreExplained(void** state)
{
    (void)state;
    expect("render --help", 0, "sherd render ");
    expect("render", 2, "no file");
    expect("render @a.glb", 2, "-o");
    expect("render @a.glb -o @a.gif", 2, "only .png and .mp4");
    expect("render @a.glb -o @a.png --size 12", 2, "1280x720");
    expect("render @a.glb -o @a.png --size 0x12", 2, "1280x720");
    expect("render @a.glb -o @a.png --view 12", 2, "30,22");
    expect("render @a.glb -o @a.png --view 12,95", 2, "30,22");
    expect("render @a.glb -o @a.png --background red", 2, "hexadecimal");
    expect("render @a.glb -o @a.png --ground low", 2, "auto, none or a height");
    expect("render @a.glb @b.glb -o @a.mp4", 2, "one file");
    expect("render @c.glb -o @a.png", 1, "c.glb");
    expect("render @a.glb -o @none/a.png", 1, "a.png");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aPictureHasTheSizeAskedFor),
        cmocka_unit_test(sheetsShowFilesOrTimes),
        cmocka_unit_test(clipsGoThroughFfmpeg),
        cmocka_unit_test(mistakesAreExplained),
    };
    return cmocka_run_group_tests(tests, setUp, tearDown);
}
