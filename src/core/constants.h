// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Every tolerance and limit of the library, by room: unit, and why this value. No magic numbers elsewhere.
#pragma once

// core

// Bytes. Blocks from here on are kept when they come back: the C library takes them from the system one by one.
#define KEEP_LEAST (1u << 12)
// Bytes kept by a context at most; a wall in a thousand pieces needs as much.
#define KEEP_MOST ((size_t)1 << 27)

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

// Relative to the sum of its products' sizes: a determinant of differences of floats in double that is larger than this
// has the right sign. Each product has at most 5 roundings of 2^-53 (differences included) and the sum 5 more.
#define ORIENT_ROUNDING (16.0 * 0x1p-53)

// Relative: a double rounded to a float and made larger by this is not below the double.
#define FLT_STEP 0x1p-22f

// Bytes. The smallest block of an arena: a few pages, so that small steps never chain.
#define ARENA_MIN_BLOCK 65536

// Rounds of the busy wait before a thread of the task pool sleeps: some 100 µs, more than what one thread does between
// two loops of a step (waking takes half of that), and far less than a frame.
#define TASK_SPIN_ROUNDS 4000

// The same within a region, before a thread lets others have its core: some 10 µs, several times what a part takes.
#define TASK_YIELD_ROUNDS 500

// A thread of the pool claims at most such a share of what each has left to do: the last ones to finish then wait for
// little.
#define TASK_SHARES 8

// Keys up to this number are sorted by insertion: counting bytes costs more than that.
#define SORT_FEW 48

// Relative. A ball sticks out of another one only by more than this: some roundings of a few operations.
#define BALL_ROUNDING 1e-12

// Pivots of the smallest ball around balls. Each makes it larger; about ten are usual, for a million balls too.
#define BALL_MOST_PIVOTS 1000

// mesh

#include "core/mesh_constants.h"

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

// Cells. How far the grid goes beyond the solid: tolerances and speculative margins stay below it.
#define CELL_BAND 0.5f

// Cells along a block of the mask grid: with more, breaking costs less and fewer spheres are culled.
#define MASK_CELLS 3

// Cells of a mask level. Spheres up to this radius look at it, at three or four cells each way at most.
#define MASK_REACH 1.0f

// More than this share of a piece's box must be others' for the mask grid to be asked. Pieces that are about convex
// stay below, and asking would cost their queries 1 %; it saves those of a C around others 3 to 7 %.
#define MASK_FOREIGN 0.28f

// Share of its nodes above which a piece keeps its hull when it breaks: what is chipped off costs less than a new one.
#define HULL_KEPT 0.8f

// Steps in which areas are summed, of the square over the longest side of a piece: four million facets fit into 63
// bits, and the smallest that matter have some hundred thousand steps.
#define HULL_STEPS 0x1p38

// Squared cosine. Parts of a crack that are this parallel, 18°, are one plane of a hull.
#define HULL_PARALLEL 0.9f

// The grid of distances around a piece: corners that it has, per node of the piece, at least (those who would have
// fewer have none: looking at their surface costs little) and at most; spacing in cells, or more where that would be
// too many corners; spacings that it goes beyond the piece's box; factor by which it gets coarser; spacings beyond
// which it does not matter how far the surface is.
#define NEAR_PER_NODE 4
#define NEAR_LEAST 64
#define NEAR_MOST 2048
#define NEAR_SPACING 0.7f
#define NEAR_AROUND 0.5f
#define NEAR_COARSER 1.1f
#define NEAR_REACH 3.0f

// Relative to the largest coordinate: a few float roundings, for bounds that must hold in spite of them.
#define ROUNDING 1e-6f

// Factor on a squared distance to beat: boxes and triangles are measured in different ways, and rounding must not pass
// over a triangle that is as near as the best.
#define SKIN_ROUNDING 1.000002f

// Halvings of a piece's cube along the curve on which its triangles are sorted; and of one that has no more triangles
// than the second number, for which two bytes tell them apart well enough.
#define SKIN_LEVELS 8
#define SKIN_COARSE 1024
#define SKIN_COARSE_LEVELS 5

