// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A triangle mesh that is cut step by step, and what a balanced tree has to be told of each step. Triangles have the
// same number for ever; new ones take the next.
#pragma once

#include "core/context.h"
#include "mesh/adjacency.h"
#include "sherd/triangle_tree.h"

enum { CRACK_USERS = 8 }; // triangles at an edge, at most; more are not neighbours

typedef struct CrackMesh {
    Memory* memory;
    int pointCount, triangleCount, pointCapacity, triangleCapacity, liveCount;
    shVec3* points;
    int (*triangles)[3];
    bool* live;
    shBox* boxes; // [triangleCapacity] by number; of live ones right after crackMeshDescribe
    KeySet edges;
    int (*users)[CRACK_USERS]; // of edges, -1: none
    // Of this step.
    int removedCount, addedCount, *removed, *added, *addedFrom, *neighbourStarts, *neighbours;
    shBox* addedBoxes;
} CrackMesh;

// Copies the mesh; there is room for `growth` times as many triangles and points.
shStatus crackMeshCreate(Memory* memory, const shTriangles* mesh, int growth, CrackMesh* made, shMessage* message);
void crackMeshFree(CrackMesh* mesh);
shTriangles crackMeshView(const CrackMesh* mesh);

int crackMeshPoint(CrackMesh* mesh, shVec3 p);
// `from`: the triangle it is a part of, which must be removed before; -1: none. Returns its number.
int crackMeshAdd(CrackMesh* mesh, int a, int b, int c, int from);
void crackMeshRemove(CrackMesh* mesh, int triangle); // to be followed by the parts of it
// What has changed since the last time. The arrays are the mesh's own and valid until the next change.
shBoxTreeUpdate crackMeshDescribe(CrackMesh* mesh);
// Numbers and boxes of all that live, one after the other; returns how many.
int crackMeshLive(const CrackMesh* mesh, int* items, shBox* boxes);
shBox crackMeshBox(const CrackMesh* mesh, int triangle);

// A crack in a plane that grows along an axis. The plane is the one near the middle that cuts about as many triangles
// as are asked for. It cuts triangles where it passes, and opens two surfaces behind it, from the cut to the middle
// line of the section.
typedef struct PlaneCrack {
    int axis, along;         // normal of the plane; the way of its front
    float place, begin, end; // of the plane; where the front starts and ends
    float* middles;          // by place along the way
    int* cuts;               // triangles that will be cut, in the order of the front
    int cutCount, done;
    KeySet edges;
    int (*points)[2], (*spines)[2]; // of cut edges, on both sides of the crack; and on the middle line
    int originalCount;
} PlaneCrack;

shStatus planeCrackCreate(const CrackMesh* mesh, int axis, int along, int cuts, PlaneCrack* crack, shMessage* message);
void planeCrackFree(PlaneCrack* crack, Memory* memory);
// The front goes to a fraction of its way.
void planeCrackGrow(PlaneCrack* crack, CrackMesh* mesh, float fraction);
