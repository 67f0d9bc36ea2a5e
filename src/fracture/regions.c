// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "fracture/regions.h"

#include "core/constants.h"
#include "core/message.h"

#include <limits.h>
#include <string.h>

#define REGIONS_COOKIE 0x72656769u

_Static_assert(sizeof(RegionRecord) == 64 && sizeof(RegionEntry) == 8, "written to files: no padding");

shRegionsDef shDefaultRegionsDef(void)
{
    return (shRegionsDef){.direction = {0.0f, -1.0f, 0.0f}, .cells = 64, .cookie = REGIONS_COOKIE};
}

shStatus regionsCheckDef(const shRegionsDef* def, shMessage* message)
{
    if (def == NULL || def->cookie != REGIONS_COOKIE)
        return fail(message, shInvalid, "regions: definition not filled by shDefaultRegionsDef");
    if (!vFinite(def->center) || !vFinite(def->direction))
        return fail(message, shInvalid, "regions: centre or direction of the blow is not finite");
    if (!(dLength(dFromV(def->direction)) > 0.0))
        return fail(message, shInvalid, "regions: the direction of the blow is zero");
    if (def->cells < 4 || def->cells > SH_MAX_REGION_CELLS)
        return fail(message, shInvalid, "regions: %d cells; give 4 to %d", def->cells, SH_MAX_REGION_CELLS);
    return shOk;
}

// ---- from a block of bytes ------------------------------------------------------------------------------------------

static bool isPositive(float x) { return isfinite(x) && x > 0.0f; }

static shStatus checkRecord(const Image* image, const RegionRecord* record, shMessage* message)
{
    if (record->regionCount < 1 || record->regionCount > SH_MAX_REGIONS)
        return imageFail(image, message, &record->regionCount, "%d regions; 1 to %d can be", record->regionCount,
                         SH_MAX_REGIONS);
    for (int k = 0; k < 3; ++k)
        if (record->samples[k] < 2 || record->samples[k] > SH_MAX_REGION_CELLS + 1)
            return imageFail(image, message, &record->samples[k], "%d samples along an axis; 2 to %d can be",
                             record->samples[k], SH_MAX_REGION_CELLS + 1);
    if (!vFinite(record->lower) || !isPositive(record->cell) || !isPositive(record->band))
        return imageFail(image, message, &record->lower, "place, cell or band of the grid make no sense");
    float turn = vLength2(record->direction);
    if (!isPositive(record->reach) || !vFinite(record->center) || !(fabsf(turn - 1.0f) < UNIT_TOLERANCE))
        return imageFail(image, message, &record->reach, "centre, direction or reach make no sense");
    return shOk;
}

static shStatus checkSample(const Image* image, const shRegions* regions, int sample, shMessage* message)
{
    const RegionRecord* record = regions->record;
    int first = regions->starts[sample], end = regions->starts[sample + 1];
    float previous = -record->band;
    for (int e = first; e < end; ++e) {
        const RegionEntry* entry = &regions->entries[e];
        if (entry->region < 0 || entry->region >= record->regionCount)
            return imageFail(image, message, entry, "region %d; there are %d", entry->region, record->regionCount);
        if (!(entry->level >= previous && entry->level <= record->band))
            return imageFail(image, message, &entry->level, "level %g is not between those before it and the band",
                             (double)entry->level);
        previous = entry->level;
    }
    return shOk;
}

static shStatus checkSamples(const Image* image, const shRegions* regions, int entryCount, shMessage* message)
{
    const int* count = regions->record->samples;
    int total = count[0] * count[1] * count[2];
    if (regions->starts[0] != 0 || regions->starts[total] != entryCount)
        return imageFail(image, message, regions->starts, "the samples do not begin and end with their entries");
    for (int s = 0; s < total; ++s) {
        int64_t listed = (int64_t)regions->starts[s + 1] - regions->starts[s];
        if (listed < 1 || listed > REGIONS_PER_SAMPLE || regions->starts[s + 1] > entryCount)
            return imageFail(image, message, &regions->starts[s], "a sample of %lld regions; 1 to %d can be",
                             (long long)listed, REGIONS_PER_SAMPLE);
        shStatus status = checkSample(image, regions, s, message);
        if (status != shOk)
            return status;
    }
    return shOk;
}

