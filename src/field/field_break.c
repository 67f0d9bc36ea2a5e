// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Breaking a piece (G4): parts, cuts, facets, labels, then the trees over surfaces, of which distances are asked.
//
// Two halves. Planning may run out of memory and leaves no trace then. Applying cannot fail. Both visit only the
// smaller parts and what the crack touches; the largest part keeps label, nodes and the trees it had.
#include "field/field_break.h"

#include "core/constants.h"
#include "core/message.h"

#include <string.h>

bool fieldEnsureState(FragmentField* field)
{
    if (field->labels != NULL)
        return true;
    Memory* memory = field->memory;
    const RestField* rest = field->rest;
    const TetMesh* mesh = rest->mesh;
    int* labels = NEW_ZEROED(memory, int, mesh->nodeCount);
    field->nodeOrder = NEW_ARRAY(memory, int, mesh->nodeCount);
    field->edgeCuts = NEW_ARRAY(memory, int, rest->topology->edgeCount);
    field->tetCuts = NEW_ARRAY(memory, int, mesh->tetCount);
    field->masks = NEW_ARRAY(memory, uint64_t, rest->maskGrid->maskCount);
    field->triangleIsCut = NEW_ZEROED(memory, uint8_t, mesh->triangleCount);
    field->scratch = NEW_ARRAY(memory, int, mesh->nodeCount);
    field->skins.restAlive = NEW_ARRAY(memory, uint8_t, rest->skin->tree.packetCount);
    bool enough = labels && field->nodeOrder && field->edgeCuts && field->tetCuts && field->masks &&
                  field->triangleIsCut && field->scratch && field->skins.restAlive &&
                  arrayReserve(memory, &field->pieces, 1) && arrayReserve(memory, &field->skins.trees, 1) &&
                  (field->rule == fieldNearest || paperInit(field));
    if (!enough) {
        FREE_ARRAY(memory, labels, mesh->nodeCount);
        fieldFree(field);
        return false;
    }
    for (int n = 0; n < mesh->nodeCount; ++n)
        field->nodeOrder[n] = n;
    memset(field->edgeCuts, -1, sizeof(int) * (size_t)rest->topology->edgeCount);
    memset(field->tetCuts, -1, sizeof(int) * (size_t)mesh->tetCount);
    memset(field->scratch, -1, sizeof(int) * (size_t)mesh->nodeCount);
    maskGridFill(rest->maskGrid, field->masks);
    field->pieces.data[0] =
        (Piece){.count = mesh->nodeCount, .parent = -1, .box = fieldBox(field, 0), .hull = {.nodes = mesh->nodeCount}};
    field->pieces.count = 1;
    memcpy(field->skins.restAlive, rest->skin->alive, (size_t)rest->skin->tree.packetCount);
    field->skins.trees.data[0] = rest->skin->tree;
    field->skins.trees.count = 1;
    field->labels = labels;
    return true;
}

// ---- planning -------------------------------------------------------------------------------------------------------

// Connected parts of equal crack label. Most of the last one has been seen before its turn comes; with the last node
// found there is nothing more to look for.
static bool findParts(Plan* plan)
{
    FragmentField* field = plan->field;
    const TetTopology* topology = field->rest->topology;
    const int* wanted = plan->crack->labels;
    Piece piece = field->pieces.data[plan->piece];
    if (!arrayReserve(field->memory, &plan->stack, piece.count))
        return false;
    int* stack = plan->stack.data;
    int left = piece.count; // nodes that are in no part yet
    for (int i = 0; i < piece.count; ++i) {
        int seed = field->nodeOrder[piece.first + i];
        if (plan->partOf[seed] >= 0)
            continue;
        if (!arrayReserve(field->memory, &plan->parts, plan->parts.count + 1))
            return false;
        int part = plan->parts.count++;
        plan->partOf[seed] = part;
        stack[0] = seed;
        int before = left--;
        for (int waits = 1; waits > 0 && left > 0;) {
            int node = stack[--waits];
            for (int k = topology->nodeEdgeStart[node]; k < topology->nodeEdgeStart[node + 1]; ++k) {
                int other = topology->nodeOthers[k];
                if (plan->partOf[other] < 0 && field->labels[other] == plan->piece && wanted[other] == wanted[node]) {
                    plan->partOf[other] = part;
                    stack[waits++] = other;
                    --left;
                }
            }
        }
        int count = before - left;
        plan->parts.data[part] = (Part){.count = count};
        if (count > plan->parts.data[plan->largest].count)
            plan->largest = part;
    }
    return true;
}

