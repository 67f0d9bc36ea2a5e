// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "sherd/material.h"

#include "core/message.h"

#include <math.h>
#include <string.h>

static const shMaterial presets[] = {
    // name, density, Young, Poisson, strength, toughness, friction, restitution
    {"glass", 2500.0f, 70e9f, 0.22f, 60e6f, 8.0f, 0.4f, 0.5f},
    {"ceramic", 2400.0f, 85e9f, 0.2f, 60e6f, 20.0f, 0.5f, 0.4f},
    {"concrete", 2400.0f, 30e9f, 0.2f, 4e6f, 100.0f, 0.7f, 0.2f},
    {"stone", 2650.0f, 55e9f, 0.25f, 10e6f, 70.0f, 0.6f, 0.3f},
    {"ice", 917.0f, 9e9f, 0.33f, 1e6f, 1.0f, 0.05f, 0.3f},
    {"chocolate", 1300.0f, 1e9f, 0.35f, 1.5e6f, 10.0f, 0.4f, 0.1f},
};

int shMaterialPresetCount(void) { return (int)(sizeof presets / sizeof *presets); }

const shMaterial* shMaterialPresetAt(int index)
{
    return index >= 0 && index < shMaterialPresetCount() ? &presets[index] : NULL;
}

const shMaterial* shMaterialPreset(const char* name)
{
    for (int m = 0; name != NULL && m < shMaterialPresetCount(); ++m)
        if (strcmp(presets[m].name, name) == 0)
            return &presets[m];
    return NULL;
}

shStatus shCheckMaterial(const shMaterial* material, shMessage* message)
{
    if (material == NULL)
        return fail(message, shInvalid, "no material given");
    if (memchr(material->name, 0, sizeof material->name) == NULL)
        return fail(message, shInvalid, "a material's name must end within %zu characters", sizeof material->name - 1);
    const struct {
        const char* field;
        float value, above, below; // open interval; NaN is in none
    } ranges[] = {
        {"density", material->density, 0.0f, INFINITY},     {"young", material->young, 0.0f, INFINITY},
        {"poisson", material->poisson, -1.0f, 0.5f},        {"strength", material->strength, 0.0f, INFINITY},
        {"toughness", material->toughness, 0.0f, INFINITY},
    };
    for (size_t r = 0; r < sizeof ranges / sizeof *ranges; ++r)
        if (!(ranges[r].value > ranges[r].above && ranges[r].value < ranges[r].below))
            return fail(message, shInvalid, "material \"%s\": %s %g is not between %g and %g", material->name,
                        ranges[r].field, (double)ranges[r].value, (double)ranges[r].above, (double)ranges[r].below);
    if (!(material->friction >= 0.0f && material->friction < INFINITY))
        return fail(message, shInvalid, "material \"%s\": friction %g is not at least 0", material->name,
                    (double)material->friction);
    if (!(material->restitution >= 0.0f && material->restitution <= 1.0f))
        return fail(message, shInvalid, "material \"%s\": restitution %g is not between 0 and 1", material->name,
                    (double)material->restitution);
    return shOk;
}
