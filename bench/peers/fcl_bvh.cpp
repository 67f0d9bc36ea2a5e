// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Peer of suite `bvh`: FCL's tree of axis-aligned boxes, rebuilt and refitted.
#include "bench/peers/trees.h"

#include <fcl/math/bv/utility.h>
// After what it needs.
#include <fcl/geometry/bvh/BVH_model.h>

namespace {

using Model = fcl::BVHModel<fcl::AABB<float>>;

TreeTimes measure(const std::vector<Mesh>& states, const Mesh&)
{
    TreeTimes times;
    for (const Mesh& mesh : states) {
        std::vector<fcl::Vector3<float>> points;
        std::vector<fcl::Triangle> triangles;
        for (size_t i = 0; i < mesh.vertices.size(); i += 3)
            points.emplace_back(mesh.vertices[i], mesh.vertices[i + 1], mesh.vertices[i + 2]);
        for (size_t i = 0; i < mesh.triangles.size(); i += 3)
            triangles.emplace_back(mesh.triangles[i], mesh.triangles[i + 1], mesh.triangles[i + 2]);
        Model model;
        model.beginModel(static_cast<int>(triangles.size()), static_cast<int>(points.size()));
        model.addSubModel(points, triangles);
        double start = processMilliseconds();
        model.endModel();
        times.build.push_back(processMilliseconds() - start);
        model.beginUpdateModel();
        model.updateSubModel(points);
        start = processMilliseconds();
        model.endUpdateModel(true, true);
        times.refit.push_back(processMilliseconds() - start);
    }
    return times;
}

} // namespace

int main(int argc, char** argv)
{
    return serveTrees(argc, argv, "fcl", PEER_VERSION,
                      "BVHModel of AABB, float, compiled for this machine, split at the mean; copying points not timed",
                      measure);
}
