// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cli/run_stats.h"

#include "cli/describe.h"
#include "cli/table.h"
#include "core/vec.h"

// All bodies, pieces of broken solids among them, and the triangles of what is made of an asset.
static void survey(const shWorld* world, int* bodies, int* fragments, int* triangles)
{
    *bodies = *fragments = *triangles = 0;
    for (int i = 0; i < shWorld_GetBodyLimit(world); ++i) {
        shBodyId id = shWorld_GetBodyAt(world, i);
        int piece;
        if (id.generation == 0)
            continue;
        ++*bodies;
        const shSolid* solid = shBody_GetSolid(world, id, &piece);
        if (solid == NULL)
            continue;
        *fragments += shSolid_GetPieceCount(solid) > 1;
        *triangles += shSolid_GetPiece(solid, piece).triangleCount;
    }
}

// Where everything is: enough digits to give the same floats back.
static void writePoses(const RunStats* stats, const shWorld* world, double time)
{
    for (int i = 0; i < shWorld_GetBodyLimit(world); ++i) {
        shBodyId id = shWorld_GetBodyAt(world, i);
        if (id.generation == 0)
            continue;
        shTransform x = shBody_GetTransform(world, id);
        fprintf(stats->poses, "%d,%.9g,%d,%u,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n", stats->steps, time, i,
                (unsigned)id.generation, (double)x.p.x, (double)x.p.y, (double)x.p.z, (double)x.q.v.x, (double)x.q.v.y,
                (double)x.q.v.z, (double)x.q.s);
    }
}

void statsStart(RunStats* stats, const shWorld* world)
{
    int fragments;
    survey(world, &stats->bodiesStart, &fragments, &stats->trianglesStart);
    if (stats->csv != NULL)
        fputs("step,time_s,total_ms,broad_ms,collide_ms,islands_ms,prepare_ms,solve_ms,finish_ms,sweep_ms,fracture_ms,"
              "bodies,awake,pairs,touching,contacts,broken,deferred\n",
              stats->csv);
    if (stats->poses != NULL) {
        fputs("step,time_s,body,generation,x,y,z,qx,qy,qz,qw\n", stats->poses);
        writePoses(stats, world, 0.0);
    }
}

static void count(RunCount* counter, int value)
{
    counter->sum += value;
    counter->most = maxI(counter->most, value);
}

void statsStep(RunStats* stats, const shWorld* world, double time)
{
    shProfile p = shWorld_GetProfile(world);
    shCounters c = shWorld_GetCounters(world);
    const double ms[stageCount] = {(double)p.total, (double)p.broad + (double)p.collide + (double)p.sweep,
                                   (double)p.islands + (double)p.prepare + (double)p.solve + (double)p.finish,
                                   (double)p.fracture};
    for (int i = 0; i < (int)stageCount; ++i) {
        stats->sum[i] += ms[i];
        stats->most[i] = maxD(stats->most[i], ms[i]);
    }
    count(&stats->contacts, c.contacts);
    count(&stats->touching, c.touching);
    count(&stats->pairs, c.pairs);
    ++stats->steps;
    if (stats->poses != NULL)
        writePoses(stats, world, time);
    if (stats->csv != NULL)
        fprintf(stats->csv, "%d,%.9g,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%d,%d,%d,%d,%d,%d,%d\n", stats->steps,
                time, (double)p.total, (double)p.broad, (double)p.collide, (double)p.islands, (double)p.prepare,
                (double)p.solve, (double)p.finish, (double)p.sweep, (double)p.fracture, c.bodies, c.awake, c.pairs,
                c.touching, c.contacts, c.broken, c.deferred);
}

void statsEnd(RunStats* stats, const shWorld* world)
{
    shCounters c = shWorld_GetCounters(world);
    survey(world, &stats->bodies, &stats->fragments, &stats->triangles);
    stats->breaks = c.breaks;
    stats->bytes = c.bytes;
    stats->dustMass = c.dustMass;
    stats->removedMass = c.removedMass;
    stats->hash = shWorld_GetHash(world);
}

static double mean(double sum, int steps) { return steps > 0 ? sum / steps : 0.0; }

