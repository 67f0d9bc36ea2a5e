// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Peer: Bullet's GImpact, its way to collide two moving triangle meshes.
#include "bench/peers/pairs.h"

#include <BulletCollision/Gimpact/btGImpactCollisionAlgorithm.h>
#include <BulletCollision/Gimpact/btGImpactShape.h>
#include <btBulletCollisionCommon.h>
#include <memory>

namespace {

btTransform place(const Transform& x)
{
    return btTransform(btQuaternion(x.q[0], x.q[1], x.q[2], x.q[3]).normalized(), btVector3(x.p[0], x.p[1], x.p[2]));
}

class Bullet : public Peer {
  public:
    explicit Bullet(const std::vector<Mesh>& meshes) : dispatcher(&configuration)
    {
        btGImpactCollisionAlgorithm::registerAlgorithm(&dispatcher);
        for (const Mesh& mesh : meshes) {
            btIndexedMesh part;
            part.m_numTriangles = static_cast<int>(mesh.triangleCount());
            part.m_triangleIndexBase = reinterpret_cast<const unsigned char*>(mesh.triangles.data());
            part.m_triangleIndexStride = 3 * sizeof(uint32_t);
            part.m_numVertices = static_cast<int>(mesh.vertexCount());
            part.m_vertexBase = reinterpret_cast<const unsigned char*>(mesh.vertices.data());
            part.m_vertexStride = 3 * sizeof(float);
            part.m_vertexType = PHY_FLOAT;
            arrays.push_back(std::make_unique<btTriangleIndexVertexArray>());
            arrays.back()->addIndexedMesh(part, PHY_INTEGER);
            shapes.push_back(std::make_unique<btGImpactMeshShape>(arrays.back().get()));
            shapes.back()->setMargin(0.0f);
            shapes.back()->updateBound();
        }
    }

    // As a step does for a pair of its broad phase: the dispatcher's algorithm, its manifold, one contact result.
    Answer query(const Pose& pose) override
    {
        first.setCollisionShape(shapes[pose.a].get());
        first.setWorldTransform(place(pose.xa));
        second.setCollisionShape(shapes[pose.b].get());
        second.setWorldTransform(place(pose.xb));
        btCollisionObjectWrapper a(nullptr, first.getCollisionShape(), &first, first.getWorldTransform(), -1, -1);
        btCollisionObjectWrapper b(nullptr, second.getCollisionShape(), &second, second.getWorldTransform(), -1, -1);
        btCollisionAlgorithm* algorithm = dispatcher.findAlgorithm(&a, &b, nullptr, BT_CONTACT_POINT_ALGORITHMS);
        btManifoldResult result(&a, &b);
        algorithm->processCollision(&a, &b, info, &result);
        Answer answer = {false, NAN};
        btManifoldArray manifolds;
        algorithm->getAllContactManifolds(manifolds);
        for (int i = 0; i < manifolds.size(); ++i)
            for (int j = 0; j < manifolds[i]->getNumContacts(); ++j) {
                answer.touch = true;
                answer.depth = std::fmax(answer.depth, -manifolds[i]->getContactPoint(j).getDistance());
            }
        algorithm->~btCollisionAlgorithm();
        dispatcher.freeCollisionAlgorithm(algorithm);
        return answer;
    }

  private:
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher;
    btDispatcherInfo info;
    std::vector<std::unique_ptr<btTriangleIndexVertexArray>> arrays;
    std::vector<std::unique_ptr<btGImpactMeshShape>> shapes;
    btCollisionObject first, second;
};

} // namespace

int main(int argc, char** argv)
{
    return serve<Bullet>(argc, argv, "bullet", PEER_VERSION,
                         "btGImpactMeshShape, quantized tree, margin 0, float, manifold of 4 contacts");
}
