// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The quick minimiser, for fits that are made by the dozen: Levenberg's method on
 * coordinates, in which logarithms of predictions are nearly straight, with the
 * width between its bounds as the unit of each. Damping is never nothing: what the
 * rows do not determine stays near where it was. All points of a step are
 * predicted in one go. Slopes are those over a fifth of a value, so that the noise
 * of short runs does not matter. fit_search() needs ten times as many points, but
 * gets out of a valley.
 */
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "fit.h"

enum { STEPS_MAX = 5, TRIALS = 4 };

/* Of a coordinate: a fifth of a value. */
static const double slope_step = 0.2;

/* A parameter that moves no row by this share over a step is not fitted. */
static const double effect_min = 0.01;

/* The end: a step improves the misfit by less than this share, or it is noise: half a percent. */
static const double improvement_min = 0.03, misfit_min = 0.005 * 0.005;

/* How much is added to all curvatures, of the largest one. */
static const double damping[TRIALS] = {0.001, 0.03, 0.3, 3};

struct descent {
	const struct fit_problem *problem;
	const struct scenario *rows;
	bool *open;
	size_t param[FIT_PARAMS_MAX], count; /* the open ones */
	double *best;
	double misfit;
	fit_point point[FIT_PARAMS_MAX];     /* a slope's or a trial's, at most so many */
	struct fit_prediction *at_best, *at; /* per row; per point and row */
	/* The best of the points since the last step, if better than `best`. */
	fit_point better;
	double better_misfit;
	struct fit_prediction *at_better;
	double *slope; /* per row and open parameter */
	struct text *error;
};

static double clamped(const struct fit_param *p, double coordinate)
{
	return fmin(fmax(fit_value(p, coordinate), p->low), p->high);
}

/* Looks at the first `count` points. */
static void note_better(struct descent *d, size_t count)
{
	size_t rows = d->rows->count;

	for (size_t k = 0; k < count; k++) {
		const struct fit_prediction *at = &d->at[k * rows];
		double misfit = fit_misfit(at, rows);

		if (misfit >= d->better_misfit)
			continue;
		d->better_misfit = misfit;
		memcpy(d->better, d->point[k], sizeof(d->better));
		memcpy(d->at_better, at, rows * sizeof(*at));
	}
}

/* ---- Slopes ------------------------------------------------------------------------- */

/* To where there is room for it, or else for more of it. */
static double slope_direction(const struct fit_param *p, double from)
{
	double up = fit_coordinate(p, p->high) - from, down = from - fit_coordinate(p, p->low);

	if (up >= slope_step)
		return slope_step;
	return down >= slope_step || down > up ? -slope_step : slope_step;
}

/* One point per open parameter, within the bounds. Returns the step really made. */
static double slope_point(const struct descent *d, size_t k, double *point)
{
	const struct fit_param *p = &d->problem->param[d->param[k]];
	double from = fit_coordinate(p, d->best[d->param[k]]);
	double by = slope_direction(p, from);

	memcpy(point, d->best, sizeof(fit_point));
	point[d->param[k]] = clamped(p, from + by);
	return fit_coordinate(p, point[d->param[k]]) - from;
}

static void set_slopes(struct descent *d, const double *step)
{
	size_t rows = d->rows->count;

	for (size_t k = 0; k < d->count; k++)
		for (size_t row = 0; row < rows; row++) {
			double change = d->at[k * rows + row].log_ratio - d->at_best[row].log_ratio;

			d->slope[row * d->count + k] =
				isfinite(change) && step[k] != 0 ? change / step[k] : 0;
		}
}

/* Their points are as good as any: the best one is kept, for where steps lead nowhere. */
static bool find_slopes(struct descent *d)
{
	double step[FIT_PARAMS_MAX];

	for (size_t k = 0; k < d->count; k++)
		step[k] = slope_point(d, k, d->point[k]);
	if (!fit_predict(d->problem, d->rows, d->point, d->count, d->at, NULL))
		return false;
	set_slopes(d, step);
	note_better(d, d->count);
	return true;
}

