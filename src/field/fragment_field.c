// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Queries of the fragment distance field. Breaking is in field_break.c.
#include "field/fragment_field.h"

#include "core/closest.h"
#include "core/constants.h"
#include "field/triangle_batch.h"

void fieldInit(FragmentField* field, Memory* memory, const RestField* rest)
{
    *field = (FragmentField){.rest = rest, .memory = memory};
    for (int i = 0; i <= maxGroupFacets; ++i)
        field->freeFacets[i] = -1;
}

void fieldFree(FragmentField* field)
{
    Memory* memory = field->memory;
    const RestField* rest = field->rest;
    FREE_ARRAY(memory, field->labels, rest->mesh->nodeCount);
    FREE_ARRAY(memory, field->nodes, rest->mesh->nodeCount);
    FREE_ARRAY(memory, field->nodeOrder, rest->mesh->nodeCount);
    FREE_ARRAY(memory, field->edgeCuts, rest->topology->edgeCount);
    FREE_ARRAY(memory, field->tetCuts, rest->mesh->tetCount);
    FREE_ARRAY(memory, field->cellHeads, rest->cells->cellCount);
    FREE_ARRAY(memory, field->masks, rest->maskGrid->maskCount);
    FREE_ARRAY(memory, field->triangleIsCut, rest->mesh->triangleCount);
    FREE_ARRAY(memory, field->scratch, rest->mesh->nodeCount);
    arrayFree(memory, &field->pieces);
    arrayFree(memory, &field->cuts);
    arrayFree(memory, &field->cutTets);
    arrayFree(memory, &field->facets);
    arrayFree(memory, &field->links);
    arrayFree(memory, &field->children);
    arrayFree(memory, &field->newTets);
    paperFree(field);
    FieldRule rule = field->rule;
    fieldInit(field, memory, rest);
    field->rule = rule;
}

int64_t fieldBytes(const FragmentField* field)
{
    if (field->labels == NULL)
        return (int64_t)sizeof(int) * field->children.capacity;
    const RestField* rest = field->rest;
    int64_t perNode = (int64_t)sizeof(int) * 3 + (int64_t)sizeof(NodeField) +
                      (field->rule == fieldPaper ? 2 * (int64_t)sizeof(PaperNode) : 0);
    return perNode * rest->mesh->nodeCount + (int64_t)sizeof(int) * rest->topology->edgeCount +
           (int64_t)sizeof(int) * rest->mesh->tetCount + (int64_t)sizeof(int) * rest->cells->cellCount +
           (int64_t)sizeof(uint64_t) * rest->maskGrid->maskCount + rest->mesh->triangleCount +
           (int64_t)sizeof(Piece) * field->pieces.capacity + (int64_t)sizeof(CutPoint) * field->cuts.capacity +
           (int64_t)sizeof(CutTet) * field->cutTets.capacity + (int64_t)sizeof(Facet) * field->facets.capacity +
           (int64_t)sizeof(CellLink) * field->links.capacity +
           (int64_t)sizeof(int) * (field->children.capacity + field->newTets.capacity);
}

int fieldPieceCount(const FragmentField* field) { return field->labels != NULL ? field->pieces.count : 1; }

shBox fieldBox(const FragmentField* field, int piece)
{
    if (field->labels != NULL)
        return field->pieces.data[piece].box;
    shBox box = boxEmpty();
    for (int n = 0; n < field->rest->mesh->nodeCount; ++n)
        box = boxAdd(box, field->rest->mesh->nodes[n]);
    return box;
}

// The piece that owns the point with the given coordinates in a tetrahedron.
static int ownerInTet(const FragmentField* field, int tet, const float coordinates[4])
{
    if (field->labels == NULL)
        return 0;
    int corner = 0, cut = field->tetCuts[tet];
    if (cut >= 0)
        corner = tetCutOwner(&field->cutTets.data[cut].cut, coordinates);
    return field->labels[field->rest->mesh->tets[tet][corner]];
}

int fieldOwner(const FragmentField* field, Vec3 p)
{
    const RestField* rest = field->rest;
    int cell = cellGridFind(rest->cells, p);
    if (cell < 0)
        return -1;
    float coordinates[4];
    int tet = cellGridLocate(rest->cells, cell, p, coordinates);
    int owner = tet < 0 ? -1 : ownerInTet(field, tet, coordinates);
    return owner >= 0 && fieldHasPiece(field, owner) ? owner : -1;
}

