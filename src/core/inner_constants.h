// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Tolerances and limits of inner sphere trees (Weller, Zachmann 2009): the part of core/constants.h that is theirs.
#pragma once

// Voxels of a packing's grid, the box around the object included: 1 GB of distances.
#define INNER_MOST_VOXELS 0x1p28

// Spheres of one packing: ten times the paper's largest.
#define INNER_MOST_SPHERES (1 << 24)

// Voxels inside per sphere that is asked for. Fewer, and they run out before the spheres; more do not find better
// places (12 in place of 8 cover 0.7 % more of a bunny with 10,000 spheres).
#define INNER_VOXELS_PER_SPHERE 12.0

// Packings of fewer spheres have voxels as if they were so many: else thin parts fall between the voxels.
#define INNER_FEW_SPHERES 64

// Voxels. Smaller spheres cover nothing to speak of.
#define INNER_LEAST_RADIUS 0.1

// Relative: a radius is this much smaller than the distance (in double) that it comes from, far more than the
// distance's rounding, so that spheres are disjoint exactly.
#define INNER_ROUNDING 1e-12

// Candidates that are moved at the same time, at least this share of the largest one's size, and how many may be left
// aside for being close to others.
#define INNER_BATCH 64
#define INNER_BATCH_RANGE 0.95f
#define INNER_BATCH_ASIDE 256

// Voxels. A sphere starts at the centre of the voxel with the largest free radius, so the place where it is largest is
// about half a diagonal away. Steps uphill start with half a voxel and shrink where they lead down; after so many what
// is missing is a hundredth of a voxel.
#define INNER_CLIMB_REACH 1.0
#define INNER_CLIMB_FIRST 0.5
#define INNER_CLIMB_SHRINK 0.6
#define INNER_CLIMB_STEPS 16

// Relative. The volume of the voxels and that of the surface differ by less, unless the surface runs through itself.
#define INNER_VOLUME_TRUST 0.1

// Batch neural gas: iterations at most, the width λ at their end and where it is narrow enough to stop (a prototype
// then takes e^-5 of those that are nearer to another one), and the share of the box that settled prototypes move.
#define INNER_GAS_ROUNDS 60
#define INNER_GAS_NARROWEST 0.01
#define INNER_GAS_NARROW 0.2
#define INNER_GAS_SETTLED 1e-5

// Spheres per partial sum of a prototype, sums that need no memory, and spheres that one worker clusters alone.
#define INNER_GAS_BLOCK 1024
#define INNER_GAS_FEW 8
#define INNER_GAS_ALONE (INNER_GAS_BLOCK * INNER_GAS_FEW)

// Levels of a hierarchy that are clustered; below, ranges are quartered, which takes twelve more at most.
#define INNER_GAS_DEPTH 24

// Ranges of the hierarchy per task; spheres whose neighbours are counted per task, room for those of one, and cells of
// the finest grid along the radius of all.
#define INNER_RANGE_BLOCK 4
#define INNER_COUNT_BLOCK 256
#define INNER_NEIGHBOURS 512
#define INNER_COUNT_CELLS 64.0

// m. Where children are that a node does not have: finite when squared, and too far for any query.
#define INNER_FAR 1e18f

// Relative to coordinates: rotating and moving the centre of a sphere in float, and the distance of two, are off by no
// more than a third of this.
#define INNER_SLACK 4e-6f

// Relative. Volumes are kept as float and summed in double: bounds of an estimate are that much wider.
#define INNER_SUM_ROUNDING 1e-5

// Pairs of nodes that are opened between two looks at the clock: some microseconds.
#define INNER_CLOCK_EVERY 8

// Sharpening: triangles around one (some thirteen are usual), steps of a walk from triangle to triangle.
#define INNER_RING 48
#define INNER_WALK_STEPS 32

// Relative: a step that takes less than that off a distance is the last one. And how much farther than it went each
// step is continued.
#define INNER_SHARP_GAIN 1e-6f
#define INNER_SHARP_AHEAD 1.0f

// Voxels of a and b. Pairs of spheres that are farther than the nearest pair by up to this are looked at, too: how near
// spheres come to their surface differs by about that. And from how many of them the sharpening starts. On a path of
// bunnies with 30,000 spheres, from the nearest pair alone the mean error is 1.4 % (a few poses at which surfaces all
// but touch in two places); from two 0.23 %, from three 0.20 %; a margin of 0.175 costs a fifth more and gives 0.16 %.
#define INNER_PLACE_MARGIN 0.1
#define INNER_PLACES 2

// Pairs of triangles that are tried at the end.
#define INNER_POLISH 8

// Steps of sharpening that may be asked for: far more than any pair has taken.
#define INNER_MOST_ROUNDS 1000

// Pairs of nodes that may wait for a volume in limited time: 3 MB, for a millisecond's worth of pairs.
#define INNER_HEAP (1 << 16)

// Volume of a ball of radius 1, and how far, relatively, a sum of such volumes in float may be from one in double.
#define INNER_UNIT_BALL 4.1887902047863905
#define INNER_VOLUME_ROUNDING 1e-4

// Pieces. Spheres of one block whose piece is found per task; of the radius: how far a surface may come into a sphere
// that stays whole, how much smaller than the room they have new spheres are, and which are too small to make; the
// spacing of points inside a cut sphere (33 of them), and in one of less than that many voxels (19); and new spheres in
// one of them at most.
#define INNER_PIECE_BLOCK 64
#define INNER_PIECE_KEEP 1e-4f
#define INNER_PIECE_SAFE 1e-3f
#define INNER_PIECE_LEAST 0.02f
#define INNER_PIECE_SPACING 0.45f
#define INNER_PIECE_COARSE 0.6f
#define INNER_PIECE_LARGE 2.0
#define INNER_PIECE_MOST 8

// Rows of voxels, and voxels without a sphere, per task.
#define INNER_ROW_BLOCK 8
#define INNER_LOOSE_BLOCK 1024