// Triangles. So far ahead of their use facets are fetched: some ten times as long as one takes.
#define SKIN_AHEAD 32

// Share of its places below which a tree over a piece's surface is given up, and what is left goes into another one.
#define SKIN_KEPT 0.5f

// A tree that is fewer times larger than what is new is made anew with it: a piece has few trees, and no triangle is
// moved often.
#define SKIN_MERGE 4

// Height over the longest edge. A flatter triangle's normal does not say on which side of it a point is.
#define SKIN_NEEDLE 1e-3f

// Factor on a bound of how deep a point may be, more than what rounding can have taken from it. And cells: up to this
// bound, looking for a surface within it is cheaper than looking who owns the point.
#define BOUND_SLACK 1.001f
#define BOUND_REACH 1.0f

// Squared cosine between a triangle's normal and the way from the closest point within it: 1 but for rounding.
#define SKIN_ACROSS 0.98f

// In ROUNDING: nearer to an edge or a corner than this the direction to it is off by degrees.
#define PROBE_NOISE 10.0f

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

// Of a solid's size: what rounding may have moved the box of a piece out of the solid's, and a hundred times that.
#define STATE_SLACK 1e-4f

// tree

// Points per leaf of the tree that orders points: below this, walking nodes costs more than looking at every point.
#define ORDER_LEAF_POINTS 8

// Relative to the squared size of a set of points: a bound on the largest distance that comes from a difference of
// squares is this much wider, a thousand times its rounding.
#define DIAMETER_ROUNDING 1e-12

// Relative. Radii of the sphere tree are this much wider than the distance they come from: rounding cannot open them.
#define REACH_ROUNDING 4e-7f

// Of the root's longest side: by this much the sides of boxes are widened before volumes are compared, so that flat
// ones have some. A thousandth is below the triangles of any mesh that a tree is worth having for.
#define BALANCED_PAD 0x1p-10

// Of the largest sum of measures so far. Below, what is left of a running sum of doubles may be rounding in its fifth
// digit, and it is recomputed.
#define BALANCED_SUM_SHARE 1e-9

// Of the same sum: how far the running sum may be from a recomputed one, for checks. Ten million roundings.
#define BALANCED_SUM_ERROR 1e-9

// Relative, in double: bounds of boxes along a ray are this much wider, a thousand roundings of what a hit comes from.
#define RAY_BOX_ROUNDING 1e-13

// Relative, in float: a turned box is this much wider, sixteen roundings of what its corners come from.
#define TURNED_BOX_ROUNDING 0x1p-20f

// Levels of the balanced tree above the branches that are built or refitted side by side: enough branches that they
// come out even on any number of workers there is, and few enough that what is above them does not count.
#define BALANCED_BRANCH_LEVELS 7
#define BALANCED_BRANCHES (1 << BALANCED_BRANCH_LEVELS)

// Items of a block of work at least: some 20 µs, so that handing it out costs little of that.
#define BALANCED_GRAIN 512

// What it costs to copy an item and to insert one, in what an item costs per level when a tree is built (7 ns on an
// EPYC).
#define BALANCED_COPY 2.0
#define BALANCED_INSERT 13.0

// Times Q after the last build. Below, rebuilding gains less than a tenth of the quality, and would be due again
// at once where even that is poor.
#define BALANCED_WORTH 1.1

// Inner spheres have a file of their own.
#include "core/inner_constants.h"

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

// Widths of the surface's mean triangle (the square root of its area): the smallest cell of a distance grid, which
// makes some 200 cells per triangle. All built-in models at their usual detail have fewer.
#define GRID_LEAST_WIDTHS 0.17

// Triangles times widths of the mean one: the smallest cell where triangles are few. The fewer, the cheaper is the
// exact distance and the less a fine grid saves; at 60 triangles cells are three quarters of a triangle wide.
#define GRID_FEW_TRIANGLES 46.0

// Cells of the distance grid along the longest side: any surface may have so many, however few its triangles; less than
// 20 kB. Rocks of 60 triangles fall as fast with 6 cells as with 9, and faster than with 48, which miss the cache.
#define GRID_LEAST_CELLS 6.0

