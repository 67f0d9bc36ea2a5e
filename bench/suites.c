// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "bench/suites.h"

const Suite suites[] = {
    {"cook", "time and size of every built-in model and of the bunny, beside Glondu Table 1", benchCook},
    {"detect", "contacts of two bunnies and of their fragments beside FCL, Bullet and ODE", benchDetect},
    {"update", "following a break against recomputing field and trees (Glondu 7.3)", benchUpdate},
    {"resolution", "spheres with finer surface and fewer inner points (Glondu 7.2)", benchResolution},
    {"break", "from an impact to pieces with mass, field and trees", benchBreak},
    {"pile", "a heap of fragments at rest, beside Bullet's hulls", benchPile},
    {"rocks", "a thousand convex rocks dropped into a bin, beside Bullet; depths by separating axes", benchRocks},
    {"crowd", "36 objects broken by hand fall above one another: cost, heights, depths by dense samples", benchCrowd},
    {"scenes", "Glondu's five scenes: Tables 2 and 3, Fig. 12", benchScenes},
    {"contacts", "how many contacts a pair needs: a plate thrown into a bowl (Glondu Figs 5, 16)", benchContacts},
    {"variants", "trees and order of the paper against naive ones, eight contacts fixed (Glondu Figs 6, 17)",
     benchVariants},
    {"scale", "Su's table: up to a thousand spheres break on it, then the table does", benchScale},
    {"score", "how a hundred random scenes behave, to compare two versions by (scripts/score)", benchScore},
    {"bvh", "balanced trees that follow a crack beside rebuilt trees (Otaduy 5)", benchBvh},
    {"proximity", "distances by inner spheres beside FCL (Weller 5, Figs 10 to 13)", benchProximity},
    {"volume", "shared volumes by inner spheres beside exact ones (Weller 5, Figs 15 to 18)", benchVolume},
    {"haptic", "a minute of forces from shared volumes at 1 kHz", benchHaptic},
    {"energy", "what motion keeps: free rotation and a thrown heap (Su 2, 3)", benchEnergy},
};
const int suiteCount = sizeof(suites) / sizeof(suites[0]);
