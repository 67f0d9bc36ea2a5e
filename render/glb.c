// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Reads binary glTF 2.0: one JSON chunk, one chunk of numbers. What a picture needs is taken (triangles, normals,
// UVs, colours, factors of materials, the node tree, the first animation); textures, skins, morphs and cameras
// are passed over. Every number that counts or points at something is checked before it is used.
#include "render/scene.h"

#include "core/message.h"
#include "io/file.h"

#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC 0x46546c67u // "glTF"
#define CHUNK_JSON 0x4e4f534au
#define CHUNK_BIN 0x004e4942u
#define LARGEST_FILE ((size_t)1 << 31)
#define MOST_CORNERS (64 << 20) // a small file can name one list of numbers many times over

typedef struct Reader {
    Scene* scene;
    Memory* memory;
    shMessage* message;
    const char* name;
    json_t* root;
    const uint8_t* bin; // the second chunk
    size_t binSize;
    int* nodeOf; // file's node index → ours, −1: not in the scene
    int fileNodeCount;
} Reader;

// Where numbers lie: `count` elements of `width` components.
typedef struct Accessor {
    const uint8_t* bytes; // null: all zero
    size_t stride;
    int count, width, componentType;
    bool normalized;
} Accessor;

enum { typeI8 = 5120, typeU8 = 5121, typeI16 = 5122, typeU16 = 5123, typeU32 = 5125, typeF32 = 5126 };

#define BAD(reader, ...) fail((reader)->message, shBadFile, __VA_ARGS__)
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        shStatus status_ = (call);                                                                                     \
        if (status_ != shOk)                                                                                           \
            return status_;                                                                                            \
    } while (0)

static uint32_t readU32(const uint8_t* p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

// Element `index` of the top-level list `list`, or null when there is none.
static json_t* item(const Reader* reader, const char* list, int64_t index)
{
    json_t* array = json_object_get(reader->root, list);
    json_t* found = index >= 0 ? json_array_get(array, (size_t)index) : NULL;
    return json_is_object(found) ? found : NULL;
}

static int listLength(const Reader* reader, const char* list)
{
    size_t length = json_array_size(json_object_get(reader->root, list));
    return length < INT_MAX ? (int)length : INT_MAX;
}

// An integer member; `missing` when it is not there, −2 when it is no count or index.
static int64_t integer(const json_t* object, const char* key, int64_t missing)
{
    json_t* value = json_object_get(object, key);
    if (value == NULL)
        return missing;
    if (json_is_real(value) && json_real_value(value) >= 0.0 && json_real_value(value) < 9.0e15)
        return (int64_t)json_real_value(value); // some exporters write 3.0
    return json_is_integer(value) && json_integer_value(value) >= 0 ? json_integer_value(value) : -2;
}

static float number(const json_t* object, const char* key, float missing)
{
    json_t* value = json_object_get(object, key);
    return json_is_number(value) ? (float)json_number_value(value) : missing;
}

// Fills `count` numbers from a list member; leaves them alone when it is not there or too short.
static bool numbers(const json_t* object, const char* key, int count, float* values)
{
    json_t* list = json_object_get(object, key);
    if (json_array_size(list) < (size_t)count)
        return false;
    for (int i = 0; i < count; ++i)
        values[i] = (float)json_number_value(json_array_get(list, (size_t)i));
    return true;
}

static int componentBytes(int type)
{
    return type == typeI8 || type == typeU8 ? 1 : type == typeI16 || type == typeU16 ? 2 : 4;
}

static int typeWidth(const char* type)
{
    static const struct {
        const char* name;
        int width;
    } types[] = {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4}};
    for (int i = 0; type != NULL && i < 4; ++i)
        if (strcmp(type, types[i].name) == 0)
            return types[i].width;
    return 0;
}

