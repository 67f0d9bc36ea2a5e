// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Pictures of scenes whose picture is known.
#include "io/file.h"
#include "io/gltf.h"
#include "render/render.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

#define SIDE 160
#define RINGS 64

static shContext* openContext(int workers)
{
    shContextDef def = shDefaultContextDef();
    def.workerCount = workers;
    shContext* context = NULL;
    assert_int_equal(shCreateContext(&def, &context, NULL), shOk);
    return context;
}

static shVec3 spherePoints[(2 * RINGS + 1) * (RINGS + 1)];
static int sphereTriangles[4 * RINGS * RINGS][3];
static const shVec3 boxPoints[8] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                    {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
static const int boxTriangles[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                        {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};

// The scene of the given nodes. Mesh 0 is a red unit sphere, 1 a green box of two metres, 2 one of glass.
static Scene makeScene(shContext* context, const shExportNode* nodes, int count)
{
    int vertices = 0, triangles = 0;
    for (int i = 0; i <= 2 * RINGS; ++i)
        for (int j = 0; j <= RINGS; ++j) {
            float u = 3.14159265f * (float)i / RINGS, v = 3.14159265f * (float)j / RINGS;
            spherePoints[vertices++] = (shVec3){sinf(v) * sinf(u), -cosf(v), sinf(v) * cosf(u)};
        }
    for (int i = 0; i < 2 * RINGS; ++i)
        for (int j = 0; j < RINGS; ++j) {
            int a = i * (RINGS + 1) + j, b = a + RINGS + 1;
            memcpy(sphereTriangles[triangles++], (int[3]){a, b, a + 1}, sizeof(int[3]));
            memcpy(sphereTriangles[triangles++], (int[3]){a + 1, b, b + 1}, sizeof(int[3]));
        }
    static const uint16_t greens[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    static const uint16_t glasses[12] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
    static const shExportMaterial materials[3] = {
        {.name = "red", .color = {0.8f, 0.05f, 0.05f, 1.0f}, .roughness = 0.9f},
        {.name = "green", .color = {0.05f, 0.7f, 0.05f, 1.0f}, .roughness = 0.9f},
        {.name = "glass", .color = {0.5f, 0.5f, 0.9f, 0.3f}, .roughness = 0.9f}};
    const shExportMesh meshes[3] = {
        {"sphere", vertices, triangles, spherePoints, spherePoints, NULL, (const int(*)[3])sphereTriangles, NULL},
        {"box", 8, 12, boxPoints, NULL, NULL, boxTriangles, greens},
        {"pane", 8, 12, boxPoints, NULL, NULL, boxTriangles, glasses}};
    shExportScene scene = {.materialCount = 3,
                           .meshCount = 3,
                           .nodeCount = count,
                           .materials = materials,
                           .meshes = meshes,
                           .nodes = nodes};
    Buffer glb = {.memory = &context->memory};
    Scene result;
    assert_int_equal(gltfWrite(&glb, &scene, NULL), shOk);
    assert_int_equal(sceneRead(&result, context, glb.bytes.data, (size_t)glb.bytes.count, "scene", NULL), shOk);
    bufferFree(&glb);
    return result;
}

static RenderDef plainDef(float azimuth, float elevation)
{
    RenderDef def = renderDefault();
    def.width = def.height = SIDE;
    def.azimuth = azimuth;
    def.elevation = elevation;
    def.hasGround = false;
    def.vignette = 0.0f;
    def.background = vec3(1.0f, 1.0f, 1.0f);
    return def;
}

static Picture draw(shContext* context, const Scene* scene, const RenderDef* def, float time)
{
    Renderer* renderer = NULL;
    Picture picture;
    shMessage message = {{0}};
    assert_int_equal(renderCreate(&renderer, scene, def, &message), shOk);
    assert_int_equal(pictureCreate(&picture, context, def->width, def->height, &message), shOk);
    assert_int_equal(renderDraw(renderer, time, &picture, &message), shOk);
    renderDestroy(renderer);
    return picture;
}

static const uint8_t* pixel(const Picture* picture, int x, int y) { return picture->pixels + 3 * (y * SIDE + x); }
static bool isRed(const uint8_t* p) { return p[0] > 2 * p[1] && p[0] > 2 * p[2] && p[0] > 40; }
static bool isGreen(const uint8_t* p) { return p[1] > 2 * p[0] && p[1] > 2 * p[2] && p[1] > 40; }

static const shExportNode oneSphere = {"s", 0, {{3, 4, 5}, {{0, 0, 0}, 1}}, NULL};

static void aSphereCoversTheAreaItShould(void** state)
{
    (void)state;
    shContext* context = openContext(1);
    Scene scene = makeScene(context, &oneSphere, 1);
    for (int view = 0; view < 3; ++view) {
        RenderDef def = plainDef(40.0f * (float)view, 0.0f);
        Picture picture = draw(context, &scene, &def, 0.0f);
        double covered = 0.0;
        for (int i = 0; i < SIDE * SIDE; ++i)
            covered += picture.pixels[3 * i + 1] < 190 ? 1.0 : 0.0; // half way in light from the white to the red
        CameraFit fit = cameraFitBegin(def.azimuth, def.elevation, 1.0f);
        for (int i = 0; i < (2 * RINGS + 1) * (RINGS + 1); ++i)
            cameraFitAdd(&fit, spherePoints[i]);
        Camera camera = cameraFitEnd(&fit, vec3(0.0f, 0.0f, 0.0f), 1.0f);
        double distance = (double)vLength(camera.eye), sine = 1.0 / distance;
        double radius = sine / sqrt(1.0 - sine * sine) / (double)camera.tanY * SIDE / 2.0;
        double expected = 3.14159265358979 * radius * radius;
        assert_true(fabs(covered - expected) < 0.01 * expected);
        assert_true(radius > 0.4 * SIDE && radius < 0.5 * SIDE); // and the camera frames it well
        pictureFree(&picture);
    }
    sceneFree(&scene);
    assert_int_equal(shDestroyContext(context), 0);
}

static void whatIsInFrontIsSeen(void** state)
{
    (void)state;
    const shExportNode nodes[2] = {{"front", 0, {{0, 0, 3}, {{0, 0, 0}, 1}}, NULL},
                                   {"back", 1, {{0, 0, -3}, {{0, 0, 0}, 1}}, NULL}};
    shContext* context = openContext(1);
    Scene scene = makeScene(context, nodes, 2);
    for (int side = 0; side < 2; ++side) {
        RenderDef def = plainDef(180.0f * (float)side, 0.0f);
        Picture picture = draw(context, &scene, &def, 0.0f);
        const uint8_t* p = pixel(&picture, SIDE / 2, SIDE / 2);
        assert_true(side == 0 ? isRed(p) : isGreen(p));
        pictureFree(&picture);
    }
    sceneFree(&scene);
    assert_int_equal(shDestroyContext(context), 0);
}

static void theRightAndTheTopAreWhereTheyBelong(void** state)
{
    (void)state;
    const shExportNode nodes[2] = {{"right", 0, {{2, 0, 0}, {{0, 0, 0}, 1}}, NULL},
                                   {"top", 1, {{-2, 4, 0}, {{0, 0, 0}, 1}}, NULL}};
    shContext* context = openContext(1);
    Scene scene = makeScene(context, nodes, 2);
    RenderDef def = plainDef(0.0f, 0.0f);
    Picture picture = draw(context, &scene, &def, 0.0f);
    int redX = 0, redY = 0, reds = 0, greenX = 0, greenY = 0, greens = 0;
    for (int i = 0; i < SIDE * SIDE; ++i) {
        const uint8_t* p = picture.pixels + 3 * i;
        if (isRed(p))
            redX += i % SIDE, redY += i / SIDE, ++reds;
        if (isGreen(p))
            greenX += i % SIDE, greenY += i / SIDE, ++greens;
    }
    assert_true(reds > 100 && greens > 100);
    assert_true(redX / reds > greenX / greens + SIDE / 4);
    assert_true(redY / reds > greenY / greens + SIDE / 4);
    pictureFree(&picture);
    sceneFree(&scene);
    assert_int_equal(shDestroyContext(context), 0);
}

static void aBallShadesTheGroundAwayFromTheLight(void** state)
{
    (void)state;
    shContext* context = openContext(1);
    Scene scene = makeScene(context, &oneSphere, 1);
    RenderDef def = plainDef(25.0f, 30.0f);
    Picture without = draw(context, &scene, &def, 0.0f);
    def.hasGround = true;
    Picture with = draw(context, &scene, &def, 0.0f);
    int darkest = 255, left = 0, right = 0;
    for (int i = 0; i < SIDE * SIDE; ++i) {
        if (without.pixels[3 * i + 1] < 255)
            continue; // the ball
        int code = with.pixels[3 * i + 1];
        darkest = code < darkest ? code : darkest;
        if (code < 180)
            ++*(i % SIDE < SIDE / 2 ? &left : &right);
    }
    assert_true(darkest < 110);
    assert_true(right > 2 * left && right > 20); // the key light comes from the left
    assert_true(pixel(&with, 1, 1)[1] > 245);    // and the distance is bright
    pictureFree(&without);
    pictureFree(&with);
    sceneFree(&scene);
    assert_int_equal(shDestroyContext(context), 0);
}

static void glassLetsThroughSomeOfWhatIsBehind(void** state)
{
    (void)state;
    const shExportNode nodes[2] = {{"ball", 0, {{0, 0, -2.5f}, {{0, 0, 0}, 1}}, NULL},
                                   {"pane", 2, {{0, 0, 1}, {{0, 0, 0}, 1}}, NULL}};
    shContext* context = openContext(1);
    Scene scene = makeScene(context, nodes, 2);
    RenderDef def = plainDef(0.0f, 0.0f);
    Picture picture = draw(context, &scene, &def, 0.0f);
    const uint8_t* middle = pixel(&picture, SIDE / 2, SIDE / 2);
    const uint8_t* corner = pixel(&picture, SIDE / 5, SIDE / 5); // glass before the white background
    assert_true(middle[0] > middle[1] + 20);                     // reddish
    assert_true(middle[2] > 40);                                 // with the pane's own blue
    assert_true(corner[2] > corner[0] && corner[0] > middle[0]);
    pictureFree(&picture);
    sceneFree(&scene);
    assert_int_equal(shDestroyContext(context), 0);
}

static void aPieceIsSeenOnlyAfterItsBirth(void** state)
{
    (void)state;
    static const float times[2] = {0.0f, 2.0f};
    static const shTransform poses[2] = {{{0, 0, 0}, {{0, 0, 0}, 1}}, {{0, 0, 0}, {{0, 0, 0}, 1}}};
    static const shExportTrack early = {2, times, poses, 0.0f, 1.0f}, late = {2, times, poses, 1.0f, 0.0f};
    const shExportNode nodes[2] = {{"ball", 0, {{0, 0, 0}, {{0, 0, 0}, 1}}, &early},
                                   {"box", 1, {{0, 0, 0}, {{0, 0, 0}, 1}}, &late}};
    shContext* context = openContext(1);
    Scene scene = makeScene(context, nodes, 2);
    RenderDef def = plainDef(0.0f, 0.0f);
    Picture before = draw(context, &scene, &def, 0.5f), after = draw(context, &scene, &def, 1.5f);
    assert_true(isRed(pixel(&before, SIDE / 2, SIDE / 2)));
    assert_true(isGreen(pixel(&after, SIDE / 2, SIDE / 2)));
    pictureFree(&before);
    pictureFree(&after);
    sceneFree(&scene);
    assert_int_equal(shDestroyContext(context), 0);
}

static void threadsDoNotChangeThePicture(void** state)
{
    (void)state;
    const shExportNode nodes[3] = {oneSphere,
                                   {"box", 1, {{5, 4, 5}, {{0, 0.6f, 0}, 0.8f}}, NULL},
                                   {"pane", 2, {{4, 4, 8}, {{0, 0.6f, 0}, 0.8f}}, NULL}};
    Picture pictures[2];
    shContext* contexts[2];
    for (int i = 0; i < 2; ++i) {
        contexts[i] = openContext(1 + 3 * i);
        Scene scene = makeScene(contexts[i], nodes, 3);
        RenderDef def = plainDef(20.0f, 20.0f);
        def.hasGround = true;
        pictures[i] = draw(contexts[i], &scene, &def, 0.0f);
        sceneFree(&scene);
    }
    assert_memory_equal(pictures[0].pixels, pictures[1].pixels, 3 * SIDE * SIDE);
    for (int i = 0; i < 2; ++i) {
        pictureFree(&pictures[i]);
        assert_int_equal(shDestroyContext(contexts[i]), 0);
    }
}

static void nothingToSeeIsABackground(void** state)
{
    (void)state;
    shContext* context = openContext(1);
    Scene scene = makeScene(context, NULL, 0);
    RenderDef def = plainDef(0.0f, 20.0f);
    def.hasGround = true;
    Picture picture = draw(context, &scene, &def, 0.0f);
    for (int i = 0; i < 3 * SIDE * SIDE; ++i)
        assert_int_equal(picture.pixels[i], 255);
    pictureFree(&picture);
    sceneFree(&scene);
    assert_int_equal(shDestroyContext(context), 0);
}

static uint32_t big32(const uint8_t* p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

// A decoder of its own for the little of PNG we write; pixels must come back exactly.
static void pngFilesHoldThePixels(void** state)
{
    (void)state;
    enum { width = 37, height = 23, row = 3 * width };
    shContext* context = openContext(1);
    Picture picture;
    assert_int_equal(pictureCreate(&picture, context, width, height, NULL), shOk);
    // Rows that each of the five filters predicts best in turn.
    for (int i = 0; i < row * height; ++i) {
        int left = i % row >= 3 ? picture.pixels[i - 3] : 0, above = i >= row ? picture.pixels[i - row] : 0;
        int corner = i % row >= 3 && i >= row ? picture.pixels[i - row - 3] : 0, kind = i / row % 5;
        int noise = (int)((unsigned)i * 2654435761u >> 24);
        int values[5] = {noise % 9, (left + above) / 2 + noise % 3, left + noise % 3, above + noise % 3,
                         left + above - corner + noise % 3};
        picture.pixels[i] = (uint8_t)(kind == 0 && noise > 128 ? 255 - values[0] : values[kind]);
    }
    pictureText(&picture, "Ag~\xc3", 3, 5, 1, (const uint8_t[3]){255, 0, 0});
    char path[64] = "/tmp/sherd_png_XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    assert_int_equal(pictureWritePng(&picture, path, NULL), shOk);
    FileBlock file;
    assert_int_equal(fileOpen(&file, &context->memory, path, NULL), shOk);
    const uint8_t *bytes = file.bytes, *data = NULL;
    assert_memory_equal(bytes, "\x89PNG\r\n\x1a\n", 8);
    assert_int_equal(big32(bytes + 16), width);
    assert_int_equal(big32(bytes + 20), height);
    size_t dataSize = 0, at = 8;
    while (at < file.size) {
        size_t size = big32(bytes + at);
        assert_int_equal(big32(bytes + at + 8 + size), crc32(0, bytes + at + 4, (uInt)size + 4));
        if (memcmp(bytes + at + 4, "IDAT", 4) == 0)
            data = bytes + at + 8, dataSize = size;
        at += 12 + size;
    }
    assert_int_equal(at, file.size);
    uint8_t plain[(row + 1) * height], before[row] = {0};
    uLongf plainSize = sizeof(plain);
    assert_int_equal(uncompress(plain, &plainSize, data, dataSize), Z_OK);
    assert_int_equal(plainSize, sizeof(plain));
    unsigned used = 0;
    for (int y = 0; y < height; ++y) {
        const uint8_t* line = plain + y * (row + 1);
        uint8_t now[row];
        used |= 1u << line[0];
        for (int i = 0; i < row; ++i) {
            int a = i >= 3 ? now[i - 3] : 0, b = before[i], c = i >= 3 ? before[i - 3] : 0;
            int pa = abs(b - c), pb = abs(a - c), pc = abs(a + b - 2 * c);
            int guess = line[0] == 0           ? 0
                        : line[0] == 1         ? a
                        : line[0] == 2         ? b
                        : line[0] == 3         ? (a + b) / 2
                        : pa <= pb && pa <= pc ? a
                        : pb <= pc             ? b
                                               : c;
            now[i] = (uint8_t)(line[1 + i] + guess);
        }
        assert_memory_equal(now, picture.pixels + y * row, row);
        memcpy(before, now, row);
    }
    assert_int_equal(used, 31);
    fileClose(&file, &context->memory);
    remove(path);
    assert_int_equal(pictureWritePng(&picture, "/nowhere/x.png", NULL), shNoFile);
    pictureFree(&picture);
    assert_int_equal(shDestroyContext(context), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aSphereCoversTheAreaItShould),
        cmocka_unit_test(whatIsInFrontIsSeen),
        cmocka_unit_test(theRightAndTheTopAreWhereTheyBelong),
        cmocka_unit_test(aBallShadesTheGroundAwayFromTheLight),
        cmocka_unit_test(glassLetsThroughSomeOfWhatIsBehind),
        cmocka_unit_test(aPieceIsSeenOnlyAfterItsBirth),
        cmocka_unit_test(threadsDoNotChangeThePicture),
        cmocka_unit_test(nothingToSeeIsABackground),
        cmocka_unit_test(pngFilesHoldThePixels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
