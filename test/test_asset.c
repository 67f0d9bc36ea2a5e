// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "solid/asset.h"

#include "core/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static shContext* context;
static char folder[64];

static int setUp(void** state)
{
    (void)state;
    shContextDef def = shDefaultContextDef();
    snprintf(folder, sizeof(folder), "/tmp/sherd_test_XXXXXX");
    return mkdtemp(folder) != NULL && shCreateContext(&def, &context, NULL) == shOk ? 0 : 1;
}

static int tearDown(void** state)
{
    (void)state;
    bool clean = rmdir(folder) == 0; // no temporary file may be left
    return shDestroyContext(context) == 0 && clean ? 0 : 1;
}

static const char* inFolder(const char* name)
{
    static char path[128];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static shAsset* cookModel(const char* model)
{
    shCookDef def = shDefaultCookDef();
    def.gridCell = 0.04f; // quick
    shAsset* asset = NULL;
    shMessage message = {0};
    if (shCookModel(context, model, 0.5f, &def, &asset, &message) != shOk)
        fail_msg("%s", message.text);
    return asset;
}

static void sameBytes(const shAsset* a, const shAsset* b)
{
    size_t sizeA, sizeB;
    const void *bytesA = shAsset_GetImage(a, &sizeA), *bytesB = shAsset_GetImage(b, &sizeB);
    assert_int_equal(sizeA, sizeB);
    assert_memory_equal(bytesA, bytesB, sizeA);
    assert_int_equal(shAsset_GetInfo(a).contentHash, shAsset_GetInfo(b).contentHash);
}

static void everyModelSurvivesAFile(void** state)
{
    (void)state;
    for (int i = 0; i < shGetModelCount(); ++i) {
        shAsset *cooked = cookModel(shGetModel(i).name), *loaded = NULL;
        shMessage message = {0};
        const char* path = inFolder("model.sherd");
        assert_int_equal(shSaveAsset(cooked, path, &message), shOk);
        assert_int_equal(shLoadAsset(context, path, &loaded, &message), shOk);
        assert_int_equal(unlink(path), 0); // the mapping stays
        sameBytes(cooked, loaded);
        assert_string_equal(shAsset_GetInfo(loaded).name, shGetModel(i).name);
        shDestroyAsset(cooked);
        shDestroyAsset(loaded);
    }
    assert_null(shGetModel(shGetModelCount()).name);
}

static void anyMemoryWillDo(void** state)
{
    (void)state;
    shAsset *cooked = cookModel("brick"), *loaded = NULL;
    size_t size;
    const void* bytes = shAsset_GetImage(cooked, &size);
    uint8_t* odd = malloc(size + 1); // images are aligned, callers' buffers need not be
    memcpy(odd + 1, bytes, size);
    assert_int_equal(shLoadAssetFromMemory(context, odd + 1, size, NULL, &loaded, NULL), shOk);
    memset(odd, 0, size + 1);
    sameBytes(cooked, loaded);
    free(odd);
    shDestroyAsset(cooked);
    shDestroyAsset(loaded);
    shDestroyAsset(NULL);
}

static void threadsDoNotChangeBytes(void** state)
{
    (void)state;
    shContextDef def = shDefaultContextDef();
    def.workerCount = 3;
    shContext *serial = context, *threaded;
    assert_int_equal(shCreateContext(&def, &threaded, NULL), shOk);
    shAsset* a = cookModel("brick");
    context = threaded;
    shAsset* b = cookModel("brick");
    context = serial;
    sameBytes(a, b);
    shDestroyAsset(a);
    shDestroyAsset(b);
    assert_int_equal(shDestroyContext(threaded), 0);
}

static void savingReplacesWhatIsInUse(void** state)
{
    (void)state;
    const char* path = inFolder("a.sherd");
    shAsset *brick = cookModel("brick"), *box = cookModel("box"), *mapped = NULL, *after = NULL;
    assert_int_equal(shSaveAsset(brick, path, NULL), shOk);
    assert_int_equal(shLoadAsset(context, path, &mapped, NULL), shOk);
    assert_int_equal(shSaveAsset(box, path, NULL), shOk);
    sameBytes(mapped, brick);
    assert_int_equal(shLoadAsset(context, path, &after, NULL), shOk);
    sameBytes(after, box);
    unlink(path);
    shAsset* all[] = {brick, box, mapped, after};
    for (int i = 0; i < 4; ++i)
        shDestroyAsset(all[i]);
}

static void missingFilesAndFoldersAreNamed(void** state)
{
    (void)state;
    shAsset *brick = cookModel("brick"), *loaded = brick;
    shMessage message = {0};
    const char* path = inFolder("none/a.sherd");
    assert_int_equal(shLoadAsset(context, path, &loaded, &message), shNoFile);
    assert_null(loaded);
    assert_non_null(strstr(message.text, "none/a.sherd: cannot be opened: No such file"));
    assert_int_equal(shSaveAsset(brick, path, &message), shNoFile);
    assert_non_null(strstr(message.text, "none/a.sherd: cannot be written: No such file"));
    assert_int_equal(shLoadAsset(context, folder, &loaded, &message), shNoFile);
    assert_non_null(strstr(message.text, "not a regular file"));
    path = inFolder("taken");
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(shSaveAsset(brick, path, &message), shNoFile); // and leaves nothing: see tearDown
    rmdir(path);
    shDestroyAsset(brick);
}

// Arrays --------------------------------------------------------------------------------------------------------------

// The unit cube as six tetrahedra around its main diagonal, with its twelve triangles.
static const shVec3 cubeVertices[8] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0},
                                       {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
static const int cubeTets[6][4] = {{0, 1, 3, 7}, {0, 1, 5, 7}, {0, 2, 3, 7}, {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 4, 6, 7}};
static const int cubeTriangles[12][3] = {{0, 3, 1}, {0, 2, 3}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                         {2, 7, 3}, {2, 6, 7}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};

static shMeshDef cubeDef(void)
{
    return (shMeshDef){.vertexCount = 8, .vertices = cubeVertices, .tetCount = 6, .tets = cubeTets};
}

static void arraysBecomeAnAsset(void** state)
{
    (void)state;
    shMeshDef mesh = cubeDef();
    shCookDef def = shDefaultCookDef();
    def.name = "cube";
    shAsset* asset = NULL;
    shMessage message = {0};
    assert_int_equal(shCookAsset(context, &mesh, &def, &asset, &message), shOk);
    shAssetInfo info = shAsset_GetInfo(asset);
    assert_string_equal(info.name, "cube");
    assert_int_equal(info.pointCount, 8);
    assert_int_equal(info.surfacePointCount, 8);
    assert_int_equal(info.tetCount, 6);
    assert_int_equal(info.triangleCount, 12);
    assert_int_equal(info.surfaceCount, 1);
    assert_true(fabs(info.volume - 1.0) < 1e-12);
    assert_string_equal(info.material->name, "ceramic");
    assert_true(fabs(info.mass - 2400.0) < 1e-9);
    for (int i = 0; i < 3; ++i) {
        assert_true(fabs(info.centre[i] - 0.5) < 1e-12);
        for (int k = 0; k < 3; ++k)
            assert_true(fabs(info.inertia[i][k] - (i == k ? 400.0 : 0.0)) < 1e-9);
    }
    assert_true(info.box.lower.x == 0.0f && info.box.upper.z == 1.0f);
    assert_true(fabs(info.minDihedral - 45.0) < 1e-6 && fabs(info.maxDihedral - 90.0) < 1e-6);
    assert_true(info.gridCell == 1.0f / 6.0f && info.gridBytes > 0 && info.gridBytes < info.imageBytes);
    for (int i = 0; i < 48; ++i) { // straight through the middle
        Vec3 p = {0.5f, 0.5f, ((float)i + 0.5f) / 48.0f};
        float expected = -minF(minF(p.z, 1.0f - p.z), 0.5f);
        assert_true(fabsf(distanceGridSample(&asset->grid, p).distance - expected) <= info.gridCell);
    }
    assert_string_equal(shAsset_GetSurface(asset, -1).name, "inside");
    assert_string_equal(shAsset_GetSurface(asset, 0).name, "outside");
    shDestroyAsset(asset);
}

static void doublesAndFloatsGiveTheSame(void** state)
{
    (void)state;
    double precise[8][3];
    for (int i = 0; i < 8; ++i)
        memcpy(precise[i], (double[3]){(double)cubeVertices[i].x, (double)cubeVertices[i].y, (double)cubeVertices[i].z},
               sizeof(precise[i]));
    shMeshDef a = cubeDef(), b = a;
    b.vertices = NULL;
    b.preciseVertices = (const double(*)[3])precise;
    shCookDef def = shDefaultCookDef();
    shAsset *assetA = NULL, *assetB = NULL;
    assert_int_equal(shCookAsset(context, &a, &def, &assetA, NULL), shOk);
    assert_int_equal(shCookAsset(context, &b, &def, &assetB, NULL), shOk);
    sameBytes(assetA, assetB);
    shDestroyAsset(assetA);
    shDestroyAsset(assetB);
}

// A quarter of the thickness where there are triangles enough, as in a plate; a slab of 1 × 1 × 0.02 m with twelve gets
// a sixth of its length. Unless asked otherwise.
static void thinSolidsGetFineGrids(void** state)
{
    (void)state;
    shVec3 vertices[8];
    for (int i = 0; i < 8; ++i)
        vertices[i] = vec3(cubeVertices[i].x, cubeVertices[i].y, 0.02f * cubeVertices[i].z);
    shMeshDef mesh = cubeDef();
    mesh.vertices = vertices;
    shCookDef def = shDefaultCookDef();
    shAsset* asset = NULL;
    assert_int_equal(shCookModel(context, "plate", 0.5f, &def, &asset, NULL), shOk);
    assert_true(fabsf(shAsset_GetInfo(asset).gridCell / asset->record->thickness - 0.25f) < 1e-6f);
    assert_true(asset->gridIsFine);
    shDestroyAsset(asset);
    assert_int_equal(shCookAsset(context, &mesh, &def, &asset, NULL), shOk);
    assert_true(fabsf(asset->record->thickness - 0.02f) < 1e-6f && !asset->gridIsFine);
    assert_true(shAsset_GetInfo(asset).gridCell == 1.0f / 6.0f);
    shDestroyAsset(asset);
    def.gridCell = 0.05f;
    assert_int_equal(shCookAsset(context, &mesh, &def, &asset, NULL), shOk);
    assert_true(shAsset_GetInfo(asset).gridCell == 0.05f);
    shDestroyAsset(asset);
}

// UVs and normals that are linear in the position must arrive everywhere, slots by face.
static void surfaceAttributesTravelToTheBoundary(void** state)
{
    (void)state;
    float uvs[12][3][2];
    shVec3 normals[12][3];
    uint16_t slots[12];
    for (int i = 0; i < 12; ++i) {
        slots[i] = (uint16_t)(i / 2);
        for (int k = 0; k < 3; ++k) {
            shVec3 p = cubeVertices[cubeTriangles[i][k]];
            uvs[i][k][0] = p.x + 2.0f * p.y + (float)i / 2;
            uvs[i][k][1] = p.z - p.y;
            normals[i][k] = vSub(vScale(2.0f, p), vec3(1.0f, 1.0f, 1.0f)); // not unit: cooking does that
        }
    }
    shSurface surfaces[6];
    for (int i = 0; i < 6; ++i) {
        memset(&surfaces[i], 0xee, sizeof(surfaces[i]));
        snprintf(surfaces[i].name, sizeof(surfaces[i].name), "side %d", i);
        memcpy(surfaces[i].color, (float[4]){0.5f, 0.25f, 0.0f, 1.0f}, sizeof(surfaces[i].color));
        surfaces[i].metallic = 0.0f;
        surfaces[i].roughness = 1.0f;
    }
    shMeshDef mesh = cubeDef();
    mesh.triangleCount = 12;
    mesh.triangles = cubeTriangles;
    mesh.uvs = (const float(*)[3][2])uvs;
    mesh.normals = (const shVec3(*)[3])normals;
    mesh.slots = slots;
    mesh.surfaces = surfaces;
    mesh.surfaceCount = 6;
    shCookDef def = shDefaultCookDef();
    shAsset* asset = NULL;
    shMessage message = {0};
    assert_int_equal(shCookAsset(context, &mesh, &def, &asset, &message), shOk);
    assert_string_equal(shAsset_GetSurface(asset, 5).name, "side 5");
    for (int i = 0; i < asset->mesh.triangleCount; ++i) {
        const int* t = asset->mesh.triangles[i];
        Vec3 a = asset->mesh.nodes[t[0]], b = asset->mesh.nodes[t[1]], c = asset->mesh.nodes[t[2]];
        Vec3 flat = vCross(vSub(b, a), vSub(c, a));
        int axis = fabsf(flat.x) > 0.5f ? 0 : fabsf(flat.y) > 0.5f ? 1 : 2, slot = asset->mesh.groups[i];
        assert_int_equal(slot, 4 - 2 * axis + (vGet(flat, axis) > 0.0f));
        float base = asset->mesh.corners[i][0].uv[0] - a.x - 2.0f * a.y; // which of the two triangles of the side
        assert_true(fabsf(base - (float)slot) < 1e-5f || fabsf(base - (float)slot - 0.5f) < 1e-5f);
        for (int k = 0; k < 3; ++k) {
            Vec3 p = asset->mesh.nodes[t[k]];
            const Corner* corner = &asset->mesh.corners[i][k];
            assert_true(fabsf(corner->uv[0] - p.x - 2.0f * p.y - base) < 1e-5f);
            assert_true(fabsf(corner->uv[1] - p.z + p.y) < 1e-6f);
            Vec3 n = vNormalize(vSub(vScale(2.0f, p), vec3(1.0f, 1.0f, 1.0f)));
            assert_true(vDistance(n, corner->normal) < 1e-5f);
        }
    }
    shDestroyAsset(asset);
}

// Six open squares that only together look like a cube, some inside out: our mesher closes them.
static void surfacesAreFilled(void** state)
{
    (void)state;
    shVec3 vertices[36];
    int triangles[12][3];
    uint16_t slots[12];
    float uvs[12][3][2];
    for (int i = 0; i < 36; ++i) {
        vertices[i] = cubeVertices[cubeTriangles[i / 3][i % 3]]; // no vertex is shared
        triangles[i / 3][i % 3] = i;
        uvs[i / 3][i % 3][0] = vertices[i].x + vertices[i].y;
        uvs[i / 3][i % 3][1] = vertices[i].z;
        slots[i / 3] = (uint16_t)(i / 6);
    }
    shMeshDef mesh = {.vertexCount = 36,
                      .vertices = vertices,
                      .triangleCount = 12,
                      .triangles = (const int(*)[3])triangles,
                      .uvs = (const float(*)[3][2])uvs,
                      .slots = slots};
    shCookDef def = shDefaultCookDef();
    def.cell = 0.2f;
    def.gridCell = 0.1f;
    shAsset* asset = NULL;
    shMessage message = {0};
    if (shCookAsset(context, &mesh, &def, &asset, &message) != shOk)
        fail_msg("%s", message.text);
    shAssetInfo info = shAsset_GetInfo(asset);
    assert_true(fabs(info.volume - 1.0) < 0.01);
    assert_int_equal(info.surfaceCount, 6);
    for (int i = 0; i < asset->mesh.triangleCount; ++i)
        for (int k = 0; k < 3; ++k) {
            Vec3 p = asset->mesh.nodes[asset->mesh.triangles[i][k]];
            const float* uv = asset->mesh.corners[i][k].uv;
            assert_true(fabsf(uv[0] - p.x - p.y) < 0.05f && fabsf(uv[1] - p.z) < 0.05f);
        }
    shDestroyAsset(asset);
}

static void refusedCook(const shMeshDef* mesh, const shCookDef* def, shStatus status, const char* reason)
{
    shAsset* asset = NULL;
    shMessage message = {0};
    assert_int_equal(shCookAsset(context, mesh, def, &asset, &message), status);
    assert_null(asset);
    if (strstr(message.text, reason) == NULL)
        fail_msg("expected \"%s\", got \"%s\"", reason, message.text);
}

static void senselessDefinitionsAreRefused(void** state)
{
    (void)state;
    shCookDef def = shDefaultCookDef();
    shVec3 vertices[8];
    int tets[6][4], triangles[12][3];
    uint16_t slots[12] = {[3] = 7};
    memcpy(vertices, cubeVertices, sizeof(vertices));
    memcpy(tets, cubeTets, sizeof(tets));
    memcpy(triangles, cubeTriangles, sizeof(triangles));
    shMeshDef good = cubeDef(), mesh = good;
    good.vertices = vertices;
    good.tets = (const int(*)[4])tets;

    refusedCook(&good, &(shCookDef){0}, shInvalid, "shDefaultCookDef()");
    mesh = good, mesh.vertices = NULL;
    refusedCook(&mesh, &def, shInvalid, "vertices");
    mesh = good, mesh.vertexCount = 3;
    refusedCook(&mesh, &def, shInvalid, "or four of tetrahedra");
    mesh = good, mesh.tetCount = 0;
    refusedCook(&mesh, &def, shInvalid, "0 triangles and 0 tetrahedra");
    mesh = good, mesh.tetCount = -1;
    refusedCook(&mesh, &def, shInvalid, "-1 tetrahedra");
    mesh = good, mesh.tets = NULL;
    refusedCook(&mesh, &def, shInvalid, "arrays");
    mesh = good, mesh.tetCount = 1 << 30;
    refusedCook(&mesh, &def, shLimit, "more than");
    vertices[3].y = NAN;
    refusedCook(&good, &def, shBadMesh, "vertex 3 lies at (1, nan, 0)");
    vertices[3].y = 1e30f;
    refusedCook(&good, &def, shBadMesh, "vertex 3");
    vertices[3].y = 1.0f;
    tets[5][2] = 8;
    refusedCook(&good, &def, shBadMesh, "tetrahedron 5: node index 8 is out of range");
    tets[5][2] = 4;
    refusedCook(&good, &def, shBadMesh, "tetrahedron 5: node 4 is used twice");
    tets[5][2] = 6;
    vertices[7] = vertices[3];
    refusedCook(&good, &def, shBadMesh, "flat");
    vertices[7] = cubeVertices[7];
    mesh = good, mesh.triangleCount = 12, mesh.triangles = (const int(*)[3])triangles;
    triangles[11][1] = -1;
    refusedCook(&mesh, &def, shBadMesh, "triangle 11: vertex index -1");
    triangles[11][1] = 7;
    shSurface surface = {.name = "one", .roughness = 2.0f};
    mesh.surfaces = &surface, mesh.surfaceCount = 1;
    refusedCook(&mesh, &def, shInvalid, "between 0 and 1");
    surface.roughness = 1.0f;
    mesh.slots = slots;
    refusedCook(&mesh, &def, shInvalid, "slot 7 is used");
    def.name = "a name that is much longer than the sixty-three bytes there are for it";
    refusedCook(&good, &def, shInvalid, "name");
    def.name = "line\nbreak";
    refusedCook(&good, &def, shInvalid, "name");
    def.name = NULL;
    def.cell = -1.0f;
    refusedCook(&good, &def, shInvalid, "cell");
    def.cell = 0.0f;
    def.gridCell = NAN;
    refusedCook(&good, &def, shInvalid, "grid cell");
    def.gridCell = 1e-6f;
    refusedCook(&good, &def, shInvalid, "cell");
    def.gridCell = 0.0f;
    shMaterial material = *shMaterialPreset("ice");
    def.material = &material;
    material.density = -1.0f;
    refusedCook(&good, &def, shInvalid, "density");
    material.density = 1e9f;
    refusedCook(&good, &def, shInvalid, "density");
    material = *shMaterialPreset("ice");
    material.poisson = NAN;
    refusedCook(&good, &def, shInvalid, "poisson");
    shAsset* asset;
    shMessage message;
    def = shDefaultCookDef();
    assert_int_equal(shCookModel(context, "unicorn", 1.0f, &def, &asset, &message), shInvalid);
    assert_non_null(strstr(message.text, "unicorn"));
    assert_int_equal(shCookModel(context, "brick", NAN, &def, &asset, &message), shInvalid);
}

static void countStage(int stage, int stageCount, const char* what, void* user)
{
    int* next = user;
    assert_int_equal(stage, *next);
    assert_true(stage <= stageCount && what != NULL);
    *next = stage < stageCount ? stage + 1 : -1;
}

static void progressIsReported(void** state)
{
    (void)state;
    int next = 0;
    shCookDef def = shDefaultCookDef();
    def.progress = countStage;
    def.progressUser = &next;
    shMeshDef mesh = cubeDef();
    shAsset* asset = NULL;
    assert_int_equal(shCookAsset(context, &mesh, &def, &asset, NULL), shOk);
    assert_int_equal(next, -1);
    shDestroyAsset(asset);
}

// Memory --------------------------------------------------------------------------------------------------------------

typedef struct Scarce {
    int left; // allocations until there is no more
    int64_t live;
} Scarce;

static void* scarceAlloc(size_t bytes, void* user)
{
    Scarce* scarce = user;
    if (scarce->left-- <= 0)
        return NULL;
    ++scarce->live;
    return aligned_alloc(64, (bytes + 63) & ~(size_t)63);
}

static void scarceRelease(void* memory, size_t bytes, void* user)
{
    (void)bytes;
    --((Scarce*)user)->live;
    free(memory);
}

// Runs out at the first, second, third … allocation until all goes well.
static void runningOutOfMemoryIsAnOrdinaryError(void** state)
{
    (void)state;
    shMeshDef mesh = cubeDef();
    mesh.triangleCount = 12;
    mesh.triangles = cubeTriangles;
    shCookDef def = shDefaultCookDef();
    def.gridCell = 0.2f;
    const char* path = inFolder("scarce.sherd");
    int failures = 0;
    for (bool done = false; !done; ++failures) {
        Scarce scarce = {failures, 0};
        shContextDef contextDef = shDefaultContextDef();
        contextDef.allocator = (shAllocator){scarceAlloc, scarceRelease, &scarce};
        shContext* poor;
        shStatus status = shCreateContext(&contextDef, &poor, NULL);
        if (status == shOk) {
            shAsset *asset = NULL, *copy = NULL, *loaded = NULL;
            size_t size = 0;
            status = shCookAsset(poor, &mesh, &def, &asset, NULL);
            if (status == shOk)
                status =
                    shLoadAssetFromMemory(poor, shAsset_GetImage(asset, &size), asset->image.size, "a", &copy, NULL);
            if (status == shOk)
                status = shSaveAsset(copy, path, NULL);
            if (status == shOk)
                status = shLoadAsset(poor, path, &loaded, NULL);
            done = status == shOk;
            shDestroyAsset(asset);
            shDestroyAsset(copy);
            shDestroyAsset(loaded);
            assert_int_equal(shDestroyContext(poor), 0);
        }
        assert_int_equal(scarce.live, 0);
        if (!done)
            assert_int_equal(status, shOutOfMemory);
    }
    assert_true(failures > 20);
    unlink(path);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, setUp, tearDown)
    const struct CMUnitTest tests[] = {
        TEST(everyModelSurvivesAFile),
        TEST(anyMemoryWillDo),
        TEST(threadsDoNotChangeBytes),
        TEST(savingReplacesWhatIsInUse),
        TEST(missingFilesAndFoldersAreNamed),
        TEST(arraysBecomeAnAsset),
        TEST(doublesAndFloatsGiveTheSame),
        TEST(thinSolidsGetFineGrids),
        TEST(surfaceAttributesTravelToTheBoundary),
        TEST(surfacesAreFilled),
        TEST(senselessDefinitionsAreRefused),
        TEST(progressIsReported),
        TEST(runningOutOfMemoryIsAnOrdinaryError),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
