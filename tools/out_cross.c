// SPDX-License-Identifier: GPL-3.0-or-later
#include "cross.h"
#include "grid.h"

static const char *const kind_name[] = {"nothing", "table", "parameter"};

/* "t_socket 40.1, work_in 31". */
static void add_values(const struct cross_line *line, struct text *out)
{
	for (size_t i = 0; i < line->problem.count; i++) {
		const struct fit_param *p = &line->problem.param[i];
		const char *hit = fit_bound_hit(p, line->best[i]);

		text_printf(out, "%s%s ", i ? ", " : "", machine_param_info[p->id].name);
		text_number(out, line->best[i], 4);
		text_add(out, *hit ? "!" : "");
	}
	if (!line->problem.count)
		text_add(out, "no row left to fit to");
}

static void add_line(struct grid *grid, const struct cross_line *line)
{
	struct text values = {0};

	add_values(line, &values);
	grid_cell(grid, "%s%s%s", kind_name[line->kind], *line->name ? " " : "", line->name);
	grid_cell(grid, "%zu", line->problem.rows.count);
	if (line->problem.count)
		grid_cell(grid, "%.1f", fit_rms_pct(line->misfit));
	else
		grid_cell(grid, "%s", "");
	grid_cell(grid, "%zu", line->judges.count);
	grid_cell(grid, "%.1f", line->shipped.mean);
	grid_cell(grid, "%.1f", line->fitted.mean);
	grid_cell(grid, "%.1f", line->shipped.worst);
	grid_cell(grid, "%.1f", line->fitted.worst);
	grid_cell(grid, "%s", values.data);
	text_free(&values);
}

static void print_machine(const struct cross_machine *machine, struct text *out)
{
	static const char *const titles[] = {"left out", "fit rows",  "rms %",   "judges",
					     "mean %",   "-> mean %", "worst %", "-> worst %"};
	struct grid grid = {0};

	text_printf(out, "%s\n", machine->profile.machine->name);
	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
		grid_column(&grid, titles[i], i > 0);
	grid_column(&grid, "fitted (! at a bound)", false);
	for (size_t i = 0; i < machine->count; i++)
		if (machine->line[i].done)
			add_line(&grid, &machine->line[i]);
	grid_print(&grid, out);
	grid_free(&grid);
	text_add(out, "\n");
}

void print_cross(const struct cross *cross, struct text *out)
{
	for (size_t m = 0; m < cross->count; m++)
		if (cross->machine[m].count && cross->machine[m].line[0].done)
			print_machine(&cross->machine[m], out);
	text_add(
		out,
		"rms: of the rows fitted to. Judges: rows that no number of the line was fitted "
		"to;\n"
		"all of the table left out, or else those with the role predict. Their error with\n"
		"the shipped profile and -> with the fitted parameters. If few rows are left, "
		"only\n"
		"as many parameters are fitted.\n");
}
