// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Tolerances and limits of models and meshers: the part of core/constants.h that is theirs.
#pragma once

// Squared sine. A triangle with a smaller angle at its first corner has no normal to speak of: a needle or a double
// edge, whose closest points are those of its sides.
#define TRI_NEEDLE 1e-20

// Relative. Triangles are passed over by their plane only where rounding cannot have made it look too far.
#define TRI_ROUNDING 1e-9

// Cluster radii. Triangles seen from farther away than this count as one cluster in a winding number: the next term
// of its expansion adds up to less than 0.05, a tenth of what separates inside from outside.
#define WINDING_FAR 2.0

// Winding numbers through clusters are that exact.
#define WINDING_ERROR 0.05

// Length of the summed area vectors over the area. A shell with more than this missing (a hole of a tenth of a
// sphere's surface) has no volume whose sign could be trusted.
#define WINDING_SHELL_OPENNESS 0.1

// The solid of a dirty surface (mesh/surface_solid). Diagonals of its box unless said otherwise.
// Thickness of open sheets: the wall of a teapot or a car door in proportion to the whole.
#define SHEET_THICKNESS 0.02
// Squared: triangles of less area are left out; a hundred float spacings squared.
#define SOLID_FLAT_AREA 1e-10
// How far before and behind a triangle its sides are tested: above the rounding of float boxes, below any wall that
// could be meshed.
#define SOLID_SIDE 1e-4
// Squared: larger triangles are tested at four places instead of one, for they may be partly inside another shell.
#define SOLID_LARGE_AREA 1e-3
// Mean distance of the winding numbers along a component from whole numbers. A flat sheet has 0.5, an open half ball
// 0.25, a cup that is as deep as wide 0.17, a scan with holes below 0.05. Above the first the component is a sheet;
// above the second (a tenth of that of the cup) it counts as open at all.
#define SOLID_AMBIGUOUS 0.15
#define SOLID_CLOSED 0.015
#define SOLID_ROLE_PASSES 3 // sheets taken out may leave others without a partner
// Rays per patch for its orientation (their deviation is a tenth of the rays'), the share of a full view that a ray
// counts for which hits something a diagonal away, and the share of the votes by which the back must win to turn a
// patch. A soup of many patches gets fewer rays each, a second's worth in all.
#define SOLID_VIEWS 100.0
#define SOLID_FEWEST_VIEWS 4.0
#define SOLID_ALL_VIEWS 2e5
#define SOLID_NEAR_VIEW 0.25
#define SOLID_VIEW_MARGIN 0.1
#define SOLID_SEED 0x50118
// Of the component's area: larger openings are not capped (a single triangle's is its own size), and the corners of a
// cap's rim.
#define SOLID_CAP_AREA 0.4
#define SOLID_CAP_CORNERS 100000
// Of a lattice edge: where beyond a crossing the other side is asked for.
#define SOLID_STEP_BEYOND 1e-4
// Of a component's area: triangles that enclose nothing and are less than this together are left out.
#define SOLID_NOISE_AREA 0.02
// Diagonals: parts this close are joined rather than left out. Of it: how far their balls overlap.
#define SOLID_GLUE_REACH 0.015
#define SOLID_GLUE_DEPTH 0.3
// Cosine of 25°: surfaces that face away from each other more exactly than that are the two sides of a wall, others
// form an edge.
#define SOLID_WALL_COSINE 0.9

// Factors on the resolution of the built-in models. Below the lower a round column has fewer than six sides left; at
// the upper the largest model has some six million tetrahedra, half a gigabyte.
#define MODEL_MIN_DETAIL 0.25f
#define MODEL_MAX_DETAIL 8.0f

// Fractions of an edge. A lattice point this close to a cut moves onto it: the values for which Labelle and Shewchuk
// prove dihedral angles between 10.7° and 164.8° on a lattice of one size.
#define LATTICE_WARP_LONG 0.24999
#define LATTICE_WARP_SHORT 0.41189

// Fraction of an edge: no cut is closer to a point that stays, where a thin wall keeps it from moving onto the cut.
#define LATTICE_CUT_LOWEST 0.05

// Lattice points in all: 12 bytes each, and indices stay far from the range of int.
#define LATTICE_MAX_POINTS 100000000

// Cubes along the edge of a block of the lattice, one task each: a power of two for the octree within.
#define LATTICE_BLOCK 16

// Items per task of the loops over cuts, nodes and triangles: some 100 µs of distances.
#define LATTICE_TASK_BLOCK 64

// Fraction of a cell or an edge: a cut is found when the surface is this close. Below the resolution of float nodes.
#define LATTICE_ROOT_TOLERANCE 1e-9

// Steps of the root search: a third are bisections, so even a jump is located to 2^-20 of an edge.
#define LATTICE_ROOT_STEPS 60

// Fraction of a cell: half the span of the central differences that give normals. Small against every rounding radius
// a lattice resolves, large against rounding errors.
#define LATTICE_GRADIENT_STEP 1e-3

// Cosine. The gradient is taken as normal when it is less than 60° off the faces around.
#define LATTICE_NORMAL_COSINE 0.5f

// Fraction of a cell. Surface farther than this from the mesh has been missed; a rounded-off crease (0.5 at most at
// edges) has not.
#define LATTICE_THIN_TOLERANCE 0.8

// Fraction of a cell. A lattice edge that dips deeper than this through something that has no lattice point, and whose
// ends look away from each other by more than the angle of this cosine (135°), has found a thin wall or gap. Round
// surfaces of a radius of one cell are grazed by 0.13.
#define LATTICE_SPAN_DEPTH 0.15
#define LATTICE_SPAN_COSINE (-0.7)

