// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A pivot method: the smallest ball of a basis of at most four balls grows until nothing sticks out. Each pivot adds
// the ball that sticks out most and works out the smallest ball of these five; its radius grows with every pivot, so no
// basis comes twice. Welzl's recursion is not used: for balls (unlike points) moving to the front gives wrong results.
#include "core/enclosing_ball.h"

#include "core/constants.h"

enum { basisMost = 4 };

static double reachOf(DVec3 centre, Ball ball) { return dDistance(centre, ball.centre) + ball.radius; }

static bool holds(Ball outer, const Ball* balls, int count)
{
    for (int i = 0; i < count; ++i)
        if (reachOf(outer.centre, balls[i]) > outer.radius * (1.0 + BALL_ROUNDING))
            return false;
    return true;
}

// Solves rows · x = right for n = 1 … 3 by elimination with row pivots; two right-hand sides. False: singular.
static bool solve(int n, double rows[3][3], double right[3][2])
{
    for (int c = 0; c < n; ++c) {
        int best = c;
        for (int r = c + 1; r < n; ++r)
            if (fabs(rows[r][c]) > fabs(rows[best][c]))
                best = r;
        for (int k = 0; k < n; ++k) {
            double swap = rows[c][k];
            rows[c][k] = rows[best][k];
            rows[best][k] = swap;
        }
        for (int k = 0; k < 2; ++k) {
            double swap = right[c][k];
            right[c][k] = right[best][k];
            right[best][k] = swap;
        }
        if (rows[c][c] == 0.0)
            return false;
        for (int r = 0; r < n; ++r) {
            if (r == c)
                continue;
            double factor = rows[r][c] / rows[c][c];
            for (int k = c; k < n; ++k)
                rows[r][k] -= factor * rows[c][k];
            for (int k = 0; k < 2; ++k)
                right[r][k] -= factor * right[c][k];
        }
    }
    for (int c = 0; c < n; ++c)
        for (int k = 0; k < 2; ++k)
            right[c][k] /= rows[c][c];
    return true;
}

// Balls whose boundary touches all of `balls` from outside, with the centre in the span of theirs: none, one or two.
// With x from the first centre and q_i the others: |x| = R − r_0 and |x − q_i| = R − r_i, so
// 2 q_i·x = |q_i|² + r_0² − r_i² + 2 R (r_i − r_0): x = u + R v, and |u + R v| = R − r_0 is quadratic in R.
static int touching(const Ball* balls, int count, Ball found[2])
{
    Ball first = balls[0];
    if (count == 1) {
        found[0] = first;
        return 1;
    }
    int n = count - 1;
    DVec3 q[3];
    double rows[3][3], right[3][2];
    for (int i = 0; i < n; ++i) {
        double r = balls[i + 1].radius;
        q[i] = dSub(balls[i + 1].centre, first.centre);
        right[i][0] = 0.5 * (dLength2(q[i]) + first.radius * first.radius - r * r);
        right[i][1] = r - first.radius;
    }
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < n; ++k)
            rows[i][k] = dDot(q[i], q[k]);
    if (!solve(n, rows, right))
        return 0;
    DVec3 u = {0.0, 0.0, 0.0}, v = {0.0, 0.0, 0.0};
    for (int i = 0; i < n; ++i) {
        u = dMad(u, right[i][0], q[i]);
        v = dMad(v, right[i][1], q[i]);
    }
    // (v·v − 1) R² + 2 (u·v + r_0) R + u·u − r_0² = 0.
    double a = dLength2(v) - 1.0, b = dDot(u, v) + first.radius, c = dLength2(u) - first.radius * first.radius;
    double discriminant = b * b - a * c, roots[2];
    int rootCount = 0;
    if (!(discriminant >= 0.0))
        discriminant = 0.0; // rounding: candidates are checked against the balls anyway
    double root = sqrt(discriminant), stable = -(b + (b >= 0.0 ? root : -root));
    if (a != 0.0)
        roots[rootCount++] = stable / a;
    if (stable != 0.0)
        roots[rootCount++] = c / stable;
    for (int i = 0; i < rootCount; ++i)
        found[i] = (Ball){dMad(dAdd(first.centre, u), roots[i], v), roots[i]};
    return rootCount;
}

// The smallest ball of at most five balls, by trying which of them determine it. Replaces them by those.
static Ball smallestOf(Ball* balls, int* count)
{
    Ball best = {{0.0, 0.0, 0.0}, (double)INFINITY};
    int bestSet = 0;
    for (int set = 1; set < 1 << *count; ++set) {
        Ball some[basisMost + 1] = {balls[0]}, found[2];
        int size = 0;
        for (int i = 0; i < *count; ++i)
            if (set >> i & 1)
                some[size++] = balls[i];
        if (size > basisMost)
            continue;
        int candidates = touching(some, size, found);
        for (int k = 0; k < candidates; ++k)
            if (dFinite(found[k].centre) && found[k].radius < best.radius && holds(found[k], balls, *count)) {
                best = found[k];
                bestSet = set;
            }
    }
    if (bestSet != 0) {
        int kept = 0;
        for (int i = 0; i < *count; ++i)
            if (bestSet >> i & 1)
                balls[kept++] = balls[i];
        *count = kept;
    }
    return best;
}

Ball enclosingBall(BallAt* at, const void* balls, int count)
{
    Ball basis[basisMost + 1], ball = at(balls, 0);
    int size = 1;
    basis[0] = ball;
    for (int round = 0; round < BALL_MOST_PIVOTS; ++round) {
        int farthest = -1;
        double most = ball.radius * (1.0 + BALL_ROUNDING);
        for (int i = 0; i < count; ++i) {
            double reach = reachOf(ball.centre, at(balls, i));
            if (reach > most) {
                most = reach;
                farthest = i;
            }
        }
        if (farthest < 0)
            break;
        Ball grown;
        basis[size++] = at(balls, farthest);
        grown = smallestOf(basis, &size);
        if (!(grown.radius > ball.radius) || size > basisMost)
            break; // rounding: no further
        ball = grown;
    }
    // What the pivots left out by rounding, or all, had they stopped early.
    for (int i = 0; i < count; ++i)
        ball.radius = maxD(ball.radius, reachOf(ball.centre, at(balls, i)));
    return ball;
}
