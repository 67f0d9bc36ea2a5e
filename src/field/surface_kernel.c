// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What triangles of a surface add to its mass, eight at once. The sums themselves go on one by one, in the order of the
// triangles: the same bits as massAddTriangle gives.
#include "field/skin_lanes.h"
#include "field/surface_mass.h"

enum { termCount = 10 };

typedef double Lane[skinLanes];

// The corners as seen from the origin.
static inline void lookFrom(const double origin[3], const F8 p[9], Lane out[9])
{
    float narrow[9][skinLanes];
    for (int i = 0; i < 9; ++i)
        f8Store(narrow[i], p[i]);
    for (int i = 0; i < 9; ++i)
        for (int lane = 0; lane < skinLanes; ++lane)
            out[i][lane] = (double)narrow[i][lane] - origin[i % 3];
}

// One coordinate times another, summed over the corners and their sum.
static inline void product(Lane out, const Lane weight, const Lane p[9], const Lane sum[3], int i, int j)
{
    for (int lane = 0; lane < skinLanes; ++lane)
        out[lane] = weight[lane] * (p[i][lane] * p[j][lane] + p[3 + i][lane] * p[3 + j][lane] +
                                    p[6 + i][lane] * p[6 + j][lane] + sum[i][lane] * sum[j][lane]);
}

static inline void termsOf(const Lane p[9], Lane terms[termCount])
{
    Lane sum[3], quarter, weight;
    for (int lane = 0; lane < skinLanes; ++lane) {
        double x = p[1][lane] * p[5][lane] - p[2][lane] * p[4][lane];
        double y = p[2][lane] * p[3][lane] - p[0][lane] * p[5][lane];
        double z = p[0][lane] * p[4][lane] - p[1][lane] * p[3][lane];
        double volume = (x * p[6][lane] + y * p[7][lane] + z * p[8][lane]) / 6.0;
        terms[0][lane] = volume;
        quarter[lane] = volume / 4.0;
        weight[lane] = volume / 20.0;
    }
    for (int k = 0; k < 3; ++k)
        for (int lane = 0; lane < skinLanes; ++lane) {
            sum[k][lane] = p[k][lane] + (p[3 + k][lane] + p[6 + k][lane]);
            terms[1 + k][lane] = quarter[lane] * sum[k][lane];
        }
    product(terms[4], weight, p, sum, 0, 0);
    product(terms[5], weight, p, sum, 1, 1);
    product(terms[6], weight, p, sum, 2, 2);
    product(terms[7], weight, p, sum, 0, 1);
    product(terms[8], weight, p, sum, 0, 2);
    product(terms[9], weight, p, sum, 1, 2);
}

void SIMD_NAME(surfaceAddMass)(MassMoments* moments, const SkinSource* source, DVec3 origin, const int* features,
                               int count)
{
    const double from[3] = {origin.x, origin.y, origin.z};
    MassMoments m = *moments;
    for (int i = 0; i < count; i += skinLanes) {
        int lanes = minI(count - i, skinLanes), own[skinLanes];
        for (int lane = 0; lane < skinLanes; ++lane)
            own[lane] = features[i + minI(lane, lanes - 1)];
        F8 corners[9];
        Lane p[9], terms[termCount];
        skinLoad(source, own, corners);
        lookFrom(from, corners, p);
        termsOf((const Lane*)p, terms);
        for (int lane = 0; lane < lanes; ++lane) {
            m.volume += terms[0][lane];
            m.first = dAdd(m.first, dvec3(terms[1][lane], terms[2][lane], terms[3][lane]));
            m.xx += terms[4][lane];
            m.yy += terms[5][lane];
            m.zz += terms[6][lane];
            m.xy += terms[7][lane];
            m.xz += terms[8][lane];
            m.yz += terms[9][lane];
        }
    }
    *moments = m;
}
