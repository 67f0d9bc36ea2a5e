// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "io/gltf.h"

#include "core/message.h"
#include "core/vec.h"
#include "solid/textures.h"

#include <string.h>

enum { // values of the glTF 2.0 specification
    GL_FLOAT = 5126,
    GL_UNSIGNED_INT = 5125,
    GL_ARRAY_BUFFER = 34962,
    GL_ELEMENT_ARRAY_BUFFER = 34963,
    GLB_MAGIC = 0x46546c67, // "glTF"
    GLB_JSON = 0x4e4f534a,
    GLB_BIN = 0x004e4942,
};

// Parts of the file that grow side by side and are joined at the end.
typedef struct Writer {
    const shExportScene* scene;
    Buffer vectors, indices, uvs, keys, images;                     // bytes of the views; each image has its own
    Buffer accessors, materials, meshes, nodes, samplers, channels; // JSON, comma separated
    int accessorCount, samplerCount;
    int uvView, keyView; // indices of the views that may be missing
} Writer;

static void comma(Buffer* list)
{
    if (list->bytes.count > 0)
        bufferAdd(list, ",", 1);
}

// Starts an accessor of `count` elements at the end of `view` and leaves it open for min and max. Returns its index.
static int openAccessor(Writer* writer, int view, const Buffer* bytes, int component, int count, const char* type)
{
    comma(&writer->accessors);
    bufferPrint(&writer->accessors,
                "{\"bufferView\":%d,\"byteOffset\":%d,\"componentType\":%d,\"count\":%d,\"type\":\"%s\"", view,
                bytes->bytes.count, component, count, type);
    return writer->accessorCount++;
}

static void closeAccessor(Writer* writer) { bufferAdd(&writer->accessors, "}", 1); }

static void addBounds(Buffer* json, const float* lower, const float* upper, int count)
{
    bufferPrint(json, ",\"min\":[");
    bufferFloats(json, lower, count, ",");
    bufferPrint(json, "],\"max\":[");
    bufferFloats(json, upper, count, ",");
    bufferPrint(json, "]");
}

static int addVectors(Writer* writer, const shVec3* vectors, int count, bool bounds)
{
    int accessor = openAccessor(writer, 0, &writer->vectors, GL_FLOAT, count, "VEC3");
    if (bounds) {
        shBox box = boxEmpty();
        for (int i = 0; i < count; ++i)
            box = boxAdd(box, vectors[i]);
        addBounds(&writer->accessors, &box.lower.x, &box.upper.x, 3);
    }
    closeAccessor(writer);
    bufferAdd(&writer->vectors, vectors, (size_t)count * sizeof(shVec3));
    return accessor;
}

// The triangles of one material. Returns the accessor, −1 when there are none.
static int addIndices(Writer* writer, const shExportMesh* mesh, int material)
{
    int count = 0;
    for (int i = 0; i < mesh->triangleCount; ++i)
        count += (mesh->materials != NULL ? mesh->materials[i] : 0) == material;
    if (count == 0)
        return -1;
    int accessor = openAccessor(writer, 1, &writer->indices, GL_UNSIGNED_INT, 3 * count, "SCALAR");
    closeAccessor(writer);
    for (int i = 0; i < mesh->triangleCount; ++i)
        if ((mesh->materials != NULL ? mesh->materials[i] : 0) == material)
            bufferAdd(&writer->indices, mesh->triangles[i], sizeof(mesh->triangles[i]));
    return accessor;
}

static int addUvs(Writer* writer, const shExportMesh* mesh)
{
    int accessor = openAccessor(writer, writer->uvView, &writer->uvs, GL_FLOAT, mesh->vertexCount, "VEC2");
    closeAccessor(writer);
    for (int i = 0; i < mesh->vertexCount; ++i) {
        float uv[2] = {mesh->uvs[i][0], 1.0f - mesh->uvs[i][1]}; // glTF's v points down
        bufferAdd(&writer->uvs, uv, sizeof(uv));
    }
    return accessor;
}

