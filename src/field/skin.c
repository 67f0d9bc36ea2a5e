// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "field/skin.h"

#include "core/constants.h"
#include "core/sort.h"

void skinCorners(const SkinSource* source, int feature, Vec3 corners[3])
{
    for (int k = 0; k < 3; ++k)
        corners[k] =
            feature < 0 ? source->facets[~feature].p[k] : source->mesh->nodes[source->mesh->triangles[feature][k]];
}

static int eighths(int count) { return (count + skinLanes - 1) / skinLanes; }

int skinPacketCount(int triangles) { return eighths(triangles); }

int skinNodeCount(int packets)
{
    int total = 0;
    for (int count = packets; count > 0; count = count > 1 ? count : 0) {
        count = eighths(count);
        total += count;
    }
    return total;
}

// ---- making ---------------------------------------------------------------------------------------------------------

static void setBox(SkinNode* node, int lane, shBox box)
{
    node->lower[0][lane] = box.lower.x, node->lower[1][lane] = box.lower.y, node->lower[2][lane] = box.lower.z;
    node->upper[0][lane] = box.upper.x, node->upper[1][lane] = box.upper.y, node->upper[2][lane] = box.upper.z;
}

static shBox boxOfNode(const SkinNode* node)
{
    shBox box = boxEmpty();
    for (int lane = 0; lane < skinLanes; ++lane) {
        Vec3 lower = {node->lower[0][lane], node->lower[1][lane], node->lower[2][lane]};
        Vec3 upper = {node->upper[0][lane], node->upper[1][lane], node->upper[2][lane]};
        box = boxUnion(box, (shBox){lower, upper});
    }
    return box;
}

static void emptyLanes(SkinNode* node, int from)
{
    for (int lane = from; lane < skinLanes; ++lane)
        setBox(node, lane, boxEmpty());
}

void skinBuild(SkinTree* tree, SkinPacket* packets, uint8_t* alive, SkinNode* nodes, const SkinSource* source,
               const int* features, int count, shBox box, uint64_t* keys)
{
    SIMD_CHOOSE(skinKeys)(keys, source, features, count, box, count <= SKIN_COARSE ? SKIN_COARSE_LEVELS : SKIN_LEVELS);
    sortUpperKeys(keys, keys + count, count);
    tree->packetCount = skinPacketCount(count);
    tree->nodeCount = skinNodeCount(tree->packetCount);
    tree->count = count;
    SIMD_CHOOSE(skinPack)(packets, nodes, source, keys, count);
    for (int i = 0; i < tree->packetCount; ++i)
        alive[i] = (uint8_t)((1u << minI(count - skinLanes * i, skinLanes)) - 1u);
    tree->levels = 0;
    int start = 0, below = tree->packetCount;
    for (int size = eighths(below);; size = eighths(below)) {
        emptyLanes(&nodes[start + size - 1], below - skinLanes * (size - 1));
        tree->starts[tree->levels++] = start;
        if (size == 1)
            break;
        for (int i = 0; i < size; ++i)
            setBox(&nodes[start + size + i / skinLanes], i % skinLanes, boxOfNode(&nodes[start + i]));
        start += size;
        below = size;
    }
}

bool skinOfMesh(Skin* skin, Memory* memory, const TetMesh* mesh)
{
    int count = mesh->triangleCount, packets = skinPacketCount(count);
    *skin = (Skin){.tree = {.packetCount = packets, .nodeCount = skinNodeCount(packets), .next = -1, .rest = true}};
    skin->packets = NEW_ARRAY(memory, SkinPacket, packets);
    skin->alive = NEW_ARRAY(memory, uint8_t, packets);
    skin->nodes = NEW_ARRAY(memory, SkinNode, skin->tree.nodeCount);
    int* features = NEW_ARRAY(memory, int, count);
    uint64_t* keys = NEW_ARRAY(memory, uint64_t, 2 * (int64_t)count);
    bool enough = skin->packets && skin->alive && skin->nodes && features && keys;
    shBox box = boxEmpty();
    for (int t = 0; t < count && enough; ++t) {
        features[t] = t;
        for (int k = 0; k < 3; ++k)
            box = boxAdd(box, mesh->nodes[mesh->triangles[t][k]]);
    }
    if (enough)
        skinBuild(&skin->tree, skin->packets, skin->alive, skin->nodes, &(SkinSource){mesh, NULL}, features, count, box,
                  keys);
    FREE_ARRAY(memory, features, count);
    FREE_ARRAY(memory, keys, 2 * (int64_t)count);
    if (!enough)
        skinFree(skin, memory);
    return enough;
}

void skinFree(Skin* skin, Memory* memory)
{
    FREE_ARRAY(memory, skin->packets, skin->tree.packetCount);
    FREE_ARRAY(memory, skin->alive, skin->tree.packetCount);
    FREE_ARRAY(memory, skin->nodes, skin->tree.nodeCount);
    *skin = (Skin){0};
}

// ---- boxes ----------------------------------------------------------------------------------------------------------

static unsigned meet(const SkinNode* node, shBox box)
{
    unsigned bits = 0;
    for (int lane = 0; lane < skinLanes; ++lane) {
        bool apart = node->lower[0][lane] > node->upper[0][lane] || node->lower[0][lane] > box.upper.x ||
                     node->upper[0][lane] < box.lower.x || node->lower[1][lane] > box.upper.y ||
                     node->upper[1][lane] < box.lower.y || node->lower[2][lane] > box.upper.z ||
                     node->upper[2][lane] < box.lower.z;
        bits |= (unsigned)!apart << lane;
    }
    return bits;
}

bool skinVisitBox(const SkinView* view, shBox box, SkinVisit* visit, void* user)
{
    struct {
        int level, index;
    } stack[skinStack];
    int waits = 0;
    stack[waits].level = view->tree->levels - 1;
    stack[waits++].index = 0;
    while (waits > 0) {
        int level = stack[--waits].level, index = stack[waits].index;
        unsigned bits = meet(&view->nodes[view->tree->starts[level] + index], box);
        for (int lane = 0; lane < skinLanes; ++lane) {
            if ((bits >> lane & 1u) == 0)
                continue;
            if (level == 0 && !visit(view, skinLanes * index + lane, user))
                return false;
            if (level > 0) {
                stack[waits].level = level - 1;
                stack[waits++].index = skinLanes * index + lane;
            }
        }
    }
    return true;
}
