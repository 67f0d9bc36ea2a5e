// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cli/describe.h"

#include "sherd/proximity.h"

#include <stdio.h>

void bytesText(int64_t bytes, char text[16])
{
    static const char* const units[] = {"B", "kB", "MB", "GB"};
    double value = (double)bytes;
    int unit = 0;
    for (; value >= 1000.0 && unit < 3; ++unit)
        value /= 1000.0;
    snprintf(text, 16, unit == 0 ? "%.0f %s" : "%.2f %s", value, units[unit]);
}

static json_t* vectorJson(double x, double y, double z) { return json_pack("[f,f,f]", x, y, z); }

json_t* materialJson(const shMaterial* m)
{
    return json_pack("{s:s,s:f,s:f,s:f,s:f,s:f,s:f,s:f}", "name", m->name, "density", (double)m->density, "young",
                     (double)m->young, "poisson", (double)m->poisson, "strength", (double)m->strength, "toughness",
                     (double)m->toughness, "friction", (double)m->friction, "restitution", (double)m->restitution);
}

json_t* assetJson(const shAsset* asset)
{
    shAssetInfo info = shAsset_GetInfo(asset);
    char hash[17];
    snprintf(hash, sizeof(hash), "%016llx", (unsigned long long)info.contentHash);
    json_t* surfaces = json_array();
    for (int i = -1; i < info.surfaceCount; ++i) {
        shSurface surface = shAsset_GetSurface(asset, i);
        const float* c = surface.color;
        json_array_append_new(surfaces,
                              json_pack("{s:i,s:s,s:[f,f,f,f],s:f,s:f}", "slot", i, "name", surface.name, "color",
                                        (double)c[0], (double)c[1], (double)c[2], (double)c[3], "metallic",
                                        (double)surface.metallic, "roughness", (double)surface.roughness));
    }
    json_t* json =
        json_pack("{s:s,s:s,s:I,s:i,s:i,s:i,s:i,s:f,s:f,s:f,s:f,s:f}", "name", info.name, "hash", hash, "bytes",
                  (json_int_t)info.imageBytes, "triangles", info.triangleCount, "tetrahedra", info.tetCount, "points",
                  info.pointCount, "surface_points", info.surfacePointCount, "volume", info.volume, "mass", info.mass,
                  "min_dihedral", info.minDihedral, "max_dihedral", info.maxDihedral, "mean_edge", info.meanEdge);
    json_object_set_new(json, "grid_cell", json_real((double)info.gridCell));
    json_object_set_new(json, "grid_bytes", json_integer((json_int_t)info.gridBytes));
    const shInnerSpheres* inner = shAsset_GetInnerSpheres(asset);
    if (inner != NULL) {
        shInnerInfo spheres = shInnerSpheres_GetInfo(inner);
        json_object_set_new(json, "inner",
                            json_pack("{s:i,s:i,s:f,s:f,s:I}", "spheres", spheres.sphereCount, "nodes",
                                      spheres.nodeCount, "voxel", spheres.voxel, "covered", spheres.covered, "bytes",
                                      (json_int_t)spheres.bytes));
    }
    json_object_set_new(json, "centre", vectorJson(info.centre[0], info.centre[1], info.centre[2]));
    json_t* inertia = json_array();
    for (int i = 0; i < 3; ++i)
        json_array_append_new(inertia, vectorJson(info.inertia[i][0], info.inertia[i][1], info.inertia[i][2]));
    json_object_set_new(json, "inertia", inertia);
    json_object_set_new(
        json, "box",
        json_pack("[o,o]", vectorJson((double)info.box.lower.x, (double)info.box.lower.y, (double)info.box.lower.z),
                  vectorJson((double)info.box.upper.x, (double)info.box.upper.y, (double)info.box.upper.z)));
    json_object_set_new(json, "material", materialJson(info.material));
    json_object_set_new(json, "surfaces", surfaces);
    return json;
}

void assetPrint(const shAsset* asset)
{
    shAssetInfo info = shAsset_GetInfo(asset);
    char bytes[16], gridBytes[16];
    bytesText(info.imageBytes, bytes);
    bytesText(info.gridBytes, gridBytes);
    shVec3 a = info.box.lower, b = info.box.upper;
    printf("name        %s\n", info.name);
    printf("hash        %016llx\n", (unsigned long long)info.contentHash);
    printf("size        %s\n", bytes);
    printf("material    %s, %g kg/m³\n", info.material->name, (double)info.material->density);
    printf("triangles   %d\n", info.triangleCount);
    printf("tetrahedra  %d, dihedral angles %.1f° to %.1f°, mean edge %.4g m\n", info.tetCount, info.minDihedral,
           info.maxDihedral, info.meanEdge);
    printf("points      %d, %d of them on the surface\n", info.pointCount, info.surfacePointCount);
    printf("box         %.4g × %.4g × %.4g m\n", (double)(b.x - a.x), (double)(b.y - a.y), (double)(b.z - a.z));
    const shInnerSpheres* inner = shAsset_GetInnerSpheres(asset);
    if (inner != NULL) {
        shInnerInfo spheres = shInnerSpheres_GetInfo(inner);
        char innerBytes[16];
        bytesText(spheres.bytes, innerBytes);
        printf("inner       %d spheres that cover %.1f %%, %s\n", spheres.sphereCount, 100.0 * spheres.covered,
               innerBytes);
    }
    printf("grid        cells of %.4g m, %s\n", (double)info.gridCell, gridBytes);
    printf("volume      %.6g m³\n", info.volume);
    printf("mass        %.6g kg, centre (%.4g, %.4g, %.4g)\n", info.mass, info.centre[0], info.centre[1],
           info.centre[2]);
    printf("surfaces   ");
    for (int i = -1; i < info.surfaceCount; ++i) {
        shSurface surface = shAsset_GetSurface(asset, i);
        printf(" %s%s", surface.name, i + 1 < info.surfaceCount ? "," : "\n");
    }
}
