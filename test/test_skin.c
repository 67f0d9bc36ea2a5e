// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Trees over surfaces against all of their triangles: soups with needles and dead ones, then pieces that break, are
// chipped, removed, and come back from bytes.
#include "core/closest.h"
#include "core/constants.h"
#include "core/hash.h"
#include "field/field_state.h"
#include "field/field_walk.h"
#include "field/near_grid_lanes.h"
#include "field/piece_hull.h"
#include "field/surface_mass.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "test/breaking.h"

// ---- triangles of any kind ------------------------------------------------------------------------------------------

enum { soupMost = 3000 };

typedef struct Soup {
    Facet facets[soupMost];
    int features[soupMost];
    uint64_t keys[2 * soupMost];
    SkinPacket packets[soupMost];
    uint8_t alive[soupMost];
    SkinNode nodes[soupMost];
    SkinTree tree;
    bool dead[soupMost];
    int count;
} Soup;

static Vec3 randomPoint(Random* random) { return vFromD(randomInBall(random)); }

// Some are slivers, lines and points, some share edges with the one before.
static void randomTriangle(Random* random, float size, const Vec3 last[3], Vec3 corners[3])
{
    corners[0] = randomPoint(random);
    for (int k = 1; k < 3; ++k)
        corners[k] = vMad(corners[0], size, randomPoint(random));
    switch (randomBelow(random, 8)) {
    case 0:
        corners[2] = vMad(corners[0], randomFloat(random), vSub(corners[1], corners[0]));
        break;
    case 1:
        corners[1] = corners[0];
        break;
    case 2:
        corners[1] = corners[2] = corners[0];
        break;
    case 3:
    case 4:
        corners[0] = last[1];
        corners[1] = last[0];
        break;
    default:
        break;
    }
}

static void randomSoup(Soup* soup, int count, Random* random)
{
    Vec3 corners[3] = {{0}};
    float size = randomBelow(random, 2) ? 1.0f : 0.1f;
    soup->count = count;
    for (int i = 0; i < count; ++i) {
        Vec3 last[3] = {corners[0], corners[1], corners[2]};
        randomTriangle(random, size, last, corners);
        for (int k = 0; k < 3; ++k)
            soup->facets[i].p[k] = corners[k];
        soup->features[i] = ~i;
        soup->dead[i] = false;
    }
    soup->tree = (SkinTree){0};
    skinBuild(&soup->tree, soup->packets, soup->alive, soup->nodes, &(SkinSource){NULL, soup->facets}, soup->features,
              count, (shBox){{-1.5f, -1.5f, -1.5f}, {1.5f, 1.5f, 1.5f}}, soup->keys);
    assert_int_equal(soup->tree.packetCount, skinPacketCount(count));
    assert_int_equal(soup->tree.nodeCount, skinNodeCount(soup->tree.packetCount));
}

static void killSome(Soup* soup, Random* random)
{
    for (int slot = 0; slot < skinLanes * soup->tree.packetCount; ++slot) {
        int feature = soup->packets[slot / skinLanes].features[slot % skinLanes];
        if (feature == noFeature || randomBelow(random, 3) != 0)
            continue;
        soup->alive[slot / skinLanes] &= (uint8_t) ~(1u << slot % skinLanes);
        soup->dead[~feature] = true;
    }
}

// All of them, one by one.
static SkinSearch bruteForce(const Facet* facets, const int* features, int count, const bool* dead, Vec3 p, float reach,
                             const NormalCone* cone)
{
    SkinSearch best = skinSearch(p, reach, cone);
    for (int i = 0; i < count; ++i) {
        const Vec3* c = facets[i].p;
        if (dead != NULL && dead[i])
            continue;
        if (cone != NULL && !coneFaces(cone, vCross(vSub(c[1], c[0]), vSub(c[2], c[0]))))
            continue;
        Vec3 q = closestOnTriangle(p, c[0], c[1], c[2]);
        float distance = vDistance(p, q);
        bool nearer = distance < best.distance ||
                      (distance == best.distance && features[i] < best.feature && best.feature != noFeature);
        if (!nearer || !isfinite(distance))
            continue;
        best.distance = distance;
        best.feature = features[i];
        best.point = q;
    }
    return best;
}

