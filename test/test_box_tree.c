// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The balanced tree against plain lists: random sequences of all operations, every promise checked after each; bad
// input, failing memory, any number of workers.
#include "core/hash.h"
#include "core/random.h"
#include "sherd/box_tree.h"
#include "test/failing_allocator.h"
#include "tree/balanced_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SEQUENCES = 10000, NUMBERS = 160 };

static void check(shStatus status, const shMessage* message)
{
    if (status != shOk)
        fail_msg("%s: %s", shStatusText(status), message->text);
}

static shContext* newContext(int workers, TestAllocator* allocator)
{
    shContextDef def = shDefaultContextDef();
    shContext* context;
    def.workerCount = workers;
    if (allocator != NULL)
        def.allocator = testAllocatorHooks(allocator);
    check(shCreateContext(&def, &context, NULL), &(shMessage){""});
    return context;
}

static shBoxTree* newTree(shContext* context, bool optimise)
{
    shBoxTreeDef def = shDefaultBoxTreeDef();
    shBoxTree* tree;
    def.optimise = optimise;
    check(shCreateBoxTree(context, &def, &tree, NULL), &(shMessage){""});
    return tree;
}

// ---- a plain list ---------------------------------------------------------------------------------------------------

typedef struct List {
    bool there[NUMBERS];
    shBox boxes[NUMBERS];
    int count;
} List;

static shBox randomBox(Random* random)
{
    int kind = randomBelow(random, 8);
    Vec3 p = randomInBox(random, (shBox){{-1.0f, -1.0f, -1.0f}, {1.0f, 1.0f, 1.0f}});
    if (kind == 0) // on a few places, many alike
        p = vec3((float)randomBelow(random, 3), 0.0f, 0.0f);
    Vec3 size = randomInBox(random, (shBox){{0.0f, 0.0f, 0.0f}, {0.2f, 0.2f, 0.2f}});
    if (kind <= 1)
        size = vec3(0.0f, 0.0f, 0.0f);
    if (kind == 2)
        size.y = 0.0f;
    if (kind == 3)
        p = vScale(1e6f, p);
    return (shBox){p, vAdd(p, size)};
}

static int randomItem(Random* random, const List* list) // −1: there is none
{
    int skip = list->count > 0 ? randomBelow(random, list->count) : -1;
    for (int i = 0; i < NUMBERS && skip >= 0; ++i)
        if (list->there[i] && skip-- == 0)
            return i;
    return -1;
}

static int randomFree(Random* random, const List* list)
{
    int i = randomBelow(random, NUMBERS);
    while (list->there[i])
        i = (i + 1) % NUMBERS;
    return i;
}

static void put(List* list, int item, shBox box)
{
    list->count += !list->there[item];
    list->there[item] = true;
    list->boxes[item] = box;
}

static void take(List* list, int item)
{
    list->count -= list->there[item];
    list->there[item] = false;
}

static bool same(shBox a, shBox b) { return memcmp(&a, &b, sizeof a) == 0; }

// From scratch: Σ volume² of all boxes over that of the root.
static double sumOf(const shBoxTree* tree, int slot)
{
    shBox box = balancedBox(tree, slot);
    int child = balancedChild(tree, slot);
    double sum = balancedMeasure(tree->pad, &box);
    return child < 0 ? sum : sum + sumOf(tree, 2 * child) + sumOf(tree, 2 * child + 1);
}

