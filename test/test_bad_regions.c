// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Regions that make no sense, files that are cut or damaged, memory that runs out: refused with a reason, and nothing
// is lost. And the good ones: the same bytes everywhere.
#include "fracture/pattern.h"
#include "solid/solid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "test/drawing.h"
#include "test/failing_allocator.h"

// Checksums of patterns; the same for every compiler, build and number of workers.
static const uint64_t goldenTiles = 0x188640148800c20f, goldenSaved = 0x02959328aedfbc5b;

static shContext* context;

static int setUp(void** state)
{
    (void)state;
    shContextDef def = shDefaultContextDef();
    return shCreateContext(&def, &context, NULL) == shOk ? 0 : 1;
}

static int tearDown(void** state)
{
    (void)state;
    return shDestroyContext(context) == 0 ? 0 : 1;
}

static shStatus tryDrawing(const Drawing* drawing, int cells, shRegions** regions, shMessage* message)
{
    shRegionMesh mesh = meshOf(drawing);
    shRegionsDef def = shDefaultRegionsDef();
    def.cells = cells;
    return shCreateRegions(context, &mesh, &def, regions, message);
}

static void refused(const Drawing* drawing, shStatus expected, const char* reason)
{
    shRegions* regions = (shRegions*)(uintptr_t)1;
    shMessage message = {""};
    shStatus status = tryDrawing(drawing, 16, &regions, &message);
    if (status != expected || strstr(message.text, reason) == NULL)
        fail_msg("expected \"%s\", got %s: \"%s\"", reason, shStatusText(status), message.text);
    assert_null(regions);
}