// Cells: the band around the surface that has fine samples where the rules above make cells larger. Two, as elsewhere,
// take half as much memory again and save no time.
#define GRID_COARSE_BAND 1.0

// Cosine. Faces around a node whose normals are closer than this (26°) count as one.
#define CONE_SAME 0.9f

// Of the square root of twice a triangle's area: how far below the triangle a ray starts that must not hit it.
#define THINNESS_START 1e-4

// collide

// Of the smaller piece's radius: penetration that contact selection may leave alone (Glondu §5.2).
#define CONTACT_TOLERANCE 0.002f

// A sample this many times deeper than all selected ones is worth a contact of its own.
#define DEEPER 1.25f

// Queries without a sample left out before the limit on contacts begins to fall.
#define LIMIT_PATIENCE 10

// Samples that a search has room for from the start: enough for most.
#define SEARCH_QUEUE 1024

// Pairs that one task takes: some tens of microseconds, so that handing them out costs little and few wait at the end.
#define PAIR_BLOCK 8

// Contacts that a query has room for when it first needs any. Ordinary ones never need more, so that memory does not
// creep up with the hardest one so far.
#define QUERY_CONTACTS 128

// Triangles of changed surfaces worth another worker in a break: half a millisecond, many times what waking one takes.
#define SHAPE_SHARE 2000

// Convex edges as features of their own. They count if their faces lean by more than so much (tangent of half the
// angle between the normals), where something may get in by more than so much of the radius between samples; chains
// are merged that stray by no more than half the contact tolerance from a line, with faces that turn by 15° at most
// (cosine).
#define EDGE_BEND 0.02f
#define EDGE_HIDDEN 0.01f
#define EDGE_STRAIGHT 0.001f
#define EDGE_SAME 0.966f

// Of the depth of a crossing: an edge that is outside the other body by less may still be in it. Acute edges overlap
// beside the line between them.
#define EDGE_BESIDE 0.25f

// Crossings of a query at which a surface is asked, the closest first.
#define EDGE_PROBES 16

// In the id of a contact of two edges, above their numbers.
#define CONTACT_OF_EDGES 0x40000000u

// In the place of the second number of such an id: the start of the edge touches, or its end.
#define CONTACT_OF_CORNER 0x7ff0

// Two edges that cross: the sine of the angle between them must be more than this, and they are no deeper in each other
// than so much of the smaller radius: deeper, samples speak.
#define EDGE_CROSS 0.02f
#define EDGE_DEEP 0.25f

// Iterations of the search for the axis of largest gap between hulls: touching ones need some six, and what is short of
// the gap after that, of it, does not matter.
#define CONVEX_ITERATIONS 12
#define CONVEX_EXACT 0.02f

// Probes of a sweep before it gives a careful answer: about a millisecond; ordinary ones take some tens to hundreds.
#define SWEEP_MAX_PROBES 4096

// Of a ball's radius: when it is clear of a piece by so much, how far exactly does not matter to a sweep.
#define SWEEP_CLEAR 0.02f

// rad. What turns more in a sweep is looked at in slices: directions hold that long. And how many at most.
#define SWEEP_SLICE 0.3f
#define SWEEP_MOST_SLICES 64

// When a sample is near a plane: m that it drifts in half a slice at least for that to be asked; of half a slice, more
// than rounding does to the answer; and what counts as all of the slice.
#define SWEEP_DRIFT 1e-12f
#define SWEEP_WIDER 1e-5f
#define SWEEP_BRIEF 0.85f

// Cells of the rest grid: where a piece's own grid is coarser, sweeps ask both.
#define SWEEP_COARSE 4.0f

// Samples that are worth to be looked at together before each is by itself; and how often slices are halved for those
// that may not be deep in anything, or meet a shape: a look at such a one alone costs little.
#define SWEEP_TOGETHER 3
#define SWEEP_FEW_HALVINGS 2

// rad. Half turns up to this are taken from a series that is exact to the last bits there.
#define SWEEP_SERIES 0.25

// Of the depth that a sweep allows: what is no deeper counts as outside, and need not be measured.
#define SWEEP_SHALLOW 0.25f