/* ---- Which parameters ---------------------------------------------------------------- */

static bool has_effect(const struct descent *d, size_t k)
{
	for (size_t row = 0; row < d->rows->count; row++)
		if (fabs(d->slope[row * d->count + k]) * slope_step >= effect_min)
			return true;
	return false;
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

	for (size_t k = 0; k < before; k++)
		d->open[d->param[k]] = has_effect(d, k);
	for (size_t row = 0; row < d->rows->count; row++)
		for (size_t k = 0; k < before; k++)
			if (d->open[d->param[k]])
				d->slope[to++] = d->slope[row * before + k];
	list_open(d);
}

/* ---- Steps ----------------------------------------------------------------------------- */

static double width_of(const struct descent *d, size_t k)
{
	const struct fit_param *p = &d->problem->param[d->param[k]];

	return fit_coordinate(p, p->high) - fit_coordinate(p, p->low);
}

/* J'J and -J'r, in units of the widths. */
static void fill_normal_equations(const struct descent *d, gsl_matrix *a, gsl_vector *b)
{
	for (size_t row = 0; row < d->rows->count; row++) {
		const struct fit_prediction *p = &d->at_best[row];
		const double *slope = &d->slope[row * d->count];

		for (size_t i = 0; i < d->count; i++) {
			double x = slope[i] * width_of(d, i);

			*gsl_vector_ptr(b, i) -= x * p->log_ratio;
			for (size_t j = 0; j < d->count; j++)
				*gsl_matrix_ptr(a, i, j) += x * slope[j] * width_of(d, j);
		}
	}
}

static void solve(const struct descent *d, double added, double *step)
{
	size_t n = d->count;
	gsl_matrix *a = gsl_matrix_calloc(n, n);
	gsl_vector *b = gsl_vector_calloc(n);
	double largest = 0;

	fill_normal_equations(d, a, b);
	for (size_t i = 0; i < n; i++)
		largest = fmax(largest, gsl_matrix_get(a, i, i));
	for (size_t i = 0; i < n; i++)
		*gsl_matrix_ptr(a, i, i) += added * largest;
	gsl_linalg_cholesky_decomp1(a);
	gsl_linalg_cholesky_svx(a, b);
	for (size_t i = 0; i < n; i++)
		step[i] = gsl_vector_get(b, i) * width_of(d, i);
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

		point[d->param[k]] = clamped(p, fit_coordinate(p, d->best[d->param[k]]) + step[k]);
	}
}

/* Returns by which share the misfit became less. */
static double take_better(struct descent *d)
{
	double improvement = 1 - d->better_misfit / d->misfit;

	if (!(d->better_misfit < d->misfit))
		return 0;
	memcpy(d->best, d->better, sizeof(d->better));
	memcpy(d->at_best, d->at_better, d->rows->count * sizeof(*d->at_best));
	d->misfit = d->better_misfit;
	return improvement;
}

/* False: interrupted. `*improved`: by enough to go on. */
static bool make_step(struct descent *d, bool *improved)
{
	for (size_t t = 0; t < TRIALS; t++)
		trial_point(d, damping[t], d->point[t]);
	if (!fit_predict(d->problem, d->rows, d->point, TRIALS, d->at, NULL))
		return false;
	note_better(d, TRIALS);
	*improved = take_better(d) > improvement_min && d->misfit > misfit_min;
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
	d->misfit = d->better_misfit = fit_misfit(d->at_best, d->rows->count);
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
	d.at_better = xcalloc(rows->count + 1, sizeof(*d.at_better));
	d.at = xcalloc(points * rows->count + 1, sizeof(*d.at));
	d.slope = xcalloc(problem->count * rows->count + 1, sizeof(*d.slope));
	list_open(&d);
	if (rows->count == 0)
		memset(open, 0, problem->count * sizeof(*open));
	else
		done = begin(&d) && descend(&d) && !fit_interrupted();
	*misfit = d.misfit;
	free(d.at_best);
	free(d.at_better);
	free(d.at);
	free(d.slope);
	return done;
}
