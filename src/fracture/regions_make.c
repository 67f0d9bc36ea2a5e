// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// From surfaces, or from whole grids of signed distances, to level sets. Each region is sampled in a block of the grid
// around it; the blocks are then laid over one another, and every sample keeps the regions that are near.
#include "core/constants.h"
#include "core/message.h"
#include "core/tasks.h"
#include "core/weld.h"
#include "fracture/regions.h"
#include "mesh/adjacency.h"
#include "mesh/tri_query.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

// One region's levels at samples lower[k] … upper[k] − 1.
typedef struct Block {
    int lower[3], upper[3];
    const float* levels; // x fastest
    float* owned;        // the same if they are to be freed
} Block;

typedef struct Draft {
    shContext* context;
    Memory* memory;
    shMessage* message;
    RegionRecord record;
    const char* const* names;
    bool mayVanish; // regions without a sample are left to their neighbours
    Block* blocks;  // [regionCount]
    int* starts;    // [samples + 1]
    RegionEntry* entries;
    int64_t entryRoom;
} Draft;

static int64_t blockSize(const Block* block)
{
    int64_t size = 1;
    for (int k = 0; k < 3; ++k)
        size *= block->upper[k] - block->lower[k];
    return size;
}

static int sampleCount(const RegionRecord* record)
{
    return record->samples[0] * record->samples[1] * record->samples[2];
}

static DVec3 samplePlace(const RegionRecord* record, int x, int y, int z)
{
    double cell = (double)record->cell;
    return dAdd(dFromV(record->lower), dvec3(x * cell, y * cell, z * cell));
}

// "region 3 'lid'"
static const char* titleOf(const Draft* draft, int region, char text[80])
{
    if (draft->names != NULL && draft->names[region] != NULL)
        snprintf(text, 80, "region %d '%.48s'", region, draft->names[region]);
    else
        snprintf(text, 80, "region %d", region);
    return text;
}

static void draftFree(Draft* draft)
{
    for (int r = 0; draft->blocks != NULL && r < draft->record.regionCount; ++r)
        if (draft->blocks[r].owned != NULL)
            FREE_ARRAY(draft->memory, draft->blocks[r].owned, blockSize(&draft->blocks[r]));
    FREE_ARRAY(draft->memory, draft->blocks, draft->record.regionCount);
    FREE_ARRAY(draft->memory, draft->starts, (int64_t)sampleCount(&draft->record) + 1);
    FREE_ARRAY(draft->memory, draft->entries, draft->entryRoom);
}

// ---- laying blocks over one another ---------------------------------------------------------------------------------

// Calls for every level of every region that is below the band, region by region.
static void visitLevels(const Draft* draft, void (*visit)(Draft*, int sample, RegionEntry), Draft* user)
{
    const RegionRecord* record = &draft->record;
    for (int r = 0; r < record->regionCount; ++r) {
        const Block* block = &draft->blocks[r];
        const float* level = block->levels;
        for (int z = block->lower[2]; z < block->upper[2]; ++z)
            for (int y = block->lower[1]; y < block->upper[1]; ++y)
                for (int x = block->lower[0]; x < block->upper[0]; ++x, ++level)
                    if (*level < record->band)
                        visit(user, regionsSample(record, x, y, z), (RegionEntry){r, maxF(*level, -record->band)});
    }
}

static void countLevel(Draft* draft, int sample, RegionEntry entry)
{
    (void)entry;
    ++draft->starts[sample + 1];
}

static void putLevel(Draft* draft, int sample, RegionEntry entry) { draft->entries[draft->starts[sample]++] = entry; }

// Sorts a sample's entries, the lowest first; equal levels by region, as they stand.
static void sortEntries(RegionEntry* entries, int count)
{
    for (int i = 1; i < count; ++i) {
        RegionEntry entry = entries[i];
        int k = i;
        for (; k > 0 && entries[k - 1].level > entry.level; --k)
            entries[k] = entries[k - 1];
        entries[k] = entry;
    }
}

