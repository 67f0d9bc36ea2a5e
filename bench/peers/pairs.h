// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What all peers of pair queries share. `peers/NAME FILE` reads its work, then answers each line of its input with one
// line of JSON:
//   info    {"peer": name, "version": text, "settings": text}
//   block   every pose once, in the order of the file: {"peer": name, "us": [CPU µs of the thread, …],
//           "touch": [1 when the surfaces meet, else 0, …], "depth": [deepest contact in metres or null, …]}
//   quit    ends without an answer, as the end of the input does
// A peer that cannot go on prints {"error": text} and ends with code 1.
//
// The file, little-endian, nothing between the parts (written by bench/peer_pairs.c):
//   8 bytes "sherd-p1"; uint32 meshes; uint32 poses
//   per mesh: uint32 vertices; uint32 triangles; float x y z per vertex, metres; uint32 a b c per triangle
//   per pose: uint32 mesh a; uint32 mesh b; float px py pz qx qy qz qs of a; the same of b; x ↦ q·x + p
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

struct Mesh {
    std::vector<float> vertices;     // three each
    std::vector<uint32_t> triangles; // three each
    size_t vertexCount() const { return vertices.size() / 3; }
    size_t triangleCount() const { return triangles.size() / 3; }
};

struct Transform {
    float p[3];
    float q[4]; // x, y, z, s
};

struct Pose {
    uint32_t a, b;
    Transform xa, xb;
};
static_assert(sizeof(Pose) == 64, "a pose is read as it lies in the file");

struct Work {
    std::vector<Mesh> meshes;
    std::vector<Pose> poses;
};

struct Answer {
    bool touch;
    double depth; // NaN: the peer tells none
};

// One engine with the meshes in its own form, all trees built.
struct Peer {
    virtual ~Peer() = default;
    virtual Answer query(const Pose& pose) = 0; // timed
    // Untimed second thoughts, for a peer that can tell more exactly than in its timed query.
    virtual bool touches(const Pose&, const Answer& answer) { return answer.touch; }
};

class WorkReader {
  public:
    explicit WorkReader(const char* path) : file(path, std::ios::binary)
    {
        file.seekg(0, std::ios::end);
        left = file ? static_cast<uint64_t>(file.tellg()) : 0;
        file.seekg(0);
    }

    Work read()
    {
        char magic[8];
        need(16);
        file.read(magic, 8);
        if (std::memcmp(magic, "sherd-p1", 8) != 0)
            throw std::runtime_error("not a file of pair queries");
        Work work;
        uint32_t meshCount = number(), poseCount = number();
        for (uint32_t i = 0; i < meshCount; ++i)
            work.meshes.push_back(mesh());
        list(work.poses, poseCount);
        for (const Pose& pose : work.poses)
            if (pose.a >= meshCount || pose.b >= meshCount)
                throw std::runtime_error("a pose names a mesh that is not there");
        return work;
    }

  private:
    std::ifstream file;
    uint64_t left; // bytes not yet promised to a part

    void need(uint64_t bytes)
    {
        if (bytes > left)
            throw std::runtime_error("the file cannot be read, or ends too early");
        left -= bytes;
    }
    uint32_t number()
    {
        uint32_t value = 0;
        file.read(reinterpret_cast<char*>(&value), sizeof(value));
        return value;
    }
    template <class T> void list(std::vector<T>& values, uint64_t count)
    {
        need(count * sizeof(T));
        values.resize(count);
        file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(count * sizeof(T)));
    }
    Mesh mesh()
    {
        Mesh mesh;
        need(8);
        uint64_t vertexCount = number(), triangleCount = number();
        list(mesh.vertices, 3 * vertexCount);
        list(mesh.triangles, 3 * triangleCount);
        for (uint32_t vertex : mesh.triangles)
            if (vertex >= vertexCount)
                throw std::runtime_error("a triangle names a vertex that is not there");
        return mesh;
    }
};

inline double threadMicroseconds()
{
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e6 * static_cast<double>(now.tv_sec) + 1e-3 * static_cast<double>(now.tv_nsec);
}

template <class Print> void printList(const char* name, size_t count, Print print)
{
    std::printf(",\"%s\":[", name);
    for (size_t i = 0; i < count; ++i) {
        std::fputs(i > 0 ? "," : "", stdout);
        print(i);
    }
    std::fputs("]", stdout);
}

// Stating a pose, moving its bodies there included, is part of the query; reading the clock (about 0.3 µs) as well.
inline void runBlock(const char* name, Peer& peer, const std::vector<Pose>& poses)
{
    std::vector<double> us(poses.size());
    std::vector<Answer> answers(poses.size());
    for (size_t i = 0; i < poses.size(); ++i) {
        double start = threadMicroseconds();
        answers[i] = peer.query(poses[i]);
        us[i] = threadMicroseconds() - start;
        answers[i].touch = peer.touches(poses[i], answers[i]);
    }
    std::printf("{\"peer\":\"%s\"", name);
    printList("us", poses.size(), [&](size_t i) { std::printf("%.3f", us[i]); });
    printList("touch", poses.size(), [&](size_t i) { std::printf("%d", answers[i].touch); });
    printList("depth", poses.size(), [&](size_t i) {
        if (std::isfinite(answers[i].depth))
            std::printf("%.9g", answers[i].depth);
        else
            std::printf("null");
    });
    std::puts("}");
}

// The main function of a peer. `settings` is plain ASCII without quotes.
template <class Engine> int serve(int argc, char** argv, const char* name, const char* version, const char* settings)
{
    try {
        if (argc != 2)
            throw std::runtime_error("usage: peer FILE");
        Work work = WorkReader(argv[1]).read();
        Engine engine(work.meshes);
        for (std::string line; std::getline(std::cin, line) && line != "quit"; std::fflush(stdout)) {
            if (line == "info")
                std::printf("{\"peer\":\"%s\",\"version\":\"%s\",\"settings\":\"%s\"}\n", name, version, settings);
            else if (line == "block")
                runBlock(name, engine, work.poses);
            else
                throw std::runtime_error("asked for something else than info, block or quit");
        }
        return 0;
    } catch (const std::exception& error) {
        std::printf("{\"error\":\"%s\"}\n", error.what());
        return 1;
    }
}
