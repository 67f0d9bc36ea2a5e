// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The tetrahedra of a crack: which they are, how many facets they will have, and then the facets themselves, written
// once, where they stay.
#include "field/field_break.h"

#include "core/constants.h"

#include <string.h>

// ---- planning -------------------------------------------------------------------------------------------------------

// While planning, a whole tetrahedron that will be cut has its place in cutTets already; one that was cut before shows
// −2 − place. Nobody asks a field while it breaks.
static int placeHidden(int place) { return -2 - place; }

static bool listTets(Plan* plan)
{
    FragmentField* field = plan->field;
    const TetTopology* topology = field->rest->topology;
    plan->firstNewTet = field->cutTets.count;
    int next = field->cutTets.count;
    // A crack has about as many tetrahedra as cut edges; room for them at once spares growing.
    if (!arrayReserve(field->memory, &plan->tets, 3 * (field->cuts.count - field->firstNewCut) / 2))
        return false;
    for (int c = field->firstNewCut; c < field->cuts.count; ++c) {
        int edge = field->cuts.data[c].edge;
        for (int k = topology->edgeTetStart[edge]; k < topology->edgeTetStart[edge + 1]; ++k) {
            int t = topology->edgeTets[k], place = field->tetCuts[t];
            if (place >= plan->firstNewTet || place < -1)
                continue;
            if (!arrayReserve(field->memory, &plan->tets, plan->tets.count + 1))
                return false;
            plan->tets.data[plan->tets.count++].tet = t;
            field->tetCuts[t] = place < 0 ? next++ : placeHidden(place);
        }
    }
    return true;
}

static void showPlaces(Plan* plan)
{
    FragmentField* field = plan->field;
    for (int i = 0; i < plan->tets.count; ++i) {
        int* place = &field->tetCuts[plan->tets.data[i].tet];
        if (*place < -1)
            *place = placeHidden(*place);
    }
}

void forgetTets(Plan* plan)
{
    FragmentField* field = plan->field;
    showPlaces(plan);
    for (int i = 0; i < plan->tets.count; ++i) {
        int* place = &field->tetCuts[plan->tets.data[i].tet];
        if (*place >= plan->firstNewTet)
            *place = -1;
    }
}

// Cuts that this crack makes are one birth younger than what is there.
static void addBirths(const FragmentField* field, int tet, TetCut* cut)
{
    const int* edges = field->rest->topology->tetEdges[tet];
    int birth = 0;
    for (int e = 0; e < 6; ++e)
        birth = maxI(birth, cut->birth[e]);
    for (int e = 0; e < 6; ++e) {
        if (field->edgeCuts[edges[e]] >= field->firstNewCut)
            cut->birth[e] = (uint8_t)(birth + 1);
    }
}

static void addFacets(Plan* plan, int part, int count)
{
    plan->parts.data[part].facets += count;
    plan->facetCount += count;
}

static unsigned sameParts(const int part[4], int k)
{
    return (unsigned)(part[0] == part[k]) | (unsigned)(part[1] == part[k]) << 1 | (unsigned)(part[2] == part[k]) << 2 |
           (unsigned)(part[3] == part[k]) << 3;
}

// A whole tetrahedron that falls into three or four.
static void countMany(Plan* plan, const TetPlan* tet, const int part[4])
{
    unsigned pair = 0;
    for (int k = 0; k < 3; ++k) {
        unsigned group = sameParts(part, k);
        pair = (group & (group - 1)) != 0 ? group : pair;
    }
    for (int k = 0; k < 4; ++k) {
        unsigned own = 1u << k, lone = pair != 0 ? 15u ^ pair ^ own : 0;
        if ((pair & own) == 0)
            addFacets(plan, part[k], tetCutManyCount(own, lone, tet->boundary));
    }
    if (pair != 0)
        addFacets(plan, part[cornerLowest[pair]], tetCutManyCount(pair, 0, tet->boundary));
}