static shStatus checkOverlap(const Draft* draft, int sample, const RegionEntry* entries)
{
    const RegionRecord* record = &draft->record;
    float depth = -entries[1].level;
    if (!(depth > REGION_OVERLAP * record->cell))
        return shOk;
    char one[80], other[80];
    int x = sample % record->samples[0], y = sample / record->samples[0] % record->samples[1];
    DVec3 at = samplePlace(record, x, y, sample / (record->samples[0] * record->samples[1]));
    return fail(draft->message, shBadMesh, "regions: %s and %s overlap: %g, %g, %g is in both, %g deep",
                titleOf(draft, entries[0].region, one), titleOf(draft, entries[1].region, other), at.x, at.y, at.z,
                (double)depth);
}

// Sorts, checks and shortens all lists; an empty one has a place for one entry, of region −1.
static shStatus finishLists(Draft* draft)
{
    int samples = sampleCount(&draft->record), end = 0, first = 0;
    for (int s = 0; s < samples; ++s) {
        int next = maxI(draft->starts[s], first + 1); // putLevel moved the start to the end, unless no one came
        RegionEntry* entries = draft->entries + first;
        int count = next - first;
        sortEntries(entries, count);
        shStatus status = count > 1 ? checkOverlap(draft, s, entries) : shOk;
        if (status != shOk)
            return status;
        first = next;
        count = minI(count, REGIONS_PER_SAMPLE);
        memmove(draft->entries + end, entries, sizeof(RegionEntry) * (size_t)count);
        draft->starts[s] = end;
        end += count;
    }
    draft->starts[samples] = end;
    return shOk;
}

// Samples far from every region take the owner of the sample they are reached from first.
static bool fillGaps(Draft* draft)
{
    const int* count = draft->record.samples;
    int samples = sampleCount(&draft->record), head = 0, tail = 0;
    int* queue = NEW_ARRAY(draft->memory, int, samples);
    if (queue == NULL)
        return false;
    for (int s = 0; s < samples; ++s)
        if (draft->entries[draft->starts[s]].region >= 0)
            queue[tail++] = s;
    const int strides[3] = {1, count[0], count[0] * count[1]};
    while (head < tail && tail < samples) {
        int s = queue[head++];
        const int at[3] = {s % count[0], s / count[0] % count[1], s / strides[2]};
        for (int side = 0; side < 6; ++side) {
            int axis = side / 2, step = side % 2 ? 1 : -1;
            if (at[axis] + step < 0 || at[axis] + step >= count[axis])
                continue;
            int other = s + step * strides[axis];
            RegionEntry* entry = &draft->entries[draft->starts[other]];
            if (entry->region >= 0)
                continue;
            *entry = (RegionEntry){draft->entries[draft->starts[s]].region, 0.0f};
            queue[tail++] = other;
        }
    }
    FREE_ARRAY(draft->memory, queue, samples);
    return true;
}

// Every region must own a sample.
static shStatus checkOwners(const Draft* draft)
{
    int regions = draft->record.regionCount, samples = sampleCount(&draft->record);
    bool* owns = NEW_ZEROED(draft->memory, bool, regions);
    if (owns == NULL)
        return failMemory(draft->message);
    int owners = 0;
    for (int s = 0; s < samples; ++s) {
        int owner = draft->entries[draft->starts[s]].region;
        if (owner >= 0 && !owns[owner]) {
            owns[owner] = true;
            ++owners;
        }
    }
    int lost = 0;
    while (lost < regions && owns[lost])
        ++lost;
    FREE_ARRAY(draft->memory, owns, regions);
    char title[80];
    if (owners == regions || (draft->mayVanish && owners > 0))
        return shOk;
    return fail(draft->message, shBadMesh,
                "regions: %s is too thin for the grid, whose cells are %g wide; give it more cells",
                titleOf(draft, lost, title), (double)draft->record.cell);
}