static void addMesh(Writer* writer, const shExportMesh* mesh)
{
    Buffer* json = &writer->meshes;
    int positions = addVectors(writer, mesh->positions, mesh->vertexCount, true);
    int normals = mesh->normals != NULL ? addVectors(writer, mesh->normals, mesh->vertexCount, false) : -1;
    int uvs = mesh->uvs != NULL ? addUvs(writer, mesh) : -1;
    comma(json);
    bufferPrint(json, "{\"name\":");
    bufferQuoted(json, mesh->name);
    bufferPrint(json, ",\"primitives\":[");
    bool first = true;
    for (int i = 0; i < maxI(writer->scene->materialCount, 1); ++i) {
        int indices = addIndices(writer, mesh, i);
        if (indices < 0)
            continue;
        bufferPrint(json, "%s{\"attributes\":{\"POSITION\":%d", first ? "" : ",", positions);
        if (normals >= 0)
            bufferPrint(json, ",\"NORMAL\":%d", normals);
        if (uvs >= 0)
            bufferPrint(json, ",\"TEXCOORD_0\":%d", uvs);
        bufferPrint(json, "},\"indices\":%d", indices);
        if (writer->scene->materialCount > 0)
            bufferPrint(json, ",\"material\":%d", i);
        bufferPrint(json, "}");
        first = false;
    }
    bufferPrint(json, "]}");
}

static void addMap(Buffer* json, const char* name, int texture)
{
    if (texture > 0)
        bufferPrint(json, ",\"%s\":{\"index\":%d}", name, texture - 1);
}

static void addMaterial(Buffer* json, const shExportMaterial* material)
{
    comma(json);
    bufferPrint(json, "{\"name\":");
    bufferQuoted(json, material->name);
    bufferPrint(json, ",\"pbrMetallicRoughness\":{\"baseColorFactor\":[");
    bufferFloats(json, material->color, 4, ",");
    bufferPrint(json, "],\"metallicFactor\":");
    bufferFloat(json, material->metallic);
    bufferPrint(json, ",\"roughnessFactor\":");
    bufferFloat(json, material->roughness);
    addMap(json, "baseColorTexture", material->maps.color);
    addMap(json, "metallicRoughnessTexture", material->maps.metallicRoughness);
    bufferPrint(json, "}");
    addMap(json, "normalTexture", material->maps.normal);
    addMap(json, "emissiveTexture", material->maps.emissive);
    if (material->maps.emissive > 0)
        bufferPrint(json, ",\"emissiveFactor\":[1,1,1]");
    bufferPrint(json, "%s}", material->color[3] < 1.0f ? ",\"alphaMode\":\"BLEND\"" : "");
}

static void addNode(Buffer* json, const shExportNode* node)
{
    comma(json);
    bufferPrint(json, "{\"name\":");
    bufferQuoted(json, node->name);
    if (node->mesh >= 0)
        bufferPrint(json, ",\"mesh\":%d", node->mesh);
    bufferPrint(json, ",\"translation\":[");
    bufferFloats(json, &node->pose.p.x, 3, ",");
    bufferPrint(json, "],\"rotation\":[");
    bufferFloats(json, &node->pose.q.v.x, 3, ",");
    bufferPrint(json, ",");
    bufferFloat(json, node->pose.q.s);
    bufferPrint(json, "]}");
}

static int addTimes(Writer* writer, const float* times, int count)
{
    int accessor = openAccessor(writer, writer->keyView, &writer->keys, GL_FLOAT, count, "SCALAR");
    addBounds(&writer->accessors, &times[0], &times[count - 1], 1);
    closeAccessor(writer);
    bufferAdd(&writer->keys, times, (size_t)count * sizeof(float));
    return accessor;
}

static void addChannel(Writer* writer, int node, const char* path, int times, int values, const char* interpolation)
{
    comma(&writer->samplers);
    bufferPrint(&writer->samplers, "{\"input\":%d,\"output\":%d,\"interpolation\":\"%s\"}", times, values,
                interpolation);
    comma(&writer->channels);
    bufferPrint(&writer->channels, "{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"%s\"}}", writer->samplerCount++,
                node, path);
}

// glTF knows no visibility: a node that is not there has scale 0, switched in steps.
static void addVisibility(Writer* writer, int node, const shExportTrack* track)
{
    float times[3], scales[3];
    int count = 0;
    if (track->birth > 0.0f) {
        times[count] = 0.0f;
        scales[count++] = 0.0f;
    }
    times[count] = maxF(track->birth, 0.0f);
    scales[count++] = 1.0f;
    if (track->death > maxF(track->birth, 0.0f)) {
        times[count] = track->death;
        scales[count++] = 0.0f;
    }
    if (count == 1)
        return; // always there
    int input = addTimes(writer, times, count);
    int output = openAccessor(writer, writer->keyView, &writer->keys, GL_FLOAT, count, "VEC3");
    closeAccessor(writer);
    for (int i = 0; i < count; ++i)
        bufferAdd(&writer->keys, &(shVec3){scales[i], scales[i], scales[i]}, sizeof(shVec3));
    addChannel(writer, node, "scale", input, output, "STEP");
}

