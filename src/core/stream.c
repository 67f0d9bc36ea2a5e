// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "core/stream.h"

#include "core/array.h"
#include "core/message.h"

#include <inttypes.h>
#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "numbers are copied as they are, and streams are little-endian"
#endif

void streamFree(Stream* stream)
{
    memFree(stream->memory, stream->data, stream->capacity);
    stream->data = NULL;
    stream->capacity = 0;
}

void streamFailMemory(Stream* stream)
{
    if (stream->status == shOk)
        stream->status = failMemory(stream->message);
}

void streamCheck(Stream* stream, bool condition, const char* reason)
{
    if (condition || stream->mode != streamReading || stream->status != shOk)
        return;
    stream->status = fail(stream->message, shBadFile, "%s: byte %zu: %s", stream->name, stream->at, reason);
}

static bool makeRoom(Stream* stream, size_t count)
{
    if (count <= stream->capacity - stream->at)
        return true;
    size_t wanted = stream->at + count, grown = stream->capacity + stream->capacity / 2 + 256;
    size_t capacity = wanted > grown ? wanted : grown;
    uint8_t* data = memGrow(stream->memory, stream->data, stream->capacity, capacity);
    if (data == NULL) {
        streamFailMemory(stream);
        return false;
    }
    stream->data = data;
    stream->capacity = capacity;
    return true;
}

void streamBytesSlowly(Stream* stream, void* bytes, size_t count)
{
    if (stream->mode == streamReading) {
        streamCheck(stream, count <= stream->size - stream->at, "it ends here, in the middle");
        if (stream->status != shOk) {
            memset(bytes, 0, count);
            return;
        }
        memcpy(bytes, stream->bytes + stream->at, count);
    } else if (stream->mode == streamHashing) {
        hashBytes(&stream->hash, bytes, count);
    } else {
        if (stream->status != shOk || !makeRoom(stream, count))
            return;
        memcpy(stream->data + stream->at, bytes, count);
    }
    stream->at += count;
}

void streamBool(Stream* stream, bool* x)
{
    uint8_t byte = *x;
    streamU8(stream, &byte);
    streamCheck(stream, byte <= 1, "neither yes nor no");
    if (streamReads(stream))
        *x = byte == 1;
}

_Static_assert(sizeof(Vec3) == 12 && sizeof(DVec3) == 24 && sizeof(shBox) == 24 && sizeof(shTransform) == 28,
               "vectors have no padding");
void streamVec3(Stream* stream, Vec3* v) { streamBytes(stream, v, sizeof *v); }
void streamDVec3(Stream* stream, DVec3* v) { streamBytes(stream, v, sizeof *v); }
void streamBox(Stream* stream, shBox* box) { streamBytes(stream, box, sizeof *box); }
void streamTransform(Stream* stream, shTransform* x) { streamBytes(stream, x, sizeof *x); }

void streamI32s(Stream* stream, int32_t* x, int count) { streamBytes(stream, x, sizeof *x * (size_t)count); }

void streamCount(Stream* stream, int* count, size_t least)
{
    streamI32(stream, count);
    streamCheck(stream, *count >= 0 && (size_t)*count * least <= stream->size - stream->at,
                "a number of things that cannot be");
    if (streamReads(stream) && stream->status != shOk)
        *count = 0;
}

bool streamReserveBytes(Stream* stream, Memory* memory, void* data, int* count, int* capacity, size_t elementSize,
                        int wanted)
{
    if (!streamOk(stream) || !streamReads(stream))
        return streamOk(stream);
    if (!arrayReserveBytes(memory, data, capacity, elementSize, wanted)) {
        streamFailMemory(stream);
        return false;
    }
    void* block;
    memcpy(&block, data, sizeof block);
    if (wanted > 0)
        memset(block, 0, elementSize * (size_t)wanted);
    *count = wanted;
    return true;
}

bool streamArrayBytes(Stream* stream, Memory* memory, void* data, int* count, int* capacity, size_t elementSize,
                      size_t least)
{
    int wanted = *count;
    streamCount(stream, &wanted, least);
    return streamReserveBytes(stream, memory, data, count, capacity, elementSize, wanted);
}

// ---- the whole ------------------------------------------------------------------------------------------------------

typedef struct StreamHeader {
    char magic[8];
    uint32_t version, zero;
    uint64_t size, checksum; // the latter of all that follows
} StreamHeader;

_Static_assert(sizeof(StreamHeader) == 32, "the header has no padding");

void streamBegin(Stream* stream, StreamKind kind)
{
    StreamHeader header = {.version = kind.version};
    memcpy(header.magic, kind.magic, sizeof header.magic);
    streamBytes(stream, &header, sizeof header);
}

void streamSeal(Stream* stream)
{
    if (!streamOk(stream))
        return;
    StreamHeader header;
    memcpy(&header, stream->data, sizeof header);
    header.size = stream->at;
    header.checksum = hashOf(stream->data + sizeof header, stream->at - sizeof header, 0);
    memcpy(stream->data, &header, sizeof header);
}

void streamOpen(Stream* stream, StreamKind kind)
{
    StreamHeader header = {.zero = 0};
    const uint8_t* bytes = stream->bytes;
    if (stream->size < sizeof header) {
        stream->status = fail(stream->message, shBadFile, "%s: byte %zu: it ends inside its header of %zu bytes",
                              stream->name, stream->size, sizeof header);
        return;
    }
    streamBytes(stream, &header, sizeof header);
    if (memcmp(header.magic, kind.magic, sizeof header.magic) != 0)
        stream->status = fail(stream->message, shBadFile, "%s: byte 0: this is not %s", stream->name, kind.what);
    else if (header.version != kind.version || header.zero != 0)
        stream->status = fail(stream->message, shBadFile,
                              "%s: byte 8: format version %u; this library reads version %u; make it again",
                              stream->name, header.version, kind.version);
    else if (header.size != stream->size)
        stream->status =
            fail(stream->message, shBadFile, "%s: byte 16: it should have %" PRIu64 " bytes and has %zu: %s",
                 stream->name, header.size, stream->size, header.size > stream->size ? "it is cut off" : "too many");
    else if (header.checksum != hashOf(bytes + sizeof header, stream->size - sizeof header, 0))
        stream->status =
            fail(stream->message, shBadFile, "%s: byte 24: the checksum is wrong: it is damaged", stream->name);
}