static shStatus findAccessor(const Reader* reader, int64_t index, Accessor* accessor)
{
    json_t* object = item(reader, "accessors", index);
    int at = (int)index;
    if (object == NULL)
        return BAD(reader, "%s: there is no accessor %lld", reader->name, (long long)index);
    if (json_object_get(object, "sparse") != NULL)
        return BAD(reader, "%s: accessor %d is sparse, which is not supported", reader->name, at);
    int64_t count = integer(object, "count", -2), offset = integer(object, "byteOffset", 0);
    *accessor = (Accessor){.count = (int)count,
                           .width = typeWidth(json_string_value(json_object_get(object, "type"))),
                           .componentType = (int)integer(object, "componentType", -2),
                           .normalized = json_is_true(json_object_get(object, "normalized"))};
    int type = accessor->componentType;
    if (count < 0 || count > INT_MAX / 16 || offset < 0)
        return BAD(reader, "%s: accessor %d: count or byteOffset is missing or out of range", reader->name, at);
    if (accessor->width == 0 || type < typeI8 || type > typeF32 || type == 5124)
        return BAD(reader, "%s: accessor %d: unknown type or componentType", reader->name, at);
    size_t element = (size_t)accessor->width * (size_t)componentBytes(type);
    int64_t viewIndex = integer(object, "bufferView", -1);
    if (viewIndex == -1) { // all zeros, without bytes to bound the count: so bound it here
        if ((size_t)count > reader->binSize)
            return BAD(reader, "%s: accessor %d: %lld elements without a bufferView", reader->name, at,
                       (long long)count);
        return shOk;
    }
    json_t* view = item(reader, "bufferViews", viewIndex);
    if (view == NULL)
        return BAD(reader, "%s: accessor %d: there is no bufferView %lld", reader->name, at, (long long)viewIndex);
    int64_t start = integer(view, "byteOffset", 0), length = integer(view, "byteLength", -2);
    int64_t stride = integer(view, "byteStride", (int64_t)element), buffer = integer(view, "buffer", -2);
    if (start < 0 || length < 0 || stride < (int64_t)element || stride > 65535)
        return BAD(reader, "%s: bufferView %lld: byteOffset, byteLength or byteStride is missing or out of range",
                   reader->name, (long long)viewIndex);
    if (buffer != 0 || json_object_get(item(reader, "buffers", 0), "uri") != NULL)
        return BAD(reader, "%s: bufferView %lld: only the file's own binary chunk (buffer 0 without uri) is supported",
                   reader->name, (long long)viewIndex);
    if ((size_t)start > reader->binSize || (size_t)length > reader->binSize - (size_t)start)
        return BAD(reader, "%s: bufferView %lld: ends at byte %lld of the binary chunk, which has %zu", reader->name,
                   (long long)viewIndex, (long long)(start + length), reader->binSize);
    if (count > 0 && (offset > length || (count - 1) * stride + (int64_t)element > length - offset))
        return BAD(reader, "%s: accessor %d: ends at byte %lld of bufferView %lld, which has %lld", reader->name, at,
                   (long long)(offset + (count - 1) * stride + (int64_t)element), (long long)viewIndex,
                   (long long)length);
    accessor->bytes = reader->bin + start + offset;
    accessor->stride = (size_t)stride;
    return shOk;
}

// Component `c` of element `i` as a number; normalised integers become −1…1 or 0…1.
static float component(const Accessor* accessor, int i, int c)
{
    if (accessor->bytes == NULL)
        return 0.0f;
    const uint8_t* p =
        accessor->bytes + (size_t)i * accessor->stride + (size_t)(c * componentBytes(accessor->componentType));
    int32_t value;
    float largest;
    switch (accessor->componentType) {
    case typeF32: {
        uint32_t bits = readU32(p);
        float f;
        memcpy(&f, &bits, sizeof(f));
        return f;
    }
    case typeU32:
        return (float)readU32(p);
    case typeI8:
        value = (p[0] ^ 0x80) - 0x80; // sign extended
        largest = 127.0f;
        break;
    case typeU8:
        value = p[0];
        largest = 255.0f;
        break;
    case typeI16:
        value = ((p[0] | p[1] << 8) ^ 0x8000) - 0x8000;
        largest = 32767.0f;
        break;
    default:
        value = p[0] | p[1] << 8;
        largest = 65535.0f;
    }
    return accessor->normalized ? maxF(-1.0f, (float)value / largest) : (float)value;
}

