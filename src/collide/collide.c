// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Selecting a pair's contacts (G1, G9).
//
// Last query's contacts come first and stay while they are within the margin. Then both searches, side by side, add
// samples until there are twice as many as the limit leaves room for, of which those far from each other are kept
// (worlds, which choose by themselves, get the first ones: `plain`). What is left of the walks hunts for samples that
// are clearly nearer than all selected ones. One deeper than the tolerance is added, and raises the limit; one that is
// not takes the farthest one's place.
#include "collide/query.h"
#include "collide/spread.h"
#include "core/constants.h"
#include "core/message.h"
#include "core/quat.h"

#define COLLIDE_COOKIE 0x53484351u // "SHCQ"

// One query under way.
typedef struct Meeting {
    shQuery* query;
    const shCollideDef* def;
    shTransform frames[2]; // of A and B
    Target targets[2];     // what A's samples meet, what B's meet
    bool sampled[2];       // has samples in a tree
    bool again;            // some contacts were there before the walk, which may come upon them
    float margin, tolerance;
    int limit, most;
} Meeting;

shCollideDef shDefaultCollideDef(void) { return (shCollideDef){.cookie = COLLIDE_COOKIE}; }

shStatus shCreateQuery(shContext* context, shQuery** query, shMessage* message)
{
    if (context == NULL || query == NULL)
        return fail(message, shInvalid, "query: context and query must not be null");
    *query = NEW_ZEROED(&context->memory, shQuery, 1);
    if (*query == NULL)
        return failMemory(message);
    (*query)->memory = &context->memory;
    return shOk;
}

void shDestroyQuery(shQuery* query)
{
    if (query == NULL)
        return;
    for (int side = 0; side < 2; ++side)
        arrayFree(query->memory, &query->searches[side].queue);
    arrayFree(query->memory, &query->contacts);
    arrayFree(query->memory, &query->sweep);
    arrayFree(query->memory, &query->sweepNodes);
    arrayFree(query->memory, &query->ridges);
    FREE_ARRAY(query->memory, query, 1);
}

void queryRoomAs(shQuery* query, const shQuery* other)
{
    bool enough = true;
    for (int side = 0; side < 2; ++side)
        enough =
            enough && arrayReserve(query->memory, &query->searches[side].queue, other->searches[side].queue.capacity);
    enough = enough && arrayReserve(query->memory, &query->contacts, other->contacts.capacity);
    enough = enough && arrayReserve(query->memory, &query->sweep, other->sweep.capacity);
    enough = enough && arrayReserve(query->memory, &query->sweepNodes, other->sweepNodes.capacity);
    (void)(enough && arrayReserve(query->memory, &query->ridges, other->ridges.capacity));
}

shCollideStats shQuery_GetStats(const shQuery* query) { return query->stats; }

static bool isTaken(const Meeting* meeting, uint32_t id)
{
    const shQuery* query = meeting->query;
    for (int i = 0; i < query->contacts.count; ++i) {
        if (query->contacts.data[i].id == id)
            return true;
    }
    return false;
}

static bool addContact(Meeting* meeting, int side, uint32_t sample, const FieldHit* hit, Vec3 point)
{
    shQuery* query = meeting->query;
    uint32_t id = (uint32_t)side << 31 | sample;
    if (meeting->again && isTaken(meeting, id))
        return true;
    if (!arrayReserve(query->memory, &query->contacts, maxI(query->contacts.count + 1, QUERY_CONTACTS)))
        return false;
    Vec3 normal = qRotate(meeting->frames[1 - side].q, hit->normal);
    query->contacts.data[query->contacts.count++] =
        (shContact){point, side == 0 ? normal : vNeg(normal), hit->distance, id};
    return true;
}

static bool addSample(Meeting* meeting, int side, const Sample* sample)
{
    Vec3 rest = meeting->query->searches[side].points[sample->point].p;
    return addContact(meeting, side, (uint32_t)sample->point, &sample->hit, xformPoint(meeting->frames[side], rest));
}

// A surface that does not look against the sample is beside it, not in its way. Unless the sample is deep: then it must
// get out, whichever way.
static bool isContact(const Meeting* meeting, int side, const Sample* sample)
{
    return sample->hit.distance < -meeting->tolerance || searchFaces(&meeting->query->searches[side], sample);
}