void fieldFeature(const FragmentField* field, int feature, Vec3 corners[3])
{
    if (feature < 0) {
        const Facet* facet = &field->facets.data[~feature];
        corners[0] = facet->p[0];
        corners[1] = facet->p[1];
        corners[2] = facet->p[2];
        return;
    }
    const TetMesh* mesh = field->rest->mesh;
    for (int k = 0; k < 3; ++k)
        corners[k] = mesh->nodes[mesh->triangles[feature][k]];
}

// The closest feature seen so far. Those that might be closer wait until there are eight of them.
typedef struct Closest {
    Vec3 p, point;
    float distance;
    int feature;
    float enough; // how near exactly does not matter below this
    const NormalCone* cone;
    TriangleBatch waiting;
    int features[triangleBatch];
} Closest;

static void closestStart(Closest* best, Vec3 p, float distance, const NormalCone* cone)
{
    best->p = p;
    best->distance = distance;
    best->feature = noFeature;
    best->enough = -1.0f;
    best->cone = cone;
    best->waiting.count = 0;
}

// Looks at those that wait.
static void closestFinish(Closest* best)
{
    if (best->waiting.count == 0)
        return;
    for (int i = best->waiting.count; i < triangleBatch; ++i) {
        for (int k = 0; k < 3; ++k) {
            best->waiting.a[k][i] = best->waiting.a[k][0];
            best->waiting.b[k][i] = best->waiting.b[k][0];
            best->waiting.c[k][i] = best->waiting.c[k][0];
        }
    }
    TriangleNearest nearest = SIMD_CHOOSE(triangleNearest)(&best->waiting, best->p);
    best->waiting.count = 0;
    if (nearest.distance < best->distance) {
        best->distance = nearest.distance;
        best->point = nearest.point;
        best->feature = best->features[nearest.lane];
    }
}

static void consider(Closest* best, int feature, Vec3 a, Vec3 b, Vec3 c)
{
    if (best->cone != NULL && !coneFaces(best->cone, vCross(vSub(b, a), vSub(c, a))))
        return;
    TriangleBatch* waiting = &best->waiting;
    int i = waiting->count++;
    best->features[i] = feature;
    waiting->a[0][i] = a.x, waiting->a[1][i] = a.y, waiting->a[2][i] = a.z;
    waiting->b[0][i] = b.x, waiting->b[1][i] = b.y, waiting->b[2][i] = b.z;
    waiting->c[0][i] = c.x, waiting->c[1][i] = c.y, waiting->c[2][i] = c.z;
    if (waiting->count == triangleBatch)
        closestFinish(best);
}

static void considerTriangle(const RestField* rest, int t, Closest* best)
{
    if (ballBeyond(rest->triangleBalls[t], best->p, best->distance))
        return;
    const int* triangle = rest->mesh->triangles[t];
    const Vec3* nodes = rest->mesh->nodes;
    consider(best, t, nodes[triangle[0]], nodes[triangle[1]], nodes[triangle[2]]);
}

static void considerFacet(const FragmentField* field, int f, Closest* best)
{
    const Facet* facet = &field->facets.data[f];
    if (!ballBeyond(facet->ball, best->p, best->distance))
        consider(best, ~f, facet->p[0], facet->p[1], facet->p[2]);
}

// The facets of a piece in a cut tetrahedron: those on original triangle `source`, or the cracks (-1).
static void considerCutTet(const FragmentField* field, int piece, const CutTet* cut, int source, Closest* best)
{
    for (int k = 0; k < 4; ++k) {
        if (cut->facetCount[k] == 0 || field->labels[cut->nodes[k]] != piece)
            continue;
        for (int f = cut->facets[k]; f < cut->facets[k] + cut->facetCount[k]; ++f) {
            if (field->facets.data[f].source == source)
                considerFacet(field, f, best);
        }
    }
}