static NormalCone randomCone(Random* random)
{
    NormalCone cone = {.count = 1 + randomBelow(random, coneNormals)};
    for (int i = 0; i < cone.count; ++i)
        cone.normals[i] = vFromD(randomDirection(random));
    return cone;
}

static void assertSameSearch(const SkinSearch* a, const SkinSearch* b)
{
    assert_true(a->distance == b->distance);
    assert_int_equal(a->feature, b->feature);
    if (a->feature != noFeature)
        assert_true(a->point.x == b->point.x && a->point.y == b->point.y && a->point.z == b->point.z);
}

static void trees_find_what_looking_at_all_finds(void** unused)
{
    (void)unused;
    Random random = randomSeed(5);
    Soup* soup = malloc(sizeof(Soup));
    int found = 0;
    for (int round = 0; round < 400; ++round) {
        int count =
            round % 4 == 0 ? 1 + randomBelow(&random, 8) : 1 + randomBelow(&random, round % 4 == 1 ? 90 : soupMost);
        randomSoup(soup, count, &random);
        if (round % 3 == 1)
            killSome(soup, &random);
        for (int i = 0; i < 40; ++i) {
            Vec3 p = vScale(1.5f, randomPoint(&random));
            if (i % 5 == 0)
                p = soup->facets[randomBelow(&random, count)].p[i % 3]; // distance zero
            float reaches[] = {INFINITY, 1.0f, 0.1f, 0.01f}, reach = reaches[randomBelow(&random, 4)];
            NormalCone cone = randomCone(&random);
            const NormalCone* asked = i % 4 == 0 ? &cone : NULL;
            SkinView view = {&soup->tree, soup->packets, soup->alive, soup->nodes};
            SkinSearch expected = bruteForce(soup->facets, soup->features, count, soup->dead, p, reach, asked);
            SkinSearch one = skinSearch(p, reach, asked), other = skinSearch(p, reach, asked);
            SIMD_NAME(skinNearest)(&view, &one);
            SIMD_CHOOSE(skinNearest)(&view, &other);
            assertSameSearch(&one, &expected);
            assertSameSearch(&other, &expected);
            assert_true(one.onFace == other.onFace);
            found += one.feature != noFeature;
        }
    }
    assert_true(found > 8000);
    free(soup);
}

// What a box visits.
typedef struct Seen {
    const Soup* soup;
    int* times;
} Seen;

static bool see(const SkinView* view, int packet, void* user)
{
    Seen* seen = user;
    for (int lane = 0; lane < skinLanes; ++lane)
        if (view->packets[packet].features[lane] != noFeature)
            ++seen->times[~view->packets[packet].features[lane]];
    return true;
}

static void boxes_meet_all_triangles_in_them_once(void** unused)
{
    (void)unused;
    Random random = randomSeed(8);
    Soup* soup = malloc(sizeof(Soup));
    int* times = malloc(sizeof(int) * soupMost);
    int within = 0, without = 0;
    for (int round = 0; round < 200; ++round) {
        randomSoup(soup, 1 + randomBelow(&random, soupMost), &random);
        Vec3 p = randomPoint(&random);
        shBox box = boxGrow((shBox){p, p}, 0.3f * randomFloat(&random));
        memset(times, 0, sizeof(int) * soupMost);
        SkinView view = {&soup->tree, soup->packets, soup->alive, soup->nodes};
        assert_true(skinVisitBox(&view, box, see, &(Seen){soup, times}));
        for (int i = 0; i < soup->count; ++i) {
            const Vec3* c = soup->facets[i].p;
            bool meets = boxOverlaps(box, boxAdd(boxAdd((shBox){c[0], c[0]}, c[1]), c[2]));
            assert_true(times[i] <= 1 && (!meets || times[i] == 1));
            within += times[i];
            without += 1 - times[i];
        }
    }
    assert_true(within > 1000 && without > 10000);
    free(times);
    free(soup);
}

