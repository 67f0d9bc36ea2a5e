// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The trees over the pieces' surfaces, and what becomes of them in a break.
//
// Triangles that break off leave the trees they stood in and go into a new one, together with the facets of the crack.
// What stays is not touched: chipping a corner costs what the corner costs. Only trees of which little is left, or that
// are hardly larger than what is new, are dissolved and go into the new one, too.
#include "field/field_break.h"

#include "core/constants.h"

#include <string.h>

static SkinView viewOf(const FragmentField* field, const SkinTree* tree)
{
    const Skin* rest = field->rest->skin;
    const Skins* skins = &field->skins;
    if (tree->rest)
        return (SkinView){tree, rest->packets, skins->restAlive, rest->nodes};
    return (SkinView){tree, skins->packets.data + tree->packet, skins->alive.data + tree->packet,
                      skins->nodes.data + tree->node};
}

SkinWalk fieldSkins(const FragmentField* field, int piece)
{
    return (SkinWalk){.next = field->labels != NULL ? field->pieces.data[piece].skin : 0};
}

bool fieldNextSkin(const FragmentField* field, SkinWalk* walk)
{
    if (walk->next < 0)
        return false;
    if (field->labels == NULL) {
        walk->view = skinView(field->rest->skin);
        walk->next = -1;
        return true;
    }
    const SkinTree* tree = &field->skins.trees.data[walk->next];
    walk->view = viewOf(field, tree);
    walk->next = tree->next;
    return true;
}

// ---- planning -------------------------------------------------------------------------------------------------------

// The part that a triangle of the breaking piece goes to whole; -1: it is cut, or in a tetrahedron that is.
static int partOfFeature(const Plan* plan, int feature)
{
    const FragmentField* field = plan->field;
    const TetMesh* mesh = field->rest->mesh;
    if (feature >= 0) {
        const int* nodes = mesh->triangles[feature];
        int part = plan->partOf[nodes[0]];
        return plan->partOf[nodes[1]] == part && plan->partOf[nodes[2]] == part ? part : -1;
    }
    const Facet* facet = &field->facets.data[~feature];
    int part = plan->partOf[facet->node];
    for (int k = 0; k < 4; ++k) {
        int other = plan->partOf[mesh->tets[facet->tet][k]];
        if (other >= 0 && other != part)
            return -1;
    }
    return part;
}

typedef struct LeavingWalk {
    Plan* plan;
    int tree;
    bool enough; // memory
} LeavingWalk;

static bool listLeaving(const SkinView* view, int packet, void* user)
{
    LeavingWalk* walk = user;
    Plan* plan = walk->plan;
    walk->enough = arrayReserve(plan->field->memory, &plan->leaving, plan->leaving.count + skinLanes);
    for (int lane = 0; lane < skinLanes && walk->enough; ++lane) {
        if ((view->alive[packet] >> lane & 1u) == 0)
            continue;
        int part = partOfFeature(plan, view->packets[packet].features[lane]);
        if (part == plan->largest)
            continue;
        plan->leaving.data[plan->leaving.count++] = (Leaving){walk->tree, packet * skinLanes + lane, part};
        ++plan->field->skins.trees.data[walk->tree].leaving;
        if (part >= 0)
            ++plan->parts.data[part].features;
    }
    return walk->enough;
}

bool planSkins(Plan* plan)
{
    FragmentField* field = plan->field;
    Memory* memory = field->memory;
    Skins* skins = &field->skins;
    Part* parts = plan->parts.data;
    for (int i = 0; i < plan->parts.count; ++i)
        parts[i].features = parts[i].facets;
    for (int t = field->pieces.data[plan->piece].skin; t >= 0; t = skins->trees.data[t].next) {
        SkinTree* tree = &skins->trees.data[t];
        SkinView view = viewOf(field, tree);
        LeavingWalk walk = {plan, t, true};
        tree->leaving = 0;
        if (!skinVisitBox(&view, plan->around, listLeaving, &walk))
            return false;
        // The smallest come first.
        int left = tree->count - tree->leaving;
        tree->dissolves = (float)left < SKIN_KEPT * (float)(skinLanes * tree->packetCount) ||
                          left / SKIN_MERGE < parts[plan->largest].features;
        if (tree->dissolves)
            parts[plan->largest].features += left;
    }
    int features = 0, most = 0, packets = 0, nodes = 0;
    for (int i = 0; i < plan->parts.count; ++i) {
        int own = skinPacketCount(parts[i].features);
        features += parts[i].features;
        most = maxI(most, parts[i].features);
        packets += own;
        nodes += skinNodeCount(own);
    }
    return arrayReserve(memory, &plan->features, features) && arrayReserve(memory, &plan->keys, 2 * most) &&
           arrayReserve(memory, &skins->trees, skins->trees.count + plan->parts.count) &&
           arrayReserve(memory, &skins->packets, skins->packets.count + packets) &&
           arrayReserve(memory, &skins->alive, skins->packets.count + packets) &&
           arrayReserve(memory, &skins->nodes, skins->nodes.count + nodes);
}

