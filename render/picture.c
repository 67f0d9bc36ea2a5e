// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "render/picture.h"

#include "core/message.h"
#include "core/vec.h"
#include "render/font.h"

#include <string.h>

shStatus pictureCreate(Picture* picture, shContext* context, int width, int height, shMessage* message)
{
    *picture = (Picture){.context = context, .width = width, .height = height};
    if (width < 1 || height < 1 || width > LARGEST_SIDE || height > LARGEST_SIDE)
        return fail(message, shInvalid, "a picture of %d × %d pixels: sides must be 1 to %d", width, height,
                    LARGEST_SIDE);
    picture->pixels = NEW_ZEROED(&context->memory, uint8_t, 3 * (size_t)width * (size_t)height);
    return picture->pixels != NULL ? shOk : failMemory(message);
}

void pictureFree(Picture* picture)
{
    if (picture->context != NULL)
        FREE_ARRAY(&picture->context->memory, picture->pixels, 3 * (size_t)picture->width * (size_t)picture->height);
    memset(picture, 0, sizeof(*picture));
}

static void dot(Picture* picture, int x, int y, const uint8_t color[3])
{
    if (x >= 0 && y >= 0 && x < picture->width && y < picture->height)
        memcpy(picture->pixels + 3 * ((size_t)y * (size_t)picture->width + (size_t)x), color, 3);
}

void pictureFill(Picture* picture, const uint8_t color[3])
{
    for (int y = 0; y < picture->height; ++y)
        for (int x = 0; x < picture->width; ++x)
            dot(picture, x, y, color);
}

void picturePaste(Picture* to, const Picture* from, int x, int y)
{
    int left = maxI(x, 0), right = minI(x + from->width, to->width);
    for (int row = maxI(y, 0); row < minI(y + from->height, to->height) && left < right; ++row)
        memcpy(to->pixels + 3 * ((size_t)row * (size_t)to->width + (size_t)left),
               from->pixels + 3 * ((size_t)(row - y) * (size_t)from->width + (size_t)(left - x)),
               3 * (size_t)(right - left));
}

int pictureTextWidth(const char* text, int scale) { return maxI(0, (int)strlen(text) * FONT_ADVANCE - 1) * scale; }

void pictureText(Picture* picture, const char* text, int x, int y, int scale, const uint8_t color[3])
{
    for (; *text != '\0'; ++text, x += FONT_ADVANCE * scale)
        for (int row = 0; row < FONT_HEIGHT; ++row)
            for (int column = 0; column < FONT_WIDTH; ++column)
                if ((fontRow((unsigned char)*text, row) >> (FONT_WIDTH - 1 - column) & 1) != 0)
                    for (int k = 0; k < scale * scale; ++k)
                        dot(picture, x + column * scale + k % scale, y + row * scale + k / scale, color);
}