// ---- pieces ---------------------------------------------------------------------------------------------------------

typedef struct Features {
    Facet* facets; // corners only
    int* features;
    int count, capacity;
} Features;

static bool addFeature(int feature, const Vec3 corners[3], void* user)
{
    Features* list = user;
    if (list->count == list->capacity) {
        list->capacity = 2 * list->capacity + 64;
        list->facets = realloc(list->facets, sizeof(Facet) * (size_t)list->capacity);
        list->features = realloc(list->features, sizeof(int) * (size_t)list->capacity);
    }
    memcpy(list->facets[list->count].p, corners, sizeof(Vec3[3]));
    list->features[list->count++] = feature;
    return true;
}

static void freeFeatures(Features* list)
{
    free(list->facets);
    free(list->features);
}

// Of one piece, from labels alone.
static Features featuresOf(const FragmentField* field, int piece)
{
    const TetMesh* mesh = field->rest->mesh;
    Features list = {0};
    for (int f = -field->facets.count; f < mesh->triangleCount; ++f) {
        int node = f < 0 ? field->facets.data[~f].node : mesh->triangles[f][0];
        if (node < 0 || fieldLabel(field, node) != piece ||
            (f >= 0 && field->labels != NULL && field->triangleIsCut[f]))
            continue;
        Vec3 corners[3];
        fieldFeature(field, f, corners);
        addFeature(f, (const Vec3*)corners, &list);
    }
    return list;
}

static int compareInts(const void* a, const void* b)
{
    int x = *(const int*)a, y = *(const int*)b;
    return (x > y) - (x < y);
}

// Every feature of the piece once, and its corners are those it has.
static void assertHoldsSurface(const FragmentField* field, int piece, const Features* all)
{
    shBox everywhere = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    Features held = {0};
    assert_true(fieldVisitBox(field, piece, everywhere, addFeature, &held));
    for (int i = 0; i < held.count; ++i) {
        Vec3 corners[3];
        fieldFeature(field, held.features[i], corners);
        assert_memory_equal(corners, held.facets[i].p, sizeof(corners));
    }
    qsort(held.features, (size_t)held.count, sizeof(int), compareInts);
    assert_int_equal(held.count, all->count);
    assert_memory_equal(held.features, all->features, sizeof(int) * (size_t)all->count);
    freeFeatures(&held);
}

static int skinCountOf(const FragmentField* field, int piece)
{
    int count = 0;
    for (SkinWalk walk = fieldSkins(field, piece); fieldNextSkin(field, &walk);)
        ++count;
    return count;
}

// No point is nearer than the corners of its piece's grid say, and in the piece's box they say much.
static void assertBound(const FragmentField* field, int piece, Vec3 p, float distance)
{
    const NearGrid* grid = &field->pieces.data[piece].near;
    float bound = nearGridBound(field, piece, p), known = minF(distance, NEAR_REACH * grid->spacing);
    assert_true(bound <= distance);
    assert_true((grid->size[0] == 0) == (bound == -INFINITY));
    if (grid->size[0] > 0 && boxDistance2(fieldBox(field, piece), p) == 0.0f)
        assert_true(bound >= known - 1.75f * grid->spacing - 3.0f * grid->slack);
    assert_true(nearGridBound(field, piece, p) == bound); // known by now
    assert_false(nearGridBound(field, piece, vec3(p.x, NAN, p.z)) > -INFINITY);
    FieldHit hit;
    assert_false(fieldProbe(field, piece, &(FieldProbe){.p = vec3(NAN, p.y, p.z), .depth = 0.001f}, &hit));
    assert_false(fieldProbe(field, piece, &(FieldProbe){.p = vec3(p.x, INFINITY, p.z), .reach = INFINITY}, &hit));
    assert_false(nearGridBound(field, piece, vec3(p.x, p.y, INFINITY)) > -INFINITY);
    assert_false(nearGridBound(field, piece, vec3(-INFINITY, p.y, p.z)) > -INFINITY);
}