static void countFacets(Plan* plan, const TetPlan* tet, const int part[4])
{
    const FragmentField* field = plan->field;
    if (tet->side != 0) {
        unsigned other = 15u ^ tet->side;
        addFacets(plan, part[0], tetCutHalfCount(tet->side, tet->boundary));
        addFacets(plan, part[cornerLowest[other]], tetCutHalfCount(other, tet->boundary));
        return;
    }
    int place = field->tetCuts[tet->tet];
    if (place >= plan->firstNewTet) {
        countMany(plan, tet, part);
        return;
    }
    const TetCut* old = &field->cutTets.data[place].cut;
    TetCut cut = {.planeSide = old->planeSide};
    memcpy(cut.birth, old->birth, sizeof(cut.birth));
    addBirths(field, tet->tet, &cut);
    for (unsigned left = tet->broken; left != 0;) {
        unsigned group = tetCutGroup(&cut, cornerLowest[left]);
        addFacets(plan, part[cornerLowest[left]], tetCutFacetCount(&cut, group, tet->boundary));
        left &= ~group;
    }
}

static void describeTet(Plan* plan, TetPlan* out)
{
    const FragmentField* field = plan->field;
    const int* neighbors = field->rest->topology->neighbors[out->tet];
    const int* nodes = field->rest->mesh->tets[out->tet];
    const int part[4] = {plan->partOf[nodes[0]], plan->partOf[nodes[1]], plan->partOf[nodes[2]],
                         plan->partOf[nodes[3]]};
    unsigned broken = 0, boundary = 0, side = 0, rest = 0;
    int other = -1; // part of the first corner that is not with corner 0
    for (int k = 0; k < 4; ++k) {
        broken |= (unsigned)(part[k] >= 0) << k;
        boundary |= (unsigned)(neighbors[k] < 0) << k;
        side |= (unsigned)(part[k] == part[0]) << k;
        if (other < 0 && part[k] != part[0])
            other = part[k];
        rest |= (unsigned)(part[k] == other) << k;
    }
    out->broken = (uint8_t)broken;
    out->boundary = (uint8_t)boundary;
    out->side = field->tetCuts[out->tet] >= plan->firstNewTet && (side | rest) == 15u ? (uint8_t)side : 0;
    countFacets(plan, out, part);
}

bool planTets(Plan* plan)
{
    FragmentField* field = plan->field;
    Memory* memory = field->memory;
    if (!listTets(plan))
        return false;
    showPlaces(plan);
    int newTets = 0;
    for (int i = 0; i < plan->tets.count; ++i) {
        describeTet(plan, &plan->tets.data[i]);
        newTets += field->tetCuts[plan->tets.data[i].tet] >= plan->firstNewTet;
    }
    return arrayReserve(memory, &field->cutTets, field->cutTets.count + newTets) &&
           arrayReserve(memory, &field->facets, field->facets.count + plan->facetCount) &&
           arrayReserve(memory, &field->newTets, plan->tets.count);
}

// ---- applying -------------------------------------------------------------------------------------------------------

static int roomForFacets(FragmentField* field, int count)
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

void giveFacets(FragmentField* field, int first, int count)
{
    for (int f = first; f < first + count; ++f)
        field->facets.data[f].node = -1;
    field->facets.data[first].source = field->freeFacets[count];
    field->freeFacets[count] = first;
}

void dropOldFacets(Plan* plan)
{
    FragmentField* field = plan->field;
    const TetTopology* topology = field->rest->topology;
    for (int i = 0; i < plan->tets.count; ++i) {
        const TetPlan* tet = &plan->tets.data[i];
        int place = field->tetCuts[tet->tet], corner = cornerLowest[tet->broken];
        if (place < plan->firstNewTet && field->cutTets.data[place].facetCount[corner] > 0)
            giveFacets(field, field->cutTets.data[place].facets[corner], field->cutTets.data[place].facetCount[corner]);
        const int* edges = topology->tetEdges[tet->tet];
        for (int k = 0; tet->boundary >> k != 0; ++k) {
            if ((tet->boundary >> k & 1u) == 0)
                continue;
            const uint8_t* c = tetFaceCorners[k];
            if (field->edgeCuts[edges[tetEdgeBetween[c[0]][c[1]]]] >= 0 ||
                field->edgeCuts[edges[tetEdgeBetween[c[1]][c[2]]]] >= 0 ||
                field->edgeCuts[edges[tetEdgeBetween[c[0]][c[2]]]] >= 0)
                field->triangleIsCut[~topology->neighbors[tet->tet][k]] = 1;
        }
    }
}

// Room for the facets of a group, known by its lowest corner.
static Facet* openGroup(FragmentField* field, CutTet* record, int corner, int count)
{
    record->facetCount[corner] = (uint8_t)count;
    record->facets[corner] = count > 0 ? roomForFacets(field, count) : 0;
    return &field->facets.data[record->facets[corner]];
}