// Pieces of one solid lay side by side before they moved: a sample is no deeper in the other piece than its own way
// against it since then. That is at most what the corners of its piece's box have moved. Right after a break, when
// every crack is a close contact, this spares the hunt through all of its samples.
static float deepestPossible(const Meeting* meeting, int side)
{
    const Target *mine = &meeting->targets[1 - side], *other = &meeting->targets[side];
    if (mine->solid == NULL || mine->solid != other->solid || mine->piece == other->piece)
        return INFINITY; // strangers, or one piece in two places
    float most = 0.0f;
    for (int k = 0; k < 8; ++k) {
        Vec3 corner = {k & 1 ? mine->box.upper.x : mine->box.lower.x, k & 2 ? mine->box.upper.y : mine->box.lower.y,
                       k & 4 ? mine->box.upper.z : mine->box.lower.z};
        most = maxF(most, vDistance2(xformPoint(meeting->frames[0], corner), xformPoint(meeting->frames[1], corner)));
    }
    return sqrtf(most);
}

// Samples below this distance are worth a contact when no more are allowed: those by the tolerance nearer than the
// nearest selected one, or, once that penetrates, those clearly deeper. What will touch first always has its contact.
static float huntBelow(const Meeting* meeting, float nearest)
{
    return nearest > 0.0f ? nearest - meeting->tolerance : minF(-meeting->tolerance, DEEPER * nearest);
}

// ---- edges ----------------------------------------------------------------------------------------------------------

// Where a point of a side's edge is to the other surface, if that is of interest.
static bool probeEdge(const Meeting* meeting, int side, Vec3 world, float reach, FieldHit* hit)
{
    const Target* target = &meeting->targets[side];
    Vec3 p = xformUnpoint(meeting->frames[1 - side], world);
    TargetSample known = targetSample(target, p);
    if (known.distance >= reach && target->scenery == NULL)
        return false;
    bool found;
    targetProbe(target, p, &known, reach, reach, NULL, &found, hit);
    return found;
}

// Is a point of a side's edge inside the other body? Who owns it is known at less cost than how far the surface is.
static bool isInside(const Meeting* meeting, int side, Vec3 world)
{
    const Target* target = &meeting->targets[side];
    FieldHit hit;
    if (target->solid == NULL)
        return probeEdge(meeting, side, world, 0.0f, &hit) && hit.distance < 0.0f;
    return fieldOwner(&target->solid->field, xformUnpoint(meeting->frames[1 - side], world)) == target->piece;
}

// Does a surface look against one of the faces of an edge? Normal and edge in B's frame, the normal into the edge's
// own body.
static bool facesEdge(const EdgeList* list, int edge, Vec3 normal)
{
    Vec3 rows[4];
    for (int row = 0; row < 4; ++row)
        rows[row] = vec3(list->rows[3 * row][edge], list->rows[3 * row + 1][edge], list->rows[3 * row + 2][edge]);
    Vec3 way = vNormalize(vSub(rows[1], rows[0]));
    return minF(vDot(normal, vCross(rows[2], way)), vDot(normal, vCross(way, rows[3]))) < -FACING_MARGIN;
}

// Where edges overlap the shallowest way out counts, as for a sample the nearest face: a crossing that is not the
// shallowest of both its edges is dropped.
static int keepShallowest(const EdgeCrossing* crossings, int count, EdgeCrossing* kept)
{
    int many = 0;
    for (int i = 0; i < count; ++i) {
        const EdgeCrossing* x = &crossings[i];
        bool shallowest = true;
        for (int k = 0; k < count && shallowest && x->gap < 0.0f && x->inA && x->inB; ++k) {
            const EdgeCrossing* y = &crossings[k];
            shallowest = !((y->a == x->a || y->b == x->b) && y->inA && y->inB && y->gap < 0.0f && y->gap > x->gap);
        }
        if (shallowest)
            kept[many++] = *x;
    }
    return many;
}

// The closest first; of equally close ones the one with the lower edges.
static bool isBefore(const Meeting* meeting, const EdgeCrossing* x, const EdgeCrossing* y)
{
    const EdgeList* lists = meeting->query->edges;
    float gapX = fabsf(x->gap), gapY = fabsf(y->gap);
    if (gapX != gapY)
        return gapX < gapY;
    if (x->a != y->a)
        return lists[0].ids[x->a] < lists[0].ids[y->a];
    return lists[1].ids[x->b] < lists[1].ids[y->b];
}

static void sortCrossings(const Meeting* meeting, EdgeCrossing* crossings, int count)
{
    for (int i = 1; i < count; ++i) {
        EdgeCrossing moved = crossings[i];
        int k = i;
        for (; k > 0 && isBefore(meeting, &moved, &crossings[k - 1]); --k)
            crossings[k] = crossings[k - 1];
        crossings[k] = moved;
    }
}

