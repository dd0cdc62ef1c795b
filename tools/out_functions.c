// SPDX-License-Identifier: GPL-3.0-or-later
/* Functions in the shape of `perf report`, all of them and exact. */
#include "explain.h"

static void print_case(const struct case_result *r, struct text *out)
{
	struct grid grid = {0};

	grid_column(&grid, "self %", true);
	grid_column(&grid, "total %", true);
	grid_column(&grid, "self ns/op", true);
	grid_column(&grid, "total ns/op", true);
	grid_column(&grid, "symbol", false);
	for (uint32_t i = 0; i < r->function_count; i++) {
		const struct result_function *f = &r->functions[i];

		grid_cell(&grid, "%.2f", 100 * f->self_share);
		grid_cell(&grid, "%.2f", 100 * f->total_share);
		grid_cell(&grid, "%.1f", f->self_share * r->ns_per_op);
		grid_cell(&grid, "%.1f", f->total_share * r->ns_per_op);
		grid_cell(&grid, "%s", f->name);
	}
	grid_print(&grid, out);
	grid_free(&grid);
}

void print_functions(const struct report *report, struct text *out)
{
	for (size_t i = 0; i < report->scenario->count; i++) {
		if (report->outcomes[i].state != OUTCOME_DONE)
			continue;
		text_printf(out, "\n== functions: %s\n\n", report->scenario->cases[i].id);
		print_case(report->outcomes[i].result, out);
	}
}

void print_functions_csv(const struct report *report, struct text *out)
{
	text_add(out, "id,function,self_share,total_share\r\n");
	for (size_t i = 0; i < report->scenario->count; i++) {
		const struct case_result *r = report->outcomes[i].result;

		if (report->outcomes[i].state != OUTCOME_DONE)
			continue;
		for (uint32_t f = 0; f < r->function_count; f++) {
			struct csv_row row = {.out = out};

			csv_put(&row, report->scenario->cases[i].id);
			csv_put(&row, r->functions[f].name);
			csv_number(&row, r->functions[f].self_share);
			csv_number(&row, r->functions[f].total_share);
			csv_end(&row);
		}
	}
}
