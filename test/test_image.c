// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "solid/image.h"

#include "core/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { VERSION = 3 };

static Memory memory;
static uint8_t* bytes; // the image every test starts from
static size_t size;

static const float numbers[5] = {1.0f, -2.5f, 3.0f, 0.0f, 1e-9f};
static const uint16_t words[70] = {1, 2, 3, [69] = 65535};

static int setUp(void** state)
{
    (void)state;
    memInit(&memory, (shAllocator){0});
    ImageBuilder builder = {0};
    imageAdd(&builder, "NUMS", sizeof(float), 5, numbers);
    imageAdd(&builder, "NONE", 12, 0, NULL);
    imageAdd(&builder, "WORD", sizeof(uint16_t), 70, words);
    bytes = imageBuild(&builder, VERSION, &memory, &size);
    return bytes != NULL ? 0 : 1;
}

static int tearDown(void** state)
{
    (void)state;
    memFree(&memory, bytes, size);
    return atomic_load(&memory.bytes) == 0 ? 0 : 1;
}

static ImageHeader* header(void) { return (ImageHeader*)bytes; }
static ImageChunk* chunk(int i) { return (ImageChunk*)(bytes + sizeof(ImageHeader)) + i; }

static void arraysComeBackInPlace(void** state)
{
    (void)state;
    Image image;
    shMessage message = {0};
    assert_int_equal(imageOpen(&image, "a.sherd", bytes, size, VERSION, &message), shOk);
    assert_int_equal(size, 128 + 64 + 192); // head and table, numbers, words
    const void* data;
    int count;
    assert_int_equal(imageArray(&image, "NUMS", sizeof(float), &data, &count, &message), shOk);
    assert_int_equal(count, 5);
    assert_int_equal((uintptr_t)data % IMAGE_ALIGNMENT, 0);
    assert_memory_equal(data, numbers, sizeof(numbers));
    assert_int_equal(imageArray(&image, "WORD", sizeof(uint16_t), &data, &count, &message), shOk);
    assert_int_equal(count, 70);
    assert_memory_equal(data, words, sizeof(words));
    assert_int_equal(imageArray(&image, "NONE", 12, &data, &count, &message), shOk);
    assert_int_equal(count, 0);
}

static void wrongAccessIsRefused(void** state)
{
    (void)state;
    Image image;
    shMessage message = {0};
    const void* data;
    int count;
    assert_int_equal(imageOpen(&image, "a.sherd", bytes, size, VERSION, &message), shOk);
    assert_int_equal(imageArray(&image, "NUMS", 8, &data, &count, &message), shBadFile);
    assert_string_equal(message.text,
                        "a.sherd: byte 36: chunk 'NUMS' has elements of 4 bytes; 8 are expected; make it again");
    assert_int_equal(imageArray(&image, "GONE", 8, &data, &count, &message), shBadFile);
    assert_string_equal(message.text, "a.sherd: byte 32: there is no chunk 'GONE'; make it again");
    assert_null(imageFind(&image, "GONE"));
}

static void equalContentGivesEqualBytes(void** state)
{
    (void)state;
    ImageBuilder builder = {0};
    imageAdd(&builder, "NUMS", sizeof(float), 5, numbers);
    imageAdd(&builder, "NONE", 12, 0, NULL);
    imageAdd(&builder, "WORD", sizeof(uint16_t), 70, words);
    size_t otherSize;
    uint8_t* other = imageBuild(&builder, VERSION, &memory, &otherSize);
    assert_int_equal(otherSize, size);
    assert_memory_equal(other, bytes, size);
    // The layout and the hash are the format: a change here is a new version.
    assert_int_equal(header()->checksum, imageChecksum(bytes, size));
    memFree(&memory, other, otherSize);
}

// Expects a refusal that names the byte and says why. With `repair` the checksum is made to fit first, so that what is
// behind it gets its turn.
static void refused(bool repair, size_t length, size_t place, const char* reason)
{
    if (repair)
        header()->checksum = imageChecksum(bytes, length);
    Image image;
    shMessage message = {0};
    assert_int_equal(imageOpen(&image, "a.sherd", bytes, length, VERSION, &message), shBadFile);
    char start[64];
    snprintf(start, sizeof(start), "a.sherd: byte %zu: ", place);
    if (strncmp(message.text, start, strlen(start)) != 0 || strstr(message.text, reason) == NULL)
        fail_msg("expected \"%s… %s\", got \"%s\"", start, reason, message.text);
}

static void everyTruncationIsRefused(void** state)
{
    (void)state;
    for (size_t length = 0; length < size; ++length)
        if (length < sizeof(ImageHeader))
            refused(false, length, length, "ends inside its header");
        else
            refused(true, length, offsetof(ImageHeader, size), "it is cut off");
}

