// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Sphere and torus.

#include "core/message.h"
#include "core/trig.h"
#include "mesh/generate.h"

static const double sphereRadius = 0.1;                    // m
static const double torusRadius = 0.1, tubeRadius = 0.035; // m, from the axis to the middle of the tube; of the tube

// An angle as close to `reference` as full turns bring it, so that UVs do not jump within a triangle.
static double unwrap(double angle, double reference)
{
    if (angle - reference > TRIG_PI)
        return angle - 2.0 * TRIG_PI;
    return angle - reference < -TRIG_PI ? angle + 2.0 * TRIG_PI : angle;
}

// Sphere --------------------------------------------------------------------------------------------------------------
//
// Twenty cones from the centre to the faces of an icosahedron: almost regular tetrahedra. Each is divided as a regular
// tetrahedron is, n³ smaller ones, and its shells are blown up to spheres.

enum { FACES = 20, VERTICES = 12, EDGES = 30 };

typedef struct Ball {
    int shells;
    DVec3 vertices[VERTICES];
    int faces[FACES][3];           // counter-clockwise from outside
    int edges[VERTICES][VERTICES]; // number of the edge between two vertices
} Ball;

static Ball makeBall(int shells)
{
    Ball ball = {.shells = shells};
    const double high = sqrt(0.2), wide = 2.0 * high;
    ball.vertices[0] = dvec3(0.0, 1.0, 0.0);
    ball.vertices[11] = dvec3(0.0, -1.0, 0.0);
    for (int k = 0; k < 5; ++k) {
        double s, c;
        trigSinCos(2.0 * TRIG_PI * k / 5, &s, &c);
        ball.vertices[1 + k] = dvec3(wide * c, high, -wide * s);
        trigSinCos(2.0 * TRIG_PI * (2 * k + 1) / 10, &s, &c);
        ball.vertices[6 + k] = dvec3(wide * c, -high, -wide * s);
        int upper = 1 + k, nextUpper = 1 + (k + 1) % 5, lower = 6 + k, nextLower = 6 + (k + 1) % 5;
        const int faces[4][3] = {
            {0, upper, nextUpper}, {upper, lower, nextUpper}, {nextUpper, lower, nextLower}, {11, nextLower, lower}};
        for (int f = 0; f < 4; ++f)
            for (int i = 0; i < 3; ++i)
                ball.faces[4 * k + f][i] = faces[f][i];
    }
    int count = 0;
    for (int f = 0; f < FACES; ++f)
        for (int i = 0; i < 3; ++i) {
            int a = ball.faces[f][i], b = ball.faces[f][(i + 1) % 3];
            if (a < b) // each edge is met once in each direction
                ball.edges[a][b] = ball.edges[b][a] = count++;
        }
    return ball;
}

static int shellStart(int shell) // nodes of the shells before: 1 at the centre, 10 s² + 2 on shell s
{
    int s = shell - 1;
    return shell == 0 ? 0 : 1 + 5 * s * (s + 1) * (2 * s + 1) / 3 + 2 * s;
}

// The node with weights w (whole numbers that add up to its shell) of the corners of a face.
static int ballNode(const Ball* ball, int face, const int w[3])
{
    int shell = w[0] + w[1] + w[2], start = shellStart(shell);
    const int* corner = ball->faces[face];
    if (shell == 0)
        return 0;
    for (int i = 0; i < 3; ++i)
        if (w[i] == shell)
            return start + corner[i];
    for (int i = 0; i < 3; ++i)
        if (w[i] == 0) {
            int a = (i + 1) % 3, b = (i + 2) % 3, steps = corner[a] < corner[b] ? w[b] : w[a];
            return start + VERTICES + ball->edges[corner[a]][corner[b]] * (shell - 1) + steps - 1;
        }
    int perFace = (shell - 1) * (shell - 2) / 2, row = w[0] - 1;
    return start + VERTICES + EDGES * (shell - 1) + face * perFace + row * (2 * shell - row - 3) / 2 + w[1] - 1;
}

static DVec3 ballPoint(const Ball* ball, int face, const int w[3])
{
    int shell = w[0] + w[1] + w[2];
    DVec3 sum = {0.0, 0.0, 0.0};
    for (int i = 0; i < 3; ++i)
        sum = dMad(sum, w[i], ball->vertices[ball->faces[face][i]]);
    return dMad(dvec3(0.0, sphereRadius, 0.0), sphereRadius * shell / ball->shells, dNormalize(sum));
}

// The octahedron left between the small tetrahedra is split along its shortest diagonal: node[i] and node[i + 3] are
// opposite each other.
static void draftOctahedron(Draft* draft, const int node[6])
{
    int best = 0;
    double shortest = INFINITY;
    for (int i = 0; i < 3 && !draft->failed; ++i) {
        double length = dDistance(draft->nodes.data[node[i]], draft->nodes.data[node[i + 3]]);
        if (length < shortest) {
            shortest = length;
            best = i;
        }
    }
    int b = (best + 1) % 3, c = (best + 2) % 3;
    const int belt[4] = {node[b], node[c + 3], node[b + 3], node[c]};
    for (int k = 0; k < 4; ++k)
        draftTet(draft, node[best], node[best + 3], belt[(k + 1) % 4], belt[k]);
}

