// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "collide/target.h"

#include "core/constants.h"

Target targetPiece(const shSolid* solid, int piece)
{
    const DistanceGridShape* grid = &solid->asset->grid.shape;
    return (Target){.solid = solid,
                    .piece = piece,
                    .broken = solid->field.labels != NULL,
                    .masked = solid->field.labels != NULL && solid->field.pieces.data[piece].masked,
                    .box = solid->field.labels != NULL ? fieldBox(&solid->field, piece) : solid->asset->box,
                    .gridError = 0.87f * grid->cellSize + grid->slack};
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

// A sample of the grid is off by `error` at most where cells are fine, by three times that in coarse bricks; those are
// more than two cells from the surface.
static float lowerBound(float distance, float error)
{
    return maxF(distance - 3.0f * error, minF(distance - error, 2.0f * error));
}

// Beyond the grid, by the vector `beyond` from its box, a sample is a guess that may be too large. True is: the surface
// lies in the box, so it is no nearer than at a right angle to that vector.
static float lowerBeyond(Vec3 beyond, float distance, Vec3 gradient, float error)
{
    float atBorder = vDistance(vScale(distance, gradient), beyond);
    float lower = maxF(lowerBound(atBorder, error), 0.0f);
    return sqrtf(lower * lower + vLength2(beyond)) * DISTANCE_OUTSIDE_ROUNDING;
}

void targetLookUp(const Target* target, TargetBatch* batch, int count)
{
    if (target->solid == NULL) {
        for (int i = 0; i < count; ++i)
            batch->distance[i] = boundOf(target, vec3(batch->x[i], batch->y[i], batch->z[i]));
        return;
    }
    SIMD_CHOOSE(distanceGridSamples)
    (&target->solid->asset->grid, count, batch->x, batch->y, batch->z, batch->rest, batch->gradientX, batch->gradientY,
     batch->gradientZ);
    for (int i = 0; i < count; ++i) {
        float rest = batch->rest[i];
        batch->distance[i] = rest > 0.0f ? lowerBound(rest, target->gridError) : rest;
    }
    const DistanceGridShape* grid = &target->solid->asset->grid.shape;
    for (int i = 0; i < count; ++i) {
        Vec3 p = {batch->x[i], batch->y[i], batch->z[i]};
        Vec3 beyond = vSub(p, vMin(vMax(p, grid->lower), grid->upper));
        if (vLength2(beyond) > 0.0f)
            batch->distance[i] =
                lowerBeyond(beyond, batch->rest[i], vec3(batch->gradientX[i], batch->gradientY[i], batch->gradientZ[i]),
                            target->gridError);
    }
    for (int i = 0; target->broken && i < count; ++i) {
        // The whole solid's surface is no farther than the piece's: outside it bounds, inside it says nothing.
        float box = sqrtf(boxDistance2(target->box, vec3(batch->x[i], batch->y[i], batch->z[i])));
        batch->distance[i] = maxF(batch->distance[i], box > 0.0f ? box : -INFINITY);
    }
}

TargetSample targetSample(const Target* target, Vec3 p)
{
    TargetBatch batch;
    batch.x[0] = p.x, batch.y[0] = p.y, batch.z[0] = p.z;
    targetLookUp(target, &batch, 1);
    if (target->solid == NULL)
        return (TargetSample){.distance = batch.distance[0]};
    return (TargetSample){
        batch.distance[0], batch.rest[0], {batch.gradientX[0], batch.gradientY[0], batch.gradientZ[0]}};
}

static FieldHit gridHit(Vec3 p, const TargetSample* sample)
{
    Vec3 normal = vNormalize(sample->gradient);
    return (FieldHit){sample->rest, normal, vMad(p, -sample->rest, normal), noFeature};
}

float targetProbe(const Target* target, Vec3 p, const TargetSample* sample, float margin, float interest,
                  const NormalCone* cone, bool* found, FieldHit* hit)
{
    *found = false;
    if (target->scenery != NULL)
        return sceneryProbe(target->scenery, p, margin, interest, cone, found, hit);
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
            // More than a cell deep the grid is good enough; it bends only at edges, which are near no such point.
            *hit = gridHit(p, sample);
            *found = hit->distance < margin;
            return hit->distance;
        }
        FieldProbe probe = {p, minF(maxF(margin, 0.0f), band), maxF(-margin, 0.0f), cone, sample->rest > error};
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
    // Only a contact is worth a look at the surface: looking farther, to cull small spheres, costs more than it spares.
    float reach = minF(maxF(margin, 0.0f), band);
    FieldProbe probe = {p, maxF(reach, 0.0f), maxF(-margin, 0.0f), cone, sample->rest > error};
    if (!fieldProbe(field, target->piece, &probe, hit))
        return maxF(probe.depth > 0.0f ? -probe.depth : reach, sample->distance);
    *found = hit->distance < margin;
    return hit->distance;
}

bool targetProbeFar(const Target* target, Vec3 p, float reach, FieldHit* hit)
{
    return fieldProbeFar(&target->solid->field, target->piece, p, reach, hit);
}