static void considerCell(const FragmentField* field, int piece, int cell, Closest* best)
{
    const CellGrid* cells = field->rest->cells;
    const TetMesh* mesh = field->rest->mesh;
    const int* labels = field->labels;
    for (int i = cells->triangleStart[cell]; i < cells->triangleStart[cell + 1]; ++i) {
        int t = cells->triangles[i];
        if (labels != NULL) {
            if (field->triangleIsCut[t]) {
                int cut = field->tetCuts[field->rest->topology->triangleTets[t]];
                considerCutTet(field, piece, &field->cutTets.data[cut], t, best);
                continue;
            }
            if (labels[mesh->triangles[t][0]] != piece)
                continue;
        }
        considerTriangle(field->rest, t, best);
    }
    if (labels != NULL) {
        const CellLink* links = field->links.data;
        for (int link = field->cellHeads[cell]; link >= 0 && best->distance >= best->enough; link = links[link].next) {
            int tet = links[link].tet;
            if (!ballBeyond(field->rest->tetBalls[tet], best->p, best->distance))
                considerCutTet(field, piece, &field->cutTets.data[field->tetCuts[tet]], -1, best);
        }
    }
    closestFinish(best);
}

static void considerFeature(const FragmentField* field, int feature, Closest* best)
{
    if (feature < 0)
        considerFacet(field, ~feature, best);
    else
        considerTriangle(field->rest, feature, best);
}

// What a node knows of its piece's surface.
static void considerNode(const FragmentField* field, int piece, int node, Closest* best)
{
    const RestField* rest = field->rest;
    int original = rest->nodeFeatures[node];
    if (field->labels == NULL) {
        considerFeature(field, original, best);
        return;
    }
    if (field->labels[node] != piece)
        return;
    if (field->nodes[node].feature != noFeature)
        considerFeature(field, field->nodes[node].feature, best);
    if (rest->nodeDistances[node] == 0.0f && !field->triangleIsCut[original])
        considerFeature(field, original, best);
}

static bool facesFeature(const FragmentField* field, const NormalCone* cone, int feature)
{
    Vec3 corners[3];
    fieldFeature(field, feature, corners);
    return coneFaces(cone, vCross(vSub(corners[1], corners[0]), vSub(corners[2], corners[0])));
}

static FieldHit hitOf(const FragmentField* field, const Closest* best, bool inside)
{
    float distance = best->distance;
    Vec3 corners[3];
    fieldFeature(field, best->feature, corners);
    Vec3 flat = vNormalize(vCross(vSub(corners[1], corners[0]), vSub(corners[2], corners[0])));
    Vec3 normal = flat;
    // On the surface itself the direction to the closest point is noise; the feature's own normal is not.
    if (distance > ROUNDING * (fabsf(best->p.x) + fabsf(best->p.y) + fabsf(best->p.z)))
        normal = vScale((inside ? -1.0f : 1.0f) / distance, vSub(best->p, best->point));
    // A facing feature may be seen from behind its edge; then its plane speaks, not the way to the edge.
    if (best->cone != NULL && vDot(normal, flat) <= 0.0f)
        normal = flat;
    return (FieldHit){inside ? -distance : distance, normal, best->point, best->feature};
}

// How far a coordinate is from a row of cells.
static float rowDistance(const CellGrid* cells, int axis, int row, float x)
{
    float slack = ROUNDING * cells->cell * (float)cells->size[axis];
    float lower = vGet(cells->origin, axis) + cells->cell * (float)row - slack;
    return maxF(maxF(lower - x, x - lower - cells->cell - 2.0f * slack), 0.0f);
}

// All cells within the distance to beat: the closest point is in one of them, and what it lies on is listed there.
static void considerWithin(const FragmentField* field, int piece, Closest* best)
{
    const CellGrid* cells = field->rest->cells;
    Vec3 p = best->p;
    shBox around = boxGrow((shBox){p, p}, best->distance);
    shBox box = field->labels != NULL ? fieldBox(field, piece) : around;
    if (boxDistance2(box, p) >= best->distance * best->distance)
        return;
    // What is found early spares looking at cells farther away.
    int nearest = cellGridFind(cells, vMin(vMax(p, box.lower), box.upper));
    if (nearest >= 0)
        considerCell(field, piece, nearest, best);
    around = boxGrow((shBox){p, p}, best->distance);
    CellRange range = cellGridRange(cells, (shBox){vMax(around.lower, box.lower), vMin(around.upper, box.upper)});
    for (int z = range.lower[2]; z <= range.upper[2]; ++z) {
        float dz = rowDistance(cells, 2, z, p.z);
        for (int y = range.lower[1]; y <= range.upper[1] && dz < best->distance; ++y) {
            float dy = rowDistance(cells, 1, y, p.y), across2 = dz * dz + dy * dy;
            for (int x = range.lower[0]; x <= range.upper[0] && across2 < best->distance * best->distance; ++x) {
                float dx = rowDistance(cells, 0, x, p.x);
                if (across2 + dx * dx < best->distance * best->distance)
                    considerCell(field, piece, (z * cells->size[1] + y) * cells->size[0] + x, best);
            }
        }
    }
}