static uint32_t indexAt(const Accessor* accessor, int i)
{
    if (accessor->bytes == NULL)
        return 0;
    const uint8_t* p = accessor->bytes + (size_t)i * accessor->stride;
    return accessor->componentType == typeU8    ? p[0]
           : accessor->componentType == typeU16 ? (uint32_t)(p[0] | p[1] << 8)
                                                : readU32(p);
}

static shStatus readMaterials(Reader* reader)
{
    Scene* scene = reader->scene;
    int count = listLength(reader, "materials");
    if (!arrayReserve(reader->memory, &scene->materials, (int64_t)count + 1))
        return failMemory(reader->message);
    for (int i = 0; i <= count; ++i) { // one more, empty: glTF's default
        json_t* object = i < count ? item(reader, "materials", i) : NULL;
        json_t* surface = json_object_get(object, "pbrMetallicRoughness");
        json_t* transmission = json_object_get(json_object_get(object, "extensions"), "KHR_materials_transmission");
        float color[4] = {1.0f, 1.0f, 1.0f, 1.0f}, emission[3] = {0.0f, 0.0f, 0.0f};
        numbers(surface, "baseColorFactor", 4, color);
        numbers(object, "emissiveFactor", 3, emission);
        for (int k = 0; k < 4; ++k)
            color[k] = clampF(color[k], 0.0f, 1.0f);
        const char* mode = json_string_value(json_object_get(object, "alphaMode"));
        float through = clampF(number(transmission, "transmissionFactor", 0.0f), 0.0f, 1.0f);
        scene->materials.data[scene->materials.count++] = (Material){
            .color = vec3(color[0], color[1], color[2]),
            .emission =
                vec3(clampF(emission[0], 0.0f, 1.0f), clampF(emission[1], 0.0f, 1.0f), clampF(emission[2], 0.0f, 1.0f)),
            .opacity = (mode != NULL && strcmp(mode, "BLEND") == 0 ? color[3] : 1.0f) * (1.0f - 0.85f * through),
            .metallic = clampF(number(surface, "metallicFactor", object != NULL ? 1.0f : 0.0f), 0.0f, 1.0f),
            .roughness = clampF(number(surface, "roughnessFactor", 1.0f), 0.0f, 1.0f),
            .doubleSided = object == NULL || json_is_true(json_object_get(object, "doubleSided")),
        };
    }
    return shOk;
}

// Copies an attribute into one of the scene's vertex arrays.
static shStatus readAttribute(const Reader* reader, int64_t index, const char* attribute, int width, int firstVertex,
                              int vertexCount, Vec3* out)
{
    Accessor accessor;
    TRY(findAccessor(reader, index, &accessor));
    if (accessor.count != vertexCount || accessor.width < width || accessor.componentType == typeU32)
        return BAD(reader, "%s: accessor %lld: does not fit %s of %d vertices", reader->name, (long long)index,
                   attribute, vertexCount);
    for (int i = 0; i < vertexCount; ++i) {
        Vec3 v = {component(&accessor, i, 0), component(&accessor, i, 1),
                  width > 2 ? component(&accessor, i, 2) : 0.0f};
        if (!vFinite(v))
            return BAD(reader, "%s: accessor %lld: element %d of %s is not a finite number", reader->name,
                       (long long)index, i, attribute);
        out[firstVertex + i] = v;
    }
    return shOk;
}