enum { touchesMost = 64 };

// A contact of two edges, or of the end of one.
typedef struct EdgeTouch {
    int side; // whose edge has the point
    uint32_t id;
    Vec3 point; // world
    FieldHit hit;
} EdgeTouch;

// What a crossing is: a contact, or nothing. No overlap is deeper than `possible`, though chains of edges have been
// straightened.
static bool touchEdges(const Meeting* meeting, const EdgeCrossing* at, float possible, EdgeTouch* touch)
{
    const EdgeList* lists = meeting->query->edges;
    const shTransform* frames = meeting->frames;
    bool both = at->inA && at->inB;
    int side = both || !at->inB ? 0 : 1;
    touch->side = side;
    touch->point = xformPoint(frames[1], side == 0 ? at->onA : at->onB);
    touch->id = CONTACT_OF_EDGES | (uint32_t)lists[0].ids[at->a] << 15 | (uint32_t)lists[1].ids[at->b];
    float reach = maxF(fabsf(at->gap), meeting->margin) + meeting->tolerance;
    if (both) { // an edge that crosses another behind it is no contact
        Vec3 other = xformPoint(frames[1], at->onB);
        bool deep = at->gap < 0.0f, inside = isInside(meeting, 0, touch->point);
        if (deep && !inside) { // of acute edges only one may be inside, or neither quite
            FieldHit hit;
            inside = isInside(meeting, 1, other) || (probeEdge(meeting, 0, touch->point, reach, &touch->hit) &&
                                                     probeEdge(meeting, 1, other, reach, &hit) &&
                                                     maxF(hit.distance, touch->hit.distance) < -EDGE_BESIDE * at->gap);
        }
        if (inside != deep)
            return false;
        touch->hit = (FieldHit){.distance = at->gap, .normal = at->normal};
    } else {
        bool near = probeEdge(meeting, side, touch->point, reach, &touch->hit);
        if (!near || touch->hit.distance >= 0.0f) { // of acute edges the other one may be inside
            Vec3 point = xformPoint(frames[1], side == 0 ? at->onB : at->onA);
            FieldHit other;
            if (probeEdge(meeting, 1 - side, point, reach, &other) && other.distance < 0.0f) {
                near = true;
                side = touch->side = 1 - side;
                touch->point = point;
                touch->hit = other;
            }
        }
        if (!near || touch->hit.distance >= meeting->margin)
            return false;
        Vec3 normal = side == 0 ? touch->hit.normal : qUnrotate(frames[1].q, qRotate(frames[0].q, touch->hit.normal));
        if (touch->hit.distance >= -meeting->tolerance && !facesEdge(&lists[side], side == 0 ? at->a : at->b, normal))
            return false;
    }
    touch->hit.distance = maxF(touch->hit.distance, -possible);
    return true;
}

// An end of an edge that no sample speaks for.
typedef struct EdgeEnd {
    int edge, end;
    Vec3 inB, p;        // in B's frame, in the target's
    TargetSample known; // of p
} EdgeEnd;

static int endsOf(const EdgeList* list, EdgeEnd ends[2 * edgesMost])
{
    int count = 0;
    for (int i = 0; i < 2 * list->count; ++i) {
        int edge = i / 2, end = i % 2;
        if (((unsigned)list->rows[12][edge] >> end & 1u) != 0)
            ends[count++] = (EdgeEnd){
                .edge = edge,
                .end = end,
                .inB = vec3(list->rows[3 * end][edge], list->rows[3 * end + 1][edge], list->rows[3 * end + 2][edge])};
    }
    return count;
}

// What is known of them without a look at the surface; those that are too far are dropped. `frame` leads from B's frame
// to the target's.
static int boundEnds(const Meeting* meeting, int side, const TargetFrame* frame, EdgeEnd* ends, int count)
{
    int near = 0;
    for (int first = 0; first < count; first += targetBatch) {
        TargetBatch batch = {.x = {0.0f}};
        int many = minI(count - first, targetBatch);
        for (int i = 0; i < many; ++i) {
            Vec3 p = ends[first + i].inB;
            batch.x[i] = p.x, batch.y[i] = p.y, batch.z[i] = p.z;
        }
        targetLookUp(&meeting->targets[side], frame, &batch, many, meeting->margin);
        for (int i = 0; i < many; ++i) {
            if (batch.distance[i] >= meeting->margin)
                continue;
            ends[near] = ends[first + i];
            ends[near].p = vec3(batch.x[i], batch.y[i], batch.z[i]);
            ends[near++].known = (TargetSample){batch.distance[i], batch.rest[i], batch.depth[i]};
        }
    }
    return near;
}

