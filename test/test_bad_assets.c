// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Damaged and hostile asset files. Each must be refused with the file, the place and the reason; the sanitizer builds
// watch that none is believed too early. "Sealed" means that the checksum was made to fit, as somebody hostile would.
#include "solid/asset.h"

#include "core/random.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static shContext* context;
static char path[64];
static uint8_t *good, *bytes; // the image as cooked, and the copy that gets damaged
static size_t size;
static int refusals;

static int setUp(void** state)
{
    (void)state;
    shContextDef def = shDefaultContextDef();
    shCookDef cookDef = shDefaultCookDef();
    cookDef.gridCell = 0.08f; // a small file: most of the damage hits something
    shAsset* asset = NULL;
    snprintf(path, sizeof(path), "/tmp/sherd_test_XXXXXX");
    int file = mkstemp(path);
    if (file < 0 || close(file) != 0 || shCreateContext(&def, &context, NULL) != shOk ||
        shCookModel(context, "box", 0.5f, &cookDef, &asset, NULL) != shOk)
        return 1;
    const void* image = shAsset_GetImage(asset, &size);
    good = aligned_alloc(64, size);
    bytes = aligned_alloc(64, size);
    memcpy(good, image, size);
    memcpy(bytes, image, size);
    shDestroyAsset(asset);
    return 0;
}

static int tearDown(void** state)
{
    (void)state;
    free(good);
    free(bytes);
    unlink(path);
    return shDestroyContext(context) == 0 ? 0 : 1;
}

static void seal(void* image, size_t length) { ((ImageHeader*)image)->checksum = imageChecksum(image, length); }

// Writes the file, expects it to be refused at a byte for a reason, and restores the good bytes. Place −1: anywhere.
static void refusedFile(const void* content, size_t length, int64_t place, const char* reason)
{
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(content, 1, length, file), length);
    fclose(file);
    shAsset* asset = NULL;
    shMessage message = {0};
    shStatus status = shLoadAsset(context, path, &asset, &message);
    if (status != shBadFile)
        fail_msg("status %d instead of a refusal at byte %lld (%s): %s", status, (long long)place, reason,
                 message.text);
    assert_null(asset);
    char start[128];
    snprintf(start, sizeof(start), place < 0 ? "%s: byte " : "%s: byte %lld: ", path, (long long)place);
    bool advice = strstr(message.text, "; make it again") != NULL || strstr(message.text, "`sherd cook`") != NULL;
    if (strncmp(message.text, start, strlen(start)) != 0 || strstr(message.text, reason) == NULL || !advice)
        fail_msg("expected \"%s… %s\", got \"%s\"", start, reason, message.text);
    ++refusals;
    memcpy(bytes, good, size);
}

static void refused(int64_t place, const char* reason) { refusedFile(bytes, size, place, reason); }

static void refusedSealed(int64_t place, const char* reason)
{
    seal(bytes, size);
    refused(place, reason);
}

static ImageChunk* chunkOf(const char* tag)
{
    Image image = {bytes, size, path};
    return (ImageChunk*)(uintptr_t)imageFind(&image, tag);
}

// Element `index` of a chunk, to be written; `place` becomes its byte.
static void* element(const char* tag, int index, int64_t* place)
{
    const ImageChunk* chunk = chunkOf(tag);
    *place = (int64_t)(chunk->offset + (uint64_t)index * chunk->elementSize);
    return bytes + *place;
}

static int countOf(const char* tag) { return (int)chunkOf(tag)->count; }

// Container -----------------------------------------------------------------------------------------------------------

static void truncatedFilesAreRefused(void** state)
{
    (void)state;
    for (int i = 0; i < 40; ++i) {
        size_t length = size * (size_t)i / 40;
        if (length < sizeof(ImageHeader))
            refusedFile(bytes, length, (int64_t)length, "ends inside its header");
        else
            refusedFile(bytes, length, 16, "it is cut off");
    }
    for (size_t length = 1; length < 40; length += 2)
        refusedFile(bytes, length, -1, "");
    // Cut off, and the header knows.
    for (int i = 1; i < 20; ++i) {
        size_t length = size * (size_t)i / 20;
        ((ImageHeader*)bytes)->size = length;
        seal(bytes, length);
        refusedFile(bytes, length, -1, length > 512 ? "past the end" : "");
    }
    uint8_t* longer = calloc(1, size + 64);
    memcpy(longer, good, size);
    refusedFile(longer, size + 64, 16, "something was added");
    ((ImageHeader*)longer)->size = size + 64;
    seal(longer, size + 64);
    refusedFile(longer, size + 64, -1, "but the file has");
    free(longer);
}

