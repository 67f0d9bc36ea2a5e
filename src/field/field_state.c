// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "field/field_state.h"

#include "core/constants.h"

enum { unclaimed = -2 }; // a facet that is in no run yet

// ---- pieces ---------------------------------------------------------------------------------------------------------

static bool within(shBox outer, shBox inner)
{
    return inner.lower.x >= outer.lower.x && inner.lower.y >= outer.lower.y && inner.lower.z >= outer.lower.z &&
           inner.upper.x <= outer.upper.x && inner.upper.y <= outer.upper.y && inner.upper.z <= outer.upper.z &&
           inner.lower.x <= inner.upper.x && inner.lower.y <= inner.upper.y && inner.lower.z <= inner.upper.z;
}

static void streamHull(Stream* stream, PieceHull* hull)
{
    streamI32(stream, &hull->nodes);
    streamI32(stream, &hull->count);
    streamCheck(stream, hull->nodes >= 0 && hull->count >= 0 && hull->count <= hullMaxPlanes,
                "no hull has such planes");
    for (int i = 0; i < hull->count && streamOk(stream); ++i) {
        HullPlane* plane = &hull->planes[i];
        streamVec3(stream, &plane->normal);
        streamF32(stream, &plane->offset);
        streamCheck(stream, fabsf(vLength2(plane->normal) - 1.0f) <= UNIT_TOLERANCE && isfinite(plane->offset),
                    "a plane of a hull is none");
    }
}

static void streamPiece(Stream* stream, Piece* piece, int label, int nodeCount, shBox whole)
{
    streamI32(stream, &piece->first);
    streamI32(stream, &piece->count);
    streamI32(stream, &piece->parent);
    streamBox(stream, &piece->box);
    streamBool(stream, &piece->masked);
    streamBool(stream, &piece->removed);
    streamHull(stream, &piece->hull);
    streamCheck(stream, piece->first >= 0 && piece->count >= 1 && piece->count <= nodeCount - piece->first,
                "a piece has nodes that are not there");
    streamCheck(stream, piece->parent >= -1 && piece->parent < label, "a piece is older than its parent");
    streamCheck(stream, within(whole, piece->box), "a piece has a box that leaves the solid's");
}

// Pieces and the order of their nodes; labels follow.
static void streamPieces(Stream* stream, FragmentField* field)
{
    int nodeCount = field->rest->mesh->nodeCount;
    shBox whole = boxEmpty();
    if (streamReads(stream)) {
        whole = field->pieces.data[0].box;
        whole = boxGrow(whole, STATE_SLACK * vLength(boxSize(whole)));
    }
    if (!streamArray(stream, field->memory, &field->pieces, sizeof(int) * 5 + sizeof(shBox) + 2))
        return;
    int count = field->pieces.count;
    streamCheck(stream, count >= 1, "a broken solid has no piece");
    for (int i = 0; i < count && streamOk(stream); ++i)
        streamPiece(stream, &field->pieces.data[i], i, nodeCount, whole);
    streamI32s(stream, field->nodeOrder, nodeCount);
    if (!streamReads(stream) || !streamOk(stream))
        return;
    for (int n = 0; n < nodeCount; ++n)
        field->labels[n] = -1;
    int64_t total = 0;
    for (int i = 0; i < count; ++i) {
        Piece piece = field->pieces.data[i];
        total += piece.count;
        for (int k = piece.first; k < piece.first + piece.count && streamOk(stream); ++k) {
            int node = field->nodeOrder[k];
            streamCheck(stream, node >= 0 && node < nodeCount && field->labels[node] < 0,
                        "the pieces do not share the nodes among them");
            if (streamOk(stream))
                field->labels[node] = i;
        }
    }
    streamCheck(stream, total == nodeCount, "the pieces do not share the nodes among them");
}

// ---- cuts -----------------------------------------------------------------------------------------------------------