// Eight points at once are told the same, bit for bit; those that nobody asks for nothing.
static void assertBounds8(const FragmentField* field, int piece, shBox box, Random* random)
{
    float x[8], y[8], z[8], bounds[8];
    unsigned lanes = (unsigned)randomRange(random, 1.0f, 255.9f);
    if (field->pieces.data[piece].near.size[0] == 0)
        return;
    for (int i = 0; i < 8; ++i) {
        Vec3 p = randomInBox(random, box);
        x[i] = p.x, y[i] = p.y, z[i] = p.z;
    }
    f8Store(bounds, nearGridBound8(field, piece, (Point8){f8Load(x), f8Load(y), f8Load(z)}, lanes, true));
    for (int i = 0; i < 8; ++i) {
        float one = lanes >> i & 1u ? nearGridBound(field, piece, vec3(x[i], y[i], z[i])) : -INFINITY;
        assert_memory_equal(&bounds[i], &one, sizeof one);
    }
}

// Probes with any reach against all of the piece's triangles.
static void assertProbes(const Fixture* fx, const FragmentField* field, int piece, const Features* all, Random* random)
{
    shBox box = boxGrow(fieldBox(field, piece), 0.1f * fx->diameter);
    for (int i = 0; i < 60; ++i) {
        Vec3 p = i % 3 == 0 ? vMad(all->facets[randomBelow(random, all->count)].p[0], 0.02f * fx->diameter,
                                   vFromD(randomInBall(random)))
                            : randomInBox(random, box);
        float reach = fx->diameter * randomFloat(random) * (i % 2 ? 0.03f : 0.5f);
        SkinSearch exact = bruteForce(all->facets, all->features, all->count, NULL, p, INFINITY, NULL);
        bool inside = fieldOwner(field, p) == piece, sure = exact.distance > 1e-5f * fx->diameter;
        FieldHit hit;
        bool found = fieldProbe(field, piece, &(FieldProbe){.p = p, .reach = reach}, &hit);
        if (sure || !found)
            assert_true(found == (inside || exact.distance < reach));
        if (found) {
            assert_true(fabsf(hit.distance) == exact.distance);
            assert_int_equal(hit.feature, exact.feature);
            if (sure)
                assert_true((hit.distance < 0.0f) == inside);
        }
        // How near it can be, by the corners of a grid.
        if (field->labels != NULL && sure)
            assertBound(field, piece, p, inside ? -exact.distance : exact.distance);
        if (field->labels != NULL)
            assertBounds8(field, piece, box, random);
        // Only what is deep.
        float depth = 0.5f * reach;
        found = fieldProbe(field, piece, &(FieldProbe){.p = p, .depth = depth, .bound = 1.1f * exact.distance}, &hit);
        if (sure)
            assert_true(found == (inside && exact.distance >= depth));
        if (found)
            assert_true(-hit.distance == exact.distance);
        assert_true(fieldClosest(field, piece, p, INFINITY, &hit));
        assert_true(fabsf(hit.distance) == exact.distance && hit.feature == exact.feature);
        if (sure)
            assert_true((hit.distance < 0.0f) == inside);
        // Facing ones.
        NormalCone cone = randomCone(random);
        float band = field->rest->cells->band;
        float limit = minF(maxF(FACING_REACH * exact.distance, FACING_BAND * band), band);
        if (!inside || !sure)
            continue;
        SkinSearch facing = bruteForce(all->facets, all->features, all->count, NULL, p, limit, &cone);
        assert_true(fieldProbe(field, piece, &(FieldProbe){.p = p, .cone = &cone}, &hit));
        const SkinSearch* expected = facing.feature != noFeature ? &facing : &exact;
        assert_true(-hit.distance == expected->distance);
        assert_int_equal(hit.feature, expected->feature);
    }
}

