// SPDX-License-Identifier: GPL-3.0-or-later
#include "grid.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"

enum { CELL_MAX = 512 };

void grid_column(struct grid *grid, const char *title, bool right)
{
	assert(grid->columns < GRID_COLUMNS_MAX && grid->count == 0);
	grid->title[grid->columns] = title;
	grid->right[grid->columns++] = right;
}

void grid_cell(struct grid *grid, const char *format, ...)
{
	char cell[CELL_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(cell, sizeof(cell), format, args);
	va_end(args);
	if (grid->count == grid->capacity) {
		grid->capacity = grid->capacity * 2 + 64;
		grid->cells = xrealloc(grid->cells, grid->capacity * sizeof(*grid->cells));
	}
	grid->cells[grid->count++] = xstrndup(cell, strlen(cell));
}

/* 0: nothing in the column. */
static size_t column_width(const struct grid *grid, size_t column)
{
	size_t width = 0;

	for (size_t i = column; i < grid->count; i += grid->columns) {
		size_t length = strlen(grid->cells[i]);

		width = length > width ? length : width;
	}
	if (width && strlen(grid->title[column]) > width)
		width = strlen(grid->title[column]);
	return width;
}

static void add_cell(struct text *out, const char *cell, size_t width, bool right)
{
	size_t pad = width - strlen(cell);

	if (right)
		text_repeat(out, ' ', pad);
	text_add(out, cell);
	if (!right)
		text_repeat(out, ' ', pad);
}

static void end_line(struct text *out)
{
	while (out->length && out->data[out->length - 1] == ' ')
		out->length--;
	text_add(out, "\n");
}

static void print_row(const struct grid *grid, const size_t *width, const char *const *cells,
		      struct text *out)
{
	bool first = true;

	for (size_t c = 0; c < grid->columns; c++) {
		if (!width[c])
			continue;
		if (!first)
			text_add(out, "  ");
		first = false;
		add_cell(out, cells[c], width[c], grid->right[c]);
	}
	end_line(out);
}

void grid_print(const struct grid *grid, struct text *out)
{
	size_t width[GRID_COLUMNS_MAX];

	assert(grid->count % grid->columns == 0);
	for (size_t c = 0; c < grid->columns; c++)
		width[c] = column_width(grid, c);
	print_row(grid, width, grid->title, out);
	for (size_t i = 0; i < grid->count; i += grid->columns)
		print_row(grid, width, (const char *const *)grid->cells + i, out);
}

void grid_free(struct grid *grid)
{
	for (size_t i = 0; i < grid->count; i++)
		free(grid->cells[i]);
	free(grid->cells);
	*grid = (struct grid){0};
}