static void streamCuts(Stream* stream, FragmentField* field)
{
    const TetTopology* topology = field->rest->topology;
    const Vec3* nodes = field->rest->mesh->nodes;
    if (!streamArray(stream, field->memory, &field->cuts, sizeof(int) + sizeof(float)))
        return;
    int count = field->cuts.count;
    for (int c = 0; c < count && streamOk(stream); ++c) {
        CutPoint* cut = &field->cuts.data[c];
        streamI32(stream, &cut->edge);
        streamF32(stream, &cut->t);
        streamCheck(stream, cut->t >= CUT_LOWEST && cut->t <= CUT_HIGHEST, "an edge is cut beyond its ends");
        streamCheck(stream, cut->edge >= 0 && cut->edge < topology->edgeCount, "a cut is on no edge");
        if (!streamReads(stream) || !streamOk(stream))
            continue;
        const int* ends = topology->edges[cut->edge];
        streamCheck(stream, field->edgeCuts[cut->edge] < 0 && field->labels[ends[0]] != field->labels[ends[1]],
                    "an edge is cut that must not be");
        field->edgeCuts[cut->edge] = c;
        cut->p = vLerp(nodes[ends[0]], nodes[ends[1]], cut->t);
    }
    if (!streamReads(stream) || !streamOk(stream))
        return;
    int mixed = 0;
    for (int e = 0; e < topology->edgeCount; ++e)
        mixed += field->labels[topology->edges[e][0]] != field->labels[topology->edges[e][1]];
    streamCheck(stream, mixed == count, "an edge between two pieces is not cut");
}

static bool together(const TetCut* cut, int birth, int i, int j)
{
    int born = i == j ? 0 : cut->birth[tetEdgeBetween[i][j]];
    return born == 0 || born > birth;
}

// Could cracks have come one after the other like this? Each divides one group of corners, and divides it cleanly.
static bool birthsArePossible(const TetCut* cut)
{
    int last = 0;
    for (int e = 0; e < 6; ++e)
        last = maxI(last, cut->birth[e]);
    for (int birth = 1; birth <= last; ++birth) {
        int divided = -1; // a corner of the group
        for (int e = 0; e < 6; ++e) {
            if (cut->birth[e] != birth)
                continue;
            int a = tetEdgeEnds[e][0], b = tetEdgeEnds[e][1];
            if (divided < 0)
                divided = a;
            if (!together(cut, birth - 1, divided, a) || !together(cut, birth - 1, divided, b))
                return false;
        }
        if (divided < 0)
            return false;
        for (int i = 0; i < 4; ++i) {
            for (int j = 0; j < 4; ++j) {
                for (int k = 0; k < 4; ++k) {
                    if (together(cut, birth, i, j) && together(cut, birth, j, k) && !together(cut, birth, i, k))
                        return false;
                }
            }
        }
    }
    return true;
}

// The births of a tetrahedron, two bits each.
static void streamBirths(Stream* stream, TetCut* cut)
{
    uint32_t packed = 0;
    for (int e = 0; e < 6; ++e)
        packed |= (uint32_t)cut->birth[e] << (2 * e);
    uint8_t bytes[2] = {(uint8_t)packed, (uint8_t)(packed >> 8)};
    streamBytes(stream, bytes, 2);
    if (!streamReads(stream))
        return;
    packed = bytes[0] | (uint32_t)bytes[1] << 8;
    streamCheck(stream, packed >> 12 == 0, "a tetrahedron has more than six edges");
    for (int e = 0; e < 6; ++e)
        cut->birth[e] = packed >> (2 * e) & 3u;
}

// What follows from cuts and births. The planes and points of a tetrahedron are those of its oldest crack, however many
// have come since.
static void shapeTet(FragmentField* field, CutTet* record)
{
    const TetTopology* topology = field->rest->topology;
    const int* tet = field->rest->mesh->tets[record->tet];
    for (int e = 0; e < 6; ++e) {
        int cut = field->edgeCuts[topology->tetEdges[record->tet][e]];
        if (cut >= 0) {
            float t = field->cuts.data[cut].t;
            record->cut.t[e] = tet[tetEdgeEnds[e][0]] < tet[tetEdgeEnds[e][1]] ? t : 1.0f - t;
        }
    }
    tetCutShape(&record->cut);
    for (int k = 0; k < 4; ++k) {
        record->nodes[k] = tet[k];
        if (topology->neighbors[record->tet][k] >= 0)
            continue;
        const uint8_t* c = tetFaceCorners[k];
        const uint8_t* birth = record->cut.birth;
        if (birth[tetEdgeBetween[c[0]][c[1]]] || birth[tetEdgeBetween[c[1]][c[2]]] || birth[tetEdgeBetween[c[0]][c[2]]])
            field->triangleIsCut[~topology->neighbors[record->tet][k]] = 1;
    }
}