static void assertField(const Fixture* fx, const FragmentField* field, Random* random)
{
    int64_t packets = 0;
    for (int piece = 0; piece < fieldPieceCount(field); ++piece) {
        if (!fieldHasPiece(field, piece)) {
            assert_int_equal(field->pieces.data[piece].skin, -1);
            continue;
        }
        Features all = featuresOf(field, piece);
        assertHoldsSurface(field, piece, &all);
        assertProbes(fx, field, piece, &all, random);
        assert_in_range(skinCountOf(field, piece), 1, 6);
        freeFeatures(&all);
        for (SkinWalk walk = fieldSkins(field, piece); fieldNextSkin(field, &walk);)
            packets += walk.view.tree->rest ? 0 : walk.view.tree->packetCount;
    }
    assert_true(2 * packets >= field->skins.packets.count);
}

static uint64_t hashAnswers(const FragmentField* field, int piece)
{
    Hash hash = hashStart(3);
    Random random = randomSeed(99);
    shBox box = boxGrow(fieldBox(field, piece), field->rest->cells->band);
    for (int i = 0; i < 300; ++i) {
        FieldHit hit = {0};
        NormalCone cone = randomCone(&random);
        FieldProbe probe = {.p = randomInBox(&random, box), .reach = (float)(i % 7) * field->rest->cells->cell};
        probe.cone = i % 2 ? &cone : NULL;
        if (fieldProbe(field, piece, &probe, &hit))
            hashBytes(&hash, &hit, sizeof(hit));
    }
    return hashValue(&hash);
}

// A small corner off a piece.
static void chip(Fixture* fx, int piece, float size, Random* random)
{
    FragmentField* field = &fx->field;
    shBox box = fieldBox(field, piece);
    Vec3 at = {randomBelow(random, 2) ? box.lower.x : box.upper.x, randomBelow(random, 2) ? box.lower.y : box.upper.y,
               randomBelow(random, 2) ? box.lower.z : box.upper.z};
    int* labels = malloc(sizeof(int) * (size_t)fx->mesh.nodeCount);
    for (int n = 0; n < fx->mesh.nodeCount; ++n)
        labels[n] = vDistance(fx->mesh.nodes[n], at) < size;
    shMessage message = {""};
    assert_int_equal(fieldBreak(field, &(Crack){.piece = piece, .labels = labels}, prepareTrees, fx, &message), shOk);
    treesBreak(&fx->trees, field);
    free(labels);
}

static void assertCopyAnswers(Fixture* fx)
{
    shMessage message = {""};
    Memory* memory = &fx->context->memory;
    Stream writer = streamWriter(memory);
    streamField(&writer, &fx->field);
    assert_true(streamOk(&writer));
    FragmentField copy;
    fieldInit(&copy, memory, &fx->rest.view);
    Stream reader = streamReader("field", writer.data, writer.at, &message);
    streamField(&reader, &copy);
    assert_true(streamOk(&reader));
    for (int piece = 0; piece < fieldPieceCount(&copy); ++piece)
        if (fieldHasPiece(&copy, piece))
            assert_true(hashAnswers(&fx->field, piece) == hashAnswers(&copy, piece));
    fieldFree(&copy);
    streamFree(&writer);
}