// Returns the accessor of the times, so that tracks with common times store them once.
static int addTrack(Writer* writer, int node, const shExportTrack* track, int sharedTimes)
{
    int times = sharedTimes >= 0 ? sharedTimes : addTimes(writer, track->times, track->keyCount);
    int places = openAccessor(writer, writer->keyView, &writer->keys, GL_FLOAT, track->keyCount, "VEC3");
    closeAccessor(writer);
    for (int i = 0; i < track->keyCount; ++i)
        bufferAdd(&writer->keys, &track->poses[i].p, sizeof(shVec3));
    int turns = openAccessor(writer, writer->keyView, &writer->keys, GL_FLOAT, track->keyCount, "VEC4");
    closeAccessor(writer);
    for (int i = 0; i < track->keyCount; ++i)
        bufferAdd(&writer->keys, &track->poses[i].q, sizeof(shQuat));
    addChannel(writer, node, "translation", times, places, "LINEAR");
    addChannel(writer, node, "rotation", times, turns, "LINEAR");
    addVisibility(writer, node, track);
    return times;
}

static void addAnimation(Writer* writer)
{
    const shExportTrack* last = NULL;
    int times = -1;
    for (int i = 0; i < writer->scene->nodeCount; ++i) {
        const shExportTrack* track = writer->scene->nodes[i].track;
        if (track == NULL)
            continue;
        bool shared = last != NULL && last->times == track->times && last->keyCount == track->keyCount;
        times = addTrack(writer, i, track, shared ? times : -1);
        last = track;
    }
}

static void addList(Buffer* json, const char* name, const Buffer* list)
{
    if (list->bytes.count == 0 && !list->failed)
        return; // glTF has no empty lists
    bufferPrint(json, ",\"%s\":[", name);
    bufferJoin(json, list);
    bufferPrint(json, "]");
}

static int addView(Buffer* list, int offset, const Buffer* bytes, int stride, int target)
{
    if (bytes->bytes.count == 0)
        return offset;
    comma(list);
    bufferPrint(list, "{\"buffer\":0,\"byteOffset\":%d,\"byteLength\":%d", offset, bytes->bytes.count);
    if (stride > 0)
        bufferPrint(list, ",\"byteStride\":%d", stride);
    if (target > 0)
        bufferPrint(list, ",\"target\":%d", target);
    bufferPrint(list, "}");
    return offset + bytes->bytes.count;
}

// The images, a view each, from `offset` on. Returns where they end.
static int addImages(Writer* writer, Buffer* views, Buffer* images, Buffer* textures, int offset)
{
    int view = writer->keyView + (writer->keys.bytes.count > 0);
    for (int i = 0; i < writer->scene->textureCount; ++i) {
        const shTexture* texture = &writer->scene->textures[i];
        comma(views);
        bufferPrint(views, "{\"buffer\":0,\"byteOffset\":%d,\"byteLength\":%d}", offset + writer->images.bytes.count,
                    (int)texture->size);
        comma(images);
        bufferPrint(images, "{\"bufferView\":%d,\"mimeType\":\"%s\"}", view + i,
                    textureMime(texture->bytes, texture->size));
        comma(textures);
        bufferPrint(textures, "{\"source\":%d}", i);
        bufferAdd(&writer->images, texture->bytes, texture->size);
        bufferPad(&writer->images, 4, 0);
    }
    return offset + writer->images.bytes.count;
}

