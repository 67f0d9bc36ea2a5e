// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "mesh/adjacency.h"

#include "core/message.h"

#include <string.h>

bool keySetInit(KeySet* set, Memory* memory, int64_t capacity)
{
    memset(set, 0, sizeof *set);
    if (capacity > 1 << 29)
        return false;
    int slotCount = 16;
    while (slotCount < 2 * capacity)
        slotCount *= 2;
    int room = capacity > 0 ? (int)capacity : 1;
    set->keys = memAlloc(memory, memBytes((size_t)room, sizeof *set->keys));
    set->slots = NEW_ARRAY(memory, int, slotCount);
    set->capacity = room;
    set->slotCount = slotCount;
    if (set->keys == NULL || set->slots == NULL) {
        keySetFree(set, memory);
        return false;
    }
    memset(set->slots, 0xff, memBytes((size_t)slotCount, sizeof(int)));
    return true;
}

void keySetFree(KeySet* set, Memory* memory)
{
    FREE_ARRAY(memory, set->keys, set->capacity);
    FREE_ARRAY(memory, set->slots, set->slotCount);
    memset(set, 0, sizeof *set);
}

static void swapInts(int* a, int* b)
{
    int t = *a;
    *a = *b;
    *b = t;
}

// The slot that holds the (now ascending) key, or the free one where it belongs.
static int* keySlot(const KeySet* set, int key[3])
{
    if (key[0] > key[1])
        swapInts(&key[0], &key[1]);
    if (key[1] > key[2])
        swapInts(&key[1], &key[2]);
    if (key[0] > key[1])
        swapInts(&key[0], &key[1]);
    uint64_t hash = (uint32_t)key[0] * 0x9e3779b97f4a7c15u;
    hash = (hash ^ (hash >> 29) ^ (uint32_t)key[1]) * 0xbf58476d1ce4e5b9u;
    hash = (hash ^ (hash >> 31) ^ (uint32_t)key[2]) * 0x94d049bb133111ebu;
    uint32_t mask = (uint32_t)set->slotCount - 1;
    uint32_t slot = (uint32_t)(hash >> 32) & mask;
    while (set->slots[slot] >= 0 && memcmp(set->keys[set->slots[slot]], key, 3 * sizeof(int)) != 0)
        slot = (slot + 1) & mask;
    return &set->slots[slot];
}

int keySetAdd(KeySet* set, int a, int b, int c)
{
    int key[3] = {a, b, c};
    int* slot = keySlot(set, key);
    if (*slot < 0) {
        memcpy(set->keys[set->count], key, sizeof key);
        *slot = set->count++;
    }
    return *slot;
}

int keySetFind(const KeySet* set, int a, int b, int c)
{
    int key[3] = {a, b, c};
    return *keySlot(set, key);
}

// The same three nodes in the same cyclic order?
static bool sameTurn(const int* a, const int* b)
{
    int k = a[0] == b[0] ? 0 : a[0] == b[1] ? 1 : 2;
    return a[1] == b[(k + 1) % 3];
}

static void faceOf(const int (*tets)[4], int side, int face[3])
{
    for (int i = 0; i < 3; ++i)
        face[i] = tets[side / 4][tetFaces[side % 4][i]];
}

static shStatus failFace(const int (*tets)[4], int tetCount, int first, int second, shMessage* message)
{
    int face[3], other[3], owners = 0;
    faceOf(tets, first, face);
    for (int side = 0; side < 4 * tetCount; ++side) {
        faceOf(tets, side, other);
        int same = 0;
        for (int i = 0; i < 9; ++i)
            same += face[i / 3] == other[i % 3];
        owners += same == 3;
    }
    if (owners == 2)
        return fail(message, shBadMesh, "tetrahedra %d and %d overlap: both lie on the same side of face (%d, %d, %d)",
                    first / 4, second / 4, face[0], face[1], face[2]);
    return fail(message, shBadMesh, "tetrahedron %d: face (%d, %d, %d) is shared by %d tetrahedra", second / 4, face[0],
                face[1], face[2], owners);
}

shStatus matchFaces(Memory* memory, int tetCount, const int (*tets)[4], int (*neighbors)[4], shMessage* message)
{
    KeySet set;
    int64_t sides = 4 * (int64_t)tetCount;
    if (!keySetInit(&set, memory, sides))
        return failMemory(message);
    int* first = NEW_ARRAY(memory, int, sides); // by key: the side that brought it, −1 once it is matched
    shStatus status = first == NULL && sides > 0 ? failMemory(message) : shOk;
    int* flat = &neighbors[0][0];
    for (int side = 0; side < sides && status == shOk; ++side) {
        int face[3], other[3], known = set.count;
        faceOf(tets, side, face);
        int key = keySetAdd(&set, face[0], face[1], face[2]);
        if (key == known) {
            first[key] = side;
            flat[side] = -1;
            continue;
        }
        faceOf(tets, first[key], other);
        if (flat[first[key]] >= 0 || sameTurn(face, other)) {
            status = failFace(tets, tetCount, first[key], side, message);
            break;
        }
        flat[side] = first[key] / 4;
        flat[first[key]] = side / 4;
    }
    FREE_ARRAY(memory, first, sides);
    keySetFree(&set, memory);
    return status;
}

static shStatus failEdge(const int (*triangles)[3], int triangleCount, int first, int second, shMessage* message)
{
    int a = triangles[first / 3][first % 3], b = triangles[first / 3][(first % 3 + 1) % 3], owners = 0;
    for (int half = 0; half < 3 * triangleCount; ++half) {
        const int* t = triangles[half / 3];
        int c = t[half % 3], d = t[(half % 3 + 1) % 3];
        owners += (c == a && d == b) || (c == b && d == a);
    }
    if (owners == 1)
        return fail(message, shBadMesh, "triangle %d: nothing on the other side of edge (%d, %d): the surface is open",
                    first / 3, a, b);
    if (owners == 2)
        return fail(message, shBadMesh, "triangles %d and %d run the same way along edge (%d, %d): turn one of them",
                    first / 3, second / 3, a, b);
    return fail(message, shBadMesh, "triangle %d: edge (%d, %d) is shared by %d triangles", second / 3, a, b, owners);
}

shStatus matchEdges(Memory* memory, int triangleCount, const int (*triangles)[3], int* twins, shMessage* message)
{
    KeySet set;
    int64_t halves = 3 * (int64_t)triangleCount;
    if (!keySetInit(&set, memory, halves))
        return failMemory(message);
    int* first = NEW_ARRAY(memory, int, halves);
    shStatus status = first == NULL && halves > 0 ? failMemory(message) : shOk;
    for (int half = 0; half < halves && status == shOk; ++half) {
        const int* t = triangles[half / 3];
        int known = set.count, key = keySetAddEdge(&set, t[half % 3], t[(half % 3 + 1) % 3]);
        twins[half] = -1;
        if (key == known) {
            first[key] = half;
            continue;
        }
        const int* o = triangles[first[key] / 3];
        if (twins[first[key]] >= 0 || o[first[key] % 3] == t[half % 3]) {
            status = failEdge(triangles, triangleCount, first[key], half, message);
            break;
        }
        twins[half] = first[key];
        twins[first[key]] = half;
    }
    for (int half = 0; half < halves && status == shOk; ++half)
        if (twins[half] < 0)
            status = failEdge(triangles, triangleCount, half, half, message);
    FREE_ARRAY(memory, first, halves);
    keySetFree(&set, memory);
    return status;
}