// Corners turned into triangles; strips and fans as glTF orders them.
static shStatus readTriangles(Reader* reader, int64_t index, int mode, Part* part)
{
    Scene* scene = reader->scene;
    Accessor accessor = {.count = part->vertexCount};
    if (index != -1) {
        TRY(findAccessor(reader, index, &accessor));
        int type = accessor.componentType;
        if (accessor.width != 1 || (type != typeU8 && type != typeU16 && type != typeU32))
            return BAD(reader, "%s: accessor %lld: indices must be unsigned integers", reader->name, (long long)index);
    }
    int corners = accessor.count;
    if (mode == 4 && corners % 3 != 0)
        return BAD(reader, "%s: accessor %lld: %d indices are not whole triangles", reader->name, (long long)index,
                   corners);
    part->triangleCount = mode == 4 ? corners / 3 : maxI(corners - 2, 0);
    if (!arrayReserve(reader->memory, &scene->triangles, (int64_t)scene->triangles.count + part->triangleCount))
        return failMemory(reader->message);
    for (int t = 0; t < part->triangleCount; ++t) {
        int odd = t & 1;
        int list[3] = {3 * t, 3 * t + 1, 3 * t + 2};
        int strip[3] = {t, t + 1 + odd, t + 2 - odd};
        int fan[3] = {t + 1, t + 2, 0};
        const int* corner = mode == 4 ? list : mode == 5 ? strip : fan;
        int* triangle = scene->triangles.data[scene->triangles.count++];
        for (int k = 0; k < 3; ++k) {
            uint32_t v = index != -1 ? indexAt(&accessor, corner[k]) : (uint32_t)corner[k];
            if (v >= (uint32_t)part->vertexCount)
                return BAD(reader, "%s: accessor %lld: index %u at place %d, but there are %d vertices", reader->name,
                           (long long)index, v, corner[k], part->vertexCount);
            triangle[k] = (int)v;
        }
    }
    return shOk;
}

// Without normals glTF wants flat faces: every triangle gets corners of its own.
static shStatus makeFlat(Reader* reader, Part* part)
{
    Scene* scene = reader->scene;
    int64_t corners = 3 * (int64_t)part->triangleCount, total = part->firstVertex + part->vertexCount + corners;
    if (!arrayReserve(reader->memory, &scene->positions, total) ||
        !arrayReserve(reader->memory, &scene->normals, total) || !arrayReserve(reader->memory, &scene->uvs, total) ||
        !arrayReserve(reader->memory, &scene->colors, total))
        return failMemory(reader->message);
    int old = part->firstVertex, next = old + part->vertexCount;
    for (int t = 0; t < part->triangleCount; ++t) {
        int* triangle = scene->triangles.data[part->firstTriangle + t];
        const Vec3* p = scene->positions.data + old;
        Vec3 a = p[triangle[0]], b = p[triangle[1]], c = p[triangle[2]];
        Vec3 normal = vNormalize(vCross(vSub(b, a), vSub(c, a)));
        for (int k = 0; k < 3; ++k, ++next) {
            scene->positions.data[next] = scene->positions.data[old + triangle[k]];
            scene->uvs.data[next] = scene->uvs.data[old + triangle[k]];
            scene->colors.data[next] = scene->colors.data[old + triangle[k]];
            scene->normals.data[next] = normal;
            triangle[k] = next - old;
        }
    }
    part->vertexCount = next - old;
    scene->positions.count = scene->normals.count = scene->uvs.count = scene->colors.count = next;
    return shOk;
}