static void compare(const shBoxTree* tree, const List* list)
{
    shMessage message = {""};
    check(shBoxTree_Validate(tree, &message), &message);
    shBoxTreeInfo info = shBoxTree_GetInfo(tree);
    assert_int_equal(info.itemCount, list->count);
    shBox all = boxEmpty();
    for (int i = 0; i < NUMBERS; ++i) {
        assert_int_equal(shBoxTree_Has(tree, i), list->there[i]);
        if (!list->there[i])
            continue;
        assert_true(same(shBoxTree_GetBox(tree, i), list->boxes[i]));
        all = boxUnion(all, list->boxes[i]);
    }
    if (list->count == 0) {
        assert_true(info.quality == 0.0 && info.height == 0);
        return;
    }
    assert_true(boxHolds(all, info.box) && boxHolds(info.box, all));
    assert_true(info.height <= 1.4405 * log2((double)list->count));
    assert_true(info.quality >= 1.0 - 1e-6); // the sum is a running one
    shBoxTree tuned = *tree;
    balancedTune(&tuned);
    if (tuned.sumKnown) {
        double sum = sumOf(tree, 0), root = balancedMeasure(tree->pad, &info.box);
        assert_true(fabs(info.quality - sum / root) <= 1e-4 * info.quality);
    }
}

// ---- random sequences -----------------------------------------------------------------------------------------------

static void buildRandom(Random* random, shBoxTree* tree, List* list)
{
    int items[NUMBERS];
    shBox boxes[NUMBERS];
    int count = randomBelow(random, 4) == 0 ? randomBelow(random, 4) : randomBelow(random, NUMBERS / 2);
    shMessage message = {""};
    *list = (List){.count = 0};
    for (int i = 0; i < count; ++i) {
        items[i] = randomFree(random, list);
        boxes[i] = randomBox(random);
        put(list, items[i], boxes[i]);
    }
    check(shBoxTree_Build(tree, count, items, boxes, &message), &message);
}

typedef struct Changes {
    int removed[NUMBERS], added[NUMBERS], from[NUMBERS], moved[NUMBERS], starts[NUMBERS + 1], neighbours[4 * NUMBERS];
    shBox addedBoxes[NUMBERS], movedBoxes[NUMBERS];
} Changes;

static void updateRandom(Random* random, shBoxTree* tree, List* list)
{
    static Changes c;
    List old = *list;
    shBoxTreeUpdate update = {.removed = c.removed, .added = c.added, .addedBoxes = c.addedBoxes};
    update.moved = c.moved, update.movedBoxes = c.movedBoxes;
    int removed = randomBelow(random, 6) == 0 ? list->count : minI(list->count, randomBelow(random, 6));
    for (int i = 0; i < removed; ++i) {
        c.removed[update.removedCount++] = randomItem(random, list);
        take(list, c.removed[i]);
    }
    List stays = *list;
    int added = minI(NUMBERS - old.count - 8, randomBelow(random, 12));
    for (int i = 0; i < added; ++i) {
        int item = i < removed && randomBelow(random, 3) == 0 ? c.removed[i] : randomFree(random, list);
        if (list->there[item])
            continue;
        int k = update.addedCount++;
        c.added[k] = item;
        c.addedBoxes[k] = randomBox(random);
        c.from[k] = removed > 0 && randomBelow(random, 2) ? randomBelow(random, removed) : -1;
        put(list, item, c.addedBoxes[k]);
    }
    if (randomBelow(random, 3) > 0)
        update.addedFrom = c.from;
    if (randomBelow(random, 3) > 0) {
        int count = 0;
        for (int k = 0; k < update.addedCount; ++k) {
            c.starts[k] = count;
            for (int n = randomBelow(random, 4); n > 0; --n)
                c.neighbours[count++] = randomItem(random, list);
        }
        c.starts[update.addedCount] = count;
        update.neighbourStarts = c.starts, update.neighbours = c.neighbours;
    }
    for (int n = randomBelow(random, 4); n > 0 && stays.count > 0; --n) {
        int item = randomItem(random, &stays), m = update.movedCount++;
        take(&stays, item);
        c.moved[m] = item;
        c.movedBoxes[m] = randomBox(random);
        put(list, item, c.movedBoxes[m]);
    }
    shMessage message = {""};
    check(shBoxTree_Update(tree, &update, &message), &message);
    shBoxTreeProfile profile = shBoxTree_GetProfile(tree);
    assert_int_equal(profile.replaced + profile.inserted, update.addedCount);
    assert_int_equal(profile.replaced + profile.removed, update.removedCount);
}

