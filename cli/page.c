// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cli/page.h"

#include "core/context.h"
#include "core/message.h"
#include "io/file.h"

#include <stdio.h>
#include <string.h>

// The page in the making; after a failed allocation nothing more is added.
typedef struct Text {
    Memory* memory;
    char* data;
    size_t size, capacity;
    bool failed;
} Text;

static char* room(Text* text, size_t bytes)
{
    size_t wanted = text->size + bytes;
    if (!text->failed && wanted > text->capacity) {
        size_t capacity = wanted + wanted / 2;
        char* more = memGrow(text->memory, text->data, text->capacity, capacity);
        text->failed = more == NULL;
        if (more != NULL) {
            text->data = more;
            text->capacity = capacity;
        }
    }
    return text->failed ? NULL : text->data + text->size;
}

static void add(Text* text, const char* bytes, size_t size)
{
    char* to = room(text, size);
    if (to == NULL)
        return;
    memcpy(to, bytes, size);
    text->size += size;
}

static void addEscaped(Text* text, const char* words)
{
    for (; *words != '\0'; ++words) {
        const char* code = *words == '<' ? "&lt;" : *words == '>' ? "&gt;" : *words == '&' ? "&amp;" : NULL;
        add(text, code != NULL ? code : words, code != NULL ? strlen(code) : 1);
    }
}

static void addBase64(Text* text, const unsigned char* bytes, size_t size)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char* to = room(text, 4 * ((size + 2) / 3));
    if (to == NULL)
        return;
    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        unsigned three =
            (unsigned)bytes[i] << 16 | (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0u) | (left > 2 ? bytes[i + 2] : 0u);
        for (int k = 0; k < 4; ++k)
            *to++ = (char)(k <= (int)left ? letters[three >> (18 - 6 * k) & 63] : '=');
    }
    text->size += 4 * ((size + 2) / 3);
}

static void addView(Text* text, const Script* script)
{
    char view[256];
    shVec3 a = script->look.lower, b = script->look.upper;
    snprintf(view, sizeof view, script->hasLook ? "[%g, %g, [%g, %g, %g], [%g, %g, %g]]" : "[%g, %g]",
             (double)script->azimuth, (double)script->elevation, (double)a.x, (double)a.y, (double)a.z, (double)b.x,
             (double)b.y, (double)b.z);
    add(text, view, strlen(view));
}

// Whether the text begins with the mark; then `after` is behind it.
static bool begins(const char* text, size_t left, const char* mark, const char** after)
{
    size_t length = strlen(mark);
    if (left < length || memcmp(text, mark, length) != 0)
        return false;
    *after = text + length;
    return true;
}

shStatus writePage(shContext* context, const Script* script, const char* film, const char* path, shMessage* message)
{
    FileBlock glb;
    shStatus status = fileOpen(&glb, &context->memory, film, message);
    if (status != shOk)
        return status;
    Text text = {.memory = &context->memory};
    const char* at = (const char*)pageTemplate[0].text;
    const char* end = at + pageTemplate[0].size;
    while (at < end) {
        const char* mark = memchr(at, '@', (size_t)(end - at));
        add(&text, at, (size_t)((mark != NULL ? mark : end) - at));
        if (mark == NULL)
            break;
        size_t left = (size_t)(end - mark);
        at = mark + 1;
        if (begins(mark, left, "@title@", &at)) {
            addEscaped(&text, script->title);
        } else if (begins(mark, left, "@about@", &at)) {
            addEscaped(&text, script->about);
        } else if (begins(mark, left, "@view@", &at)) {
            addView(&text, script);
        } else if (begins(mark, left, "@data@", &at)) {
            addBase64(&text, glb.bytes, glb.size);
        } else {
            add(&text, "@", 1);
        }
    }
    status = text.failed ? failMemory(message) : fileWrite(&context->memory, path, text.data, text.size, message);
    memFree(&context->memory, text.data, text.capacity);
    fileClose(&glb, &context->memory);
    return status;
}