static Vec3 inCells(const RegionRecord* record, Vec3 point)
{
    return vFromD(dScale(1.0 / (double)record->cell, dSub(dFromV(point), dFromV(record->lower))));
}

static void findHeart(shRegions* regions)
{
    const RegionRecord* record = regions->record;
    Vec3 center = inCells(record, record->center), turn = record->direction;
    float heart[3];
    for (int k = 0; k < 3; ++k) {
        float last = (float)(record->samples[k] - 1);
        heart[k] = clampF(vGet(center, k), REGION_HEART * last, (1.0f - REGION_HEART) * last);
    }
    regions->heart = vec3(heart[0], heart[1], heart[2]);
    regions->axis = dLargestAxis(dvec3(fabs((double)turn.x), fabs((double)turn.y), fabs((double)turn.z)));
}

shStatus regionsOpen(shContext* context, const char* name, const void* bytes, size_t size, RegionsRelease* release,
                     shRegions** regions, shMessage* message)
{
    shRegions open = {.context = context, .release = release};
    const void *record, *starts, *entries;
    int recordCount, startCount, entryCount;
    shStatus status = imageOpen(&open.image, name, bytes, size, REGIONS_VERSION, message);
    const Image* image = &open.image;
    if (status == shOk)
        status = imageArray(image, "RGIN", sizeof(RegionRecord), &record, &recordCount, message);
    if (status == shOk)
        status = imageArray(image, "RGST", sizeof(int32_t), &starts, &startCount, message);
    if (status == shOk)
        status = imageArray(image, "RGEN", sizeof(RegionEntry), &entries, &entryCount, message);
    if (status != shOk)
        return status;
    if (recordCount != 1)
        return imageFail(image, message, record, "%d records instead of one", recordCount);
    open.record = record, open.starts = starts, open.entries = entries;
    status = checkRecord(image, open.record, message);
    if (status != shOk)
        return status;
    const int* count = open.record->samples;
    if (startCount != count[0] * count[1] * count[2] + 1)
        return imageFail(image, message, starts, "%d starts for %d x %d x %d samples", startCount, count[0], count[1],
                         count[2]);
    status = checkSamples(image, &open, entryCount, message);
    if (status != shOk)
        return status;
    findHeart(&open);
    *regions = NEW_ARRAY(&context->memory, shRegions, 1);
    if (*regions == NULL)
        return failMemory(message);
    **regions = open;
    (*regions)->image.name = NULL; // it need not outlive the call
    return shOk;
}

void regionsReleaseMemory(Memory* memory, const void* bytes, size_t size)
{
    memFree(memory, (void*)(uintptr_t)bytes, size);
}

shStatus shLoadRegionsFromMemory(shContext* context, const void* bytes, size_t size, const char* name,
                                 shRegions** regions, shMessage* message)
{
    if (context == NULL || regions == NULL || (bytes == NULL && size > 0))
        return fail(message, shInvalid, "load: context, bytes and regions must not be null");
    *regions = NULL;
    void* copy = memAlloc(&context->memory, size);
    if (copy == NULL && size > 0)
        return failMemory(message);
    if (size > 0)
        memcpy(copy, bytes, size);
    shStatus status =
        regionsOpen(context, name != NULL ? name : "memory", copy, size, regionsReleaseMemory, regions, message);
    if (status != shOk)
        memFree(&context->memory, copy, size);
    return status;
}

void shDestroyRegions(shRegions* regions)
{
    if (regions == NULL)
        return;
    Memory* memory = &regions->context->memory;
    regions->release(memory, regions->image.bytes, regions->image.size);
    FREE_ARRAY(memory, regions, 1);
}

shRegionsInfo shRegions_GetInfo(const shRegions* regions)
{
    const RegionRecord* record = regions->record;
    return (shRegionsInfo){.regionCount = record->regionCount,
                           .samples = {record->samples[0], record->samples[1], record->samples[2]},
                           .lower = record->lower,
                           .cell = record->cell,
                           .band = record->band,
                           .center = record->center,
                           .direction = record->direction,
                           .reach = record->reach,
                           .bytes = (int64_t)(regions->image.size + sizeof(shRegions)),
                           .contentHash = ((const ImageHeader*)regions->image.bytes)->checksum};
}

