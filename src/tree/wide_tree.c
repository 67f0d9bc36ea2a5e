// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "tree/wide_tree.h"

#include "mesh/tri_query.h"

// The binary tree that is drawn together, and what its nodes cover.
typedef struct Binary {
    TriQuery query;
    int *first, *count; // [nodeCount] triangles in tree order
} Binary;

static bool binaryBuild(Binary* binary, Memory* memory, const DVec3* vertices, const int (*triangles)[3], int count)
{
    if (!triQueryBuild(&binary->query, memory, vertices, triangles, count))
        return false;
    const TriQuery* query = &binary->query;
    binary->first = NEW_ARRAY(memory, int, query->nodeCount);
    binary->count = NEW_ARRAY(memory, int, query->nodeCount);
    if (query->nodeCount > 0 && (binary->first == NULL || binary->count == NULL))
        return false;
    for (int n = query->nodeCount - 1; n >= 0; --n) { // children come after their parents
        const TriNode* node = &query->nodes[n];
        bool leaf = node->count > 0;
        binary->first[n] = leaf ? node->first : binary->first[node->first];
        binary->count[n] = leaf ? node->count : binary->count[node->first] + binary->count[node->first + 1];
    }
    return true;
}

static void binaryFree(Binary* binary, Memory* memory)
{
    FREE_ARRAY(memory, binary->first, binary->query.nodeCount);
    FREE_ARRAY(memory, binary->count, binary->query.nodeCount);
    triQueryFree(&binary->query, memory);
}

static shBox boxOf(const Binary* binary, int n)
{
    return (shBox){binary->query.nodes[n].lower, binary->query.nodes[n].upper};
}

static float halfArea(shBox box)
{
    Vec3 s = boxSize(box);
    return s.x * s.y + s.y * s.z + s.z * s.x;
}

// Up to eight nodes that cover node n: the largest that does not fit a packet is opened, again and again.
static int openNode(const Binary* binary, int n, int open[wideLanes])
{
    int count = 1;
    open[0] = n;
    while (count < wideLanes) {
        int largest = -1;
        float area = -1.0f;
        for (int i = 0; i < count; ++i) {
            float mine = halfArea(boxOf(binary, open[i]));
            if (binary->count[open[i]] > wideLanes && mine > area)
                largest = i, area = mine;
        }
        if (largest < 0)
            break;
        int left = binary->query.nodes[open[largest]].first;
        open[largest] = left;
        open[count++] = left + 1;
    }
    return count;
}

static bool addPacket(WideTree* tree, Memory* memory, const Binary* binary, int n)
{
    if (!arrayReserve(memory, &tree->items, (int64_t)tree->items.count + wideLanes))
        return false;
    for (int lane = 0; lane < wideLanes; ++lane)
        tree->items.data[tree->items.count + lane] =
            lane < binary->count[n] ? binary->query.ids[binary->first[n] + lane] : -1;
    tree->items.count += wideLanes;
    return true;
}

// Nodes in order of breadth; sources[w] is the binary node that wide node w covers.
static bool drawTogether(WideTree* tree, Memory* memory, const Binary* binary, int* sources)
{
    if (!arrayReserve(memory, &tree->nodes, 1))
        return false;
    tree->nodes.data[tree->nodes.count++] = wideNodeEmpty();
    sources[0] = 0;
    for (int w = 0; w < tree->nodes.count && binary->query.nodeCount > 0; ++w) {
        int open[wideLanes], count = openNode(binary, sources[w], open);
        if (!arrayReserve(memory, &tree->nodes, (int64_t)tree->nodes.count + wideLanes))
            return false;
        for (int lane = 0; lane < count; ++lane) {
            int n = open[lane];
            if (binary->count[n] <= wideLanes) {
                wideNodeSet(&tree->nodes.data[w], lane, boxOf(binary, n), ~(tree->items.count / wideLanes));
                if (!addPacket(tree, memory, binary, n))
                    return false;
                continue;
            }
            wideNodeSet(&tree->nodes.data[w], lane, boxOf(binary, n), tree->nodes.count);
            sources[tree->nodes.count] = n;
            tree->nodes.data[tree->nodes.count++] = wideNodeEmpty();
        }
    }
    return true;
}

bool wideTreeBuild(WideTree* tree, Memory* memory, const DVec3* vertices, const int (*triangles)[3], int triangleCount)
{
    *tree = (WideTree){0};
    Binary binary = {0};
    bool fits = binaryBuild(&binary, memory, vertices, triangles, triangleCount);
    int sourceCount = binary.query.nodeCount + 1;
    int* sources = fits ? NEW_ARRAY(memory, int, sourceCount) : NULL;
    fits = sources != NULL && drawTogether(tree, memory, &binary, sources);
    FREE_ARRAY(memory, sources, sourceCount);
    binaryFree(&binary, memory);
    if (!fits)
        wideTreeFree(tree, memory);
    return fits;
}

void wideTreeFree(WideTree* tree, Memory* memory)
{
    arrayFree(memory, &tree->nodes);
    arrayFree(memory, &tree->items);
}

int64_t wideTreeBytes(const WideTree* tree)
{
    return (int64_t)sizeof(WideNode) * tree->nodes.capacity + (int64_t)sizeof(int) * tree->items.capacity;
}

bool wideTreeOverlaps(const WideTree* tree, shBox box, bool (*visit)(int slot, void* user), void* user)
{
    int stack[wideStack], stackCount = 0;
    stack[stackCount++] = 0;
    while (stackCount > 0) {
        int top = stack[--stackCount];
        if (top < 0) {
            int first = ~top * wideLanes;
            for (int slot = first; slot < first + wideLanes && tree->items.data[slot] >= 0; ++slot)
                if (!visit(slot, user))
                    return false;
            continue;
        }
        const WideNode* node = &tree->nodes.data[top];
        for (int lane = wideLanes - 1; lane >= 0; --lane)
            if (boxOverlaps(wideNodeBox(node, lane), box))
                stack[stackCount++] = node->child[lane];
    }
    return true;
}