// New cuts go straight into the field's list, where no query looks before the tetrahedra know of them.
static bool cutEdges(Plan* plan)
{
    FragmentField* field = plan->field;
    const TetTopology* topology = field->rest->topology;
    const Vec3* nodes = field->rest->mesh->nodes;
    Piece piece = field->pieces.data[plan->piece];
    for (int i = 0; i < piece.count; ++i) {
        int node = field->nodeOrder[piece.first + i];
        int part = plan->partOf[node];
        if (part == plan->largest)
            continue;
        plan->around = boxAdd(plan->around, nodes[node]);
        for (int k = topology->nodeEdgeStart[node]; k < topology->nodeEdgeStart[node + 1]; ++k) {
            int edge = topology->nodeEdges[k], other = plan->partOf[topology->nodeOthers[k]];
            plan->around = boxAdd(plan->around, nodes[topology->nodeOthers[k]]);
            if (other < 0 || other == part || field->edgeCuts[edge] >= 0)
                continue;
            if (!arrayReserve(field->memory, &field->cuts, field->cuts.count + 1))
                return false;
            float t = plan->crack->cut != NULL ? plan->crack->cut(edge, plan->crack->user) : 0.5f;
            t = clampF(t, CUT_LOWEST, CUT_HIGHEST); // a NaN becomes CUT_HIGHEST
            const int* ends = topology->edges[edge];
            field->edgeCuts[edge] = field->cuts.count;
            field->cuts.data[field->cuts.count++] = (CutPoint){vLerp(nodes[ends[0]], nodes[ends[1]], t), t, edge};
        }
    }
    return true;
}

static bool planPieces(Plan* plan)
{
    FragmentField* field = plan->field;
    Memory* memory = field->memory;
    int64_t corners = field->nears.count;
    for (int i = 0; i < plan->parts.count; ++i)
        corners +=
            nearGridMore(plan->parts.data[i].count, i == plan->largest ? field->pieces.data[plan->piece].near.room : 0);
    return arrayReserve(memory, &field->pieces, field->pieces.count + plan->parts.count - 1) &&
           arrayReserve(memory, &field->nears, corners) && arrayReserve(memory, &field->children, plan->parts.count) &&
           (field->rule == fieldNearest ||
            arrayReserve(memory, &plan->fronts, 2 * field->pieces.data[plan->piece].count));
}

// ---- applying -------------------------------------------------------------------------------------------------------

// Parts become pieces; nodeOrder is sorted by part inside the old range, keeping order within each.
static void relabel(Plan* plan)
{
    FragmentField* field = plan->field;
    Piece old = field->pieces.data[plan->piece];
    field->children.count = 0;
    field->children.data[field->children.count++] = plan->piece;
    int next = old.first;
    Part* largest = &plan->parts.data[plan->largest];
    largest->label = plan->piece;
    largest->next = next;
    field->pieces.data[plan->piece] = (Piece){.first = next,
                                              .count = largest->count,
                                              .parent = old.parent,
                                              .box = boxEmpty(),
                                              .hull = old.hull,
                                              .skin = old.skin,
                                              .near = old.near,
                                              .edgeRow = old.edgeRow,
                                              .edgeRoom = old.edgeRoom};
    next += largest->count;
    for (int i = 0; i < plan->parts.count; ++i) {
        if (i == plan->largest)
            continue;
        Part* part = &plan->parts.data[i];
        part->label = field->pieces.count;
        part->next = next;
        field->pieces.data[field->pieces.count++] =
            (Piece){.first = next, .count = part->count, .parent = plan->piece, .box = boxEmpty(), .skin = -1};
        field->children.data[field->children.count++] = part->label;
        next += part->count;
    }
    memcpy(plan->stack.data, &field->nodeOrder[old.first], sizeof(int) * (size_t)old.count);
    for (int i = 0; i < old.count; ++i) {
        int node = plan->stack.data[i];
        Part* part = &plan->parts.data[plan->partOf[node]];
        field->nodeOrder[part->next++] = node;
        field->labels[node] = part->label;
    }
}

