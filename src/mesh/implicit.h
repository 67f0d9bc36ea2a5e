// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Modelled shapes: distance-like functions of a few primitives, blended smoothly, meshed by the lattice mesher. Only
// + − × ÷ and square roots, so the meshes are the same everywhere. All stand on y = 0, y is up; metres.
#pragma once

#include "mesh/lattice.h"
#include "mesh/models.h"

typedef struct ImplicitShape {
    const char* name;
    LatticeDistance* distance; // user: unused. Never more than the true distance, see implicit_blend.h
    DVec3 lower, upper;        // box around it
    double cell;               // of the lattice at detail 1
    double coarsest;           // least detail; with larger cells thin parts would fall between the lattice points
    double tolerance;          // m, of surface edges: a third of a percent of the diagonal
    int genus;
} ImplicitShape;

extern const ImplicitShape implicitPiggyBank; // hollow, with a coin slot that joins inside and outside
extern const ImplicitShape implicitPumpkin, implicitApple, implicitRabbit;

// The shape with cells of cell / detail, but not larger than its coarsest. `context` may be null.
shStatus implicitMesh(const ImplicitShape* shape, double detail, const shContext* context, Memory* memory, TetMesh* out,
                      LatticeReport* report, shMessage* message);

GenerateFn generatePiggyBank, generatePumpkin, generateApple, generateRabbit;
