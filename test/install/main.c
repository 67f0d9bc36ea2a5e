// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A program of somebody else's. It has functions named like some of ours; neither may notice the other.
#include <sherd/base.h>

#include <stdio.h>

static int calls;
void memFree(void) { ++calls; }
void fail(void) { ++calls; }

int main(void)
{
    shContextDef def = shDefaultContextDef();
    shContext* context = NULL;
    shMessage message;
    if (shCreateContext(&def, &context, &message) != shOk) {
        puts(message.text);
        return 1;
    }
    def.cookie = 0; // refused with a message, by our `fail`
    shContext* none = NULL;
    if (shCreateContext(&def, &none, &message) != shInvalid || none != NULL || message.text[0] == '\0')
        return 1;
    if (shDestroyContext(context) != 0 || calls != 0)
        return 1;
    printf("sherd %s\n", shVersionText());
    return 0;
}