static void flippedBytesAreRefused(void** state)
{
    (void)state;
    Random random = randomSeed(1);
    for (int i = 0; i < 80; ++i) {
        size_t place = i < 32 ? (size_t)i : (size_t)randomBelow(&random, (int)size);
        bytes[place] ^= (uint8_t)(1 + randomBelow(&random, 255));
        refused(place < 8 ? 0 : place < 12 ? 8 : place < 16 ? -1 : place < 24 ? 16 : 24, "");
    }
}

static void otherFilesAreRefused(void** state)
{
    (void)state;
    const char text[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n# an .obj, not an asset\n";
    refusedFile(text, sizeof(text), 0, "not a Sherd file");
    refusedFile("", 0, 0, "ends inside its header");
    uint8_t zeros[4096] = {0};
    refusedFile(zeros, sizeof(zeros), 0, "not a Sherd file");
    for (uint32_t version = 0; version < 4; ++version)
        if (version != ASSET_VERSION) {
            ((ImageHeader*)bytes)->version = version;
            refusedSealed(8, "format version");
        }
    ((ImageHeader*)bytes)->version = UINT32_MAX;
    refusedSealed(8, "format version 4294967295; this program reads version 2");
}

// Every field of every entry of the chunk table, with values somebody might try.
static void damagedTablesAreRefused(void** state)
{
    (void)state;
    uint32_t count = ((const ImageHeader*)good)->chunkCount;
    for (uint32_t i = 0; i < count; ++i) {
        ImageChunk* chunk = (ImageChunk*)(bytes + sizeof(ImageHeader)) + i;
        int64_t at = (int64_t)(sizeof(ImageHeader) + i * sizeof(ImageChunk));
        chunk->count = UINT64_MAX;
        refusedSealed(at + 8, "past the end");
        chunk->count = (uint64_t)1 << 40;
        refusedSealed(at + 8, "past the end");
        chunk->count += 1000;
        refusedSealed(-1, "");
        chunk->count = 0;
        refusedSealed(-1, "");
        chunk->elementSize = 0;
        refusedSealed(at + 4, "0 bytes");
        chunk->elementSize += 4;
        refusedSealed(-1, "");
        chunk->elementSize = UINT32_MAX;
        refusedSealed(-1, "");
        chunk->offset = 0;
        refusedSealed(at + 16, "overlaps");
        chunk->offset += 4;
        refusedSealed(at + 16, "64 does not divide");
        chunk->offset += 64;
        refusedSealed(at + 16, "leaves a gap");
        chunk->offset = UINT64_MAX & ~(uint64_t)63;
        refusedSealed(at + 16, "leaves a gap");
        memcpy(chunk->tag, "EVIL", 4);
        refusedSealed(-1, "there is no chunk");
        if (i > 0) {
            memcpy(chunk->tag, chunk[-1].tag, 4);
            refusedSealed(at, "is there twice");
        }
    }
}

// A new image from the good one's chunks. `skip` leaves a chunk out, `shorten` takes one element off, `double` repeats
// the first element at the end; each may be null.
static void rebuilt(const char* skip, const char* shorten, const char* lengthen, const char* reason)
{
    const ImageHeader* header = (const ImageHeader*)good;
    const ImageChunk* table = (const ImageChunk*)(good + sizeof(ImageHeader));
    ImageBuilder builder = {0};
    void* longer = NULL;
    for (uint32_t i = 0; i < header->chunkCount; ++i) {
        char tag[5] = {0};
        memcpy(tag, table[i].tag, 4);
        const void* data = good + table[i].offset;
        size_t count = (size_t)table[i].count, elementSize = table[i].elementSize;
        if (skip != NULL && strcmp(tag, skip) == 0)
            continue;
        if (shorten != NULL && strcmp(tag, shorten) == 0)
            --count;
        if (lengthen != NULL && strcmp(tag, lengthen) == 0) {
            longer = malloc((count + 1) * elementSize);
            memcpy(longer, data, count * elementSize);
            memcpy((char*)longer + count * elementSize, data, elementSize);
            data = longer;
            ++count;
        }
        imageAdd(&builder, tag, elementSize, count, data);
    }
    if (skip != NULL && strcmp(skip, "none") == 0)
        imageAdd(&builder, "MORE", 4, 1, "abc");
    size_t length;
    uint8_t* image = imageBuild(&builder, ASSET_VERSION, &context->memory, &length);
    refusedFile(image, length, -1, reason);
    memFree(&context->memory, image, length);
    free(longer);
}

static void missingShortAndLongChunksAreRefused(void** state)
{
    (void)state;
    const ImageHeader* header = (const ImageHeader*)good;
    const ImageChunk* table = (const ImageChunk*)(good + sizeof(ImageHeader));
    for (uint32_t i = 0; i < header->chunkCount; ++i) {
        char tag[5] = {0};
        memcpy(tag, table[i].tag, 4);
        rebuilt(tag, NULL, NULL, "there is no chunk");
        rebuilt(NULL, tag, NULL, "");
        if (strcmp(tag, "SURF") != 0) // one more surface than slots is fine
            rebuilt(NULL, NULL, tag, "");
    }
    rebuilt("none", NULL, NULL, "of which this program knows");
}

// Content -------------------------------------------------------------------------------------------------------------

static void badNodesAreRefused(void** state)
{
    (void)state;
    static const float values[] = {NAN, INFINITY, -INFINITY, 1e30f, -2e5f};
    int64_t place;
    for (int i = 0; i < 15; ++i) {
        float* p = element("NODE", i * (countOf("NODE") - 1) / 14, &place);
        p[i % 3] = values[i / 3];
        refusedSealed(place, "lies at (");
    }
    // On top of another node: some tetrahedron or the surface collapses.
    for (int i = 0; i < 10; ++i) {
        Vec3* nodes = element("NODE", 0, &place);
        nodes[i] = nodes[i + 1];
        refusedSealed(-1, "is not positive");
    }
    memset(element("NODE", 0, &place), 0, (size_t)countOf("NODE") * sizeof(Vec3));
    refusedSealed(-1, "is not positive");
}

static void badTetsAreRefused(void** state)
{
    (void)state;
    static const int values[] = {-1, INT_MIN, INT_MAX, 1 << 24};
    int64_t place;
    int n = countOf("TETS");
    for (int i = 0; i < 12; ++i) {
        int* tet = element("TETS", i * (n - 1) / 11, &place);
        tet[i % 4] = i < 8 ? values[i % 4] : countOf("NODE");
        refusedSealed(place + 4 * (i % 4), "is out of range");
        tet = element("TETS", i * (n - 1) / 11, &place);
        int keep = tet[0];
        tet[0] = tet[1];
        tet[1] = keep;
        refusedSealed(-1, "is not positive");
        tet[i % 3] = tet[3];
        refusedSealed(-1, "used twice");
        memcpy(tet, element("TETS", (i * (n - 1) / 11 + 1) % n, &place), 4 * sizeof(int)); // one twice, one missing
        refusedSealed(-1, "");
    }
}

static void badTrianglesAreRefused(void** state)
{
    (void)state;
    static const int values[] = {-1, INT_MIN, INT_MAX, 1 << 24};
    int64_t place;
    int n = countOf("TRIS");
    for (int i = 0; i < 8; ++i) {
        int* triangle = element("TRIS", i * (n - 1) / 7, &place);
        triangle[i % 3] = values[i % 4];
        refusedSealed(place + 4 * (i % 3), "is out of range");
        triangle = element("TRIS", i * (n - 1) / 7, &place);
        int keep = triangle[0];
        triangle[0] = triangle[1];
        triangle[1] = keep;
        refusedSealed(-1, "inwards");
        triangle[0] = triangle[1];
        refusedSealed(-1, "");
        memcpy(triangle, element("TRIS", (i * (n - 1) / 7 + 1) % n, &place), 3 * sizeof(int));
        refusedSealed(-1, "twice");
        Corner* corners = element("CORN", i * (n - 1) / 7, &place);
        corners[i % 3].uv[i % 2] = i < 4 ? NAN : INFINITY;
        refusedSealed(place + 20 * (i % 3), "UV of corner");
        corners[i % 3].normal = i == 0   ? vec3(0.0f, 0.0f, 0.0f)
                                : i == 1 ? vec3(NAN, 0.0f, 1.0f)
                                : i == 2 ? vec3(1e30f, 1e30f, 0.0f)
                                         : vec3(0.0f, 1.01f, 0.0f);
        refusedSealed(place + 20 * (i % 3) + 8, "no unit vector");
        uint16_t* slot = element("SLOT", i * (n - 1) / 7, &place);
        *slot = (uint16_t)(65535 >> i);
        refusedSealed(place, "surface");
    }
}

static void badRecordsAreRefused(void** state)
{
    (void)state;
    int64_t place;
    AssetRecord* record = element("INFO", 0, &place);
    static const int counts[] = {-1, 0, 3, INT_MAX, INT_MIN};
    for (int i = 0; i < 5; ++i) {
        record->surfaceNodeCount = counts[i];
        refusedSealed(-1, "surface nodes");
    }
    record->surfaceNodeCount -= 1;
    refusedSealed(-1, "not among the");
    record->surfaceNodeCount += 1;
    refusedSealed(-1, "touches no boundary face");
    memset(record->name, 'x', sizeof(record->name));
    refusedSealed(place, "name");
    record->name[1] = '\n';
    refusedSealed(place, "name");
    record->name[40] = 'x'; // after the end
    refusedSealed(place, "name");
    memset(record->material.name, 'x', sizeof(record->material.name));
    refusedSealed(-1, "name");
    static const float values[] = {NAN, -1.0f, INFINITY, -INFINITY};
    for (int field = 0; field < 7; ++field)
        for (int i = 0; i < 4; ++i) {
            (&record->material.density)[field] = values[i];
            refusedSealed(-1, "material");
        }
    for (int i = 0; i < 6; ++i) {
        shSurface* surface = element("SURF", i % 2, &place);
        surface->color[i % 4] = i < 3 ? NAN : 1.5f;
        refusedSealed(place, "between 0 and 1");
        surface = element("SURF", i % 2, &place);
        *(i < 3 ? &surface->metallic : &surface->roughness) = -0.1f;
        refusedSealed(place, "between 0 and 1");
    }
    memset(element("SURF", 0, &place), 1, sizeof(shSurface));
    refusedSealed(-1, "name");
}

static void badGridsAreRefused(void** state)
{
    (void)state;
    static const uint32_t values[] = {0, UINT32_MAX, INT_MAX, (uint32_t)INT_MIN, 0x7fc00000, 0x7f800000, 1};
    int64_t place, shapePlace;
    for (int word = 0; word < (int)(sizeof(DistanceGridShape) / 4); ++word)
        for (int i = 0; i < 7; ++i) {
            uint8_t* shape = element("GRID", 0, &shapePlace);
            if (memcmp(shape + 4 * word, &values[i], 4) == 0)
                continue;
            memcpy(shape + 4 * word, &values[i], 4);
            if (word == 8 || word == 9) { // band and slack: any sensible number will do
                seal(bytes, size);
                shAsset* asset = NULL;
                shStatus status = shLoadAssetFromMemory(context, bytes, size, "a", &asset, NULL);
                assert_true(status == shOk || status == shBadFile);
                shDestroyAsset(asset);
                memcpy(bytes, good, size);
            } else {
                refusedSealed(-1, "");
            }
        }
    int n = countOf("GIDX");
    for (int i = 0; i < 12; ++i) {
        int* index = element("GIDX", i * (n - 1) / 11, &place);
        *index = i < 4 ? -1 - i : i < 8 ? INT_MAX >> (i - 4) : *index + 1;
        refusedSealed(-1, "");
    }
    static const float reals[] = {NAN, INFINITY, -INFINITY};
    n = countOf("GVAL");
    for (int i = 0; i < 12; ++i) {
        float* value = element("GVAL", i * (n - 1) / 11, &place);
        *value = reals[i % 3];
        refusedSealed(-1, "");
    }
    // Sound numbers, but of some other surface.
    float* all = element("GVAL", 0, &place);
    for (int i = 0; i < n; ++i)
        all[i] += 0.2f;
    refusedSealed(place, "which is on the surface");
}

// A whole asset from a tet mesh that is none: arrays go into the image without a cook.
static void refusedMesh(const Vec3* nodes, int nodeCount, int surfaceNodeCount, const int (*tets)[4], int tetCount,
                        const int (*triangles)[3], int triangleCount, const char* reason)
{
    Corner corners[16][3];
    uint16_t slots[16] = {0};
    for (int i = 0; i < 16 * 3; ++i)
        corners[i / 3][i % 3] = (Corner){{0.0f, 0.0f}, {0.0f, 0.0f, 1.0f}};
    AssetRecord record = {.name = "bad", .material = *shMaterialPreset("ice"), .surfaceNodeCount = surfaceNodeCount};
    shSurface surfaces[2] = {surfaceInside("ice"), surfaceOutside("ice")};
    ImageBuilder builder = {0};
    imageAdd(&builder, "INFO", sizeof(record), 1, &record);
    imageAdd(&builder, "NODE", sizeof(Vec3), (size_t)nodeCount, nodes);
    imageAdd(&builder, "TETS", sizeof(*tets), (size_t)tetCount, tets);
    imageAdd(&builder, "TRIS", sizeof(*triangles), (size_t)triangleCount, triangles);
    imageAdd(&builder, "CORN", sizeof(corners[0]), (size_t)triangleCount, corners);
    imageAdd(&builder, "SLOT", sizeof(slots[0]), (size_t)triangleCount, slots);
    imageAdd(&builder, "SURF", sizeof(shSurface), 2, surfaces);
    size_t length;
    uint8_t* image = imageBuild(&builder, ASSET_VERSION, &context->memory, &length);
    refusedFile(image, length, -1, reason);
    memFree(&context->memory, image, length);
}

static void meshesThatAreNoSolidAreRefused(void** state)
{
    (void)state;
    static const Vec3 p[9] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {5, 5, 5},
                              {6, 5, 5}, {5, 6, 5}, {5, 5, 6}, {1, 1, 0}};
    static const int one[1][4] = {{0, 1, 2, 3}}, flat[1][4] = {{0, 1, 2, 8}}, two[2][4] = {{0, 1, 2, 3}, {4, 5, 6, 7}};
    static const int faces[8][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1},
                                    {5, 6, 7}, {4, 7, 6}, {4, 5, 7}, {4, 6, 5}};
    refusedMesh(p, 0, 0, one, 0, faces, 0, "make no solid");
    refusedMesh(p, 4, 4, one, 0, faces, 4, "make no solid");
    refusedMesh(p, 3, 3, one, 1, faces, 4, "out of range");
    refusedMesh(p, 4, 4, one, 1, faces, 0, "0 boundary triangles");
    refusedMesh(p, 4, 4, one, 1, faces, 1, "1 boundary triangles");
    refusedMesh(p, 4, 4, one, 1, faces, 3, "3 boundary triangles");
    refusedMesh(p, 9, 9, flat, 1, faces, 4, "is not positive");
    refusedMesh(p, 5, 4, one, 1, faces, 4, "belongs to no tetrahedron");
    refusedMesh(p, 8, 8, two, 2, faces, 4, "not among the triangles");
    refusedMesh(p, 8, 8, two, 2, faces, 8, "has 2 parts");
    static const int touching[2][4] = {{0, 1, 2, 3}, {3, 5, 6, 7}};
    static const int touchingFaces[8][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1},
                                            {5, 6, 7}, {3, 7, 6}, {3, 5, 7}, {3, 6, 5}};
    static const Vec3 q[8] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {9, 9, 9}, {1, 0, 2}, {0, 1, 2}, {0, 0, 3}};
    refusedMesh(q, 8, 8, touching, 2, touchingFaces, 8, "");
}

