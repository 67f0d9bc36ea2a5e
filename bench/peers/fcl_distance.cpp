// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Peer: exact distances of triangle meshes by FCL, the Flexible Collision Library. "depth" is the distance, metres.
//
// Float, compiled for this machine; trees of swept rectangles or of boxes with them, whichever answers the poses of the
// file faster. FCL knows nothing of the last query: its blocks are the same for poses in any order. Asked for `warm` it
// begins each query with the distance of the two triangles that the last one found, which its users would have to add.
#include "bench/peers/pairs.h"

#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/math/bv/OBBRSS.h>
#include <fcl/math/bv/RSS.h>
#include <fcl/narrowphase/detail/primitive_shape_algorithm/triangle_distance.h>
#include <fcl/narrowphase/detail/traversal/collision_node.h>
#include <fcl/narrowphase/detail/traversal/distance/mesh_distance_traversal_node.h>
#include <fcl/narrowphase/distance_request.h>
#include <fcl/narrowphase/distance_result.h>
#include <memory>

namespace {

using Real = float;

struct Found {
    Real distance;
    int a, b; // triangles
};

template <class Volume, class Node> class Scene {
  public:
    explicit Scene(const std::vector<Mesh>& meshes)
    {
        for (const Mesh& mesh : meshes) {
            std::vector<fcl::Vector3<Real>> points;
            std::vector<fcl::Triangle> triangles;
            for (size_t i = 0; i < mesh.vertices.size(); i += 3)
                points.emplace_back(mesh.vertices[i], mesh.vertices[i + 1], mesh.vertices[i + 2]);
            for (size_t i = 0; i < mesh.triangles.size(); i += 3)
                triangles.emplace_back(mesh.triangles[i], mesh.triangles[i + 1], mesh.triangles[i + 2]);
            models.push_back(std::make_unique<fcl::BVHModel<Volume>>());
            models.back()->beginModel(static_cast<int>(triangles.size()), static_cast<int>(points.size()));
            models.back()->addSubModel(points, triangles);
            models.back()->endModel();
        }
    }

    Found distance(const Pose& pose, const Found& last, bool warm)
    {
        const auto &a = *models[pose.a], &b = *models[pose.b];
        const fcl::Transform3<Real> xa = place(pose.xa), xb = place(pose.xb);
        fcl::DistanceRequest<Real> request(false);
        fcl::DistanceResult<Real> result;
        Node node;
        fcl::detail::initialize(node, a, xa, b, xb, request, result);
        if (warm && last.a >= 0 && last.a < a.num_tris && last.b >= 0 && last.b < b.num_tris)
            result.update(apart(a, last.a, xa, b, last.b, xb), &a, &b, last.a, last.b);
        fcl::detail::distance(&node);
        return {result.min_distance, static_cast<int>(result.b1), static_cast<int>(result.b2)};
    }

  private:
    std::vector<std::unique_ptr<fcl::BVHModel<Volume>>> models;

    static fcl::Transform3<Real> place(const Transform& x)
    {
        fcl::Transform3<Real> result = fcl::Transform3<Real>::Identity();
        result.linear() = fcl::Quaternion<Real>(x.q[3], x.q[0], x.q[1], x.q[2]).normalized().toRotationMatrix();
        result.translation() = fcl::Vector3<Real>(x.p[0], x.p[1], x.p[2]);
        return result;
    }
    template <class Model>
    static Real apart(const Model& a, int ta, const fcl::Transform3<Real>& xa, const Model& b, int tb,
                      const fcl::Transform3<Real>& xb)
    {
        fcl::Vector3<Real> s[3], t[3], p, q;
        for (int k = 0; k < 3; ++k) {
            s[k] = xa * a.vertices[a.tri_indices[ta][static_cast<size_t>(k)]];
            t[k] = xb * b.vertices[b.tri_indices[tb][static_cast<size_t>(k)]];
        }
        return fcl::detail::TriangleDistance<Real>::triDistance(s, t, p, q);
    }
};

class Fcl : public Peer {
  public:
    explicit Fcl(const std::vector<Mesh>& meshes) : rectangles(meshes), boxes(meshes) {}

    Answer query(const Pose& pose) override
    {
        Found found;
        if (tried < trial) { // each of the first poses by both
            double start = threadMicroseconds();
            found = rectangles.distance(pose, {0, -1, -1}, false);
            double middle = threadMicroseconds();
            boxes.distance(pose, {0, -1, -1}, false);
            balance += middle - start - (threadMicroseconds() - middle);
            ++tried;
        } else {
            found = balance < 0 ? rectangles.distance(pose, last, warm) : boxes.distance(pose, last, warm);
        }
        last = found;
        return {found.distance <= 0, static_cast<double>(found.distance)};
    }

    bool warm = false;

  private:
    static constexpr int trial = 20;
    Scene<fcl::RSS<Real>, fcl::detail::MeshDistanceTraversalNodeRSS<Real>> rectangles;
    Scene<fcl::OBBRSS<Real>, fcl::detail::MeshDistanceTraversalNodeOBBRSS<Real>> boxes;
    Found last = {0, -1, -1};
    int tried = 0;
    double balance = 0;
};

} // namespace

// As `serve`, with one more question: warm, which is answered with {} and changes all blocks that follow.
int main(int argc, char** argv)
{
    try {
        if (argc != 2)
            throw std::runtime_error("usage: peer FILE");
        Work work = WorkReader(argv[1]).read();
        Fcl engine(work.meshes);
        for (std::string line; std::getline(std::cin, line) && line != "quit"; std::fflush(stdout)) {
            if (line == "info") {
                std::printf(
                    "{\"peer\":\"fcl_distance\",\"version\":\"%s\",\"settings\":\"BVHModel of RSS or OBBRSS, the "
                    "faster; float, compiled for this machine\"}\n",
                    PEER_VERSION);
            } else if (line == "block") {
                runBlock("fcl_distance", engine, work.poses);
            } else if (line == "warm") {
                engine.warm = true;
                std::puts("{}");
            } else {
                throw std::runtime_error("asked for something else than info, block, warm or quit");
            }
        }
        return 0;
    } catch (const std::exception& error) {
        std::printf("{\"error\":\"%s\"}\n", error.what());
        return 1;
    }
}