static void draftBall(Draft* draft, const Ball* ball)
{
    int n = ball->shells;
    for (int k = shellStart(n + 1); k > 0; --k)
        draftNode(draft, dvec3(0.0, 0.0, 0.0));
    for (int f = 0; f < FACES && !draft->failed; ++f)
        for (int a = 0; a <= n; ++a)
            for (int b = 0; a + b <= n; ++b)
                for (int c = 0; a + b + c <= n; ++c) {
                    const int w[3] = {a, b, c};
                    draft->nodes.data[ballNode(ball, f, w)] = ballPoint(ball, f, w);
                }
    for (int f = 0; f < FACES; ++f)
        for (int a = 0; a < n; ++a)
            for (int b = 0; a + b < n; ++b)
                for (int c = 0; a + b + c < n; ++c) {
                    int node[8], shell = a + b + c; // corners of a unit cube of weights: bits say which one is raised
                    for (int k = 0; k < 8; ++k) {
                        const int w[3] = {a + (k & 1), b + (k >> 1 & 1), c + (k >> 2)};
                        node[k] = w[0] + w[1] + w[2] <= n ? ballNode(ball, f, w) : -1;
                    }
                    draftTet(draft, node[0], node[1], node[2], node[4]);
                    if (shell + 2 <= n)
                        draftOctahedron(draft, (int[]){node[1], node[2], node[4], node[6], node[5], node[3]});
                    if (shell + 3 <= n)
                        draftTet(draft, node[7], node[5], node[6], node[3]);
                }
}

// UVs are longitude and latitude, in metres on the equator. A corner at a pole takes the mean longitude of the others.
static void paintSphere(TetMesh* mesh)
{
    for (int t = 0; t < mesh->triangleCount; ++t) {
        Corner* corners = mesh->corners[t];
        double longitude[3] = {0.0, 0.0, 0.0};
        int pole = -1;
        for (int k = 0; k < 3; ++k) {
            DVec3 p = dSub(dFromV(mesh->nodes[mesh->triangles[t][k]]), dvec3(0.0, sphereRadius, 0.0));
            DVec3 normal = dNormalize(p);
            corners[k].normal = vFromD(normal);
            corners[k].uv[1] = (float)(sphereRadius * trigAsin(clampD(normal.y, -1.0, 1.0)));
            if (p.x == 0.0 && p.z == 0.0)
                pole = k;
            else
                longitude[k] = trigAtan2(-p.z, p.x);
        }
        for (int k = 0; k < 3; ++k)
            longitude[k] = unwrap(longitude[k], longitude[pole == 0 ? 1 : 0]);
        if (pole >= 0)
            longitude[pole] = 0.5 * (longitude[(pole + 1) % 3] + longitude[(pole + 2) % 3]);
        for (int k = 0; k < 3; ++k)
            corners[k].uv[0] = (float)(sphereRadius * longitude[k]);
    }
}

shStatus generateSphere(const GenerateDef* def, Memory* memory, TetMesh* out, shMessage* message)
{
    Ball ball = makeBall(detailCount(6, def->detail));
    Draft draft = {.memory = memory};
    draftBall(&draft, &ball);
    shStatus status = draftFinish(&draft, out, NULL, NULL, message);
    if (status == shOk)
        paintSphere(out);
    return status;
}

double distanceSphere(DVec3 p) { return fabs(dDistance(p, dvec3(0.0, sphereRadius, 0.0)) - sphereRadius); }
double volumeSphere(void) { return 4.0 / 3.0 * TRIG_PI * sphereRadius * sphereRadius * sphereRadius; }

// Torus ---------------------------------------------------------------------------------------------------------------

shStatus generateTorus(const GenerateDef* def, Memory* memory, TetMesh* out, shMessage* message)
{
    int rings = detailCount(3, def->detail), slices = maxI(detailCount(48, def->detail), 3);
    Draft draft = {.memory = memory};
    for (int slice = 0; slice < slices; ++slice) {
        double s, c;
        trigSinCos(2.0 * TRIG_PI * slice / slices, &s, &c);
        for (int ring = 0; ring <= rings; ++ring)
            for (int k = 0; k < maxI(6 * ring, 1); ++k) {
                double up, outwards; // on the tube's circle, which turns so that slices advance along its normal
                trigSinCos(ring > 0 ? -2.0 * TRIG_PI * k / (6 * ring) : 0.0, &up, &outwards);
                double r = torusRadius + tubeRadius * ring / rings * outwards;
                draftNode(&draft, dvec3(r * c, tubeRadius + tubeRadius * ring / rings * up, -r * s));
            }
    }
    draftDiscStack(&draft, rings, slices, true);
    shStatus status = draftFinish(&draft, out, NULL, NULL, message);
    if (status != shOk)
        return status;
    for (int t = 0; t < out->triangleCount; ++t) {
        double around[3], across[3];
        for (int k = 0; k < 3; ++k) {
            DVec3 p = dFromV(out->nodes[out->triangles[t][k]]);
            double r = sqrt(p.x * p.x + p.z * p.z) - torusRadius, y = p.y - tubeRadius;
            Corner* corner = &out->corners[t][k];
            DVec3 radial = dNormalize(dvec3(p.x, 0.0, p.z));
            corner->normal = vFromD(dNormalize(dvec3(r * radial.x, y, r * radial.z)));
            around[k] = unwrap(trigAtan2(-p.z, p.x), k > 0 ? around[0] : 0.0);
            across[k] = unwrap(trigAtan2(y, r), k > 0 ? across[0] : 0.0);
            corner->uv[0] = (float)(torusRadius * around[k]);
            corner->uv[1] = (float)(tubeRadius * across[k]);
        }
    }
    return shOk;
}

double distanceTorus(DVec3 p)
{
    double r = sqrt(p.x * p.x + p.z * p.z) - torusRadius, y = p.y - tubeRadius;
    return fabs(sqrt(r * r + y * y) - tubeRadius);
}

double volumeTorus(void) { return 2.0 * TRIG_PI * TRIG_PI * torusRadius * tubeRadius * tubeRadius; }
