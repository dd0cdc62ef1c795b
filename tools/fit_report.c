// SPDX-License-Identifier: GPL-3.0-or-later
/* What a fit found, for people. */
#include <math.h>

#include "fit.h"
#include "grid.h"

enum { INTERVAL_DIGITS = 4, PERCENT = 100 };

double fit_error_pct(const struct fit_prediction *p)
{
	return PERCENT * (exp(p->log_ratio) - 1);
}

static void number(struct text *text, double value, int digits)
{
	text_number(text, value, digits);
}

static void interval_cell(struct grid *grid, bool known, double low, double high)
{
	struct text text = {0};

	if (known) {
		number(&text, low, INTERVAL_DIGITS);
		text_add(&text, " .. ");
		number(&text, high, INTERVAL_DIGITS);
	}
	grid_cell(grid, "%s", known ? text.data : "");
	text_free(&text);
}

static void value_cell(struct grid *grid, double value)
{
	struct text text = {0};

	number(&text, value, FIT_DIGITS);
	grid_cell(grid, "%s", text.data);
	text_free(&text);
}

/* Within half a percent of the width of the bounds. */
const char *fit_bound_hit(const struct fit_param *p, double value)
{
	double low = fit_coordinate(p, p->low), high = fit_coordinate(p, p->high);
	double unit = (fit_coordinate(p, value) - low) / (high - low);

	if (unit < 0.005)
		return "at the lower bound";
	return unit > 0.995 ? "at the upper bound" : "";
}

static void param_row(struct grid *grid, const struct fit_problem *problem,
		      const struct fit_result *result, const struct fit_analysis *analysis,
		      size_t i)
{
	const struct fit_param *p = &problem->param[i];
	const struct machine_param_info *info = &machine_param_info[p->id];

	grid_cell(grid, "%s", info->name);
	grid_cell(grid, "%s", p->tied == PARAM_COUNT ? "" : machine_param_info[p->tied].name);
	grid_cell(grid, "%s", info->unit);
	value_cell(grid, result->start[i]);
	value_cell(grid, result->best[i]);
	interval_cell(grid, analysis->known && analysis->spare_rows, analysis->low[i],
		      analysis->high[i]);
	interval_cell(grid, true, p->low, p->high);
	grid_cell(grid, "%s", fit_bound_hit(p, result->best[i]));
}

static void print_params(const struct fit_problem *problem, const struct fit_result *result,
			 const struct fit_analysis *analysis, struct text *out)
{
	struct grid grid = {0};

	grid_column(&grid, "parameter", false);
	grid_column(&grid, "also", false);
	grid_column(&grid, "unit", false);
	grid_column(&grid, "start", true);
	grid_column(&grid, "fitted", true);
	grid_column(&grid, "95 % interval", true);
	grid_column(&grid, "bounds", true);
	grid_column(&grid, "", false);
	for (size_t i = 0; i < problem->count; i++)
		param_row(&grid, problem, result, analysis, i);
	grid_print(&grid, out);
	grid_free(&grid);
}

static void print_rows(const struct fit_problem *problem, const struct fit_result *result,
		       struct text *out)
{
	struct grid grid = {0};

	grid_column(&grid, "record", false);
	grid_column(&grid, "case", false);
	grid_column(&grid, "threads", true);
	grid_column(&grid, "published", true);
	grid_column(&grid, "error % at start", true);
	grid_column(&grid, "fitted", true);
	for (size_t i = 0; i < problem->rows.count; i++) {
		const struct scenario_case *c = &problem->rows.cases[i];
		struct text text = {0};

		text_number(&text, c->expect.value, 9);
		grid_cell(&grid, "%s", c->expect.record ? c->expect.record : "");
		grid_cell(&grid, "%s", c->id);
		grid_cell(&grid, "%u", c->spec.workload.threads);
		grid_cell(&grid, "%s", text.data);
		grid_cell(&grid, "%+.1f", fit_error_pct(&result->at_start[i]));
		grid_cell(&grid, "%+.1f", fit_error_pct(&result->at_best[i]));
		text_free(&text);
	}
	grid_print(&grid, out);
	grid_free(&grid);
}

/* ---- Errors ------------------------------------------------------------------------ */

struct fit_errors fit_errors_of(const struct fit_prediction *p, size_t count)
{
	struct fit_errors errors = {0};