static void atLeastTwoHundredFilesWereRefused(void** state)
{
    (void)state;
    print_message("%d files refused\n", refusals);
    assert_true(refusals >= 200);
}

// Anything
// --------------------------------------------------------------------------------------------------------------

// Writes something somewhere: into the header, the table, or an element of a chunk.
static void mutate(Random* random)
{
    static const uint32_t tempting[] = {0,          1,          3,          UINT32_MAX, INT_MAX,    (uint32_t)INT_MIN,
                                        0x7fc00000, 0x7f800000, 0xff800000, 0x3f800000, 0x7f7fffff, 64};
    size_t tableEnd = sizeof(ImageHeader) + ((const ImageHeader*)good)->chunkCount * sizeof(ImageChunk);
    size_t place;
    if (randomBelow(random, 8) == 0) {
        place = (size_t)randomBelow(random, (int)tableEnd / 4) * 4;
    } else {
        const ImageChunk* table = (const ImageChunk*)(good + sizeof(ImageHeader));
        const ImageChunk* chunk = &table[randomBelow(random, (int)((const ImageHeader*)good)->chunkCount)];
        place = (size_t)chunk->offset + (size_t)randomBelow(random, (int)(chunk->count * chunk->elementSize)) / 2 * 2;
    }
    place = place < size - 4 ? place : size - 4;
    uint32_t value = (uint32_t)randomBits(random), old;
    memcpy(&old, bytes + place, 4);
    switch (randomBelow(random, 4)) {
    case 0:
        value = tempting[(uint32_t)randomBelow(random, sizeof(tempting) / sizeof(tempting[0]))];
        break;
    case 1:
        value = old ^ (1u << (value & 31));
        break;
    case 2:
        value = old + (value & 1 ? 1 : UINT32_MAX);
        break;
    }
    memcpy(bytes + place, &value, 4);
}