static void splitRandom(Random* random, shBoxTree** tree, List* list)
{
    enum { PARTS = 4 };
    static Changes c;
    int partOf[NUMBERS], addedParts[NUMBERS];
    List parts[PARTS] = {{.count = 0}};
    int partCount = 1 + randomBelow(random, PARTS), spread = 1 + randomBelow(random, 40);
    for (int i = 0; i < NUMBERS; ++i) {
        partOf[i] = (i / spread) % (partCount + 1) - (randomBelow(random, 4) == 0);
        partOf[i] = minI(partOf[i], partCount - 1);
        if (list->there[i] && partOf[i] >= 0)
            put(&parts[partOf[i]], i, list->boxes[i]);
    }
    shBoxTreeSplit split = {.partCount = partCount, .itemCount = NUMBERS, .partOf = partOf, .added = c.added};
    split.addedBoxes = c.addedBoxes, split.addedParts = addedParts;
    int count = 0;
    List all = *list;
    for (int k = 0, n = minI(NUMBERS - list->count - 8, randomBelow(random, 30)); k < n; ++k) {
        int item = randomFree(random, &all), part = randomBelow(random, partCount);
        put(&all, item, randomBox(random));
        c.added[k] = item, c.addedBoxes[k] = all.boxes[item], addedParts[k] = part;
        c.starts[k] = count;
        for (int m = randomBelow(random, 3); m > 0; --m)
            c.neighbours[count++] = randomItem(random, &all);
        put(&parts[part], item, all.boxes[item]);
        ++split.addedCount;
    }
    c.starts[split.addedCount] = count;
    if (randomBelow(random, 2))
        split.neighbourStarts = c.starts, split.neighbours = c.neighbours;
    shBoxTree* made[PARTS];
    shMessage message = {""};
    check(shBoxTree_Split(*tree, &split, made, &message), &message);
    compare(*tree, list);
    for (int p = 0; p < partCount; ++p)
        compare(made[p], &parts[p]);
    int kept = randomBelow(random, partCount);
    shDestroyBoxTree(*tree);
    *tree = made[kept];
    *list = parts[kept];
    for (int p = 0; p < partCount; ++p)
        if (p != kept)
            shDestroyBoxTree(made[p]);
}

static void operate(Random* random, shBoxTree** tree, List* list)
{
    shMessage message = {""};
    int item = randomItem(random, list), free = randomFree(random, list);
    shBox box = randomBox(random);
    switch (randomBelow(random, 16)) {
    case 0:
    case 1:
    case 2:
        if (list->count >= NUMBERS - 8)
            break;
        check(shBoxTree_Insert(*tree, free, box, randomBelow(random, 2) ? item : -1, &message), &message);
        put(list, free, box);
        break;
    case 3:
    case 4:
    case 5:
        if (item < 0)
            break;
        check(shBoxTree_Remove(*tree, item, &message), &message);
        take(list, item);
        break;
    case 6:
        if (item < 0)
            break;
        free = randomBelow(random, 2) ? item : free;
        check(shBoxTree_Replace(*tree, item, free, box, &message), &message);
        take(list, item);
        put(list, free, box);
        break;
    case 7:
        for (int i = 0; i < NUMBERS; ++i)
            list->boxes[i] = randomBox(random);
        check(shBoxTree_Refit(*tree, list->boxes, NUMBERS, &message), &message);
        break;
    case 8:
        check(shBoxTree_Rebuild(*tree, &message), &message);
        break;
    case 9:
        shBoxTree_Optimise(*tree);
        break;
    case 10: {
        shBoxTree* clone;
        check(shCloneBoxTree(*tree, &clone, &message), &message);
        shDestroyBoxTree(*tree);
        *tree = clone;
        break;
    }
    case 11:
        splitRandom(random, tree, list);
        break;
    case 12:
        buildRandom(random, *tree, list);
        break;
    default:
        updateRandom(random, *tree, list);
        break;
    }
}