// The deepest ends, as far as their bounds tell, until there are `most` touches and none can be clearly deeper. Adds to
// the touches and returns how many there are then.
static int touchCorners(Meeting* meeting, const TargetFrame frames[2], float possible, int most, EdgeTouch* touches,
                        int count)
{
    shQuery* query = meeting->query;
    float nearest = meeting->margin;
    for (int i = 0; i < count; ++i)
        nearest = minF(nearest, touches[i].hit.distance);
    for (int side = 0; side < 2; ++side) {
        const EdgeList* list = &query->edges[side];
        EdgeEnd ends[2 * edgesMost];
        int found = endsOf(list, ends), until = side == 0 && !meeting->def->all ? (count + most + 1) / 2 : most;
        query->stats.visited += found;
        found = boundEnds(meeting, side, &frames[side], ends, found);
        for (int i = 0; i < found && count < touchesMost; ++i) {
            int deepest = i;
            for (int k = i + 1; k < found; ++k)
                deepest = ends[k].known.distance < ends[deepest].known.distance ? k : deepest;
            EdgeEnd end = ends[deepest];
            ends[deepest] = ends[i];
            if (count >= until && maxF(end.known.distance, -possible) >= huntBelow(meeting, nearest))
                break;
            EdgeTouch touch = {.side = side, .point = xformPoint(meeting->frames[1], end.inB)};
            FieldHit* hit = &touch.hit;
            bool close;
            targetProbe(&meeting->targets[side], end.p, &end.known, meeting->margin, meeting->margin, NULL, &close,
                        hit);
            if (!close)
                continue;
            Vec3 normal =
                side == 0 ? hit->normal : qUnrotate(meeting->frames[1].q, qRotate(meeting->frames[0].q, hit->normal));
            if (hit->distance >= -meeting->tolerance && !facesEdge(list, end.edge, normal))
                continue;
            hit->distance = maxF(hit->distance, -possible);
            touch.id = CONTACT_OF_EDGES | (uint32_t)list->ids[end.edge] << 15 | (uint32_t)(CONTACT_OF_CORNER + end.end);
            touches[count++] = touch;
            nearest = minF(nearest, hit->distance);
        }
    }
    return count;
}

// Contacts of the edges that cross closest and of corners, the deepest first, three quarters of what is allowed at
// most.
static bool addEdges(Meeting* meeting, const EdgeSet sets[2], float deep)
{
    shQuery* query = meeting->query;
    const TargetFrame same = {{{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}}, {0.0f, 0.0f, 0.0f}};
    TargetFrame toB = searchFrame(meeting->frames[0], meeting->frames[1]);
    TargetFrame toA = searchFrame(meeting->frames[1], meeting->frames[0]);
    edgesNear(&sets[0], &meeting->targets[0], &toB, &toB, meeting->margin, &query->edges[0]);
    edgesNear(&sets[1], &meeting->targets[1], &toA, &same, meeting->margin, &query->edges[1]);
    query->stats.visited += sets[0].count + sets[1].count;
    float possible = deepestPossible(meeting, 0);
    EdgeCrossing found[crossingsMost], crossings[crossingsMost];
    int count = 0, most = meeting->def->all ? touchesMost : meeting->limit - meeting->limit / 4;
    for (int a = 0; a < query->edges[0].count && query->edges[1].count > 0; ++a)
        count = SIMD_CHOOSE(edgesCross)(&query->edges[0], a, &query->edges[1], meeting->margin, deep, found, count);
    count = keepShallowest(found, count, crossings);
    sortCrossings(meeting, crossings, count);
    EdgeTouch touches[touchesMost];
    int touching = 0;
    for (int i = 0; i < minI(count, EDGE_PROBES); ++i)
        touching += touchEdges(meeting, &crossings[i], possible, &touches[touching]);
    TargetFrame cornerFrames[2] = {same, searchFrame(meeting->frames[1], meeting->frames[0])};
    touching = touchCorners(meeting, cornerFrames, possible, most, touches, touching);
    for (int kept = 0; kept < touching; ++kept) {
        int deepest = kept;
        for (int i = kept + 1; i < touching; ++i)
            deepest = touches[i].hit.distance < touches[deepest].hit.distance ? i : deepest;
        EdgeTouch touch = touches[deepest];
        touches[deepest] = touches[kept];
        if (kept >= most)
            break;
        ++query->stats.colliding;
        if (!addContact(meeting, touch.side, touch.id, &touch.hit, touch.point))
            return false;
    }
    return true;
}

