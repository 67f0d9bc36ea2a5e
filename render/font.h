// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Letters for captions.
#pragma once

#define FONT_WIDTH 5
#define FONT_HEIGHT 7
#define FONT_ADVANCE 6 // from one letter to the next

// Dots of one row, the leftmost in bit 4. Anything but printable ASCII is an empty box.
int fontRow(unsigned char letter, int row);
