// SPDX-License-Identifier: GPL-3.0-or-later
/* The difference between two cases, in words, as a tree, and in the other formats. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "why.h"

static double ns(int64_t ps)
{
	return (double)ps / 1000;
}

static double share(const struct why *why, const int64_t ps[2])
{
	int64_t all = why->total[1] - why->total[0];

	/* No "-0.0". */
	return all && ps[0] != ps[1] ? rint(1000 * (double)(ps[1] - ps[0]) / (double)all) / 10 + 0.0
				     : 0;
}

static void add_columns(struct grid *grid, const char *first)
{
	grid_column(grid, first, false);
	grid_column(grid, "A", true);
	grid_column(grid, "B", true);
	grid_column(grid, "B - A", true);
	grid_column(grid, "% of difference", true);
}

static void add_numbers(struct grid *grid, const struct why *why, const int64_t ps[2])
{
	grid_cell(grid, "%.3f", ns(ps[0]));
	grid_cell(grid, "%.3f", ns(ps[1]));
	grid_cell(grid, "%+.3f", ns(ps[1] - ps[0]));
	if (why->total[0] != why->total[1])
		grid_cell(grid, "%.1f", share(why, ps));
	else
		grid_cell(grid, "%s", "");
}

static void add_group(struct grid *grid, const struct why *why, const struct why_part *part,
		      enum why_level level, const char *indent, const char *name)
{
	int64_t sum[2];

	why_sum(why, part, level, sum);
	grid_cell(grid, "%s%s", indent, name);
	add_numbers(grid, why, sum);
}

static bool begins(const struct why *why, size_t i, enum why_level level)
{
	return i == 0 || !why_same(&why->parts[i - 1], &why->parts[i], level);
}

static void end_grid(struct grid *grid, const struct why *why, struct text *out)
{
	grid_cell(grid, "%s", "sum");
	add_numbers(grid, why, why->total);
	grid_print(grid, out);
	grid_free(grid);
}

static void print_by_line(struct why *why, struct text *out)
{
	struct grid grid = {0};

	why_sort(why, false);
	add_columns(&grid, "line / field / function");
	for (size_t i = 0; i < why->count; i++) {
		const struct why_part *p = &why->parts[i];

		if (begins(why, i, WHY_BY_LINE))
			add_group(&grid, why, p, WHY_BY_LINE, "", p->line);
		if (*p->field && begins(why, i, WHY_BY_FIELD))
			add_group(&grid, why, p, WHY_BY_FIELD, "  ", p->field);
		if (!*p->function)
			continue;
		grid_cell(&grid, "%s%s", *p->field ? "    " : "  ", p->function);
		add_numbers(&grid, why, p->ps);
	}
	end_grid(&grid, why, out);
}

static void print_by_function(struct why *why, struct text *out)
{
	struct grid grid = {0};

	why_sort(why, true);
	add_columns(&grid, "function / line.field");
	for (size_t i = 0; i < why->count; i++) {
		const struct why_part *p = &why->parts[i];

		if (begins(why, i, WHY_BY_FUNCTION))
			add_group(&grid, why, p, WHY_BY_FUNCTION, "",
				  *p->function ? p->function : p->line);
		if (!*p->function)
			continue;
		grid_cell(&grid, "  %s%s%s", p->line, *p->field ? "." : "", p->field);
		add_numbers(&grid, why, p->ps);
	}
	end_grid(&grid, why, out);
}

/* The field, or the line of work, that makes the largest part of the difference. */
static const struct why_part *main_part(const struct why *why, int64_t most[2])
{
	const struct why_part *main = NULL;
	int64_t all = why->total[1] - why->total[0], sum[2];

	for (size_t i = 0; i < why->count; i++) {
		why_sum(why, &why->parts[i], WHY_BY_FIELD, sum);
		if (main && (sum[1] - sum[0]) * (all < 0 ? -1 : 1) <=
				    (most[1] - most[0]) * (all < 0 ? -1 : 1))
			continue;
		main = &why->parts[i];
		memcpy(most, sum, 2 * sizeof(*most));
	}
	return main;
}

static void print_head(const struct why *why, struct text *out)
{
	int64_t most[2] = {0}, all = why->total[1] - why->total[0];
	const struct why_part *main = main_part(why, most);
	struct text name = {0};

	text_printf(out, "\n== why: A is %s, B is %s\n\n", why->cases[0]->id, why->cases[1]->id);
	if (!all || !main) {
		text_add(out, "Both take the same time.\n\n");
		return;
	}
	text_printf(&name, "%s%s%s", main->line, *main->field ? "." : "", main->field);
	text_printf(out,
		    "B takes %.1f ns per operation %s than A (%+.1f %%). %s makes %+.1f ns, %.0f "
		    "%% of it.\n\n",
		    fabs(ns(all)), all > 0 ? "more" : "less",
		    100 * (double)all / (double)why->total[0], name.data, ns(most[1] - most[0]),
		    share(why, most));
	text_free(&name);
}

void print_why(struct why *why, struct text *out)
{
	print_head(why, out);
	print_by_line(why, out);
	text_add(out, "\n");
	print_by_function(why, out);
	text_add(out,
		 "\n[work and hits]: straight-line work, and accesses that need no transfer\n");
}

void print_why_csv(struct why *why, struct text *out)
{
	why_sort(why, false);
	text_add(out, "line,field,function,a_ns_per_op,b_ns_per_op,difference_ns_per_op\r\n");
	for (size_t i = 0; i < why->count; i++) {
		const struct why_part *p = &why->parts[i];
		struct csv_row row = {.out = out};

		csv_put(&row, p->line);
		csv_put(&row, p->field);
		csv_put(&row, p->function);
		csv_decimal(&row, ns(p->ps[0]), 3);
		csv_decimal(&row, ns(p->ps[1]), 3);
		csv_decimal(&row, ns(p->ps[1] - p->ps[0]), 3);
		csv_end(&row);
	}
}

static void put_numbers(struct json_writer *w, const int64_t ps[2])
{
	json_put_decimal(w, "a_ns_per_op", ns(ps[0]), 3);
	json_put_decimal(w, "b_ns_per_op", ns(ps[1]), 3);
	json_put_decimal(w, "difference_ns_per_op", ns(ps[1] - ps[0]), 3);
}

void json_put_why(struct json_writer *w, struct why *why)
{
	why_sort(why, false);
	json_open(w, "why", '{');
	json_put_string(w, "a", why->cases[0]->id);
	json_put_string(w, "b", why->cases[1]->id);
	put_numbers(w, why->total);
	json_open(w, "parts", '[');
	for (size_t i = 0; i < why->count; i++) {
		const struct why_part *p = &why->parts[i];

		json_open(w, NULL, '{');
		json_put_string(w, "line", p->line);
		if (*p->field)
			json_put_string(w, "field", p->field);
		if (*p->function)
			json_put_string(w, "function", p->function);
		put_numbers(w, p->ps);
		json_close(w, '}');
	}
	json_close(w, ']');
	json_close(w, '}');
}
