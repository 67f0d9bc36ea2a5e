// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Curves of a suite, when `--plot FOLDER` asks for them: FOLDER/NAME.csv, a script NAME.gp beside it, and NAME.png if
// gnuplot is installed. Without --plot there is no plot, and every function does nothing.
#pragma once

#include "bench/suite.h"

typedef struct Plot Plot;

// `columns` is the heading of the table, names with commas between. `script` is what gnuplot is told after the usual
// settings; it reads `data`, whose columns it knows by name or number.
Plot* plotOpen(Bench* bench, const char* name, const char* columns, const char* script);
void plotRow(Plot* plot, int count, const double* values); // NaN: left empty
#define PLOT_ROW(plot, ...)                                                                                            \
    plotRow(plot, (int)(sizeof((const double[]){__VA_ARGS__}) / sizeof(double)), (const double[]){__VA_ARGS__})
// The first column of a row as a word.
void plotBar(Plot* plot, const char* label, int count, const double* values);
// An empty line: what follows is another block.
void plotGap(Plot* plot);
// Draws it. A picture that cannot be drawn is told on standard error, once; tables and scripts are there all the same.
// Failing to write is a failure.
shStatus plotClose(Plot* plot, shMessage* message);
