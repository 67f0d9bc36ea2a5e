// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Scenes for other programs: .glb (glTF 2.0, with baked animation) and .obj. The same scene gives the same bytes.
// Files are written under a temporary name and renamed when complete.
#pragma once

#include "sherd/asset.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shExportMaterial {
    const char* name;
    float color[4]; // linear RGBA, 0 to 1
    float metallic, roughness;
    shSurfaceMaps maps; // into the scene's textures; all zero: none
} shExportMaterial;

typedef struct shExportMesh {
    const char* name;
    int vertexCount, triangleCount;
    const shVec3* positions;
    const shVec3* normals;     // [vertexCount] or null
    const float (*uvs)[2];     // [vertexCount] or null; v points up, as in .obj
    const int (*triangles)[3]; // counter-clockwise from outside
    const uint16_t* materials; // [triangleCount] into the scene's materials, or null: 0
} shExportMesh;

// Motion of a node. Poses are interpolated between keys; outside [birth, death) the node is not seen.
typedef struct shExportTrack {
    int keyCount;
    const float* times; // s, ascending
    const shTransform* poses;
    float birth, death; // s; death <= birth: never dies
} shExportTrack;

typedef struct shExportNode {
    const char* name;
    int mesh; // into the scene's meshes, -1: none
    shTransform pose;
    const shExportTrack* track; // or null: stands still. For .obj only `pose` counts
} shExportNode;

typedef struct shExportScene {
    int materialCount, meshCount, nodeCount;
    const shExportMaterial* materials;
    const shExportMesh* meshes;
    const shExportNode* nodes;
    int textureCount;
    const shTexture* textures; // embedded in a .glb; beside an .obj as files
} shExportScene;

// By the path's ending: .glb, or .obj with its .mtl beside it.
SH_API shStatus shWriteScene(shContext* context, const shExportScene* scene, const char* path, shMessage* message);
// The surface of an asset in its rest frame, one material per surface slot.
SH_API shStatus shExportAsset(const shAsset* asset, const char* path, shMessage* message);

#ifdef __cplusplus
}
#endif