static shBox boundAtNode(const FragmentField* field, const CutTet* cut, int node, shBox box)
{
    int k = cut->nodes[0] == node ? 0 : cut->nodes[1] == node ? 1 : cut->nodes[2] == node ? 2 : 3;
    return boundFacets(field, cut, k, box);
}

// Adds a piece's nodes to its box, and what older cracks left around them: cuts are not enough, where cracks meet a
// share has other corners, too.
static shBox boundNodes(const FragmentField* field, const Piece* piece)
{
    const TetTopology* topology = field->rest->topology;
    shBox box = piece->box;
    for (int i = piece->first; i < piece->first + piece->count; ++i) {
        int node = field->nodeOrder[i];
        box = boxAdd(box, field->rest->mesh->nodes[node]);
        bool old = false;
        for (int k = topology->nodeEdgeStart[node]; field->firstNewCut > 0 && k < topology->nodeEdgeStart[node + 1];
             ++k)
            old |= (unsigned)field->edgeCuts[topology->nodeEdges[k]] < (unsigned)field->firstNewCut;
        for (int k = topology->nodeTetStart[node]; old && k < topology->nodeTetStart[node + 1]; ++k) {
            int cut = field->tetCuts[topology->nodeTets[k]];
            if (cut >= 0)
                box = boundAtNode(field, &field->cutTets.data[cut], node, box);
        }
    }
    return box;
}

// What new facets have beyond the nodes. (Other corners, where cracks meet, are there since they were written.)
static void boundCracks(Plan* plan)
{
    FragmentField* field = plan->field;
    for (int c = field->firstNewCut; c < field->cuts.count; ++c) {
        const int* ends = field->rest->topology->edges[field->cuts.data[c].edge];
        for (int k = 0; k < 2; ++k) {
            Piece* piece = &field->pieces.data[field->labels[ends[k]]];
            piece->box = boxAdd(piece->box, field->cuts.data[c].p);
        }
    }
}

// The largest part keeps the box of the whole unless something that touched a side of it has gone.
static void boundPieces(Plan* plan, shBox whole)
{
    FragmentField* field = plan->field;
    shBox gone = boxEmpty();
    boundCracks(plan);
    for (int c = 1; c < field->children.count; ++c) {
        Piece* piece = &field->pieces.data[field->children.data[c]];
        piece->box = boundNodes(field, piece);
        gone = boxUnion(gone, piece->box);
    }
    Piece* largest = &field->pieces.data[field->children.data[0]];
    bool within = gone.lower.x > whole.lower.x && gone.lower.y > whole.lower.y && gone.lower.z > whole.lower.z &&
                  gone.upper.x < whole.upper.x && gone.upper.y < whole.upper.y && gone.upper.z < whole.upper.z;
    largest->box = within ? whole : boundNodes(field, largest);
}

static void layGrids(const Plan* plan)
{
    FragmentField* field = plan->field;
    for (int c = 0; c < field->children.count; ++c)
        nearGridLay(field, field->children.data[c]);
}

static void updateMasks(Plan* plan)
{
    FragmentField* field = plan->field;
    shBox changed = boxEmpty();
    for (int c = 1; c < field->children.count; ++c)
        changed = boxUnion(changed, field->pieces.data[field->children.data[c]].box);
    const MaskGrid* grid = field->rest->maskGrid;
    maskGridUpdate(grid, field->masks, field->labels, plan->piece, changed);
    for (int c = 0; c < field->children.count; ++c) {
        int label = field->children.data[c];
        Piece* piece = &field->pieces.data[label];
        piece->masked = maskGridForeign(grid, field->masks, label, piece->box) > MASK_FOREIGN;
    }
}

