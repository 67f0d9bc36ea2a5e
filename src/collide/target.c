// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "collide/target.h"

#include "core/constants.h"

Target targetPiece(const shSolid* solid, int piece)
{
    const shAsset* asset = solid->asset;
    const DistanceGridShape* grid = &asset->grid.shape;
    const FragmentField* field = &solid->field;
    return (Target){.solid = solid,
                    .piece = piece,
                    .broken = field->labels != NULL,
                    .masked = field->labels != NULL && field->pieces.data[piece].masked,
                    .near = field->labels != NULL && field->paper.nodes == NULL &&
                            field->pieces.data[piece].near.size[0] > 0,
                    .box = field->labels != NULL ? fieldBox(field, piece) : asset->box,
                    .hull = field->labels != NULL ? &field->pieces.data[piece].hull : &asset->hull,
                    .gridError = asset->gridIsFine ? 0.87f * grid->cellSize + grid->slack : INFINITY};
}

Target targetShape(const shShape* shape) { return (Target){.shape = *shape}; }

Target targetScenery(const SceneryPatch* patch) { return (Target){.scenery = patch}; }

bool targetShapeValid(const shShape* shape)
{
    Vec3 half = shape->halfExtent;
    switch (shape->type) {
    case shPlaneShape:
        return true;
    case shSphereShape:
        return shape->radius >= 0.0f && isfinite(shape->radius);
    case shCapsuleShape:
        return shape->radius >= 0.0f && shape->halfHeight >= 0.0f && isfinite(shape->radius + shape->halfHeight);
    case shBoxShape:
        return half.x >= 0.0f && half.y >= 0.0f && half.z >= 0.0f && vFinite(half);
    default:
        return false;
    }
}

// ---- shapes ---------------------------------------------------------------------------------------------------------

static FieldHit roundHit(Vec3 p, Vec3 core, float radius)
{
    Vec3 away = vSub(p, core);
    float length = vLength(away);
    Vec3 normal = length > 0.0f ? vScale(1.0f / length, away) : vec3(0.0f, 1.0f, 0.0f);
    return (FieldHit){length - radius, normal, vMad(core, radius, normal), 0};
}

static FieldHit boxHit(Vec3 p, Vec3 half)
{
    Vec3 q = vMin(vMax(p, vNeg(half)), half);
    Vec3 away = vSub(p, q);
    float length = vLength(away);
    if (length > 0.0f)
        return (FieldHit){length, vScale(1.0f / length, away), q, 0};
    // Inside: out by the nearest face.
    Vec3 depth = {half.x - fabsf(p.x), half.y - fabsf(p.y), half.z - fabsf(p.z)};
    if (depth.x <= depth.y && depth.x <= depth.z) {
        float side = p.x < 0.0f ? -1.0f : 1.0f;
        return (FieldHit){-depth.x, {side, 0.0f, 0.0f}, {side * half.x, p.y, p.z}, 0};
    }
    if (depth.y <= depth.z) {
        float side = p.y < 0.0f ? -1.0f : 1.0f;
        return (FieldHit){-depth.y, {0.0f, side, 0.0f}, {p.x, side * half.y, p.z}, 0};
    }
    float side = p.z < 0.0f ? -1.0f : 1.0f;
    return (FieldHit){-depth.z, {0.0f, 0.0f, side}, {p.x, p.y, side * half.z}, 0};
}

static FieldHit shapeHit(const shShape* shape, Vec3 p)
{
    switch (shape->type) {
    case shSphereShape:
        return roundHit(p, vec3(0.0f, 0.0f, 0.0f), shape->radius);
    case shCapsuleShape:
        return roundHit(p, vec3(0.0f, clampF(p.y, -shape->halfHeight, shape->halfHeight), 0.0f), shape->radius);
    case shBoxShape:
        return boxHit(p, shape->halfExtent);
    case shPlaneShape:
    default:
        return (FieldHit){p.y, {0.0f, 1.0f, 0.0f}, {p.x, 0.0f, p.z}, 0};
    }
}

// What is known of p at once, where the target is no piece.
static float boundOf(const Target* target, Vec3 p)
{
    return target->scenery != NULL ? sceneryBound(target->scenery, p) : shapeHit(&target->shape, p).distance;
}

enum {
    boxCorners = 8,
    boxEdgeSamples = 12 * 3, // quarters of the edges
    boxFaceSamples = 6 * 9,  // and of the faces
};

int targetShapeSampleCount(const shShape* shape)
{
    switch (shape->type) {
    case shSphereShape:
        return 1;
    case shCapsuleShape:
        return 5;
    case shBoxShape:
        return boxCorners + boxEdgeSamples + boxFaceSamples;
    default:
        return 0;
    }
}

