// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "mesh/models.h"

#include "core/constants.h"
#include "core/message.h"
#include "mesh/generate.h"
#include "mesh/implicit.h"

#include <string.h>

static const ModelInfo models[] = {
    {"box", "cube of 50 cm", "concrete", generateBox, 0, distanceBox, volumeBox},
    {"brick", "215 x 102.5 x 65 mm, as in Glondu's table 1", "ceramic", generateBrick, 0, distanceBrick, volumeBrick},
    {"wall", "2.4 x 1.6 m, 20 cm thick", "concrete", generateWall, 0, distanceWall, volumeWall},
    {"pane", "90 x 60 cm, 1 cm thick", "glass", generatePane, 0, distancePane, volumePane},
    {"plate", "25 cm across, 6 mm thick, with a well and a rim", "ceramic", generatePlate, 0, distancePlate,
     volumePlate},
    {"bowl", "16 cm across, 5 mm thick", "ceramic", generateBowl, 0, distanceBowl, volumeBowl},
    {"shelf", "two uprights and five boards, 1.06 x 1.75 x 0.25 m", "glass", generateShelf, 4, distanceShelf,
     volumeShelf},
    {"cylinder", "10 cm across, 20 cm high", "concrete", generateCylinder, 0, distanceCylinder, volumeCylinder},
    {"pillar", "a column with base and capital, 2 m high", "stone", generatePillar, 0, distancePillar, volumePillar},
    {"table", "a top on four legs, 1.2 x 0.7 m, 74 cm high", "stone", generateTable, 0, distanceTable, volumeTable},
    {"sphere", "20 cm across", "glass", generateSphere, 0, distanceSphere, volumeSphere},
    {"torus", "27 cm across, 7 cm thick", "ice", generateTorus, 1, distanceTorus, volumeTorus},
    {"piggy-bank", "hollow, with a coin slot, 28 cm long", "ceramic", generatePiggyBank, 0, NULL, NULL},
    {"pumpkin", "28 cm across, with ribs and a stem", "stone", generatePumpkin, 0, NULL, NULL},
    {"apple", "8 cm across, with a stem and a leaf", "stone", generateApple, 0, NULL, NULL},
    {"rabbit", "sitting, 26 cm high to the tips of its ears", "chocolate", generateRabbit, 0, NULL, NULL},
};

int modelCount(void) { return (int)(sizeof models / sizeof *models); }

const ModelInfo* modelAt(int index) { return index >= 0 && index < modelCount() ? &models[index] : NULL; }

const ModelInfo* modelFind(const char* name)
{
    for (int m = 0; m < modelCount(); ++m)
        if (strcmp(models[m].name, name) == 0)
            return &models[m];
    return NULL;
}

shStatus modelGenerate(const ModelInfo* model, float detail, Memory* memory, TetMesh* out, shMessage* message)
{
    memset(out, 0, sizeof *out);
    if (!(detail >= MODEL_MIN_DETAIL && detail <= MODEL_MAX_DETAIL))
        return fail(message, shInvalid, "model %s: detail %g is not between %g and %g", model->name, (double)detail,
                    (double)MODEL_MIN_DETAIL, (double)MODEL_MAX_DETAIL);
    GenerateDef def = {.detail = detail};
    return model->generate(&def, memory, out, message);
}

ModelError modelError(const ModelInfo* model, const TetMesh* mesh)
{
    ModelError error = {0.0, 0.0};
    if (model->distance == NULL)
        return error;
    for (int n = 0; n < mesh->surfaceNodeCount; ++n)
        error.vertex = maxD(error.vertex, model->distance(dFromV(mesh->nodes[n])));
    for (int t = 0; t < mesh->triangleCount; ++t) {
        DVec3 p[3], sum = {0.0, 0.0, 0.0};
        for (int k = 0; k < 3; ++k) {
            p[k] = dFromV(mesh->nodes[mesh->triangles[t][k]]);
            sum = dAdd(sum, p[k]);
        }
        for (int k = 0; k < 3; ++k)
            error.chord = maxD(error.chord, model->distance(dLerp(p[k], p[(k + 1) % 3], 0.5)));
        error.chord = maxD(error.chord, model->distance(dScale(1.0 / 3.0, sum)));
    }
    return error;
}
