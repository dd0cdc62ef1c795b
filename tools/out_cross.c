// SPDX-License-Identifier: GPL-3.0-or-later
#include <string.h>

#include "cross.h"
#include "grid.h"

/* "; t_wakeup kept": no row that is left depends on it. */
static void add_kept(const struct cross_machine *m, const struct cross_line *line, struct text *out)
{
	const char *before = "; ";

	for (size_t i = 0; i < m->problem.count; i++) {
		const char *name = machine_param_info[m->problem.param[i].id].name;

		if (line->open[i] || (line->kind == LEFT_PARAM && strcmp(name, line->name) == 0))
			continue;
		text_printf(out, "%s%s", before, name);
		before = ", ";
	}
	if (before[0] == ',')
		text_add(out, " kept");
}

/* "t_cluster 40.1, work_in 31!". */
static void add_values(const struct cross_machine *m, const struct cross_line *line,
		       struct text *out)
{
	const char *before = "";

	for (size_t i = 0; i < m->problem.count; i++) {
		const struct fit_param *p = &m->problem.param[i];

		if (!line->open[i])
			continue;
		text_printf(out, "%s%s ", before, machine_param_info[p->id].name);
		text_number(out, line->best[i], 4);
		text_add(out, *fit_bound_hit(p, line->best[i]) ? "!" : "");
		before = ", ";
	}
	if (!line->rows.count)
		text_add(out, "no row left to fit to");
	else
		add_kept(m, line, out);
}

static void add_line(struct grid *grid, const struct cross_machine *m,
		     const struct cross_line *line)
{
	struct text values = {0};

	add_values(m, line, &values);
	grid_cell(grid, "%s%s%s", cross_kind_name[line->kind], *line->name ? " " : "", line->name);
	grid_cell(grid, "%zu", line->rows.count);
	if (line->rows.count)
		grid_cell(grid, "%.1f", fit_rms_pct(line->misfit));
	else
		grid_cell(grid, "%s", "");
	grid_cell(grid, "%zu", line->judges.count);
	grid_cell(grid, "%.1f", line->unfitted.mean);
	grid_cell(grid, "%.1f", line->shipped.mean);
	grid_cell(grid, "%.1f", line->refitted.mean);
	grid_cell(grid, "%.1f", line->shipped.worst);
	grid_cell(grid, "%.1f", line->refitted.worst);
	grid_cell(grid, "%s", values.data);
	text_free(&values);
}

static void add_columns(struct grid *grid)
{
	static const char *const numbers[] = {"fit rows",         "rms %",     "judges",
					      "before %",         "profile %", "refitted %",
					      "worst: profile %", "refitted %"};

	grid_column(grid, "left out", false);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		grid_column(grid, numbers[i], true);
	grid_column(grid, "fitted (! at a bound)", false);
}

static void print_machine(const struct cross_machine *m, struct text *out)
{
	struct grid grid = {0};

	text_printf(out, "%s: ", m->profile.machine->name);
	cross_verdict(m, out);
	text_add(out, "\n\n");
	add_columns(&grid);
	for (size_t i = 0; i < m->count; i++)
		if (m->line[i].done)
			add_line(&grid, m, &m->line[i]);
	grid_print(&grid, out);
	grid_free(&grid);
	text_add(out, "\n");
}

static const char legend[] =
	"Every line: the profile's fitted parameters, from their values before any fit, fitted\n"
	"again to the rows that are left (rms: theirs), and moved no farther than these ask for.\n"
	"Judges: rows that the line was not fitted to; all of the table left out, or else those\n"
	"with the role predict. Their mean error with values before any fit, with the shipped\n"
	"profile, and refitted. A parameter left out keeps its value from before; so do those "
	"that\n"
	"no row that is left depends on.\n";

void print_cross(const struct cross *cross, struct text *out)
{
	struct text verdict = {0};

	for (size_t m = 0; m < cross->count; m++)
		if (cross->machine[m].line[0].done)
			print_machine(&cross->machine[m], out);
	text_add(out, legend);
	cross_verdict_all(cross, &verdict);
	if (verdict.length)
		text_printf(out, "\nverdict: %s\n", verdict.data);
	text_free(&verdict);
}
