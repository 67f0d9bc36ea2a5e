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

// ---- order ----------------------------------------------------------------------------------------------------------

// Eight bits, two zeros after each.
static uint32_t spread(uint32_t x)
{
    x = (x | x << 8) & 0x00f00fu;
    x = (x | x << 4) & 0x0c30c3u;
    return (x | x << 2) & 0x249249u;
}

// Sorts features along a Morton curve of 256 steps along the box's longest side.
static void order(const SkinSource* source, const int* features, int count, shBox box, uint64_t* keys,
                  uint64_t* scratch)
{
    Vec3 size = boxSize(box);
    float longest = maxF(size.x, maxF(size.y, size.z)), scale = longest > 0.0f ? 255.0f / (3.0f * longest) : 0.0f;
    for (int i = 0; i < count; ++i) {
        Vec3 p[3];
        skinCorners(source, features[i], p);
        Vec3 at = vSub(vAdd(p[0], vAdd(p[1], p[2])), vScale(3.0f, box.lower));
        uint32_t x = (uint32_t)clampF(scale * at.x, 0.0f, 255.0f), y = (uint32_t)clampF(scale * at.y, 0.0f, 255.0f),
                 z = (uint32_t)clampF(scale * at.z, 0.0f, 255.0f);
        uint32_t key = spread(x) << 2 | spread(y) << 1 | spread(z);
        keys[i] = (uint64_t)key << 32 | (uint32_t)features[i];
    }
    sortUpperKeys(keys, scratch, count);
}

// ---- making ---------------------------------------------------------------------------------------------------------

static void setLane(SkinPacket* packet, int lane, const Vec3 p[3], int feature)
{
    packet->a[0][lane] = p[0].x, packet->a[1][lane] = p[0].y, packet->a[2][lane] = p[0].z;
    packet->b[0][lane] = p[1].x, packet->b[1][lane] = p[1].y, packet->b[2][lane] = p[1].z;
    packet->c[0][lane] = p[2].x, packet->c[1][lane] = p[2].y, packet->c[2][lane] = p[2].z;
    packet->features[lane] = feature;
}

static void setBox(SkinNode* node, int lane, shBox box)
{
    node->lower[0][lane] = box.lower.x, node->lower[1][lane] = box.lower.y, node->lower[2][lane] = box.lower.z;
    node->upper[0][lane] = box.upper.x, node->upper[1][lane] = box.upper.y, node->upper[2][lane] = box.upper.z;
}

// Closest points may leave their triangle by rounding, but not its packet's box.
static shBox widened(shBox box)
{
    Vec3 extent = vMax(vMax(vNeg(box.lower), box.upper), vMax(vNeg(box.upper), box.lower));
    return boxGrow(box, ROUNDING * maxF(extent.x, maxF(extent.y, extent.z)));
}

// Lanes that are left over hold the last triangle once more, of nobody.
static shBox makePacket(SkinPacket* packet, const SkinSource* source, const uint64_t* keys, int count)
{
    shBox box = boxEmpty();
    for (int lane = 0; lane < skinLanes; ++lane) {
        int feature = (int)(uint32_t)keys[minI(lane, count - 1)];
        Vec3 p[3];
        skinCorners(source, feature, p);
        setLane(packet, lane, p, lane < count ? feature : noFeature);
        box = boxAdd(boxAdd(boxAdd(box, p[0]), p[1]), p[2]);
    }
    return widened(box);
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
               const int* features, int count, shBox box, uint64_t* keys, uint64_t* scratch)
{
    order(source, features, count, box, keys, scratch);
    tree->packetCount = skinPacketCount(count);
    tree->nodeCount = skinNodeCount(tree->packetCount);
    tree->count = count;
    for (int i = 0; i < tree->packetCount; ++i) {
        int lanes = minI(count - skinLanes * i, skinLanes);
        setBox(&nodes[i / skinLanes], i % skinLanes, makePacket(&packets[i], source, &keys[skinLanes * i], lanes));
        alive[i] = (uint8_t)((1u << lanes) - 1u);
    }
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
    if (enough) {
        shBox box = boxEmpty();
        for (int t = 0; t < count; ++t) {
            features[t] = t;
            for (int k = 0; k < 3; ++k)
                box = boxAdd(box, mesh->nodes[mesh->triangles[t][k]]);
        }
        skinBuild(&skin->tree, skin->packets, skin->alive, skin->nodes, &(SkinSource){mesh, NULL}, features, count, box,
                  keys, keys + count);
    }
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
