// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "core/rounding.h"

// Through memory that the compiler must take for changed: nothing is known of the value but that it is a float.
Vec3 vRounded(DVec3 p)
{
    volatile float x = (float)p.x, y = (float)p.y, z = (float)p.z;
    return (Vec3){x, y, z};
}

float roundedDown(double x)
{
    volatile float rounded = (float)x;
    float value = rounded;
    return (double)value > x ? nextafterf(value, 0.0f) : value;
}

float roundedUp(double x)
{
    volatile float rounded = (float)x;
    float value = rounded;
    return (double)value < x ? nextafterf(value, INFINITY) : value;
}
