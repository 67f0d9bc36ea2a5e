// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Letters for captions.
#pragma once

#define FONT_WIDTH 5
#define FONT_HEIGHT 9  // the last two rows are below the line
#define FONT_ADVANCE 6 // from one letter to the next

// Dots of one row, the leftmost in bit 4. Anything but printable ASCII is an empty box.
int fontRow(unsigned char letter, int row);