static void bad_drawings_are_refused_by_region_and_reason(void** unused)
{
    (void)unused;
    Drawing* good = drawTiles(6, 1);
    Drawing* bad = malloc(sizeof(Drawing));
#define REFUSED(change, status, reason)                                                                                \
    do {                                                                                                               \
        *bad = *good;                                                                                                  \
        change;                                                                                                        \
        refused(bad, status, reason);                                                                                  \
    } while (0)
    REFUSED(bad->regions[5] = 1, shBadMesh, "region 0 is not closed");
    REFUSED(bad->corners[20][1].x += 0.01f, shBadMesh, "region 1 is not closed: the edge from");
    REFUSED((bad->triangles[30][0] = 91, bad->triangles[30][1] = 90), shBadMesh, "region 2 is not closed");
    REFUSED(bad->regionCount = 7, shBadMesh, "region 6 has no triangles");
    REFUSED((bad->regionCount = 7, addBox(bad, (shBox){{-0.5f, -0.5f, -0.5f}, {0.5f, 0.5f, 0.5f}}, 6)), shBadMesh,
            "overlap");
    REFUSED((bad->regionCount = 7,
             addTriangle(bad, vec3(0.0f, 0.0f, 0.0f), vec3(0.0f, 0.0f, 0.0f), vec3(1.0f, 0.0f, 0.0f), 6)),
            shBadMesh, "region 6 has no triangle with an area");
    REFUSED(bad->corners[7][2].z = NAN, shInvalid, "vertex 23 is not finite");
    REFUSED(bad->corners[7][2].z = 1e20f, shInvalid, "vertex 23");
    REFUSED(bad->triangles[9][1] = 1 << 20, shInvalid, "triangle 9: there is no vertex");
    REFUSED(bad->triangles[9][1] = -1, shInvalid, "triangle 9: there is no vertex");
    REFUSED(bad->regions[9] = 6, shInvalid, "triangle 9 is of region 6");
    REFUSED(bad->regionCount = 0, shInvalid, "there are 0");
    REFUSED(bad->regionCount = SH_MAX_REGIONS + 1, shInvalid, "there are 4097");
    REFUSED(bad->triangleCount = 0, shInvalid, "no triangles");
#undef REFUSED
    *bad = (Drawing){.regionCount = 3};
    addBox(bad, (shBox){{-1.0f, -1.0f, -1.0f}, {1.0f, 1.0f, 0.05f}}, 0);
    addBox(bad, (shBox){{-1.0f, -1.0f, 0.05f}, {1.0f, 1.0f, 0.051f}}, 1);
    addBox(bad, (shBox){{-1.0f, -1.0f, 0.051f}, {1.0f, 1.0f, 1.0f}}, 2);
    refused(bad, shBadMesh, "region 1 is too thin for the grid, whose cells are 0.125 wide");
    static const char* const names[] = {"a", "b", "the lid", "d", "e", "f"};
    *bad = *good;
    bad->regions[30] = 0;
    shRegionMesh mesh = meshOf(bad);
    mesh.names = names;
    shRegionsDef def = shDefaultRegionsDef();
    shRegions* regions;
    shMessage message = {""};
    assert_int_equal(shCreateRegions(context, &mesh, &def, &regions, &message), shBadMesh);
    assert_non_null(strstr(message.text, "region 0 'a' is not closed"));

    // Boxes that overlap by less than half a cell are drawn by hand.
    *bad = *good;
    for (int t = 0; t < 12; ++t)
        for (int k = 0; k < 3; ++k)
            bad->corners[t][k] = vScale(1.02f, bad->corners[t][k]);
    assert_int_equal(tryDrawing(bad, 16, &regions, &message), shOk);
    shDestroyRegions(regions);

    mesh = meshOf(good);
    assert_int_equal(shCreateRegions(context, &mesh, NULL, &regions, &message), shInvalid);
    def.cells = 3;
    assert_int_equal(shCreateRegions(context, &mesh, &def, &regions, &message), shInvalid);
    def.cells = 16;
    def.direction = vec3(0.0f, 0.0f, 0.0f);
    assert_int_equal(shCreateRegions(context, &mesh, &def, &regions, &message), shInvalid);
    def.direction.x = NAN;
    assert_int_equal(shCreateRegions(context, &mesh, &def, &regions, &message), shInvalid);
    def = shDefaultRegionsDef();
    def.center.y = INFINITY;
    assert_int_equal(shCreateRegions(context, &mesh, &def, &regions, &message), shInvalid);
    assert_int_equal(shCreateRegions(context, NULL, &def, &regions, &message), shInvalid);
    assert_int_equal(shCreateRegions(NULL, &mesh, &def, &regions, &message), shInvalid);
    free(good);
    free(bad);
}

static shAsset* cookCube(float detail)
{
    shCookDef cook = shDefaultCookDef();
    shAsset* asset;
    assert_int_equal(shCookModel(context, "box", detail, &cook, &asset, NULL), shOk);
    return asset;
}

static void patterns_without_regions_and_bad_impacts_are_refused(void** unused)
{
    (void)unused;
    shAsset* asset = cookCube(0.5f);
    shSolid* solid;
    shRegions* regions;
    assert_int_equal(shCreateSolid(asset, &solid, NULL), shOk);
    shPattern pattern = shDefaultPattern(shRegionPattern);
    shImpact impact = shDefaultImpact(vec3(0.0f, 0.2f, 0.0f));
    shMessage message = {""};
    assert_int_equal(shSolid_BreakPattern(solid, 0, &pattern, &impact, NULL, &message), shInvalid);
    assert_non_null(strstr(message.text, "regions"));
    impact.point.y = NAN;
    assert_int_equal(shCreateRegionsFromSolid(solid, &impact, 0, &regions, &message), shInvalid);
    assert_null(regions);
    impact.point.y = 0.2f;
    assert_int_equal(shCreateRegionsFromSolid(solid, &impact, 1, &regions, &message), shInvalid);
    assert_int_equal(shCreateRegionsFromSolid(NULL, &impact, 0, &regions, &message), shInvalid);
    // A solid that is whole is one region, and nothing breaks.
    assert_int_equal(shCreateRegionsFromSolid(solid, &impact, 8, &regions, &message), shOk);
    pattern.regions = regions;
    assert_int_equal(shSolid_BreakPattern(solid, 0, &pattern, &impact, NULL, &message), shOk);
    assert_int_equal(shSolid_GetPieceCount(solid), 1);
    impact.scale = 0.0f;
    assert_int_equal(shSolid_BreakPattern(solid, 0, &pattern, &impact, NULL, &message), shInvalid);
    assert_non_null(strstr(message.text, "scale"));
    shDestroyRegions(regions);
    shDestroySolid(solid);
    shDestroyAsset(asset);
}