static shStatus lay(Draft* draft)
{
    int samples = sampleCount(&draft->record);
    draft->starts = NEW_ZEROED(draft->memory, int, (int64_t)samples + 1);
    if (draft->starts == NULL)
        return failMemory(draft->message);
    visitLevels(draft, countLevel, draft);
    int64_t room = 0;
    for (int s = 0; s < samples; ++s) {
        int count = maxI(draft->starts[s + 1], 1);
        draft->starts[s] = (int)room;
        room += count;
        if (room > INT_MAX)
            return fail(draft->message, shLimit, "regions: too many of them meet; give the grid fewer cells");
    }
    draft->entries = NEW_ARRAY(draft->memory, RegionEntry, room);
    if (draft->entries == NULL)
        return failMemory(draft->message);
    draft->entryRoom = room;
    for (int64_t e = 0; e < room; ++e)
        draft->entries[e] = (RegionEntry){-1, 0.0f};
    visitLevels(draft, putLevel, draft);
    return shOk;
}

static shStatus finish(Draft* draft, shRegions** regions)
{
    shStatus status = lay(draft);
    if (status == shOk)
        status = finishLists(draft);
    if (status == shOk)
        status = checkOwners(draft);
    if (status == shOk && !fillGaps(draft))
        status = failMemory(draft->message);
    if (status != shOk)
        return status;
    int samples = sampleCount(&draft->record);
    ImageBuilder builder = {.chunkCount = 0};
    imageAdd(&builder, "RGIN", sizeof(RegionRecord), 1, &draft->record);
    imageAdd(&builder, "RGST", sizeof(int32_t), (size_t)samples + 1, draft->starts);
    imageAdd(&builder, "RGEN", sizeof(RegionEntry), (size_t)draft->starts[samples], draft->entries);
    size_t size;
    uint8_t* bytes = imageBuild(&builder, REGIONS_VERSION, draft->memory, &size);
    if (bytes == NULL)
        return failMemory(draft->message);
    status = regionsOpen(draft->context, "regions", bytes, size, regionsReleaseMemory, regions, draft->message);
    if (status != shOk)
        memFree(draft->memory, bytes, size);
    return status;
}

// ---- from surfaces --------------------------------------------------------------------------------------------------

// The triangles of one region, welded.
typedef struct Shell {
    int room, count;     // corners: 3 per triangle; triangles left
    Vec3* corners;       // [room]
    int *ids, *distinct; // [room]
    DVec3* vertices;     // [room]
    int (*triangles)[3];
} Shell;

static void shellFree(Shell* shell, Memory* memory)
{
    FREE_ARRAY(memory, shell->corners, shell->room);
    FREE_ARRAY(memory, shell->ids, shell->room);
    FREE_ARRAY(memory, shell->distinct, shell->room);
    FREE_ARRAY(memory, shell->vertices, shell->room);
    FREE_ARRAY(memory, shell->triangles, shell->room / 3);
}

static bool shellMake(Shell* shell, Memory* memory, const shRegionMesh* mesh, const int* triangles, int count)
{
    int room = 3 * count;
    *shell = (Shell){.room = room,
                     .corners = NEW_ARRAY(memory, Vec3, room),
                     .ids = NEW_ARRAY(memory, int, room),
                     .distinct = NEW_ARRAY(memory, int, room),
                     .vertices = NEW_ARRAY(memory, DVec3, room),
                     .triangles = memAlloc(memory, memBytes((size_t)count, sizeof(int[3])))};
    if (shell->corners == NULL || shell->ids == NULL || shell->distinct == NULL || shell->vertices == NULL ||
        shell->triangles == NULL)
        return false;
    for (int i = 0; i < room; ++i) // there is one zero
        shell->corners[i] = vAdd(mesh->vertices[mesh->triangles[triangles[i / 3]][i % 3]], vec3(0.0f, 0.0f, 0.0f));
    int vertices = weldRows(memory, shell->corners, sizeof(Vec3), room, shell->ids, shell->distinct);
    if (vertices < 0)
        return false;
    for (int v = 0; v < vertices; ++v)
        shell->vertices[v] = dFromV(shell->corners[shell->distinct[v]]);
    for (int t = 0; t < count; ++t) {
        const int* v = shell->ids + 3 * t;
        if (v[0] != v[1] && v[1] != v[2] && v[2] != v[0])
            memcpy(shell->triangles[shell->count++], v, sizeof(int[3]));
    }
    return true;
}

