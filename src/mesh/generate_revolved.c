// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Solids of revolution: a disc of rings, stacked in layers. Its underside, its rim and its upper side follow the
// outline; ring and layer lines pass through every joint of the outline, so creases are mesh edges.

#include "core/message.h"
#include "core/trig.h"
#include "mesh/generate.h"
#include "mesh/outline.h"

enum { MAX_CURVES = 10 };

typedef struct Outline {
    int across, along; // rings and layers at detail 1
    int sections;      // curves from the axis outwards, below and above
    Curve below[MAX_CURVES], above[MAX_CURVES];
    int sides; // curves of the rim, upwards
    Curve side[MAX_CURVES];
} Outline;

// Shells of constant thickness --------------------------------------------------------------------------------------

// Draws the two sides of a shell at once, along its middle line from the axis outwards.
typedef struct Pen {
    Outline* outline;
    Point2 at;      // on the middle line
    double heading; // angle from the r axis
    double half;    // half the thickness
} Pen;

static Point2 besides(const Pen* pen, double left)
{
    double s, c;
    trigSinCos(pen->heading, &s, &c);
    return (Point2){pen->at.r - left * s, pen->at.y + left * c};
}

static void penLine(Pen* pen, double length)
{
    Outline* o = pen->outline;
    Point2 below = besides(pen, -pen->half), above = besides(pen, pen->half);
    double s, c;
    trigSinCos(pen->heading, &s, &c);
    pen->at.r += length * c;
    pen->at.y += length * s;
    o->below[o->sections] = curveLine(below, besides(pen, -pen->half));
    o->above[o->sections++] = curveLine(above, besides(pen, pen->half));
}

// A positive turn rises.
static void penArc(Pen* pen, double radius, double turn)
{
    Outline* o = pen->outline;
    Point2 centre = besides(pen, turn > 0.0 ? radius : -radius);
    Curve middle = curveArc(pen->at, centre, turn);
    o->below[o->sections] = curveArc(besides(pen, -pen->half), centre, turn);
    o->above[o->sections++] = curveArc(besides(pen, pen->half), centre, turn);
    pen->at = middle.to;
    pen->heading += turn;
}

static void closeShell(Outline* o)
{
    o->side[0] = curveLine(o->below[o->sections - 1].to, o->above[o->sections - 1].to);
    o->sides = 1;
}

static double radians(double degrees) { return degrees * (TRIG_PI / 180.0); }

// 25 cm across, 6 mm thick: a flat well, a shoulder, a rim. 21 rings make 5,544 triangles, 7,938 tets, 2,774 points
// (Glondu: 5,392, 8,617, 2,711).
static Outline plateOutline(void)
{
    Outline o = {.across = 21, .along = 1};
    Pen pen = {&o, {0.0, 0.003}, 0.0, 0.003};
    penLine(&pen, 0.072);
    penArc(&pen, 0.02, radians(42.0));
    penArc(&pen, 0.02, radians(-30.0));
    double s, c;
    trigSinCos(pen.heading, &s, &c);
    penLine(&pen, (0.125 - 0.003 * s - pen.at.r) / c); // the lower edge of the lip reaches out furthest
    closeShell(&o);
    return o;
}

// 16 cm across, 5 mm thick.
static Outline bowlOutline(void)
{
    Outline o = {.across = 20, .along = 1};
    Pen pen = {&o, {0.0, 0.0025}, 0.0, 0.0025};
    penLine(&pen, 0.025);
    penArc(&pen, 0.05, radians(72.0));
    penLine(&pen, 0.021);
    closeShell(&o);
    return o;
}

// Columns -----------------------------------------------------------------------------------------------------------

// Discs below and above once the sides are drawn.
static void closeColumn(Outline* o)
{
    Point2 foot = o->side[0].from, head = o->side[o->sides - 1].to;
    o->sections = 1;
    o->below[0] = curveLine((Point2){0.0, foot.y}, foot);
    o->above[0] = curveLine((Point2){0.0, head.y}, head);
}