// Of how far a sample was from touching: what it is expected to be by again, a moment later.
#define SWEEP_EXPECT 0.75f

// Steps in which the boxes of two moving bodies come closer before their insides are looked at: turning ones may miss
// each other all the same.
#define SWEEP_BOX_STEPS 16

// Of size and offset of what moves: the least tolerance of a sweep, ten times what rounding can do to a position.
#define SWEEP_MIN_TOUCH 4e-6f

// m. The solid layer behind open scenery when nobody says: what falls 3 m/s fast moves so far in a step at 30 Hz.
#define SCENERY_THICKNESS 0.1f

// Height over the longest edge. Triangles that are thinner have no normal in float.
#define SCENERY_NEEDLE 1e-5

// Cosine, 0.8°. Faces of scenery that meet at less are one plane: ten times what rounding does to a small triangle of a
// large terrain.
#define SCENERY_FLAT 0.9999

// Cosine, 8°. Convex edges that bend less need no samples of their own: between two samples of a piece, 2 cm apart,
// they rise by 0.7 mm.
#define SCENERY_RIDGE 0.99

// Cosine, 8°. A sample so straight behind the rim of a triangle is behind the triangle: there may be another one beside
// it that does not share its points.
#define SCENERY_STRAIGHT 0.99f

// Packets of triangles that are looked through to learn how a piece's surroundings lie, and the cosine of the steepest
// for it to be worth while: 78°.
#define SCENERY_LEVEL_PACKETS 256
#define SCENERY_LEVEL_COSINE 0.2f

// Samples of a ridge at most: 2 to this. With more than 2^19 ridges fewer, as numbers have 31 bits.
#define SCENERY_STEP_BITS 12

// Of a piece's radius: how far apart the samples of ridges are that it meets.
#define RIDGE_SPACING 0.25f

// fracture

// Of the spacing of nodes: bends finer than this cannot be told from none, and their coordinates would overflow.
#define ROUGH_FINEST 1e-3f

// Candidates per site of a Voronoi pattern, the farthest from all others is taken: more hardly makes cells more even.
// With many sites fewer, so that comparisons stay at some thousand per site.
#define SITE_CANDIDATES 8
#define SITE_COMPARISONS 2048

// Sites of a partial break are drawn as far as this many radii from the impact, to give outer cells their outer walls;
// at most so many times the pieces wanted (2.7 would do for a full ball), and never more than can be compared in 0.1 s.
#define SITE_MARGIN 1.4
#define SITE_OUTSIDE 4.0
#define MAX_SITES 8192.0

// Of the reach: how far from the impact cells of a clustered pattern begin to grow.
#define CLUSTER_CORE 0.06

// Nodes at which edges are measured to learn how fine a mesh is.
#define SPACING_NODES 256

// Nodes. Parts of fewer are the size of the mesh's own tetrahedra.
#define CRUMB_NODES 4.0

// Of the reach: the innermost ring and the outermost one. Beyond the outermost
// ring there are only spokes: the long daggers of a broken pane.
#define RADIAL_INNER 0.05
#define RADIAL_OUTER 0.62

// Spacings of nodes: width of sectors at the innermost ring, and its radius.
#define RADIAL_MIN_NODES 1.2

// Spokes and rings of a radial pattern at most: 128 spokes are 3° apart.
#define RADIAL_MAX_SPOKES 128
#define RADIAL_MAX_RINGS 64

// Pieces: with no more than this there are spokes and no ring.
#define RADIAL_FEW 8

// Pieces of a ring for each spoke: sectors that divide give more, rings that are missing fewer.
#define RADIAL_SECTORS 1.1

// Spacings of nodes: steps in which the thickness at the impact is measured; and how many of them.
#define RADIAL_DEPTH_STEP 0.1
#define RADIAL_DEPTH_STEPS 400

// When a piece is a plate with limbs: they reach out by so many thicknesses, and this share of the volume is plate; a
// limb begins this share of the thickness beyond it, and as many bends of rough walls.
#define RADIAL_LIMB_BEND 1.5
#define RADIAL_LIMB_LENGTH 6.0
#define RADIAL_PLATE_SHARE 0.6
#define RADIAL_LIMB_MARGIN 0.25