static void streamTets(Stream* stream, FragmentField* field)
{
    const RestField* rest = field->rest;
    if (!streamArray(stream, field->memory, &field->cutTets, sizeof(int) + 2))
        return;
    int count = field->cutTets.count;
    for (int i = 0; i < count && streamOk(stream); ++i) {
        CutTet* record = &field->cutTets.data[i];
        streamI32(stream, &record->tet);
        streamBirths(stream, &record->cut);
        streamCheck(stream, record->tet >= 0 && record->tet < rest->mesh->tetCount, "a cut tetrahedron is not there");
        if (!streamReads(stream) || !streamOk(stream))
            continue;
        bool any = false, agree = true;
        for (int e = 0; e < 6; ++e) {
            bool isCut = field->edgeCuts[rest->topology->tetEdges[record->tet][e]] >= 0;
            any |= isCut;
            agree &= isCut == (record->cut.birth[e] != 0);
        }
        streamCheck(stream, any && agree && field->tetCuts[record->tet] < 0 && birthsArePossible(&record->cut),
                    "a tetrahedron is cut in a way that cannot be");
        if (!streamOk(stream))
            break;
        field->tetCuts[record->tet] = i;
        shapeTet(field, record);
    }
    if (!streamReads(stream) || !streamOk(stream))
        return;
    int mixed = 0;
    for (int t = 0; t < rest->mesh->tetCount; ++t) {
        const int* tet = rest->mesh->tets[t];
        int label = field->labels[tet[0]];
        mixed += field->labels[tet[1]] != label || field->labels[tet[2]] != label || field->labels[tet[3]] != label;
    }
    streamCheck(stream, mixed == count, "a tetrahedron between two pieces is not cut");
}

// ---- facets ---------------------------------------------------------------------------------------------------------

// The facets of the group of a corner.
static int facetsOf(const FragmentField* field, const CutTet* record, int corner, Facet facets[maxGroupFacets])
{
    const TetTopology* topology = field->rest->topology;
    TetCutPoints points;
    unsigned boundary = 0;
    for (int k = 0; k < 4; ++k) {
        points.corner[k] = field->rest->mesh->nodes[record->nodes[k]];
        boundary |= (unsigned)(topology->neighbors[record->tet][k] < 0) << k;
    }
    for (int e = 0; e < 6; ++e) {
        int cut = field->edgeCuts[topology->tetEdges[record->tet][e]];
        if (cut >= 0)
            points.edge[e] = field->cuts.data[cut].p;
    }
    tetCutPlace(&record->cut, record->nodes, &points);
    int count = tetCutFacets(&record->cut, tetCutGroup(&record->cut, corner), &points, boundary, facets);
    for (int i = 0; i < count; ++i) {
        facets[i].node = record->nodes[corner];
        facets[i].tet = record->tet;
        facets[i].source = facets[i].source < 0 ? -1 : ~topology->neighbors[record->tet][facets[i].source];
    }
    return count;
}

// A run of facets that nobody has claimed yet.
static bool claim(Stream* stream, FragmentField* field, int first, int count, int node)
{
    streamCheck(stream, first >= 0 && first <= field->facets.count - count, "a run of facets that is not there");
    for (int f = first; f < first + count && streamOk(stream); ++f) {
        streamCheck(stream, field->facets.data[f].node == unclaimed, "two runs of facets overlap");
        field->facets.data[f].node = node;
    }
    return streamOk(stream);
}

