// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Peer: FCL, the Flexible Collision Library. Exact tests of all triangle pairs whose oriented boxes overlap.
//
// Timed in float and compiled for this machine, which makes it twice as fast as the double precision of the packaged
// library; whether the surfaces meet at all is then decided, untimed, in double: others are measured by that answer.
#include "bench/peers/pairs.h"

#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/math/bv/OBB.h>
#include <fcl/narrowphase/collision_request.h>
#include <fcl/narrowphase/collision_result.h>
#include <fcl/narrowphase/detail/traversal/collision/mesh_collision_traversal_node.h>
#include <fcl/narrowphase/detail/traversal/collision_node.h>
#include <memory>

namespace {

template <class Real> class Scene {
  public:
    Scene(const std::vector<Mesh>& meshes, const fcl::CollisionRequest<Real>& wanted) : request(wanted)
    {
        for (const Mesh& mesh : meshes) {
            std::vector<fcl::Vector3<Real>> points;
            std::vector<fcl::Triangle> triangles;
            for (size_t i = 0; i < mesh.vertices.size(); i += 3)
                points.emplace_back(mesh.vertices[i], mesh.vertices[i + 1], mesh.vertices[i + 2]);
            for (size_t i = 0; i < mesh.triangles.size(); i += 3)
                triangles.emplace_back(mesh.triangles[i], mesh.triangles[i + 1], mesh.triangles[i + 2]);
            models.push_back(std::make_unique<Model>());
            models.back()->beginModel(static_cast<int>(triangles.size()), static_cast<int>(points.size()));
            models.back()->addSubModel(points, triangles);
            models.back()->endModel();
        }
    }

    // What fcl::collide does with two such models. Called by that name in float, it would compile all pairs of
    // shapes there are, for more than a minute.
    const fcl::CollisionResult<Real>& collide(const Pose& pose)
    {
        result.clear();
        fcl::detail::MeshCollisionTraversalNodeOBB<Real> node;
        fcl::detail::initialize(node, *models[pose.a], place(pose.xa), *models[pose.b], place(pose.xb), request,
                                result);
        fcl::detail::collide(&node);
        return result;
    }

  private:
    using Model = fcl::BVHModel<fcl::OBB<Real>>;
    std::vector<std::unique_ptr<Model>> models;
    fcl::CollisionRequest<Real> request;
    fcl::CollisionResult<Real> result;

    static fcl::Transform3<Real> place(const Transform& x)
    {
        fcl::Transform3<Real> result = fcl::Transform3<Real>::Identity();
        result.linear() = fcl::Quaternion<Real>(x.q[3], x.q[0], x.q[1], x.q[2]).normalized().toRotationMatrix();
        result.translation() = fcl::Vector3<Real>(x.p[0], x.p[1], x.p[2]);
        return result;
    }
};

class Fcl : public Peer {
  public:
    explicit Fcl(const std::vector<Mesh>& meshes)
        : quick(meshes, fcl::CollisionRequest<float>(256, true)), exact(meshes, fcl::CollisionRequest<double>(1, false))
    {
    }

    Answer query(const Pose& pose) override
    {
        const fcl::CollisionResult<float>& result = quick.collide(pose);
        double depth = NAN;
        for (size_t i = 0; i < result.numContacts(); ++i)
            depth = std::fmax(depth, static_cast<double>(result.getContact(i).penetration_depth));
        return {result.isCollision(), depth};
    }

    bool touches(const Pose& pose, const Answer&) override { return exact.collide(pose).isCollision(); }

  private:
    Scene<float> quick;
    Scene<double> exact;
};

} // namespace

int main(int argc, char** argv)
{
    return serve<Fcl>(argc, argv, "fcl", PEER_VERSION,
                      "BVHModel of OBB, float, compiled for this machine, at most 256 contacts; touch in double");
}