// Spokes for each piece within the innermost ring.
#define RADIAL_INNER_SPOKES 5

// How much nothing is even, as shares: of the angle between spokes; of the step between rings, where they meet a spoke
// and from sector to sector; of a sector's angle, where its branch runs. Small enough that all stay in order.
#define RADIAL_SPOKE_JITTER 0.3
#define RADIAL_RING_JITTER_SPOKE 0.2
#define RADIAL_RING_JITTER_SECTOR 0.25
#define RADIAL_BRANCH_JITTER 0.15

// Chances: that a ring is missing in a sector, that a sector divides farther out.
#define RADIAL_RING_MISSING 0.25
#define RADIAL_BRANCH_CHANCE 0.6

// Steps of halving an edge until it meets a wall: 2^-16 of an edge is finer than can be seen or touched.
#define WALL_STEPS 16

// m. A brick of 215 × 65 × 102.5 mm with joints of 10 mm.
#define BRICK_LENGTH 0.225
#define BRICK_HEIGHT 0.075
#define BRICK_DEPTH 0.1125

// Spacings of nodes: bricks that are lower than this cannot be told apart.
#define BRICK_MIN_NODES 1.8

// Bricks in an asset; more are a mistake of units.
#define MAX_BRICKS (1 << 20)

// Lengths of a brick from the impact: bricks nearer than this break in two.
#define BRICK_SPLIT 1.0

// Of a brick: nodes that lie in a joint as far as rounding can tell are all on the same side.
#define BRICK_JOINT_SLACK 1e-4

// How broken bricks vary: lengths of a brick that the break is off its middle, and slope of the break.
#define BRICK_BREAK_OFFSET 0.15f
#define BRICK_BREAK_SLOPE 0.5f

// Sine of an angle: a grain closer to the blow says nothing about what is across it.
#define GRAIN_PARALLEL 1e-3

// Cells: how far from a region's surface its level is known. Two let walls be interpolated across a whole cell.
#define REGION_BAND 2.0f

// Cells: how deep a sample may be in two regions, for neighbours drawn by hand; more is a mistake.
#define REGION_OVERLAP 0.5f

// Of the grid's sides: how far from its border the heart of a pattern is at least, from which regions spread beyond.
#define REGION_HEART 0.25f

// Cells: sides this little longer than whole cells, by rounding, get no cell more.
#define REGION_GRID_SLACK 1e-3f

// Triangles of a pattern's regions, and samples of all their blocks together: a grid of 256³ sixteen times over, 1 GB.
#define REGION_MAX_TRIANGLES (1 << 26)
#define REGION_MAX_SAMPLES ((int64_t)1 << 28)

// Steps of false position until an edge meets a wall between regions, and of a cell: near enough. Most take four.
#define REGION_CUT_STEPS 12
#define REGION_CUT_NEAR 1e-3f

// The part of an impact's energy that becomes new surface. Crushing tests find between half a percent and some percent;
// with two a concrete brick breaks when dropped from a metre.
#define CRACK_EFFICIENCY 0.02

// The part of a body that a hit must be able to strain to its strength. Some bending everywhere, most of it near the
// hit: with a half, plates and mugs bear drops from half a metre.
#define STRESSED_SHARE 0.5

// An ellipsoid has 1.13 times the volume of the box that turns like it; nothing has more.
#define BOX_MAX_FILL 1.2

// Patches of a fresh crack between two pieces. Cosine of 30°: parts of a wall that look alike make one; how many
// patches a pair has at most; and of all of the wall, what is too little for one.
#define SIBLING_CONE 0.866f
#define SIBLING_PATCHES 4
#define SIBLING_REST 0.05f

// Of the area of a crack: a mean normal shorter than this is what rounding leaves of one that closes on itself.
#define BOND_CLOSED 1e-6

// dynamics

// Margins. A fat box that reaches this much farther than the body's on any side is made anew: what it was made for,
// a fast body's way, is over.
#define BROAD_LOOSE 4.0f

// Items in a box tree at most: references to its nodes have 27 bits. Some 5 GB.
#define BOX_TREE_MOST (1 << 26)

