// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// An asset's figures, for people and for programs.
#pragma once

#include "sherd/asset.h"

#include <jansson.h>

json_t* assetJson(const shAsset* asset);
json_t* materialJson(const shMaterial* material);
void assetPrint(const shAsset* asset);
// "12.3 MB"; at most 16 bytes.
void bytesText(int64_t bytes, char text[16]);