// Closed: every edge is passed as often one way as the other. Pieces may touch themselves along an edge.
static shStatus checkClosed(const Draft* draft, const Shell* shell, int region)
{
    KeySet edges;
    int room = 3 * shell->count;
    if (!keySetInit(&edges, draft->memory, room))
        return failMemory(draft->message);
    int* balance = NEW_ZEROED(draft->memory, int, room);
    int open = -1;
    for (int i = 0; balance != NULL && i < room; ++i) {
        int a = shell->triangles[i / 3][i % 3], b = shell->triangles[i / 3][(i + 1) % 3];
        balance[keySetAddEdge(&edges, a, b)] += a < b ? 1 : -1;
    }
    for (int e = 0; balance != NULL && e < edges.count && open < 0; ++e)
        if (balance[e] != 0)
            open = e;
    shStatus status = balance != NULL ? shOk : failMemory(draft->message);
    if (open >= 0) {
        DVec3 a = shell->vertices[edges.keys[open][1]], b = shell->vertices[edges.keys[open][2]];
        char title[80];
        status = fail(draft->message, shBadMesh,
                      "regions: %s is not closed: the edge from %g, %g, %g to %g, %g, %g is open, or its triangles "
                      "disagree on where outside is",
                      titleOf(draft, region, title), a.x, a.y, a.z, b.x, b.y, b.z);
    }
    FREE_ARRAY(draft->memory, balance, room);
    keySetFree(&edges, draft->memory);
    return status;
}

typedef struct Sampling {
    const RegionRecord* record;
    const TriQuery* query;
    const Block* block;
    float* levels;
} Sampling;

// Layers of a block. Between samples that are farther from the surface than from each other the side cannot change.
static void sampleLayers(int begin, int end, int worker, void* arg)
{
    (void)worker;
    const Sampling* sampling = arg;
    const Block* block = sampling->block;
    const RegionRecord* record = sampling->record;
    double band = (double)record->band, step = (1.0 + (double)ROUNDING) * (double)record->cell;
    int64_t width = block->upper[0] - block->lower[0], height = block->upper[1] - block->lower[1];
    for (int z = begin; z < end; ++z)
        for (int y = 0; y < height; ++y) {
            float* level = sampling->levels + (z * height + y) * width;
            double before = 0.0;
            bool inside = false;
            for (int x = 0; x < width; ++x) {
                DVec3 p = samplePlace(record, block->lower[0] + x, block->lower[1] + y, block->lower[2] + z);
                TriHit hit = triQueryClosest(sampling->query, p, band);
                double distance = hit.triangle >= 0 ? hit.distance : band;
                if (before <= step)
                    inside = triQueryInside(sampling->query, p);
                before = distance;
                level[x] = (float)(inside && distance > 0.0 ? -distance : distance); // there is one zero
            }
        }
}

// The block of samples within the band of a region's box.
static Block blockAround(const RegionRecord* record, const Shell* shell)
{
    shBox box = boxEmpty();
    for (int i = 0; i < shell->room; ++i)
        box = boxAdd(box, shell->corners[i]);
    Block block = {.levels = NULL};
    double cell = (double)record->cell, band = (double)record->band;
    for (int k = 0; k < 3; ++k) {
        double origin = (double)vGet(record->lower, k), last = record->samples[k];
        double lower = ceil(((double)vGet(box.lower, k) - band - origin) / cell);
        double upper = floor(((double)vGet(box.upper, k) + band - origin) / cell) + 1.0;
        block.lower[k] = (int)clampD(lower, 0.0, last);
        block.upper[k] = (int)clampD(upper, (double)block.lower[k], last);
    }
    return block;
}