static bool addToHash(int item, void* user)
{
    hashBytes(user, &item, sizeof item);
    return true;
}

static void random_sequences_keep_every_promise(void** state)
{
    (void)state;
    const uint64_t sameEverywhere =
        0xdcc4c6ea7b9a6a9e; // of all trees: no compiler, processor or SIMD width may change their shape
    shContext* context = newContext(1, NULL);
    Hash hash = hashStart(0);
    for (int s = 0; s < SEQUENCES; ++s) {
        Random random = randomSeedItem(22, (uint64_t)s);
        shBoxTree* tree = newTree(context, s % 2 == 0);
        List list = {.count = 0};
        if (s % 3 > 0)
            buildRandom(&random, tree, &list);
        for (int i = 0; i < 12; ++i) {
            operate(&random, &tree, &list);
            compare(tree, &list);
        }
        shBoxTree_Overlap(tree, shBoxTree_GetInfo(tree).box, addToHash, &hash);
        shDestroyBoxTree(tree);
    }
    if (hashValue(&hash) != sameEverywhere)
        fail_msg("trees have the hash %llx, not %llx", (unsigned long long)hashValue(&hash),
                 (unsigned long long)sameEverywhere);
    assert_int_equal(shDestroyContext(context), 0);
}

// ---- permutations ---------------------------------------------------------------------------------------------------

static void permutations_lower_q_and_keep_heights(void** state)
{
    (void)state;
    shContext* context = newContext(1, NULL);
    int made = 0;
    for (int s = 0; s < 300; ++s) {
        Random random = randomSeedItem(23, (uint64_t)s);
        shBoxTree* tree = newTree(context, false);
        for (int i = 0; i < 120; ++i)
            check(shBoxTree_Insert(tree, i, randomBox(&random), i > 0 ? randomBelow(&random, i) : -1, NULL),
                  &(shMessage){""});
        for (int node = 1; node < tree->nodeEnd; ++node) {
            const BalancedNode* n = &tree->nodes[node];
            int height = balancedHigher(n);
            double total = sumOf(tree, 0);
            double q = balancedMeasure(tree->pad, &n->box[0]) + balancedMeasure(tree->pad, &n->box[1]);
            bool changed = balancedPermute(tree, node);
            double after = balancedMeasure(tree->pad, &n->box[0]) + balancedMeasure(tree->pad, &n->box[1]);
            assert_true(changed ? after < q && sumOf(tree, 0) <= total * (1.0 + 1e-12) : after == q);
            assert_int_equal(balancedHigher(n), height);
            made += changed;
        }
        shMessage message = {""};
        check(shBoxTree_Validate(tree, &message), &message);
        double quality = shBoxTree_GetInfo(tree).quality;
        shBoxTree_Optimise(tree);
        assert_true(shBoxTree_GetInfo(tree).quality <= quality * (1.0 + 1e-12));
        shDestroyBoxTree(tree);
    }
    assert_true(made > 1000);
    assert_int_equal(shDestroyContext(context), 0);
}

static void halved_boxes_have_the_ideal_quality(void** state)
{
    (void)state;
    shContext* context = newContext(1, NULL);
    shBoxTree* tree = newTree(context, true);
    shBox boxes[512];
    for (int i = 0; i < 512; ++i) {
        Vec3 p = vec3((float)(i & 7), (float)(i >> 3 & 7), (float)(i >> 6));
        boxes[i] = (shBox){p, vAdd(p, vec3(1.0f, 1.0f, 1.0f))};
    }
    check(shBoxTree_Build(tree, 512, NULL, boxes, NULL), &(shMessage){""});
    shBoxTreeInfo info = shBoxTree_GetInfo(tree);
    assert_int_equal(info.height, 9);
    assert_true(fabs(info.quality - (2.0 - 1.0 / 512.0)) < 0.005); // sides are a thousandth of the root's wider
    shDestroyBoxTree(tree);
    assert_int_equal(shDestroyContext(context), 0);
}

