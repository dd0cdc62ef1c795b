// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The quick minimiser, for fits that are made by the dozen: Levenberg and
 * Marquardt's method on coordinates, in which logarithms of predictions are
 * nearly straight. All points of a step are predicted in one go. Common random
 * numbers are assumed, and slopes over 15 % of a value, so that the noise of short
 * runs does not matter. fit_search() needs ten times as many points, and can leave
 * a valley.
 */
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "fit.h"

enum { STEPS_MAX = 6, TRIALS = 4 };

/* Of a coordinate: 15 % of a value. */
static const double slope_step = 0.15;

/* A parameter that moves no row by this share over a step is not fitted. */
static const double effect_min = 0.01;

/* The end: a step improves the misfit by less than this share. */
static const double improvement_min = 0.02;

/* How much of the curvature is added to it. */
static const double damping[TRIALS] = {0.003, 0.1, 1, 10};

struct descent {
	const struct fit_problem *problem;
	const struct scenario *rows;
	bool *open;
	size_t param[FIT_PARAMS_MAX], count; /* the open ones */
	double *best;
	double misfit;
	struct fit_prediction *at_best, *at; /* per row; per point and row */
	double *slope;                       /* per row and open parameter */
	struct text *error;
};

static double clamped(const struct fit_param *p, double coordinate)
{
	return fmin(fmax(fit_value(p, coordinate), p->low), p->high);
}

/* ---- Slopes ------------------------------------------------------------------------- */

/* One point per open parameter, inwards where a bound is near. Returns the step really made. */
static double slope_point(const struct descent *d, size_t k, double *point)
{
	const struct fit_param *p = &d->problem->param[d->param[k]];
	double from = fit_coordinate(p, d->best[d->param[k]]);
	double by = fit_value(p, from + slope_step) <= p->high ? slope_step : -slope_step;

	memcpy(point, d->best, sizeof(fit_point));
	point[d->param[k]] = clamped(p, from + by);
	return fit_coordinate(p, point[d->param[k]]) - from;
}

static bool find_slopes(struct descent *d)
{
	size_t rows = d->rows->count;
	fit_point points[FIT_PARAMS_MAX];
	double step[FIT_PARAMS_MAX];

	for (size_t k = 0; k < d->count; k++)
		step[k] = slope_point(d, k, points[k]);
	if (!fit_predict(d->problem, d->rows, points, d->count, d->at, NULL))
		return false;
	for (size_t k = 0; k < d->count; k++)
		for (size_t row = 0; row < rows; row++) {
			double change = d->at[k * rows + row].log_ratio - d->at_best[row].log_ratio;

			d->slope[row * d->count + k] =
				isfinite(change) && step[k] != 0 ? change / step[k] : 0;
		}
	return true;
}

/* ---- Which parameters ---------------------------------------------------------------- */

static double effect_of(const struct descent *d, size_t k, double *largest)
{
	double sum = 0;

	*largest = 0;
	for (size_t row = 0; row < d->rows->count; row++) {
		double slope = fabs(d->slope[row * d->count + k]);

		sum += slope * slope;
		*largest = fmax(*largest, slope * slope_step);
	}
	return sum;
}

/* Those that have an effect, and of these the strongest, at most as many as rows. */
static void close_weak(struct descent *d)
{
	double effect[FIT_PARAMS_MAX], largest;

	for (size_t k = 0; k < d->count; k++) {
		effect[k] = effect_of(d, k, &largest);
		if (largest < effect_min)
			effect[k] = 0;
	}
	for (size_t k = 0; k < d->count; k++) {
		size_t stronger = 0;

		for (size_t j = 0; j < d->count; j++)
			stronger += effect[j] > effect[k] || (effect[j] == effect[k] && j < k);
		d->open[d->param[k]] = effect[k] > 0 && stronger < d->rows->count;
	}
}

static void list_open(struct descent *d)
{
	d->count = 0;
	for (size_t i = 0; i < d->problem->count; i++)
		if (d->open[i])
			d->param[d->count++] = i;
}

/* Slopes of those that stay move together. */
static void drop_weak(struct descent *d)
{
	size_t before = d->count, to = 0;

	close_weak(d);
	for (size_t row = 0; row < d->rows->count; row++)
		for (size_t k = 0; k < before; k++)
			if (d->open[d->param[k]])
				d->slope[to++] = d->slope[row * before + k];
	list_open(d);
}