// Where no edges cross and no corner touches: none are nearer than this.
static float edgesClear(const Meeting* meeting)
{
    const EdgeList* lists = meeting->query->edges;
    return minF(lists[0].count == 0 ? lists[0].clear : meeting->margin,
                lists[1].count == 0 ? lists[1].clear : meeting->margin);
}

// ---- samples --------------------------------------------------------------------------------------------------------

// Last query's contacts that still hold.
static bool keepContacts(Meeting* meeting, const shCollider* const colliders[2], const shPair* pair)
{
    int remembered = pair != NULL ? minI(pair->contactCount, SH_MAX_CONTACTS) : 0;
    for (int i = 0; i < remembered; ++i) {
        int side = (int)(pair->contacts[i] >> 31), point = (int)(pair->contacts[i] & 0x7fffffffu);
        if (!meeting->sampled[side])
            continue;
        const shCollider* collider = colliders[side];
        int count = collider->solid->asset->mesh.nodeCount + 2 * collider->solid->field.cuts.count;
        if (point >= count || treePointLabel(&collider->solid->field, point) != collider->piece)
            continue;
        Sample sample;
        const Search* search = &meeting->query->searches[side];
        if (searchTest(search, point, meeting->margin, &sample) && isContact(meeting, side, &sample) &&
            !addSample(meeting, side, &sample))
            return false;
    }
    return true;
}

static void dropFarthest(shQuery* query)
{
    shContact* contacts = query->contacts.data;
    int farthest = 0;
    for (int i = 1; i < query->contacts.count; ++i) {
        if (contacts[i].distance > contacts[farthest].distance)
            farthest = i;
    }
    contacts[farthest] = contacts[--query->contacts.count];
}

// How many contacts to choose from: with more of them the choice hardly gets better.
static int gatherFor(const Meeting* meeting, int kept)
{
    int limit = meeting->limit;
    if (meeting->query->plain || limit >= spreadMost)
        return limit;
    return minI(limit + (limit - kept), spreadMost);
}

// Both searches in turn until there are enough to choose from; then only for what is nearer.
static bool selectContacts(Meeting* meeting)
{
    shQuery* query = meeting->query;
    bool open[2] = {meeting->sampled[0], meeting->sampled[1]};
    int kept = query->contacts.count, many = gatherFor(meeting, kept);
    for (int side = 0; (open[0] || open[1]) && query->contacts.count < many; side = 1 - side) {
        if (!open[side])
            continue;
        Sample sample;
        open[side] = searchNext(&query->searches[side], meeting->margin, &sample);
        query->stats.colliding += open[side];
        bool taken = open[side] && (meeting->def->all || isContact(meeting, side, &sample));
        if (taken && !addSample(meeting, side, &sample))
            return false;
    }
    if (query->contacts.count > meeting->limit) {
        spreadContacts(query->contacts.data, query->contacts.count, kept, meeting->limit);
        query->contacts.count = meeting->limit;
    }
    float nearest = meeting->margin;
    for (int i = 0; i < query->contacts.count; ++i)
        nearest = minF(nearest, query->contacts.data[i].distance);
    float possible[2] = {0.0f, 0.0f};
    for (int side = 0; side < 2; ++side)
        possible[side] = open[side] ? deepestPossible(meeting, side) : 0.0f;
    for (int side = 0; open[0] || open[1]; side = 1 - side) {
        if (!open[side])
            continue;
        float below = huntBelow(meeting, nearest);
        Sample sample;
        open[side] = -possible[side] < below && searchNext(&query->searches[side], below, &sample);
        if (!open[side] || !isContact(meeting, side, &sample))
            continue;
        nearest = minF(nearest, sample.hit.distance);
        bool deeper = sample.hit.distance < -meeting->tolerance;
        if (deeper)
            query->stats.deeper = 1;
        if (query->contacts.count >= (deeper ? meeting->most : meeting->limit))
            dropFarthest(query);
        if (!addSample(meeting, side, &sample))
            return false;
    }
    return true;
}