static Outline cylinderOutline(void)
{
    Outline o = {.across = 4, .along = 16, .sides = 1};
    o.side[0] = curveLine((Point2){0.05, 0.0}, (Point2){0.05, 0.2});
    closeColumn(&o);
    return o;
}

// Plinth, chamfer, tapered shaft, a neck that swells into the capital, abacus.
static Outline pillarOutline(void)
{
    const Point2 plinth = {0.26, 0.12}, foot = {0.2, 0.21}, neck = {0.17, 1.68}, top = {0.26, 2.0};
    Outline o = {.across = 4, .along = 40, .sides = 6};
    o.side[0] = curveLine((Point2){plinth.r, 0.0}, plinth);
    o.side[1] = curveLine(plinth, foot);
    o.side[2] = curveLine(foot, neck);
    // The neck leaves the shaft without a crease, turns outwards and goes on straight to the radius of the abacus.
    Point2 out = curveNormal(&o.side[2], 1.0);
    o.side[3] = curveArc(neck, (Point2){neck.r + 0.15 * out.r, neck.y + 0.15 * out.y}, radians(-40.0));
    out = curveNormal(&o.side[3], 1.0);
    Point2 swollen = o.side[3].to;
    o.side[4] = curveLine(swollen, (Point2){top.r, swollen.y + (top.r - swollen.r) * out.r / -out.y});
    o.side[5] = curveLine(o.side[4].to, top);
    closeColumn(&o);
    return o;
}

// Meshing -----------------------------------------------------------------------------------------------------------

// Where on a chain of curves a grid line starts: the curve and the place on it.
typedef struct Place {
    int curve;
    double t;
} Place;

// Deals `cells` to the curves by length, at least one each; first[k] is the cell where curve k starts.
static int dealCells(int curves, const double* lengths, int cells, int* first)
{
    double whole = 0.0, sum = 0.0;
    for (int k = 0; k < curves; ++k)
        whole += lengths[k];
    first[0] = 0;
    for (int k = 0; k < curves; ++k) {
        sum += lengths[k];
        first[k + 1] = maxI((int)floor(cells * sum / whole + 0.5), first[k] + 1);
    }
    return first[curves];
}

// The curve of the cell that begins at line `cell`, and the place of line `line` on it.
static Place placeOf(int curves, const int* first, int cell, int line)
{
    int k = 0;
    while (k + 1 < curves && first[k + 1] <= cell)
        ++k;
    return (Place){k, (double)(line - first[k]) / (first[k + 1] - first[k])};
}

typedef struct Revolved {
    const Outline* outline;
    int rings, layers;
    int ringStart[MAX_CURVES + 1], layerStart[MAX_CURVES + 1];
} Revolved;

static Revolved layOut(const Outline* o, float detail)
{
    Revolved solid = {.outline = o};
    double lengths[MAX_CURVES];
    for (int k = 0; k < o->sections; ++k)
        lengths[k] = 0.5 * (curveLength(&o->below[k]) + curveLength(&o->above[k]));
    solid.rings = dealCells(o->sections, lengths, detailCount(o->across, detail), solid.ringStart);
    for (int k = 0; k < o->sides; ++k)
        lengths[k] = curveLength(&o->side[k]);
    solid.layers = dealCells(o->sides, lengths, detailCount(o->along, detail), solid.layerStart);
    return solid;
}

