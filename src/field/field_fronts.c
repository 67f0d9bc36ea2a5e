// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Distances after a break (G5): fronts start at the facets of the crack and hand the nearest feature from node to node
// along uncut edges, until nothing shrinks.
//
// Measuring is dear, so whoever meets many facets at once first picks the one whose middle is closest; then he measures
// that one and then only those that may still be nearer. Nodes of the original surface are at distance zero and only
// pass on: for them the way to a facet's middle is good enough.
#include "field/field_break.h"

#include "core/closest.h"
#include "core/constants.h"

// Marks in partOf, once parts are pieces: a node is in the next front, at a new cut, or next to one that is.
enum { waiting = INT32_MAX, atCut = INT32_MAX - 1, nextToIt = INT32_MAX - 2 };

static bool isRelay(const FragmentField* field, int node) { return field->rest->nodeDistances[node] == 0.0f; }

static NodeField unknown(const FragmentField* field, int node)
{
    return (NodeField){isRelay(field, node) ? field->rest->nodeReaches[node] : INFINITY, noFeature};
}

void findStale(Plan* plan)
{
    FragmentField* field = plan->field;
    const RestField* rest = field->rest;
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
            owner = rest->mesh->triangles[feature][0];
            if (field->triangleIsCut[feature]) {
                owner = -1;
                tet = rest->topology->triangleTets[feature];
            }
        }
        if (owner >= 0 && plan->partOf[owner] == plan->partOf[node])
            continue;
        field->nodes[node] = unknown(field, node);
        plan->stale.data[plan->stale.count++] = (StaleNode){node, tet};
    }
}

static void enterFront(Plan* plan, int node)
{
    if (plan->partOf[node] != waiting) {
        plan->partOf[node] = waiting;
        plan->nextFront.data[plan->nextFront.count++] = node;
    }
}

// Offers a crack's facet to a relay.
static void offerRelay(Plan* plan, int node, int facet, float distance)
{
    NodeField* at = &plan->field->nodes[node];
    if (at->feature == ~facet || !(distance < at->distance))
        return;
    *at = (NodeField){distance, ~facet};
    enterFront(plan, node);
}

// Offers a feature to a node inside.
static void offer(Plan* plan, int node, int feature)
{
    const FragmentField* field = plan->field;
    NodeField* at = &field->nodes[node];
    Vec3 p = field->rest->mesh->nodes[node];
    Ball ball = feature < 0 ? field->facets.data[~feature].ball : field->rest->triangleBalls[feature];
    if (at->feature == feature || ballBeyond(ball, p, at->distance))
        return;
    Vec3 corners[3];
    fieldFeature(field, feature, corners);
    // Cracks are flat over many facets: most of those left are no nearer because their plane is not.
    Vec3 normal = vCross(vSub(corners[1], corners[0]), vSub(corners[2], corners[0]));
    float height = vDot(normal, vSub(p, corners[0])), limit = FRONT_GAIN * at->distance;
    if (height * height >= limit * limit * vLength2(normal))
        return;
    // Roots are compared, not squares: a square rounded up would let two equal features replace each other for ever.
    float distance = vDistance(p, closestOnTriangle(p, corners[0], corners[1], corners[2]));
    if (!(distance < at->distance))
        return;
    *at = (NodeField){distance, feature};
    enterFront(plan, node);
}

// The facets in a cut tetrahedron that belong to a node's piece.
static void offerTet(Plan* plan, int node, int t)
{
    const FragmentField* field = plan->field;
    const CutTet* cut = &field->cutTets.data[field->tetCuts[t]];
    for (int k = 0; k < 4; ++k) {
        if (cut->facetCount[k] == 0 || field->labels[cut->nodes[k]] != field->labels[node])
            continue;
        for (int f = cut->facets[k]; f < cut->facets[k] + cut->facetCount[k]; ++f)
            offer(plan, node, ~f);
    }
}

// From a facet along the crack to nearer ones in neighbouring tetrahedra, while there are any.
static void slide(Plan* plan, int node, int facet)
{
    const FragmentField* field = plan->field;
    for (int last = ~facet; last < 0;) {
        int before = last;
        const int* neighbors = field->rest->topology->neighbors[field->facets.data[~last].tet];
        for (int k = 0; k < 4; ++k) {
            if (neighbors[k] >= 0 && field->tetCuts[neighbors[k]] >= 0)
                offerTet(plan, node, neighbors[k]);
        }
        last = field->nodes[node].feature;
        if (last == before)
            return;
    }
}

// ---- seeds ----------------------------------------------------------------------------------------------------------

void boundByCuts(Plan* plan)
{
    const FragmentField* field = plan->field;
    plan->front.count = 0; // lists the nodes at new cuts, until fronts start
    for (int c = field->firstNewCut; c < field->cuts.count; ++c) {
        const int* ends = field->rest->topology->edges[field->cuts.data[c].edge];
        for (int k = 0; k < 2; ++k) {
            int node = ends[k];
            if (plan->partOf[node] != atCut)
                plan->front.data[plan->front.count++] = node;
            plan->partOf[node] = atCut;
            // A hair more, so that the facets there count as a gain.
            float distance =
                vDistance(field->rest->mesh->nodes[node], field->cuts.data[c].p) / (FRONT_GAIN * FRONT_GAIN);
            if (!isRelay(field, node) && distance < field->nodes[node].distance)
                field->nodes[node] = (NodeField){distance, noFeature};
        }
    }
}