static void pieces_have_their_whole_surface_however_they_break(void** unused)
{
    (void)unused;
    static const char* const models[] = {"box", "plate", "torus", "wall"};
    Random random = randomSeed(4);
    for (int m = 0; m < 4; ++m) {
        Fixture fx;
        setUp(&fx, models[m], 0.75f);
        assertField(&fx, &fx.field, &random);
        for (int round = 0; round < 14; ++round) {
            int count = fieldPieceCount(&fx.field), piece = randomBelow(&random, count);
            uint64_t before[256];
            if (!fieldHasPiece(&fx.field, piece))
                continue;
            for (int p = 0; p < count && p < 256; ++p)
                before[p] = p != piece && fieldHasPiece(&fx.field, p) ? hashAnswers(&fx.field, p) : 0;
            if (round % 5 == 4 && count > 2)
                fieldRemovePiece(&fx.field, piece);
            else if (round % 3 != 2)
                chip(&fx, piece, (0.05f + 0.2f * randomFloat(&random)) * fx.diameter, &random);
            else
                breakAtRandom(&fx, piece, 2 + randomBelow(&random, 8), &random);
            for (int p = 0; p < count && p < 256; ++p)
                if (p != piece && fieldHasPiece(&fx.field, p))
                    assert_true(before[p] == hashAnswers(&fx.field, p));
            if (fx.field.labels != NULL)
                assertField(&fx, &fx.field, &random);
        }
        assertCopyAnswers(&fx);
        tearDown(&fx);
    }
}

// Chips off one large piece: its trees stay few, and their memory in proportion.
// One triangle after the other, in the order of the surface.
typedef struct PlainMass {
    MassMoments moments;
    DVec3 origin;
    int count;
} PlainMass;

static void addPlainly(const Vec3 p[3], int source, void* user)
{
    (void)source;
    PlainMass* mass = user;
    if (mass->count++ == 0)
        mass->origin = dFromV(p[0]);
    massAddTriangle(&mass->moments, dSub(dFromV(p[0]), mass->origin), dSub(dFromV(p[1]), mass->origin),
                    dSub(dFromV(p[2]), mass->origin));
}

typedef struct BlockMass {
    const FragmentField* field;
    MassMoments moments;
    DVec3 origin;
} BlockMass;

static void addBlock(const int* features, int count, void* user)
{
    BlockMass* mass = user;
    SkinSource source = {mass->field->rest->mesh, mass->field->facets.data};
    SIMD_CHOOSE(surfaceAddMass)(&mass->moments, &source, mass->origin, features, count);
}

static void eight_at_once_weigh_and_face_as_one_by_one(void** unused)
{
    (void)unused;
    Random random = randomSeed(31);
    Fixture fx;
    setUp(&fx, "torus", 0.5f);
    breakAtRandom(&fx, 0, 9, &random);
    breakAtRandom(&fx, 0, 4, &random);
    for (int piece = 0; piece < fieldPieceCount(&fx.field); ++piece) {
        PlainMass plain = {0};
        fieldSurface(&fx.field, piece, addPlainly, &plain);
        BlockMass block = {.field = &fx.field, .origin = plain.origin};
        fieldSurfaceFeatures(&fx.field, piece, addBlock, &block);
        assert_memory_equal(&plain.moments, &block.moments, sizeof(MassMoments));
        // The sums over all squares are those of the facets.
        HullSteps steps = {.perArea = 0x1p30};
        int64_t sum[3] = {0, 0, 0};
        for (SkinWalk walk = fieldSkins(&fx.field, piece); fieldNextSkin(&fx.field, &walk);) {
            SIMD_CHOOSE(hullAddAreas)(&steps, &walk.view, fx.field.facets.data);
            for (int slot = 0; slot < skinLanes * walk.view.tree->packetCount; ++slot) {
                int feature = walk.view.packets[slot / skinLanes].features[slot % skinLanes];
                if ((walk.view.alive[slot / skinLanes] >> slot % skinLanes & 1u) == 0 || feature >= 0 ||
                    fx.field.facets.data[~feature].source >= 0)
                    continue;
                const Vec3* p = fx.field.facets.data[~feature].p;
                Vec3 area = vCross(vSub(p[1], p[0]), vSub(p[2], p[0]));
                for (int k = 0; k < 3 && vLength2(area) > 0.0f; ++k)
                    sum[k] += (int64_t)floor((double)vGet(area, k) * steps.perArea + 0.5);
            }
        }
        for (int s = 0; s < squareCount; ++s)
            for (int k = 0; k < 3; ++k)
                sum[k] -= steps.of[s][k];
        assert_true(sum[0] == 0 && sum[1] == 0 && sum[2] == 0);
    }
    tearDown(&fx);
}

