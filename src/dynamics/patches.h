// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Which of many contacts to keep.
//
// Contacts that share a normal hold as well by the corners of the area they span as by all: the solver has less to do,
// and agrees sooner. What counts is how far out a contact lies, not whether it touches just now: a corner that has
// lifted a little must be there when it comes down again. Contacts that will hardly touch in this step make patches of
// their own: they must not take the place of those that carry.
#pragma once

#include "core/constants.h"
#include "core/vec.h"
#include "sherd/collide.h"

// What a query gives, what its pair carried before, one swept and one that leads out of a jam.
enum { mostFound = CONTACT_CANDIDATES + SH_MAX_CONTACTS + 2 };

typedef struct Candidate {
    Vec3 point; // world, from A's centre
    Vec3 normal;
    float gap;
    float next; // its gap after the step as things go
    float x, y; // in the plane of its patch
    bool old;   // was there before
    bool soon;  // touches, or will in this step as things go
    int patch;
    bool kept;   // as a corner, or the deepest
    float force; // N, that it carries
} Candidate;

// Keeps the corners of a patch, and what is deeper than they are.
void patchKeepCorners(Candidate* candidates, int count, int patch, float tolerance);
// Of more than enough, those that are farthest from touching are not needed yet. (Where pairs are new they are: a blow
// may make anything move in the step.)
void patchDropFar(Candidate* candidates, int count);
static inline bool candidateIsKept(const Candidate* c) { return c->kept || c->force > 0.0f; }
