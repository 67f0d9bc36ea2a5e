// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "field/field_paper.h"

#include "core/closest.h"
#include "core/constants.h"
#include "field/field_walk.h"

#include <float.h>

static Vec3 normalOf(const Vec3 p[3]) { return vCross(vSub(p[1], p[0]), vSub(p[2], p[0])); }

bool paperInit(FragmentField* field)
{
    const RestField* rest = field->rest;
    const TetMesh* mesh = rest->mesh;
    field->paper.nodes = NEW_ZEROED(field->memory, PaperNode, mesh->nodeCount);
    field->paper.fresh = NEW_ARRAY(field->memory, PaperNode, mesh->nodeCount);
    if (field->paper.nodes == NULL || field->paper.fresh == NULL)
        return false;
    // On the surface the way to the surface is its normal, averaged over the triangles around.
    for (int t = 0; t < mesh->triangleCount; ++t) {
        Vec3 corners[3];
        fieldFeature(field, t, corners);
        for (int k = 0; k < 3; ++k) {
            Vec3* sum = &field->paper.nodes[mesh->triangles[t][k]].direction;
            *sum = vAdd(*sum, normalOf(corners));
        }
    }
    for (int n = 0; n < mesh->nodeCount; ++n) {
        PaperNode* node = &field->paper.nodes[n];
        node->distance = rest->nodeDistances[n];
        if (node->distance > 0.0f) {
            Vec3 c[3];
            fieldFeature(field, rest->nodeFeatures[n], c);
            node->direction = vSub(closestOnTriangle(mesh->nodes[n], c[0], c[1], c[2]), mesh->nodes[n]);
        }
        node->direction = vNormalize(node->direction);
    }
    return true;
}

void paperFree(FragmentField* field)
{
    FREE_ARRAY(field->memory, field->paper.nodes, field->rest->mesh->nodeCount);
    FREE_ARRAY(field->memory, field->paper.fresh, field->rest->mesh->nodeCount);
    field->paper = (PaperField){0};
}

// ---- averages -------------------------------------------------------------------------------------------------------

// Formulas (1) and (2) at p over some nodes, with weights 1 / length².
typedef struct Average {
    Vec3 p, direction;
    float distance, weight;
} Average;

static void averageAdd(Average* sum, const PaperNode* node, Vec3 at)
{
    Vec3 away = vSub(at, sum->p);
    float w = 1.0f / maxF(vLength2(away), FLT_MIN);
    sum->distance += w * (node->distance + vDot(node->direction, away));
    sum->direction = vMad(sum->direction, w, node->direction);
    sum->weight += w;
}

static PaperNode averageOf(const Average* sum)
{
    return (PaperNode){sum->distance / sum->weight, vNormalize(sum->direction)};
}

// ---- update ---------------------------------------------------------------------------------------------------------

// The facets in a cut tetrahedron that belong to a piece, as seen from p: shortens `best` and says how.
static void nearestFacet(const FragmentField* field, int piece, int tet, Vec3 p, PaperNode* best)
{
    const CutTet* cut = &field->cutTets.data[field->tetCuts[tet]];
    for (int k = 0; k < 4; ++k) {
        if (cut->facetCount[k] == 0 || field->labels[field->rest->mesh->tets[tet][k]] != piece)
            continue;
        for (int f = cut->facets[k]; f < cut->facets[k] + cut->facetCount[k]; ++f) {
            const Vec3* c = field->facets.data[f].p;
            Vec3 way = vSub(closestOnTriangle(p, c[0], c[1], c[2]), p);
            float distance = vLength(way);
            if (distance < best->distance)
                *best = (PaperNode){distance, vNormalize(distance > 0.0f ? way : normalOf(c))};
        }
    }
}

// A mark says in which step a node was met, and as what.
enum { markFront = 1, markAsked = 2, markStep = 4 };

static bool isMarked(int mark, int step, int as) { return mark / markStep == step && (mark & as) != 0; }

