// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A mesh with its looks as one flat block of bytes: what the child process that runs assimp hands to its parent. The
// parent trusts nothing in it: whatever a hostile file makes of the child, a wrong block is refused like a wrong file.
#pragma once

#include "cook/looks.h"
#include "cook/text.h"
#include "mesh/tri_mesh.h"

#define SCENE_BLOCK_MAGIC 0x53484d42u // "SHMB"

typedef struct SceneBlockHead {
    uint32_t magic;
    uint32_t hasCorners; // 1 UVs, 2 normals
    int32_t vertexCount, triangleCount, materialCount, textureCount;
} SceneBlockHead;

// After the head: double positions[vertexCount][3], int32 triangles[triangleCount][3], if hasCorners SceneBlockCorner
// corners[triangleCount][3], uint16 groups[triangleCount], SceneBlockMaterial materials[materialCount], and for each
// texture a uint64 of its size and its bytes.
typedef struct SceneBlockCorner {
    float uv[2], normal[3]; // NaN where there is none
} SceneBlockCorner;

typedef struct SceneBlockMaterial {
    char name[32];
    float color[4];
    float metallic, roughness;
    int32_t maps[4]; // colour, normal, metallic-roughness, emissive: texture plus one
} SceneBlockMaterial;

// Checks the block and makes mesh and looks of it. `text` carries path, memory and message; its status is the verdict.
// Nothing is left allocated on failure.
void sceneBlockRead(const void* bytes, size_t size, Text* text, TriMesh* mesh, Looks* looks);
