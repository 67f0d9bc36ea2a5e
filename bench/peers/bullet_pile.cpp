// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Peer of suite `pile`: Bullet with the convex hulls of the same pieces where ours lie. `peers/bullet_pile FILE` reads
// meshes and poses as pairs.h says (a pose's first mesh and transform are a body, the other half is not used; the last
// mesh is the box of the floor space), lets everything settle, and prints one line of JSON:
//   {"peer", "version", "settings", "ms": [CPU ms of the thread per step, …], "speed": mean m/s at the end}
#include "bench/peers/pairs.h"

#include <btBulletDynamicsCommon.h>
#include <memory>
#include <set>

namespace {

constexpr int mostVertices = 32, settleSteps = 90, timedSteps = 60, iterations = 10;
constexpr btScalar step = btScalar(1.0 / 30.0), friction = btScalar(0.5), density = btScalar(2400.0);

// At most 32 of the vertices: the farthest ones in as many directions spread evenly over the sphere.
std::vector<btVector3> hullOf(const Mesh& mesh)
{
    std::set<size_t> chosen;
    for (int i = 0; i < mostVertices; ++i) {
        double z = 1.0 - (2.0 * i + 1.0) / mostVertices, r = std::sqrt(1.0 - z * z), turn = 2.399963229728653 * i;
        double d[3] = {r * std::cos(turn), r * std::sin(turn), z}, most = -1e30;
        size_t best = 0;
        for (size_t v = 0; v < mesh.vertexCount(); ++v) {
            const float* p = &mesh.vertices[3 * v];
            double along = d[0] * double(p[0]) + d[1] * double(p[1]) + d[2] * double(p[2]);
            if (along > most) {
                most = along;
                best = v;
            }
        }
        chosen.insert(best);
    }
    std::vector<btVector3> points;
    for (size_t v : chosen)
        points.emplace_back(mesh.vertices[3 * v], mesh.vertices[3 * v + 1], mesh.vertices[3 * v + 2]);
    return points;
}

class Pile {
  public:
    explicit Pile(const Work& work)
        : dispatcher(&configuration), world(&dispatcher, &broadphase, &solver, &configuration)
    {
        world.setGravity(btVector3(0, btScalar(-9.81), 0));
        world.getSolverInfo().m_numIterations = iterations;
        addStatic(std::make_unique<btStaticPlaneShape>(btVector3(0, 1, 0), btScalar(0)), btVector3(0, 0, 0));
        btScalar half = work.meshes.back().vertices[0];
        for (int i = 0; i < 4; ++i) {
            btVector3 out(i == 0 ? 1 : i == 1 ? -1 : 0, 0, i == 2 ? 1 : i == 3 ? -1 : 0);
            addStatic(std::make_unique<btStaticPlaneShape>(-out, -half), btVector3(0, 0, 0));
        }
        for (const Pose& pose : work.poses)
            addPiece(work.meshes[pose.a], pose.xa);
    }

    void run()
    {
        std::vector<double> ms;
        for (int i = 0; i < settleSteps; ++i)
            world.stepSimulation(step, 0);
        for (int i = 0; i < timedSteps; ++i) {
            double start = threadMicroseconds();
            world.stepSimulation(step, 0);
            ms.push_back(1e-3 * (threadMicroseconds() - start));
        }
        double speed = 0.0;
        for (const auto& body : bodies)
            speed += double(body->getLinearVelocity().length()) / double(bodies.size());
        std::printf("{\"peer\":\"bullet\",\"version\":\"%s\",\"settings\":\"hulls of up to %d vertices, %d iterations, "
                    "no deactivation\",\"speed\":%.6g",
                    PEER_VERSION, mostVertices, iterations, speed);
        printList("ms", ms.size(), [&](size_t i) { std::printf("%.4f", ms[i]); });
        std::puts("}");
    }

  private:
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher;
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    std::vector<std::unique_ptr<btRigidBody>> bodies, fixed;
    btDiscreteDynamicsWorld world;

    void addStatic(std::unique_ptr<btCollisionShape> shape, const btVector3& at)
    {
        btRigidBody::btRigidBodyConstructionInfo info(0, nullptr, shape.get());
        info.m_startWorldTransform = btTransform(btQuaternion::getIdentity(), at);
        info.m_friction = friction;
        shapes.push_back(std::move(shape));
        fixed.push_back(std::make_unique<btRigidBody>(info));
        world.addRigidBody(fixed.back().get());
    }

    // The hull about its own middle, which stands for the centre of mass.
    void addPiece(const Mesh& mesh, const Transform& x)
    {
        std::vector<btVector3> points = hullOf(mesh);
        btVector3 middle(0, 0, 0), lower = points[0], upper = points[0];
        for (const btVector3& p : points) {
            middle += p / btScalar(points.size());
            lower.setMin(p);
            upper.setMax(p);
        }
        auto shape = std::make_unique<btConvexHullShape>();
        for (const btVector3& p : points)
            shape->addPoint(p - middle, false);
        shape->recalcLocalAabb();
        btVector3 size = upper - lower, inertia;
        btScalar mass = density * btScalar(0.5) * size.x() * size.y() * size.z();
        shape->calculateLocalInertia(mass, inertia);
        btQuaternion turned = btQuaternion(x.q[0], x.q[1], x.q[2], x.q[3]).normalized();
        btVector3 at = quatRotate(turned, middle) + btVector3(x.p[0], x.p[1], x.p[2]);
        btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape.get(), inertia);
        info.m_startWorldTransform = btTransform(turned, at);
        info.m_friction = friction;
        shapes.push_back(std::move(shape));
        bodies.push_back(std::make_unique<btRigidBody>(info));
        bodies.back()->setActivationState(DISABLE_DEACTIVATION);
        world.addRigidBody(bodies.back().get());
    }
};

} // namespace

int main(int argc, char** argv)
{
    try {
        if (argc != 2)
            throw std::runtime_error("usage: bullet_pile FILE");
        Work work = WorkReader(argv[1]).read();
        if (work.meshes.empty() || work.meshes.back().vertexCount() == 0)
            throw std::runtime_error("the floor's size is missing");
        Pile(work).run();
        return 0;
    } catch (const std::exception& error) {
        std::printf("{\"error\":\"%s\"}\n", error.what());
        return 1;
    }
}