// Along the curve every step goes to a neighbouring cube, and every cube is met once.
static void keys_follow_a_hilbert_curve(void** unused)
{
    (void)unused;
    enum { levels = 4, along = 1 << levels, all = along * along * along };
    Facet* facets = calloc(all, sizeof(Facet));
    int* features = malloc(sizeof(int) * all);
    uint64_t* keys = malloc(sizeof(uint64_t) * all);
    int* cubes = malloc(sizeof(int) * all);
    for (int i = 0; i < all; ++i) {
        Vec3 at = {(float)(i % along) + 0.25f, (float)(i / along % along) + 0.25f, (float)(i / along / along) + 0.25f};
        facets[i].p[0] = facets[i].p[1] = facets[i].p[2] = at;
        features[i] = ~i;
        cubes[i] = -1;
    }
    shBox box = {{0.0f, 0.0f, 0.0f}, {along - 1, along - 1, along - 1}};
    SIMD_CHOOSE(skinKeys)(keys, &(SkinSource){NULL, facets}, features, all, box, levels);
    for (int i = 0; i < all; ++i) {
        assert_int_equal((int)(uint32_t)keys[i], ~i);
        assert_true(keys[i] >> 32 < all && cubes[keys[i] >> 32] < 0);
        cubes[keys[i] >> 32] = i;
    }
    for (int i = 1; i < all; ++i) {
        int a = cubes[i - 1], b = cubes[i];
        assert_int_equal(abs(a % along - b % along) + abs(a / along % along - b / along % along) +
                             abs(a / along / along - b / along / along),
                         1);
    }
    free(facets);
    free(features);
    free(keys);
    free(cubes);
}

static void many_chips_leave_few_trees(void** unused)
{
    (void)unused;
    Fixture fx;
    setUp(&fx, "wall", 1.0f);
    Random random = randomSeed(6);
    int most = 0;
    for (int i = 0; i < 120; ++i) {
        Vec3 at = fx.mesh.nodes[randomBelow(&random, fx.mesh.surfaceNodeCount)];
        int* labels = malloc(sizeof(int) * (size_t)fx.mesh.nodeCount);
        for (int n = 0; n < fx.mesh.nodeCount; ++n)
            labels[n] = vDistance(fx.mesh.nodes[n], at) < 0.03f * fx.diameter;
        shMessage message = {""};
        assert_int_equal(fieldBreak(&fx.field, &(Crack){.labels = labels}, prepareTrees, &fx, &message), shOk);
        treesBreak(&fx.trees, &fx.field);
        free(labels);
        if (fx.field.labels != NULL)
            most = maxI(most, skinCountOf(&fx.field, 0));
    }
    assert_true(fieldPieceCount(&fx.field) > 60);
    assertField(&fx, &fx.field, &random);
    assertCopyAnswers(&fx);
    printf("  %d pieces; the largest had %d trees at most\n", fieldPieceCount(&fx.field), most);
    assert_in_range(most, 2, 6);
    tearDown(&fx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_find_what_looking_at_all_finds),
        cmocka_unit_test(boxes_meet_all_triangles_in_them_once),
        cmocka_unit_test(pieces_have_their_whole_surface_however_they_break),
        cmocka_unit_test(many_chips_leave_few_trees),
        cmocka_unit_test(eight_at_once_weigh_and_face_as_one_by_one),
        cmocka_unit_test(keys_follow_a_hilbert_curve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