shBox boundFacets(const FragmentField* field, const CutTet* cut, int corner, shBox box)
{
    for (int f = cut->facets[corner]; f < cut->facets[corner] + cut->facetCount[corner]; ++f) {
        for (int i = 0; i < 3; ++i)
            box = boxAdd(box, field->facets.data[f].p[i]);
    }
    return box;
}

// What a facet is told by its place; and it goes into the tree of its part.
static void signGroup(Plan* plan, const CutTet* record, int corner)
{
    const FragmentField* field = plan->field;
    const int* neighbors = field->rest->topology->neighbors[record->tet];
    takeFacets(plan, plan->partOf[record->nodes[corner]], record->facets[corner], record->facetCount[corner]);
    Facet* facets = &field->facets.data[record->facets[corner]];
    for (int i = 0; i < record->facetCount[corner]; ++i) {
        facets[i].node = record->nodes[corner];
        facets[i].tet = record->tet;
        if (facets[i].source >= 0)
            facets[i].source = ~neighbors[facets[i].source];
    }
}

static void writeHalves(Plan* plan, const TetPlan* tet, CutTet* record, const TetCutPoints* points)
{
    FragmentField* field = plan->field;
    unsigned other = 15u ^ tet->side;
    Facet* first = openGroup(field, record, 0, tetCutHalfCount(tet->side, tet->boundary));
    Facet* second = openGroup(field, record, cornerLowest[other], tetCutHalfCount(other, tet->boundary));
    tetCutHalves(&record->cut, points, tet->boundary, first, second);
    signGroup(plan, record, 0);
    signGroup(plan, record, cornerLowest[other]);
}

static void writeGroups(Plan* plan, const TetPlan* tet, CutTet* record, const TetCutPoints* points)
{
    FragmentField* field = plan->field;
    for (unsigned left = tet->broken; left != 0;) {
        int corner = cornerLowest[left];
        unsigned group = tetCutGroup(&record->cut, corner);
        left &= ~group;
        int count = tetCutFacetCount(&record->cut, group, tet->boundary);
        tetCutFacets(&record->cut, group, points, tet->boundary, openGroup(field, record, corner, count));
        signGroup(plan, record, corner);
        // Where cracks meet a share has other corners than nodes and cuts.
        Piece* piece = &field->pieces.data[field->labels[record->nodes[corner]]];
        piece->box = boundFacets(field, record, corner, piece->box);
    }
}

static void cutTet(Plan* plan, const TetPlan* tet)
{
    FragmentField* field = plan->field;
    const TetMesh* mesh = field->rest->mesh;
    const int* nodes = mesh->tets[tet->tet];
    const int* edges = field->rest->topology->tetEdges[tet->tet];
    int place = field->tetCuts[tet->tet];
    CutTet* record = &field->cutTets.data[place];
    if (place >= plan->firstNewTet)
        *record = (CutTet){.nodes = {nodes[0], nodes[1], nodes[2], nodes[3]}, .tet = tet->tet};
    TetCutPoints points;
    for (int k = 0; k < 4; ++k)
        points.corner[k] = mesh->nodes[nodes[k]];
    for (int e = 0; e < 6; ++e) {
        int cut = field->edgeCuts[edges[e]];
        if (cut < 0)
            continue;
        points.edge[e] = field->cuts.data[cut].p;
        if (cut >= field->firstNewCut) {
            float t = field->cuts.data[cut].t;
            record->cut.t[e] = nodes[tetEdgeEnds[e][0]] < nodes[tetEdgeEnds[e][1]] ? t : 1.0f - t;
        }
    }
    if (tet->side != 0) {
        tetCutFirst(&record->cut, tet->side);
        writeHalves(plan, tet, record, &points);
    } else {
        addBirths(field, tet->tet, &record->cut);
        tetCutShape(&record->cut);
        tetCutPlace(&record->cut, nodes, &points);
        writeGroups(plan, tet, record, &points);
    }
}

void cutTets(Plan* plan)
{
    FragmentField* field = plan->field;
    field->newTets.count = 0;
    for (int i = 0; i < plan->tets.count; ++i) {
        const TetPlan* tet = &plan->tets.data[i];
        field->cutTets.count = maxI(field->cutTets.count, field->tetCuts[tet->tet] + 1);
        cutTet(plan, tet);
        field->newTets.data[field->newTets.count++] = tet->tet;
    }
}
