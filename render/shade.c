// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "render/shade.h"

static Vec3 times(Vec3 a, Vec3 b) { return vec3(a.x * b.x, a.y * b.y, a.z * b.z); }

// Schlick's fit of Fresnel's law.
static Vec3 fresnel(Vec3 straight, float cosine, float most)
{
    float m = clampF(1.0f - cosine, 0.0f, 1.0f), m2 = m * m, m5 = m2 * m2 * m;
    return vec3(straight.x + (maxF(most, straight.x) - straight.x) * m5,
                straight.y + (maxF(most, straight.y) - straight.y) * m5,
                straight.z + (maxF(most, straight.z) - straight.z) * m5);
}

// Trowbridge and Reitz's distribution of facets with Smith's shadowing in Schlick's form.
static float facets(float nl, float nv, float nh, float roughness)
{
    float a = roughness * roughness, a2 = a * a, d = nh * nh * (a2 - 1.0f) + 1.0f, k = 0.5f * a;
    float shadowing = (nl * (1.0f - k) + k) * (nv * (1.0f - k) + k);
    return a2 / (d * d) * 0.25f / shadowing; // π left out: the lamp's energy is divided by it too
}

Shade shade(const Lights* lights, const Surface* surface)
{
    const Material* material = surface->material;
    Vec3 n = surface->normal, v = surface->view;
    Irradiance light = SIMD_CHOOSE(lightsAt)(lights, surface->point, n, surface->face);
    float roughness = maxF(material->roughness, 0.12f); // the key light has a size
    float nv = clampF(vDot(n, v), 0.02f, 1.0f), nl = vDot(n, lights->key);
    Vec3 straight = vLerp(vec3(0.04f, 0.04f, 0.04f), surface->albedo, material->metallic);
    Shade out = {.body = vMad(material->emission, 1.0f - material->metallic, times(surface->albedo, light.sum))};
    Vec3 mirrored = vSub(vScale(2.0f * vDot(n, v), n), v);
    // Rough surfaces mirror less at grazing angles, and corners that see little sky mirror little of it.
    Vec3 f = fresnel(straight, nv, 1.0f - 0.85f * roughness);
    Vec3 sky = lightsSky(lights, vNormalize(mirrored), roughness);
    out.gloss = vScale(0.15f + 0.85f * light.sky * light.sky, times(f, sky));
    if (nl > 0.0f && light.key > 0.0f) {
        Vec3 h = vNormalize(vAdd(lights->key, v));
        Vec3 fk = fresnel(straight, clampF(vDot(h, v), 0.0f, 1.0f), 1.0f);
        float d = facets(nl, nv, clampF(vDot(n, h), 0.0f, 1.0f), roughness);
        out.gloss = vMad(out.gloss, minF(d * nl, 8.0f) * light.key, times(fk, lights->keyEnergy));
    }
    if (material->opacity < 1.0f) {
        // Seen at a slant there is more glass in the way.
        float opacity = 1.0f - (1.0f - material->opacity) * (0.35f + 0.65f * nv);
        out.body = vScale(opacity, out.body);
        Vec3 tint = vLerp(vec3(1.0f, 1.0f, 1.0f), surface->albedo, 0.5f);
        out.through = vScale((1.0f - opacity) * (1.0f - f.y), tint);
    }
    return out;
}

Vec3 toneMap(Vec3 color)
{
    const float straight = 0.6f; // linear up to here
    float peak = maxF(color.x, maxF(color.y, color.z));
    if (peak <= straight)
        return color;
    float t = (peak - straight) / (1.0f - straight), bent = straight + (1.0f - straight) * t / (1.0f + t);
    // Bending the peak keeps the hue; very bright light still turns white.
    float white = clampF((peak - 1.0f) * 0.5f, 0.0f, 0.8f);
    return vLerp(vScale(bent / peak, color), vec3(bent, bent, bent), white);
}
