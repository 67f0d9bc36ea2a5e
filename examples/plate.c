// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A plate, a ball, two seconds: the smallest program in which something really breaks. Writes plate.glb.
#include <sherd/film.h>

#include <stdio.h>

int main(void)
{
    shMessage message = {""};
    shContextDef contextDef = shDefaultContextDef();
    shContext* context;
    shCreateContext(&contextDef, &context, &message);
    shCookDef cook = shDefaultCookDef();
    shAsset* plate;
    shCookModel(context, "plate", 1.0f, &cook, &plate, &message);

    shWorldDef worldDef = shDefaultWorldDef();
    shWorld* world;
    shCreateWorld(context, &worldDef, &world, &message);
    shBodyId id;
    shBodyDef ground = shDefaultBodyDef();
    ground.type = shStaticBody;
    ground.shape = &(shShape){.type = shPlaneShape};
    shCreateBody(world, &ground, &id, &message);
    shFractureDef fracture = shDefaultFractureDef(shClusteredPattern);
    shBodyDef dish = shDefaultBodyDef();
    dish.asset = plate;
    dish.fracture = &fracture;
    shCreateBody(world, &dish, &id, &message);
    shBodyDef ball = shDefaultBodyDef();
    ball.shape = &(shShape){.type = shSphereShape, .radius = 0.03f};
    ball.density = 7800.0f;
    ball.transform.p = (shVec3){0.02f, 1.0f, 0.0f};
    shCreateBody(world, &ball, &id, &message);

    shFilm* film;
    shCreateFilm(context, 30.0, &film, &message);
    for (int i = 0; i < 60; ++i) {
        if (shWorld_Step(world, 1.0f / 30.0f, &message) != shOk)
            break;
        shFilm_Record(film, world, i / 30.0, &message);
        shWorldEvents events = shWorld_GetEvents(world);
        for (int k = 0; k < events.breakCount; ++k)
            printf("%.2f s: broke into %d, %.1f N s\n", i / 30.0, events.breaks[k].count,
                   (double)events.breaks[k].impulse);
    }
    shStatus status = shFilm_Write(film, "plate.glb", &message);
    puts(status == shOk ? "plate.glb: drop it onto any glTF viewer" : message.text);
    int bodies = shWorld_GetCounters(world).bodies;
    shDestroyFilm(film);
    shDestroyWorld(world);
    shDestroyAsset(plate);
    shDestroyContext(context);
    return status == shOk && bodies > 3 ? 0 : 1;
}