/* ---- Steps ----------------------------------------------------------------------------- */

/* (J'J + damping * diagonal) step = -J'r. */
static void solve(const struct descent *d, double added, double *step)
{
	size_t n = d->count;
	gsl_matrix *a = gsl_matrix_calloc(n, n);
	gsl_vector *b = gsl_vector_calloc(n);

	for (size_t row = 0; row < d->rows->count; row++) {
		const double *slope = &d->slope[row * n];

		for (size_t i = 0; i < n; i++) {
			*gsl_vector_ptr(b, i) -= slope[i] * d->at_best[row].log_ratio;
			for (size_t j = 0; j < n; j++)
				*gsl_matrix_ptr(a, i, j) += slope[i] * slope[j];
		}
	}
	for (size_t i = 0; i < n; i++)
		*gsl_matrix_ptr(a, i, i) += added * gsl_matrix_get(a, i, i) + 1e-6;
	gsl_linalg_cholesky_decomp1(a);
	gsl_linalg_cholesky_svx(a, b);
	for (size_t i = 0; i < n; i++)
		step[i] = gsl_vector_get(b, i);
	gsl_vector_free(b);
	gsl_matrix_free(a);
}

static void trial_point(const struct descent *d, double added, double *point)
{
	double step[FIT_PARAMS_MAX];

	memcpy(point, d->best, sizeof(fit_point));
	solve(d, added, step);
	for (size_t k = 0; k < d->count; k++) {
		const struct fit_param *p = &d->problem->param[d->param[k]];
		double from = fit_coordinate(p, d->best[d->param[k]]);

		point[d->param[k]] = clamped(p, from + step[k]);
	}
}

static void take(struct descent *d, const double *point, const struct fit_prediction *rows)
{
	memcpy(d->best, point, sizeof(fit_point));
	memcpy(d->at_best, rows, d->rows->count * sizeof(*rows));
	d->misfit = fit_misfit(rows, d->rows->count);
}

/* False: interrupted. `*improved`: by enough to go on. */
static bool make_step(struct descent *d, bool *improved)
{
	fit_point points[TRIALS];
	size_t rows = d->rows->count;
	double before = d->misfit;

	for (size_t t = 0; t < TRIALS; t++)
		trial_point(d, damping[t], points[t]);
	if (!fit_predict(d->problem, d->rows, points, TRIALS, d->at, NULL))
		return false;
	for (size_t t = 0; t < TRIALS; t++)
		if (fit_misfit(&d->at[t * rows], rows) < d->misfit)
			take(d, points[t], &d->at[t * rows]);
	*improved = d->misfit < (1 - improvement_min) * before;
	return true;
}

/* ---- All of it --------------------------------------------------------------------------- */

static bool descend(struct descent *d)
{
	bool improved = true;

	for (int step = 0; step < STEPS_MAX && improved && d->count; step++) {
		if (!find_slopes(d))
			return false;
		if (step == 0)
			drop_weak(d);
		if (d->count && !make_step(d, &improved))
			return false;
	}
	return true;
}

static bool begin(struct descent *d)
{
	fit_point point[1];

	memcpy(point[0], d->best, sizeof(point[0]));
	if (!fit_predict(d->problem, d->rows, point, 1, d->at_best, d->error) || d->error->length)
		return false;
	d->misfit = fit_misfit(d->at_best, d->rows->count);
	return true;
}

bool fit_descend(const struct fit_problem *problem, const struct scenario *rows, bool *open,
		 double *best, double *misfit, struct text *error)
{
	size_t points = problem->count > TRIALS ? problem->count : TRIALS;
	struct descent d = {
		.problem = problem, .rows = rows, .open = open, .best = best, .error = error};
	bool done = true;

	d.at_best = xcalloc(rows->count + 1, sizeof(*d.at_best));
	d.at = xcalloc(points * rows->count + 1, sizeof(*d.at));
	d.slope = xcalloc(problem->count * rows->count + 1, sizeof(*d.slope));
	list_open(&d);
	if (rows->count == 0)
		memset(open, 0, problem->count * sizeof(*open));
	else
		done = begin(&d) && descend(&d) && !fit_interrupted();
	*misfit = d.misfit;
	free(d.at_best);
	free(d.at);
	free(d.slope);
	return done;
}
