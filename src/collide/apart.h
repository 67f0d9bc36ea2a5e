// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// How far two boxes are apart, whichever way they are turned, and how far two bodies may come closer in a step: what
// tells pairs that have only their upright boxes in common from those that may touch.
#pragma once

#include "core/vec.h"
#include "field/piece_hull.h"

// A lower bound (negative: they may overlap). `relative` takes A's frame to B's. It is the gap along the best of the
// fifteen axes of two boxes; no axis is tried any more once one of them gives `enough`.
float boxesApart(shBox a, shBox b, shTransform relative, float enough);

// The same of boxes that do not turn while A goes by `shift`, in B's frame, all the way along one of the axes.
float boxesApartOnWay(shBox a, shBox b, shTransform relative, Vec3 shift);

// How far what is in a box and a hull (may be null) reaches from the box's middle in a direction, at most: no farther
// than the box, nor than a plane of the hull that looks nearly there.
float reachFromMiddle(shBox box, const PieceHull* hull, Vec3 direction);

// The same of pieces in boxes and hulls, along the normals of the hulls: siblings are on two sides of a crack.
float hullsApart(shBox boxA, const PieceHull* hullA, shBox boxB, const PieceHull* hullB, shTransform relative);

// A body's way in a step: its centre moves by `shift`, evenly, while it turns by `turn` (axis · angle) about it.
typedef struct StepWay {
    Vec3 shift, turn;
    float radius; // m, of what turning moves
} StepWay;

// No two points of the bodies come closer by more than this. Bodies that fly and turn together hardly move against each
// other, however fast they are. `between`: from B's centre to A's at the start.
float relativeTravel(const StepWay* a, const StepWay* b, Vec3 between);

// The part of a straight way at which two balls touch first, whose radii add up to `reach`; infinity: they do not. One
// goes by `shift` against the other, from a place that is `between` away from its centre.
float ballsMeet(Vec3 between, Vec3 shift, float reach);
