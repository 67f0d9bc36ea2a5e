// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Breaking a piece (G4): parts, cuts, facets, labels, then distances by fronts that carry the nearest feature.
//
// Two halves. Planning may run out of memory and touches nothing that a query sees. Applying cannot fail. Both visit
// only the smaller parts and what the crack touches; the largest part keeps label, nodes and untouched distances.
#include "field/fragment_field.h"

#include "core/closest.h"
#include "core/constants.h"
#include "core/message.h"

#include <string.h>

typedef struct Part {
    int label; // in `children`
    int count; // nodes
    int next;  // where its next node goes in nodeOrder
} Part;

typedef ARRAY(int) IntList;

typedef struct Plan {
    FragmentField* field;
    const Crack* crack;
    int piece;
    int* partOf;   // [nodeCount] part of a node of the piece
    int* tetMarks; // [tetCount] index into records, or -1
    ARRAY(Part) parts;
    int largest;
    ARRAY(int) stack;      // flood fill; later the piece's nodes in new order
    ARRAY(CutTet) records; // cut tetrahedra as they will be; facets point into `facets`
    ARRAY(Facet) facets;
    ARRAY(int) stale; // nodes whose closest feature goes away, each followed by the tetrahedron it was in
    IntList front, nextFront;
    int linkCount;
} Plan;

static bool ensureState(FragmentField* field)
{
    if (field->labels != NULL)
        return true;
    Memory* memory = field->memory;
    const RestField* rest = field->rest;
    const TetMesh* mesh = rest->mesh;
    int* labels = NEW_ZEROED(memory, int, mesh->nodeCount);
    field->nodes = NEW_ARRAY(memory, NodeField, mesh->nodeCount);
    field->nodeOrder = NEW_ARRAY(memory, int, mesh->nodeCount);
    field->edgeCuts = NEW_ARRAY(memory, int, rest->topology->edgeCount);
    field->tetCuts = NEW_ARRAY(memory, int, mesh->tetCount);
    field->cellHeads = NEW_ARRAY(memory, int, rest->cells->cellCount);
    field->masks = NEW_ARRAY(memory, uint64_t, rest->maskGrid->maskCount);
    field->triangleIsCut = NEW_ZEROED(memory, uint8_t, mesh->triangleCount);
    field->scratch = NEW_ARRAY(memory, int, mesh->nodeCount + mesh->tetCount);
    bool enough = labels && field->nodes && field->nodeOrder && field->edgeCuts && field->tetCuts && field->cellHeads &&
                  field->masks && field->triangleIsCut && field->scratch && arrayReserve(memory, &field->pieces, 1) &&
                  (field->rule == fieldNearest || paperInit(field));
    if (!enough) {
        FREE_ARRAY(memory, labels, mesh->nodeCount);
        fieldFree(field);
        return false;
    }
    for (int n = 0; n < mesh->nodeCount; ++n) {
        bool surface = rest->nodeDistances[n] == 0.0f;
        field->nodes[n] = surface ? (NodeField){rest->nodeRelays[n], noFeature}
                                  : (NodeField){rest->nodeDistances[n], rest->nodeFeatures[n]};
        field->nodeOrder[n] = n;
    }
    memset(field->edgeCuts, -1, sizeof(int) * (size_t)rest->topology->edgeCount);
    memset(field->tetCuts, -1, sizeof(int) * (size_t)mesh->tetCount);
    memset(field->cellHeads, -1, sizeof(int) * (size_t)rest->cells->cellCount);
    memset(field->scratch, -1, sizeof(int) * (size_t)(mesh->nodeCount + mesh->tetCount));
    maskGridFill(rest->maskGrid, field->masks);
    field->pieces.data[0] =
        (Piece){.count = mesh->nodeCount, .parent = -1, .box = fieldBox(field, 0), .hull = {.nodes = mesh->nodeCount}};
    field->pieces.count = 1;
    field->labels = labels;
    return true;
}

// ---- planning -------------------------------------------------------------------------------------------------------

