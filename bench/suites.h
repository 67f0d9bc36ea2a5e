// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The functions of all suites; suites.c lists them.
#pragma once

#include "bench/score.h"
#include "bench/suite.h"

shStatus benchCook(Bench* bench, shMessage* message);
shStatus benchBreak(Bench* bench, shMessage* message);
shStatus benchDetect(Bench* bench, shMessage* message);
shStatus benchUpdate(Bench* bench, shMessage* message);
shStatus benchResolution(Bench* bench, shMessage* message);
shStatus benchPile(Bench* bench, shMessage* message);
shStatus benchScenes(Bench* bench, shMessage* message);
shStatus benchContacts(Bench* bench, shMessage* message);
shStatus benchVariants(Bench* bench, shMessage* message);
shStatus benchScale(Bench* bench, shMessage* message);
shStatus benchRocks(Bench* bench, shMessage* message);
shStatus benchCrowd(Bench* bench, shMessage* message);
shStatus benchEnergy(Bench* bench, shMessage* message);
shStatus benchBvh(Bench* bench, shMessage* message);
shStatus benchProximity(Bench* bench, shMessage* message);
shStatus benchVolume(Bench* bench, shMessage* message);
shStatus benchHaptic(Bench* bench, shMessage* message);