// Six times the volume over the cell's, 0.5 for a lattice tetrahedron: one with all nodes on the surface and less than
// this is flat.
#define LATTICE_THIN_VOLUME 0.1

// Cells. A surface node this near may become a corner, a line this near may take a new node: a chamfer is no wider.
#define LATTICE_CORNER_REACH 1.5

// Fraction of an edge: a node so close to the feature line moves there instead of having its edge split.
#define LATTICE_CREASE_SNAP 0.3

// Volume over edge length cubed, 1 for the regular tetrahedron: no move towards a crease may go below.
#define LATTICE_CREASE_SHAPE 0.05

// The same: nodes inside at tetrahedra worse than this make room.
#define LATTICE_CREASE_RELAX 0.4

// The same without creases: only what thin walls have spoilt, as stuffing itself stays above.
#define LATTICE_RELAX 0.2

// Fraction of a cell: surface edges shorter than this are not split to follow the surface.
#define LATTICE_FIT_SHORTEST 0.4

// Shape as above: a node that would go below stays in the middle of its split edge.
#define LATTICE_FIT_SHAPE 0.1

// Passes of settling crease nodes and thinning them out, and rounds of moving and relaxing in each.
#define LATTICE_CREASE_PASSES 3
#define LATTICE_CREASE_ROUNDS 6

// Degrees. Triangles that meet at more than this make an edge to keep, as in modelling programs.
#define LATTICE_CREASE_ANGLE 40.0

// Cells squared. Smooth patches smaller than this are no features at the lattice's size, and merge with a neighbour;
// a chain of them in as many passes at most.
#define LATTICE_PATCH_AREA 4.0
#define LATTICE_PATCH_PASSES 8

// Cells along the diagonal when the surface's own edges set the size: at least, so that it keeps its shape, and at
// most, so that a scan does not become millions of tetrahedra.
#define LATTICE_COARSEST 40.0
#define LATTICE_FINEST 110.0

// Fraction of the diagonal: surface edges farther off are split.
#define LATTICE_TOLERANCE 0.002

// The adaptive lattice. Sizes are cube roots of twelve volumes: the edge of a cell of the uniform lattice whose
// tetrahedra are as large.
#define ADAPT_MAX_TETS 30000000 // before cutting: about 2 GB
#define ADAPT_DEPTH 18          // halvings of a root cube; its coordinates stay exact in 32 bits
#define ADAPT_WARP 0.3          // of an edge: nodes this close to a cut move onto it if no tetrahedron is spoilt
#define ADAPT_WARP_SHAPE 0.15 // volume over edge length cubed, 1 for the regular tetrahedron; the worst uncut has 0.53
#define ADAPT_ROOT_TOLERANCE 1e-4 // of an edge: a cut is found when the surface is this close
#define ADAPT_ROOT_STEPS 24       // a third are bisections
#define ADAPT_CUT_LOWEST 0.15     // of an edge: cuts keep away from nodes that could not move onto them

// Sizes of the adaptive lattice's tetrahedra.
// Of a wall's thickness: the longest edges are 1.41 sizes long, so that none passes through a wall.
#define PLAN_SIZE_OF_WALL 0.7
// Of the cell: walls thinner than this are not left to the uniform lattice.
#define PLAN_UNIFORM_WALL 1.1
// Of the cell: the finest that a budget may ask for, and the finest for a gap, which may close without harm.
#define PLAN_FINEST 0.05
#define PLAN_FINEST_GAP 0.4
// Of the cell: the largest tetrahedra inside. Size per distance from the triangle that wants it: neighbours differ by
// less than two halvings.
#define PLAN_COARSEST 2.0
#define PLAN_GROWTH 0.4
// Of the thinnest wall that is resolved: walls below are made thicker; just above, the lattice still has hold of them.
#define PLAN_WALL_SLACK 0.95
// Tetrahedra per size squared of surface, as measured: of something thick in the cell's size; of one side of a wall
// that wants smaller ones; of a sheet with both its sides.
#define PLAN_EVEN_SHARE 0.95 // of the cell: sizes above count as the cell's
#define PLAN_TETS_EVEN 9.0
#define PLAN_TETS_WALL 18.0
#define PLAN_TETS_SHEET 36.0
// Tetrahedra taken out where the solid touches itself may leave it touching itself beside; most are settled at once.
#define LATTICE_UNPINCH_PASSES 4
// Share of the budget that a surface without thin parts may take up: cells are no finer when their size is not given.
#define LATTICE_BUDGET_EVEN 0.5
// Share of the volume: loose parts of more are joined to the largest if they nearly touch it.
#define LATTICE_LOOSE_VOLUME 1e-3
// Default budget of tetrahedra: a break of all of it takes about a tenth of a second.
#define LATTICE_MAX_TETS 150000
// Share by which the budget may be missed, and how often sizes are corrected for it.
#define LATTICE_BUDGET_SLACK 1.3
#define LATTICE_BUDGET_LATE_SLACK 2.0 // from the second try on: rather some more than far too few
#define LATTICE_BUDGET_ATTEMPTS 3

// Textures that an asset carries: their count, and bytes of all (offsets have 32 bits, and so has a .glb).
#define MAX_TEXTURES 1024
#define MAX_TEXTURE_BYTES ((size_t)1 << 30)

// How much faster than the distance the values of implicit shapes may grow before they are scaled down: tapered limbs
// do by a tenth, the pumpkin's furrows by a third.
#define IMPLICIT_SLOPE 1.5

// The distance to an ellipsoid: Newton steps (six are usual), the relative error at which they end, and, in radii, how
// far off the plane with two closest points a point is put.
#define ELLIPSOID_STEPS 24
#define ELLIPSOID_TOLERANCE 1e-14
#define ELLIPSOID_OFF_PLANE 1e-9
