// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Where nearly all the time goes: one point against all depth maps.
#include "render/lights.h"

static inline F8 dot8(const float* x, const float* y, const float* z, Vec3 p)
{
    F8 xy = f8Add(f8Mul(f8Load(x), f8Set(p.x)), f8Mul(f8Load(y), f8Set(p.y)));
    return f8Add(xy, f8Mul(f8Load(z), f8Set(p.z)));
}

static inline F8 onlyIf(M8 m, F8 a) { return f8Select(m, a, f8Zero()); }

// The light of all axes, eight at a time.
Irradiance SIMD_NAME(lightsAt)(const Lights* lights, Vec3 point, Vec3 normal, Vec3 face)
{
    // Ground close below lies in the object's own shade and gives little light back.
    float above = lights->hasGround ? maxF(point.y - lights->groundHeight, 0.0f) : 1.0e6f;
    F8 bounce = f8Set(0.25f + 0.75f * above / (above + 0.2f)), one = f8Set(1.0f), zero = f8Zero();
    F8 red = zero, green = zero, blue = zero;
    F8 seen[2] = {zero, zero}, all[2] = {zero, zero}; // of key and sky
    for (int i = 0; i < lights->axisCount; i += LANES) {
        bool sky = i >= lights->sizes.keyCount;
        F8 facing = dot8(lights->wx + i, lights->wy + i, lights->wz + i, normal);
        M8 back = f8Less(facing, zero);
        if (!sky && m8All(back))
            continue; // turned away from all of them
        int texels = lightsTexels(lights, i);
        float side = (float)texels, scale = 0.5f * side - (float)(MAP_BORDER + 1);
        // A step off the surface of 1.6 texels keeps a plane of any slope out of its own shadow: it raises the point
        // by 1.6/cos θ along the ray, the depth varies by at most √2 tan θ over the texels that are looked at.
        Vec3 p = vMad(point, 1.6f / scale, face);
        F8 middle = f8Set(0.5f * side - 0.5f), spread = f8Set(scale), last = f8Set(side - 2.0f);
        F8 x = f8Add(middle, f8Mul(spread, dot8(lights->ux + i, lights->uy + i, lights->uz + i, p)));
        F8 y = f8Add(middle, f8Mul(spread, dot8(lights->vx + i, lights->vy + i, lights->vz + i, p)));
        x = f8Max(f8Min(x, last), zero); // beyond the map is as good as in its empty border
        y = f8Max(f8Min(y, last), zero);
        I8 ix = f8Truncate(x), iy = f8Truncate(y);
        F8 fx = f8Sub(x, f8FromI8(ix)), fy = f8Sub(y, f8FromI8(iy)), gx = f8Sub(one, fx);
        F8 height = dot8(lights->wx + i, lights->wy + i, lights->wz + i, p);
        I8 at = i8Add(i8Load(lights->starts + i), i8Add(i8Mul(iy, i8Set(texels)), ix));
        if (sky) // from behind: the farthest, kept as negatives
            at = i8Add(at, i8Select(back, i8Set(texels * texels), i8Set(0)));
        F8 z = f8Select(back, f8Neg(height), height);
        const float* maps = lights->maps;
        F8 low =
            f8Add(onlyIf(f8LessEqual(f8Gather(maps, at), z), gx), onlyIf(f8LessEqual(f8Gather(maps + 1, at), z), fx));
        F8 high = f8Add(onlyIf(f8LessEqual(f8Gather(maps + texels, at), z), gx),
                        onlyIf(f8LessEqual(f8Gather(maps + texels + 1, at), z), fx));
        F8 open = f8Add(low, f8Mul(fy, f8Sub(high, low))); // share of the light that gets here
        F8 cosine = sky ? f8Abs(facing) : f8Max(facing, zero), light = f8Mul(cosine, open);
        seen[sky] = f8Add(seen[sky], light);
        all[sky] = f8Add(all[sky], cosine);
        light = f8Select(back, f8Mul(bounce, light), light);
        red = f8Add(red, f8Mul(light, f8Select(back, f8Load(lights->ar + i), f8Load(lights->tr + i))));
        green = f8Add(green, f8Mul(light, f8Select(back, f8Load(lights->ag + i), f8Load(lights->tg + i))));
        blue = f8Add(blue, f8Mul(light, f8Select(back, f8Load(lights->ab + i), f8Load(lights->tb + i))));
    }
    float keys = f8Sum(all[0]), skies = f8Sum(all[1]);
    return (Irradiance){.sum = vec3(f8Sum(red), f8Sum(green), f8Sum(blue)),
                        .key = keys > 0.0f ? f8Sum(seen[0]) / keys : 0.0f,
                        .sky = skies > 0.0f ? f8Sum(seen[1]) / skies : 1.0f};
}