static void remember(const Meeting* meeting, shPair* pair)
{
    const shQuery* query = meeting->query;
    pair->limit = meeting->limit;
    pair->contactCount = minI(query->contacts.count, SH_MAX_CONTACTS);
    for (int i = 0; i < pair->contactCount; ++i)
        pair->contacts[i] = query->contacts.data[i].id;
    if (query->contacts.count == 0) {
        pair->limit = SH_FIRST_CONTACTS;
        pair->clean = 0;
    } else if (query->stats.deeper) {
        pair->limit = minI(meeting->limit + 1, meeting->most);
        pair->clean = 0;
    } else if (++pair->clean > LIMIT_PATIENCE && pair->limit > SH_FIRST_CONTACTS) {
        --pair->limit;
    }
}

// A shape's own samples against the piece.
static bool addShapeSamples(Meeting* meeting, const shShape* shape)
{
    const Target* piece = &meeting->targets[1];
    int count = targetShapeSampleCount(shape);
    for (int i = 0; i < count && meeting->query->contacts.count < meeting->limit; ++i) {
        float radius;
        Vec3 p = targetShapeSample(shape, i, &radius);
        Vec3 world = xformPoint(meeting->frames[1], p);
        FieldHit hit;
        ++meeting->query->stats.visited;
        if (!targetProbeFar(piece, xformUnpoint(meeting->frames[0], world), radius + meeting->margin, &hit))
            continue;
        hit.distance -= radius;
        Vec3 outward = qRotate(meeting->frames[0].q, hit.normal); // of the piece
        if (hit.distance >= meeting->margin)
            continue;
        ++meeting->query->stats.colliding;
        if (!addContact(meeting, 1, (uint32_t)i, &hit, vMad(world, -radius, outward)))
            return false;
    }
    return true;
}

// Scenery's ridges against the piece: the deepest, half of what is allowed at most.
typedef struct RidgeMeeting {
    Meeting* meeting;
    const SceneryPatch* patch;
    Mat3 rotation; // from the scenery's frame to the piece's
    int count;     // contacts so far
    bool enough;   // memory
} RidgeMeeting;

static bool meetRidgeSample(int number, Vec3 p, void* user)
{
    RidgeMeeting* ridges = user;
    Meeting* meeting = ridges->meeting;
    shQuery* query = meeting->query;
    const shScenery* scenery = ridges->patch->scenery;
    NormalCone cone = coneTurn(&scenery->ridges[scenerySampleRidge(scenery, number)].cone, ridges->rotation);
    TargetSample known = targetSample(&meeting->targets[1], p);
    bool found;
    FieldHit hit;
    ++query->stats.visited;
    targetProbe(&meeting->targets[1], p, &known, meeting->margin, meeting->margin, cone.count > 0 ? &cone : NULL,
                &found, &hit);
    if (!found)
        return true;
    ++query->stats.colliding;
    if (!meeting->def->all && ridges->count >= meeting->limit / 2) {
        // A clearly deeper one takes the place of the last of them.
        int last = -1;
        for (int i = 0; i < query->contacts.count; ++i)
            if (query->contacts.data[i].id >> 31 &&
                (last < 0 || query->contacts.data[i].distance > query->contacts.data[last].distance))
                last = i;
        if (last < 0 || hit.distance > query->contacts.data[last].distance - meeting->tolerance)
            return true;
        query->contacts.data[last] = query->contacts.data[--query->contacts.count];
        --ridges->count;
    }
    ++ridges->count;
    ridges->enough =
        addContact(meeting, 1, (uint32_t)number, &hit, xformPoint(meeting->frames[1], scenerySample(scenery, number)));
    return ridges->enough;
}

static bool addRidgeSamples(Meeting* meeting, const SceneryPatch* patch)
{
    shTransform frame = xformMul(xformInverse(meeting->frames[0]), meeting->frames[1]);
    shBox box = meeting->targets[1].box;
    RidgeMeeting ridges = {meeting, patch, qToMat(frame.q), 0, true};
    sceneryRidgeSamples(patch->scenery, frame, boxGrow(box, meeting->margin),
                        RIDGE_SPACING * 0.5f * vLength(boxSize(box)), meetRidgeSample, &ridges);
    return ridges.enough;
}

