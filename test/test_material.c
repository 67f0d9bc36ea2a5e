// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "sherd/material.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void presetsAreFoundByNameAndByIndex(void** state)
{
    (void)state;
    const char* names[] = {"glass", "ceramic", "concrete", "stone", "ice", "chocolate"};
    assert_int_equal(shMaterialPresetCount(), 6);
    for (int m = 0; m < 6; ++m) {
        assert_string_equal(shMaterialPresetAt(m)->name, names[m]);
        assert_ptr_equal(shMaterialPreset(names[m]), shMaterialPresetAt(m));
        assert_int_equal(shCheckMaterial(shMaterialPresetAt(m), NULL), shOk);
    }
    assert_null(shMaterialPreset("cheese"));
    assert_null(shMaterialPreset(NULL));
    assert_null(shMaterialPresetAt(-1));
    assert_null(shMaterialPresetAt(6));
}

static void presetsAreInSiUnits(void** state)
{
    (void)state;
    const shMaterial* glass = shMaterialPreset("glass");
    assert_true(glass->density == 2500.0f && glass->young == 70e9f && glass->toughness == 8.0f);
    // A pane's length of a critical crack, E·Gc/(π σ²), is some tens of micrometres; concrete's is centimetres.
    for (int m = 0; m < shMaterialPresetCount(); ++m) {
        const shMaterial* p = shMaterialPresetAt(m);
        float crack = p->young * p->toughness / (3.14f * p->strength * p->strength);
        assert_true(crack > 1e-5f && crack < 0.1f);
    }
}

static void expectBad(shMaterial material, const char* field)
{
    shMessage message = {0};
    assert_int_equal(shCheckMaterial(&material, &message), shInvalid);
    assert_non_null(strstr(message.text, field));
}

static void badValuesAreNamed(void** state)
{
    (void)state;
    const shMaterial glass = *shMaterialPreset("glass");
    shMaterial bad = glass;
    bad.density = 0.0f;
    expectBad(bad, "density");
    bad = glass, bad.young = INFINITY;
    expectBad(bad, "young");
    bad = glass, bad.poisson = 0.5f;
    expectBad(bad, "poisson");
    bad = glass, bad.strength = NAN;
    expectBad(bad, "strength");
    bad = glass, bad.toughness = -1.0f;
    expectBad(bad, "toughness");
    bad = glass, bad.friction = -0.1f;
    expectBad(bad, "friction");
    bad = glass, bad.restitution = 1.5f;
    expectBad(bad, "restitution");
    bad = glass, memset(bad.name, 'x', sizeof bad.name);
    expectBad(bad, "name");
    assert_int_equal(shCheckMaterial(NULL, NULL), shInvalid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(presetsAreFoundByNameAndByIndex),
        cmocka_unit_test(presetsAreInSiUnits),
        cmocka_unit_test(badValuesAreNamed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
