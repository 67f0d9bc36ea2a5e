// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Peer of suite `bvh`: Embree's builds by surface area and by Morton codes, its refit, and its rays, all on one thread.
#include "bench/peers/trees.h"

#include <embree3/rtcore.h>

namespace {

struct Scene {
    RTCDevice device;
    RTCScene scene;
    RTCGeometry geometry;

    Scene(RTCDevice owner, const Mesh& mesh, RTCBuildQuality quality) : device(owner)
    {
        scene = rtcNewScene(device);
        rtcSetSceneBuildQuality(scene, quality == RTC_BUILD_QUALITY_REFIT ? RTC_BUILD_QUALITY_LOW : quality);
        rtcSetSceneFlags(scene, quality == RTC_BUILD_QUALITY_MEDIUM ? RTC_SCENE_FLAG_ROBUST : RTC_SCENE_FLAG_DYNAMIC);
        geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
        rtcSetGeometryBuildQuality(geometry, quality);
        float* points = static_cast<float*>(
            rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 12, mesh.vertexCount()));
        uint32_t* triangles = static_cast<uint32_t*>(
            rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 12, mesh.triangleCount()));
        std::memcpy(points, mesh.vertices.data(), 4 * mesh.vertices.size());
        std::memcpy(triangles, mesh.triangles.data(), 4 * mesh.triangles.size());
        rtcCommitGeometry(geometry);
        rtcAttachGeometry(scene, geometry);
    }
    ~Scene()
    {
        rtcReleaseGeometry(geometry);
        rtcReleaseScene(scene);
    }
    Scene(const Scene&) = delete;
    Scene& operator=(const Scene&) = delete;

    double commit()
    {
        double start = processMilliseconds();
        rtcCommitScene(scene);
        return processMilliseconds() - start;
    }
};

void castRays(const Scene& scene, const Mesh& rays, TreeTimes& times)
{
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    size_t count = rays.vertexCount() / 2;
    times.hits = 0;
    double start = processMilliseconds();
    for (size_t i = 0; i < count; ++i) {
        const float *from = &rays.vertices[6 * i], *to = from + 3;
        RTCRayHit ray{};
        ray.ray.org_x = from[0], ray.ray.org_y = from[1], ray.ray.org_z = from[2];
        ray.ray.dir_x = to[0] - from[0], ray.ray.dir_y = to[1] - from[1], ray.ray.dir_z = to[2] - from[2];
        ray.ray.tnear = 0.0f, ray.ray.tfar = 1.0f, ray.ray.mask = ~0u;
        ray.hit.geomID = RTC_INVALID_GEOMETRY_ID;
        rtcIntersect1(scene.scene, &context, &ray);
        times.hits += ray.hit.geomID != RTC_INVALID_GEOMETRY_ID;
    }
    times.raysPerSecond = 1e3 * static_cast<double>(count) / (processMilliseconds() - start);
}

struct Measure {
    RTCDevice device = rtcNewDevice("threads=1,user_threads=1,start_threads=0");

    TreeTimes operator()(const std::vector<Mesh>& states, const Mesh& rays) const
    {
        TreeTimes times;
        for (const Mesh& mesh : states) {
            {
                Scene fast(device, mesh, RTC_BUILD_QUALITY_LOW);
                times.fast.push_back(fast.commit());
            }
            {
                Scene refit(device, mesh, RTC_BUILD_QUALITY_REFIT);
                refit.commit();
                rtcUpdateGeometryBuffer(refit.geometry, RTC_BUFFER_TYPE_VERTEX, 0);
                rtcCommitGeometry(refit.geometry);
                times.refit.push_back(refit.commit());
            }
            Scene good(device, mesh, RTC_BUILD_QUALITY_MEDIUM);
            times.build.push_back(good.commit());
            if (&mesh == &states.back())
                castRays(good, rays, times);
        }
        return times;
    }
};

} // namespace

int main(int argc, char** argv)
{
    return serveTrees(
        argc, argv, "embree", PEER_VERSION,
        "1 thread; build: medium quality (SAH), robust; fast: low quality (Morton), dynamic; refit of it; "
        "rays one by one in the former",
        Measure());
}
