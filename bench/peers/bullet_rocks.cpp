// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Peer of suite `rocks`: Bullet with the same convex rocks in the same bin. `peers/bullet_rocks FILE` reads meshes and
// poses as pairs.h says (a pose's first mesh and transform are a rock, the other half is not used). The vertices of the
// last mesh are settings:
//   step (s), number of steps, friction; density (kg/m³), margin (m), iterations; three zeros;
//   then half extents and centre of each static box of the bin.
// It performs all steps and prints one line of JSON:
//   {"peer", "version", "settings", "speed": mean m/s at the end, "ms": [CPU ms of the thread per step, …],
//    "ends": [[px, py, pz, qx, qy, qz, qs] of each rock, …]}
#include "bench/peers/pairs.h"

#include <btBulletDynamicsCommon.h>
#include <memory>

namespace {

struct Settings {
    btScalar step, friction, density, margin;
    int steps, iterations;
    std::vector<btVector3> boxes; // half extents and centre of each
};

Settings readSettings(const Mesh& mesh)
{
    if (mesh.vertexCount() < 3)
        throw std::runtime_error("the settings are missing");
    const std::vector<float>& v = mesh.vertices;
    Settings settings{v[0], v[2], v[3], v[4], static_cast<int>(v[1]), static_cast<int>(v[5]), {}};
    for (size_t i = 3; i < mesh.vertexCount(); ++i)
        settings.boxes.emplace_back(v[3 * i], v[3 * i + 1], v[3 * i + 2]);
    return settings;
}

// Volume, centre of mass and moments about it, from the tetrahedra between the origin and the faces.
struct Mass {
    double volume = 0.0;
    double centre[3] = {0.0, 0.0, 0.0};
};

Mass massOf(const Mesh& mesh)
{
    Mass mass;
    for (size_t t = 0; t < mesh.triangleCount(); ++t) {
        const float *a = &mesh.vertices[3 * mesh.triangles[3 * t]], *b = &mesh.vertices[3 * mesh.triangles[3 * t + 1]],
                    *c = &mesh.vertices[3 * mesh.triangles[3 * t + 2]];
        double ax = a[0], ay = a[1], az = a[2], bx = b[0], by = b[1], bz = b[2], cx = c[0], cy = c[1], cz = c[2];
        double volume = (ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)) / 6.0;
        mass.volume += volume;
        for (int i = 0; i < 3; ++i)
            mass.centre[i] += 0.25 * volume * (double(a[i]) + double(b[i]) + double(c[i]));
    }
    for (double& x : mass.centre)
        x /= mass.volume;
    return mass;
}

class Rocks {
  public:
    Rocks(const Work& work, const Settings& set)
        : settings(set), dispatcher(&configuration), world(&dispatcher, &broadphase, &solver, &configuration)
    {
        world.setGravity(btVector3(0, btScalar(-9.81), 0));
        world.getSolverInfo().m_numIterations = settings.iterations;
        for (size_t i = 0; i + 1 < settings.boxes.size(); i += 2)
            addBox(settings.boxes[i], settings.boxes[i + 1]);
        for (const Pose& pose : work.poses)
            addRock(work.meshes[pose.a], pose.xa);
    }

    void run()
    {
        std::vector<double> ms;
        for (int i = 0; i < settings.steps; ++i) {
            double start = threadMicroseconds();
            world.stepSimulation(settings.step, 0);
            ms.push_back(1e-3 * (threadMicroseconds() - start));
        }
        double speed = 0.0;
        for (const auto& body : bodies)
            speed += double(body->getLinearVelocity().length()) / double(bodies.size());
        std::printf("{\"peer\":\"bullet\",\"version\":\"%s\",\"settings\":\"hulls, margin %g mm, %d iterations, no "
                    "deactivation\",\"speed\":%.6g",
                    PEER_VERSION, 1e3 * double(settings.margin), settings.iterations, speed);
        printList("ms", ms.size(), [&](size_t i) { std::printf("%.4f", ms[i]); });
        printList("ends", bodies.size(), [&](size_t i) { printEnd(i); });
        std::puts("}");
    }

  private:
    Settings settings;
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher;
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    std::vector<std::unique_ptr<btRigidBody>> bodies, fixed;
    std::vector<btVector3> centres; // of mass, of the rocks, in their own frames
    btDiscreteDynamicsWorld world;

    // The rock's own frame, as the file's transforms have it.
    void printEnd(size_t i) const
    {
        const btTransform& x = bodies[i]->getWorldTransform();
        btQuaternion q = x.getRotation();
        btVector3 p = x.getOrigin() - quatRotate(q, centres[i]);
        std::printf("[%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g]", double(p.x()), double(p.y()), double(p.z()), double(q.x()),
                    double(q.y()), double(q.z()), double(q.w()));
    }

    void addBox(const btVector3& halfExtent, const btVector3& at)
    {
        auto shape = std::make_unique<btBoxShape>(halfExtent);
        btRigidBody::btRigidBodyConstructionInfo info(0, nullptr, shape.get());
        info.m_startWorldTransform = btTransform(btQuaternion::getIdentity(), at);
        info.m_friction = btSqrt(settings.friction); // of a pair: the product of both
        shapes.push_back(std::move(shape));
        fixed.push_back(std::make_unique<btRigidBody>(info));
        world.addRigidBody(fixed.back().get());
    }

    void addRock(const Mesh& mesh, const Transform& x)
    {
        Mass mass = massOf(mesh);
        btVector3 centre(btScalar(mass.centre[0]), btScalar(mass.centre[1]), btScalar(mass.centre[2])), inertia;
        auto shape = std::make_unique<btConvexHullShape>();
        for (size_t v = 0; v < mesh.vertexCount(); ++v)
            shape->addPoint(
                btVector3(mesh.vertices[3 * v], mesh.vertices[3 * v + 1], mesh.vertices[3 * v + 2]) - centre, false);
        shape->setMargin(settings.margin);
        shape->recalcLocalAabb();
        btScalar kilograms = settings.density * btScalar(mass.volume);
        shape->calculateLocalInertia(kilograms, inertia);
        btQuaternion turned = btQuaternion(x.q[0], x.q[1], x.q[2], x.q[3]).normalized();
        btRigidBody::btRigidBodyConstructionInfo info(kilograms, nullptr, shape.get(), inertia);
        info.m_startWorldTransform =
            btTransform(turned, quatRotate(turned, centre) + btVector3(x.p[0], x.p[1], x.p[2]));
        info.m_friction = btSqrt(settings.friction);
        shapes.push_back(std::move(shape));
        centres.push_back(centre);
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
            throw std::runtime_error("usage: bullet_rocks FILE");
        Work work = WorkReader(argv[1]).read();
        if (work.meshes.empty())
            throw std::runtime_error("the settings are missing");
        Rocks(work, readSettings(work.meshes.back())).run();
        return 0;
    } catch (const std::exception& error) {
        std::printf("{\"error\":\"%s\"}\n", error.what());
        return 1;
    }
}