static void randomDamageIsRefusedOrHarmless(void** state)
{
    (void)state;
    enum { ROUNDS = 6000 };
    Random random = randomSeed(2026);
    int accepted = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        for (int hits = 1 + randomBelow(&random, 3); hits > 0; --hits)
            mutate(&random);
        if (((ImageHeader*)bytes)->size == size || round % 2 == 0)
            seal(bytes, size);
        shAsset* asset = NULL;
        shMessage message = {0};
        shStatus status = shLoadAssetFromMemory(context, bytes, size, "fuzz", &asset, &message);
        if (status == shOk) { // another asset, but a sound one
            ++accepted;
            shAssetInfo info = shAsset_GetInfo(asset);
            assert_true(info.volume > 0.0 && info.mass > 0.0 && info.minDihedral > 0.0 && isfinite(info.inertia[0][0]));
            for (int i = 0; i < 20; ++i) {
                Vec3 p = {randomRange(&random, -1.0f, 1.0f), randomRange(&random, -1.0f, 1.0f), (float)i};
                DistanceSample sample = distanceGridSample(&asset->grid, p);
                assert_true(isfinite(sample.distance) && vFinite(sample.gradient));
            }
        } else {
            assert_int_equal(status, shBadFile);
            assert_int_equal(strncmp(message.text, "fuzz: byte ", 11), 0);
        }
        shDestroyAsset(asset);
        memcpy(bytes, good, size);
    }
    print_message("%d of %d random changes refused\n", ROUNDS - accepted, ROUNDS);
    assert_true(accepted < ROUNDS / 2);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, setUp, tearDown)
    const struct CMUnitTest tests[] = {
        TEST(truncatedFilesAreRefused),
        TEST(flippedBytesAreRefused),
        TEST(otherFilesAreRefused),
        TEST(damagedTablesAreRefused),
        TEST(missingShortAndLongChunksAreRefused),
        TEST(badNodesAreRefused),
        TEST(badTetsAreRefused),
        TEST(badTrianglesAreRefused),
        TEST(badRecordsAreRefused),
        TEST(badGridsAreRefused),
        TEST(meshesThatAreNoSolidAreRefused),
        TEST(atLeastTwoHundredFilesWereRefused),
        TEST(randomDamageIsRefusedOrHarmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
