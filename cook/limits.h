// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What cooking accepts and how long it waits. Limits guard against hostile files; real models stay far below them.
#pragma once

#define COOK_MAX_FILE_BYTES ((size_t)1 << 30) // one read into memory; a 10 M triangle OBJ is about half of it
#define COOK_MAX_VERTICES 20000000            // keeps every index and byte count in 32 and 64 bits
#define COOK_MAX_TRIANGLES 20000000
#define COOK_MAX_POLYGON 4096                    // corners of one face; ear clipping is quadratic in it
#define COOK_MAX_SLOTS 4096                      // material slots; names beyond share the last one
#define COOK_MIN_TRIANGLES 1                     // even one is a sheet that can be given a thickness
#define COOK_MIN_SOLID 4                         // triangles that enclose a volume: the least to decimate to
#define COOK_MAX_LIBRARIES 16                    // material libraries of one .obj
#define COOK_MAX_DEPTH 256                       // of a scene's node tree
#define COOK_MAX_TEXTURE_BYTES ((size_t)1 << 28) // one image file
#define COOK_IMPORT_SECONDS 4.0                  // for assimp to read a file, and
#define COOK_IMPORT_RATE 1e6                     // bytes per further second: it takes about a tenth of that
#define COOK_IMPORT_BYTES (6ull << 30)           // address space of that child
#define COOK_MAX_BLOCK_BYTES 0x7fff0000          // of its result
#define COOK_MAX_COORDINATE 1e9                  // m; floats are 64 m apart there, so anything beyond is a mistake
#define COOK_DECIMATE_SLACK 0.01                 // share by which the triangle count may miss the target
#define COOK_TETGEN_SECONDS 60.0                 // per attempt; 75 k triangles take about 3
#define COOK_TETGEN_BYTES (4ull << 30) // address space of the child; a runaway refinement ends here, not in swap
#define COOK_TETGEN_STEINER 8          // points TetGen may add per input vertex when it may split the surface
#define COOK_TETGEN_RATIO "2.2"        // radius-edge ratio; gives the tetrahedra per triangle of Glondu Table 1
#define COOK_FEWEST_TETS 1000          // a solid of fewer has no nodes for cracks to run between: it is refined
#define COOK_REFINED_TETS 4000.0       // to about that many
#define COOK_REFINE_POINTS 20000       // added at most then
#define COOK_TETGEN_DIHEDRAL 0.1       // degrees; a result with sharper tets is tried again with other switches
#define COOK_FAR 1000.0                // diagonals from the origin: beyond it floats have less than four digits for it
#define COOK_MIN_TET_HEIGHT                                                                                            \
    1e-6                       // share of the largest coordinate: 16 float spacings, so that rounding turns no tet over
#define COOK_SURFACE_SHIFT 4.0 // in those heights: what a surface node may move by to mend a flat tet; far below sight
#define COOK_VOLUME_SLACK 1e-3 // share by which tets may miss the enclosed volume: rounding to float and mended nodes
#define COOK_CREASE 0.766      // cosine of 40°: triangles that turn more get a normal each, so that edges look sharp

// Swapping edges after decimation. Turns are cosines between the normals of neighbours.
#define FLIP_SWEEPS 10    // most settle after three
#define FLIP_GAIN 1.05    // the worse triangle must become that much rounder: no swapping to and fro
#define FLIP_FLAT 0.94    // 20°: a turn below it changes the shape too little to be seen
#define FLIP_FOLD 0.5     // 60°: a turn above it is worth less round triangles to be rid of
#define FLIP_FLATTER 0.05 // by which a fold must open
