// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cook/crossings.h"

#include "core/message.h"
#include "sherd/triangle_tree.h"

static bool countPair(int a, int b, void* user)
{
    (void)a, (void)b;
    ++*(int*)user;
    return true;
}

shStatus countCrossings(shContext* context, const TetMesh* mesh, int* count, shMessage* message)
{
    *count = 0;
    shTriangles surface = {mesh->surfaceNodeCount, mesh->triangleCount, mesh->nodes, (const int(*)[3])mesh->triangles};
    shBox* boxes = NEW_ARRAY(&context->memory, shBox, mesh->triangleCount);
    if (boxes == NULL)
        return failMemory(message);
    shBoxTreeDef def = shDefaultBoxTreeDef();
    shBoxTree* tree = NULL;
    shStatus status = shTriangleBoxes(&surface, 0, mesh->triangleCount, boxes, message);
    if (status == shOk)
        status = shCreateBoxTree(context, &def, &tree, message);
    if (status == shOk)
        status = shBoxTree_Build(tree, mesh->triangleCount, NULL, boxes, message);
    if (status == shOk)
        status = shTriangles_CollideSelf(tree, &surface, countPair, count, message);
    shDestroyBoxTree(tree);
    FREE_ARRAY(&context->memory, boxes, mesh->triangleCount);
    return status;
}