// Moved items per item, each times the share by which the leaves are larger than when the tree was built: by then walks
// have lost about as much as building costs.
#define BOX_TREE_WORN 0.7

// Times the mean size of a leaf: more than this does not count, so that a few large boxes do not hide the others.
#define BOX_TREE_LARGEST 4.0

// Slots of the box tree that one task looks at: some 10 to 30 µs when all have moved.
#define BROAD_BLOCK 128

// Hits of a walk that are looked at together, and pairs that are handed in together: more than almost any walk has.
#define BROAD_FOUND 64

// rad. Half a turn's angle below which six and seven terms of their series are sine and cosine to a bit or two.
#define ROTATION_SMALL 0.25

// Relative. An energy is not brought closer to the stored one than this: some tens of roundings, so that nothing turns
// for rounding errors alone.
#define ROTATION_EXACT 1e-14

// Slope of the energy per radian over the energy. Below, the body spins so nearly about a principal axis that the
// direction of steepest change is hardly more than noise.
#define ROTATION_PARALLEL 1e-8

// J. Fourth powers of energies above it do not underflow; and nobody sees what has less.
#define ROTATION_LEAST_ENERGY 1e-60

// Bodies that one task takes: a few microseconds of boxes, velocities or places.
#define BODY_BLOCK 64

// Pairs that one task takes where each costs some nanoseconds: ten microseconds.
#define MARK_BLOCK 1024

// Pairs that one task takes to sum up their contacts: some microseconds.
#define HIT_BLOCK 128

// Groups of eight pairs that one task takes: some ten microseconds.
#define GROUP_BLOCK 8

// Groups of one colour that a worker takes at least: what they cost is above what it costs two workers to meet.
#define SOLVER_PART 4

// s. Longest step: a body in free fall gets five metres further, more is a mistake of units.
#define MAX_STEP 1.0f

// Of a body's radius: how much wider its box in the broad phase is. A resting body never leaves it.
#define BODY_MARGIN 0.05f

// Cosine short of 1 at which a plane counts as level, so that its box ends at its height.
#define PLANE_LEVEL 1e-6f

// Coulomb's coefficient of bodies that have no material.
#define DEFAULT_FRICTION 0.5f

// Sine. Edges of two boxes that are closer to parallel have no axis of their own; the faces' will do.
#define APART_PARALLEL 1e-3f

// Of a pair's tolerance: how far apart places may be that are contacts already; and bodies that have moved less than so
// much against each other keep the contacts they have, as no other place can have come closer than a tolerance. After
// so many steps they have to have moved less.
#define CONTACT_MARGIN 6.0f
#define CONTACT_REUSE 4.0f
#define CONTACT_USES 12
#define CONTACT_REUSE_REST 1.5f

// s. Contacts are looked for with what bodies may do in this time in mind, and serve so long whatever has moved: steps
// of 30 Hz do with one look each, and shorter ones need no more looks. Planes are looked at twice as often: that costs
// little, and round things roll on them (shards that rock sank in by half as much again).
#define CONTACT_TIME 0.0334f
#define CONTACT_TIME_PLANE 0.0167f

// Of what a pair was looked at beyond its margin at rest, half a wall at most: how deep something that was not found
// may get before bodies that touch elsewhere are looked at again, where they move fast. With nothing they are looked at
// in each of their short steps, and things are a third less deep; with all of it half as deep again.
#define CONTACT_UNSEEN 0.5f

// A sum of ways is not less than where they lead, whatever rounding did to either.
#define PATH_SLACK 1.00001

// Of all lengths involved: what rounding can do to how far a pair has moved by its places, ten times over.
#define PATH_ROUNDING 1e-6f

// Contacts of a pair. With fewer, what gravity alone may bring together in the step is looked for, too.
#define CONTACT_FEW 4

// Contacts of a pair to choose from, at most, when it is about at rest (its way in a step at most so many tolerances):
// then corners matter more than time, which is spent once.
#define CONTACT_CANDIDATES 96
#define CONTACT_SLOW 4.0f