static void writeJson(Buffer* json, Writer* writer, Buffer* views, const Buffer* images, const Buffer* textures,
                      int binarySize)
{
    bufferPrint(json,
                "{\"asset\":{\"version\":\"2.0\",\"generator\":\"Sherd %s\"},\"scene\":0,\"scenes\":[{\"nodes\":[",
                shVersionText());
    for (int i = 0; i < writer->scene->nodeCount; ++i)
        bufferPrint(json, "%s%d", i > 0 ? "," : "", i);
    bufferPrint(json, "]}]");
    addList(json, "nodes", &writer->nodes);
    addList(json, "meshes", &writer->meshes);
    addList(json, "materials", &writer->materials);
    addList(json, "textures", textures);
    addList(json, "images", images);
    addList(json, "accessors", &writer->accessors);
    addList(json, "bufferViews", views);
    if (binarySize > 0)
        bufferPrint(json, ",\"buffers\":[{\"byteLength\":%d}]", binarySize);
    if (writer->samplerCount > 0) {
        bufferPrint(json, ",\"animations\":[{\"samplers\":[");
        bufferJoin(json, &writer->samplers);
        bufferPrint(json, "],\"channels\":[");
        bufferJoin(json, &writer->channels);
        bufferPrint(json, "]}]");
    }
    bufferPrint(json, "}");
    bufferPad(json, 4, ' ');
}

static void writeFile(Buffer* glb, Writer* writer)
{
    Buffer views = {.memory = glb->memory}, json = {.memory = glb->memory}, images = {.memory = glb->memory};
    Buffer textures = {.memory = glb->memory};
    int size = addView(&views, 0, &writer->vectors, sizeof(shVec3), GL_ARRAY_BUFFER);
    size = addView(&views, size, &writer->indices, 0, GL_ELEMENT_ARRAY_BUFFER);
    size = addView(&views, size, &writer->uvs, 2 * sizeof(float), GL_ARRAY_BUFFER);
    size = addView(&views, size, &writer->keys, 0, 0);
    size = addImages(writer, &views, &images, &textures, size);
    writeJson(&json, writer, &views, &images, &textures, size);

    uint32_t head[5] = {GLB_MAGIC, 2, 0, (uint32_t)json.bytes.count, GLB_JSON};
    uint32_t binaryHead[2] = {(uint32_t)size, GLB_BIN};
    head[2] = (uint32_t)(sizeof(head) + (size_t)json.bytes.count + (size > 0 ? sizeof(binaryHead) + (size_t)size : 0));
    bufferAdd(glb, head, sizeof(head));
    bufferJoin(glb, &json);
    if (size > 0) {
        bufferAdd(glb, binaryHead, sizeof(binaryHead));
        bufferJoin(glb, &writer->vectors);
        bufferJoin(glb, &writer->indices);
        bufferJoin(glb, &writer->uvs);
        bufferJoin(glb, &writer->keys);
        bufferJoin(glb, &writer->images);
    }
    bufferFree(&images);
    bufferFree(&textures);
    bufferFree(&views);
    bufferFree(&json);
}

shStatus gltfWrite(Buffer* glb, const shExportScene* scene, shMessage* message)
{
    Writer writer = {.scene = scene, .uvView = 2, .keyView = 2};
    Buffer* buffers[] = {&writer.vectors, &writer.indices,  &writer.uvs,       &writer.keys,
                         &writer.images,  &writer.nodes,    &writer.accessors, &writer.materials,
                         &writer.meshes,  &writer.samplers, &writer.channels};
    enum { bufferCount = sizeof(buffers) / sizeof(buffers[0]) };
    for (int i = 0; i < bufferCount; ++i)
        buffers[i]->memory = glb->memory;
    for (int i = 0; i < scene->meshCount; ++i)
        if (scene->meshes[i].uvs != NULL)
            writer.keyView = 3;

    for (int i = 0; i < scene->materialCount; ++i)
        addMaterial(&writer.materials, &scene->materials[i]);
    for (int i = 0; i < scene->meshCount; ++i)
        addMesh(&writer, &scene->meshes[i]);
    for (int i = 0; i < scene->nodeCount; ++i)
        addNode(&writer.nodes, &scene->nodes[i]);
    addAnimation(&writer);

    int64_t total = 0;
    for (int i = 0; i < bufferCount; ++i)
        total += buffers[i]->bytes.count;
    for (int i = 0; i < scene->textureCount; ++i)
        total += (int64_t)scene->textures[i].size + 256;
    bool fits = total <= INT32_MAX - 4096; // sizes in the file are 32 bits wide; the rest is small
    if (fits)
        writeFile(glb, &writer);
    for (int i = 0; i < bufferCount; ++i)
        bufferFree(buffers[i]);
    if (!fits)
        return fail(message, shLimit, "the scene does not fit in a .glb of 2 GiB; export less of it");
    return glb->failed ? failMemory(message) : shOk;
}