static shStatus sampleRegion(Draft* draft, const Shell* shell, int region)
{
    Block* block = &draft->blocks[region];
    *block = blockAround(&draft->record, shell);
    TriQuery query;
    if (!triQueryBuild(&query, draft->memory, shell->vertices, (const int(*)[3])shell->triangles, shell->count))
        return failMemory(draft->message);
    block->owned = NEW_ARRAY(draft->memory, float, blockSize(block));
    block->levels = block->owned;
    bool enough = block->owned != NULL && triQueryAddWinding(&query, draft->memory);
    if (enough) {
        Sampling sampling = {&draft->record, &query, block, block->owned};
        parallelFor(draft->context, block->upper[2] - block->lower[2], 1, sampleLayers, &sampling);
    }
    triQueryFree(&query, draft->memory);
    return enough ? shOk : failMemory(draft->message);
}

static shStatus addRegion(Draft* draft, const shRegionMesh* mesh, int region, const int* triangles, int count)
{
    char title[80];
    Shell shell = {0};
    shStatus status = shOk;
    if (count == 0 && draft->mayVanish)
        return shOk;
    if (count == 0)
        return fail(draft->message, shBadMesh, "regions: %s has no triangles", titleOf(draft, region, title));
    if (!shellMake(&shell, draft->memory, mesh, triangles, count))
        status = failMemory(draft->message);
    else if (shell.count == 0)
        status =
            fail(draft->message, shBadMesh, "regions: %s has no triangle with an area", titleOf(draft, region, title));
    if (status == shOk)
        status = checkClosed(draft, &shell, region);
    if (status == shOk)
        status = sampleRegion(draft, &shell, region);
    shellFree(&shell, draft->memory);
    return status;
}

static shStatus checkMesh(const shRegionMesh* mesh, shMessage* message)
{
    if (mesh->regionCount < 1 || mesh->regionCount > SH_MAX_REGIONS)
        return fail(message, shInvalid, "regions: there are %d; give 1 to %d", mesh->regionCount, SH_MAX_REGIONS);
    if (mesh->vertexCount < 1 || mesh->triangleCount < 1 || mesh->vertices == NULL || mesh->triangles == NULL ||
        mesh->regions == NULL)
        return fail(message, shInvalid, "regions: there are no triangles");
    if (mesh->triangleCount > REGION_MAX_TRIANGLES)
        return fail(message, shLimit, "regions: %d triangles are more than the limit of %d", mesh->triangleCount,
                    REGION_MAX_TRIANGLES);
    for (int v = 0; v < mesh->vertexCount; ++v) {
        Vec3 p = mesh->vertices[v];
        if (!vFinite(p) || !(maxF(maxF(fabsf(p.x), fabsf(p.y)), fabsf(p.z)) <= MAX_COORDINATE))
            return fail(message, shInvalid, "regions: vertex %d is not finite or farther than %g away", v,
                        (double)MAX_COORDINATE);
    }
    for (int t = 0; t < mesh->triangleCount; ++t) {
        if (mesh->regions[t] < 0 || mesh->regions[t] >= mesh->regionCount)
            return fail(message, shInvalid, "regions: triangle %d is of region %d; there are %d", t, mesh->regions[t],
                        mesh->regionCount);
        for (int k = 0; k < 3; ++k)
            if (mesh->triangles[t][k] < 0 || mesh->triangles[t][k] >= mesh->vertexCount)
                return fail(message, shInvalid, "regions: triangle %d: there is no vertex %d", t,
                            mesh->triangles[t][k]);
    }
    return shOk;
}