// Between the four sides of the outline (the axis is one): the straight blend of below and above, moved by what the
// rim bulges from straight, in proportion to the ring.
static Point2 gridPoint(const Revolved* solid, int ring, int layer)
{
    const Outline* o = solid->outline;
    Place at = placeOf(o->sections, solid->ringStart, ring, ring);
    Place height = placeOf(o->sides, solid->layerStart, layer, layer);
    Point2 low = curvePoint(&o->below[at.curve], at.t), high = curvePoint(&o->above[at.curve], at.t);
    Point2 side = curvePoint(&o->side[height.curve], height.t);
    if (ring == solid->rings)
        return side;
    // How far up: along the straight way from the foot to the head of the rim, which keeps a column's layers level.
    Point2 foot = o->side[0].from, head = o->side[o->sides - 1].to, rise = {head.r - foot.r, head.y - foot.y};
    double u = ((side.r - foot.r) * rise.r + (side.y - foot.y) * rise.y) / (rise.r * rise.r + rise.y * rise.y);
    double w = (double)ring / solid->rings;
    return (Point2){low.r + u * (high.r - low.r) + w * (side.r - (foot.r + u * rise.r)),
                    low.y + u * (high.y - low.y) + w * (side.y - (foot.y + u * rise.y))};
}

static void draftNodes(Draft* draft, const Revolved* solid)
{
    for (int layer = 0; layer <= solid->layers; ++layer)
        for (int ring = 0; ring <= solid->rings; ++ring) {
            Point2 p = gridPoint(solid, ring, layer);
            for (int k = 0; k < maxI(6 * ring, 1); ++k) {
                double s = 0.0, c = 1.0;
                if (ring > 0)
                    trigSinCos(2.0 * TRIG_PI * k / (6 * ring), &s, &c);
                draftNode(draft, dvec3(p.r * c, p.y, -p.r * s));
            }
        }
}

// Ring, place on the ring and layer of a draft node.
typedef struct GridNode {
    int ring, k, layer;
} GridNode;

static GridNode gridNode(const Revolved* solid, int node)
{
    GridNode g = {.layer = node / discNodes(solid->rings), .k = node % discNodes(solid->rings)};
    if (g.k == 0)
        return g;
    while (g.k >= discNodes(g.ring))
        ++g.ring;
    g.k -= discNodes(g.ring - 1);
    return g;
}

// Way along the curves to a line of the grid, m.
static double wayTo(int curves, const Curve* chain, Place place)
{
    double way = 0.0;
    for (int k = 0; k < place.curve && k < curves; ++k)
        way += curveLength(&chain[k]);
    return way + place.t * curveLength(&chain[place.curve]);
}

static void turnNormal(Corner* corner, Point2 normal, double angle)
{
    double s, c;
    trigSinCos(angle, &s, &c);
    corner->normal = vFromD(dvec3(normal.r * c, normal.y, -normal.r * s));
}

static double gridAngle(GridNode g) { return g.ring > 0 ? 2.0 * TRIG_PI * g.k / (6 * g.ring) : 0.0; }

// Above and below: polar UVs by the way from the axis, so the pattern has no seam.
static void paintFace(const Revolved* solid, const GridNode g[3], bool above, Corner corners[3])
{
    const Outline* o = solid->outline;
    const Curve* chain = above ? o->above : o->below;
    int cell = minI(minI(g[0].ring, g[1].ring), g[2].ring);
    for (int k = 0; k < 3; ++k) {
        Place place = placeOf(o->sections, solid->ringStart, cell, g[k].ring);
        double way = wayTo(o->sections, chain, place), s, c, sign = above ? -1.0 : 1.0;
        Point2 normal = curveNormal(&chain[place.curve], place.t);
        turnNormal(&corners[k], (Point2){sign * normal.r, sign * normal.y}, gridAngle(g[k]));
        trigSinCos(gridAngle(g[k]), &s, &c);
        corners[k].uv[0] = (float)(way * c);
        corners[k].uv[1] = (float)(-sign * way * s);
    }
}