static shStatus readPrimitive(Reader* reader, const json_t* primitive, int mesh)
{
    Scene* scene = reader->scene;
    int64_t mode = integer(primitive, "mode", 4);
    json_t* attributes = json_object_get(primitive, "attributes");
    int64_t position = integer(attributes, "POSITION", -1), normal = integer(attributes, "NORMAL", -1);
    int64_t uv = integer(attributes, "TEXCOORD_0", -1), color = integer(attributes, "COLOR_0", -1);
    if (mode < 4 || mode > 6 || position == -1)
        return shOk; // points and lines, or nothing to see
    Accessor accessor;
    TRY(findAccessor(reader, position, &accessor));
    int64_t material = integer(primitive, "material", scene->materials.count - 1);
    if (material < 0 || material >= scene->materials.count)
        return BAD(reader, "%s: mesh %d: there is no material %lld", reader->name, mesh, (long long)material);
    Part part = {.firstVertex = scene->positions.count,
                 .vertexCount = accessor.count,
                 .firstTriangle = scene->triangles.count,
                 .material = (int)material};
    int64_t total = (int64_t)part.firstVertex + part.vertexCount;
    if (total > MOST_CORNERS || scene->triangles.count > MOST_CORNERS / 3)
        return fail(reader->message, shLimit, "%s: mesh %d: more than %d vertices altogether", reader->name, mesh,
                    MOST_CORNERS);
    if (!arrayReserve(reader->memory, &scene->positions, total) ||
        !arrayReserve(reader->memory, &scene->normals, total) || !arrayReserve(reader->memory, &scene->uvs, total) ||
        !arrayReserve(reader->memory, &scene->colors, total) ||
        !arrayReserve(reader->memory, &scene->parts, (int64_t)scene->parts.count + 1))
        return failMemory(reader->message);
    for (int i = part.firstVertex; i < (int)total; ++i) {
        scene->normals.data[i] = scene->uvs.data[i] = vec3(0.0f, 0.0f, 0.0f);
        scene->colors.data[i] = vec3(1.0f, 1.0f, 1.0f);
    }
    scene->positions.count = scene->normals.count = scene->uvs.count = scene->colors.count = (int)total;
    int first = part.firstVertex, count = part.vertexCount;
    TRY(readAttribute(reader, position, "POSITION", 3, first, count, scene->positions.data));
    if (normal != -1)
        TRY(readAttribute(reader, normal, "NORMAL", 3, first, count, scene->normals.data));
    if (uv != -1)
        TRY(readAttribute(reader, uv, "TEXCOORD_0", 2, first, count, scene->uvs.data));
    if (color != -1)
        TRY(readAttribute(reader, color, "COLOR_0", 3, first, count, scene->colors.data));
    TRY(readTriangles(reader, integer(primitive, "indices", -1), (int)mode, &part));
    if (normal == -1)
        TRY(makeFlat(reader, &part));
    if (part.triangleCount > 0)
        scene->parts.data[scene->parts.count++] = part;
    return shOk;
}

static shStatus readMeshes(Reader* reader)
{
    Scene* scene = reader->scene;
    int count = listLength(reader, "meshes");
    if (!arrayReserve(reader->memory, &scene->meshes, count))
        return failMemory(reader->message);
    for (int i = 0; i < count; ++i) {
        json_t* primitives = json_object_get(item(reader, "meshes", i), "primitives");
        int first = scene->parts.count;
        for (size_t k = 0; k < json_array_size(primitives); ++k)
            TRY(readPrimitive(reader, json_array_get(primitives, k), i));
        scene->meshes.data[scene->meshes.count++] = (PartRange){first, scene->parts.count - first};
    }
    return shOk;
}