// Where each living group's facets stand, by its lowest corner.
static void streamRuns(Stream* stream, FragmentField* field)
{
    for (int i = 0; i < field->cutTets.count && streamOk(stream); ++i) {
        CutTet* record = &field->cutTets.data[i];
        for (int k = 0; k < 4 && streamOk(stream); ++k) {
            if (!streamReads(stream)) {
                if (record->facetCount[k] > 0)
                    streamI32(stream, &record->facets[k]);
                continue;
            }
            unsigned group = tetCutGroup(&record->cut, k);
            if ((group & ((1u << k) - 1)) != 0 || field->pieces.data[field->labels[record->nodes[k]]].removed)
                continue;
            Facet facets[maxGroupFacets];
            int count = facetsOf(field, record, k, facets);
            if (count == 0)
                continue;
            streamI32(stream, &record->facets[k]);
            if (!claim(stream, field, record->facets[k], count, record->nodes[k]))
                return;
            record->facetCount[k] = (uint8_t)count;
            for (int f = 0; f < count; ++f)
                field->facets.data[record->facets[k] + f] = facets[f];
        }
    }
}

// Free runs in the order in which they will be taken.
static void streamFreeRuns(Stream* stream, FragmentField* field, int length)
{
    int count = 0;
    if (!streamReads(stream)) {
        for (int f = field->freeFacets[length]; f >= 0; f = field->facets.data[f].source)
            ++count;
    }
    streamCount(stream, &count, sizeof(int));
    int* link = &field->freeFacets[length];
    for (int i = 0; i < count && streamOk(stream); ++i) {
        streamI32(stream, link);
        if (streamReads(stream) && !claim(stream, field, *link, length, -1))
            break;
        link = &field->facets.data[*link].source;
        if (streamReads(stream))
            *link = -1;
    }
}

static void streamFacets(Stream* stream, FragmentField* field)
{
    int count = field->facets.count;
    streamI32(stream, &count);
    if (streamReads(stream)) {
        // Every run but those of living groups takes four bytes of what is to come.
        int64_t most =
            ((int64_t)field->cutTets.count * 4 + (int64_t)((stream->size - stream->at) / sizeof(int))) * maxGroupFacets;
        streamCheck(stream, count >= 0 && count <= most, "more facets than there can be");
    }
    if (!streamReserve(stream, field->memory, &field->facets, count))
        return;
    for (int f = 0; f < count && streamReads(stream); ++f)
        field->facets.data[f].node = unclaimed;
    streamRuns(stream, field);
    for (int length = 1; length <= maxGroupFacets; ++length)
        streamFreeRuns(stream, field, length);
    for (int f = 0; f < count && streamReads(stream) && streamOk(stream); ++f)
        streamCheck(stream, field->facets.data[f].node != unclaimed, "a facet is in no run");
}

// ---- all ------------------------------------------------------------------------------------------------------------

// What the grids around pieces knew is worked out anew when it is asked for.
static bool buildGrids(FragmentField* field)
{
    int64_t corners = 0;
    for (int i = 0; i < field->pieces.count; ++i)
        corners += nearGridMore(field->pieces.data[i].count, 0);
    if (!arrayReserve(field->memory, &field->nears, corners))
        return false;
    field->nears.count = 0;
    for (int i = 0; i < field->pieces.count; ++i) {
        field->pieces.data[i].near.room = 0;
        nearGridLay(field, i);
    }
    return true;
}

void streamField(Stream* stream, FragmentField* field)
{
    bool broken = field->labels != NULL;
    streamBool(stream, &broken);
    if (!broken || !streamOk(stream))
        return;
    if (streamReads(stream) && !fieldEnsureState(field)) {
        streamFailMemory(stream);
        return;
    }
    streamPieces(stream, field);
    if (streamOk(stream))
        streamCuts(stream, field);
    if (streamOk(stream))
        streamTets(stream, field);
    if (streamOk(stream))
        streamFacets(stream, field);
    if (!streamReads(stream))
        return;
    if (streamOk(stream) && (!fieldBuildSkins(field) || !buildGrids(field) || !fieldBuildShapes(field)))
        streamFailMemory(stream);
    if (!streamOk(stream)) {
        fieldFree(field);
        return;
    }
    field->firstNewCut = field->cuts.count;
    shBox all = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    maskGridUpdate(field->rest->maskGrid, field->masks, field->labels, 0, all);
}
