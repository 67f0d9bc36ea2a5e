// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// From one moving body to many (S7, X3, X8): what the pieces of a break do next, and what of them is only dust.
//
// Pieces go on as the whole did: each has the velocity that the whole had at its centre, and turns as it turned. Linear
// and angular momentum are kept, and there is never more kinetic energy than before. The impulse that broke the whole
// acts on the pieces that it touches and on no others.
//
// Everything is pure arithmetic in double; nothing here knows of a world. Vectors are in world space, where a transform
// takes the solid's rest frame.
#pragma once

#include "sherd/solid.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shVelocity {
    double linear[3];  // of the centre of mass, m/s
    double angular[3]; // rad/s
} shVelocity;

typedef struct shMomentum {
    double linear[3];  // kg·m/s
    double angular[3]; // about a point that the caller names, kg·m²/s
    double energy;     // kinetic, J
} shMomentum;

// Several pieces as one rigid body: mass, centre, inertia, box; the number of triangles; no parent.
SH_API shPieceInfo shCombinePieces(const shPieceInfo* pieces, int count);

// Principal moments, ascending, kg·m², and the axes as rows, right-handed, rest frame. Canonical: equal pieces have
// equal axes, and where moments coincide the axes are those closest to the coordinate axes.
SH_API void shGetPrincipalAxes(const shPieceInfo* piece, double moments[3], double axes[3][3]);

SH_API void shGetCentre(const shPieceInfo* piece, shTransform transform, double centre[3]); // world
SH_API shMomentum shGetMomentum(const shPieceInfo* piece, shTransform transform, const shVelocity* velocity,
                                const double about[3]);
// The way back; the energy is not read.
SH_API shVelocity shGetVelocity(const shPieceInfo* piece, shTransform transform, const shMomentum* momentum,
                                const double about[3]);
// Of the material point that is at `point` now.
SH_API void shGetVelocityAt(const shPieceInfo* piece, shTransform transform, const shVelocity* velocity,
                            const double point[3], double result[3]);
// One over the mass that an impulse at `point` along `direction` (any length) feels, 1/kg: 1/m + (r×n)·I⁻¹(r×n).
SH_API double shGetInverseMass(const shPieceInfo* piece, shTransform transform, const double point[3],
                               const double direction[3]);
// Changes the velocity; returns the work done, J.
SH_API double shApplyImpulse(const shPieceInfo* piece, shTransform transform, const double point[3],
                             const double impulse[3], shVelocity* velocity);

// The impulse that broke a body.
typedef struct shBlow {
    double point[3];   // world
    double impulse[3]; // N·s; zero: none
    float reach; // m: pieces nearer to the point than this take the impulse, as if they were one; if there is none,
                 // the nearest
    // Pieces have less behind them than the whole had. What struck them cannot throw them faster than it comes itself
    // (with its bounce), so they take only a share of the impulse; the rest stays with what struck.
    bool limited;       // false: the whole impulse, whatever it does; the rest is not read
    double velocity[3]; // of what struck, at the point, before, m/s
    double inverseMass; // of what struck, there, along the impulse, 1/kg; 0: nothing moves it
    double restitution; // 0 … 1
} shBlow;

// Fill it with shDefaultFragmentDef.
typedef struct shFragmentDef {
    shTransform transform; // of the broken body
    shVelocity velocity;   // before the impulse
    shBlow blow;
    double dustVolume; // m³; smaller pieces become dust; 0: none
    uint32_t cookie;
} shFragmentDef;
SH_API shFragmentDef shDefaultFragmentDef(shTransform transform, const shVelocity* velocity);

typedef struct shFragment {
    int piece;
    bool struck; // the blow acted on it
    bool dust;   // no longer in the solid
    shPieceInfo info;
    shVelocity velocity;
} shFragment;

// Dust is removed from the solid and booked here: pieces and dust together are what the body was.
typedef struct shFragments {
    int dustCount;
    double dustVolume, dustMass; // m³, kg
    double dustCentre[3];        // of mass, world, m
    shMomentum dust;             // about `origin`
    double origin[3];            // the body's centre of mass, world, m
    shMomentum before;           // of the body, without the impulse, about `origin`
    shMomentum after;            // of all pieces and dust, with it
    double share;                // of the impulse that pieces took, 0 … 1
    double work;                 // that it did, J: energy after ≤ energy before + work
    double crackArea;            // of the new cracks, each wall counted once, m²
} shFragments;

// After shSolid_Break…: `body` is what broke, as it was before (shSolid_GetPiece, shCombinePieces), `broken` what came
// of it. Fills one fragment per piece, in that order. Where nothing broke there is no dust.
SH_API shStatus shSolid_MakeFragments(shSolid* solid, const shPieceInfo* body, const shBreak* broken,
                                      const shFragmentDef* def, shFragment* fragments, shFragments* result,
                                      shMessage* message);

#ifdef __cplusplus
}
#endif