static void forgetState(FragmentField* field)
{
    IntList children = {field->children.data, field->children.count, field->children.capacity};
    FieldRule rule = field->rule;
    field->children.data = NULL;
    field->children.capacity = 0;
    fieldFree(field);
    field->children.data = children.data;
    field->children.count = children.count;
    field->children.capacity = children.capacity;
    field->rule = rule;
}

shStatus fieldBreak(FragmentField* field, const Crack* crack, FieldPrepare* prepare, void* user, shMessage* message)
{
    if (!fieldHasPiece(field, crack->piece))
        return fail(message, shInvalid, "break: piece %d does not exist; the solid has %d", crack->piece,
                    fieldPieceCount(field));
    if (!fieldEnsureState(field))
        return failMemory(message);
    Memory* memory = field->memory;
    Plan plan = {.field = field, .crack = crack, .piece = crack->piece, .partOf = field->scratch, .around = boxEmpty()};
    field->firstNewCut = field->cuts.count;
    field->newTets.count = 0;
    Piece old = field->pieces.data[crack->piece];

    bool enough = findParts(&plan) && arrayReserve(memory, &field->children, 1);
    bool breaks = enough && plan.parts.count > 1;
    if (enough && !breaks) {
        field->children.data[0] = crack->piece;
        field->children.count = 1;
    }
    if (breaks)
        enough = cutEdges(&plan) && planTets(&plan) && planPieces(&plan) && planSkins(&plan) && planShapes(&plan);
    if (breaks && enough && prepare != NULL)
        enough = prepare(field, field->cuts.count - field->firstNewCut, plan.parts.count - 1, user);
    if (breaks && enough) {
        dropOldFacets(&plan);
        relabel(&plan);
        openSkins(&plan);
        cutTets(&plan);
        boundPieces(&plan, old.box);
        buildSkins(&plan);
        findShapes(&plan);
        layGrids(&plan);
        updateMasks(&plan);
        if (field->rule == fieldPaper)
            paperSpread(field, plan.partOf, plan.fronts.data, plan.fronts.data + old.count);
    }
    if (!enough) {
        forgetTets(&plan);
        for (int c = field->firstNewCut; c < field->cuts.count; ++c)
            field->edgeCuts[field->cuts.data[c].edge] = -1;
        field->cuts.count = field->firstNewCut;
    }
    for (int i = old.first; i < old.first + old.count; ++i)
        plan.partOf[field->nodeOrder[i]] = -1;
    arrayFree(memory, &plan.parts);
    arrayFree(memory, &plan.tets);
    arrayFree(memory, &plan.stack);
    arrayFree(memory, &plan.fronts);
    arrayFree(memory, &plan.leaving);
    arrayFree(memory, &plan.features);
    arrayFree(memory, &plan.keys);
    forgetShapes(&plan);
    if (!(enough && breaks) && field->pieces.count == 1 && field->cuts.count == 0)
        forgetState(field); // still unbroken: owns nothing but the answer
    return enough ? shOk : failMemory(message);
}

void fieldRemovePiece(FragmentField* field, int piece)
{
    const RestField* rest = field->rest;
    Piece* gone = &field->pieces.data[piece];
    for (int i = gone->first; i < gone->first + gone->count; ++i) {
        int node = field->nodeOrder[i];
        for (int k = rest->topology->nodeTetStart[node]; k < rest->topology->nodeTetStart[node + 1]; ++k) {
            int t = rest->topology->nodeTets[k], corner = 0;
            if (field->tetCuts[t] < 0)
                continue;
            CutTet* cut = &field->cutTets.data[field->tetCuts[t]];
            while (cut->nodes[corner] != node)
                ++corner;
            if (cut->facetCount[corner] > 0)
                giveFacets(field, cut->facets[corner], cut->facetCount[corner]);
            cut->facetCount[corner] = 0;
        }
    }
    dropSkins(field, piece);
    gone->removed = true;
    gone->hull.supportCount = 0;
    gone->hull.hasHeights = false;
}
