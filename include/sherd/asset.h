// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Assets: solids made ready for breaking. An asset is cooked once, from arrays or from a built-in model, and never
// changes again; any number of solids share it. In memory it is the very image of its .sherd file, so that loading is
// mapping and checking. The same input gives the same bytes on every machine.
#pragma once

#include "sherd/material.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shAsset shAsset;

// What a part of a surface looks like; the library only passes it on.
typedef struct shSurface {
    char name[32];  // zero-terminated UTF-8
    float color[4]; // linear RGBA, 0 to 1
    float metallic, roughness;
} shSurface;

// An image file (PNG, JPEG, WebP, KTX2), as it is: the library only passes it on.
typedef struct shTexture {
    const void* bytes;
    size_t size;
} shTexture;

// Which textures a surface has: 0 none, else the number of the texture plus one.
typedef struct shSurfaceMaps {
    int color, normal, metallicRoughness, emissive;
} shSurfaceMaps;

// A solid as arrays, which are copied. Either a surface (triangles without tets), which is filled by our own mesher and
// may be open, self-intersecting or badly oriented; or tetrahedra, whose boundary is then the surface. Triangles beside
// tetrahedra give that boundary its UVs, normals and slots.
typedef struct shMeshDef {
    int vertexCount;
    const shVec3* vertices;             // [vertexCount], m
    const double (*preciseVertices)[3]; // [vertexCount], instead of vertices
    int triangleCount;
    const int (*triangles)[3];  // counter-clockwise from outside
    const float (*uvs)[3][2];   // [triangleCount] one per corner, or null: projected along the axes
    const shVec3 (*normals)[3]; // [triangleCount] one per corner, or null: flat, smooth where our mesher made them
    const uint16_t* slots;      // [triangleCount] which of `surfaces`, or null: 0
    int tetCount;
    const int (*tets)[4]; // either orientation
    int surfaceCount;
    const shSurface* surfaces; // or null: by material
    int textureCount;
    const shTexture* textures;
    const shSurfaceMaps* maps; // [surfaceCount] or null: no textures
} shMeshDef;

// Called before each stage of a cook and once at the end with stage = stageCount.
typedef void shCookProgress(int stage, int stageCount, const char* what, void* user);

// All zero but the cookie means: the usual.
typedef struct shCookDef {
    const char* name;           // up to 63 bytes of UTF-8; null: "asset", or the model's name
    const shMaterial* material; // null: what the model is usually made of, else ceramic
    const shSurface* inside;    // look of cracks; null: by material
    float cell;                 // size of the tetrahedra that fill a surface, m; 0: about its triangles' size
    float creaseAngle;          // degrees; sharper edges of a surface are kept; 0: 40; above 180: none
    float gridCell;   // of the distance grid, m; 0: a quarter of the thickness, more where there are few triangles
    float thickness;  // given to open sheets of a surface, m; 0: 2 % of its diagonal
    int maxTets;      // budget for filling a surface: thin parts get thicker rather than finer beyond it; 0: 150,000
    int innerSpheres; // sherd/proximity.h; 0: none
    shCookProgress* progress;
    void* progressUser;
    uint32_t cookie; // set by shDefaultCookDef
} shCookDef;

// Pointers live as long as the asset.
typedef struct shAssetInfo {
    const char* name;
    const shMaterial* material;
    uint64_t contentHash; // equal for equal assets
    int64_t imageBytes;   // in memory and on disk
    int pointCount, surfacePointCount, tetCount, triangleCount, surfaceCount;
    shBox box;
    float gridCell;                  // of the distance grid, m
    int64_t gridBytes;               // of the image, for that grid
    double volume;                   // m³
    double mass;                     // kg
    double centre[3];                // of mass, m
    double inertia[3][3];            // about the centre, kg·m²
    double minDihedral, maxDihedral; // degrees
    double meanEdge;                 // m
} shAssetInfo;

SH_API shCookDef shDefaultCookDef(void);
SH_API shStatus shCookAsset(shContext* context, const shMeshDef* mesh, const shCookDef* def, shAsset** asset,
                            shMessage* message);

// The built-in models.
typedef struct shModelInfo {
    const char* name;
    const char* description;
    const char* material; // what it is usually made of
} shModelInfo;

SH_API int shGetModelCount(void);
SH_API shModelInfo shGetModel(int index); // all null past the last
// Detail 1 is the model's own; with 2 its edges are half as long.
SH_API shStatus shCookModel(shContext* context, const char* model, float detail, const shCookDef* def, shAsset** asset,
                            shMessage* message);

// Maps the file and checks every array in it. The file may be replaced while the asset lives (shSaveAsset does that
// safely) but must not be overwritten or cut in place.
SH_API shStatus shLoadAsset(shContext* context, const char* path, shAsset** asset, shMessage* message);
// The same from a copy of `bytes`; `name` stands for the file in messages.
SH_API shStatus shLoadAssetFromMemory(shContext* context, const void* bytes, size_t size, const char* name,
                                      shAsset** asset, shMessage* message);
// Writes under a temporary name and renames.
SH_API shStatus shSaveAsset(const shAsset* asset, const char* path, shMessage* message);
SH_API void shDestroyAsset(shAsset* asset); // null is fine

SH_API shAssetInfo shAsset_GetInfo(const shAsset* asset);
SH_API shSurface shAsset_GetSurface(const shAsset* asset, int slot); // slot −1: the inside
SH_API int shAsset_GetTextureCount(const shAsset* asset);
SH_API shTexture shAsset_GetTexture(const shAsset* asset, int index); // null past the last; lives as long as the asset
SH_API shSurfaceMaps shAsset_GetSurfaceMaps(const shAsset* asset, int slot); // slot −1: the inside, which has none
// The image: what the file holds. It lives as long as the asset.
SH_API const void* shAsset_GetImage(const shAsset* asset, size_t* size);

#ifdef __cplusplus
}
#endif