// Asks a node's neighbours that the last step reached. True when its distance shrinks.
static bool shrinks(FragmentField* field, const int* marks, int step, int node)
{
    const TetTopology* topology = field->rest->topology;
    const Vec3* nodes = field->rest->mesh->nodes;
    Average sum = {.p = nodes[node]};
    for (int k = topology->nodeEdgeStart[node]; k < topology->nodeEdgeStart[node + 1]; ++k) {
        int other = edgeOther(topology, topology->nodeEdges[k], node);
        if (isMarked(marks[other], step, markFront) && field->labels[other] == field->labels[node])
            averageAdd(&sum, &field->paper.nodes[other], nodes[other]);
    }
    PaperNode found = averageOf(&sum);
    // By more than rounding, or two nodes could lower each other for ever.
    if (!(found.distance >= 0.0f && found.distance < (1.0f - ROUNDING) * field->paper.nodes[node].distance))
        return false;
    field->paper.fresh[node] = found;
    return true;
}

void paperSpread(FragmentField* field, int* marks, int* front, int* nextFront)
{
    const TetTopology* topology = field->rest->topology;
    const TetMesh* mesh = field->rest->mesh;
    PaperNode* nodes = field->paper.nodes;
    for (int c = 0; c < field->children.count; ++c) {
        Piece piece = field->pieces.data[field->children.data[c]];
        for (int i = piece.first; i < piece.first + piece.count; ++i)
            marks[field->nodeOrder[i]] = 0;
    }
    // The nodes of cut tetrahedra know the crack exactly; they are the first front.
    int step = 1, count = 0;
    for (int i = 0; i < field->newTets.count; ++i) {
        int tet = field->newTets.data[i];
        for (int k = 0; k < 4; ++k) {
            int node = mesh->tets[tet][k];
            if (marks[node] < 0)
                continue; // of another piece
            if (nodes[node].distance > 0.0f)
                nearestFacet(field, field->labels[node], tet, mesh->nodes[node], &nodes[node]);
            if (!isMarked(marks[node], step, markFront)) {
                marks[node] = step * markStep + markFront;
                front[count++] = node;
            }
        }
    }
    while (count > 0) {
        int nextCount = 0;
        for (int i = 0; i < count; ++i) {
            for (int k = topology->nodeEdgeStart[front[i]]; k < topology->nodeEdgeStart[front[i] + 1]; ++k) {
                int other = edgeOther(topology, topology->nodeEdges[k], front[i]);
                if (field->labels[other] != field->labels[front[i]] || isMarked(marks[other], step, markAsked))
                    continue;
                marks[other] = step * markStep + (isMarked(marks[other], step, markFront) ? markFront : 0) + markAsked;
                if (shrinks(field, marks, step, other))
                    nextFront[nextCount++] = other;
            }
        }
        ++step;
        for (int i = 0; i < nextCount; ++i) {
            nodes[nextFront[i]] = field->paper.fresh[nextFront[i]];
            marks[nextFront[i]] = step * markStep + markFront;
            front[i] = nextFront[i];
        }
        count = nextCount;
    }
    field->paper.rounds = step - 1;
}

// ---- query ----------------------------------------------------------------------------------------------------------

// The original surface around a point.
typedef struct Original {
    const FragmentField* field;
    Vec3 p;
    PaperNode* found;
} Original;

static bool meetOriginal(int feature, const Vec3 corners[3], void* user)
{
    Original* original = user;
    if (feature < 0)
        return true;
    Vec3 way = vSub(closestOnTriangle(original->p, corners[0], corners[1], corners[2]), original->p);
    float distance = vLength(way);
    if (distance < original->found->distance)
        *original->found = (PaperNode){distance, vNormalize(distance > 0.0f ? way : normalOf(corners))};
    return true;
}

void paperProbe(const FragmentField* field, int piece, Vec3 p, FieldHit* hit)
{
    const CellGrid* cells = field->rest->cells;
    const TetMesh* mesh = field->rest->mesh;
    PaperNode found = {.distance = INFINITY};
    float coordinates[4];
    int tet = cellGridLocate(cells, cellGridFind(cells, p), p, coordinates);
    if (field->tetCuts[tet] >= 0) {
        nearestFacet(field, piece, tet, p, &found);
    } else {
        Average sum = {.p = p};
        for (int k = 0; k < 4; ++k)
            averageAdd(&sum, &field->paper.nodes[mesh->tets[tet][k]], mesh->nodes[mesh->tets[tet][k]]);
        found = averageOf(&sum);
        found.distance = maxF(found.distance, 0.0f);
    }
    Original original = {field, p, &found};
    fieldVisitBox(field, piece, boxGrow((shBox){p, p}, minF(found.distance, cells->band)), meetOriginal, &original);
    *hit = (FieldHit){-found.distance, found.direction, vMad(p, found.distance, found.direction), noFeature};
}