void statsPrint(const RunStats* stats, const Script* script, int threads, const char* clock)
{
    static const char* const stages[] = {"total", "detection", "physics", "fracture and update"};
    int n = stats->steps;
    double simulated = n * script->dt;
    printf("%s%s%s%s\n", script->title, script->paper[0] != '\0' ? " (" : "", script->paper,
           script->paper[0] != '\0' ? ")" : "");
    printf("%d steps of %g ms: %.2f s, simulated in %.2f s on %d thread%s; %.0f steps/s\n\n", n, 1e3 * script->dt,
           simulated, 1e-3 * stats->sum[stageTotal], threads, threads > 1 ? "s" : "",
           stats->sum[stageTotal] > 0.0 ? 1e3 * n / stats->sum[stageTotal] : 0.0);
    Table times, counts;
    char heading[96];
    snprintf(heading, sizeof heading, "per_step,_%s_time >avg_ms >max_ms >share_%%", clock);
    tableInit(&times, heading);
    for (int i = 0; i < (int)stageCount; ++i)
        tableRow(&times, "%s\t%.3f\t%.3f\t%.0f", stages[i], mean(stats->sum[i], n), stats->most[i],
                 stats->sum[stageTotal] > 0.0 ? 100.0 * stats->sum[i] / stats->sum[stageTotal] : 0.0);
    tablePrint(&times);
    tableFree(&times);
    putchar('\n');
    tableInit(&counts, "what >start >end >avg >max");
    tableRow(&counts, "bodies\t%d\t%d", stats->bodiesStart, stats->bodies);
    tableRow(&counts, "fragments\t0\t%d", stats->fragments);
    tableRow(&counts, "triangles\t%d\t%d", stats->trianglesStart, stats->triangles);
    tableRow(&counts, "contacts\t\t\t%.1f\t%d", mean(stats->contacts.sum, n), stats->contacts.most);
    tableRow(&counts, "touching pairs\t\t\t%.1f\t%d", mean(stats->touching.sum, n), stats->touching.most);
    tableRow(&counts, "pairs\t\t\t%.1f\t%d", mean(stats->pairs.sum, n), stats->pairs.most);
    tablePrint(&counts);
    tableFree(&counts);
    char bytes[16];
    bytesText(stats->bytes, bytes);
    printf("\n%lld breaks, %.3g kg of dust, %.3g kg of debris taken away; %s; hash %016llx\n", (long long)stats->breaks,
           stats->dustMass, stats->removedMass, bytes, (unsigned long long)stats->hash);
}

static json_t* countJson(const RunCount* counter, int steps)
{
    return json_pack("{s:f, s:i}", "avg", mean(counter->sum, steps), "max", counter->most);
}

json_t* statsJson(const RunStats* stats, const Script* script, int threads, const char* clock)
{
    static const char* const stages[] = {"total", "detection", "physics", "fracture"};
    int n = stats->steps;
    char hash[17];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)stats->hash);
    json_t* times = json_object();
    for (int i = 0; i < (int)stageCount; ++i)
        json_object_set_new(times, stages[i],
                            json_pack("{s:f, s:f}", "avg", mean(stats->sum[i], n), "max", stats->most[i]));
    json_t* json = json_pack("{s:s, s:s, s:s, s:i, s:f, s:i, s:s, s:f, s:o}", "scene", script->name, "title",
                             script->title, "paper", script->paper, "steps", n, "dt", script->dt, "threads", threads,
                             "clock", clock, "seconds", stats->seconds, "ms", times);
    json_object_set_new(json, "bodies", json_pack("{s:i, s:i}", "start", stats->bodiesStart, "end", stats->bodies));
    json_object_set_new(json, "triangles",
                        json_pack("{s:i, s:i}", "start", stats->trianglesStart, "end", stats->triangles));
    json_object_set_new(json, "fragments", json_integer(stats->fragments));
    json_object_set_new(json, "contacts", countJson(&stats->contacts, n));
    json_object_set_new(json, "touching", countJson(&stats->touching, n));
    json_object_set_new(json, "pairs", countJson(&stats->pairs, n));
    json_object_set_new(json, "breaks", json_integer((json_int_t)stats->breaks));
    json_object_set_new(json, "dust_kg", json_real(stats->dustMass));
    json_object_set_new(json, "removed_kg", json_real(stats->removedMass));
    json_object_set_new(json, "bytes", json_integer((json_int_t)stats->bytes));
    json_object_set_new(json, "hash", json_string(hash));
    return json;
}