// Corners first, then edges, then faces; coordinates in half extents.
static Vec3 boxSample(int index)
{
    static const float quarters[3] = {-0.5f, 0.0f, 0.5f};
    float at[3];
    if (index < boxCorners) {
        for (int k = 0; k < 3; ++k)
            at[k] = index >> k & 1 ? 1.0f : -1.0f;
    } else if (index < boxCorners + boxEdgeSamples) {
        int edge = (index - boxCorners) / 3, axis = edge / 4;
        at[axis] = quarters[(index - boxCorners) % 3];
        at[(axis + 1) % 3] = edge & 1 ? 1.0f : -1.0f;
        at[(axis + 2) % 3] = edge & 2 ? 1.0f : -1.0f;
    } else {
        int face = (index - boxCorners - boxEdgeSamples) / 9, k = (index - boxCorners - boxEdgeSamples) % 9;
        int axis = face / 2;
        at[axis] = face & 1 ? 1.0f : -1.0f;
        at[(axis + 1) % 3] = quarters[k % 3];
        at[(axis + 2) % 3] = quarters[k / 3];
    }
    return vec3(at[0], at[1], at[2]);
}

Vec3 targetShapeSample(const shShape* shape, int index, float* thickness)
{
    *thickness = shape->type == shBoxShape ? 0.0f : shape->radius;
    switch (shape->type) {
    case shBoxShape: {
        Vec3 at = boxSample(index), half = shape->halfExtent;
        return vec3(at.x * half.x, at.y * half.y, at.z * half.z);
    }
    case shCapsuleShape:
        return vec3(0.0f, shape->halfHeight * (0.5f * (float)index - 1.0f), 0.0f);
    default:
        return vec3(0.0f, 0.0f, 0.0f);
    }
}

// ---- pieces ---------------------------------------------------------------------------------------------------------

unsigned targetLookUp(const Target* target, const TargetFrame* frame, TargetBatch* batch, int count, float threshold)
{
    if (target->solid != NULL)
        return SIMD_CHOOSE(targetBounds)(target, frame, batch, (1u << count) - 1u, threshold);
    unsigned open = 0; // nobody asks shapes and scenery how far the others were
    for (int i = 0; i < count; ++i) {
        Vec3 p = vAdd(mMul(frame->rotation, vec3(batch->x[i], batch->y[i], batch->z[i])), frame->offset);
        batch->x[i] = p.x, batch->y[i] = p.y, batch->z[i] = p.z;
        batch->distance[i] = boundOf(target, p);
        open |= (batch->distance[i] - batch->radius[i] <= threshold ? 1u : 0u) << i;
    }
    return open;
}

TargetSample targetSample(const Target* target, Vec3 p)
{
    const TargetFrame same = {{{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}}, {0.0f, 0.0f, 0.0f}};
    TargetBatch batch = {.x = {p.x}, .y = {p.y}, .z = {p.z}};
    targetLookUp(target, &same, &batch, 1, INFINITY);
    return (TargetSample){batch.distance[0], batch.rest[0], batch.depth[0]};
}

static FieldHit gridHit(const DistanceGrid* grid, Vec3 p)
{
    DistanceSample sample = distanceGridSample(grid, p);
    Vec3 normal = vNormalize(sample.gradient);
    return (FieldHit){sample.distance, normal, vMad(p, -sample.distance, normal), noFeature};
}

float targetNear(const Target* target, Vec3 p)
{
    const FragmentField* field = &target->solid->field;
    return target->near ? nearGridBound(field, target->piece, p) : -INFINITY;
}

float targetProbe(const Target* target, Vec3 p, const TargetSample* sample, float margin, float interest,
                  const NormalCone* cone, bool* found, FieldHit* hit)
{
    *found = false;
    if (target->scenery != NULL)
        return sceneryProbe(target->scenery, p, sample->distance, margin, interest, cone, found, hit);
    if (target->solid == NULL) {
        *hit = shapeHit(&target->shape, p);
        *found = hit->distance < margin;
        return hit->distance;
    }
    const FragmentField* field = &target->solid->field;
    float error = target->gridError, band = field->rest->cells->band;
    if (!target->broken) {
        if (sample->distance > margin)
            return sample->distance;
        if (sample->rest < -error) {
            // More than a cell deep a fine grid is good enough; it bends only at edges, which are near no such point.
            *hit = gridHit(&target->solid->asset->grid, p);
            *found = hit->distance < margin;
            return hit->distance;
        }
        FieldProbe probe = {p, maxF(margin, 0.0f), maxF(-margin, 0.0f), sample->depth, cone, sample->distance > 0.0f};
        if (!fieldProbe(field, target->piece, &probe, hit))
            return sample->distance;
        *found = hit->distance < margin;
        return hit->distance;
    }
    if (sample->distance > interest)
        return sample->distance;
    if (target->masked && interest >= band) {
        float clear = maskGridClear(field->rest->maskGrid, field->masks, target->piece, p, interest);
        if (clear > 0.0f)
            return clear; // in others' territory
    }
    float least = sample->distance;
    if (least >= margin)
        return least;
    // Only a contact is worth a look at the surface: looking farther, to cull small spheres, costs more than it spares.
    float reach = maxF(margin, 0.0f);
    FieldProbe probe = {p, reach, maxF(-margin, 0.0f), sample->depth, cone, least > 0.0f};
    if (!fieldProbe(field, target->piece, &probe, hit))
        return maxF(probe.depth > 0.0f ? -probe.depth : reach, least);
    *found = hit->distance < margin;
    return hit->distance;
}

bool targetProbeFar(const Target* target, Vec3 p, float reach, FieldHit* hit)
{
    return fieldProbeFar(&target->solid->field, target->piece, p, reach, hit);
}