// The same when it moves: all it needs are those that matter until the next look; fewer where steps are brief, except
// on planes. Twelve in steps of 1/30 s let shards of plates sink in; twenty-four are a fifth slower, and sink as often.
#define CONTACT_FAST 16
#define CONTACT_FAST_BRIEF 10

// Cosine. Contacts whose normals are closer than this (18°) make one patch, whose corners are kept: so many at most,
// and only those that stand out by more than the tolerance.
#define CONTACT_PATCH 0.95f
#define CONTACT_CORNERS 6

// Contacts of a pair: with more, those between the corners and those that do not touch are spared.
#define CONTACT_ENOUGH 8

// Of what a pair's contacts carry: one with less is not kept for that, its nearest neighbour takes it.
#define CONTACT_IDLE 0.02f

// How much more a corner counts that was there before.
#define CONTACT_STEADY 1.2f

// Of a pair's tolerance: a contact that is so much deeper than all corners is kept, too.
#define CONTACT_DEEPER 0.25f

// Of a pair's tolerance: how far the two places of a contact may slide apart before it has to be found anew, where the
// two are about at rest, and elsewhere. What slides over an edge is found no more; if then it falls a little, is deep,
// found and pushed back, it never comes to rest.
#define CONTACT_SLIDE 8.0f
#define CONTACT_SLIDE_FAST 2.0f

// Of a pair's tolerance: deeper is more than a contact that has been pressed a little.
#define CONTACT_DEEP 2.0f

// Jams. Steps that a pair may be deep before a way out is looked for, and again while it is: most are out sooner. A way
// of no more than this times the depth is easy: contacts lead there by themselves.
#define JAM_PATIENCE 5
#define JAM_EASY 2.3f

// Rounds in which deep contacts look for a direction, and how far each turns to the least willing one.
#define JAM_ROUNDS 16
#define JAM_TURN 0.3f

// Ways out: how far to try, of the smaller radius; each try so much farther than the last; contacts whose own
// directions are tried; cosine to the way of contacts that are kept beside it; and of the tolerance, how far a step
// leads along it: 0.5 % of the diameter, so that nothing jumps.
#define JAM_FARTHEST 0.6f
#define JAM_GROWTH 1.5f
#define JAM_NORMALS 6
#define JAM_ALONG 0.3f
#define JAM_STEP 10.0f

// Of a pair's tolerance: penetration that is not pushed out, so that contacts at rest stay.
#define CONTACT_SLOP 0.02f

// s. A substep of the solver, unless a world says how many there are: four in a step at 30 Hz, one where steps are
// short anyway. And how much of one more is rounding.
#define SUBSTEP (1.0f / 120.0f)
#define SUBSTEP_SLACK 0.01f

// Changes of speed that do not matter to a contact: of what gravity does in a substep (in small islands, and in large
// ones: an error in a stack grows with the square of its height, heaps are not stacks), m/s on top of it, and of the
// speed at which the contact was met.
#define SOLVER_CALM 2e-5f
#define SOLVER_CALM_MANY 1e-3f
#define SOLVER_CALM_SPEED 1e-7f
#define SOLVER_CALM_APPROACH 0.01f
#define SOLVER_CALM_MOVING 1e-3f

// Rounds of impulses in a substep, at most; and on top of them, times an island's pairs, so that small ones may take as
// many as cost little, but no more per pair than a stack needs that is so high: the slowest of n modes takes
// (2n / π) ln(1 / SOLVER_CALM) = 7 n accelerated rounds, and √EASE_LIGHT times as many where masses differ so much.
#define SOLVER_ROUNDS 16
#define SOLVER_WORK 2400
#define SOLVER_STACK 70

// Pairs: islands of fewer may be stacks, which need the finer of the two tolerances.
#define SOLVER_MANY 300

// Rows of contacts up to which rounds remember their directions, 1.5 kB each: what a second cache of a megabyte holds.
#define SOLVER_AIMS 512

// Rounds before impulses follow their trend: most that is left by then is slow to go otherwise.
#define SOLVER_PLAIN 3

// How many bodies a blow goes through at least, and how fast, m/s, what hands it on has to be.
#define BLOW_PASSES 4
#define BLOW_SPEED 0.1

