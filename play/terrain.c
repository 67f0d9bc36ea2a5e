// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "play/terrain.h"

#include "core/context.h"
#include "core/message.h"
#include "core/random.h"
#include "core/trig.h"

// Waves in directions and phases of their own, each shorter and lower than the one before; level at the origin's height
// on average, from −height/2 to height/2 at most.
enum { WAVES = 6 };

typedef struct Wave {
    double kx, kz, phase, height;
} Wave;

static double heightAt(const Wave waves[WAVES], double x, double z)
{
    double sum = 0.0;
    for (int i = 0; i < WAVES; ++i)
        sum += waves[i].height * trigSin(waves[i].kx * x + waves[i].kz * z + waves[i].phase);
    return sum;
}

shStatus terrainCreate(shContext* context, const ScriptTerrain* terrain, shScenery** scenery, shMessage* message)
{
    Random random = randomSeed((uint64_t)terrain->seed);
    Wave waves[WAVES];
    double total = 0.0, length = (double)terrain->wave, share = 1.0;
    for (int i = 0; i < WAVES; ++i) {
        double angle = 6.28318530717958647692 * randomDouble(&random);
        double phase = 6.28318530717958647692 * randomDouble(&random);
        double k = 6.28318530717958647692 / length;
        waves[i] = (Wave){k * trigCos(angle), k * trigSin(angle), phase, share};
        total += share;
        length *= 0.7;
        share *= 0.55;
    }
    for (int i = 0; i < WAVES; ++i)
        waves[i].height *= 0.5 * (double)terrain->height / total;
    int n = terrain->cells, side = n + 1, pointCount = side * side, triangleCount = 2 * n * n;
    Vec3* points = NEW_ARRAY(&context->memory, Vec3, pointCount);
    int(*triangles)[3] = (int(*)[3])memAlloc(&context->memory, sizeof(int[3]) * (size_t)triangleCount);
    shStatus status = points != NULL && triangles != NULL ? shOk : failMemory(message);
    for (int i = 0; status == shOk && i < pointCount; ++i) {
        double x = ((double)(i % side) / n - 0.5) * (double)terrain->size;
        double z = ((double)(i / side) / n - 0.5) * (double)terrain->size;
        points[i] = vec3((float)x, (float)heightAt(waves, x, z), (float)z);
    }
    for (int i = 0; status == shOk && i < n * n; ++i) {
        int a = i / n * side + i % n, b = a + 1, c = a + side, d = c + 1;
        const int two[2][3] = {{a, c, b}, {b, c, d}};
        for (int k = 0; k < 6; ++k)
            triangles[2 * i + k / 3][k % 3] = two[k / 3][k % 3];
    }
    shSceneryDef def = shDefaultSceneryDef();
    def.pointCount = pointCount;
    def.points = points;
    def.triangleCount = triangleCount;
    def.triangles = (const int(*)[3])triangles;
    if (status == shOk)
        status = shCreateScenery(context, &def, scenery, message);
    FREE_ARRAY(&context->memory, points, pointCount);
    FREE_ARRAY(&context->memory, triangles, triangleCount);
    return status;
}