// From the closest point known so far to closer ones around it, while there are any. Where nobody knows one, everything
// within the piece's size is looked at.
static void slide(const FragmentField* field, int piece, Closest* best)
{
    if (best->feature == noFeature) {
        best->distance = vLength(boxSize(fieldBox(field, piece)));
        considerWithin(field, piece, best);
        return;
    }
    for (int last = noFeature; best->feature != last;) {
        last = best->feature;
        int cell = cellGridFind(field->rest->cells, best->point);
        if (cell >= 0)
            considerCell(field, piece, cell, best);
    }
}

// A tetrahedron of a cell that no crack or surface is near to: all of the cell then belongs to that one's piece. -1
// where that is not so.
static int quietTet(const FragmentField* field, int cell)
{
    const CellGrid* cells = field->rest->cells;
    if (field->labels == NULL || field->cellHeads[cell] >= 0 ||
        cells->triangleStart[cell] != cells->triangleStart[cell + 1])
        return -1;
    for (int i = cells->tetStart[cell]; i < cells->tetStart[cell + 1]; ++i) {
        if (field->tetCuts[cells->tets[i]] < 0)
            return cells->tets[i];
    }
    return -1;
}

// The closest feature around a point inside the piece; false when it is less deep than asked for.
static bool closestInside(const FragmentField* field, int piece, int cell, int tet, bool quiet, const FieldProbe* probe,
                          Closest* best)
{
    float band = field->rest->cells->band;
    best->distance = probe->bound > 0.0f ? probe->bound : INFINITY;
    // Within the band the cell tells all. Else begin with what the nodes know: it is never too near, so enough to say
    // that p is not deep, and a good start otherwise.
    best->enough = probe->depth;
    if (quiet || best->distance > band || probe->depth > 0.0f) {
        for (int k = 0; k < 4; ++k)
            considerNode(field, piece, field->rest->mesh->tets[tet][k], best);
        closestFinish(best);
        if (best->distance < probe->depth)
            return false;
    }
    if (!quiet && best->distance > 0.0f)
        considerCell(field, piece, cell, best);
    if (best->feature == noFeature && best->distance < INFINITY) {
        // Nothing within the bound, for rounding.
        FieldProbe open = *probe;
        open.bound = 0.0f;
        return closestInside(field, piece, cell, tet, quiet, &open, best);
    }
    if (best->distance > band)
        slide(field, piece, best);
    return best->distance >= probe->depth;
}

bool fieldProbe(const FragmentField* field, int piece, const FieldProbe* probe, FieldHit* hit)
{
    const RestField* rest = field->rest;
    int cell = cellGridFind(rest->cells, probe->p);
    if (cell < 0)
        return false;
    float coordinates[4];
    bool averages = field->paper.nodes != NULL;
    int tet = averages ? -1 : quietTet(field, cell);
    bool quiet = tet >= 0, inside;
    if (quiet) {
        inside = field->labels[rest->mesh->tets[tet][0]] == piece;
        if (!inside)
            return false;
    } else {
        tet = probe->outside ? -1 : cellGridLocate(rest->cells, cell, probe->p, coordinates);
        inside = tet >= 0 && ownerInTet(field, tet, coordinates) == piece;
    }
    if (inside && averages) {
        paperProbe(field, piece, cell, tet, probe->p, hit);
        return -hit->distance >= probe->depth;
    }
    Closest best;
    closestStart(&best, probe->p, probe->reach, NULL);
    if (inside && !closestInside(field, piece, cell, tet, quiet, probe, &best))
        return false;
    if (!inside && best.distance > 0.0f)
        considerCell(field, piece, cell, &best);
    if (best.feature == noFeature)
        return false;
    // Outside, the closest surface is the one that is touched first. Inside, one that faces the sample is preferred
    // while it is about as near: the corner of a box that stands near the rim of another goes back up, not out
    // sideways.
    if (inside && !quiet && probe->cone != NULL && probe->cone->count > 0) {
        float limit = minF(maxF(FACING_REACH * best.distance, FACING_BAND * rest->cells->band), rest->cells->band);
        if (best.distance < limit && facesFeature(field, probe->cone, best.feature)) {
            best.cone = probe->cone;
        } else {
            Closest facing;
            closestStart(&facing, probe->p, limit, probe->cone);
            considerCell(field, piece, cell, &facing);
            if (facing.feature != noFeature)
                best = facing;
        }
    }
    *hit = hitOf(field, &best, inside);
    return true;
}

