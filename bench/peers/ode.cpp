// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Peer: ODE's triangle meshes on OPCODE's trees.
#include "bench/peers/pairs.h"

#include <ode/ode.h>

namespace {

enum { MOST_CONTACTS = 256 };

void place(dGeomID geom, const Transform& x)
{
    const dQuaternion q = {x.q[3], x.q[0], x.q[1], x.q[2]};
    dGeomSetPosition(geom, x.p[0], x.p[1], x.p[2]);
    dGeomSetQuaternion(geom, q);
}

class Ode : public Peer {
  public:
    explicit Ode(const std::vector<Mesh>& meshes)
    {
        dInitODE2(0);
        dSetMessageHandler([](int, const char*, va_list) {}); // it warns of full buckets, thousands of times
        dAllocateODEDataForThread(dAllocateMaskAll);
        for (const Mesh& mesh : meshes) {
            dTriMeshDataID data = dGeomTriMeshDataCreate();
            dGeomTriMeshDataBuildSingle(data, mesh.vertices.data(), 3 * sizeof(float),
                                        static_cast<int>(mesh.vertexCount()), mesh.triangles.data(),
                                        static_cast<int>(mesh.triangles.size()), 3 * sizeof(dTriIndex));
            meshData.push_back(data);
            first.push_back(dCreateTriMesh(nullptr, data, nullptr, nullptr, nullptr));
            second.push_back(dCreateTriMesh(nullptr, data, nullptr, nullptr, nullptr));
        }
    }
    ~Ode() override
    {
        for (size_t i = 0; i < meshData.size(); ++i) {
            dGeomDestroy(first[i]);
            dGeomDestroy(second[i]);
            dGeomTriMeshDataDestroy(meshData[i]);
        }
        dCloseODE();
    }

    Answer query(const Pose& pose) override
    {
        place(first[pose.a], pose.xa);
        place(second[pose.b], pose.xb);
        int count = dCollide(first[pose.a], second[pose.b], MOST_CONTACTS, contacts, sizeof(contacts[0]));
        double depth = NAN;
        for (int i = 0; i < count; ++i)
            depth = std::fmax(depth, contacts[i].depth);
        return {count > 0, depth};
    }

  private:
    std::vector<dTriMeshDataID> meshData;
    std::vector<dGeomID> first, second; // of each mesh two: it may meet itself
    dContactGeom contacts[MOST_CONTACTS];
};

static_assert(sizeof(dTriIndex) == sizeof(uint32_t), "indices are handed over as they are");

} // namespace

int main(int argc, char** argv)
{
    return serve<Ode>(argc, argv, "ode", PEER_VERSION, "trimesh by OPCODE, double, at most 256 contacts");
}
