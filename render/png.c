// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// PNG: 8-bit RGB, each row predicted by whichever of the five filters leaves the smallest remainders.
#include "render/image.h"

#include "core/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static void putU32(uint8_t* p, uint32_t value)
{
    for (int i = 0; i < 4; ++i)
        p[i] = (uint8_t)(value >> (24 - 8 * i));
}

static bool putChunk(FILE* file, const char kind[4], const uint8_t* data, size_t size)
{
    uint8_t head[8], tail[4];
    putU32(head, (uint32_t)size);
    memcpy(head + 4, kind, 4);
    uLong sum = crc32(crc32(0, NULL, 0), head + 4, 4);
    if (size > 0)
        sum = crc32(sum, data, (uInt)size);
    putU32(tail, (uint32_t)sum);
    return fwrite(head, 1, 8, file) == 8 && (size == 0 || fwrite(data, 1, size, file) == size) &&
           fwrite(tail, 1, 4, file) == 4;
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

static bool writeAll(FILE* file, const Image* image, const uint8_t* packed, size_t size)
{
    static const uint8_t magic[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    uint8_t header[13] = {0}, intent[1] = {0};
    putU32(header, (uint32_t)image->width);
    putU32(header + 4, (uint32_t)image->height);
    header[8] = 8; // bits
    header[9] = 2; // RGB
    return fwrite(magic, 1, 8, file) == 8 && putChunk(file, "IHDR", header, sizeof(header)) &&
           putChunk(file, "sRGB", intent, 1) && putChunk(file, "IDAT", packed, size) && putChunk(file, "IEND", NULL, 0);
}

shStatus imageWritePng(const Image* image, const char* path, shMessage* message)
{
    Memory* memory = &image->context->memory;
    size_t row = 3 * (size_t)image->width, plain = (row + 1) * (size_t)image->height;
    size_t bound = compressBound(plain), nameSize = strlen(path) + 6;
    uint8_t* filtered = NEW_ARRAY(memory, uint8_t, plain);
    uint8_t* packed = NEW_ARRAY(memory, uint8_t, bound);
    char* name = NEW_ARRAY(memory, char, nameSize);
    shStatus status = shOk;
    uLongf size = bound;
    if (filtered == NULL || packed == NULL || name == NULL) {
        status = failMemory(message);
    } else {
        for (int y = 0; y < image->height; ++y) {
            const uint8_t* from = image->pixels + (size_t)y * row;
            filterRow(from, y > 0 ? from - row : NULL, (int)row, filtered + (size_t)y * (row + 1));
        }
        if (compress2(packed, &size, filtered, plain, 6) != Z_OK)
            status = failMemory(message);
    }
    if (status == shOk) {
        snprintf(name, nameSize, "%s.part", path);
        FILE* file = fopen(name, "wb");
        bool good = file != NULL && writeAll(file, image, packed, size);
        good = file != NULL && fclose(file) == 0 && good;
        if (!good || rename(name, path) != 0) {
            if (file != NULL)
                remove(name);
            status = fail(message, shNoFile, "%s: cannot be written", path);
        }
    }
    FREE_ARRAY(memory, filtered, plain);
    FREE_ARRAY(memory, packed, bound);
    FREE_ARRAY(memory, name, nameSize);
    return status;
}
