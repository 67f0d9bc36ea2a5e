// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "solid/rest.h"

#include "core/message.h"
#include "tree/point_order.h"

static void measureCones(NormalCone* cones, const TetMesh* mesh)
{
    for (int n = 0; n < mesh->nodeCount; ++n)
        cones[n] = (NormalCone){.count = 0};
    for (int t = 0; t < mesh->triangleCount; ++t) {
        const int* triangle = mesh->triangles[t];
        Vec3 a = mesh->nodes[triangle[0]], b = mesh->nodes[triangle[1]], c = mesh->nodes[triangle[2]];
        Vec3 normal = vNormalize(vCross(vSub(b, a), vSub(c, a)));
        for (int k = 0; k < 3; ++k)
            coneAdd(&cones[triangle[k]], normal);
    }
    for (int n = 0; n < mesh->nodeCount; ++n)
        coneSeal(&cones[n]);
}

shStatus restBuild(Rest* rest, const shContext* context, Memory* memory, const TetMesh* mesh, shMessage* message)
{
    *rest = (Rest){0};
    shStatus status = restFieldBuild(&rest->field, context, memory, mesh, message);
    if (status != shOk)
        return status;
    int count = mesh->nodeCount;
    rest->tree = NEW_ARRAY(memory, TreePoint, count);
    rest->cones = NEW_ARRAY(memory, NormalCone, count);
    int* order = NEW_ARRAY(memory, int, count);
    if (rest->tree == NULL || rest->cones == NULL || order == NULL)
        status = failMemory(message);
    if (status == shOk)
        status = pointOrder(mesh->nodes, count, memory, order, NULL, message);
    if (status == shOk) {
        for (int n = 0; n < count; ++n)
            rest->tree[n].p = mesh->nodes[n];
        measureCones(rest->cones, mesh);
        status = sphereTreeBuild(rest->tree, order, count, memory, &rest->treeRoot, message);
        if (status == shOk && !samplesOfMesh(&rest->samples, memory, rest, mesh))
            status = failMemory(message);
    }
    FREE_ARRAY(memory, order, count);
    if (status != shOk)
        restFree(rest, memory);
    return status;
}

void restFree(Rest* rest, Memory* memory)
{
    int count = rest->field.topology.nodeCount;
    FREE_ARRAY(memory, rest->tree, count);
    FREE_ARRAY(memory, rest->cones, count);
    arrayFree(memory, &rest->samples);
    restFieldFree(&rest->field, memory);
    *rest = (Rest){0};
}
