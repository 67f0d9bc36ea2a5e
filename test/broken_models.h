// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Three models that are whole at first and break again and again. Include after cmocka.h.
#pragma once

#include "test/terrain.h"

enum { modelCount = 3, generationCount = 4 };

typedef struct Models {
    shContext* context;
    shAsset* assets[modelCount];
    shSolid* solids[modelCount];
} Models;

static inline void modelsSetUp(Models* m)
{
    static const char* const names[modelCount] = {"brick", "torus", "bowl"};
    shContextDef def = shDefaultContextDef();
    shCookDef cook = shDefaultCookDef();
    assert_int_equal(shCreateContext(&def, &m->context, NULL), shOk);
    for (int i = 0; i < modelCount; ++i) {
        assert_int_equal(shCookModel(m->context, names[i], 0.5f, &cook, &m->assets[i], NULL), shOk);
        assert_int_equal(shCreateSolid(m->assets[i], &m->solids[i], NULL), shOk);
    }
}

static inline void modelsTearDown(Models* m)
{
    for (int i = 0; i < modelCount; ++i) {
        shDestroySolid(m->solids[i]);
        shDestroyAsset(m->assets[i]);
    }
    assert_int_equal(shDestroyContext(m->context), 0);
}

// One more generation: a random piece of each in up to five.
static inline void modelsBreak(Models* m, Random* random)
{
    for (int i = 0; i < modelCount; ++i) {
        Vec3 sites[5];
        int piece = randomBelow(random, shSolid_GetPieceCount(m->solids[i]));
        for (int k = 0; k < 5; ++k)
            sites[k] = randomInBox(random, shSolid_GetPiece(m->solids[i], piece).box);
        assert_int_equal(shSolid_BreakVoronoi(m->solids[i], piece, sites, 5, NULL, NULL), shOk);
    }
}