// ---- files ----------------------------------------------------------------------------------------------------------

static shStatus loadBytes(const uint8_t* bytes, size_t size, shMessage* message)
{
    shRegions* regions;
    message->text[0] = 0;
    shStatus status = shLoadRegionsFromMemory(context, bytes, size, "bad.shp", &regions, message);
    assert_true((status == shOk) == (regions != NULL));
    if (regions != NULL) { // accepted: then it can be used
        shRegionsInfo info = shRegions_GetInfo(regions);
        Random random = randomSeed(1);
        for (int i = 0; i < 20; ++i) {
            Vec3 p = vAdd(info.lower, randomInBox(&random, (shBox){{-1.0f, -1.0f, -1.0f}, {3.0f, 3.0f, 3.0f}}));
            int region = shRegions_Find(regions, p);
            assert_true(region >= 0 && region < info.regionCount);
            assert_true(fabsf(shRegions_GetLevel(regions, region, p)) <= 1.001f * info.band);
        }
        assert_true(shRegions_Find(regions, vec3(NAN, INFINITY, -INFINITY)) >= 0);
    }
    shDestroyRegions(regions);
    return status;
}

static void damaged_files_are_refused_with_byte_and_reason(void** unused)
{
    (void)unused;
    Drawing* drawing = drawTiles(7, 4);
    shRegions* regions;
    shMessage message;
    assert_int_equal(tryDrawing(drawing, 10, &regions, &message), shOk);
    size_t size = regions->image.size;
    uint8_t* bytes = malloc(size);
    Random random = randomSeed(77);
    for (size_t cut = 0; cut < size; cut += 1 + cut / 8) {
        memcpy(bytes, regions->image.bytes, size);
        assert_int_equal(loadBytes(bytes, cut, &message), shBadFile);
        assert_non_null(strstr(message.text, "bad.shp: byte "));
    }
    int refusals = 0, rounds = 3000;
    for (int i = 0; i < rounds; ++i) { // one change, without and with the checksum put right
        memcpy(bytes, regions->image.bytes, size);
        size_t at = i < 600 ? (size_t)i % 256 : (size_t)randomBelow(&random, (int)size);
        uint8_t old = bytes[at];
        bytes[at] = (uint8_t)randomBelow(&random, 256);
        if (bytes[at] == old)
            continue;
        assert_int_equal(loadBytes(bytes, size, &message), shBadFile);
        uint64_t sum = imageChecksum(bytes, size);
        memcpy(bytes + offsetof(ImageHeader, checksum), &sum, sizeof sum);
        shStatus status = loadBytes(bytes, size, &message);
        assert_true(status == shOk || status == shBadFile);
        refusals += status == shBadFile;
        if (status == shBadFile)
            assert_non_null(strstr(message.text, "bad.shp: byte "));
    }
    assert_true(refusals > rounds / 3);

    // Numbers that are right as bytes and wrong in meaning.
    struct {
        size_t offset;
        int32_t value;
        const char* reason;
    } lies[] = {
        {offsetof(RegionRecord, regionCount), 0, "0 regions"},
        {offsetof(RegionRecord, regionCount), 3, "region "},
        {offsetof(RegionRecord, samples), 1 << 30, "samples along an axis"},
        {offsetof(RegionRecord, samples), 5, "starts for"},
        {offsetof(RegionRecord, cell), 0, "cell"},
        {offsetof(RegionRecord, cell), 0x7fc00000, "cell"},
        {offsetof(RegionRecord, reach), 0, "reach"},
        {offsetof(RegionRecord, direction) + 4, 0, "direction"},
        {offsetof(RegionRecord, lower), 0x7f800000, "place"},
    };
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; ++i) {
        memcpy(bytes, regions->image.bytes, size);
        size_t record = (size_t)((const uint8_t*)regions->record - regions->image.bytes);
        memcpy(bytes + record + lies[i].offset, &lies[i].value, 4);
        uint64_t sum = imageChecksum(bytes, size);
        memcpy(bytes + offsetof(ImageHeader, checksum), &sum, sizeof sum);
        assert_int_equal(loadBytes(bytes, size, &message), shBadFile);
        if (strstr(message.text, lies[i].reason) == NULL)
            fail_msg("expected \"%s\", got \"%s\"", lies[i].reason, message.text);
    }

    // An asset is no pattern, a pattern no asset.
    shAsset *asset = cookCube(0.5f), *other;
    size_t assetSize;
    const void* image = shAsset_GetImage(asset, &assetSize);
    assert_int_equal(loadBytes(image, assetSize, &message), shBadFile);
    assert_non_null(strstr(message.text, "no chunk 'RGIN'"));
    assert_int_equal(shLoadAssetFromMemory(context, regions->image.bytes, size, "x", &other, &message), shBadFile);
    shRegions* none;
    assert_int_equal(shLoadRegions(context, "no/such/file.shp", &none, &message), shNoFile);
    assert_int_equal(loadBytes(NULL, 0, &message), shBadFile);
    shDestroyAsset(asset);
    shDestroyRegions(regions);
    free(bytes);
    free(drawing);
}

