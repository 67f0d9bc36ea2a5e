// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A plate on two supports, a ball, ten pieces. When the ball hits, the step is taken back, the plate is broken around
// the place of the impact, and the step is taken again: now the ball meets pieces. With --hand a plate that stands on
// its edge is cut with no blow at all, and nothing may move faster than it can fall.
//
// Prints a table, judges itself, and with --folder FOLDER writes there ode-break.glb (the film), .csv (every step),
// .png (a plot, if there is gnuplot).
#include "examples/ode/stage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { maxPieces = 40, freeFallSteps = 10 };

typedef struct Options {
    double seconds;
    int pieces;
    bool hand;
    const char* folder; // null: write nothing
    StageDef stage;
} Options;

typedef struct Play {
    const Options* options;
    Stage* stage;
    FILE* csv; // may be null
    shSolid* solid;
    int plate, ball;
    int step, breakStep; // −1: not yet
    int pieces;
    double breakSeconds, breakTime, impulse;
    double wholeSpeed; // m/s, of the plate before it is cut by hand
    // After the break.
    double deepest, restSpeed, restSeconds;
    bool failed;
} Play;

static const double threshold = 0.5; // N·s that the plate bears
static const double gravity = 9.81;
// What is left a second or two after the break: a few pieces may still be tipping over.
static const double restDepth = 0.001; // m
static const double restSpeed = 0.1;   // m/s, mean over pieces and over the last quarter

static double uniform(uint32_t* state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) * 0x1p-24;
}

// More sites near `middle` than far from it: distances grow with the square of an even number.
static void scatter(shVec3 middle, int count, shVec3* sites)
{
    uint32_t state = 7;
    for (int i = 0; i < count; ++i) {
        double turn = 6.283185307 * ((double)i * 0.381966 + 0.08 * uniform(&state));
        double even = ((double)i + 0.5) / count, radius = 0.01 + 0.11 * even * sqrt(even);
        sites[i] = (shVec3){middle.x + (float)(radius * cos(turn)), middle.y, middle.z + (float)(radius * sin(turn))};
    }
}

static void printRow(const Play* play, const char* note)
{
    const StageFigures* f = &play->stage->figures;
    printf("%5d %7.3f %6d %6d %8d %8d %8d %8.1f %9.3f %8.3f  %s\n", play->step, play->stage->time, f->bodies, f->pairs,
           f->contacts, f->mostContacts, f->visited, f->microseconds, 1e3 * f->deepest, f->speed, note);
}

static void crack(Play* play, shVec3 restMiddle)
{
    shVec3 sites[maxPieces];
    scatter(restMiddle, play->options->pieces, sites);
    play->pieces = stageBreak(play->stage, play->plate, play->solid, sites, play->options->pieces, &play->breakSeconds);
    play->breakStep = play->step;
    play->breakTime = play->stage->time;
    printf("      %.3f s: %d pieces in %.2f ms\n", play->stage->time, play->pieces, 1e3 * play->breakSeconds);
}