// ---- look-ups -------------------------------------------------------------------------------------------------------

// Brings a point into the grid: NaN, too.
static void intoGrid(const shRegions* regions, Vec3 p, float at[3])
{
    float away = 1.0f; // how many times farther from the heart than the border
    for (int k = 0; k < 3; ++k) {
        float last = (float)(regions->record->samples[k] - 1), heart = vGet(regions->heart, k), x = vGet(p, k) - heart;
        if (k != regions->axis)
            away = maxF(away, x / (x > 0.0f ? last - heart : -heart));
    }
    for (int k = 0; k < 3; ++k) {
        float last = (float)(regions->record->samples[k] - 1), heart = vGet(regions->heart, k), x = vGet(p, k);
        if (k != regions->axis && away > 1.0f)
            x = heart + (x - heart) / away;
        at[k] = maxF(minF(x, last), 0.0f);
    }
}

int regionsNearest(const shRegions* regions, Vec3 p)
{
    float at[3];
    intoGrid(regions, p, at);
    int sample = regionsSample(regions->record, (int)(at[0] + 0.5f), (int)(at[1] + 0.5f), (int)(at[2] + 0.5f));
    return regions->entries[regions->starts[sample]].region;
}

// Interpolated levels of the regions around a point; all others are at the band.
typedef struct Levels {
    int count;
    int regions[8 * REGIONS_PER_SAMPLE];
    float levels[8 * REGIONS_PER_SAMPLE];
} Levels;

static void addLevel(Levels* levels, RegionEntry entry, float weight, float band)
{
    int i = 0;
    while (i < levels->count && levels->regions[i] != entry.region)
        ++i;
    if (i == levels->count) {
        levels->regions[i] = entry.region;
        levels->levels[i] = band;
        ++levels->count;
    }
    levels->levels[i] += weight * (entry.level - band);
}

static void interpolate(const shRegions* regions, Vec3 p, Levels* levels)
{
    const RegionRecord* record = regions->record;
    float at[3], part[3];
    int cell[3];
    intoGrid(regions, p, at);
    for (int k = 0; k < 3; ++k) {
        cell[k] = minI((int)at[k], record->samples[k] - 2);
        part[k] = at[k] - (float)cell[k];
    }
    levels->count = 0;
    for (int c = 0; c < 8; ++c) {
        int x = c & 1, y = c >> 1 & 1, z = c >> 2;
        float weight = (x ? part[0] : 1.0f - part[0]) * (y ? part[1] : 1.0f - part[1]) * (z ? part[2] : 1.0f - part[2]);
        int sample = regionsSample(record, cell[0] + x, cell[1] + y, cell[2] + z);
        for (int e = regions->starts[sample]; e < regions->starts[sample + 1]; ++e)
            addLevel(levels, regions->entries[e], weight, record->band);
    }
}

int regionsLowest(const shRegions* regions, Vec3 p)
{
    Levels levels;
    interpolate(regions, p, &levels);
    int best = 0;
    for (int i = 1; i < levels.count; ++i)
        if (levels.levels[i] < levels.levels[best] ||
            (levels.levels[i] == levels.levels[best] && levels.regions[i] < levels.regions[best]))
            best = i;
    return levels.regions[best];
}

float regionsLead(const shRegions* regions, Vec3 p, int region)
{
    Levels levels;
    interpolate(regions, p, &levels);
    float own = regions->record->band, others = own;
    for (int i = 0; i < levels.count; ++i)
        if (levels.regions[i] == region)
            own = levels.levels[i];
        else
            others = minF(others, levels.levels[i]);
    return others - own;
}

int shRegions_Find(const shRegions* regions, shVec3 point)
{
    return regionsLowest(regions, inCells(regions->record, point));
}

float shRegions_GetLevel(const shRegions* regions, int region, shVec3 point)
{
    Levels levels;
    interpolate(regions, inCells(regions->record, point), &levels);
    for (int i = 0; i < levels.count; ++i)
        if (levels.regions[i] == region)
            return levels.levels[i];
    return regions->record->band;
}
