// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "solid/image.h"

#include "core/hash.h"
#include "core/message.h"

#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "images are used in place and are little-endian"
#endif

// Line ends of both kinds and an end-of-text mark: a copy in text mode damages the magic, not just the content.
static const char imageMagic[8] = {'S', 'H', 'E', 'R', 'D', '\r', '\n', 0x1a};

_Static_assert(sizeof(ImageHeader) == 32 && offsetof(ImageHeader, checksum) == 24, "the header has no padding");
_Static_assert(sizeof(ImageChunk) == 24, "a table entry has no padding");

static uint64_t alignUp(uint64_t x) { return (x + IMAGE_ALIGNMENT - 1) & ~(uint64_t)(IMAGE_ALIGNMENT - 1); }

static uint64_t tableEnd(uint32_t chunkCount) { return sizeof(ImageHeader) + chunkCount * sizeof(ImageChunk); }

uint64_t imageChecksum(const uint8_t* bytes, size_t size)
{
    Hash hash = hashStart(0);
    hashBytes(&hash, bytes, offsetof(ImageHeader, checksum));
    hashBytes(&hash, bytes + sizeof(ImageHeader), size - sizeof(ImageHeader));
    return hashValue(&hash);
}

void imageAdd(ImageBuilder* builder, const char* tag, size_t elementSize, size_t count, const void* data)
{
    assert(builder->chunkCount < IMAGE_MAX_CHUNKS && strlen(tag) == 4);
    ImageChunk* chunk = &builder->chunks[builder->chunkCount];
    *chunk = (ImageChunk){.elementSize = (uint32_t)elementSize, .count = count};
    memcpy(chunk->tag, tag, 4);
    builder->data[builder->chunkCount++] = data;
}

uint8_t* imageBuild(const ImageBuilder* builder, uint32_t version, Memory* memory, size_t* size)
{
    ImageHeader header = {.version = version, .chunkCount = (uint32_t)builder->chunkCount};
    memcpy(header.magic, imageMagic, sizeof(imageMagic));
    ImageChunk table[IMAGE_MAX_CHUNKS];
    uint64_t end = tableEnd(header.chunkCount);
    for (int i = 0; i < builder->chunkCount; ++i) {
        table[i] = builder->chunks[i];
        table[i].offset = alignUp(end);
        end = table[i].offset + table[i].elementSize * table[i].count;
    }
    header.size = alignUp(end);

    uint8_t* bytes = memAllocZero(memory, memBytes(header.size, 1));
    if (bytes == NULL)
        return NULL;
    memcpy(bytes, &header, sizeof(header));
    memcpy(bytes + sizeof(header), table, header.chunkCount * sizeof(ImageChunk));
    for (int i = 0; i < builder->chunkCount; ++i)
        if (table[i].count > 0)
            memcpy(bytes + table[i].offset, builder->data[i], (size_t)(table[i].elementSize * table[i].count));
    header.checksum = imageChecksum(bytes, (size_t)header.size);
    memcpy(bytes, &header, sizeof(header));
    *size = (size_t)header.size;
    return bytes;
}

shStatus imageFail(const Image* image, shMessage* message, const void* place, const char* format, ...)
{
    shMessage reason;
    va_list args;
    va_start(args, format);
    vsnprintf(reason.text, sizeof(reason.text), format, args);
    va_end(args);
    size_t offset = (size_t)((const uint8_t*)place - image->bytes);
    return fail(message, shBadFile, "%s: byte %zu: %s; make it again", image->name, offset, reason.text);
}

// Four printable characters; anything else shows as '?'.
static void tagText(const char tag[4], char text[5])
{
    for (int i = 0; i < 4; ++i)
        text[i] = tag[i];
    text[4] = 0;
    for (int i = 0; i < 4; ++i)
        if (tag[i] < ' ' || tag[i] > '~')
            text[i] = '?';
}

static bool isZero(const uint8_t* bytes, uint64_t begin, uint64_t end, uint64_t* place)
{
    for (*place = begin; *place < end; ++*place)
        if (bytes[*place] != 0)
            return false;
    return true;
}

