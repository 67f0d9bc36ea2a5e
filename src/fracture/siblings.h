// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Where pieces touch that a crack has just parted, from the crack itself: no surface is asked.
//
// Every edge that the crack has cut stands for the part of the wall around it. Parts that look within 30° of each other
// make a patch, whose normal is that of its whole area: single facets of a rough crack oppose each other and would lock
// the two. The corners of a patch hold as well as all of it.
#pragma once

#include "core/array.h"
#include "field/fragment_field.h"

typedef struct SiblingContact {
    int a, b;             // pieces, a < b
    int sampleA, sampleB; // of their trees, both at the point
    Vec3 point;           // rest frame
    Vec3 normal;          // unit, out of b
} SiblingContact;

typedef ARRAY(SiblingContact) SiblingContacts;

// A cut edge and the wall around it.
typedef struct CutWall {
    int a, b; // pieces, a < b
    int cut;
    Vec3 area; // m², out of b
    Vec3 point;
    bool taken;
} CutWall;

typedef struct Siblings {
    SiblingContacts contacts; // by a, then b
    ARRAY(CutWall) walls;     // work space, as is the patch
    ARRAY(const CutWall*) patch;
} Siblings;

void siblingsFree(Siblings* siblings, Memory* memory);
// Of the field's last break. False: no memory.
bool siblingsFind(Siblings* siblings, const FragmentField* field, Memory* memory);