// The rim: around by its lower radius, and upwards. The triangle that closes the round goes on past the full turn.
static void paintRim(const Revolved* solid, const GridNode g[3], Corner corners[3])
{
    const Outline* o = solid->outline;
    int cell = minI(minI(g[0].layer, g[1].layer), g[2].layer), around = 6 * solid->rings;
    bool wraps = maxI(maxI(g[0].k, g[1].k), g[2].k) == around - 1;
    for (int k = 0; k < 3; ++k) {
        Place place = placeOf(o->sides, solid->layerStart, cell, g[k].layer);
        turnNormal(&corners[k], curveNormal(&o->side[place.curve], place.t), gridAngle(g[k]));
        int step = wraps && g[k].k == 0 ? around : g[k].k;
        corners[k].uv[0] = (float)(o->side[0].from.r * 2.0 * TRIG_PI * step / around);
        corners[k].uv[1] = (float)wayTo(o->sides, o->side, place);
    }
}

static shStatus generateRevolved(const Outline* outline, const GenerateDef* def, Memory* memory, TetMesh* out,
                                 shMessage* message)
{
    Revolved solid = layOut(outline, def->detail);
    Draft draft = {.memory = memory};
    draftNodes(&draft, &solid);
    draftDiscStack(&draft, solid.rings, solid.layers, false);
    int *source, sourceCount;
    shStatus status = draftFinish(&draft, out, &source, &sourceCount, message);
    if (status != shOk)
        return status;
    for (int t = 0; t < out->triangleCount; ++t) {
        GridNode g[3];
        for (int k = 0; k < 3; ++k)
            g[k] = gridNode(&solid, source[out->triangles[t][k]]);
        if (g[0].layer == g[1].layer && g[0].layer == g[2].layer)
            paintFace(&solid, g, g[0].layer > 0, out->corners[t]);
        else
            paintRim(&solid, g, out->corners[t]);
    }
    FREE_ARRAY(memory, source, sourceCount);
    return shOk;
}

static double distanceRevolved(Outline o, DVec3 p)
{
    Point2 q = {sqrt(p.x * p.x + p.z * p.z), p.y};
    double nearest = INFINITY;
    for (int k = 0; k < o.sections; ++k)
        nearest = minD(nearest, minD(curveDistance(&o.below[k], q), curveDistance(&o.above[k], q)));
    for (int k = 0; k < o.sides; ++k)
        nearest = minD(nearest, curveDistance(&o.side[k], q));
    return nearest;
}

static double volumeRevolved(Outline o)
{
    double sum = 0.0;
    for (int k = 0; k < o.sections; ++k)
        sum += curveVolume(&o.below[k]) - curveVolume(&o.above[k]);
    for (int k = 0; k < o.sides; ++k)
        sum += curveVolume(&o.side[k]);
    return TRIG_PI * sum;
}

shStatus generatePlate(const GenerateDef* def, Memory* memory, TetMesh* out, shMessage* message)
{
    Outline outline = plateOutline();
    return generateRevolved(&outline, def, memory, out, message);
}

shStatus generateBowl(const GenerateDef* def, Memory* memory, TetMesh* out, shMessage* message)
{
    Outline outline = bowlOutline();
    return generateRevolved(&outline, def, memory, out, message);
}

shStatus generateCylinder(const GenerateDef* def, Memory* memory, TetMesh* out, shMessage* message)
{
    Outline outline = cylinderOutline();
    return generateRevolved(&outline, def, memory, out, message);
}

shStatus generatePillar(const GenerateDef* def, Memory* memory, TetMesh* out, shMessage* message)
{
    Outline outline = pillarOutline();
    return generateRevolved(&outline, def, memory, out, message);
}

double distancePlate(DVec3 p) { return distanceRevolved(plateOutline(), p); }
double distanceBowl(DVec3 p) { return distanceRevolved(bowlOutline(), p); }
double distanceCylinder(DVec3 p) { return distanceRevolved(cylinderOutline(), p); }
double distancePillar(DVec3 p) { return distanceRevolved(pillarOutline(), p); }

double volumePlate(void) { return volumeRevolved(plateOutline()); }
double volumeBowl(void) { return volumeRevolved(bowlOutline()); }
double volumeCylinder(void) { return volumeRevolved(cylinderOutline()); }
double volumePillar(void) { return volumeRevolved(pillarOutline()); }
