// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Cyclic Jacobi: each rotation clears one off-diagonal entry; slower than closed forms, but accurate to the last
// digits for any spread of eigenvalues, and orthogonal whatever happens.
#include "core/eigen.h"

#include "core/constants.h"

// Clears a[p][q]; the rows of v follow.
static void rotate(double a[3][3], double v[3][3], int p, int q)
{
    double theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    double t = 1.0 / (fabs(theta) + sqrt(theta * theta + 1.0)); // tangent of the smaller angle
    if (theta < 0.0)
        t = -t;
    double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    double shift = t * a[p][q];
    a[p][p] -= shift;
    a[q][q] += shift;
    a[p][q] = a[q][p] = 0.0;
    int k = 3 - p - q;
    double kp = a[k][p], kq = a[k][q];
    a[k][p] = a[p][k] = c * kp - s * kq;
    a[k][q] = a[q][k] = s * kp + c * kq;
    for (int i = 0; i < 3; ++i) {
        double vp = v[p][i], vq = v[q][i];
        v[p][i] = c * vp - s * vq;
        v[q][i] = s * vp + c * vq;
    }
}

static DVec3 withPositiveLargest(DVec3 a) { return dGet(a, dLargestAxis(a)) < 0.0 ? dNeg(a) : a; }

// Of two axes spanning the plane perpendicular to n, the one nearest to a coordinate axis.
static DVec3 canonicalInPlane(DVec3 n) { return withPositiveLargest(dPerpendicular(n)); }

Eigen3 eigenSymmetric(DMat3 m)
{
    double a[3][3] = {{m.r0.x, m.r0.y, m.r0.z}, {m.r0.y, m.r1.y, m.r1.z}, {m.r0.z, m.r1.z, m.r2.z}};
    double v[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    double scale = 0.0;
    for (int i = 0; i < 3; ++i)
        for (int j = i; j < 3; ++j)
            scale = maxD(fabs(a[i][j]), scale);
    if (scale == 0.0)
        return (Eigen3){{0.0, 0.0, 0.0}, dmIdentity()};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            a[i][j] /= scale;

    for (int sweep = 0, cleared = 0; sweep < EIGEN_MAX_SWEEPS && cleared < 3; ++sweep) {
        cleared = 0;
        for (int k = 2; k >= 0; --k) {
            int p = k == 0 ? 1 : 0, q = k == 2 ? 1 : 2;
            if (fabs(a[p][q]) <= EIGEN_OFF_DIAGONAL)
                ++cleared;
            else
                rotate(a, v, p, q);
        }
    }

    int order[3] = {0, 1, 2};
    for (int i = 1; i < 3; ++i)
        for (int j = i; j > 0 && a[order[j]][order[j]] < a[order[j - 1]][order[j - 1]]; --j) {
            int swap = order[j];
            order[j] = order[j - 1];
            order[j - 1] = swap;
        }
    double l[3];
    DVec3 axis[3];
    for (int i = 0; i < 3; ++i) {
        int k = order[i];
        l[i] = a[k][k];
        axis[i] = dNormalize((DVec3){v[k][0], v[k][1], v[k][2]});
    }

    double equal = EIGEN_EQUAL * maxD(fabs(l[0]), fabs(l[2]));
    bool low = l[1] - l[0] <= equal, high = l[2] - l[1] <= equal;
    if (low && high) {
        axis[0] = dAxis(0);
        axis[1] = dAxis(1);
    } else if (low) {
        axis[0] = canonicalInPlane(axis[2]);
        axis[1] = withPositiveLargest(dCross(axis[2], axis[0]));
    } else if (high) {
        axis[0] = withPositiveLargest(axis[0]);
        axis[1] = canonicalInPlane(axis[0]);
    } else {
        axis[0] = withPositiveLargest(axis[0]);
        axis[1] = withPositiveLargest(dNormalize(dMad(axis[1], -dDot(axis[0], axis[1]), axis[0])));
    }
    axis[2] = dCross(axis[0], axis[1]);
    return (Eigen3){{l[0] * scale, l[1] * scale, l[2] * scale}, {axis[0], axis[1], axis[2]}};
}