// Connected parts of equal crack label; `stack` ends up empty.
static bool findParts(Plan* plan)
{
    FragmentField* field = plan->field;
    const TetTopology* topology = field->rest->topology;
    const int* wanted = plan->crack->labels;
    Piece piece = field->pieces.data[plan->piece];
    if (!arrayReserve(field->memory, &plan->stack, piece.count))
        return false;
    for (int i = 0; i < piece.count; ++i) {
        int seed = field->nodeOrder[piece.first + i];
        if (plan->partOf[seed] >= 0)
            continue;
        if (!arrayReserve(field->memory, &plan->parts, plan->parts.count + 1))
            return false;
        int part = plan->parts.count++;
        plan->partOf[seed] = part;
        plan->stack.data[0] = seed;
        int count = 0;
        for (plan->stack.count = 1; plan->stack.count > 0;) {
            int node = plan->stack.data[--plan->stack.count];
            ++count;
            for (int k = topology->nodeEdgeStart[node]; k < topology->nodeEdgeStart[node + 1]; ++k) {
                int other = edgeOther(topology, topology->nodeEdges[k], node);
                if (field->labels[other] == plan->piece && plan->partOf[other] < 0 && wanted[other] == wanted[node]) {
                    plan->partOf[other] = part;
                    plan->stack.data[plan->stack.count++] = other;
                }
            }
        }
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
        for (int k = topology->nodeEdgeStart[node]; k < topology->nodeEdgeStart[node + 1]; ++k) {
            int edge = topology->nodeEdges[k];
            int other = edgeOther(topology, edge, node);
            if (field->labels[other] != plan->piece || plan->partOf[other] == part || field->edgeCuts[edge] >= 0)
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

static bool markTets(Plan* plan)
{
    FragmentField* field = plan->field;
    const TetTopology* topology = field->rest->topology;
    // A crack has about as many tetrahedra as cut edges; room for them at once spares growing.
    if (!arrayReserve(field->memory, &plan->records, 3 * (field->cuts.count - field->firstNewCut) / 2))
        return false;
    for (int c = field->firstNewCut; c < field->cuts.count; ++c) {
        int a = topology->edges[field->cuts.data[c].edge][0], b = topology->edges[field->cuts.data[c].edge][1];
        for (int k = topology->nodeTetStart[a]; k < topology->nodeTetStart[a + 1]; ++k) {
            int t = topology->nodeTets[k];
            const int* tet = field->rest->mesh->tets[t];
            if (plan->tetMarks[t] >= 0 || (tet[0] != b && tet[1] != b && tet[2] != b && tet[3] != b))
                continue;
            if (!arrayReserve(field->memory, &plan->records, plan->records.count + 1))
                return false;
            CutTet* record = &plan->records.data[plan->records.count];
            if (field->tetCuts[t] >= 0)
                *record = field->cutTets.data[field->tetCuts[t]];
            else
                *record = (CutTet){.nodes = {tet[0], tet[1], tet[2], tet[3]}, .tet = t};
            plan->tetMarks[t] = plan->records.count++;
        }
    }
    return true;
}

// Corners of the breaking piece.
static unsigned brokenCorners(const Plan* plan, int t)
{
    unsigned mask = 0;
    for (int k = 0; k < 4; ++k)
        mask |= (unsigned)(plan->field->labels[plan->field->rest->mesh->tets[t][k]] == plan->piece) << k;
    return mask;
}

static int lowestOf(unsigned mask)
{
    int k = 0;
    while ((mask >> k & 1u) == 0)
        ++k;
    return k;
}

static bool shapeTet(Plan* plan, CutTet* record)
{
    FragmentField* field = plan->field;
    const TetTopology* topology = field->rest->topology;
    const TetMesh* mesh = field->rest->mesh;
    const int* tet = mesh->tets[record->tet];
    int birth = 0;
    for (int e = 0; e < 6; ++e)
        birth = maxI(birth, record->cut.birth[e]);
    TetCutPoints points;
    for (int k = 0; k < 4; ++k)
        points.corner[k] = mesh->nodes[tet[k]];
    for (int e = 0; e < 6; ++e) {
        int cut = field->edgeCuts[topology->tetEdges[record->tet][e]];
        if (cut < 0)
            continue;
        if (cut >= field->firstNewCut) {
            float t = field->cuts.data[cut].t;
            record->cut.birth[e] = (uint8_t)(birth + 1);
            record->cut.t[e] = tet[tetEdgeEnds[e][0]] < tet[tetEdgeEnds[e][1]] ? t : 1.0f - t;
        }
        points.edge[e] = field->cuts.data[cut].p;
    }
    tetCutShape(&record->cut);
    tetCutPlace(&record->cut, tet, &points);

    unsigned boundary = 0;
    for (int k = 0; k < 4; ++k)
        boundary |= (unsigned)(topology->neighbors[record->tet][k] < 0) << k;
    unsigned left = brokenCorners(plan, record->tet);
    record->facetCount[lowestOf(left)] = 0; // of the group as it was
    while (left != 0) {
        int corner = lowestOf(left);
        unsigned group = tetCutGroup(&record->cut, corner);
        left &= ~group;
        if (!arrayReserve(field->memory, &plan->facets, plan->facets.count + maxGroupFacets))
            return false;
        Facet* facets = &plan->facets.data[plan->facets.count];
        int count = tetCutFacets(&record->cut, group, &points, boundary, facets);
        for (int i = 0; i < count; ++i) {
            facets[i].node = tet[corner];
            facets[i].tet = record->tet;
            facets[i].source = facets[i].source < 0 ? -1 : ~topology->neighbors[record->tet][facets[i].source];
        }
        record->facets[corner] = plan->facets.count;
        record->facetCount[corner] = (uint8_t)count;
        plan->facets.count += count;
    }
    return true;
}

// Cells within `band` of the cracks in a tetrahedron.
static CellRange cellsOfCracks(const FragmentField* field, int t)
{
    const int* edges = field->rest->topology->tetEdges[t];
    shBox box = boxEmpty();
    for (int e = 0; e < 6; ++e) {
        if (field->edgeCuts[edges[e]] >= 0)
            box = boxAdd(box, field->cuts.data[field->edgeCuts[edges[e]]].p);
    }
    return cellGridRange(field->rest->cells, boxGrow(box, field->rest->cells->band));
}

static bool planTets(Plan* plan)
{
    FragmentField* field = plan->field;
    if (!markTets(plan))
        return false;
    if (!arrayReserve(field->memory, &plan->facets, 5 * plan->records.count))
        return false;
    int newTets = 0;
    for (int i = 0; i < plan->records.count; ++i) {
        CutTet* record = &plan->records.data[i];
        if (!shapeTet(plan, record))
            return false;
        CellRange r = cellsOfCracks(field, record->tet);
        plan->linkCount +=
            (r.upper[0] - r.lower[0] + 1) * (r.upper[1] - r.lower[1] + 1) * (r.upper[2] - r.lower[2] + 1);
        newTets += field->tetCuts[record->tet] < 0;
    }
    Memory* memory = field->memory;
    int nodeCount = field->pieces.data[plan->piece].count;
    return arrayReserve(memory, &field->cutTets, field->cutTets.count + newTets) &&
           arrayReserve(memory, &field->facets, field->facets.count + plan->facets.count) &&
           arrayReserve(memory, &field->links, field->links.count + plan->linkCount) &&
           arrayReserve(memory, &field->pieces, field->pieces.count + plan->parts.count - 1) &&
           arrayReserve(memory, &field->children, plan->parts.count) &&
           arrayReserve(memory, &field->newTets, plan->records.count) &&
           arrayReserve(memory, &plan->stale, 2 * nodeCount) && arrayReserve(memory, &plan->front, nodeCount) &&
           arrayReserve(memory, &plan->nextFront, nodeCount);
}

// ---- applying -------------------------------------------------------------------------------------------------------

static int takeFacets(FragmentField* field, int count)
{
    int first = field->freeFacets[count];
    if (first >= 0) {
        field->freeFacets[count] = field->facets.data[first].source;
        return first;
    }
    first = field->facets.count;
    field->facets.count += count;
    return first;
}

static void giveFacets(FragmentField* field, int first, int count)
{
    for (int f = first; f < first + count; ++f)
        field->facets.data[f].node = -1;
    field->facets.data[first].source = field->freeFacets[count];
    field->freeFacets[count] = first;
}

// Gives back the facets of the groups that break and marks boundary triangles that are now cut.
static void dropOldFacets(Plan* plan)
{
    FragmentField* field = plan->field;
    const TetTopology* topology = field->rest->topology;
    for (int i = 0; i < plan->records.count; ++i) {
        int t = plan->records.data[i].tet;
        unsigned broken = brokenCorners(plan, t);
        if (field->tetCuts[t] >= 0) {
            CutTet* old = &field->cutTets.data[field->tetCuts[t]];
            int corner = lowestOf(broken);
            if (old->facetCount[corner] > 0)
                giveFacets(field, old->facets[corner], old->facetCount[corner]);
        }
        for (int k = 0; k < 4; ++k) {
            if (topology->neighbors[t][k] >= 0)
                continue;
            const uint8_t* c = tetFaceCorners[k];
            const uint8_t* birth = plan->records.data[i].cut.birth;
            if (birth[tetEdgeBetween[c[0]][c[1]]] || birth[tetEdgeBetween[c[1]][c[2]]] ||
                birth[tetEdgeBetween[c[0]][c[2]]])
                field->triangleIsCut[~topology->neighbors[t][k]] = 1;
        }
    }
}

// Nodes of the piece whose closest feature is gone or now belongs to another part, with the tetrahedron whose new
// facets replace it (-1: none).
static void findStale(Plan* plan)
{
    FragmentField* field = plan->field;
    Piece piece = field->pieces.data[plan->piece];
    for (int i = 0; i < piece.count; ++i) {
        int node = field->nodeOrder[piece.first + i];
        int feature = field->nodes[node].feature;
        if (feature == noFeature)
            continue;
        int owner, tet = -1; // a node on the feature's side
        if (feature < 0) {
            owner = field->facets.data[~feature].node;
            if (owner < 0)
                tet = field->facets.data[~feature].tet;
        } else {
            owner = field->rest->mesh->triangles[feature][0];
            if (field->triangleIsCut[feature]) {
                owner = -1;
                tet = field->rest->topology->triangleTets[feature];
            }
        }
        if (owner >= 0 && plan->partOf[owner] == plan->partOf[node])
            continue;
        bool surface = field->rest->nodeDistances[node] == 0.0f;
        field->nodes[node] = (NodeField){surface ? field->rest->nodeRelays[node] : INFINITY, noFeature};
        plan->stale.data[plan->stale.count++] = node;
        plan->stale.data[plan->stale.count++] = tet;
    }
}

// Lists a cut tetrahedron in the cells around its cracks; those that have it already are passed over.
static void linkCells(FragmentField* field, int t, int index, bool isNew)
{
    const CellGrid* cells = field->rest->cells;
    CellRange r = cellsOfCracks(field, t);
    for (int z = r.lower[2]; z <= r.upper[2]; ++z) {
        for (int y = r.lower[1]; y <= r.upper[1]; ++y) {
            for (int x = r.lower[0]; x <= r.upper[0]; ++x) {
                int* head = &field->cellHeads[(z * cells->size[1] + y) * cells->size[0] + x];
                int link = isNew ? -1 : *head;
                while (link >= 0 && field->links.data[link].cutTet != index)
                    link = field->links.data[link].next;
                if (link >= 0)
                    continue;
                field->links.data[field->links.count] = (CellLink){index, *head};
                *head = field->links.count++;
            }
        }
    }
}

static void storeTets(Plan* plan)
{
    FragmentField* field = plan->field;
    field->newTets.count = 0;
    for (int i = 0; i < plan->records.count; ++i) {
        CutTet* record = &plan->records.data[i];
        unsigned broken = brokenCorners(plan, record->tet);
        for (int k = 0; k < 4; ++k) {
            if ((broken >> k & 1u) == 0 || record->facetCount[k] == 0)
                continue;
            int first = takeFacets(field, record->facetCount[k]);
            memcpy(&field->facets.data[first], &plan->facets.data[record->facets[k]],
                   sizeof(Facet) * record->facetCount[k]);
            record->facets[k] = first;
        }
        int index = field->tetCuts[record->tet];
        bool isNew = index < 0;
        if (isNew)
            index = field->tetCuts[record->tet] = field->cutTets.count++;
        linkCells(field, record->tet, index, isNew);
        field->cutTets.data[index] = *record;
        field->newTets.data[field->newTets.count++] = record->tet;
    }
}

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
    field->pieces.data[plan->piece] =
        (Piece){.first = next, .count = largest->count, .parent = old.parent, .hull = old.hull};
    next += largest->count;
    for (int i = 0; i < plan->parts.count; ++i) {
        if (i == plan->largest)
            continue;
        Part* part = &plan->parts.data[i];
        part->label = field->pieces.count;
        part->next = next;
        field->pieces.data[field->pieces.count++] = (Piece){.first = next, .count = part->count, .parent = plan->piece};
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

// The facets that a cut tetrahedron keeps with one of its nodes.
static shBox boundFacets(const FragmentField* field, int t, int node, shBox box)
{
    const CutTet* cut = &field->cutTets.data[field->tetCuts[t]];
    const int* tet = field->rest->mesh->tets[t];
    int k = tet[0] == node ? 0 : tet[1] == node ? 1 : tet[2] == node ? 2 : 3;
    for (int f = cut->facets[k]; f < cut->facets[k] + cut->facetCount[k]; ++f) {
        for (int i = 0; i < 3; ++i)
            box = boxAdd(box, field->facets.data[f].p[i]);
    }
    return box;
}

// Nodes and cuts of edges are not enough: where cracks meet, a share has corners on older cracks.
static shBox boundPiece(const FragmentField* field, const Piece* piece)
{
    const TetTopology* topology = field->rest->topology;
    shBox box = boxEmpty();
    for (int i = piece->first; i < piece->first + piece->count; ++i) {
        int node = field->nodeOrder[i];
        box = boxAdd(box, field->rest->mesh->nodes[node]);
        bool isCut = false;
        for (int k = topology->nodeEdgeStart[node]; k < topology->nodeEdgeStart[node + 1]; ++k)
            isCut |= field->edgeCuts[topology->nodeEdges[k]] >= 0;
        if (!isCut)
            continue;
        for (int k = topology->nodeTetStart[node]; k < topology->nodeTetStart[node + 1]; ++k) {
            int t = topology->nodeTets[k];
            if (field->tetCuts[t] >= 0)
                box = boundFacets(field, t, node, box);
        }
    }
    return box;
}

// The largest part keeps the box of the whole unless something that touched a side of it has gone.
static void boundPieces(Plan* plan, shBox whole)
{
    FragmentField* field = plan->field;
    shBox gone = boxEmpty();
    for (int c = 1; c < field->children.count; ++c) {
        Piece* piece = &field->pieces.data[field->children.data[c]];
        piece->box = boundPiece(field, piece);
        gone = boxUnion(gone, piece->box);
    }
    Piece* largest = &field->pieces.data[field->children.data[0]];
    bool within = gone.lower.x > whole.lower.x && gone.lower.y > whole.lower.y && gone.lower.z > whole.lower.z &&
                  gone.upper.x < whole.upper.x && gone.upper.y < whole.upper.y && gone.upper.z < whole.upper.z;
    largest->box = within ? whole : boundPiece(field, largest);
}

// The largest part keeps the planes of the whole until it has lost a fair share of it.
static void hullPieces(const Plan* plan)
{
    const FragmentField* field = plan->field;
    for (int c = 0; c < field->children.count; ++c) {
        int label = field->children.data[c];
        Piece* piece = &field->pieces.data[label];
        if (c > 0 || (float)piece->count < HULL_KEPT * (float)piece->hull.nodes)
            piece->hull = hullOfPiece(field, label);
    }
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

// ---- distances ------------------------------------------------------------------------------------------------------

// `partOf` has served: from here on it says which nodes wait in the front.
static void enterFront(Plan* plan, int node)
{
    if (plan->partOf[node] != INT32_MAX) {
        plan->partOf[node] = INT32_MAX;
        plan->nextFront.data[plan->nextFront.count++] = node;
    }
}

static void offer(Plan* plan, int node, int feature)
{
    FragmentField* field = plan->field;
    NodeField* at = &field->nodes[node];
    if (at->feature == feature || at->distance == 0.0f)
        return;
    bool original = feature >= 0 || field->facets.data[~feature].source >= 0;
    if (original && field->rest->nodeDistances[node] == 0.0f)
        return;
    Vec3 p = field->rest->mesh->nodes[node];
    Ball ball = feature < 0 ? field->facets.data[~feature].ball : field->rest->triangleBalls[feature];
    if (ballBeyond(ball, p, at->distance))
        return;
    Vec3 corners[3];
    fieldFeature(field, feature, corners);
    // Roots are compared, not squares: a square rounded up would let two equal features replace each other for ever.
    float distance = vDistance(p, closestOnTriangle(p, corners[0], corners[1], corners[2]));
    if (!(distance < at->distance))
        return;
    *at = (NodeField){distance, feature};
    enterFront(plan, node);
}

static void offerFacetsOfTet(Plan* plan, int node, int t)
{
    FragmentField* field = plan->field;
    const CutTet* cut = &field->cutTets.data[field->tetCuts[t]];
    for (int k = 0; k < 4; ++k) {
        if (cut->facetCount[k] == 0 || field->labels[field->rest->mesh->tets[t][k]] != field->labels[node])
            continue;
        for (int f = cut->facets[k]; f < cut->facets[k] + cut->facetCount[k]; ++f)
            offer(plan, node, ~f);
    }
}

// Slides along the crack to nearer facets in neighbouring tetrahedra, which no neighbouring node may know of.
static void slide(Plan* plan, int node)
{
    FragmentField* field = plan->field;
    if (field->rest->nodeDistances[node] == 0.0f)
        return; // only passes on
    for (int last = noFeature; field->nodes[node].feature < 0 && field->nodes[node].feature != last;) {
        last = field->nodes[node].feature;
        const int* neighbors = field->rest->topology->neighbors[field->facets.data[~last].tet];
        for (int k = 0; k < 4; ++k) {
            if (neighbors[k] >= 0 && field->tetCuts[neighbors[k]] >= 0)
                offerFacetsOfTet(plan, node, neighbors[k]);
        }
    }
}

// The node of `tet` that its neighbour `other` does not have.
static int oppositeNode(const RestField* rest, int tet, int other)
{
    const int* neighbors = rest->topology->neighbors[tet];
    int k = neighbors[0] == other ? 0 : neighbors[1] == other ? 1 : neighbors[2] == other ? 2 : 3;
    return rest->mesh->tets[tet][k];
}

// Starts at the nodes of cut tetrahedra, then passes features on along edges of equal label until nothing shrinks.
static void spreadDistances(Plan* plan)
{
    FragmentField* field = plan->field;
    const TetTopology* topology = field->rest->topology;
    for (int i = 0; i + 1 < plan->stale.count; i += 2) {
        if (plan->stale.data[i + 1] >= 0)
            offerFacetsOfTet(plan, plan->stale.data[i], plan->stale.data[i + 1]);
    }
    for (int i = 0; i < field->newTets.count; ++i) {
        int t = field->newTets.data[i];
        for (int k = 0; k < 4; ++k) {
            int node = field->rest->mesh->tets[t][k];
            if (plan->partOf[node] >= 0) // others keep what they had
                offerFacetsOfTet(plan, node, t);
            // The node across the face may be nearer to these facets than to those its own neighbours prefer.
            int beyond = topology->neighbors[t][k];
            if (beyond >= 0) {
                int across = oppositeNode(field->rest, beyond, t);
                if (plan->partOf[across] >= 0 && field->rest->nodeDistances[across] > 0.0f)
                    offerFacetsOfTet(plan, across, t);
            }
        }
    }
    // Nodes that lost their feature and got no other ask their neighbours.
    for (int i = 0; i + 1 < plan->stale.count; i += 2) {
        int node = plan->stale.data[i];
        if (field->nodes[node].feature != noFeature || field->rest->nodeDistances[node] == 0.0f)
            continue;
        for (int k = topology->nodeEdgeStart[node]; k < topology->nodeEdgeStart[node + 1]; ++k) {
            int other = edgeOther(topology, topology->nodeEdges[k], node);
            if (field->labels[other] == field->labels[node] && field->nodes[other].feature != noFeature)
                enterFront(plan, other);
        }
    }
    while (plan->nextFront.count > 0) {
        IntList swap = plan->front;
        plan->front = plan->nextFront;
        plan->nextFront = swap;
        plan->nextFront.count = 0;
        for (int i = 0; i < plan->front.count; ++i)
            slide(plan, plan->front.data[i]);
        for (int i = 0; i < plan->front.count; ++i)
            plan->partOf[plan->front.data[i]] = 0;
        for (int i = 0; i < plan->front.count; ++i) {
            int node = plan->front.data[i];
            int feature = field->nodes[node].feature, label = field->labels[node];
            for (int k = topology->nodeEdgeStart[node]; k < topology->nodeEdgeStart[node + 1]; ++k) {
                int other = edgeOther(topology, topology->nodeEdges[k], node);
                if (field->labels[other] == label)
                    offer(plan, other, feature);
            }
        }
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
    if (!ensureState(field))
        return failMemory(message);
    Memory* memory = field->memory;
    int nodeCount = field->rest->mesh->nodeCount;
    Plan plan = {.field = field, .crack = crack, .piece = crack->piece};
    plan.partOf = field->scratch;
    plan.tetMarks = field->scratch + nodeCount;
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
        enough = cutEdges(&plan) && planTets(&plan);
    if (breaks && enough && prepare != NULL)
        enough = prepare(field, field->cuts.count - field->firstNewCut, plan.parts.count - 1, user);
    if (breaks && enough) {
        dropOldFacets(&plan);
        if (field->rule == fieldNearest)
            findStale(&plan);
        storeTets(&plan);
        relabel(&plan);
        boundPieces(&plan, old.box);
        hullPieces(&plan);
        updateMasks(&plan);
        if (field->rule == fieldNearest)
            spreadDistances(&plan);
        else
            paperSpread(field, plan.partOf, plan.front.data, plan.nextFront.data);
    }
    if (!enough) {
        for (int c = field->firstNewCut; c < field->cuts.count; ++c)
            field->edgeCuts[field->cuts.data[c].edge] = -1;
        field->cuts.count = field->firstNewCut;
    }
    for (int i = old.first; i < old.first + old.count; ++i)
        plan.partOf[field->nodeOrder[i]] = -1;
    for (int i = 0; i < plan.records.count; ++i)
        plan.tetMarks[plan.records.data[i].tet] = -1;
    arrayFree(memory, &plan.parts);
    arrayFree(memory, &plan.stack);
    arrayFree(memory, &plan.records);
    arrayFree(memory, &plan.facets);
    arrayFree(memory, &plan.stale);
    arrayFree(memory, &plan.front);
    arrayFree(memory, &plan.nextFront);
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
    gone->removed = true;
}
