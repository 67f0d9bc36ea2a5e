// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "tree/tree_state.h"

// Every point hangs in the tree of its own piece, and nowhere else: walks end, whatever they look for. Fills in parents
// and radii on the way.
static void linkTrees(Stream* stream, PieceTrees* trees, const FragmentField* field)
{
    TreePoint* points = trees->own.data;
    int count = trees->own.count, reached = 0;
    for (int i = 0; i < count; ++i)
        points[i].parent = count; // not met yet
    for (int piece = 0; piece < trees->roots.count && streamOk(stream); ++piece) {
        int at = trees->roots.data[piece], above = -1;
        for (;;) {
            streamCheck(stream, at >= 0 && at < count && points[at].parent == count, "a tree goes round in a circle");
            streamCheck(stream, streamOk(stream) && treePointLabel(field, at) == piece,
                        "a point hangs in the tree of another piece");
            streamCheck(stream, streamOk(stream) && (above >= 0 || points[at].sibling < 0), "a tree has two roots");
            if (!streamOk(stream))
                return;
            points[at].parent = above;
            ++reached;
            if (points[at].child >= 0) {
                above = at;
                at = points[at].child;
                continue;
            }
            while (at >= 0 && points[at].sibling < 0)
                at = points[at].parent;
            if (at < 0)
                break;
            above = points[at].parent;
            at = points[at].sibling;
        }
    }
    streamCheck(stream, reached == count, "a point hangs in no tree");
    for (int i = 0; i < count && streamOk(stream); ++i)
        points[i].radius = points[i].child >= 0 ? points[points[i].child].reach : 0.0f;
}

void streamTrees(Stream* stream, PieceTrees* trees, const FragmentField* field)
{
    if (field->labels == NULL || !streamOk(stream))
        return;
    int nodeCount = field->rest->mesh->nodeCount;
    streamReserve(stream, trees->memory, &trees->roots, field->pieces.count);
    streamReserve(stream, trees->memory, &trees->own, nodeCount + 2 * field->cuts.count);
    if (streamOk(stream))
        streamI32s(stream, trees->roots.data, trees->roots.count);
    for (int i = 0; i < trees->own.count && streamOk(stream); ++i) {
        TreePoint* point = &trees->own.data[i];
        streamI32(stream, &point->child);
        streamI32(stream, &point->sibling);
        streamF32(stream, &point->reach);
        streamCheck(stream, point->reach >= 0.0f && isfinite(point->reach), "a point of a tree reaches nowhere");
        if (streamReads(stream))
            point->p = i < nodeCount ? field->rest->mesh->nodes[i] : field->cuts.data[(i - nodeCount) / 2].p;
    }
    if (streamReads(stream) && streamOk(stream))
        linkTrees(stream, trees, field);
    if (streamReads(stream) && !streamOk(stream))
        treesFree(trees);
}