static shStatus checkArguments(const shCollideDef* def, const shCollider* collider, shTransform transform,
                               shMessage* message)
{
    if (def->cookie != COLLIDE_COOKIE)
        return fail(message, shInvalid, "collide: fill the definition with shDefaultCollideDef() first");
    if (!(def->margin >= 0.0f) || !(def->tolerance >= 0.0f) || !isfinite(def->margin) || !isfinite(def->tolerance))
        return fail(message, shInvalid, "collide: margin and tolerance must be finite and not negative");
    if (collider != NULL && !fieldHasPiece(&collider->solid->field, collider->piece))
        return fail(message, shInvalid, "collide: piece %d does not exist; the solid has %d", collider->piece,
                    fieldPieceCount(&collider->solid->field));
    if (!xformValid(transform))
        return fail(message, shInvalid, "collide: a transform is not finite, or its rotation is no unit quaternion");
    return shOk;
}

static float radiusOf(const shCollider* collider)
{
    const shSolid* solid = collider->solid;
    shBox box = solid->field.labels != NULL ? fieldBox(&solid->field, collider->piece) : solid->asset->box;
    return 0.5f * vLength(boxSize(box));
}

static shStatus meet(Meeting* meeting, const shCollider* const colliders[2], const shShape* shape, const EdgeSet* edges,
                     float deepRadius, shPair* pair, const shContact** contacts, int* contactCount, shMessage* message)
{
    shQuery* query = meeting->query;
    const shCollideDef* def = meeting->def;
    query->contacts.count = 0;
    query->stats = (shCollideStats){0};
    query->clear = 0.0f;
    meeting->margin = def->margin;
    meeting->tolerance = def->tolerance;
    int most = pair != NULL || def->maxContacts == 0 ? SH_MAX_CONTACTS : INT32_MAX;
    meeting->most = def->maxContacts > 0 ? minI(def->maxContacts, most) : most;
    meeting->limit = pair == NULL && def->maxContacts > 0 ? meeting->most : SH_FIRST_CONTACTS;
    if (pair != NULL && pair->limit > 0)
        meeting->limit = pair->limit;
    meeting->limit = def->all ? INT32_MAX : minI(meeting->limit, meeting->most);
    bool enough = true;
    for (int side = 0; side < 2; ++side) {
        Search* search = &query->searches[side];
        search->memory = query->memory;
        search->plainOrder = def->plainOrder;
        meeting->sampled[side] = colliders[side] != NULL;
        if (meeting->sampled[side])
            searchStart(search, colliders[side]->solid, colliders[side]->piece, &meeting->targets[side],
                        meeting->frames[side], meeting->frames[1 - side]);
    }
    if (shape != NULL) // first: what is kept must leave them room
        enough = addShapeSamples(meeting, shape);
    enough = enough && addEdges(meeting, edges, EDGE_DEEP * deepRadius);
    meeting->again = !def->all && pair != NULL;
    if (!def->all)
        enough = enough && keepContacts(meeting, colliders, pair);
    if (meeting->targets[0].scenery != NULL)
        enough = enough && addRidgeSamples(meeting, meeting->targets[0].scenery);
    while (!def->all && query->contacts.count > meeting->limit)
        dropFarthest(query);
    enough = enough && selectContacts(meeting);
    for (int side = 0; side < 2; ++side) {
        if (meeting->sampled[side]) {
            enough = enough && !query->searches[side].failed;
            query->stats.visited += query->searches[side].visited;
        }
    }
    if (!enough)
        return failMemory(message);
    if (meeting->sampled[0] && meeting->sampled[1] && query->stats.colliding == 0 && query->contacts.count == 0)
        query->clear =
            minF(minF(searchClear(&query->searches[0]), searchClear(&query->searches[1])), edgesClear(meeting));
    if (pair != NULL && !def->all)
        remember(meeting, pair);
    *contacts = query->contacts.data;
    *contactCount = query->contacts.count;
    return shOk;
}

shStatus shCollide(shQuery* query, const shCollideDef* def, const shCollider* a, const shCollider* b, shPair* pair,
                   const shContact** contacts, int* contactCount, shMessage* message)
{
    if (query == NULL || def == NULL || contacts == NULL || contactCount == NULL)
        return fail(message, shInvalid, "collide: query, definition and results must not be null");
    *contacts = NULL;
    *contactCount = 0;
    if (a == NULL || b == NULL || a->solid == NULL || b->solid == NULL)
        return fail(message, shInvalid, "collide: a collider has no solid");
    shStatus status = checkArguments(def, a, a->transform, message);
    if (status == shOk)
        status = checkArguments(def, b, b->transform, message);
    if (status != shOk)
        return status;
    Meeting meeting = {.query = query,
                       .def = def,
                       .frames = {a->transform, b->transform},
                       .targets = {targetPiece(b->solid, b->piece), targetPiece(a->solid, a->piece)}};
    shCollideDef filled = *def;
    if (filled.tolerance == 0.0f)
        filled.tolerance = CONTACT_TOLERANCE * minF(radiusOf(a), radiusOf(b));
    meeting.def = &filled;
    const shCollider* const colliders[2] = {a, b};
    const EdgeSet edges[2] = {fieldEdges(&a->solid->field, a->piece), fieldEdges(&b->solid->field, b->piece)};
    return meet(&meeting, colliders, NULL, edges, minF(radiusOf(a), radiusOf(b)), pair, contacts, contactCount,
                message);
}

