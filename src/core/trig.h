// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Elementary functions that give the same bits on every compiler, C library and processor: nothing
// but + − × ÷ and square root, in written order. C libraries differ in the last bit of theirs.
//
// Errors, measured against 64-bit-mantissa references (test_trig.c): at most 1 ulp for sin, cos,
// exp, log, cbrt, pow; 2 for atan2, atan, asin, acos; 2.5 for tan.
// Special values follow C17 annex F, except that a NaN argument always gives the one quiet NaN.
#pragma once

#define TRIG_PI 0x1.921fb54442d18p+1
#define TRIG_HALF_PI 0x1.921fb54442d18p+0
#define TRIG_SQRT2 0x1.6a09e667f3bcdp+0

// Accurate for |x| ≤ 2^20. Beyond, the argument's error is about |x| · 1e-16 rad; the result stays
// within ±1 for every finite x. NaN for ±∞.
double trigSin(double x);
double trigCos(double x);
double trigTan(double x);
void trigSinCos(double x, double* sine, double* cosine);

double trigAtan(double x);
double trigAtan2(double y, double x); // in [−π, π]; zeros and infinities as in C17
double trigAsin(double x);            // NaN outside [−1, 1]
double trigAcos(double x);

double trigExp(double x);
double trigLog(double x); // −∞ at 0, NaN below
double trigPow(double x, double y);
double trigCbrt(double x);

// In float the double result, rounded: within 0.5001 ulp.
static inline float trigSinF(float x) { return (float)trigSin((double)x); }
static inline float trigCosF(float x) { return (float)trigCos((double)x); }
static inline float trigTanF(float x) { return (float)trigTan((double)x); }
static inline float trigAtan2F(float y, float x) { return (float)trigAtan2((double)y, (double)x); }
static inline float trigAsinF(float x) { return (float)trigAsin((double)x); }
static inline float trigAcosF(float x) { return (float)trigAcos((double)x); }
static inline float trigExpF(float x) { return (float)trigExp((double)x); }
static inline float trigLogF(float x) { return (float)trigLog((double)x); }
static inline float trigPowF(float x, float y) { return (float)trigPow((double)x, (double)y); }
