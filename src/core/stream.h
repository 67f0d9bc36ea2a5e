// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// State as bytes, in one text for both ways: a function that names every field of a struct once writes it, hashes it or
// reads it, whatever the stream is for. Little-endian, no padding, the same bytes on every machine.
//
//     static void streamBall(Stream* s, Ball* ball)
//     {
//         streamVec3(s, &ball->center);
//         streamF32(s, &ball->radius);
//         streamCheck(s, ball->radius >= 0.0f, "a ball has a negative radius");
//     }
//
// Errors stick: after one, reading gives zeros and writing does nothing. Whatever is read must be checked before it is
// used as an index or a size; checks do nothing while writing.
#pragma once

#include "core/hash.h"
#include "core/memory.h"
#include "core/quat.h"

#include <string.h>

typedef enum StreamMode { streamWriting, streamHashing, streamReading } StreamMode;

typedef struct Stream {
    StreamMode mode;
    shStatus status; // of the first error
    size_t at;       // bytes so far
    // Writing
    Memory* memory;
    uint8_t* data; // [capacity]
    size_t capacity;
    // Hashing
    Hash hash;
    // Reading
    const uint8_t* bytes; // [size]
    size_t size;
    const char* name; // for messages
    shMessage* message;
} Stream;

static inline Stream streamWriter(Memory* memory) { return (Stream){.mode = streamWriting, .memory = memory}; }
static inline Stream streamHasher(void) { return (Stream){.mode = streamHashing, .hash = hashStart(0)}; }
static inline Stream streamReader(const char* name, const void* bytes, size_t size, shMessage* message)
{
    return (Stream){.mode = streamReading, .bytes = bytes, .size = size, .name = name, .message = message};
}
void streamFree(Stream* stream); // what was written
static inline bool streamReads(const Stream* stream) { return stream->mode == streamReading; }
static inline bool streamOk(const Stream* stream) { return stream->status == shOk; }

void streamBytesSlowly(Stream* stream, void* bytes, size_t count);
static inline void streamBytes(Stream* stream, void* bytes, size_t count)
{
    if (count == 0)
        return;
    if (stream->mode == streamWriting && stream->status == shOk && count <= stream->capacity - stream->at) {
        memcpy(stream->data + stream->at, bytes, count);
        stream->at += count;
    } else if (stream->mode == streamReading && stream->status == shOk && count <= stream->size - stream->at) {
        memcpy(bytes, stream->bytes + stream->at, count);
        stream->at += count;
    } else {
        streamBytesSlowly(stream, bytes, count);
    }
}
static inline void streamU8(Stream* stream, uint8_t* x) { streamBytes(stream, x, sizeof *x); }
static inline void streamU32(Stream* stream, uint32_t* x) { streamBytes(stream, x, sizeof *x); }
static inline void streamU64(Stream* stream, uint64_t* x) { streamBytes(stream, x, sizeof *x); }
static inline void streamI32(Stream* stream, int32_t* x) { streamBytes(stream, x, sizeof *x); }
static inline void streamI64(Stream* stream, int64_t* x) { streamBytes(stream, x, sizeof *x); }
static inline void streamF32(Stream* stream, float* x) { streamBytes(stream, x, sizeof *x); }
static inline void streamF64(Stream* stream, double* x) { streamBytes(stream, x, sizeof *x); }
void streamBool(Stream* stream, bool* x); // any byte but 0 and 1 is refused
void streamVec3(Stream* stream, Vec3* v);
void streamDVec3(Stream* stream, DVec3* v);
void streamBox(Stream* stream, shBox* box);
void streamTransform(Stream* stream, shTransform* x);
void streamI32s(Stream* stream, int32_t* x, int count);
// How many elements follow, each of at least so many bytes: a count that cannot be is refused before memory is taken.
void streamCount(Stream* stream, int* count, size_t least);

// Refuses what was read unless the condition holds: "name: byte 1216: reason".
void streamCheck(Stream* stream, bool condition, const char* reason);
void streamFailMemory(Stream* stream);

// Around the whole: what it is, its version, size and checksum. Begin, write the rest, seal. Opening checks all four.
typedef struct StreamKind {
    char magic[8];
    uint32_t version;
    const char* what; // "a snapshot"
} StreamKind;
void streamBegin(Stream* stream, StreamKind kind);
void streamSeal(Stream* stream);
void streamOpen(Stream* stream, StreamKind kind);

// How many elements an ARRAY has, each of at least so many bytes here. Reading, it gets room for them, cleared. The
// elements themselves are the caller's. False: the stream has failed.
#define streamArray(stream, memory, array, least)                                                                      \
    streamArrayBytes((stream), (memory), &(array)->data, &(array)->count, &(array)->capacity, sizeof(*(array)->data),  \
                     (least))
bool streamArrayBytes(Stream* stream, Memory* memory, void* data, int* count, int* capacity, size_t elementSize,
                      size_t least);
// The same for a number of elements that follows from something else.
#define streamReserve(stream, memory, array, wanted)                                                                   \
    streamReserveBytes((stream), (memory), &(array)->data, &(array)->count, &(array)->capacity,                        \
                       sizeof(*(array)->data), (wanted))
bool streamReserveBytes(Stream* stream, Memory* memory, void* data, int* count, int* capacity, size_t elementSize,
                        int wanted);