bool fieldProbeFar(const FragmentField* field, int piece, Vec3 p, float reach, FieldHit* hit)
{
    if (fieldProbe(field, piece, &(FieldProbe){.p = p, .reach = minF(reach, field->rest->cells->band)}, hit))
        return true;
    Closest best;
    closestStart(&best, p, reach, NULL);
    considerWithin(field, piece, &best);
    if (best.feature == noFeature)
        return false;
    *hit = hitOf(field, &best, false);
    return true;
}

bool fieldClosest(const FragmentField* field, int piece, Vec3 p, float reach, FieldHit* hit)
{
    const CellGrid* cells = field->rest->cells;
    bool inside = fieldOwner(field, p) == piece;
    Vec3 size = {(float)cells->size[0], (float)cells->size[1], (float)cells->size[2]};
    shBox box = {cells->origin, vMad(cells->origin, cells->cell, size)};
    float base = sqrtf(boxDistance2(field->labels != NULL ? fieldBox(field, piece) : box, p));
    // Balls that grow until one has met the surface: it costs no more than a few times the last one.
    for (float more = cells->cell;; more *= 2.0f) {
        Closest best = {.p = p, .distance = minF(base + more, reach), .feature = noFeature};
        considerWithin(field, piece, &best);
        if (best.feature != noFeature) {
            *hit = hitOf(field, &best, inside);
            return true;
        }
        if (!(base + more < reach))
            return false;
    }
}

static void visitTriangle(const TetMesh* mesh, int t, void (*visit)(const Vec3 p[3], int source, void* user),
                          void* user)
{
    const int* triangle = mesh->triangles[t];
    visit((Vec3[3]){mesh->nodes[triangle[0]], mesh->nodes[triangle[1]], mesh->nodes[triangle[2]]}, t, user);
}

void fieldSurface(const FragmentField* field, int piece, void (*visit)(const Vec3 p[3], int source, void* user),
                  void* user)
{
    const TetMesh* mesh = field->rest->mesh;
    const TetTopology* topology = field->rest->topology;
    if (field->labels == NULL) {
        for (int t = 0; t < mesh->triangleCount; ++t)
            visitTriangle(mesh, t, visit, user);
        return;
    }
    // Around its nodes, so that a thousand pieces do not cost a thousand times the solid.
    const Piece* range = &field->pieces.data[piece];
    for (int i = range->first; i < range->first + range->count; ++i) {
        int node = field->nodeOrder[i];
        for (int k = topology->nodeTetStart[node]; k < topology->nodeTetStart[node + 1]; ++k) {
            int t = topology->nodeTets[k];
            for (int face = 0; field->rest->nodeDistances[node] == 0.0f && face < 4; ++face) {
                int triangle = ~topology->neighbors[t][face];
                if (triangle >= 0 && !field->triangleIsCut[triangle] && mesh->triangles[triangle][0] == node)
                    visitTriangle(mesh, triangle, visit, user);
            }
            if (field->tetCuts[t] < 0)
                continue;
            const CutTet* cut = &field->cutTets.data[field->tetCuts[t]];
            int corner = 0;
            while (mesh->tets[t][corner] != node)
                ++corner;
            for (int f = cut->facets[corner]; f < cut->facets[corner] + cut->facetCount[corner]; ++f)
                visit(field->facets.data[f].p, field->facets.data[f].source, user);
        }
    }
}
