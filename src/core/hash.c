// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Each lane takes every fourth 8-byte word: lane ← rotate((lane xor word) · odd) + odd. A step is a bijection
// of the lane and of the word, so two streams that differ in one word always differ. The lanes meet in
// hashValue, through a full mix each, together with the length (which tells padding from data).
#include "core/hash.h"

#include <string.h>

#define MULTIPLIER 0x9fb21c651e98df25u
#define OFFSET 0x8ebc6af09c88c6e3u

static uint64_t rotate(uint64_t x, int n) { return (x << n) | (x >> (64 - n)); }

static uint64_t readWord(const uint8_t* p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

static void absorb(uint64_t lanes[4], const uint8_t* stripe)
{
    for (int i = 0; i < 4; ++i)
        lanes[i] = rotate((lanes[i] ^ readWord(stripe + 8 * i)) * MULTIPLIER, 29) + OFFSET;
}

Hash hashStart(uint64_t seed)
{
    Hash hash = {.length = 0};
    for (int i = 0; i < 4; ++i)
        hash.lanes[i] = hashMix(seed + (uint64_t)(i + 1) * OFFSET);
    return hash;
}

void hashBytes(Hash* hash, const void* bytes, size_t count)
{
    if (count == 0)
        return;
    const uint8_t* p = bytes;
    size_t waiting = (size_t)(hash->length % HASH_STRIPE);
    hash->length += count;
    if (waiting > 0) {
        size_t wanted = HASH_STRIPE - waiting, taken = count < wanted ? count : wanted;
        memcpy(hash->pending + waiting, p, taken);
        if (taken < wanted)
            return;
        absorb(hash->lanes, hash->pending);
        p += taken;
        count -= taken;
    }
    uint64_t lanes[4];
    memcpy(lanes, hash->lanes, sizeof lanes);
    for (; count >= HASH_STRIPE; count -= HASH_STRIPE, p += HASH_STRIPE)
        absorb(lanes, p);
    memcpy(hash->lanes, lanes, sizeof lanes);
    memcpy(hash->pending, p, count);
}

void hashU32(Hash* hash, uint32_t value)
{
    uint8_t bytes[4];
    for (int i = 0; i < 4; ++i)
        bytes[i] = (uint8_t)(value >> (8 * i));
    hashBytes(hash, bytes, sizeof bytes);
}

void hashU64(Hash* hash, uint64_t value)
{
    hashU32(hash, (uint32_t)value);
    hashU32(hash, (uint32_t)(value >> 32));
}

void hashF32(Hash* hash, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    hashU32(hash, bits);
}

void hashF64(Hash* hash, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    hashU64(hash, bits);
}

uint64_t hashValue(const Hash* hash)
{
    uint64_t lanes[4];
    memcpy(lanes, hash->lanes, sizeof lanes);
    size_t waiting = (size_t)(hash->length % HASH_STRIPE);
    if (waiting > 0) {
        uint8_t stripe[HASH_STRIPE] = {0};
        memcpy(stripe, hash->pending, waiting);
        absorb(lanes, stripe);
    }
    uint64_t value = hashMix(hash->length + OFFSET);
    for (int i = 0; i < 4; ++i)
        value = hashMix(rotate(value, 23) * MULTIPLIER ^ lanes[i]);
    return value;
}

uint64_t hashOf(const void* bytes, size_t count, uint64_t seed)
{
    Hash hash = hashStart(seed);
    hashBytes(&hash, bytes, count);
    return hashValue(&hash);
}
