// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// PNG: 8-bit RGB, each row predicted by whichever of the five filters leaves the smallest remainders.
#include "render/picture.h"

#include "core/message.h"
#include "io/file.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static void putU32(uint8_t* p, uint32_t value)
{
    for (int i = 0; i < 4; ++i)
        p[i] = (uint8_t)(value >> (24 - 8 * i));
}

// Length, kind, data (already at its place when null), checksum; returns where the next chunk starts.
static uint8_t* putChunk(uint8_t* at, const char kind[4], const uint8_t* data, size_t size)
{
    putU32(at, (uint32_t)size);
    memcpy(at + 4, kind, 4);
    if (data != NULL)
        memcpy(at + 8, data, size);
    putU32(at + 8 + size, (uint32_t)crc32(crc32(0, NULL, 0), at + 4, (uInt)size + 4));
    return at + 12 + size;
}

static uint8_t predict(int filter, int left, int above, int corner)
{
    int p = left + above - corner, a = abs(p - left), b = abs(p - above), c = abs(p - corner);
    int nearest = a <= b && a <= c ? left : b <= c ? above : corner;
    const int guesses[5] = {0, left, above, (left + above) / 2, nearest};
    return (uint8_t)guesses[filter];
}

// One row with its filter byte in front; `above` is null for the first.
static void filterRow(const uint8_t* row, const uint8_t* above, int bytes, uint8_t* out)
{
    long best = -1;
    for (int pass = 0, chosen = 0; pass < 6; ++pass) { // five trials, then the winner once more
        int filter = pass < 5 ? pass : chosen;
        long sum = 0;
        out[0] = (uint8_t)filter;
        for (int i = 0; i < bytes; ++i) {
            int left = i >= 3 ? row[i - 3] : 0, up = above != NULL ? above[i] : 0;
            int corner = i >= 3 && above != NULL ? above[i - 3] : 0;
            out[1 + i] = (uint8_t)(row[i] - predict(filter, left, up, corner));
            sum += abs((int8_t)out[1 + i]);
        }
        if (best < 0 || sum < best) {
            best = sum;
            chosen = filter;
        }
    }
}

shStatus pictureWritePng(const Picture* picture, const char* path, shMessage* message)
{
    static const uint8_t magic[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    Memory* memory = &picture->context->memory;
    size_t row = 3 * (size_t)picture->width, plain = (row + 1) * (size_t)picture->height;
    size_t room = compressBound(plain) + 128; // the chunks around the data take less
    uint8_t* filtered = NEW_ARRAY(memory, uint8_t, plain);
    uint8_t* file = NEW_ARRAY(memory, uint8_t, room);
    shStatus status = filtered != NULL && file != NULL ? shOk : failMemory(message);
    if (status == shOk) {
        for (int y = 0; y < picture->height; ++y) {
            const uint8_t* from = picture->pixels + (size_t)y * row;
            filterRow(from, y > 0 ? from - row : NULL, (int)row, filtered + (size_t)y * (row + 1));
        }
        uint8_t header[13] = {[8] = 8, [9] = 2}; // bits, RGB
        putU32(header, (uint32_t)picture->width);
        putU32(header + 4, (uint32_t)picture->height);
        memcpy(file, magic, sizeof(magic));
        uint8_t* end = putChunk(file + sizeof(magic), "IHDR", header, sizeof(header));
        end = putChunk(end, "sRGB", (const uint8_t[1]){0}, 1);
        uLongf size = compressBound(plain);
        if (compress2(end + 8, &size, filtered, plain, 6) != Z_OK) {
            status = failMemory(message);
        } else {
            end = putChunk(putChunk(end, "IDAT", NULL, size), "IEND", NULL, 0);
            status = fileWrite(memory, path, file, (size_t)(end - file), message);
        }
    }
    FREE_ARRAY(memory, filtered, plain);
    FREE_ARRAY(memory, file, room);
    return status;
}