// One step; breaks the plate if it is time.
static void advance(Play* play)
{
    Stage* stage = play->stage;
    StageState before;
    stageSave(stage, &before);
    if (play->options->hand && play->breakStep < 0 && stage->time > 0.05) {
        play->wholeSpeed = stage->figures.speed;
        crack(play, (shVec3){0.02f, 0.01f, 0.01f});
    }
    stageStep(stage);
    shVec3 where;
    if (!play->options->hand && play->breakStep < 0) {
        play->impulse = stageImpulse(stage, play->plate, play->ball, &where);
        if (play->impulse > threshold) {
            printRow(play, "hit");
            stageRestore(stage, &before);
            crack(play, toRest(&stage->bodies[play->plate], where));
            stageStep(stage);
        }
    }
    const StageFigures* f = &stage->figures;
    if (play->csv != NULL)
        fprintf(play->csv, "%d,%.5f,%d,%d,%d,%d,%d,%.2f,%.4f,%.4f,%.4f\n", play->step, stage->time, f->bodies,
                f->queries, f->pairs, f->contacts, f->visited, f->microseconds, 1e3 * f->deepest, f->speed, f->spin);
    if (play->breakStep >= 0) {
        int since = play->step - play->breakStep + 1;
        play->deepest = fmax(play->deepest, f->deepest);
        if (play->options->hand && since <= freeFallSteps) {
            double allowed = play->wholeSpeed + 1.05 * gravity * (stage->time - play->breakTime) + 0.005;
            printRow(play, f->speed > allowed ? "faster than free fall" : "");
            play->failed |= f->speed > allowed;
        }
    }
    if (stage->time > 0.75 * play->options->seconds) {
        double sum = 0.0;
        int count = 0;
        for (int i = 0; i < stage->bodyCount; ++i) {
            const Body* body = &stage->bodies[i];
            if (!body->alive || body->ode == NULL || i == play->ball)
                continue;
            const dReal* v = dBodyGetLinearVel(body->ode);
            sum += sqrt((double)(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
            ++count;
        }
        play->restSpeed += sum / count * stage->step;
        play->restSeconds += stage->step;
    }
    ++play->step;
}

static void plot(const char* folder, double breakTime)
{
    char command[2048];
    snprintf(command, sizeof command,
             "command -v gnuplot >/dev/null && gnuplot -e \"set terminal pngcairo size 1200,600; "
             "set output '%s/ode-break.png'; set datafile separator ','; set xlabel 'time [s]'; "
             "set ylabel 'contacts'; set y2label 'collision [µs]'; set ytics nomirror; set y2tics; set key top left; "
             "set arrow from %g, graph 0 to %g, graph 1 nohead dashtype 2; "
             "plot '%s/ode-break.csv' skip 1 using 2:6 with lines lw 2 title 'contacts', "
             "'' skip 1 using 2:8 axes x1y2 with lines title 'collision [µs]'\"",
             folder, breakTime, breakTime, folder);
    if (system(command) != 0)
        fprintf(stderr, "no gnuplot: no plot\n");
}

static void setUp(Play* play, const shAsset* asset)
{
    Stage* stage = play->stage;
    shMessage message;
    mustDo(shCreateSolid(asset, &play->solid, &message), &message);
    const shQuat still = {{0.0f, 0.0f, 0.0f}, 1.0f};
    shShape ground = {.type = shPlaneShape};
    stageAddFixed(stage, "ground", &ground, (shTransform){{0.0f, 0.0f, 0.0f}, still});
    play->ball = -1;
    if (play->options->hand) {
        shTransform edge = {{0.0f, 0.125f, 0.0f}, {{0.70710678f, 0.0f, 0.0f}, 0.70710678f}};
        play->plate = stageAddPiece(stage, "plate", play->solid, 0, edge);
        return;
    }
    shShape support = {.type = shBoxShape, .halfExtent = {0.015f, 0.08f, 0.09f}};
    stageAddFixed(stage, "support", &support, (shTransform){{-0.095f, 0.08f, 0.0f}, still});
    stageAddFixed(stage, "support", &support, (shTransform){{0.095f, 0.08f, 0.0f}, still});
    play->plate = stageAddPiece(stage, "plate", play->solid, 0, (shTransform){{0.0f, 0.1605f, 0.0f}, still});
    play->ball = stageAddBall(stage, "ball", 0.025f, 7800.0f, (shVec3){0.02f, 0.55f, 0.01f});
}

static int run(const Options* options)
{
    shMessage message;
    shContext* context;
    shContextDef contextDef = shDefaultContextDef();
    mustDo(shCreateContext(&contextDef, &context, &message), &message);
    shAsset* asset;
    shCookDef cookDef = shDefaultCookDef();
    mustDo(shCookModel(context, "plate", 1.0f, &cookDef, &asset, &message), &message);
    char path[1024];
    Film* film = NULL;
    Play play = {.options = options, .breakStep = -1};
    if (options->folder != NULL) {
        film = filmCreate(120.0);
        snprintf(path, sizeof path, "%s/ode-break.csv", options->folder);
        play.csv = fopen(path, "w");
        if (play.csv == NULL) {
            fprintf(stderr, "cannot write %s: does the folder exist?\n", path);
            return 1;
        }
        fprintf(play.csv, "step,time,bodies,queries,pairs,contacts,visited,microseconds,deepest_mm,speed,spin\n");
    }
    play.stage = stageCreate(context, &options->stage, film);
    setUp(&play, asset);
    printf(" step    time bodies  pairs contacts   a pair  visited       µs   deepest    speed\n");
    printf("            s                                                          mm      m/s\n");
    int row = 0;
    while (play.stage->time < options->seconds) {
        advance(&play);
        if (play.stage->time >= 0.1 * row) {
            printRow(&play, "");
            ++row;
        }
    }
    int allContacts;
    double allMicroseconds;
    double atRest = stageDeepest(play.stage, &allContacts, &allMicroseconds);
    printf("deepest ever after the break %.3f mm, at the end %.3f mm\n", 1e3 * play.deepest, 1e3 * atRest);
    printf("at the end all samples: %d contacts, %.0f µs; selected: %d, %.0f µs\n", allContacts, allMicroseconds,
           play.stage->figures.contacts, play.stage->figures.microseconds);
    printf("mean speed over the last quarter %.4f m/s\n", play.restSpeed / play.restSeconds);
    if (play.csv != NULL) {
        fclose(play.csv);
        snprintf(path, sizeof path, "%s/ode-break.glb", options->folder);
        mustDo(filmWrite(film, context, path, &message), &message);
        printf("%s\n", path);
        plot(options->folder, play.breakTime);
        filmDestroy(film);
    }
    stageDestroy(play.stage);
    shDestroySolid(play.solid);
    shDestroyAsset(asset);
    if (shDestroyContext(context) != 0) {
        fprintf(stderr, "memory was left behind\n");
        play.failed = true;
    }
    if (atRest > restDepth || play.restSpeed / play.restSeconds > restSpeed) {
        fprintf(stderr, "no rest: %.3f mm deep, %.4f m/s\n", 1e3 * atRest, play.restSpeed / play.restSeconds);
        play.failed = true;
    }
    if (play.pieces < options->pieces) {
        fprintf(stderr, "%d pieces instead of %d\n", play.pieces, options->pieces);
        play.failed = true;
    }
    return play.failed ? 1 : 0;
}

int main(int count, char** words)
{
    Options options = {.seconds = 4.0, .pieces = 0, .stage = stageDefaultDef()};
    for (int i = 1; i < count; ++i) {
        const char* word = words[i];
        const char* value = i + 1 < count ? words[i + 1] : "";
        if (strcmp(word, "--hand") == 0)
            options.hand = true;
        else if (strcmp(word, "--seconds") == 0 && ++i)
            options.seconds = atof(value);
        else if (strcmp(word, "--pieces") == 0 && ++i)
            options.pieces = atoi(value);
        else if (strcmp(word, "--folder") == 0 && ++i)
            options.folder = value;
        else if (strcmp(word, "--step") == 0 && ++i)
            options.stage.step = 1.0 / atof(value);
        else if (strcmp(word, "--iterations") == 0 && ++i)
            options.stage.iterations = atoi(value);
        else if (strcmp(word, "--erp") == 0 && ++i)
            options.stage.erp = atof(value);
        else if (strcmp(word, "--cfm") == 0 && ++i)
            options.stage.cfm = atof(value);
        else if (strcmp(word, "--margin") == 0 && ++i)
            options.stage.collide.margin = (float)atof(value);
        else if (strcmp(word, "--contacts") == 0 && ++i)
            options.stage.collide.maxContacts = atoi(value);
        else {
            fprintf(stderr,
                    "%s [--hand] [--seconds S] [--pieces N] [--folder FOLDER] [--step HZ] [--iterations N]\n"
                    "    [--erp X] [--cfm X] [--margin M] [--contacts N]\n",
                    words[0]);
            return 2;
        }
    }
    if (options.pieces < 2 || options.pieces > maxPieces)
        options.pieces = options.hand ? 20 : 10;
    return run(&options);
}
