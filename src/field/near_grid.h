// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// How near a piece can be: signed distances at the corners of a coarse grid around it, worked out when first asked for.
// A distance changes by no more than the way gone, so the eight corners around a point say between them how far the
// surface is at least, to about a quarter of the grid's spacing; and that settles most points that touch nothing.
//
// Which corners are known already is no part of the answers: each has one value, whoever works it out first.
#pragma once

#include "core/vec.h"
#include <stdatomic.h>
#include <stdint.h>

enum {
    nearUnknown = INT16_MIN, // a corner that nobody has asked for yet
    nearParts = 256          // a spacing has so many steps of what is stored
};

typedef atomic_short NearCorner; // signed distance in steps, never too far

typedef struct NearGrid {
    Vec3 origin;
    float spacing, inverse; // m, 1/m
    float slack;            // m, what rounding may have done
    int size[3];            // corners along x, y, z; 0: there is no grid
    int first, room;        // where they are among those of all pieces, and how many may be there
} NearGrid;

typedef struct FragmentField FragmentField;

// How many corners a piece of so many nodes gets if it has room for too few.
int nearGridMore(int nodes, int room);
// Lays the grid of a piece, of which nothing is known yet. If it has too little room there is some at the end of all.
void nearGridLay(FragmentField* field, int piece);

// The signed distance of p (rest frame) from a piece is no less than this, m. Of small pieces it says nothing.
// p may be anywhere, or no number at all.
float nearGridBound(const FragmentField* field, int piece, Vec3 p);
// Works out a corner that nobody has asked for yet; what is stored of it.
int nearGridLearn(const FragmentField* field, int piece, int x, int y, int z);
