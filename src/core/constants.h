// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Every tolerance and limit of the library, by room: unit, and why this value. No magic numbers elsewhere.
#pragma once

// core

// Jacobi sweeps of the 3×3 eigenproblem: convergence is quadratic, six reach the last bit; the rest is margin.
#define EIGEN_MAX_SWEEPS 16

// Relative to the largest entry. An off-diagonal this small moves an eigenvalue by its square: by nothing.
#define EIGEN_OFF_DIAGONAL 1e-18

// Relative to the largest eigenvalue. Eigenvalues closer than this are one: sums over a mesh leave symmetric
// bodies with differences of some 1e-14, and axes that hang on those would be noise.
#define EIGEN_EQUAL 1e-12

// Length of the sum of two unit vectors (double). Below, they are opposite as far as rounding can tell, and the
// rotation between them is half a turn about any fixed perpendicular.
#define QUAT_OPPOSITE 1e-12

// Bytes. The smallest block of an arena: a few pages, so that small steps never chain.
#define ARENA_MIN_BLOCK 65536

// Rounds of the busy wait before a thread of the task pool sleeps: some 10 to 30 µs, more than the gap between two
// loops of one step and far less than a frame.
#define TASK_SPIN_ROUNDS 500

// mesh

// Squared sine. A triangle with a smaller angle at its first corner has no normal to speak of: a needle or a double
// edge, whose closest points are those of its sides.
#define TRI_NEEDLE 1e-20

// Relative. Triangles are passed over by their plane only where rounding cannot have made it look too far.
#define TRI_ROUNDING 1e-9

// Cluster radii. Triangles seen from farther away than this count as one cluster in a winding number: the next term
// of its expansion adds up to less than 0.05, a tenth of what separates inside from outside.
#define WINDING_FAR 2.0

// Length of the summed area vectors over the area. A shell with more than this missing (a hole of a tenth of a
// sphere's surface) has no volume whose sign could be trusted.
#define WINDING_SHELL_OPENNESS 0.1

// Factors on the resolution of the built-in models. Below the lower a round column has fewer than six sides left; at
// the upper the largest model has some six million tetrahedra, half a gigabyte.
#define MODEL_MIN_DETAIL 0.25f
#define MODEL_MAX_DETAIL 8.0f

// field

// MB. Most that a distance grid takes unless the definition says otherwise; 512 cells along a statue stay below.
#define DISTANCE_GRID_MAX_MB 256

// Bricks of a distance grid that one task samples: some milliseconds, and the first closest point of a block, which
// has no good guess to start from, does not count.
#define DISTANCE_BRICK_BLOCK 16

// Relative. Distances are stored as float; bounds that are compared with them are this much wider, ten times what
// rounding can do.
#define DISTANCE_ROUNDING 1e-6

// In FLT_EPSILON of the grid's extent and offset: rounding in a lookup adds up to less than half of it.
#define DISTANCE_LOOKUP_ROUNDING 16.0f

// Factor on a lower bound from outside the grid's box: more than the rounding of its square root of squares.
#define DISTANCE_OUTSIDE_ROUNDING (1.0f - 0x1p-21f)

// In FLT_EPSILON of the largest coordinate: smaller cells than this would be lost in the rounding of points.
#define DISTANCE_MIN_CELL 64.0f

// Mean edges of the surface per cell of the point-location grid: a dozen tetrahedra to look at per cell.
#define CELL_EDGES 0.75f

// Cells of the point-location grid; more would only cost memory.
#define MAX_CELLS (1 << 21)

// Cells. How far from a cell the surface is listed: tolerances and speculative margins stay below it.
#define CELL_BAND 0.5f

// Cells along a block of the mask grid: with more, breaking costs less and fewer spheres are culled.
#define MASK_CELLS 3

// Cells of a mask level. Spheres up to this radius look at it, at three or four cells each way at most.
#define MASK_REACH 1.0f

// More than this share of a piece's box must be others' for the mask grid to be asked. Pieces that are about convex
// stay below, and asking would cost their queries 1 %; it saves those of a C around others 3 to 7 %.
#define MASK_FOREIGN 0.28f

// Relative to the largest coordinate: a few float roundings, for bounds that must hold in spite of them.
#define ROUNDING 1e-6f

// Barycentric. A point this little outside a tetrahedron still belongs to it when no other has it: float volumes of
// a well-shaped tetrahedron are off by 1e-6.
#define TET_SLACK 1e-5f

// Cosine. A surface faces a sample when their normals are at least this much against each other: 14° past square, so
// that the side of a box does not take the corner of another that stands on it.
#define FACING_MARGIN 0.25f

// How much farther than the closest surface one that faces the sample may be: times, or fractions of the band if more.
#define FACING_REACH 4.0f
#define FACING_BAND 0.25f

// Fractions of an edge. Cuts nearer to a node would make needles.
#define CUT_LOWEST 0.05f
#define CUT_HIGHEST 0.95f

// tree

// Points per leaf of the tree that orders points: below this, walking nodes costs more than looking at every point.
#define ORDER_LEAF_POINTS 8

// Relative to the squared size of a set of points: a bound on the largest distance that comes from a difference of
// squares is this much wider, a thousand times its rounding.
#define DIAMETER_ROUNDING 1e-12

// Relative. Radii of the sphere tree are this much wider than the distance they come from: rounding cannot open them.
#define REACH_ROUNDING 4e-7f

// solid

// m. Largest coordinate of a rest shape. Floats are 8 mm apart there, and products of three lengths stay far inside
// their range; a model in millimetres may still be a hundred metres long.
#define MAX_COORDINATE 1e5f

// kg/m³. Twice the densest ordinary matter; anything above is a mistake of units.
#define MAX_DENSITY 5e4f

// Six times the volume over the cube of the longest edge; 0.7 for the regular tetrahedron. Below this barycentric
// coordinates in float are noise.
#define MIN_TET_SHAPE 1e-6

// How far the squared length of a stored unit vector may be from 1: a few roundings, not a vector left unscaled.
#define UNIT_TOLERANCE 1e-3f

// Cells of the distance grid across the solid where it is thin; and, along its longest side, at least and at most:
// coarser looks rough on fat solids, finer than a quarter of a millimetre in a 10 cm plate costs more than it tells.
#define GRID_CELLS_PER_THICKNESS 4.0
#define GRID_MIN_CELLS 48.0
#define GRID_MAX_CELLS 400.0

// Of the square root of twice a triangle's area: how far below the triangle a ray starts that must not hit it.
#define THINNESS_START 1e-4

// collide

// Of the smaller piece's radius: penetration that contact selection may leave alone (Glondu §5.2).
#define CONTACT_TOLERANCE 0.002f

// A sample this many times deeper than all selected ones is worth a contact of its own.
#define DEEPER 1.25f

// Queries without a sample left out before the limit on contacts begins to fall.
#define LIMIT_PATIENCE 10

// Pairs that one task takes: some tens of microseconds, so that handing them out costs little and few wait at the end.
#define PAIR_BLOCK 8

// Probes of a sweep before it gives a careful answer: about a millisecond; ordinary ones take some tens to hundreds.
#define SWEEP_MAX_PROBES 4096

// Of a sphere's radius. A sphere that gets no farther than this before it might touch is divided instead.
#define SWEEP_SPLIT 0.5f

// Of size and offset of what moves: the least tolerance of a sweep, ten times what rounding can do to a position.
#define SWEEP_MIN_TOUCH 4e-6f