	for (size_t i = 0; i < count; i++) {
		double error = fabs(fit_error_pct(&p[i]));

		errors.mean += error / (double)count;
		errors.worst = fmax(errors.worst, error);
	}
	return errors;
}

static void print_errors(const struct fit_problem *problem, const struct fit_result *result,
			 struct text *out)
{
	size_t rows = problem->rows.count;
	struct fit_errors start = fit_errors_of(result->at_start, rows);
	struct fit_errors best = fit_errors_of(result->at_best, rows);

	text_printf(
		out,
		"mean error %.1f -> %.1f %%, worst %.1f -> %.1f %%, rms of ln %.2f -> %.2f %%\n",
		start.mean, best.mean, start.worst, best.worst, fit_rms_pct(result->start_misfit),
		fit_rms_pct(result->best_misfit));
}

static void print_runs(const struct fit_result *result, struct text *out)
{
	text_printf(out, "%zu evaluation%s; the searches ended at", result->evaluations,
		    result->evaluations > 1 ? "s" : "");
	for (size_t i = 0; i < result->runs; i++)
		text_printf(out, "%s %.2f %%%s", i ? "," : "", fit_rms_pct(result->run[i].misfit),
			    result->run[i].settled ? "" : " (not settled)");
	text_add(out, result->runs ? "\n" : " the start\n");
}

/* ---- Weaknesses -------------------------------------------------------------------- */

static void print_members(const struct fit_problem *problem, const struct fit_weakness *w,
			  struct text *out)
{
	for (size_t i = 0; i < w->members; i++)
		text_printf(out, "%s%s", i ? ", " : "",
			    machine_param_info[problem->param[w->member[i]].id].name);
}

static void print_helper(const struct fit_weakness *w, struct text *out)
{
	if (!w->helper) {
		text_add(out, "no other row of this machine would\n");
		return;
	}
	text_printf(out, "%s (%s) would, %.*f times better", fit_row_name(w->helper), w->helper->id,
		    w->gain < 10, w->gain);
	text_printf(out, "%s\n",
		    w->helper->expect.role && w->helper->expect.role[0] == 'p'
			    ? "; it is kept for prediction"
			    : "");
}

static void print_correlation(double correlation, struct text *out)
{
	text_printf(out, " (correlation of the estimates %+.3f: where %s, rows change little). ",
		    correlation,
		    correlation > 0 ? "both rise or both fall" : "one rises and the other falls");
}

static void print_weakness(const struct fit_problem *problem, const struct fit_weakness *w,
			   struct text *out)
{
	if (w->kind == WEAK_NO_EFFECT) {
		text_add(out, "not determined: ");
		print_members(problem, w, out);
		text_add(out, "; no row depends on it. ");
	} else {
		text_add(out, w->members > 1 ? "not told apart: " : "hardly determined: ");
		print_members(problem, w, out);
		if (w->kind == WEAK_PAIR)
			print_correlation(w->correlation, out);
		else
			text_printf(out, " (strength %.3f of the strongest combination%s). ",
				    w->relative, w->noise ? ", within the noise of all rows" : "");
	}
	text_add(out, w->members > 1 ? "To tell them apart: " : "To determine it: ");
	print_helper(w, out);
}

static void print_analysis(const struct fit_problem *problem, const struct fit_analysis *analysis,
			   struct text *out)
{
	if (!analysis->known)
		return;
	if (!analysis->spare_rows)
		text_add(out, "as many parameters as rows: no intervals, any machine would fit\n");
	for (size_t i = 0; i < analysis->weak_count; i++)
		print_weakness(problem, &analysis->weak[i], out);
}

void fit_report(const struct fit_problem *problem, const struct fit_result *result,
		const struct fit_analysis *analysis, struct text *out)
{
	text_printf(out, "fit of %s: %zu parameter%s, %zu rows\n\n", problem->machine->name,
		    problem->count, problem->count > 1 ? "s" : "", problem->rows.count);
	print_params(problem, result, analysis, out);
	text_add(out, "\n");
	print_rows(problem, result, out);
	text_add(out, "\n");
	print_errors(problem, result, out);
	print_runs(result, out);
	print_analysis(problem, analysis, out);
	if (result->interrupted || !analysis->known)
		text_add(out, "interrupted: the best point so far, without intervals\n");
}
