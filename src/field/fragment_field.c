// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Queries of the fragment distance field. Breaking is in field_break.c.
#include "field/fragment_field.h"

#include "core/constants.h"

#include <limits.h>

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
    FREE_ARRAY(memory, field->nodeOrder, rest->mesh->nodeCount);
    FREE_ARRAY(memory, field->edgeCuts, rest->topology->edgeCount);
    FREE_ARRAY(memory, field->tetCuts, rest->mesh->tetCount);
    FREE_ARRAY(memory, field->masks, rest->maskGrid->maskCount);
    FREE_ARRAY(memory, field->triangleIsCut, rest->mesh->triangleCount);
    FREE_ARRAY(memory, field->scratch, rest->mesh->nodeCount);
    arrayFree(memory, &field->pieces);
    arrayFree(memory, &field->cuts);
    arrayFree(memory, &field->cutTets);
    arrayFree(memory, &field->facets);
    FREE_ARRAY(memory, field->skins.restAlive, rest->skin->tree.packetCount);
    arrayFree(memory, &field->skins.trees);
    arrayFree(memory, &field->skins.packets);
    arrayFree(memory, &field->skins.alive);
    arrayFree(memory, &field->skins.nodes);
    arrayFree(memory, &field->nears);
    arrayFree(memory, &field->edges);
    arrayFree(memory, &field->supports);
    arrayFree(memory, &field->children);
    arrayFree(memory, &field->newTets);
    paperFree(field);
    FieldRule rule = field->rule;
    const shContext* context = field->context;
    fieldInit(field, memory, rest);
    field->rule = rule;
    field->context = context;
}

int64_t fieldBytes(const FragmentField* field)
{
    if (field->labels == NULL)
        return (int64_t)sizeof(int) * field->children.capacity;
    const RestField* rest = field->rest;
    int64_t perNode = (int64_t)sizeof(int) * 3 + (field->rule == fieldPaper ? 2 * (int64_t)sizeof(PaperNode) : 0);
    return perNode * rest->mesh->nodeCount + (int64_t)sizeof(int) * rest->topology->edgeCount +
           (int64_t)sizeof(int) * rest->mesh->tetCount + rest->skin->tree.packetCount +
           (int64_t)sizeof(uint64_t) * rest->maskGrid->maskCount + rest->mesh->triangleCount +
           (int64_t)sizeof(Piece) * field->pieces.capacity + (int64_t)sizeof(CutPoint) * field->cuts.capacity +
           (int64_t)sizeof(CutTet) * field->cutTets.capacity + (int64_t)sizeof(Facet) * field->facets.capacity +
           (int64_t)sizeof(SkinTree) * field->skins.trees.capacity +
           (int64_t)sizeof(SkinPacket) * field->skins.packets.capacity + field->skins.alive.capacity +
           (int64_t)sizeof(SkinNode) * field->skins.nodes.capacity +
           (int64_t)sizeof(NearCorner) * field->nears.capacity +
           (int64_t)sizeof(float) * (field->edges.capacity + field->supports.capacity) +
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
    skinCorners(&(SkinSource){field->rest->mesh, field->facets.data}, feature, corners);
}

// ---- distances ------------------------------------------------------------------------------------------------------

static void searchPiece(const FragmentField* field, int piece, SkinSearch* search)
{
    if (!vFinite(search->p))
        return; // near to nothing, and boxes that are not there must not look near
    for (SkinWalk walk = fieldSkins(field, piece); fieldNextSkin(field, &walk) && !(search->distance < search->enough);)
        SIMD_CHOOSE(skinNearest)(&walk.view, search);
}

static Vec3 acrossOf(const SkinSearch* search)
{
    return vCross(vSub(search->corners[1], search->corners[0]), vSub(search->corners[2], search->corners[0]));
}

// Does p lie on the surface, but for so many roundings?
static bool isOnIt(const SkinSearch* search, float roundings)
{
    return search->distance <= roundings * ROUNDING * (fabsf(search->p.x) + fabsf(search->p.y) + fabsf(search->p.z));
}

// The normal of a needle is noise, too.
static bool isNeedle(const SkinSearch* search)
{
    const Vec3* p = search->corners;
    float longest2 = maxF(vDistance2(p[0], p[1]), maxF(vDistance2(p[1], p[2]), vDistance2(p[2], p[0])));
    return !(vLength2(acrossOf(search)) > SKIN_NEEDLE * SKIN_NEEDLE * longest2 * longest2);
}

// Does p lie inside the piece whose closest triangle has been found? Where the closest point is within the triangle,
// its side says it; on edges and corners, and of needles, the owner of p does.
static bool isInside(const FragmentField* field, int piece, const SkinSearch* search)
{
    if (isOnIt(search, 1.0f))
        return false;
    if (search->onFace && !isNeedle(search)) {
        Vec3 across = acrossOf(search), way = vSub(search->p, search->point);
        float along = vDot(across, way);
        if (along * along > SKIN_ACROSS * vLength2(across) * vLength2(way))
            return along < 0.0f;
    }
    return fieldOwner(field, search->p) == piece;
}

