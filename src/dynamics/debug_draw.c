// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A world's insides as lines, points and triangles.
#include "collide/scenery.h"
#include "core/quat.h"
#include "core/trig.h"
#include "dynamics/world.h"
#include "sherd/world_query.h"
#include "solid/solid.h"

enum {
    staticColour = 0x9a9a9a,
    kinematicColour = 0x4a8fd8,
    awakeColour = 0xe8953a,
    asleepColour = 0x7d6ba8,
    contactColour = 0xd83a3a,
    impulseColour = 0xf2d43a,
    dragColour = 0x3ad88f,
};

static uint32_t colourOf(const Body* body)
{
    if (body->type == shDynamicBody)
        return body->awake ? awakeColour : asleepColour;
    return body->type == shKinematicBody ? kinematicColour : staticColour;
}

static void drawLine(const shDebugDraw* draw, Vec3 from, Vec3 to, uint32_t colour)
{
    if (draw->line != NULL)
        draw->line(from, to, colour, draw->user);
}

static void drawPoint(const shDebugDraw* draw, Vec3 at, uint32_t colour)
{
    if (draw->point != NULL)
        draw->point(at, colour, draw->user);
}

static void boxCorners(shBox box, Vec3 corners[8])
{
    for (int i = 0; i < 8; ++i)
        corners[i] = vec3(i & 1 ? box.upper.x : box.lower.x, i & 2 ? box.upper.y : box.lower.y,
                          i & 4 ? box.upper.z : box.lower.z);
}

static void drawBox(const shDebugDraw* draw, const Body* body)
{
    Vec3 corners[8];
    boxCorners(body->restBox, corners);
    for (int i = 0; i < 8; ++i) {
        for (int bit = 1; bit < 8; bit *= 2) {
            if ((i & bit) == 0)
                drawLine(draw, bodyPoint(body, corners[i]), bodyPoint(body, corners[i | bit]), colourOf(body));
        }
    }
}

typedef struct SurfaceDraw {
    const shDebugDraw* draw;
    const Body* body;
} SurfaceDraw;

static void drawTriangle(const Vec3 p[3], int source, void* user)
{
    (void)source;
    const SurfaceDraw* surface = user;
    const Vec3 corners[3] = {bodyPoint(surface->body, p[0]), bodyPoint(surface->body, p[1]),
                             bodyPoint(surface->body, p[2])};
    surface->draw->triangle(corners, colourOf(surface->body), surface->draw->user);
}

static bool drawSceneryTriangle(int feature, const Vec3 p[3], void* user)
{
    drawTriangle(p, feature, user);
    return true;
}

static void drawQuad(SurfaceDraw* surface, Vec3 a, Vec3 b, Vec3 c, Vec3 d)
{
    drawTriangle((Vec3[3]){a, b, c}, -1, surface);
    drawTriangle((Vec3[3]){a, c, d}, -1, surface);
}

static void drawBoxShape(SurfaceDraw* surface)
{
    static const int faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    Vec3 c[8];
    boxCorners(surface->body->restBox, c);
    for (int i = 0; i < 6; ++i)
        drawQuad(surface, c[faces[i][0]], c[faces[i][1]], c[faces[i][2]], c[faces[i][3]]);
}

// Circles from the top down; a capsule has its widest twice.
static void drawRoundShape(SurfaceDraw* surface)
{
    enum { around = 16, rows = 10 };
    const shShape* shape = &surface->body->shape;
    float lift = shape->type == shCapsuleShape ? shape->halfHeight : 0.0f;
    Vec3 grid[rows][around + 1];
    for (int i = 0; i < rows; ++i) {
        for (int k = 0; k <= around; ++k) {
            double s, c, up, out;
            trigSinCos(2.0 * TRIG_PI * (k % around) / around, &s, &c);
            trigSinCos(TRIG_PI * (2 * i < rows ? i : i - 1) / (rows - 2), &out, &up);
            Vec3 way = {(float)(out * c), (float)up, (float)(out * s)};
            grid[i][k] = vMad(vec3(0.0f, 2 * i < rows ? lift : -lift, 0.0f), shape->radius, way);
        }
    }
    for (int i = 0; i + 1 < rows; ++i) {
        for (int k = 0; k < around; ++k)
            drawQuad(surface, grid[i][k], grid[i][k + 1], grid[i + 1][k + 1], grid[i + 1][k]);
    }
}

// A plane has no end and is left out.
static void drawSurface(const shWorld* world, const shDebugDraw* draw, const Body* body)
{
    if (draw->triangle == NULL || bodyIsPlane(body))
        return;
    SurfaceDraw surface = {draw, body};
    if (body->solid >= 0)
        fieldSurface(&world->solids.data[body->solid].solid->field, body->piece, drawTriangle, &surface);
    else if (body->scenery != NULL)
        sceneryVisitBox(body->scenery, body->scenery->info.box, drawSceneryTriangle, &surface);
    else if (body->shape.type == shBoxShape)
        drawBoxShape(&surface);
    else
        drawRoundShape(&surface);
}

static void drawCentre(const shDebugDraw* draw, const Body* body)
{
    Vec3 centre = vFromD(body->centre);
    drawPoint(draw, centre, colourOf(body));
    for (int axis = 0; axis < 3 && body->type == shDynamicBody; ++axis) {
        Vec3 way = vFromD(dqRotate(body->spin.frame, dAxis(axis)));
        drawLine(draw, centre, vMad(centre, draw->axisScale, way), 0xff0000u >> 8 * axis);
    }
}

static void drawContacts(const shWorld* world, const shDebugDraw* draw, const Pair* pair)
{
    const Body *a = &world->bodies.data[pair->a], *b = &world->bodies.data[pair->b];
    for (int i = 0; i < pair->count; ++i) {
        const Contact* contact = &world->contacts.data[pair->first + i];
        Vec3 at = vAdd(vFromD(b->centre), qRotate(b->transform.q, contact->anchorB));
        Vec3 normal = qRotate(contact->id >> 31 ? a->transform.q : b->transform.q, contact->normal);
        if (draw->what & shDrawContacts) {
            drawPoint(draw, at, contactColour);
            drawLine(draw, at, vMad(at, draw->axisScale, normal), contactColour);
        }
        if ((draw->what & shDrawImpulses) && contact->total > 0.0f)
            drawLine(draw, at, vMad(at, draw->impulseScale * contact->total, normal), impulseColour);
    }
}

void shWorld_Draw(const shWorld* world, const shDebugDraw* draw)
{
    if (world == NULL || draw == NULL)
        return;
    for (int i = 0; i < world->bodies.count; ++i) {
        const Body* body = &world->bodies.data[i];
        if (idPoolAt(&world->ids, i).generation == 0)
            continue;
        if ((draw->what & shDrawBoxes) && !bodyIsPlane(body))
            drawBox(draw, body);
        if (draw->what & shDrawSurfaces)
            drawSurface(world, draw, body);
        if ((draw->what & shDrawCentres) && body->scenery == NULL)
            drawCentre(draw, body);
        if ((draw->what & shDrawDrags) && body->drag >= 0) {
            const shDrag* drag = &world->drags.data[body->drag].def;
            drawLine(draw, bodyPoint(body, drag->point), drag->target, dragColour);
        }
    }
    for (int i = 0; i < world->pairs.count && (draw->what & (shDrawContacts | shDrawImpulses)); ++i)
        drawContacts(world, draw, &world->pairs.data[i]);
}