// A grid over the box of all triangles, `cells` along its longest side.
static shStatus shapeGrid(Draft* draft, const shRegionMesh* mesh, int cells)
{
    RegionRecord* record = &draft->record;
    shBox box = boxEmpty();
    double reach2 = 0.0;
    for (int i = 0; i < 3 * mesh->triangleCount; ++i) {
        Vec3 p = mesh->vertices[mesh->triangles[i / 3][i % 3]];
        box = boxAdd(box, p);
        reach2 = maxD(reach2, dLength2(dSub(dFromV(p), dFromV(record->center))));
    }
    DVec3 size = dSub(dFromV(box.upper), dFromV(box.lower));
    record->cell = (float)(maxD(maxD(size.x, size.y), size.z) / cells);
    if (!(record->cell > 0.0f))
        return fail(draft->message, shBadMesh, "regions: all triangles lie in one point");
    record->band = REGION_BAND * record->cell;
    record->reach = (float)sqrt(reach2);
    float lower[3];
    for (int k = 0; k < 3; ++k) {
        double wide = dGet(size, k) / (double)record->cell;
        record->samples[k] = minI(maxI((int)ceil(wide - (double)REGION_GRID_SLACK), 1), cells) + 1;
        double spare = 0.5 * (wide - (record->samples[k] - 1)) * (double)record->cell;
        lower[k] = (float)((double)vGet(box.lower, k) + spare);
    }
    record->lower = vec3(lower[0], lower[1], lower[2]);
    return shOk;
}

static Draft draftOf(shContext* context, const shRegionsDef* def, int regionCount, shMessage* message)
{
    return (Draft){.context = context,
                   .memory = &context->memory,
                   .message = message,
                   .record = {.regionCount = regionCount,
                              .center = def->center,
                              .direction = vFromD(dNormalize(dFromV(def->direction)))}};
}

// Lists triangles by region: those of r are order[starts[r]] … order[starts[r + 1] − 1].
static void sortByRegion(const shRegionMesh* mesh, int* starts, int* order)
{
    for (int t = 0; t < mesh->triangleCount; ++t)
        ++starts[mesh->regions[t] + 1];
    for (int r = 0; r < mesh->regionCount; ++r)
        starts[r + 1] += starts[r];
    for (int t = 0; t < mesh->triangleCount; ++t)
        order[starts[mesh->regions[t]]++] = t;
    for (int r = mesh->regionCount; r > 0; --r)
        starts[r] = starts[r - 1];
    starts[0] = 0;
}

shStatus regionsOfMesh(shContext* context, const shRegionMesh* mesh, const shRegionsDef* def, bool mayVanish,
                       shRegions** regions, shMessage* message)
{
    Draft draft = draftOf(context, def, mesh->regionCount, message);
    draft.names = mesh->names;
    draft.mayVanish = mayVanish;
    shStatus status = shapeGrid(&draft, mesh, def->cells);
    if (status != shOk)
        return status;
    Memory* memory = draft.memory;
    int* order = NEW_ARRAY(memory, int, mesh->triangleCount);
    int* starts = NEW_ZEROED(memory, int, mesh->regionCount + 1);
    draft.blocks = NEW_ZEROED(memory, Block, mesh->regionCount);
    if (order == NULL || starts == NULL || draft.blocks == NULL)
        status = failMemory(message);
    else
        sortByRegion(mesh, starts, order);
    int64_t sampled = 0;
    for (int r = 0; r < mesh->regionCount && status == shOk; ++r) {
        status = addRegion(&draft, mesh, r, order + starts[r], starts[r + 1] - starts[r]);
        sampled += blockSize(&draft.blocks[r]);
        if (status == shOk && sampled > REGION_MAX_SAMPLES)
            status = fail(message, shLimit, "regions: they overlap too much, or the grid is too fine for so many");
    }
    FREE_ARRAY(memory, order, mesh->triangleCount);
    FREE_ARRAY(memory, starts, mesh->regionCount + 1);
    if (status == shOk)
        status = finish(&draft, regions);
    draftFree(&draft);
    return status;
}