static shStatus checkTable(const Image* image, const ImageHeader* header, shMessage* message)
{
    const ImageChunk* table = (const ImageChunk*)(image->bytes + sizeof(ImageHeader));
    uint64_t end = tableEnd(header->chunkCount), dirt;
    for (uint32_t i = 0; i < header->chunkCount; ++i) {
        const ImageChunk* chunk = &table[i];
        char tag[5];
        tagText(chunk->tag, tag);
        for (uint32_t j = 0; j < i; ++j)
            if (memcmp(table[j].tag, chunk->tag, 4) == 0)
                return imageFail(image, message, chunk, "chunk '%s' is there twice", tag);
        uint64_t expected = alignUp(end);
        if (chunk->offset % IMAGE_ALIGNMENT != 0)
            return imageFail(image, message, &chunk->offset,
                             "chunk '%s' starts at byte %" PRIu64 ", which %d does not divide", tag, chunk->offset,
                             IMAGE_ALIGNMENT);
        if (chunk->offset != expected)
            return imageFail(image, message, &chunk->offset,
                             "chunk '%s' starts at byte %" PRIu64 " and %s byte %" PRIu64, tag, chunk->offset,
                             chunk->offset < expected ? "overlaps what ends at" : "leaves a gap after", end);
        if (chunk->elementSize == 0)
            return imageFail(image, message, &chunk->elementSize, "chunk '%s' has elements of 0 bytes", tag);
        if (expected > image->size || chunk->count > (image->size - expected) / chunk->elementSize)
            return imageFail(image, message, &chunk->count,
                             "chunk '%s' runs past the end of the file (%" PRIu64
                             " elements of %u bytes from byte %" PRIu64 ", file of %zu bytes)",
                             tag, chunk->count, chunk->elementSize, expected, image->size);
        if (!isZero(image->bytes, end, expected, &dirt))
            return imageFail(image, message, image->bytes + dirt, "the gap before chunk '%s' is not zero", tag);
        end = expected + chunk->elementSize * chunk->count;
    }
    if (alignUp(end) != image->size)
        return imageFail(image, message, image->bytes + end, "the last chunk ends here, but the file has %zu bytes",
                         image->size);
    if (!isZero(image->bytes, end, image->size, &dirt))
        return imageFail(image, message, image->bytes + dirt, "the padding after the last chunk is not zero");
    return shOk;
}

shStatus imageOpen(Image* image, const char* name, const void* bytes, size_t size, uint32_t version, shMessage* message)
{
    *image = (Image){bytes, size, name};
    ImageHeader header;
    if (size < sizeof(header))
        return fail(message, shBadFile, "%s: byte %zu: the file ends inside its header of %zu bytes; make it again",
                    name, size, sizeof(header));
    memcpy(&header, bytes, sizeof(header));
    const ImageHeader* at = bytes;
    if (memcmp(header.magic, imageMagic, sizeof(imageMagic)) != 0)
        return fail(message, shBadFile, "%s: byte 0: this is not a Sherd file; `sherd cook` makes assets", name);
    if (header.version != version)
        return imageFail(image, message, &at->version, "format version %u; this program reads version %u",
                         header.version, version);
    if (header.size != size)
        return imageFail(image, message, &at->size, "the file should have %" PRIu64 " bytes and has %zu: %s",
                         header.size, size, header.size > size ? "it is cut off" : "something was added");
    if (header.chunkCount == 0 || header.chunkCount > IMAGE_MAX_CHUNKS || tableEnd(header.chunkCount) > size)
        return imageFail(image, message, &at->chunkCount,
                         "a table of %u chunks; at most %d, and within the file, can be", header.chunkCount,
                         IMAGE_MAX_CHUNKS);
    uint64_t sum = imageChecksum(bytes, size);
    if (sum != header.checksum)
        return imageFail(image, message, &at->checksum,
                         "the checksum is %016" PRIx64 " but the content gives %016" PRIx64 ": the file is damaged",
                         header.checksum, sum);
    return checkTable(image, &header, message);
}

const ImageChunk* imageFind(const Image* image, const char* tag)
{
    const ImageHeader* header = (const ImageHeader*)image->bytes;
    const ImageChunk* table = (const ImageChunk*)(image->bytes + sizeof(ImageHeader));
    for (uint32_t i = 0; i < header->chunkCount; ++i)
        if (memcmp(table[i].tag, tag, 4) == 0)
            return &table[i];
    return NULL;
}

shStatus imageArray(const Image* image, const char* tag, size_t elementSize, const void** data, int* count,
                    shMessage* message)
{
    const ImageChunk* chunk = imageFind(image, tag);
    if (chunk == NULL)
        return imageFail(image, message, image->bytes + sizeof(ImageHeader), "there is no chunk '%s'", tag);
    if (chunk->elementSize != elementSize)
        return imageFail(image, message, &chunk->elementSize, "chunk '%s' has elements of %u bytes; %zu are expected",
                         tag, chunk->elementSize, elementSize);
    if (chunk->count > INT_MAX)
        return imageFail(image, message, &chunk->count, "chunk '%s' has %" PRIu64 " elements; at most %d can be used",
                         tag, chunk->count, INT_MAX);
    *data = image->bytes + chunk->offset;
    *count = (int)chunk->count;
    return shOk;
}
