// SPDX-License-Identifier: GPL-3.0-or-later
/* What a fit found, for programs: scenarios/schema/fit.schema.json. */
#include <math.h>

#include "fit.h"
#include "json_writer.h"
#include "version.h"

enum { ERROR_DECIMALS = 3 };

static const char *param_name(const struct fit_problem *problem, size_t i)
{
	return machine_param_info[problem->param[i].id].name;
}

static void put_finite(struct json_writer *w, const char *key, double value)
{
	if (isfinite(value))
		json_put_decimal(w, key, value, ERROR_DECIMALS);
	else
		json_put_null(w, key);
}

static void put_string(struct json_writer *w, const char *key, const char *value)
{
	if (value && *value)
		json_put_string(w, key, value);
	else
		json_put_null(w, key);
}

/* ---- Parameters and rows ------------------------------------------------------------ */

static void put_param(struct json_writer *w, const struct fit_problem *problem,
		      const struct fit_result *result, const struct fit_analysis *analysis,
		      size_t i)
{
	const struct fit_param *p = &problem->param[i];

	json_open(w, NULL, '{');
	json_put_string(w, "name", param_name(problem, i));
	put_string(w, "also", p->tied == PARAM_COUNT ? NULL : machine_param_info[p->tied].name);
	json_put_string(w, "unit", machine_param_info[p->id].unit);
	json_put_number(w, "start", result->start[i]);
	json_put_number(w, "fitted", result->best[i]);
	if (analysis->known && analysis->spare_rows)
		json_put_pair(w, "interval", analysis->low[i], analysis->high[i]);
	else
		json_put_null(w, "interval");
	json_put_pair(w, "bounds", p->low, p->high);
	json_put_string(w, "bounds_from", p->bounds_from);
	put_string(w, "at_bound", fit_bound_hit(p, result->best[i]));
	json_close(w, '}');
}

static void put_params(struct json_writer *w, const struct fit_problem *problem,
		       const struct fit_result *result, const struct fit_analysis *analysis)
{
	json_open(w, "parameters", '[');
	for (size_t i = 0; i < problem->count; i++)
		put_param(w, problem, result, analysis, i);
	json_close(w, ']');
}

static void put_rows(struct json_writer *w, const struct fit_problem *problem,
		     const struct fit_result *result)
{
	json_open(w, "rows", '[');
	for (size_t i = 0; i < problem->rows.count; i++) {
		const struct scenario_case *c = &problem->rows.cases[i];

		json_open(w, NULL, '{');
		put_string(w, "record", c->expect.record);
		json_put_string(w, "case", c->id);
		json_put_string(w, "metric", metric_choice(c->expect.metric));
		json_put_uint(w, "threads", c->spec.workload.threads);
		json_put_exact(w, "published", c->expect.value);
		put_finite(w, "error_pct_start", fit_error_pct(&result->at_start[i]));
		put_finite(w, "error_pct", fit_error_pct(&result->at_best[i]));
		json_close(w, '}');
	}
	json_close(w, ']');
}

static void put_errors(struct json_writer *w, const char *key, const struct fit_prediction *rows,
		       size_t count)
{
	struct fit_errors errors = fit_errors_of(rows, count);

	json_open(w, key, '{');
	put_finite(w, "mean_pct", errors.mean);
	put_finite(w, "worst_pct", errors.worst);
	put_finite(w, "rms_pct", fit_rms_pct(fit_misfit(rows, count)));
	json_close(w, '}');
}

static void put_searches(struct json_writer *w, const struct fit_result *result)
{
	json_open(w, "searches", '[');
	for (size_t i = 0; i < result->runs; i++) {
		json_open(w, NULL, '{');
		put_finite(w, "rms_pct", fit_rms_pct(result->run[i].misfit));
		json_put_bool(w, "settled", result->run[i].settled);
		json_close(w, '}');
	}
	json_close(w, ']');
}

/* ---- What the rows do not determine --------------------------------------------------- */

static void put_helper(struct json_writer *w, const struct fit_weakness *weak)
{
	const struct scenario_case *helper = weak->helper;

	if (!helper) {
		json_put_null(w, "helper");
		return;
	}
	json_open(w, "helper", '{');
	put_string(w, "record", helper->expect.record);
	json_put_string(w, "case", helper->id);
	put_string(w, "role", helper->expect.role);
	json_put_rounded(w, "gain", weak->gain, 3);
	json_close(w, '}');
}

static void put_weakness(struct json_writer *w, const struct fit_problem *problem,
			 const struct fit_weakness *weak)
{
	static const char *const kind[] = {"no-effect", "direction", "pair"};

	json_open(w, NULL, '{');
	json_put_string(w, "kind", kind[weak->kind]);
	json_open_flat(w, "parameters", '[');
	for (size_t i = 0; i < weak->members; i++)
		json_put_string(w, NULL, param_name(problem, weak->member[i]));
	json_close(w, ']');
	if (weak->kind == WEAK_PAIR)
		json_put_decimal(w, "correlation", weak->correlation, 3);
	if (weak->kind == WEAK_DIRECTION)
		json_put_decimal(w, "relative_strength", weak->relative, 4);
	put_helper(w, weak);
	json_close(w, '}');
}

static void put_weaknesses(struct json_writer *w, const struct fit_problem *problem,
			   const struct fit_analysis *analysis)
{
	json_open(w, "undetermined", '[');
	for (size_t i = 0; i < analysis->weak_count; i++)
		put_weakness(w, problem, &analysis->weak[i]);
	json_close(w, ']');
}

/* ---- All of it -------------------------------------------------------------------------- */

static void put_head(struct json_writer *w, const struct fit_problem *problem,
		     const struct fit_result *result, const struct fit_analysis *analysis)
{
	json_put_string(w, "tool", "futexsim");
	json_put_string(w, "version", FUTEXSIM_VERSION);
	json_put_string(w, "machine", problem->machine->name);
	json_put_uint(w, "seed", problem->rows.cases[0].spec.measure.seed);
	json_put_uint(w, "evaluations", result->evaluations);
	json_put_bool(w, "interrupted", result->interrupted || !analysis->known);
}

void fit_print_json(const struct fit_problem *problem, const struct fit_result *result,
		    const struct fit_analysis *analysis, struct text *out)
{
	struct json_writer w = {.out = out};
	size_t rows = problem->rows.count;

	json_open(&w, NULL, '{');
	put_head(&w, problem, result, analysis);
	put_params(&w, problem, result, analysis);
	put_rows(&w, problem, result);
	json_open(&w, "errors", '{');
	put_errors(&w, "start", result->at_start, rows);
	put_errors(&w, "fitted", result->at_best, rows);
	json_close(&w, '}');
	put_searches(&w, result);
	put_weaknesses(&w, problem, analysis);
	json_close(&w, '}');
}
