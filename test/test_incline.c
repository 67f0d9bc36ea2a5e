// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A cube on an incline against the analytic solution (S4; Su, figure 3): it slides with g (sin α − μ cos α), or stops.
#include "test/world_scene.h"

static const float gravity = 9.81f;

// How far down the slope a cube is after two seconds. Up the slope it starts with `speed`.
static float slide(const char* model, float angle, float friction, float speed)
{
    Scene scene = sceneMake(model);
    shQuat turned = qFromAxisAngle(vec3(0.0f, 0.0f, 1.0f), angle);
    sceneGround(&scene, turned, friction);
    shShape cube = {.type = shBoxShape, .halfExtent = {0.05f, 0.05f, 0.05f}};
    float lower = model != NULL ? shAsset_GetInfo(scene.asset).box.lower.y : -0.05f;
    shBodyDef def = model != NULL ? scenePiece(&scene, vec3(0, 0, 0)) : sceneBox(&cube, vec3(0, 0, 0));
    def.transform.q = turned;
    def.transform.p = qRotate(turned, vec3(0.0f, -lower, 0.0f));
    def.friction = friction;
    def.velocity = qRotate(turned, vec3(speed, 0.0f, 0.0f));
    shBodyId id = sceneAdd(&scene, def);
    sceneRun(&scene, 60);
    shVec3 moved = vSub(shBody_GetTransform(scene.world, id).p, def.transform.p);
    float off = fabsf(vDot(moved, qRotate(turned, vec3(0.0f, 1.0f, 0.0f))));
    assert_true(off < 5e-4f); // on the surface
    assert_true(fabsf(moved.z) < 1e-3f);
    float down = -vDot(moved, qRotate(turned, vec3(1.0f, 0.0f, 0.0f)));
    sceneFree(&scene);
    return down;
}

static void checkSlides(const char* model)
{
    const float angles[] = {0.2f, 0.35f, 0.5f, 0.7f, 0.9f}, frictions[] = {0.05f, 0.15f, 0.3f, 0.4f, 0.5f};
    for (int a = 0; a < 5; ++a) {
        for (int f = 0; f < 5; ++f) {
            float pull = gravity * (sinf(angles[a]) - frictions[f] * cosf(angles[a]));
            float down = slide(model, angles[a], frictions[f], 0.0f), want = pull > 0.0f ? 0.5f * pull * 4.0f : 0.0f;
            if (fabsf(down - want) > maxF(0.01f * want, 1e-3f))
                fail_msg("slope %g, friction %g: %g m instead of %g", (double)angles[a], (double)frictions[f],
                         (double)down, (double)want);
        }
    }
}

static void aCubeSlidesAsItShould(void** state)
{
    (void)state;
    checkSlides(NULL);
}

static void aSolidSlidesAsItShould(void** state)
{
    (void)state;
    checkSlides("brick");
}

// Pushed uphill, where friction can hold it, it stops and stays.
static void aCubeStopsWhereItMust(void** state)
{
    (void)state;
    const float angles[] = {0.0f, 0.1f, 0.2f, 0.3f, 0.4f};
    for (int i = 0; i < 5; ++i) {
        float friction = 0.5f, speed = 2.0f;
        float brake = gravity * (sinf(angles[i]) + friction * cosf(angles[i]));
        float down = slide(NULL, angles[i], friction, speed), want = -0.5f * speed * speed / brake;
        // Velocities are those at the end of a substep: it falls short by half of one's way.
        float behind = 0.5f * speed / 120.0f;
        if (fabsf(down - want - behind) > 0.005f * fabsf(want))
            fail_msg("slope %g: stops after %g m instead of %g", (double)angles[i], -(double)down, -(double)want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aCubeSlidesAsItShould),
        cmocka_unit_test(aSolidSlidesAsItShould),
        cmocka_unit_test(aCubeStopsWhereItMust),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
