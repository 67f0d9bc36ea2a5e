// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "io/buffer.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void bufferFree(Buffer* buffer) { arrayFree(buffer->memory, &buffer->bytes); }

void bufferAdd(Buffer* buffer, const void* data, size_t size)
{
    if (size == 0 || buffer->failed)
        return;
    if (size > INT_MAX || !arrayReserve(buffer->memory, &buffer->bytes, (int64_t)buffer->bytes.count + (int64_t)size)) {
        buffer->failed = true;
        return;
    }
    memcpy(buffer->bytes.data + buffer->bytes.count, data, size);
    buffer->bytes.count += (int)size;
}

void bufferJoin(Buffer* buffer, const Buffer* other)
{
    buffer->failed = buffer->failed || other->failed;
    bufferAdd(buffer, other->bytes.data, (size_t)other->bytes.count);
}

void bufferPad(Buffer* buffer, int alignment, char filler)
{
    while (buffer->bytes.count % alignment != 0 && !buffer->failed)
        bufferAdd(buffer, &filler, 1);
}

void bufferPrint(Buffer* buffer, const char* format, ...)
{
    char text[512]; // names are the only thing without a bound; they go through bufferAdd or bufferQuoted
    va_list args;
    va_start(args, format);
    int size = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (size < 0 || size >= (int)sizeof(text))
        buffer->failed = true;
    else
        bufferAdd(buffer, text, (size_t)size);
}

static double powerOfTen(int exponent)
{
    double power = 1.0;
    for (int i = exponent < 0 ? -exponent : exponent; i > 0; --i)
        power *= 10.0;
    return exponent < 0 ? 1.0 / power : power;
}

// x > 0 as digits · 10^(exponent − precision + 1), digits of exactly `precision` places.
static int64_t decimalDigits(double x, int precision, int* exponent)
{
    double top = powerOfTen(precision), low = top / 10.0;
    int e = (int)floor(0.30102999566398120 * (double)ilogb(x)); // never too large, at most one too small
    double digits = floor(x * powerOfTen(precision - 1 - e) + 0.5);
    while (digits >= top)
        digits = floor(x * powerOfTen(precision - 1 - ++e) + 0.5);
    while (digits < low)
        digits = floor(x * powerOfTen(precision - 1 - --e) + 0.5);
    *exponent = e;
    return (int64_t)digits;
}

void bufferFloat(Buffer* buffer, float x)
{
    if (x == 0.0f || !isfinite(x)) { // neither JSON nor OBJ knows infinity; callers have checked
        bufferAdd(buffer, "0", 1);
        return;
    }
    if (x < 0.0f)
        bufferAdd(buffer, "-", 1);
    double magnitude = fabs((double)x);
    int exponent = 0, precision = 6;
    int64_t digits;
    for (;; ++precision) {
        digits = decimalDigits(magnitude, precision, &exponent);
        double back = (double)digits * powerOfTen(exponent - precision + 1);
        if (precision == 9 || (float)back == (float)magnitude)
            break;
    }
    while (digits % 10 == 0)
        digits /= 10, --precision;

    char text[16];
    int length = snprintf(text, sizeof(text), "%lld", (long long)digits);
    if (exponent >= 0 && exponent < 9) { // 12.5, 1200
        bufferAdd(buffer, text, (size_t)(length < exponent + 1 ? length : exponent + 1));
        for (int i = length; i < exponent + 1; ++i)
            bufferAdd(buffer, "0", 1);
        if (length > exponent + 1) {
            bufferAdd(buffer, ".", 1);
            bufferAdd(buffer, text + exponent + 1, (size_t)(length - exponent - 1));
        }
    } else if (exponent < 0 && exponent > -5) { // 0.00125
        bufferPrint(buffer, "0.%.*s%s", -exponent - 1, "000", text);
    } else { // 1.25e-7
        bufferPrint(buffer, "%c%s%se%d", text[0], length > 1 ? "." : "", text + 1, exponent);
    }
}

void bufferFloats(Buffer* buffer, const float* x, int count, const char* separator)
{
    for (int i = 0; i < count; ++i) {
        if (i > 0)
            bufferAdd(buffer, separator, strlen(separator));
        bufferFloat(buffer, x[i]);
    }
}

void bufferQuoted(Buffer* buffer, const char* text)
{
    bufferAdd(buffer, "\"", 1);
    for (const char* c = text; *c != 0; ++c) {
        if (*c == '"' || *c == '\\')
            bufferPrint(buffer, "\\%c", *c);
        else if ((unsigned char)*c < 0x20)
            bufferPrint(buffer, "\\u%04x", (unsigned)*c);
        else
            bufferAdd(buffer, c, 1);
    }
    bufferAdd(buffer, "\"", 1);
}