// ---- memory and bits ------------------------------------------------------------------------------------------------

typedef struct Job {
    const Drawing* drawing;
    shSolid* solid;           // broken, or null
    const shRegions* regions; // to break by, or null
    const uint8_t* bytes;     // to load, or null
    size_t size;
} Job;

static shStatus work(const Job* job)
{
    shRegions* regions = NULL;
    shStatus status;
    shImpact impact = shDefaultImpact(vec3(0.0f, 0.5f, 0.0f));
    if (job->bytes != NULL) {
        status = shLoadRegionsFromMemory(context, job->bytes, job->size, "x", &regions, NULL);
    } else if (job->regions != NULL) {
        shPattern pattern = shDefaultPattern(shRegionPattern);
        pattern.regions = job->regions;
        impact.radius = 0.3f;
        return shSolid_BreakPattern(job->solid, 0, &pattern, &impact, NULL, NULL);
    } else if (job->solid != NULL) {
        status = shCreateRegionsFromSolid(job->solid, &impact, 8, &regions, NULL);
    } else {
        status = tryDrawing(job->drawing, 8, &regions, NULL);
    }
    assert_true((status == shOk) == (regions != NULL));
    shDestroyRegions(regions);
    return status;
}

static void failEverywhere(TestAllocator* allocator, const Job* job)
{
    bool failed = true;
    for (int n = 1; failed; ++n) {
        long long before = atomic_load(&allocator->bytes);
        atomic_store(&allocator->calls, 0);
        allocator->failAt = n;
        shStatus status = work(job);
        failed = atomic_load(&allocator->calls) >= n;
        allocator->failAt = 0;
        assert_int_equal(status, failed ? shOutOfMemory : shOk);
        if (failed && (job->regions == NULL || shSolid_GetBytes(job->solid) == 0))
            assert_true(atomic_load(&allocator->bytes) == before);
    }
}

