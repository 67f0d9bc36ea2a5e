// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "field/normal_cone.h"

#include "core/constants.h"

void coneAdd(NormalCone* cone, Vec3 normal)
{
    if (cone->count > coneNormals)
        return;
    for (int i = 0; i < cone->count; ++i) {
        Vec3 sum = cone->normals[i];
        if (vDot(sum, normal) > CONE_SAME * vLength(sum)) {
            cone->normals[i] = vAdd(sum, normal);
            return;
        }
    }
    if (cone->count < coneNormals)
        cone->normals[cone->count] = normal;
    ++cone->count;
}

void coneSeal(NormalCone* cone)
{
    if (cone->count > coneNormals)
        cone->count = 0;
    for (int i = 0; i < cone->count; ++i)
        cone->normals[i] = vNormalize(cone->normals[i]);
}

NormalCone coneTurn(const NormalCone* cone, Mat3 rotation)
{
    NormalCone turned = {.count = cone->count};
    for (int i = 0; i < cone->count; ++i)
        turned.normals[i] = mMul(rotation, cone->normals[i]);
    return turned;
}

int coneGetDirections(const NormalCone* cone, Vec3 directions[coneDirections])
{
    int count = 0;
    Vec3 middle = {0.0f, 0.0f, 0.0f};
    for (int i = 0; i < cone->count; ++i) {
        directions[count++] = cone->normals[i];
        middle = vAdd(middle, cone->normals[i]);
    }
    for (int i = 0; i < cone->count; ++i) {
        for (int k = 0; k < i; ++k)
            directions[count++] = vAdd(cone->normals[i], cone->normals[k]);
    }
    if (cone->count > 2)
        directions[count++] = middle;
    return count;
}

bool coneFaces(const NormalCone* cone, Vec3 normal)
{
    Vec3 directions[coneDirections];
    int count = coneGetDirections(cone, directions);
    float most = -FACING_MARGIN * vLength(normal);
    for (int i = 0; i < count; ++i) {
        if (vDot(directions[i], normal) < most * vLength(directions[i]))
            return true;
    }
    return count == 0;
}

NormalCone coneOfCut(const NormalCone* own, const NormalCone* other, Vec3 node, Vec3 otherNode)
{
    NormalCone cone = {.normals = {vNormalize(vSub(otherNode, node))}, .count = 1};
    for (int i = 0; i < own->count && cone.count < coneNormals; ++i) {
        bool shared = false;
        for (int k = 0; k < other->count; ++k)
            shared = shared || vDot(own->normals[i], other->normals[k]) > CONE_SAME;
        if (shared)
            cone.normals[cone.count++] = own->normals[i];
    }
    return cone;
}
