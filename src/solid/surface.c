// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "solid/surface.h"

#include "core/message.h"

#include <string.h>

typedef struct Look {
    const char* material;
    float outside[4], inside[4]; // linear RGBA
    float roughness[2];          // outside, inside
} Look;

static const Look looks[] = {
    {"ceramic",
     {0.82f, 0.80f, 0.76f, 1.0f},
     {0.55f, 0.38f, 0.27f, 1.0f},
     {0.25f, 0.90f}}, // glazed; the first is the default
    {"glass", {0.55f, 0.80f, 0.74f, 0.35f}, {0.45f, 0.72f, 0.66f, 0.55f}, {0.05f, 0.15f}},
    {"concrete", {0.40f, 0.39f, 0.37f, 1.0f}, {0.30f, 0.28f, 0.25f, 1.0f}, {0.85f, 1.00f}},
    {"stone", {0.34f, 0.31f, 0.28f, 1.0f}, {0.46f, 0.43f, 0.39f, 1.0f}, {0.70f, 0.95f}},
    {"ice", {0.70f, 0.85f, 0.95f, 0.60f}, {0.85f, 0.93f, 0.98f, 0.80f}, {0.10f, 0.50f}},
    {"chocolate", {0.14f, 0.06f, 0.03f, 1.0f}, {0.20f, 0.09f, 0.05f, 1.0f}, {0.35f, 0.70f}},
};

static shSurface lookOf(const char* material, bool inside)
{
    const Look* look = &looks[0];
    for (size_t i = 0; i < sizeof(looks) / sizeof(looks[0]); ++i)
        if (strcmp(looks[i].material, material) == 0)
            look = &looks[i];
    shSurface surface = {.roughness = look->roughness[inside]};
    textCopy(surface.name, inside ? "inside" : "outside", sizeof(surface.name));
    memcpy(surface.color, inside ? look->inside : look->outside, sizeof(surface.color));
    return surface;
}

shSurface surfaceOutside(const char* material) { return lookOf(material, false); }

shSurface surfaceInside(const char* material) { return lookOf(material, true); }

static bool isShare(float x) { return x >= 0.0f && x <= 1.0f; }

shStatus surfaceCheck(const shSurface* surface, const char* what, shMessage* message)
{
    if (!textIsPlain(surface->name, sizeof(surface->name)))
        return fail(message, shInvalid, "%s: the name is not plain text of up to %zu bytes", what,
                    sizeof(surface->name) - 1);
    bool good = isShare(surface->metallic) && isShare(surface->roughness);
    for (int i = 0; i < 4; ++i)
        good = good && isShare(surface->color[i]);
    return good ? shOk : fail(message, shInvalid, "%s: colour, metallic and roughness must be between 0 and 1", what);
}

bool textIsPlain(const char* text, size_t room)
{
    size_t length = strnlen(text, room);
    for (size_t i = 0; i < length; ++i)
        if ((unsigned char)text[i] < ' ')
            return false;
    for (size_t i = length; i < room; ++i)
        if (text[i] != 0)
            return false;
    return length < room;
}

void textCopy(char* to, const char* from, size_t room)
{
    size_t length = strnlen(from, room - 1);
    memmove(to, from, length);
    memset(to + length, 0, room - length);
}