static FieldHit hitOf(const SkinSearch* search, bool inside)
{
    Vec3 flat = vNormalize(acrossOf(search)), normal = flat;
    // Near the surface the direction to the closest point is noise; the feature's own normal is not, and within the
    // feature they are the same.
    if (!isOnIt(search, PROBE_NOISE) && !(search->onFace && !isNeedle(search)))
        normal = vScale((inside ? -1.0f : 1.0f) / search->distance, vSub(search->p, search->point));
    // A facing feature may be seen from behind its edge; then its plane speaks, not the way to the edge.
    if (search->cone != NULL && vDot(normal, flat) <= 0.0f)
        normal = flat;
    return (FieldHit){inside ? -search->distance : search->distance, normal, search->point, search->feature};
}

// Outside, the closest surface is the one that is touched first. Inside, one that faces the sample is preferred while
// it is about as near: the corner of a box that stands near the rim of another goes back up, not out sideways.
static void preferFacing(const FragmentField* field, int piece, const NormalCone* cone, SkinSearch* search)
{
    float band = field->rest->cells->band;
    float limit = minF(maxF(FACING_REACH * search->distance, FACING_BAND * band), band);
    if (search->distance >= limit)
        return;
    if (coneFaces(cone, acrossOf(search))) {
        search->cone = cone;
        return;
    }
    SkinSearch facing = skinSearch(search->p, limit, cone);
    searchPiece(field, piece, &facing);
    if (facing.feature != noFeature)
        *search = facing;
}

// The closest surface around a point deep inside.
static void searchInside(const FragmentField* field, int piece, float bound, SkinSearch* search)
{
    *search = skinSearch(search->p, bound > 0.0f ? bound : INFINITY, NULL);
    searchPiece(field, piece, search);
    if (search->feature != noFeature)
        return;
    *search = skinSearch(search->p, INFINITY, NULL); // nothing within the bound, for rounding
    searchPiece(field, piece, search);
}

bool fieldProbe(const FragmentField* field, int piece, const FieldProbe* probe, FieldHit* hit)
{
    if (field->paper.nodes != NULL && !probe->outside && fieldOwner(field, probe->p) == piece) {
        paperProbe(field, piece, probe->p, hit);
        return -hit->distance >= probe->depth;
    }
    // Who is no deeper than the bound, and has no surface within it, is outside.
    float wanted = maxF(probe->reach, probe->depth), bound = BOUND_SLACK * probe->bound;
    bool decides =
        !probe->outside && probe->bound > 0.0f && bound <= maxF(BOUND_REACH * field->rest->cells->cell, wanted);
    SkinSearch search = skinSearch(probe->p, decides ? maxF(wanted, bound) : wanted, NULL);
    if (probe->reach < probe->depth)
        search.enough = probe->depth; // nearer is neither outside within reach nor deep inside
    searchPiece(field, piece, &search);
    bool inside;
    if (search.feature == noFeature) {
        inside = !probe->outside && !decides && fieldOwner(field, probe->p) == piece;
        if (!inside)
            return false;
        searchInside(field, piece, probe->bound, &search);
    } else {
        if (search.distance >= probe->reach && search.distance < probe->depth)
            return false;
        inside = !probe->outside && isInside(field, piece, &search);
        if (inside ? search.distance < probe->depth : search.distance >= probe->reach)
            return false;
    }
    if (inside && probe->cone != NULL && probe->cone->count > 0)
        preferFacing(field, piece, probe->cone, &search);
    *hit = hitOf(&search, inside);
    return true;
}

bool fieldProbeFar(const FragmentField* field, int piece, Vec3 p, float reach, FieldHit* hit)
{
    return fieldProbe(field, piece, &(FieldProbe){.p = p, .reach = reach}, hit);
}

bool fieldClosest(const FragmentField* field, int piece, Vec3 p, float reach, FieldHit* hit)
{
    SkinSearch search = skinSearch(p, reach, NULL);
    searchPiece(field, piece, &search);
    if (search.feature == noFeature)
        return false;
    *hit = hitOf(&search, isInside(field, piece, &search));
    return true;
}

NodeField fieldNode(const FragmentField* field, int node)
{
    const RestField* rest = field->rest;
    if (field->labels == NULL)
        return (NodeField){rest->nodeDistances[node], rest->nodeFeatures[node]};
    SkinSearch search = skinSearch(rest->mesh->nodes[node], INFINITY, NULL);
    searchPiece(field, field->labels[node], &search);
    // The surface's own nodes have distance zero, not a rounding of it.
    bool zero = rest->nodeDistances[node] == 0.0f && search.feature != noFeature;
    return (NodeField){zero ? 0.0f : search.distance, search.feature};
}

float fieldNodeDistance(const FragmentField* field, int node)
{
    if (field->paper.nodes != NULL)
        return field->paper.nodes[node].distance;
    float rest = field->rest->nodeDistances[node];
    return field->labels == NULL || rest == 0.0f ? rest : fieldNode(field, node).distance;
}