// ---- bad input ------------------------------------------------------------------------------------------------------

static void expect(shStatus status, shStatus wanted, const shMessage* message, const char* words)
{
    if (status != wanted || strstr(message->text, words) == NULL)
        fail_msg("%s: \"%s\" does not say \"%s\"", shStatusText(status), message->text, words);
}

static void bad_input_changes_nothing(void** state)
{
    (void)state;
    shContext* context = newContext(1, NULL);
    shBoxTree* tree = newTree(context, true);
    Random random = randomSeed(5);
    List list = {.count = 0};
    shMessage m = {""};
    for (int i = 0; i < 20; ++i) {
        put(&list, i, randomBox(&random));
        check(shBoxTree_Insert(tree, i, list.boxes[i], -1, &m), &m);
    }
    shBox good = list.boxes[0], nan = good, inside = good, endless = good;
    nan.lower.y = NAN, inside.lower.x = inside.upper.x + 1.0f, endless.upper.z = INFINITY;
    expect(shBoxTree_Insert(tree, 30, nan, -1, &m), shInvalid, &m, "not finite");
    expect(shBoxTree_Insert(tree, 30, inside, -1, &m), shInvalid, &m, "inside out");
    expect(shBoxTree_Insert(tree, 30, endless, -1, &m), shInvalid, &m, "not finite");
    expect(shBoxTree_Insert(tree, -1, good, -1, &m), shInvalid, &m, "item -1 is not in");
    expect(shBoxTree_Insert(tree, SH_BOX_TREE_ITEMS, good, -1, &m), shInvalid, &m, "is not in 0");
    expect(shBoxTree_Insert(tree, 3, good, -1, &m), shInvalid, &m, "in the tree already");
    expect(shBoxTree_Insert(tree, 30, good, 31, &m), shInvalid, &m, "which is not in the tree");
    expect(shBoxTree_Remove(tree, 30, &m), shInvalid, &m, "not in the tree");
    expect(shBoxTree_Remove(tree, -5, &m), shInvalid, &m, "not in the tree");
    expect(shBoxTree_Replace(tree, 30, 31, good, &m), shInvalid, &m, "not in the tree");
    expect(shBoxTree_Replace(tree, 1, 2, good, &m), shInvalid, &m, "in the tree already");
    expect(shBoxTree_Replace(tree, 1, 1, nan, &m), shInvalid, &m, "not finite");
    const shBox boxes[20] = {good, good, nan};
    const int twice[3] = {4, 5, 4}, below[2] = {4, -1};
    expect(shBoxTree_Build(tree, 3, NULL, boxes, &m), shInvalid, &m, "box of item 2");
    expect(shBoxTree_Build(tree, 3, twice, (const shBox[]){good, good, good}, &m), shInvalid, &m, "comes twice");
    expect(shBoxTree_Build(tree, 2, below, boxes, &m), shInvalid, &m, "item -1");
    expect(shBoxTree_Build(tree, -1, NULL, boxes, &m), shInvalid, &m, "-1 items");
    expect(shBoxTree_Refit(tree, boxes, 3, &m), shInvalid, &m, "pass one per number");
    expect(shBoxTree_Refit(tree, boxes, 20, &m), shInvalid, &m, "box of item 2");
    const int one[1] = {1}, far[1] = {99}, ones[2] = {1, 1}, new30[2] = {30, 30}, starts[2] = {0, 1}, down[2] = {1, 0};
    const shBox goods[2] = {good, good};
    typedef struct Case {
        shBoxTreeUpdate update;
        const char* words;
    } Case;
    const Case cases[] = {
        {{.removedCount = 1}, "no array"},
        {{.removedCount = 1, .removed = far}, "99 is not in the tree"},
        {{.removedCount = 2, .removed = ones}, "removed twice"},
        {{.addedCount = 1, .added = one, .addedBoxes = goods}, "already and not removed"},
        {{.addedCount = 2, .added = new30, .addedBoxes = goods}, "added twice"},
        {{.addedCount = 1, .added = new30, .addedBoxes = &nan}, "not finite"},
        {{.addedCount = 1, .added = new30, .addedBoxes = goods, .addedFrom = one}, "removed[1]"},
        {{.addedCount = 1, .added = new30, .addedBoxes = goods, .neighbourStarts = starts, .neighbours = far},
         "neither stays nor is added"},
        {{.addedCount = 1, .added = new30, .addedBoxes = goods, .neighbourStarts = down, .neighbours = far},
         "goes down"},
        {{.addedCount = 1, .added = new30, .addedBoxes = goods, .neighbourStarts = starts}, "both arrays"},
        {{.removedCount = 1, .removed = one, .movedCount = 1, .moved = one, .movedBoxes = goods}, "as well"},
        {{.movedCount = 2, .moved = ones, .movedBoxes = goods}, "as well"},
        {{.movedCount = 1, .moved = far, .movedBoxes = goods}, "not in the tree"},
        {{.movedCount = 1, .moved = one, .movedBoxes = &nan}, "not finite"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        expect(shBoxTree_Update(tree, &cases[i].update, &m), shInvalid, &m, cases[i].words);
        compare(tree, &list);
    }
    int partOf[20] = {0};
    shBoxTree* parts[2] = {tree, tree};
    shBoxTreeSplit split = {.partCount = 2, .itemCount = 19, .partOf = partOf};
    expect(shBoxTree_Split(tree, &split, parts, &m), shInvalid, &m, "a part for every item");
    split.itemCount = 20, partOf[7] = 2;
    expect(shBoxTree_Split(tree, &split, parts, &m), shInvalid, &m, "item 7 is of part 2");
    partOf[7] = 1, split.addedCount = 1, split.added = one, split.addedBoxes = goods, split.addedParts = one;
    expect(shBoxTree_Split(tree, &split, parts, &m), shInvalid, &m, "already and stays");
    assert_true(parts[0] == NULL && parts[1] == NULL);
    compare(tree, &list);
    // All may go, and come again.
    shBoxTreeUpdate all = {.removedCount = 20, .removed = (int[20]){0}};
    int numbers[20];
    for (int i = 0; i < 20; ++i)
        numbers[i] = i;
    all.removed = numbers;
    check(shBoxTree_Update(tree, &all, &m), &m);
    List none = {.count = 0};
    compare(tree, &none);
    check(shBoxTree_Rebuild(tree, &m), &m);
    check(shBoxTree_Build(tree, 0, NULL, NULL, &m), &m);
    check(shBoxTree_Refit(tree, NULL, 0, &m), &m);
    check(shBoxTree_Update(tree, &(shBoxTreeUpdate){0}, &m), &m);
    assert_int_equal(shBoxTree_Optimise(tree), 0);
    expect(shBoxTree_Remove(tree, 0, &m), shInvalid, &m, "not in the tree");
    shDestroyBoxTree(tree);
    shDestroyBoxTree(NULL);
    shBoxTreeDef def = {0};
    expect(shCreateBoxTree(context, &def, &tree, &m), shInvalid, &m, "shDefaultBoxTreeDef");
    def = shDefaultBoxTreeDef();
    def.rebuildQuality = NAN;
    expect(shCreateBoxTree(context, &def, &tree, &m), shInvalid, &m, "0 or more");
    assert_null(tree);
    assert_int_equal(shDestroyContext(context), 0);
}

static void a_million_equal_boxes_stay_balanced(void** state)
{
    (void)state;
    enum { MILLION = 1000000, MORE = 20000 };
    shContext* context = newContext(1, NULL);
    shBoxTree* tree = newTree(context, true);
    shMessage message = {""};
    shBox* boxes = malloc(MILLION * sizeof *boxes);
    assert_non_null(boxes);
    for (int i = 0; i < MILLION; ++i)
        boxes[i] = (shBox){{1.0f, 2.0f, 3.0f}, {1.0f, 2.0f, 3.0f}};
    check(shBoxTree_Build(tree, MILLION, NULL, boxes, &message), &message);
    assert_int_equal(shBoxTree_GetInfo(tree).height, 20);
    for (int i = 0; i < MORE; ++i) {
        check(shBoxTree_Insert(tree, MILLION + i, boxes[0], i % 2 ? -1 : 0, &message), &message);
        check(shBoxTree_Remove(tree, i + 1, &message), &message);
    }
    check(shBoxTree_Validate(tree, &message), &message);
    shBoxTreeInfo info = shBoxTree_GetInfo(tree);
    assert_int_equal(info.itemCount, MILLION);
    assert_true(info.height <= 1.4405 * log2((double)MILLION));
    free(boxes);
    shDestroyBoxTree(tree);
    // And grown one by one, each beside the last one or the first.
    for (int kind = 0; kind < 3; ++kind) {
        tree = newTree(context, true);
        for (int i = 0; i < MORE; ++i) {
            float x = kind == 2 ? (float)i : 0.0f;
            shBox box = {{x, 0.0f, 0.0f}, {x, 0.0f, 0.0f}};
            check(shBoxTree_Insert(tree, i, box, kind == 0 || i == 0 ? -1 : kind == 1 ? 0 : i - 1, &message), &message);
        }
        check(shBoxTree_Validate(tree, &message), &message);
        assert_true(shBoxTree_GetInfo(tree).height <= 1.4405 * log2((double)MORE));
        shDestroyBoxTree(tree);
    }
    assert_int_equal(shDestroyContext(context), 0);
}

static void huge_coordinates_have_a_quality(void** state)
{
    (void)state;
    shContext* context = newContext(1, NULL);
    shBoxTree* tree = newTree(context, true);
    shMessage message = {""};
    for (int i = 0; i < 64; ++i) {
        float x = i % 2 ? 3.4e38f : -3.4e38f;
        check(shBoxTree_Insert(tree, i, (shBox){{-3.4e38f, x, x}, {3.4e38f, x, 3.4e38f}}, -1, &message), &message);
    }
    assert_true(isfinite(shBoxTree_GetInfo(tree).quality));
    check(shBoxTree_Rebuild(tree, &message), &message);
    check(shBoxTree_Validate(tree, &message), &message);
    shDestroyBoxTree(tree);
    assert_int_equal(shDestroyContext(context), 0);
}

// ---- memory, workers ------------------------------------------------------------------------------------------------

static void failing_memory_changes_nothing(void** state)
{
    (void)state;
    for (int what = 0; what < 6; ++what)
        for (int failAt = 1;; ++failAt) {
            TestAllocator allocator = {.failAt = 0};
            shContext* context = newContext(1, &allocator);
            shBoxTree *tree = newTree(context, true), *made[3] = {NULL};
            Random random = randomSeed(9);
            List list = {.count = 0};
            shBox boxes[NUMBERS];
            int items[NUMBERS], partOf[NUMBERS], addedParts[NUMBERS];
            for (int i = 0; i < NUMBERS; ++i)
                boxes[i] = randomBox(&random), items[i] = 40 + i, partOf[i] = i % 3, addedParts[i] = i % 3;
            for (int i = 0; i < 40; ++i)
                put(&list, i, boxes[i]);
            check(shBoxTree_Build(tree, 40, NULL, boxes, NULL), &(shMessage){""});
            atomic_store(&allocator.calls, 0);
            allocator.failAt = failAt;
            shBoxTreeUpdate update = {.addedCount = 100, .added = items, .addedBoxes = boxes};
            shBoxTreeSplit split = {.partCount = 3, .itemCount = NUMBERS, .partOf = partOf, .addedCount = 10};
            split.added = items, split.addedBoxes = boxes, split.addedParts = addedParts;
            shStatus status = what == 0   ? shBoxTree_Build(tree, 100, items, boxes, NULL)
                              : what == 1 ? shBoxTree_Rebuild(tree, NULL)
                              : what == 2 ? shBoxTree_Insert(tree, 3000000, boxes[0], -1, NULL)
                              : what == 3 ? shBoxTree_Update(tree, &update, NULL)
                              : what == 4 ? shBoxTree_Split(tree, &split, made, NULL)
                                          : shCloneBoxTree(tree, made, NULL);
            for (int i = 0; i < 3; ++i)
                shDestroyBoxTree(made[i]);
            if (status != shOk) {
                assert_int_equal(status, shOutOfMemory);
                compare(tree, &list);
            }
            shDestroyBoxTree(tree);
            assert_int_equal(shDestroyContext(context), 0);
            assert_int_equal(atomic_load(&allocator.wrongSizes), 0);
            assert_true(atomic_load(&allocator.bytes) == 0);
            if (status == shOk && atomic_load(&allocator.calls) < failAt)
                break;
        }
}

typedef struct Order {
    int count, items[30000];
} Order;

static bool note(int item, void* user)
{
    Order* order = user;
    order->items[order->count++] = item;
    return true;
}

static void any_number_of_workers_builds_the_same_tree(void** state)
{
    (void)state;
    enum { COUNT = 30000 };
    static Order orders[2], splitOrders[2];
    static shBox boxes[COUNT];
    static int partOf[COUNT];
    double quality[2];
    for (int i = 0; i < COUNT; ++i)
        partOf[i] = i / 100 % 5;
    for (int i = 0; i < 2; ++i) {
        shContext* context = newContext(1 + 3 * i, NULL);
        shBoxTree* tree = newTree(context, true);
        Random random = randomSeed(3);
        shMessage message = {""};
        for (int k = 0; k < COUNT; ++k)
            boxes[k] = randomBox(&random);
        check(shBoxTree_Build(tree, COUNT, NULL, boxes, &message), &message);
        for (int k = 0; k < COUNT; ++k)
            boxes[k] = boxGrow(boxes[k], 0.01f);
        check(shBoxTree_Refit(tree, boxes, COUNT, &message), &message);
        check(shBoxTree_Validate(tree, &message), &message);
        shBoxTree* parts[5];
        shBoxTreeSplit split = {.partCount = 5, .itemCount = COUNT, .partOf = partOf};
        check(shBoxTree_Split(tree, &split, parts, &message), &message);
        for (int p = 0, first = 0; p < 5; ++p) {
            check(shBoxTree_Validate(parts[p], &message), &message);
            splitOrders[i].count = first;
            shBoxTree_Overlap(parts[p], shBoxTree_GetInfo(parts[p]).box, note, &splitOrders[i]);
            first = splitOrders[i].count;
            shDestroyBoxTree(parts[p]);
        }
        assert_int_equal(splitOrders[i].count, COUNT);
        quality[i] = shBoxTree_GetInfo(tree).quality;
        orders[i].count = 0;
        shBoxTree_Overlap(tree, shBoxTree_GetInfo(tree).box, note, &orders[i]);
        assert_int_equal(orders[i].count, COUNT);
        shDestroyBoxTree(tree);
        assert_int_equal(shDestroyContext(context), 0);
    }
    assert_memory_equal(orders[0].items, orders[1].items, sizeof orders[0].items);
    assert_memory_equal(splitOrders[0].items, splitOrders[1].items, sizeof orders[0].items);
    assert_true(quality[0] == quality[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_sequences_keep_every_promise),
        cmocka_unit_test(permutations_lower_q_and_keep_heights),
        cmocka_unit_test(halved_boxes_have_the_ideal_quality),
        cmocka_unit_test(bad_input_changes_nothing),
        cmocka_unit_test(a_million_equal_boxes_stay_balanced),
        cmocka_unit_test(huge_coordinates_have_a_quality),
        cmocka_unit_test(failing_memory_changes_nothing),
        cmocka_unit_test(any_number_of_workers_builds_the_same_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
