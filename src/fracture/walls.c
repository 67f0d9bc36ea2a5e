// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "fracture/walls.h"

#include "field/topology.h"

static void visitFacing(const TetMesh* mesh, const int nodes[2], const Vec3 corners[3], WallVisit* visit, void* user)
{
    Vec3 normal = vCross(vSub(corners[1], corners[0]), vSub(corners[2], corners[0]));
    bool left = vDot(normal, vSub(mesh->nodes[nodes[1]], mesh->nodes[nodes[0]])) >= 0.0f;
    const Vec3 turned[3] = {corners[0], corners[left ? 1 : 2], corners[left ? 2 : 1]};
    visit(nodes[0], nodes[1], turned, user);
}

void wallsOfTet(const FragmentField* field, int tet, int firstCut, WallVisit* visit, void* user)
{
    const TetMesh* mesh = field->rest->mesh;
    const int* nodes = mesh->tets[tet];
    const int* edges = field->rest->topology->tetEdges[tet];
    const TetCut* cut = &field->cutTets.data[field->tetCuts[tet]].cut;
    TetCutPoints points;
    for (int k = 0; k < 4; ++k)
        points.corner[k] = mesh->nodes[nodes[k]];
    int some = 0; // an edge that is cut
    for (int e = 0; e < 6; ++e) {
        if (cut->birth[e] == 0)
            continue;
        points.edge[e] = field->cuts.data[field->edgeCuts[edges[e]]].p;
        some = e;
    }
    const uint8_t* ends = tetEdgeEnds[some];
    unsigned group = tetCutGroup(cut, ends[0]);
    if ((group | tetCutGroup(cut, ends[1])) == 15u) {
        // Two sides: the wall is the surface of either.
        if (field->edgeCuts[edges[some]] < firstCut)
            return;
        Facet facets[maxGroupFacets];
        int count = tetCutFacets(cut, group, &points, 0u, facets);
        for (int f = 0; f < count; ++f)
            visit(nodes[ends[0]], nodes[ends[1]], facets[f].p, user);
        return;
    }
    tetCutPlace(cut, nodes, &points);
    for (int e = 0; e < 6; ++e) {
        if (cut->birth[e] == 0 || field->edgeCuts[edges[e]] < firstCut)
            continue;
        const int sides[2] = {nodes[tetEdgeEnds[e][0]], nodes[tetEdgeEnds[e][1]]};
        for (int face = 0; face < 4; ++face)
            if (face != tetEdgeEnds[e][0] && face != tetEdgeEnds[e][1])
                visitFacing(mesh, sides, (Vec3[3]){points.inner, points.edge[e], points.face[face]}, visit, user);
    }
}

static void addArea(int a, int b, const Vec3 corners[3], void* user)
{
    (void)a;
    (void)b;
    *(double*)user += dLength(triangleArea(corners));
}

double lastCrackArea(const FragmentField* field)
{
    double area = 0.0;
    for (int i = 0; field->labels != NULL && i < field->newTets.count; ++i)
        wallsOfTet(field, field->newTets.data[i], field->firstNewCut, addArea, &area);
    return area;
}