// ---- surfaces -------------------------------------------------------------------------------------------------------

enum { cutsAtOnce = 64 };

// Features on their way to whoever visits them.
typedef struct SurfaceBlock {
    SurfaceVisit* visit;
    void* user;
    int count;
    int features[surfaceBlockSize];
} SurfaceBlock;

static inline void addFeature(SurfaceBlock* block, int feature)
{
    block->features[block->count++] = feature;
    if (block->count == surfaceBlockSize) {
        block->visit(block->features, block->count, block->user);
        block->count = 0;
    }
}

// The cut tetrahedra among some of those around a node.
typedef struct CutsAround {
    int count, next; // `next`: where in nodeTets the search goes on
    int tets[cutsAtOnce], places[cutsAtOnce];
} CutsAround;

// No branch depends on what is cut, which nobody can foresee. What a large solid knows of its cuts is far apart in
// memory: told before it is needed, it is there in time.
static void findCuts(const FragmentField* field, int from, int end, CutsAround* cuts)
{
    const TetTopology* topology = field->rest->topology;
    int count = 0;
    cuts->next = minI(end, from + cutsAtOnce);
    for (int k = from; k < cuts->next; ++k) {
        int t = topology->nodeTets[k], place = field->tetCuts[t];
        cuts->tets[count] = t;
        cuts->places[count] = place;
        count += place >= 0;
    }
    cuts->count = count;
    for (int i = 0; i < count; ++i)
        __builtin_prefetch(&field->cutTets.data[cuts->places[i]]);
}

// Triangles at a node up to those of a tetrahedron.
static int addTriangles(const FragmentField* field, int next, int end, int tet, SurfaceBlock* block)
{
    const TetTopology* topology = field->rest->topology;
    for (; next < end && topology->triangleTets[topology->nodeTriangles[next]] <= tet; ++next) {
        if (!field->triangleIsCut[topology->nodeTriangles[next]])
            addFeature(block, topology->nodeTriangles[next]);
    }
    return next;
}

static void addAround(const FragmentField* field, int node, CutsAround* cuts, SurfaceBlock* block)
{
    const TetTopology* topology = field->rest->topology;
    int next = topology->nodeTriangleStart[node], end = topology->nodeTriangleStart[node + 1];
    for (;;) {
        for (int i = 0; i < cuts->count; ++i) {
            next = addTriangles(field, next, end, cuts->tets[i], block);
            const CutTet* cut = &field->cutTets.data[cuts->places[i]];
            int corner = (cut->nodes[1] == node) + 2 * (cut->nodes[2] == node) + 3 * (cut->nodes[3] == node);
            for (int f = cut->facets[corner]; f < cut->facets[corner] + cut->facetCount[corner]; ++f) {
                __builtin_prefetch(&field->facets.data[f]);
                addFeature(block, ~f);
            }
        }
        if (cuts->next == topology->nodeTetStart[node + 1])
            break;
        findCuts(field, cuts->next, topology->nodeTetStart[node + 1], cuts);
    }
    addTriangles(field, next, end, INT_MAX, block);
}

// Around its nodes, so that a thousand pieces do not cost a thousand times the solid; a node ahead.
static void addPiece(const FragmentField* field, const Piece* piece, SurfaceBlock* block)
{
    const int* starts = field->rest->topology->nodeTetStart;
    const int* nodes = &field->nodeOrder[piece->first];
    CutsAround cuts[2];
    findCuts(field, starts[nodes[0]], starts[nodes[0] + 1], &cuts[0]);
    for (int i = 0; i < piece->count; ++i) {
        if (i + 1 < piece->count)
            findCuts(field, starts[nodes[i + 1]], starts[nodes[i + 1] + 1], &cuts[(i + 1) % 2]);
        addAround(field, nodes[i], &cuts[i % 2], block);
    }
}

void fieldSurfaceFeatures(const FragmentField* field, int piece, SurfaceVisit* visit, void* user)
{
    SurfaceBlock block = {.visit = visit, .user = user, .count = 0};
    if (field->labels == NULL) {
        for (int t = 0; t < field->rest->mesh->triangleCount; ++t)
            addFeature(&block, t);
    } else {
        addPiece(field, &field->pieces.data[piece], &block);
    }
    if (block.count > 0)
        visit(block.features, block.count, user);
}

typedef struct TriangleVisit {
    const FragmentField* field;
    void (*visit)(const Vec3 p[3], int source, void* user);
    void* user;
} TriangleVisit;

static void visitTriangles(const int* features, int count, void* user)
{
    const TriangleVisit* each = user;
    for (int i = 0; i < count; ++i) {
        Vec3 corners[3];
        fieldFeature(each->field, features[i], corners);
        each->visit(corners, features[i] < 0 ? each->field->facets.data[~features[i]].source : features[i], each->user);
    }
}

void fieldSurface(const FragmentField* field, int piece, void (*visit)(const Vec3 p[3], int source, void* user),
                  void* user)
{
    fieldSurfaceFeatures(field, piece, visitTriangles, &(TriangleVisit){field, visit, user});
}
