// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The minimiser: Nelder and Mead's simplex (GSL's nmsimplex2) on coordinates
 * scaled so that the bounds are 0 and 1. It needs no derivatives and lives with
 * what randomness common random numbers leave. It starts at the profile's values
 * and then at the best of some points spread over the bounds.
 */
#include <gsl/gsl_multimin.h>
#include <gsl/gsl_qrng.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "fit.h"
#include "signals.h"

/* Of the width between bounds: first edges of a simplex, and the size at which it has settled. */
static const double first_edge = 0.2, settled_size = 0.001;

enum { SPREAD_PER_RESTART = 6 };

struct search {
	const struct fit_problem *problem;
	const struct fit_limits *limits;
	struct fit_result *result;
	struct fit_prediction *row; /* of the point being evaluated */
	size_t end;                 /* of evaluations, for this run */
	double run_best;
	struct progress progress;
};

/* ---- Signals ----------------------------------------------------------------------- */

static volatile sig_atomic_t flag;
static struct signals_before before;

static void note_signal(int number)
{
	(void)number;
	flag = 1;
}

void fit_signals_begin(void)
{
	flag = 0;
	signals_catch(&before, note_signal);
}

void fit_signals_end(void)
{
	signals_restore(&before);
}

bool fit_interrupted(void)
{
	return flag;
}

/* ---- Evaluating -------------------------------------------------------------------- */

static double unit_of(const struct fit_param *p, double value)
{
	double low = fit_coordinate(p, p->low), high = fit_coordinate(p, p->high);

	return (fit_coordinate(p, value) - low) / (high - low);
}

/* The value at `unit`, 0..1 from bound to bound. */
static double value_at(const struct fit_param *p, double unit)
{
	double low = fit_coordinate(p, p->low), high = fit_coordinate(p, p->high);

	return fmin(fmax(fit_value(p, low + unit * (high - low)), p->low), p->high);
}

/* The nearest point within bounds, and the square of the distance to it. */
static double take_point(const struct fit_problem *problem, const gsl_vector *units, double *point)
{
	double outside = 0;

	for (size_t i = 0; i < problem->count; i++) {
		double unit = gsl_vector_get(units, i), inside = fmin(fmax(unit, 0), 1);

		point[i] = value_at(&problem->param[i], inside);
		outside += (unit - inside) * (unit - inside);
	}
	return outside;
}

/* Of equal points the first one stays. */
static void keep_if_best(struct search *s, const double *point, double misfit,
			 const struct fit_prediction *rows)
{
	struct fit_result *r = s->result;

	s->run_best = fmin(s->run_best, misfit);
	if (r->known && misfit >= r->best_misfit)
		return;
	r->known = true;
	r->best_misfit = misfit;
	memcpy(r->best, point, sizeof(r->best));
	memcpy(r->at_best, rows, s->problem->rows.count * sizeof(*rows));
}

static void show(struct search *s)
{
	struct text line = {0};

	text_printf(&line, "fit: %zu of at most %zu evaluations, rms error %.2f %%",
		    s->result->evaluations, s->limits->evaluations,
		    fit_rms_pct(s->result->best_misfit));
	progress_text(&s->progress, line.data);
	text_free(&line);
}

static bool stopped(const struct search *s)
{
	return s->result->interrupted || fit_interrupted();
}

/* Outside the bounds: the nearest point within, made worse the farther away it is. */
static double evaluate(const gsl_vector *units, void *arg)
{
	struct search *s = arg;
	const struct fit_problem *problem = s->problem;
	fit_point point[1] = {{0}};
	double outside = take_point(problem, units, point[0]), misfit;

	if (stopped(s) || s->result->evaluations >= s->end)
		return FIT_MISFIT_FAILED;
	if (!fit_predict(problem, &problem->rows, point, 1, s->row, NULL)) {
		s->result->interrupted = true;
		return FIT_MISFIT_FAILED;
	}
	s->result->evaluations++;
	misfit = fit_misfit(s->row, problem->rows.count);
	keep_if_best(s, point[0], misfit, s->row);
	show(s);
	return misfit + outside;
}

/* ---- Minimising --------------------------------------------------------------------- */

static void set_start(const struct fit_problem *problem, const double *point, gsl_vector *units,
		      gsl_vector *edges)
{
	for (size_t i = 0; i < problem->count; i++) {
		double unit = unit_of(&problem->param[i], point[i]);

		gsl_vector_set(units, i, unit);
		gsl_vector_set(edges, i, unit + first_edge <= 1 ? first_edge : -first_edge);
	}
}

static bool iterate(struct search *s, gsl_multimin_fminimizer *minimizer)
{
	while (!stopped(s) && s->result->evaluations < s->end) {
		if (gsl_multimin_fminimizer_iterate(minimizer))
			return false;
		if (gsl_multimin_fminimizer_size(minimizer) < settled_size)
			return !stopped(s);
	}
	return false;
}