shStatus shCreateRegions(shContext* context, const shRegionMesh* mesh, const shRegionsDef* def, shRegions** regions,
                         shMessage* message)
{
    if (context == NULL || mesh == NULL || regions == NULL)
        return fail(message, shInvalid, "regions: context, mesh and regions must not be null");
    *regions = NULL;
    shStatus status = regionsCheckDef(def, message);
    if (status == shOk)
        status = checkMesh(mesh, message);
    return status == shOk ? regionsOfMesh(context, mesh, def, false, regions, message) : status;
}

// ---- from grids -----------------------------------------------------------------------------------------------------

static shStatus checkGrid(const shRegionGrid* grid, shMessage* message)
{
    if (grid->regionCount < 1 || grid->regionCount > SH_MAX_REGIONS)
        return fail(message, shInvalid, "regions: there are %d; give 1 to %d", grid->regionCount, SH_MAX_REGIONS);
    for (int k = 0; k < 3; ++k)
        if (grid->samples[k] < 2 || grid->samples[k] > SH_MAX_REGION_CELLS + 1)
            return fail(message, shInvalid, "regions: %d samples along an axis; give 2 to %d", grid->samples[k],
                        SH_MAX_REGION_CELLS + 1);
    if (!vFinite(grid->lower) || !(isfinite(grid->cell) && grid->cell > 0.0f && grid->cell <= MAX_COORDINATE))
        return fail(message, shInvalid, "regions: place or cell of the grid make no sense");
    if (grid->levels == NULL)
        return fail(message, shInvalid, "regions: the grid has no levels");
    int64_t samples = (int64_t)grid->samples[0] * grid->samples[1] * grid->samples[2];
    for (int64_t i = 0; i < samples * grid->regionCount; ++i)
        if (!isfinite(grid->levels[i]))
            return fail(message, shInvalid, "regions: region %lld: the level of sample %lld is not finite",
                        (long long)(i / samples), (long long)(i % samples));
    return shOk;
}

shStatus shCreateRegionsFromGrid(shContext* context, const shRegionGrid* grid, const shRegionsDef* def,
                                 shRegions** regions, shMessage* message)
{
    if (context == NULL || grid == NULL || regions == NULL)
        return fail(message, shInvalid, "regions: context, grid and regions must not be null");
    *regions = NULL;
    shStatus status = regionsCheckDef(def, message);
    if (status == shOk)
        status = checkGrid(grid, message);
    if (status != shOk)
        return status;
    Draft draft = draftOf(context, def, grid->regionCount, message);
    RegionRecord* record = &draft.record;
    memcpy(record->samples, grid->samples, sizeof(record->samples));
    record->lower = grid->lower;
    record->cell = grid->cell;
    record->band = REGION_BAND * grid->cell;
    double reach2 = 0.0;
    for (int c = 0; c < 8; ++c) {
        DVec3 corner = samplePlace(record, c & 1 ? record->samples[0] - 1 : 0, c & 2 ? record->samples[1] - 1 : 0,
                                   c & 4 ? record->samples[2] - 1 : 0);
        reach2 = maxD(reach2, dLength2(dSub(corner, dFromV(record->center))));
    }
    record->reach = (float)sqrt(reach2);
    draft.blocks = NEW_ZEROED(draft.memory, Block, grid->regionCount);
    if (draft.blocks == NULL)
        return failMemory(message);
    for (int r = 0; r < grid->regionCount; ++r) {
        draft.blocks[r].levels = grid->levels + (int64_t)r * sampleCount(record);
        memcpy(draft.blocks[r].upper, grid->samples, sizeof(draft.blocks[r].upper));
    }
    status = finish(&draft, regions);
    draftFree(&draft);
    return status;
}