// ---- making ---------------------------------------------------------------------------------------------------------

// One more tree for a piece, where there is room for it.
static void addTree(FragmentField* field, int piece, const int* features, int count, uint64_t* keys)
{
    Skins* skins = &field->skins;
    Piece* owner = &field->pieces.data[piece];
    SkinTree tree = {.packet = skins->packets.count, .node = skins->nodes.count, .piece = piece, .next = owner->skin};
    SkinSource source = {field->rest->mesh, field->facets.data};
    skinBuild(&tree, skins->packets.data + tree.packet, skins->alive.data + tree.packet, skins->nodes.data + tree.node,
              &source, features, count, owner->box, keys);
    owner->skin = skins->trees.count;
    skins->trees.data[skins->trees.count++] = tree;
    skins->packets.count += tree.packetCount;
    skins->nodes.count += tree.nodeCount;
}

// Trees that are nobody's make room. Their order stays.
static void compact(FragmentField* field)
{
    Skins* skins = &field->skins;
    int trees = 0, packets = 0, nodes = 0;
    for (int i = 0; i < field->pieces.count; ++i)
        field->pieces.data[i].skin = -1;
    for (int t = 0; t < skins->trees.count; ++t) {
        SkinTree tree = skins->trees.data[t];
        if (tree.piece < 0)
            continue;
        if (!tree.rest) {
            memmove(skins->packets.data + packets, skins->packets.data + tree.packet,
                    sizeof(SkinPacket) * (size_t)tree.packetCount);
            memmove(skins->alive.data + packets, skins->alive.data + tree.packet, (size_t)tree.packetCount);
            memmove(skins->nodes.data + nodes, skins->nodes.data + tree.node,
                    sizeof(SkinNode) * (size_t)tree.nodeCount);
            tree.packet = packets;
            tree.node = nodes;
            packets += tree.packetCount;
            nodes += tree.nodeCount;
        }
        tree.next = field->pieces.data[tree.piece].skin;
        field->pieces.data[tree.piece].skin = trees;
        skins->trees.data[trees++] = tree;
    }
    skins->trees.count = trees;
    skins->packets.count = packets;
    skins->nodes.count = nodes;
    skins->waste = 0;
}

static void giveTree(Skins* skins, SkinTree* tree)
{
    tree->piece = -1;
    skins->waste += tree->rest ? 0 : tree->packetCount;
}

static void compactIfWorth(FragmentField* field)
{
    if (2 * field->skins.waste > field->skins.packets.count)
        compact(field);
}

void dropSkins(FragmentField* field, int piece)
{
    Skins* skins = &field->skins;
    for (int t = field->pieces.data[piece].skin; t >= 0; t = skins->trees.data[t].next)
        giveTree(skins, &skins->trees.data[t]);
    field->pieces.data[piece].skin = -1;
    compactIfWorth(field);
}

static void take(Plan* plan, int part, int feature)
{
    plan->features.data[plan->parts.data[part].features++] = feature;
}

// What leaves the trees it stood in.
static void takeLeaving(Plan* plan)
{
    FragmentField* field = plan->field;
    Skins* skins = &field->skins;
    for (int i = 0; i < plan->leaving.count; ++i) {
        Leaving leaving = plan->leaving.data[i];
        SkinTree* tree = &skins->trees.data[leaving.tree];
        int packet = leaving.slot / skinLanes, lane = leaving.slot % skinLanes;
        SkinView view = viewOf(field, tree);
        uint8_t* alive = tree->rest ? skins->restAlive : skins->alive.data + tree->packet;
        alive[packet] &= (uint8_t) ~(1u << lane);
        --tree->count;
        if (leaving.part >= 0)
            take(plan, leaving.part, view.packets[packet].features[lane]);
    }
}

