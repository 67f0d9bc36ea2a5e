// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What the peers of suite `bvh` share. `peers/NAME FILE` reads meshes as pairs.h says, without poses: the states of one
// mesh, and last a mesh without triangles whose points are the ends of rays, two by two. It answers to each line:
//   info    {"peer", "version", "settings"}
//   block   {"build": [ms per state, …], "fast": [ms of a faster, poorer build, …], "refit": [ms for new points of the
//           same mesh, …], "rays_per_s": number, "hits": rays that hit the last state}; what it cannot do is left out
//   quit    ends, as the end of the input does
// Times are CPU times of the process: an engine may have threads of its own.
#pragma once

#include "bench/peers/pairs.h"

inline double processMilliseconds()
{
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

struct TreeTimes {
    std::vector<double> build, fast, refit;
    double raysPerSecond = NAN;
    int hits = -1;
};

inline void printTimes(const char* name, const std::vector<double>& times)
{
    if (!times.empty())
        printList(name, times.size(), [&](size_t i) { std::printf("%.6f", times[i]); });
}

// `measure(states, rays)` returns TreeTimes.
template <class Measure>
int serveTrees(int argc, char** argv, const char* name, const char* version, const char* settings, Measure measure)
{
    try {
        if (argc != 2)
            throw std::runtime_error("usage: peer FILE");
        Work work = WorkReader(argv[1]).read();
        if (work.meshes.empty() || work.meshes.back().triangleCount() != 0)
            throw std::runtime_error("the last mesh must be the ends of rays");
        Mesh rays = std::move(work.meshes.back());
        work.meshes.pop_back();
        for (std::string line; std::getline(std::cin, line) && line != "quit"; std::fflush(stdout)) {
            if (line == "info") {
                std::printf("{\"peer\":\"%s\",\"version\":\"%s\",\"settings\":\"%s\"}\n", name, version, settings);
            } else if (line == "block") {
                TreeTimes times = measure(work.meshes, rays);
                std::printf("{\"peer\":\"%s\"", name);
                printTimes("build", times.build);
                printTimes("fast", times.fast);
                printTimes("refit", times.refit);
                if (times.hits >= 0)
                    std::printf(",\"rays_per_s\":%.6g,\"hits\":%d", times.raysPerSecond, times.hits);
                std::puts("}");
            } else {
                throw std::runtime_error("asked for something else than info, block or quit");
            }
        }
        return 0;
    } catch (const std::exception& error) {
        std::printf("{\"error\":\"%s\"}\n", error.what());
        return 1;
    }
}