static shStatus readNode(Reader* reader, int index, int parent)
{
    Scene* scene = reader->scene;
    json_t* object = item(reader, "nodes", index);
    int64_t mesh = integer(object, "mesh", -1);
    if (mesh != -1 && (mesh < 0 || mesh >= scene->meshes.count))
        return BAD(reader, "%s: node %d: there is no mesh %lld", reader->name, index, (long long)mesh);
    float t[3] = {0.0f, 0.0f, 0.0f}, r[4] = {0.0f, 0.0f, 0.0f, 1.0f}, s[3] = {1.0f, 1.0f, 1.0f}, m[16] = {0.0f};
    numbers(object, "translation", 3, t);
    numbers(object, "rotation", 4, r);
    numbers(object, "scale", 3, s);
    bool fixed = numbers(object, "matrix", 16, m); // column by column
    for (int i = 0; i < 16; ++i)
        if (!isfinite(m[i]) || !isfinite(t[i % 3]) || !isfinite(r[i % 4]) || !isfinite(s[i % 3]))
            return BAD(reader, "%s: node %d: its transform is not finite", reader->name, index);
    float length = sqrtf(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
    if (!(length > 0.0f) || !isfinite(length))
        return BAD(reader, "%s: node %d: its rotation is not a unit quaternion", reader->name, index);
    const char* name = json_string_value(json_object_get(object, "name"));
    scene->nodes.data[scene->nodes.count] = (Node){
        .parent = parent,
        .mesh = (int)mesh,
        .translation = vec3(t[0], t[1], t[2]),
        .rotation = {{r[0] / length, r[1] / length, r[2] / length}, r[3] / length},
        .scale = vec3(s[0], s[1], s[2]),
        .matrix = {{{m[0], m[4], m[8]}, {m[1], m[5], m[9]}, {m[2], m[6], m[10]}}, {m[12], m[13], m[14]}},
        .fixed = fixed,
        .isGround = name != NULL && strcmp(name, "ground") == 0,
    };
    if (name != NULL)
        strncat(scene->nodes.data[scene->nodes.count].name, name, sizeof scene->nodes.data->name - 1);
    reader->nodeOf[index] = scene->nodes.count++;
    return shOk;
}

// The children listed in `object` under `key`, appended to `queue`. A node may be reached once only.
static shStatus enqueue(Reader* reader, const json_t* object, const char* key, int parent, int* queue, int* parents,
                        int* tail)
{
    json_t* children = json_object_get(object, key);
    for (size_t i = 0; i < json_array_size(children); ++i) {
        json_t* child = json_array_get(children, i);
        json_int_t index = json_is_integer(child) ? json_integer_value(child) : -1;
        if (index < 0 || index >= reader->fileNodeCount || item(reader, "nodes", index) == NULL)
            return BAD(reader, "%s: %s lists node %lld, which does not exist", reader->name, key, (long long)index);
        if (reader->nodeOf[index] != -1)
            return BAD(reader, "%s: node %lld is reached twice: nodes must form a tree", reader->name,
                       (long long)index);
        reader->nodeOf[index] = -2;
        queue[*tail] = (int)index;
        parents[(*tail)++] = parent;
    }
    return shOk;
}

// Breadth first from the scene's roots, so that parents come first.
static shStatus walkNodes(Reader* reader, int* queue, int* parents)
{
    int head = 0, tail = 0;
    json_t* shown = item(reader, "scenes", integer(reader->root, "scene", 0));
    if (shown == NULL)
        return BAD(reader, "%s: there is no scene to show", reader->name);
    TRY(enqueue(reader, shown, "nodes", -1, queue, parents, &tail));
    while (head < tail) {
        int index = queue[head], parent = parents[head];
        ++head;
        TRY(readNode(reader, index, parent));
        TRY(enqueue(reader, item(reader, "nodes", index), "children", reader->nodeOf[index], queue, parents, &tail));
    }
    return shOk;
}

static shStatus readNodes(Reader* reader)
{
    int count = reader->fileNodeCount;
    int* queue = NEW_ARRAY(reader->memory, int, 2 * (size_t)count);
    shStatus status = arrayReserve(reader->memory, &reader->scene->nodes, count) && (queue != NULL || count == 0)
                          ? walkNodes(reader, queue, queue + count)
                          : failMemory(reader->message);
    FREE_ARRAY(reader->memory, queue, 2 * (size_t)count);
    return status;
}

// Appends all numbers of an accessor to the keys; *first is where they start.
static shStatus readKeys(Reader* reader, int64_t index, int width, int expected, Accessor* accessor, int* first)
{
    Scene* scene = reader->scene;
    TRY(findAccessor(reader, index, accessor));
    if (accessor->width != width || accessor->count == 0 || (expected != 0 && accessor->count != expected))
        return BAD(reader, "%s: accessor %lld: does not fit the animation that uses it", reader->name,
                   (long long)index);
    if (!arrayReserve(reader->memory, &scene->keys, scene->keys.count + (int64_t)accessor->count * width))
        return failMemory(reader->message);
    *first = scene->keys.count;
    for (int i = 0; i < accessor->count; ++i)
        for (int c = 0; c < width; ++c) {
            float value = component(accessor, i, c);
            if (!isfinite(value))
                return BAD(reader, "%s: accessor %lld: element %d is not a finite number", reader->name,
                           (long long)index, i);
            scene->keys.data[scene->keys.count++] = value;
        }
    return shOk;
}

static shStatus readChannel(Reader* reader, const json_t* animation, const json_t* object, int place)
{
    Scene* scene = reader->scene;
    json_t* target = json_object_get(object, "target");
    const char* path = json_string_value(json_object_get(target, "path"));
    int64_t node = integer(target, "node", -1), samplerIndex = integer(object, "sampler", -2);
    if (node == -1 || path == NULL || strcmp(path, "weights") == 0)
        return shOk;
    json_t* sampler =
        samplerIndex >= 0 ? json_array_get(json_object_get(animation, "samplers"), (size_t)samplerIndex) : NULL;
    if (node < 0 || node >= reader->fileNodeCount || sampler == NULL)
        return BAD(reader, "%s: animation channel %d: its node or sampler does not exist", reader->name, place);
    Channel channel = {.node = reader->nodeOf[node]};
    if (channel.node < 0 || scene->nodes.data[channel.node].fixed)
        return shOk; // not in the scene that is shown; a matrix cannot be animated
    const char* interpolation = json_string_value(json_object_get(sampler, "interpolation"));
    channel.interpolation = interpolation == NULL || strcmp(interpolation, "LINEAR") == 0 ? interpolateLinear
                            : strcmp(interpolation, "STEP") == 0                          ? interpolateStep
                                                                                          : interpolateCubic;
    channel.path = strcmp(path, "translation") == 0 ? pathTranslation
                   : strcmp(path, "scale") == 0     ? pathScale
                                                    : pathRotation;
    Accessor input, output;
    TRY(readKeys(reader, integer(sampler, "input", -2), 1, 0, &input, &channel.firstTime));
    channel.keyCount = input.count;
    const float* times = scene->keys.data + channel.firstTime;
    for (int i = 1; i < input.count; ++i)
        if (!(times[i] > times[i - 1]))
            return BAD(reader, "%s: animation channel %d: time %d does not come after the one before", reader->name,
                       place, i);
    scene->duration = maxF(scene->duration, times[input.count - 1]);
    int perKey = channel.interpolation == interpolateCubic ? 3 : 1;
    if (input.count > INT_MAX / 16)
        return fail(reader->message, shLimit, "%s: animation channel %d: too many keys", reader->name, place);
    TRY(readKeys(reader, integer(sampler, "output", -2), channel.path == pathRotation ? 4 : 3, perKey * input.count,
                 &output, &channel.firstValue));
    if (!arrayReserve(reader->memory, &scene->channels, (int64_t)scene->channels.count + 1))
        return failMemory(reader->message);
    scene->channels.data[scene->channels.count++] = channel;
    return shOk;
}

static int compareChannels(const void* a, const void* b)
{
    const Channel *x = a, *y = b;
    return x->node != y->node ? (x->node < y->node ? -1 : 1)
                              : (x->firstTime > y->firstTime) - (x->firstTime < y->firstTime);
}

static shStatus readAnimation(Reader* reader)
{
    json_t* animation = item(reader, "animations", 0);
    json_t* channels = json_object_get(animation, "channels");
    for (size_t i = 0; i < json_array_size(channels); ++i)
        TRY(readChannel(reader, animation, json_array_get(channels, i), (int)i));
    if (reader->scene->channels.count > 0)
        qsort(reader->scene->channels.data, (size_t)reader->scene->channels.count, sizeof(Channel), compareChannels);
    return shOk;
}

static shStatus checkExtensions(const Reader* reader)
{
    // Extensions that only change how light behaves, or that we read.
    static const char* const known[] = {"KHR_materials_", "KHR_mesh_quantization", "KHR_texture_transform",
                                        "KHR_lights_punctual"};
    json_t* list = json_object_get(reader->root, "extensionsRequired");
    for (size_t i = 0; i < json_array_size(list); ++i) {
        const char* name = json_string_value(json_array_get(list, i));
        bool found = false;
        for (int k = 0; name != NULL && k < 4; ++k)
            found = found || strncmp(name, known[k], strlen(known[k])) == 0;
        if (!found)
            return BAD(reader, "%s: needs the glTF extension %s, which is not supported", reader->name,
                       name != NULL ? name : "(no name)");
    }
    return shOk;
}

// Header and chunks: finds the JSON text and the binary chunk.
static shStatus openChunks(Reader* reader, const uint8_t* bytes, size_t size, const uint8_t** text, size_t* textSize)
{
    if (size < 20 || readU32(bytes) != MAGIC)
        return BAD(reader, "%s: byte 0: not a binary glTF file (.glb)", reader->name);
    if (readU32(bytes + 4) != 2)
        return BAD(reader, "%s: byte 4: glTF version %u; only 2 is supported", reader->name, readU32(bytes + 4));
    size_t length = readU32(bytes + 8);
    if (length > size || size > LARGEST_FILE)
        return BAD(reader, "%s: byte 8: the header says %zu bytes, the file has %zu", reader->name, length, size);
    *text = NULL;
    for (size_t at = 12; at + 8 <= length;) {
        size_t chunk = readU32(bytes + at);
        uint32_t kind = readU32(bytes + at + 4);
        if (chunk > length - at - 8)
            return BAD(reader, "%s: byte %zu: a chunk of %zu bytes, but only %zu are left", reader->name, at, chunk,
                       length - at - 8);
        if (kind == CHUNK_JSON && *text == NULL) {
            *text = bytes + at + 8;
            *textSize = chunk;
        } else if (kind == CHUNK_BIN && reader->bin == NULL) {
            reader->bin = bytes + at + 8;
            reader->binSize = chunk;
        }
        at += 8 + chunk;
    }
    return *text != NULL ? shOk : BAD(reader, "%s: byte 12: there is no JSON chunk", reader->name);
}

static shStatus readAll(Reader* reader)
{
    TRY(checkExtensions(reader));
    reader->fileNodeCount = listLength(reader, "nodes");
    reader->nodeOf = NEW_ARRAY(reader->memory, int, reader->fileNodeCount);
    if (reader->nodeOf == NULL && reader->fileNodeCount > 0)
        return failMemory(reader->message);
    for (int i = 0; i < reader->fileNodeCount; ++i)
        reader->nodeOf[i] = -1;
    TRY(readMaterials(reader));
    TRY(readMeshes(reader));
    TRY(readNodes(reader));
    return readAnimation(reader);
}

shStatus sceneRead(Scene* scene, shContext* context, const void* bytes, size_t size, const char* name,
                   shMessage* message)
{
    *scene = (Scene){.context = context};
    Reader reader = {.scene = scene, .memory = &context->memory, .message = message, .name = name};
    const uint8_t* text = NULL;
    size_t textSize = 0;
    TRY(openChunks(&reader, bytes, size, &text, &textSize));
    json_error_t error;
    reader.root = json_loadb((const char*)text, textSize, 0, &error);
    if (reader.root == NULL)
        return BAD(&reader, "%s: byte %zu: bad JSON: %s", name,
                   (size_t)(text - (const uint8_t*)bytes) + (size_t)maxI(error.position, 0), error.text);
    shStatus status = readAll(&reader);
    json_decref(reader.root);
    FREE_ARRAY(reader.memory, reader.nodeOf, reader.fileNodeCount);
    if (status != shOk)
        sceneFree(scene);
    return status;
}

shStatus sceneLoad(Scene* scene, shContext* context, const char* path, shMessage* message)
{
    FileBlock file;
    *scene = (Scene){.context = context};
    TRY(fileOpen(&file, &context->memory, path, message));
    shStatus status = sceneRead(scene, context, file.bytes, file.size, path, message);
    fileClose(&file, &context->memory);
    return status;
}
