// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Peers of pair queries (fcl, bullet, ode): all contacts of two triangle meshes in a given pose. The file they read
// and what they answer are described in bench/peers/pairs.h.
#pragma once

#include "bench/peer.h"

typedef struct PeerMesh {
    int vertexCount, triangleCount;
    const shVec3* vertices;
    const int (*triangles)[3];
} PeerMesh;

typedef struct PeerPose {
    int a, b; // indices of meshes; may be the same
    shTransform xa, xb;
} PeerPose;

shStatus peerWriteFile(const char* path, const PeerMesh* meshes, int meshCount, const PeerPose* poses, int poseCount,
                       shMessage* message);

// Every pose of the file once, in its order; `count` is their number. Any of the three may be null.
//   us     thread CPU time of each query, µs
//   touch  1 when the surfaces meet; a mesh wholly inside another does not touch it
//   depth  deepest contact of those the peer reports, metres; NaN: none
shStatus peerBlock(Peer* peer, double* us, uint8_t* touch, float* depth, int count, shMessage* message);
