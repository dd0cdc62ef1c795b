// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Lines in the shape of `perf c2c report`: which cache lines travel, from how
 * far, out of whose modified copies, and which fields and functions make them.
 * Nothing is sampled.
 */
#include <inttypes.h>

#include "explain.h"

static void add_columns(struct grid *grid, const char *first, const char *second)
{
	static const char *const titles[] = {"ns/op",   "% of op", "wait",    "spin",    "moves/op",
					     "hitm/op", "smt",     "cluster", "socket",  "hop1",
					     "hop2",    "llc",     "dram",    "far dram"};

	grid_column(grid, first, false);
	grid_column(grid, second, true);
	grid_column(grid, "node", true);
	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
		grid_column(grid, titles[i], true);
}

/* Nothing at all stays blank, so that a column without anything disappears. */
static void rate_cell(struct grid *grid, uint64_t count, uint64_t ops)
{
	if (count && ops)
		grid_cell(grid, "%.3f", (double)count / (double)ops);
	else
		grid_cell(grid, "%s", "");
}

static void time_cell(struct grid *grid, double ns)
{
	if (ns > 0)
		grid_cell(grid, "%.1f", ns);
	else
		grid_cell(grid, "%s", "");
}

static void add_counts(struct grid *grid, const struct result_counts *c,
		       const struct case_result *r)
{
	grid_cell(grid, "%.1f", counts_ns(c));
	grid_cell(grid, "%.2f", r->ns_per_op > 0 ? 100 * counts_ns(c) / r->ns_per_op : 0);
	time_cell(grid, c->wait_ns_per_op);
	time_cell(grid, c->spin_ns_per_op);
	rate_cell(grid, counts_local(c) + counts_remote(c), r->ops);
	rate_cell(grid, c->hitm, r->ops);
	for (int i = 0; i < TRANSFER_CLASSES; i++)
		rate_cell(grid, c->transfers[i], r->ops);
}

static void add_place(struct grid *grid, uint32_t lines, int32_t home)
{
	if (lines)
		grid_cell(grid, "%u", lines);
	else
		grid_cell(grid, "%s", "");
	if (home >= 0)
		grid_cell(grid, "%d", home);
	else
		grid_cell(grid, "%s", lines ? "all" : "");
}

static void add_functions(struct grid *grid, const struct case_result *r, uint32_t line,
			  uint32_t field)
{
	for (uint32_t i = 0; i < r->cell_count; i++) {
		const struct result_cell *cell = &r->cells[i];

		if (cell->line != line || cell->field != field)
			continue;
		grid_cell(grid, "    %s", result_function_name(r, cell->function));
		add_place(grid, 0, -1);
		add_counts(grid, &cell->counts, r);
	}
}

static void add_line(struct grid *grid, const struct case_result *r, uint32_t index)
{
	const struct result_line *line = &r->lines[index];

	if (!line->field_count)
		return;
	grid_cell(grid, "%s", line->name);
	add_place(grid, line->lines, line->home_node);
	add_counts(grid, &line->counts, r);
	for (uint32_t f = 0; f < line->field_count; f++) {
		grid_cell(grid, "  %s", line->fields[f].name);
		add_place(grid, 0, -1);
		add_counts(grid, &line->fields[f].counts, r);
		add_functions(grid, r, index, f);
	}
}

static void print_tree(const struct case_result *r, struct text *out)
{
	struct grid grid = {0};

	add_columns(&grid, "line / field / function", "lines");
	for (uint32_t i = 0; i < r->line_count; i++)
		add_line(&grid, r, i);
	grid_print(&grid, out);
	grid_free(&grid);
}

static void print_hot(const struct case_result *r, struct text *out)
{
	struct grid grid = {0};

	add_columns(&grid, "hottest single lines", "address");
	for (uint32_t i = 0; i < r->hot_count; i++) {
		grid_cell(&grid, "%s", r->hot[i].name);
		grid_cell(&grid, "%" PRIx64, r->hot[i].address);
		grid_cell(&grid, "%d", r->hot[i].home_node);
		add_counts(&grid, &r->hot[i].counts, r);
	}
	grid_print(&grid, out);
	grid_free(&grid);
}

void print_lines(const struct report *report, struct text *out)
{
	for (size_t i = 0; i < report->scenario->count; i++) {
		if (report->outcomes[i].state != OUTCOME_DONE)
			continue;
		text_printf(out, "\n== lines: %s\n\n", report->scenario->cases[i].id);
		print_tree(report->outcomes[i].result, out);
		text_add(out, "\n");
		print_hot(report->outcomes[i].result, out);
	}
	text_add(out, "\nmoves: transfers per operation, by where the line was; hitm: out of a "
		      "copy that another\n"
		      "core had to itself; wait: from request to arrival; spin: polling until the "
		      "line was taken\n");
}

static void put_cell(struct text *out, const char *id, const struct case_result *r,
		     const struct result_cell *cell)
{
	const struct result_line *line = &r->lines[cell->line];
	struct csv_row row = {.out = out};

	csv_put(&row, id);
	csv_put(&row, line->name);
	csv_put(&row, line->fields[cell->field].name);
	csv_put(&row, result_function_name(r, cell->function));
	for (int i = 0; i < TRANSFER_CLASSES; i++)
		csv_count(&row, cell->counts.transfers[i]);
	csv_count(&row, cell->counts.hitm);
	csv_number(&row, cell->counts.wait_ns_per_op);
	csv_number(&row, cell->counts.spin_ns_per_op);
	csv_end(&row);
}

void print_lines_csv(const struct report *report, struct text *out)
{
	text_add(out, "id,line,field,function");
	for (int i = 0; i < TRANSFER_CLASSES; i++)
		text_printf(out, ",%s", transfer_class_name[i]);
	text_add(out, ",hitm,wait_ns_per_op,spin_ns_per_op\r\n");
	for (size_t i = 0; i < report->scenario->count; i++) {
		const struct case_result *r = report->outcomes[i].result;

		if (report->outcomes[i].state != OUTCOME_DONE)
			continue;
		for (uint32_t c = 0; c < r->cell_count; c++)
			put_cell(out, report->scenario->cases[i].id, r, &r->cells[c]);
	}
}
