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

// A Hilbert curve, from large cubes to small: in each of its 24 positions, for each octant, 8 times the position that
// the curve has there, and as the how-manieth it gets there.
static const uint8_t hilbertSteps[24][8] = {
    {8, 17, 27, 2, 39, 46, 52, 5},
    {56, 71, 73, 86, 91, 20, 10, 13},
    {48, 1, 103, 110, 115, 18, 12, 21},
    {126, 129, 29, 26, 79, 80, 140, 3},
    {148, 43, 37, 34, 127, 128, 78, 81},
    {156, 45, 35, 42, 31, 6, 160, 105},
    {72, 87, 139, 4, 57, 70, 50, 53},
    {0, 171, 111, 76, 49, 58, 102, 61},
    {180, 143, 83, 184, 69, 54, 66, 97},
    {16, 123, 9, 74, 47, 60, 38, 77},
    {132, 95, 85, 14, 67, 144, 82, 33},
    {142, 55, 185, 96, 93, 116, 90, 11},
    {188, 107, 175, 176, 101, 98, 62, 65},
    {164, 109, 119, 22, 99, 106, 152, 41},
    {174, 177, 63, 64, 117, 114, 92, 19},
    {30, 125, 161, 122, 7, 172, 104, 75},
    {130, 25, 133, 166, 179, 136, 84, 191},
    {94, 15, 141, 28, 145, 32, 138, 51},
    {146, 155, 149, 36, 137, 24, 190, 167},
    {154, 157, 147, 44, 169, 182, 120, 135},
    {162, 165, 121, 134, 187, 108, 168, 183},
    {118, 173, 23, 124, 153, 170, 40, 59},
    {178, 113, 131, 88, 181, 158, 68, 151},
    {186, 163, 89, 112, 189, 100, 150, 159},
};

// Eight bits, two zeros after each.
static uint32_t spread(uint32_t x)
{
    x = (x | x << 8) & 0x00f00fu;
    x = (x | x << 4) & 0x0c30c3u;
    return (x | x << 2) & 0x249249u;
}

static uint32_t hilbert(uint32_t x, uint32_t y, uint32_t z)
{
    uint32_t octants = spread(x) << 2 | spread(y) << 1 | spread(z), key = 0, position = 0;
    for (int shift = 21; shift >= 0; shift -= 3) {
        uint32_t step = hilbertSteps[position][octants >> shift & 7u];
        position = step >> 3;
        key = key << 3 | (step & 7u);
    }
    return key;
}

static uint32_t stepsAlong(float x) { return (uint32_t)clampF(x, 0.0f, 255.0f); }

// Along a curve through a cube around the box.
static void order(const SkinSource* source, const int* features, int count, shBox box, uint64_t* keys,
                  uint64_t* scratch)
{
    Vec3 size = boxSize(box), lower = vScale(3.0f, box.lower);
    float longest = maxF(size.x, maxF(size.y, size.z)), scale = longest > 0.0f ? 255.0f / (3.0f * longest) : 0.0f;
    for (int i = 0; i < count; ++i) {
        Vec3 p[3];
        skinCorners(source, features[i], p);
        Vec3 at = vScale(scale, vSub(vAdd(p[0], vAdd(p[1], p[2])), lower));
        uint32_t key = hilbert(stepsAlong(at.x), stepsAlong(at.y), stepsAlong(at.z));
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
               const int* features, int count, shBox box, uint64_t* keys)
{
    order(source, features, count, box, keys, keys + count);
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
