/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table of text with aligned columns. Cells are added left to right, row by row. */
#ifndef FUTEXSIM_TOOLS_GRID_H
#define FUTEXSIM_TOOLS_GRID_H

#include <stdbool.h>
#include <stddef.h>

#include "text.h"

enum { GRID_COLUMNS_MAX = 24 };

struct grid {
	size_t columns;
	const char *title[GRID_COLUMNS_MAX];
	bool right[GRID_COLUMNS_MAX]; /* numbers */
	char **cells;                 /* owned */
	size_t count, capacity;
};

void grid_column(struct grid *grid, const char *title, bool right);
__attribute__((format(printf, 2, 3))) void grid_cell(struct grid *grid, const char *format, ...);
/* Columns without any non-empty cell are left out. */
void grid_print(const struct grid *grid, struct text *out);
void grid_free(struct grid *grid);

#endif