// Masses. A body that is held and so much lighter than one it touches counts as heavier in a first solve, so that this
// is all that is left of the difference; and how often that is passed on, to what it lies on. Rounds alone do up to
// some hundred: what was a thousand times as heavy sank into what carried it.
#define EASE_LIGHT 100.0f
#define EASE_RATIO 4.0f
#define EASE_PASSES 8

// Of a contact's impulse: changes that do not matter in that solve, and in the real one after it, where rounding gives
// a light body between two large impulses as much.
#define EASE_ROUGH 1e-5f
#define EASE_ROUNDING 2e-6f

// Rounds of pushing out, at most, and the share of a penetration that each takes away: less than all, as neighbours
// push as well.
#define PUSH_ROUNDS 8
#define PUSH_SHARE 0.3f

// Rounds of pushing out in which bodies give way by their masses. What is deep after them is mostly light and squeezed
// between a heavy body and the ground: it is pushed to and fro, and the heavy one hardly moves, for hundreds of steps.
// From then on both of a pair that stands on something move as if they were as heavy as the heavier.
#define PUSH_PLAIN 4

// Bodies made or moved between steps that queries ask one by one before the broad phase's tree is brought up to date.
#define MOST_RECENT 32

// Relative. How much farther than the nearest surface so far another may be found, so that rounding hides no equal one.
#define NEAR_SLACK 1e-6f

// Continuous collision. Of the half thickness of the thinner body: how deep one may get into the other within a step
// before that is a hit, and two that impulses move, once they have been parted in vain: beyond the middle nobody knows
// which way is out; how much deeper per try what is deeper already; and how far the motions of two bodies may
// change before they are swept again, and how far a correction ends inside what a hit is.
#define TOI_DEPTH 0.5f
#define TOI_DEPTH_COARSE 0.9f
#define TOI_DEEPER 1.1f
#define TOI_STRAY 0.1f

// Solves of a step after the first one, with the contacts that the motions it led to have met.
#define TOI_SOLVES 1

// Of a pair's slop: levers that meet within this make angular momentum of its thousandth part of a contact's impulse
// times a body's radius per step at most, as slops are 0.2 % of radii.
#define LEVER_SLACK 1e-3f

// Rounds of corrections after integration: those for all pairs, and those at most for pairs that meet for the first
// time. Iterations over all hits of a round. Bodies that turn farther, rad, go on together from the hit on, without
// turning: they would go through each other wherever they are put.
#define TOI_ROUNDS_ALL 3
#define TOI_ROUNDS 40
#define TOI_TURN 1.0f
#define TOI_ITERATIONS 8

// Length of the difference of two unit vectors: planes that look so nearly the same way say how far a body reaches.
#define CLEAR_ASIDE 0.25f

// Σ |m v| and Σ |r × m v|: momentum that may be missing or too much, some roundings of a float.
#define CONSERVE_EXACT 1e-7

// Of what bodies move against each other: what stays at least when their angular momentum is put right. Those that were
// brought closer together within a step cannot always have all of it and no more energy.
#define CONSERVE_KEEP 0.5

// Fragments that a break under way has room for to begin with.
#define JOB_FRAGMENTS 16

// Of the asset's volume: pieces smaller than this break no further unless the definition says otherwise.
#define BREAK_SMALLEST 0.002

// Of what it takes to break a body: hits below this share leave no damage.
#define BREAK_HARMLESS 0.1

// Times what it takes: the hit that damage has made enough.
#define BREAK_JUST 1.0001

// Snapshots. Larger numbers (m, m/s, N·s …) and smaller masses (kg, kg·m²) than any world has are refused: squares of
// the former and inverses of the latter are finite in float.
#define STATE_MOST 1e15f
#define STATE_LEAST 1e-30

// Of a radius squared: the section that a blast finds, a box' or splinter's rather than a ball's.
#define BLAST_SECTION 1.5

// io

// Frames. A frame is taken when its time is this close: times are sums of steps.
#define FILM_EARLY 1e-6

// m. Half the side of the square that stands for a plane in a film.
#define FILM_GROUND 2.0f