// What is left of trees that the largest part does not keep.
static void takeDissolved(Plan* plan)
{
    FragmentField* field = plan->field;
    Skins* skins = &field->skins;
    for (int* link = &field->pieces.data[plan->piece].skin; *link >= 0;) {
        SkinTree* tree = &skins->trees.data[*link];
        if (!tree->dissolves) {
            link = &tree->next;
            continue;
        }
        SkinView view = viewOf(field, tree);
        for (int slot = 0; slot < skinLanes * tree->packetCount; ++slot) {
            if (view.alive[slot / skinLanes] >> (slot % skinLanes) & 1u)
                take(plan, plan->largest, view.packets[slot / skinLanes].features[slot % skinLanes]);
        }
        *link = tree->next;
        giveTree(skins, tree);
    }
}

void takeFacets(Plan* plan, int part, int first, int count)
{
    for (int f = first; f < first + count; ++f)
        take(plan, part, ~f);
}

void openSkins(Plan* plan)
{
    int first = 0;
    for (int i = 0; i < plan->parts.count; ++i) {
        Part* part = &plan->parts.data[i];
        int count = part->features;
        part->features = first;
        first += count;
    }
    takeLeaving(plan);
    takeDissolved(plan);
}

void buildSkins(Plan* plan)
{
    FragmentField* field = plan->field;
    int first = 0;
    for (int i = 0; i < plan->parts.count; ++i) {
        const Part* part = &plan->parts.data[i];
        if (part->features > first)
            addTree(field, part->label, plan->features.data + first, part->features - first, plan->keys.data);
        first = part->features;
    }
    compactIfWorth(field);
}

// ---- from surfaces alone --------------------------------------------------------------------------------------------

// The piece that a feature belongs to; -1: nobody's.
static int pieceOfFeature(const FragmentField* field, int feature)
{
    if (feature >= 0 && field->triangleIsCut[feature])
        return -1;
    int node = feature < 0 ? field->facets.data[~feature].node : field->rest->mesh->triangles[feature][0];
    int piece = node < 0 ? -1 : field->labels[node];
    return piece >= 0 && !field->pieces.data[piece].removed ? piece : -1;
}

bool fieldBuildSkins(FragmentField* field)
{
    Memory* memory = field->memory;
    Skins* skins = &field->skins;
    int pieces = field->pieces.count, packets = 0, nodes = 0;
    int from = -field->facets.count, to = field->rest->mesh->triangleCount; // all features
    int* starts = NEW_ZEROED(memory, int, pieces + 1);
    int* features = NEW_ARRAY(memory, int, to - from);
    uint64_t* keys = NEW_ARRAY(memory, uint64_t, 2 * ((int64_t)to - from));
    bool enough = starts != NULL && features != NULL && keys != NULL;
    for (int f = from; f < to && enough; ++f) {
        int piece = pieceOfFeature(field, f);
        if (piece >= 0)
            ++starts[piece + 1];
    }
    for (int i = 0; i < pieces && enough; ++i) {
        packets += skinPacketCount(starts[i + 1]);
        nodes += skinNodeCount(skinPacketCount(starts[i + 1]));
        starts[i + 1] += starts[i];
        field->pieces.data[i].skin = -1;
    }
    enough = enough && arrayReserve(memory, &skins->trees, pieces) && arrayReserve(memory, &skins->packets, packets) &&
             arrayReserve(memory, &skins->alive, packets) && arrayReserve(memory, &skins->nodes, nodes);
    if (enough) {
        skins->trees.count = skins->packets.count = skins->nodes.count = skins->waste = 0;
        for (int f = from; f < to; ++f) {
            int piece = pieceOfFeature(field, f);
            if (piece >= 0)
                features[starts[piece]++] = f; // each start moves to the next one
        }
        for (int i = 0, first = 0; i < pieces; first = starts[i++]) {
            if (starts[i] > first)
                addTree(field, i, features + first, starts[i] - first, keys);
        }
    }
    FREE_ARRAY(memory, features, to - from);
    FREE_ARRAY(memory, keys, 2 * ((int64_t)to - from));
    FREE_ARRAY(memory, starts, pieces + 1);
    return enough;
}