static void memory_that_runs_out_loses_nothing(void** unused)
{
    (void)unused;
    TestAllocator allocator = {0};
    shContextDef def = shDefaultContextDef();
    shContext* shared = context;
    def.allocator = testAllocatorHooks(&allocator);
    assert_int_equal(shCreateContext(&def, &context, NULL), shOk);
    Drawing* drawing = drawTiles(5, 4);
    failEverywhere(&allocator, &(Job){.drawing = drawing});
    shRegions* regions;
    assert_int_equal(tryDrawing(drawing, 8, &regions, NULL), shOk);
    failEverywhere(&allocator, &(Job){.bytes = regions->image.bytes, .size = regions->image.size});
    shAsset* asset = cookCube(0.5f);
    shSolid* solid;
    assert_int_equal(shCreateSolid(asset, &solid, NULL), shOk);
    failEverywhere(&allocator, &(Job){.solid = solid, .regions = regions});
    assert_true(shSolid_GetPieceCount(solid) > 1);
    failEverywhere(&allocator, &(Job){.solid = solid});
    shDestroySolid(solid);
    shDestroyAsset(asset);
    shDestroyRegions(regions);
    free(drawing);
    assert_int_equal(shDestroyContext(context), 0);
    assert_int_equal(atomic_load(&allocator.wrongSizes), 0);
    context = shared;
}

static uint64_t checksumOf(const shRegions* regions)
{
    ImageHeader header;
    memcpy(&header, regions->image.bytes, sizeof header);
    return header.checksum;
}

static void patterns_are_the_same_bytes_on_any_number_of_workers(void** unused)
{
    (void)unused;
    shContext* shared = context;
    for (int workers = 1; workers <= 3; workers += 2) {
        shContextDef def = shDefaultContextDef();
        def.workerCount = workers;
        assert_int_equal(shCreateContext(&def, &context, NULL), shOk);
        Drawing* drawing = drawTiles(11, 6);
        rotate(drawing, (shQuat){{0.0f, 0.6f, 0.0f}, 0.8f});
        shRegions *tiles, *saved;
        assert_int_equal(tryDrawing(drawing, 20, &tiles, NULL), shOk);
        shAsset* asset = cookCube(1.0f);
        shSolid* solid;
        shPattern pattern = shDefaultPattern(shClusteredPattern);
        shImpact impact = shDefaultImpact(vec3(0.1f, 0.5f, 0.0f));
        assert_int_equal(shCreateSolid(asset, &solid, NULL), shOk);
        assert_int_equal(shSolid_BreakPattern(solid, 0, &pattern, &impact, NULL, NULL), shOk);
        pattern = shDefaultPattern(shRegionPattern);
        pattern.regions = tiles;
        pattern.seed = 4;
        assert_int_equal(shSolid_BreakPattern(solid, 0, &pattern, &impact, NULL, NULL), shOk);
        assert_int_equal(shCreateRegionsFromSolid(solid, &impact, 20, &saved, NULL), shOk);
        printf("  0x%016llx, 0x%016llx\n", (unsigned long long)checksumOf(tiles),
               (unsigned long long)checksumOf(saved));
        assert_true(checksumOf(tiles) == goldenTiles);
        assert_true(checksumOf(saved) == goldenSaved);
        shDestroyRegions(saved);
        shDestroyRegions(tiles);
        shDestroySolid(solid);
        shDestroyAsset(asset);
        free(drawing);
        assert_int_equal(shDestroyContext(context), 0);
    }
    context = shared;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_drawings_are_refused_by_region_and_reason),
        cmocka_unit_test(patterns_without_regions_and_bad_impacts_are_refused),
        cmocka_unit_test(damaged_files_are_refused_with_byte_and_reason),
        cmocka_unit_test(memory_that_runs_out_loses_nothing),
        cmocka_unit_test(patterns_are_the_same_bytes_on_any_number_of_workers),
    };
    return cmocka_run_group_tests(tests, setUp, tearDown);
}
