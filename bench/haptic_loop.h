// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A loop of 1 kHz as a haptic device has it: a scripted tool moves against an object, and every millisecond distance or
// shared volume, force and torque are wanted. For `sherd haptic` and the suite.
#pragma once

#include "sherd/proximity.h"

enum { HAPTIC_KEYS = 128, HAPTIC_BINS = 24 };

typedef struct HapticScene {
    const char *name, *summary;
    const char *object, *tool; // built-in models
    float toolScale;
    float deepest; // of the tool's radius
} HapticScene;

extern const HapticScene hapticScenes[];
extern const int hapticSceneCount;

typedef struct Haptic {
    const HapticScene* scene;
    shInnerSpheres *object, *tool;
    shTransform keys[HAPTIC_KEYS]; // of the tool, one loop
} Haptic;

// Packs both with that many spheres each, and finds where the tool touches.
shStatus hapticCreate(shContext* context, const HapticScene* scene, int spheres, Haptic* haptic, shMessage* message);
void hapticDestroy(Haptic* haptic);
// The tool's pose at a time, s.
shTransform hapticPose(const Haptic* haptic, double seconds);

typedef struct HapticTick {
    float cpuUs;    // of work, by the thread's own clock
    float us;       // of work
    float lateUs;   // from when the tick was due until the answer was there
    float force;    // m², per unit of pressure
    float jump;     // change of the force since the last tick, as a vector
    float volume;   // m³
    float distance; // m, 0 in contact
} HapticTick;

typedef struct HapticStats {
    int metWork; // ticks whose work alone took no more than a millisecond of the thread's own time
    double worstCpuUs;
    int ticks, met, contacts; // answers within a millisecond of the due time; ticks with a shared volume
    double meanUs, medianUs, p99Us, worstUs, worstLateUs;
    double largestForce, jumpPct; // largest change from tick to tick, % of the largest force
    int bins[HAPTIC_BINS];        // ticks by work: bin i up to 2^(i/2) us
} HapticStats;

// In real time; `ticks` has room for count. The calling thread waits busily for the last part of every millisecond.
shStatus hapticRun(const Haptic* haptic, int count, HapticTick* ticks, shMessage* message);
HapticStats hapticStats(const HapticTick* ticks, int count);