/* A run that evaluated nothing, for want of evaluations or time, is none. */
static void minimise(struct search *s, const double *start, size_t evaluations)
{
	size_t n = s->problem->count, before_run = s->result->evaluations;
	gsl_vector *units = gsl_vector_alloc(n), *edges = gsl_vector_alloc(n);
	gsl_multimin_fminimizer *minimizer =
		gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, n);
	gsl_multimin_function function = {evaluate, n, s};
	struct fit_run *run = &s->result->run[s->result->runs++];

	s->end = s->result->evaluations + evaluations;
	s->run_best = FIT_MISFIT_FAILED;
	set_start(s->problem, start, units, edges);
	if (gsl_multimin_fminimizer_set(minimizer, &function, units, edges) == 0)
		run->settled = iterate(s, minimizer);
	run->misfit = s->run_best;
	s->result->runs -= s->result->evaluations == before_run;
	gsl_multimin_fminimizer_free(minimizer);
	gsl_vector_free(units);
	gsl_vector_free(edges);
}

/* ---- Starting points ----------------------------------------------------------------- */

struct start {
	fit_point point;
	double misfit;
};

static int by_misfit(const void *a, const void *b)
{
	const struct start *x = a, *y = b;

	return (x->misfit > y->misfit) - (x->misfit < y->misfit);
}

/* Where the seed moves the origin of the unit cube to. */
static void draw_shift(const struct search *s, double *shift)
{
	gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);

	gsl_rng_set(random, (unsigned long)s->limits->seed);
	for (size_t i = 0; i < s->problem->count; i++)
		shift[i] = gsl_rng_uniform(random);
	gsl_rng_free(random);
}

/* Sobol's sequence: even with few points. */
static void spread(const struct search *s, fit_point *points, size_t count)
{
	const struct fit_problem *problem = s->problem;
	gsl_qrng *sequence = gsl_qrng_alloc(gsl_qrng_sobol, (unsigned)problem->count);
	double shift[FIT_PARAMS_MAX], unit[FIT_PARAMS_MAX];

	draw_shift(s, shift);
	for (size_t k = 0; k < count; k++) {
		gsl_qrng_get(sequence, unit);
		for (size_t i = 0; i < problem->count; i++)
			points[k][i] = value_at(&problem->param[i], fmod(unit[i] + shift[i], 1));
	}
	gsl_qrng_free(sequence);
}

/* The best ones first; all evaluated in one go. */
static bool rank_starts(struct search *s, struct start *starts, size_t count)
{
	const struct scenario *rows = &s->problem->rows;
	struct fit_prediction *all = xcalloc(count * rows->count, sizeof(*all));
	fit_point *points = xcalloc(count, sizeof(*points));
	bool done;

	spread(s, points, count);
	done = fit_predict(s->problem, rows, points, count, all, NULL);
	for (size_t k = 0; k < count && done; k++) {
		const struct fit_prediction *row = &all[k * rows->count];

		memcpy(starts[k].point, points[k], sizeof(points[k]));
		starts[k].misfit = fit_misfit(row, rows->count);
		keep_if_best(s, points[k], starts[k].misfit, row);
	}
	s->result->evaluations += done ? count : 0;
	s->result->interrupted |= !done;
	qsort(starts, count, sizeof(*starts), by_misfit);
	free(points);
	free(all);
	return done;
}

static void search_elsewhere(struct search *s, size_t runs)
{
	size_t count = SPREAD_PER_RESTART * runs;
	struct start *starts = xcalloc(count, sizeof(*starts));

	if (s->result->evaluations + count < s->limits->evaluations &&
	    rank_starts(s, starts, count))
		for (size_t k = 0; k < runs && !stopped(s); k++) {
			size_t left = s->limits->evaluations - s->result->evaluations;

			minimise(s, starts[k].point, left / (runs - k));
		}
	free(starts);
}

/* ---- All of it ------------------------------------------------------------------------ */

static bool evaluate_start(struct search *s, struct text *error)
{
	const struct fit_problem *problem = s->problem;
	struct fit_result *r = s->result;
	fit_point point[1] = {{0}};

	for (size_t i = 0; i < problem->count; i++)
		point[0][i] = problem->param[i].start;
	memcpy(r->start, point[0], sizeof(r->start));
	if (!fit_predict(problem, &problem->rows, point, 1, r->at_start, error)) {
		r->interrupted = true;
		return true;
	}
	r->evaluations = 1;
	r->start_misfit = fit_misfit(r->at_start, problem->rows.count);
	if (error->length)
		return false;
	keep_if_best(s, point[0], r->start_misfit, r->at_start);
	return true;
}

bool fit_search(const struct fit_problem *problem, const struct fit_limits *limits,
		struct fit_result *r, struct text *error)
{
	struct search s = {.problem = problem, .limits = limits, .result = r};
	size_t rows = problem->rows.count, left, share;
	bool possible;

	*r = (struct fit_result){0};
	r->at_start = xcalloc(rows, sizeof(*r->at_start));
	r->at_best = xcalloc(rows, sizeof(*r->at_best));
	s.row = xcalloc(rows, sizeof(*s.row));
	progress_begin(&s.progress, 1);
	possible = evaluate_start(&s, error);
	left = limits->evaluations > r->evaluations ? limits->evaluations - r->evaluations : 0;
	share = left / limits->restarts;
	if (possible && !stopped(&s) && left)
		minimise(&s, r->start, share ? share : left);
	if (possible && !stopped(&s) && limits->restarts > 1)
		search_elsewhere(&s, limits->restarts - 1);
	progress_end(&s.progress);
	r->interrupted |= fit_interrupted();
	free(s.row);
	return possible;
}

void fit_result_free(struct fit_result *result)
{
	free(result->at_start);
	free(result->at_best);
}
