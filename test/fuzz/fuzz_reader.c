// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A libFuzzer target for each reader: compiled once per format with READER set to its extension, or to "block" for what
// the importer's child process hands over. A reader may refuse or accept; it must not crash, hang or keep memory.
#include "cook/cook.h"
#include "cook/read_tets.h"
#include "cook/scene_block.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef READER
#define READER "obj"
#endif

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static shContext* context;
static char path[128], partner[128];

static void writeFile(const char* name, const void* data, size_t size)
{
    FILE* file = fopen(name, "wb");
    if (file == NULL || fwrite(data, 1, size, file) != size)
        abort();
    fclose(file);
}

static void start(void)
{
    static const char ele[] = "1 4 0\n1 1 2 3 4\n", node[] = "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n";
    shContextDef def = shDefaultContextDef();
    def.workerCount = 1;
    if (shCreateContext(&def, &context, NULL) != shOk)
        abort();
    const char* base = getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp";
    snprintf(path, sizeof path, "%.80s/sherd-fuzz-%d." READER, base, (int)getpid());
    snprintf(partner, sizeof partner, "%.80s/sherd-fuzz-%d.%s", base, (int)getpid(),
             strcmp(READER, "node") == 0 ? "ele" : "node");
    if (strcmp(READER, "node") == 0)
        writeFile(partner, ele, sizeof ele - 1);
    if (strcmp(READER, "ele") == 0)
        writeFile(partner, node, sizeof node - 1);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    if (context == NULL)
        start();
    TriMesh mesh = {0};
    Looks looks = {0};
    RawTets raw = {0};
    shMessage message = {0};
    shStatus status;
    if (strcmp(READER, "block") == 0) {
        Text text = {.memory = &context->memory, .path = "block", .message = &message};
        sceneBlockRead(data, size, &text, &mesh, &looks);
        status = text.status;
    } else {
        writeFile(path, data, size);
        status = tetsAreRead(path) ? readTets(context, path, &raw, &message)
                                   : cookReadModel(context, path, &mesh, &looks, &message);
    }
    if ((status == shOk) != (message.text[0] == '\0'))
        abort();
    rawTetsFree(&raw, &context->memory);
    triMeshFree(&mesh, &context->memory);
    looksFree(&looks, &context->memory);
    if (shContext_GetMemory(context).bytes != 0)
        abort();
    return 0;
}
