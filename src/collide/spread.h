// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Which of many contacts to keep: the nearest, and then, one after the other, the one that is farthest from all kept
// ones. What is between them is held by those around it.
#pragma once

#include "sherd/collide.h"

enum { spreadMost = SH_MAX_CONTACTS }; // contacts to choose from, at most

// Puts those to keep in front; the first `kept` stay there whatever they are. No more than spreadMost.
void spreadContacts(shContact* contacts, int count, int kept, int wanted);