void offerFacets(Plan* plan, int node, int first, int count)
{
    if (isRelay(plan->field, node))
        return;
    for (int f = first; f < first + count; ++f)
        offer(plan, node, ~f);
}

// A facet of the crack at a new cut, on the side of one of the edge's nodes.
static int facetAt(const FragmentField* field, int edge, int node)
{
    const TetTopology* topology = field->rest->topology;
    const CutTet* cut = &field->cutTets.data[field->tetCuts[topology->edgeTets[topology->edgeTetStart[edge]]]];
    int k = 0;
    while (cut->facetCount[k] == 0 || field->labels[cut->nodes[k]] != field->labels[node])
        ++k;
    return cut->facets[k]; // a group's first is one of its cracks
}

// Facets in tetrahedra that have no corner at the node, but a face opposite it.
static void offerBeyond(Plan* plan, int node)
{
    const FragmentField* field = plan->field;
    const TetTopology* topology = field->rest->topology;
    if (isRelay(field, node) || field->nodes[node].distance <= field->rest->nodeReaches[node])
        return;
    for (int i = topology->nodeTetStart[node]; i < topology->nodeTetStart[node + 1]; ++i) {
        int t = topology->nodeTets[i];
        const int* nodes = field->rest->mesh->tets[t];
        int k = nodes[0] == node ? 0 : nodes[1] == node ? 1 : nodes[2] == node ? 2 : 3;
        int beyond = topology->neighbors[t][k];
        if (beyond >= 0 && field->tetCuts[beyond] >= 0)
            offerTet(plan, node, beyond);
    }
}

// Nodes at new cuts know all facets in their tetrahedra by now, but relays, which take the nearest of their cuts for a
// start. They and the next nodes look across the far faces, where there may be nearer facets than those that come by
// way of neighbours.
static void startFronts(Plan* plan)
{
    const FragmentField* field = plan->field;
    const TetTopology* topology = field->rest->topology;
    for (int c = field->firstNewCut; c < field->cuts.count; ++c) {
        const CutPoint* cut = &field->cuts.data[c];
        for (int k = 0; k < 2; ++k) {
            int node = topology->edges[cut->edge][k];
            float distance = vDistance(field->rest->mesh->nodes[node], cut->p);
            if (isRelay(field, node) && distance < field->nodes[node].distance)
                offerRelay(plan, node, facetAt(field, cut->edge, node), distance);
        }
    }
    for (int i = 0; i < plan->front.count; ++i) {
        int node = plan->front.data[i];
        offerBeyond(plan, node);
        for (int k = topology->nodeEdgeStart[node]; k < topology->nodeEdgeStart[node + 1]; ++k) {
            int other = topology->nodeOthers[k];
            if (field->labels[other] != field->labels[node] || plan->partOf[other] >= nextToIt)
                continue;
            plan->partOf[other] = nextToIt;
            offerBeyond(plan, other);
        }
    }
}

// ---- fronts ---------------------------------------------------------------------------------------------------------

// Nodes that lost their feature take what replaces it; those that get no other ask their neighbours.
static void replaceStale(Plan* plan)
{
    FragmentField* field = plan->field;
    const TetTopology* topology = field->rest->topology;
    for (int i = 0; i < plan->stale.count; ++i) {
        StaleNode stale = plan->stale.data[i];
        if (stale.tet >= 0 && !isRelay(field, stale.node))
            offerTet(plan, stale.node, stale.tet);
    }
    for (int i = 0; i < plan->stale.count; ++i) {
        int node = plan->stale.data[i].node;
        if (field->nodes[node].feature != noFeature || isRelay(field, node))
            continue;
        for (int k = topology->nodeEdgeStart[node]; k < topology->nodeEdgeStart[node + 1]; ++k) {
            int other = topology->nodeOthers[k];
            if (field->labels[other] == field->labels[node] && field->nodes[other].feature != noFeature)
                enterFront(plan, other);
        }
    }
}

// Those that have just got something look around it.
static void slideAll(Plan* plan)
{
    const FragmentField* field = plan->field;
    for (int i = 0; i < plan->nextFront.count; ++i) {
        int node = plan->nextFront.data[i];
        if (!isRelay(field, node) && field->nodes[node].feature < 0)
            slide(plan, node, ~field->nodes[node].feature);
    }
}

void spreadFronts(Plan* plan)
{
    FragmentField* field = plan->field;
    const TetTopology* topology = field->rest->topology;
    const Vec3* nodes = field->rest->mesh->nodes;
    startFronts(plan);
    replaceStale(plan);
    slideAll(plan);
    while (plan->nextFront.count > 0) {
        IntList swap = plan->front;
        plan->front = plan->nextFront;
        plan->nextFront = swap;
        plan->nextFront.count = 0;
        for (int i = 0; i < plan->front.count; ++i)
            plan->partOf[plan->front.data[i]] = 0;
        for (int i = 0; i < plan->front.count; ++i) {
            int node = plan->front.data[i];
            int feature = field->nodes[node].feature, label = field->labels[node];
            for (int k = topology->nodeEdgeStart[node]; k < topology->nodeEdgeStart[node + 1]; ++k) {
                int other = topology->nodeOthers[k];
                if (field->labels[other] != label)
                    continue;
                if (!isRelay(field, other))
                    offer(plan, other, feature);
                else if (feature < 0 && field->facets.data[~feature].source < 0)
                    offerRelay(plan, other, ~feature,
                               vDistance(nodes[other], field->facets.data[~feature].ball.center));
            }
        }
        slideAll(plan);
    }
}
