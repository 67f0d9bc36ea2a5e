// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Cooks a built-in model, saves it for the next run, and writes a picture of its surface.
#include <sherd/export.h>

#include <stdio.h>

int main(void)
{
    shMessage message = {0};
    shContextDef def = shDefaultContextDef();
    def.workerCount = 2;
    shContext* context = NULL;
    if (shCreateContext(&def, &context, &message) != shOk) {
        puts(message.text);
        return 1;
    }

    shCookDef cook = shDefaultCookDef();
    shAsset* bowl = NULL;
    shStatus status = shCookModel(context, "bowl", 1.0f, &cook, &bowl, &message);
    if (status == shOk)
        status = shSaveAsset(bowl, "bowl.sherd", &message);
    if (status == shOk)
        status = shExportAsset(bowl, "bowl.glb", &message);

    if (status == shOk) {
        shAssetInfo info = shAsset_GetInfo(bowl);
        printf("%s: %d tetrahedra, %.3f kg of %s\n", info.name, info.tetCount, info.mass, info.material->name);
    } else {
        puts(message.text);
    }
    shDestroyAsset(bowl);
    shDestroyContext(context);
    return status == shOk ? 0 : 1;
}
