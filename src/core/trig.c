// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Every function here has the same shape: reduce the argument to a short interval, keeping the
// rounding error of the reduction as a second double; sum a plain Taylor series there; put the
// pieces together from the smallest to the largest. Series coefficients are written as what they
// are; the compiler folds them to the nearest double.
#include "core/trig.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// A value and what rounding took from it: hi + lo.
typedef struct Pair {
    double hi, lo;
} Pair;

static Pair twoSum(double a, double b)
{
    double s = a + b;
    double t = s - a;
    return (Pair){s, (a - (s - t)) + (b - t)};
}

// As twoSum, for |a| ≥ |b| or a = 0.
static Pair fastSum(double a, double b)
{
    double s = a + b;
    return (Pair){s, b - (s - a)};
}

// Upper 26 bits of a; the rest is a − upper(a), exactly. |a| < 2^996.
static double upper(double a)
{
    double t = 134217729.0 * a; // 2^27 + 1
    return t - (t - a);
}

static Pair twoProduct(double a, double b)
{
    double p = a * b;
    double ah = upper(a), al = a - ah, bh = upper(b), bl = b - bh;
    return (Pair){p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

static Pair pairProduct(Pair a, Pair b)
{
    Pair p = twoProduct(a.hi, b.hi);
    return fastSum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

static uint64_t bitsOf(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double ofBits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// 2^n for a normal result.
static double power2(int n) { return ofBits((uint64_t)(n + 1023) << 52); }

// x = m · 2^e with m in [1, 2), for positive finite x.
static double splitExponent(double x, int* e)
{
    int extra = 0;
    if (x < 0x1p-1022) {
        x *= 0x1p54;
        extra = -54;
    }
    uint64_t bits = bitsOf(x);
    *e = (int)(bits >> 52) - 1023 + extra;
    return ofBits((bits & 0xfffffffffffffu) | 0x3ff0000000000000u);
}

// The nearest integer, ties to even, for |x| < 2^51: the sum's last bit is worth one.
static double nearest(double x) { return (x + 0x1.8p52) - 0x1.8p52; }

// Sine and cosine ---------------------------------------------------------------------------------

// π/2 in pieces of 33 bits: k times a piece is exact for k < 2^20.
#define HALF_PI_1 0x1.921fb544p+0
#define HALF_PI_2 0x1.0b4611a6p-34
#define HALF_PI_3 0x1.3198a2ep-69
#define HALF_PI_4 0x1.b839a252049c1p-104

// x − k π/2 in [−π/4, π/4], and k mod 4. Four pieces, because x can be as close as 2^-58 to kπ/2.
static Pair reduceQuarter(double x, int* quarter)
{
    double k = nearest(x * 0x1.45f306dc9c883p-1); // 2/π
    *quarter = (int)(k - 4.0 * floor(0.25 * k));
    Pair a = twoSum(x - k * HALF_PI_1, -(k * HALF_PI_2));
    Pair b = twoSum(a.hi, -(k * HALF_PI_3));
    Pair r = fastSum(b.hi, (a.lo + b.lo) - k * HALF_PI_4);
    if (!(fabs(r.hi) <= 0.8)) // only where x is so large that its neighbours are radians apart
        r = (Pair){0.0, 0.0};
    return r;
}

static double sineNearZero(Pair r)
{
    double z = r.hi * r.hi;
    double p = -1.0 / 6.0 +
               z * (1.0 / 120.0 +
                    z * (-1.0 / 5040.0 +
                         z * (1.0 / 362880.0 +
                              z * (-1.0 / 39916800.0 +
                                   z * (1.0 / 6227020800.0 + z * (-1.0 / 1307674368000.0 + z / 355687428096000.0))))));
    return r.hi + (r.hi * (z * p) + r.lo * (1.0 - 0.5 * z));
}

static double cosineNearZero(Pair r)
{
    double z = r.hi * r.hi, half = 0.5 * z;
    double p =
        1.0 / 24.0 +
        z * (-1.0 / 720.0 +
             z * (1.0 / 40320.0 + z * (-1.0 / 3628800.0 +
                                       z * (1.0 / 479001600.0 + z * (-1.0 / 87178291200.0 + z / 20922789888000.0)))));
    double w = 1.0 - half;
    return w + (((1.0 - w) - half) + (z * z * p - r.hi * r.lo));
}

// The sine of r + quarter · π/2.
static double sineInQuarter(Pair r, int quarter)
{
    double s = (quarter & 1) != 0 ? cosineNearZero(r) : sineNearZero(r);
    return (quarter & 2) != 0 ? -s : s;
}

double trigSin(double x)
{
    if (fabs(x) < 0x1p-27) // x³/6 is below half an ulp; keeps −0
        return x;
    if (!isfinite(x))
        return (double)NAN;
    int quarter;
    Pair r = reduceQuarter(x, &quarter);
    return sineInQuarter(r, quarter);
}

double trigCos(double x)
{
    if (!isfinite(x))
        return (double)NAN;
    int quarter;
    Pair r = reduceQuarter(x, &quarter);
    return sineInQuarter(r, quarter + 1);
}

void trigSinCos(double x, double* sine, double* cosine)
{
    if (!(fabs(x) >= 0x1p-27) || !isfinite(x)) {
        *sine = trigSin(x);
        *cosine = trigCos(x);
        return;
    }
    int quarter;
    Pair r = reduceQuarter(x, &quarter);
    *sine = sineInQuarter(r, quarter);
    *cosine = sineInQuarter(r, quarter + 1);
}

double trigTan(double x) { return fabs(x) < 0x1p-27 ? x : trigSin(x) / trigCos(x); }

// Arc functions -----------------------------------------------------------------------------------

// atan(k/8)
static const Pair arcTable[9] = {
    {0.0, 0.0},
    {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
    {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
    {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
    {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
    {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
    {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
    {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
    {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
};

#define PI_LO 0x1.1a62633145c07p-53 // π − TRIG_PI

// atan(y/x) for 0 ≤ y ≤ x, x > 0, both far from overflow: turn by the nearest table angle (tangent c),
// atan(y/x) = atan(c) + atan((y − c x)/(x + c y)), |argument| ≤ 1/16.
static Pair arcOctant(double y, double x)
{
    double k = nearest(8.0 * (y / x)), c = 0.125 * k;
    Pair table = arcTable[(int)k];
    double u = (y - c * x) / (x + c * y), z = u * u;
    double p = -1.0 / 3.0 + z * (1.0 / 5.0 + z * (-1.0 / 7.0 + z * (1.0 / 9.0 + z * (-1.0 / 11.0 + z * (1.0 / 13.0)))));
    Pair sum = fastSum(table.hi, u);
    sum.lo += u * (z * p) + table.lo;
    return sum;
}

double trigAtan2(double y, double x)
{
    if (isnan(x) || isnan(y))
        return (double)NAN;
    double ax = fabs(x), ay = fabs(y);
    if (isinf(ax)) { // ∞ is the same for all finite partners: use 1
        ax = 1.0;
        ay = isinf(ay) ? 1.0 : 0.0;
    } else if (isinf(ay)) {
        ax = 0.0;
        ay = 1.0;
    }
    double larger = ax > ay ? ax : ay;
    Pair a = {0.0, 0.0};
    if (larger > 0.0) {
        double scale = larger > 0x1p1000 ? 0x1p-100 : larger < 0x1p-900 ? 0x1p100 : 1.0;
        ax *= scale;
        ay *= scale;
        if (ay <= ax) {
            a = arcOctant(ay, ax);
        } else {
            a = arcOctant(ax, ay);
            Pair turned = fastSum(TRIG_HALF_PI, -a.hi);
            a = (Pair){turned.hi, turned.lo + (0.5 * PI_LO - a.lo)};
        }
    }
    if (signbit(x)) {
        Pair turned = fastSum(TRIG_PI, -a.hi);
        a = (Pair){turned.hi, turned.lo + (PI_LO - a.lo)};
    }
    double angle = a.hi + a.lo;
    return signbit(y) ? -angle : angle;
}

double trigAtan(double x) { return trigAtan2(x, 1.0); }

// The other leg: (1 − x)(1 + x) keeps its digits near ±1, where 1 − x² would not.
double trigAsin(double x) { return trigAtan2(x, sqrt((1.0 - x) * (1.0 + x))); }
double trigAcos(double x) { return trigAtan2(sqrt((1.0 - x) * (1.0 + x)), x); }

// Exponential and logarithm -----------------------------------------------------------------------

// ln 2; the first piece has 42 bits, so that up to 2^11 times it is exact.
#define LN2_1 0x1.62e42fefa38p-1
#define LN2_2 0x1.ef35793c7673p-45

// e^(x.hi + x.lo)
static double expOfPair(Pair x)
{
    if (x.hi > 709.8)
        return (double)INFINITY;
    if (x.hi < -745.2)
        return 0.0;
    double k = nearest(x.hi * 0x1.71547652b82fep+0); // 1/ln 2
    double a = x.hi - k * LN2_1, b = k * LN2_2 - x.lo;
    double r = a - b, lo = (a - r) - b;
    double p =
        1.0 / 2.0 +
        r * (1.0 / 6.0 +
             r * (1.0 / 24.0 +
                  r * (1.0 / 120.0 +
                       r * (1.0 / 720.0 +
                            r * (1.0 / 5040.0 +
                                 r * (1.0 / 40320.0 +
                                      r * (1.0 / 362880.0 + r * (1.0 / 3628800.0 + r * (1.0 / 39916800.0 +
                                                                                        r * (1.0 / 479001600.0 +
                                                                                             r / 6227020800.0))))))))));
    double e = 1.0 + (r + (r * r * p + lo));
    int n = (int)k, half = n / 2;
    return e * power2(half) * power2(n - half); // in two steps: 2^n itself may not be representable
}

double trigExp(double x) { return isnan(x) ? (double)NAN : expOfPair((Pair){x, 0.0}); }

// log x for positive finite x, relative error below 2^-62: with s = (m − 1)/(m + 1),
// log m = 2 atanh s = 2 (s + s³ (1/3 + s²/5 + …)), |s| ≤ 0.172.
static Pair logPair(double x)
{
    int e;
    double m = splitExponent(x, &e);
    if (m > TRIG_SQRT2) {
        m *= 0.5;
        ++e;
    }
    double f = m - 1.0; // exact
    Pair d = twoSum(m, 1.0);
    double q = f / d.hi;
    Pair back = twoProduct(q, d.hi);
    Pair s = fastSum(q, (((f - back.hi) - back.lo) - q * d.lo) / d.hi);
    Pair z = pairProduct(s, s);
    double w = z.hi;
    double tail =
        1.0 / 5.0 +
        w * (1.0 / 7.0 +
             w * (1.0 / 9.0 +
                  w * (1.0 / 11.0 +
                       w * (1.0 / 13.0 +
                            w * (1.0 / 15.0 +
                                 w * (1.0 / 17.0 +
                                      w * (1.0 / 19.0 + w * (1.0 / 21.0 + w * (1.0 / 23.0 + w * (1.0 / 25.0))))))))));
    Pair t = fastSum(0x1.5555555555555p-2, w * tail + 0x1.5555555555555p-56); // 1/3 and its rest
    Pair cubic = pairProduct(s, pairProduct(z, t));
    Pair half = fastSum(s.hi, cubic.hi);
    half.lo += s.lo + cubic.lo;
    Pair sum = twoSum(e * LN2_1, 2.0 * half.hi);
    return fastSum(sum.hi, sum.lo + (2.0 * half.lo + e * LN2_2));
}

double trigLog(double x)
{
    if (isnan(x) || x < 0.0)
        return (double)NAN;
    if (x == 0.0)
        return -(double)INFINITY;
    return isinf(x) ? x : logPair(x).hi;
}

static bool isInteger(double y) { return floor(y) == y; }
static bool isOdd(double y) { return isInteger(y) && !isInteger(0.5 * y); }

double trigPow(double x, double y)
{
    if (y == 0.0 || x == 1.0)
        return 1.0;
    if (isnan(x) || isnan(y))
        return (double)NAN;
    double ax = fabs(x), sign = signbit(x) && isOdd(y) ? -1.0 : 1.0;
    if (isinf(y)) {
        if (ax == 1.0)
            return 1.0;
        return (ax > 1.0) == (y > 0.0) ? (double)INFINITY : 0.0;
    }
    if (ax == 0.0 || isinf(ax))
        return sign * ((ax == 0.0) == (y > 0.0) ? 0.0 : (double)INFINITY);
    if (x < 0.0 && !isInteger(y))
        return (double)NAN;
    if (ax == 1.0)
        return sign;
    Pair l = logPair(ax);
    if (!(fabs(y * l.hi) < 800.0))
        return sign * ((l.hi > 0.0) == (y > 0.0) ? (double)INFINITY : 0.0);
    Pair p = twoProduct(y, l.hi); // |log x| ≥ 2^-53, so |y| < 2^63: no overflow inside
    return sign * expOfPair(fastSum(p.hi, p.lo + y * l.lo));
}

double trigCbrt(double x)
{
    if (isnan(x))
        return (double)NAN;
    if (x == 0.0 || isinf(x))
        return x;
    int e;
    double m = splitExponent(fabs(x), &e);
    int third = (e + 3000) / 3 - 1000; // ⌊e/3⌋
    m *= power2(e - 3 * third);        // [1, 8)
    double t = 0.93 + 0.138 * m;       // within 7 %; Halley's step cubes that
    for (int i = 0; i < 3; ++i) {
        double cube = t * t * t;
        t += t * (m - cube) / (2.0 * cube + m);
    }
    t *= power2(third);
    return x < 0.0 ? -t : t;
}
