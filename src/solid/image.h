// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// An image is one flat block of tagged arrays that is the same in memory and on disk: a header, a table of chunks,
// the chunks. Little-endian; every chunk starts at the next multiple of 64 bytes; gaps are zero. There is exactly one
// image for given chunks, so equal content means equal bytes, and whatever deviates from that layout is refused.
#pragma once

#include "core/memory.h"

enum {
    IMAGE_ALIGNMENT = 64,  // bytes; a cache line, and what the allocator hook promises
    IMAGE_MAX_CHUNKS = 64, // more than any version had; bounds the table before it is believed
};

typedef struct ImageHeader {
    char magic[8];
    uint32_t version;    // of the format; any other is refused
    uint32_t chunkCount; // entries of the table that follows
    uint64_t size;       // bytes of the whole image
    uint64_t checksum;   // of everything but this field
} ImageHeader;

typedef struct ImageChunk {
    char tag[4];
    uint32_t elementSize; // bytes
    uint64_t count;
    uint64_t offset; // bytes from the start of the image
} ImageChunk;

// A block whose container has been checked; what is in the chunks has not.
typedef struct Image {
    const uint8_t* bytes; // aligned to IMAGE_ALIGNMENT
    size_t size;
    const char* name; // of the file, for messages
} Image;

// Collects chunks and then lays them out. The arrays must live until imageBuild.
typedef struct ImageBuilder {
    ImageChunk chunks[IMAGE_MAX_CHUNKS];
    const void* data[IMAGE_MAX_CHUNKS];
    int chunkCount;
} ImageBuilder;

void imageAdd(ImageBuilder* builder, const char* tag, size_t elementSize, size_t count, const void* data);
// One allocation of *size bytes, which the caller gives back; null when there is no memory.
uint8_t* imageBuild(const ImageBuilder* builder, uint32_t version, Memory* memory, size_t* size);

// Checks header, checksum, table and padding. `name` and `bytes` must outlive the image.
shStatus imageOpen(Image* image, const char* name, const void* bytes, size_t size, uint32_t version,
                   shMessage* message);
// The chunk of that tag, or null.
const ImageChunk* imageFind(const Image* image, const char* tag);
// The array of that tag and its length. A missing chunk and another element size are errors, and so is a count past
// INT_MAX: the library indexes with int.
shStatus imageArray(const Image* image, const char* tag, size_t elementSize, const void** data, int* count,
                    shMessage* message);
// Sum of everything but the checksum field: what the header's checksum must be.
uint64_t imageChecksum(const uint8_t* bytes, size_t size);
// shBadFile with "name: byte 1216: reason; make it again". `place` points into the image.
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
shStatus
imageFail(const Image* image, shMessage* message, const void* place, const char* format, ...);