static void everyFlippedBitIsRefused(void** state)
{
    (void)state;
    for (size_t bit = 0; bit < 8 * size; ++bit) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        Image image;
        assert_int_equal(imageOpen(&image, "a.sherd", bytes, size, VERSION, NULL), shBadFile);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

static void headerErrorsAreNamed(void** state)
{
    (void)state;
    bytes[5] = '\n';
    refused(true, size, 0, "not a Sherd file");
    bytes[5] = '\r';
    header()->version = VERSION + 1;
    refused(true, size, 8, "format version 4; this program reads version 3");
    header()->version = VERSION;
    header()->chunkCount = 0;
    refused(true, size, 12, "0 chunks");
    header()->chunkCount = 1u << 31;
    refused(true, size, 12, "2147483648 chunks");
    header()->chunkCount = 60; // the table would be longer than the file
    refused(true, size, 12, "60 chunks");
    header()->chunkCount = 3;
    header()->size = size - 64;
    refused(true, size, 16, "something was added");
    header()->size = size;
    header()->checksum ^= 1;
    refused(false, size, 24, "the file is damaged");
}

static void tableErrorsAreNamed(void** state)
{
    (void)state;
    ImageChunk good[3] = {*chunk(0), *chunk(1), *chunk(2)};
    size_t at = sizeof(ImageHeader) + 2 * sizeof(ImageChunk);
    memcpy(chunk(2)->tag, "NUMS", 4);
    refused(true, size, at, "'NUMS' is there twice");
    *chunk(2) = good[2];
    chunk(2)->offset += 1;
    refused(true, size, at + 16, "which 64 does not divide");
    chunk(2)->offset = good[0].offset;
    refused(true, size, at + 16, "overlaps");
    chunk(2)->offset = good[2].offset + 64;
    refused(true, size, at + 16, "leaves a gap");
    chunk(2)->offset = UINT64_MAX - 63;
    refused(true, size, at + 16, "leaves a gap");
    *chunk(2) = good[2];
    chunk(2)->elementSize = 0;
    refused(true, size, at + 4, "elements of 0 bytes");
    *chunk(2) = good[2];
    chunk(2)->count = 97;
    refused(true, size, at + 8, "runs past the end of the file (97 elements of 2 bytes");
    chunk(2)->count = UINT64_MAX;
    refused(true, size, at + 8, "runs past the end");
    chunk(2)->count = (uint64_t)1 << 63; // times the element size: 0 in 64 bits
    refused(true, size, at + 8, "runs past the end");
    chunk(2)->count = 1;
    refused(true, size, 128 + 64 + 2, "but the file has");
    *chunk(2) = good[2];
    chunk(2)->tag[1] = 7;
    chunk(2)->count = 1000;
    refused(true, size, at + 8, "'W?RD'");
    *chunk(2) = good[2];
    bytes[120] = 1;
    refused(true, size, 120, "the gap before chunk 'NUMS' is not zero");
    bytes[120] = 0;
    bytes[size - 1] = 1;
    refused(true, size, size - 1, "padding after the last chunk");
    bytes[size - 1] = 0;
    Image image;
    header()->checksum = imageChecksum(bytes, size);
    assert_int_equal(imageOpen(&image, "a.sherd", bytes, size, VERSION, NULL), shOk);
}

static void randomDamageNeverPassesBounds(void** state)
{
    (void)state;
    uint8_t original[512];
    memcpy(original, bytes, size);
    Random random = randomSeed(7);
    for (int round = 0; round < 20000; ++round) {
        for (int hits = 1 + randomBelow(&random, 4); hits > 0; --hits)
            bytes[randomBelow(&random, (int)size)] = (uint8_t)randomBits(&random);
        header()->checksum = imageChecksum(bytes, size);
        Image image;
        if (imageOpen(&image, "a.sherd", bytes, size, VERSION, NULL) == shOk)
            for (uint32_t i = 0; i < header()->chunkCount; ++i) {
                assert_true(chunk((int)i)->offset <= size);
                assert_true(chunk((int)i)->count * chunk((int)i)->elementSize <= size - chunk((int)i)->offset);
            }
        memcpy(bytes, original, size);
    }
}

static void buildingWithoutMemoryFails(void** state)
{
    (void)state;
    ImageBuilder builder = {0};
    imageAdd(&builder, "HUGE", 1u << 30, SIZE_MAX >> 1, numbers);
    size_t built;
    assert_null(imageBuild(&builder, VERSION, &memory, &built));
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, setUp, tearDown)
    const struct CMUnitTest tests[] = {
        TEST(arraysComeBackInPlace),    TEST(wrongAccessIsRefused),          TEST(equalContentGivesEqualBytes),
        TEST(everyTruncationIsRefused), TEST(everyFlippedBitIsRefused),      TEST(headerErrorsAreNamed),
        TEST(tableErrorsAreNamed),      TEST(randomDamageNeverPassesBounds), TEST(buildingWithoutMemoryFails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
