// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A fragment field as bytes and back (X9), under the rule fieldNearest. What is stored is what history decides: pieces
// and the order of their nodes, cuts in order of birth, where facets and links stand.
// Everything else follows and is worked out anew by the functions that made it: points, planes, facets, labels, masks.
// So a stream that is accepted describes a solid that breaks could have made, whoever wrote it.
#pragma once

#include "core/stream.h"
#include "field/fragment_field.h"

// Reading wants a field that owns nothing, and leaves it so when it fails.
void streamField(Stream* stream, FragmentField* field);
