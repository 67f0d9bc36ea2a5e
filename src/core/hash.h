// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A 64-bit content hash of a stream of bytes: for checksums, golden results and asset identity, not
// against an adversary. The value depends on the bytes and the seed only, not on how the stream was cut
// into calls nor on the machine's byte order. Words of four lanes run in parallel: several GB/s.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define HASH_STRIPE 32

typedef struct Hash {
    uint64_t lanes[4];
    uint64_t length;
    uint8_t pending[HASH_STRIPE]; // the first length mod 32 bytes are waiting
} Hash;

Hash hashStart(uint64_t seed);
void hashBytes(Hash* hash, const void* bytes, size_t count);
void hashU32(Hash* hash, uint32_t value); // as four bytes, least significant first
void hashU64(Hash* hash, uint64_t value);
void hashF32(Hash* hash, float value); // by bits: −0 and 0 differ
void hashF64(Hash* hash, double value);
uint64_t hashValue(const Hash* hash); // of all bytes so far; more may follow

// The whole in one call.
uint64_t hashOf(const void* bytes, size_t count, uint64_t seed);

// A bijection of 64 bits in which every input bit moves about half of the output bits: keys of hash tables.
static inline uint64_t hashMix(uint64_t x)
{
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    return x ^ (x >> 32);
}
