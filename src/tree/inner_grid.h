// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Spheres of very unlike sizes, to be found by place: grids whose cells double from level to level, each sphere in the
// level of its radius.
#pragma once

#include "tree/inner_pack.h"

enum { innerGridLevels = 24 };

typedef struct InnerGridLevel {
    double cell;   // m
    double radius; // spheres of this level are not larger, m
    int counts[3];
    int spheres; // in this level
    int* heads;  // [x · y · z] −1: empty; null: no sphere yet
} InnerGridLevel;

typedef struct InnerGrid {
    DVec3 lower, upper;
    double base; // largest radius of level 0, m
    InnerGridLevel levels[innerGridLevels];
    int* next; // [capacity] of spheres in one cell
    int capacity;
} InnerGrid;

// For spheres with centres in the box.
bool innerGridInit(InnerGrid* grid, Memory* memory, DVec3 lower, DVec3 upper, double base, int capacity);
void innerGridFree(InnerGrid* grid, Memory* memory);
bool innerGridAdd(InnerGrid* grid, Memory* memory, const InnerSphere* spheres, int index); // false: no memory

// Spheres with a radius of `least` or more whose surface is no farther than `reach` from p, or around p. Writes at most
// `room`; returns how many there are.
int innerGridNear(const InnerGrid* grid, const InnerSphere* spheres, DVec3 p, double reach, float least, int* found,
                  int room);
