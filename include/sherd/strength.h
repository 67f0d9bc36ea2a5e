// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Does a hit break a body, and how far? (S6) Each body of a pair is judged by its own strength.
//
// A collision presses both bodies together until they move alike; the energy they hold then, J²/(2m*) of the impulse
// that stops the approach, is what can break them. The softer of the two holds more of it. A body breaks when its part
// of that energy
//   - could strain half of it to the strength of its material, and
//   - pays, at two percent (the rest becomes sound, heat and motion), for a crack across it at its narrowest.
// What is left over buys more cracks: the more, the more pieces, and the farther from the point that was hit. All of
// this grows with the impulse and never shrinks.
//
// A plate or mug then breaks when dropped from about half a metre on a hard floor, a concrete brick from a metre. Real
// things scatter by a factor of two, and so may yours: see `factor`.
#pragma once

#include "sherd/solid.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shStrength {
    double impulse;    // N·s; more than 0: breaks from this impulse on, whatever the energies below say
    double factor;     // bears so many times the impulse of its material; 1
    double energy;     // J: the least that breaks it, at factor 1
    double toughness;  // J/m² of crack
    double softness;   // (1 − ν²)/E, 1/Pa
    double extents[3]; // m, descending: the box that turns like it
    double fill;       // its volume over that box's
} shStrength;

// `material` as checked by shCheckMaterial. All zero (and unbreakable) for a piece without mass.
SH_API shStrength shGetStrength(const shMaterial* material, const shPieceInfo* piece);

// The smallest area of a crack that divides it, and that of about so many even pieces, m².
SH_API double shStrength_GetSmallestCrack(const shStrength* strength);
SH_API double shStrength_GetCrackArea(const shStrength* strength, int pieces);

typedef struct shHit {
    double impulse;       // N·s, along the contact normal
    double inverseMass;   // 1/kg: of both bodies at the contact, along the normal, together (shGetInverseMass)
    double restitution;   // with which the impulse was found, 0 … 1
    double otherSoftness; // of what it met (shStrength.softness); 0: rigid
    int pieces;           // of a break of the whole, at least 2
} shHit;

typedef struct shVerdict {
    bool breaks;
    double breakingImpulse; // N·s: what it takes, in a hit like this; INFINITY: no impulse will do
    double energy;          // J that the hit leaves in this body for a moment
    double crackEnergy;     // J of it that cracks can have
    double crackArea;       // m² that they pay for
    int pieces;             // for shPattern: 1 if it does not break, never more than the hit's
    float radius;           // for shImpact: m around the hit; 0: everywhere
} shVerdict;

// Hits that make no sense (negative, not finite) break nothing.
SH_API shVerdict shJudgeHit(const shStrength* strength, const shHit* hit);

// What cracks of an area cost, J: never more than the hit has left for them. Paid from what the collision has taken out
// of the motion anyway (at factor 1 a restitution below 0.98 takes enough): nothing need be subtracted from the
// fragments.
SH_API double shGetCrackCost(const shStrength* strength, const shVerdict* verdict, double area);

#ifdef __cplusplus
}
#endif