shStatus shCollideShape(shQuery* query, const shCollideDef* def, const shCollider* a, const shShape* shape,
                        shTransform transform, shPair* pair, const shContact** contacts, int* contactCount,
                        shMessage* message)
{
    if (query == NULL || def == NULL || shape == NULL || contacts == NULL || contactCount == NULL)
        return fail(message, shInvalid, "collide: query, definition, shape and results must not be null");
    *contacts = NULL;
    *contactCount = 0;
    if (a == NULL || a->solid == NULL)
        return fail(message, shInvalid, "collide: the collider has no solid");
    if (!targetShapeValid(shape))
        return fail(message, shInvalid, "collide: the sizes of a shape must be finite and not negative");
    shStatus status = checkArguments(def, a, a->transform, message);
    if (status == shOk)
        status = checkArguments(def, NULL, transform, message);
    if (status != shOk)
        return status;
    Meeting meeting = {.query = query,
                       .frames = {a->transform, transform},
                       .targets = {targetShape(shape), targetPiece(a->solid, a->piece)}};
    shCollideDef filled = *def;
    if (filled.tolerance == 0.0f)
        filled.tolerance = CONTACT_TOLERANCE * radiusOf(a);
    meeting.def = &filled;
    const shCollider* const colliders[2] = {a, NULL};
    float rows[boxEdgeFloats];
    const EdgeSet edges[2] = {fieldEdges(&a->solid->field, a->piece),
                              shape->type == shBoxShape ? edgesOfBox(shape->halfExtent, rows) : (EdgeSet){.count = 0}};
    return meet(&meeting, colliders, shape, edges, radiusOf(a), pair, contacts, contactCount, message);
}

// The box of a piece as the scenery sees it.
static shBox boxSeenFrom(shBox box, shTransform own, shTransform frame)
{
    shBox seen = boxEmpty();
    for (int k = 0; k < 8; ++k) {
        Vec3 corner = {k & 1 ? box.upper.x : box.lower.x, k & 2 ? box.upper.y : box.lower.y,
                       k & 4 ? box.upper.z : box.lower.z};
        seen = boxAdd(seen, xformUnpoint(frame, xformPoint(own, corner)));
    }
    return seen;
}

shStatus shCollideScenery(shQuery* query, const shCollideDef* def, const shCollider* a, const shScenery* scenery,
                          shTransform transform, shPair* pair, const shContact** contacts, int* contactCount,
                          shMessage* message)
{
    if (query == NULL || def == NULL || scenery == NULL || contacts == NULL || contactCount == NULL)
        return fail(message, shInvalid, "collide: query, definition, scenery and results must not be null");
    *contacts = NULL;
    *contactCount = 0;
    if (a == NULL || a->solid == NULL)
        return fail(message, shInvalid, "collide: the collider has no solid");
    shStatus status = checkArguments(def, a, a->transform, message);
    if (status == shOk)
        status = checkArguments(def, NULL, transform, message);
    if (status != shOk)
        return status;
    Target piece = targetPiece(a->solid, a->piece);
    sceneryPatch(scenery, boxSeenFrom(piece.box, a->transform, transform), vLength(boxSize(piece.box)), def->margin,
                 &query->patch);
    shCollideDef filled = *def;
    if (filled.tolerance == 0.0f)
        filled.tolerance = CONTACT_TOLERANCE * radiusOf(a);
    Meeting meeting = {.query = query,
                       .def = &filled,
                       .frames = {a->transform, transform},
                       .targets = {targetScenery(&query->patch), piece}};
    const shCollider* const colliders[2] = {a, NULL};
    const EdgeSet edges[2] = {fieldEdges(&a->solid->field, a->piece), {.count = 0}}; // its ridges are samples
    return meet(&meeting, colliders, NULL, edges, radiusOf(a), pair, contacts, contactCount, message);
}
