// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * How well the rows determine the parameters, from the Jacobian at the best
 * point (how a row's logarithm follows a parameter's coordinate): intervals from
 * the curvature, and the combinations of parameters that rows do not tell apart.
 * Singular values as in Golub and Van Loan, Matrix Computations, 5.5.
 */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "fit.h"

/* Of a coordinate: 15 % of a value. Far above the noise, and still a tangent. */
static const double step = 0.15;

/*
 * Parameters whose estimates correlate like this, of either sign, are one parameter
 * for the rows. Estimates correlate with the opposite sign of what the parameters do:
 * two that add to the same time have a negative correlation.
 */
static const double pair_min = 0.95;

/* A combination is weak if the strongest one has fifty times its effect ... */
static const double weak_max = 0.02;
/* ... or if no row changes by four standard deviations of its noise. */
static const double noise_factor = 4;

/* The least noise of a row: order of events, which a short run's interval does not see. */
static const double noise_min = 0.001;

/* Parameters with less than this share of a unit direction are no members of it. */
static const double member_min = 0.3;

struct analysis {
	const struct fit_problem *problem;
	const struct fit_result *result;
	struct fit_analysis *out;
	gsl_matrix *jacobian; /* rows by effective parameters */
	size_t effective[FIT_PARAMS_MAX], count;
	double *noise; /* per row: standard deviation of a slope */
	gsl_matrix *v;
	gsl_vector *singular;
};

/* ---- Derivatives ------------------------------------------------------------------ */

/* Beyond the bounds if need be: the tangent is wanted at the bound too. */
static double moved(const struct analysis *a, size_t i, double by)
{
	const struct fit_param *p = &a->problem->param[i];

	return fit_value(p, fit_coordinate(p, a->result->best[i]) + by);
}

static void move_point(const struct analysis *a, const double *direction, double by, double *point)
{
	for (size_t i = 0; i < a->problem->count; i++)
		point[i] = direction[i] != 0 ? moved(a, i, by * direction[i]) : a->result->best[i];
}

/* How far the two points are really apart along the direction: values are rounded and limited. */
static double distance(const struct analysis *a, const double *direction, const double *from,
		       const double *to)
{
	double sum = 0;

	for (size_t i = 0; i < a->problem->count; i++) {
		const struct fit_param *p = &a->problem->param[i];

		sum += direction[i] * (fit_coordinate(p, to[i]) - fit_coordinate(p, from[i]));
	}
	return sum;
}

static double slope_variance(const struct fit_prediction *low, const struct fit_prediction *high)
{
	double variance = low->noise * low->noise + high->noise * high->noise;

	return fmax(variance, 2 * noise_min * noise_min) / (4 * step * step);
}

static double slope_of(const struct fit_prediction *low, const struct fit_prediction *high,
		       double width)
{
	double slope = width > 0 ? (high->log_ratio - low->log_ratio) / width : 0;

	return isfinite(slope) ? slope : 0;
}

/* The same rows, measured for longer: differences need it. Freed by the caller. */
static struct scenario sharpened(const struct scenario *rows)
{
	struct scenario sharp = *rows;

	sharp.cases = xcalloc(rows->count, sizeof(*sharp.cases));
	for (size_t i = 0; i < rows->count; i++) {
		sharp.cases[i] = rows->cases[i];
		sharp.cases[i].spec.measure.precision /= 2;
		sharp.cases[i].spec.measure.max_sim_ms *= 4;
	}
	return sharp;
}

/*
 * d ln(row) / d direction, for `count` directions of unit length: slopes[k *
 * rows + row], and per row their noise. Failed rows have slope 0. False:
 * interrupted.
 */
static bool find_slopes(const struct analysis *a, const struct scenario *rows,
			const fit_point *directions, size_t count, double *slopes, double *noise)
{
	fit_point *points = xcalloc(2 * count, sizeof(*points));
	struct fit_prediction *out = xcalloc(2 * count * rows->count, sizeof(*out));
	bool done;

	for (size_t k = 0; k < 2 * count; k++)
		move_point(a, directions[k / 2], k % 2 ? step : -step, points[k]);
	done = fit_predict(a->problem, rows, points, 2 * count, out, NULL);
	for (size_t i = 0; i < count * rows->count && done; i++) {
		size_t k = i / rows->count, row = i % rows->count;
		const struct fit_prediction *low = &out[2 * k * rows->count + row];
		double width = distance(a, directions[k], points[2 * k], points[2 * k + 1]);

		slopes[i] = slope_of(low, low + rows->count, width);
		noise[row] += slope_variance(low, low + rows->count) / (double)count;
	}
	for (size_t row = 0; row < rows->count; row++)
		noise[row] = sqrt(noise[row]);
	free(points);
	free(out);
	return done;
}

static double length_of(const double *numbers, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += numbers[i] * numbers[i];
	return sqrt(sum);
}

/* Does any row follow more than its noise? */
static bool is_noise(const struct analysis *a, const double *slopes)
{
	for (size_t row = 0; row < a->problem->rows.count; row++)
		if (fabs(slopes[row]) > noise_factor * a->noise[row])
			return false;
	return true;
}

static struct fit_weakness *add_weakness(struct analysis *a, enum fit_weakness_kind kind)
{
	struct fit_weakness *w = &a->out->weak[a->out->weak_count];

	if (a->out->weak_count == FIT_WEAKNESSES_MAX)
		return NULL;
	a->out->weak_count++;
	*w = (struct fit_weakness){.kind = kind};
	return w;
}

static void no_effect(struct analysis *a, size_t param, double strength)
{
	struct fit_weakness *w = add_weakness(a, WEAK_NO_EFFECT);

	if (!w)
		return;
	w->member[w->members++] = param;
	w->direction[param] = 1;
	w->strength = strength;
}

/* Columns that are nothing but noise are left out. */
static bool fill_jacobian(struct analysis *a)
{
	size_t rows = a->problem->rows.count, n = a->problem->count;
	fit_point *axes = xcalloc(n, sizeof(*axes));
	double *slopes = xcalloc(n * rows, sizeof(*slopes));
	struct scenario sharp = sharpened(&a->problem->rows);
	bool done;

	for (size_t i = 0; i < n; i++)
		axes[i][i] = 1;
	done = find_slopes(a, &sharp, axes, n, slopes, a->noise);
	for (size_t i = 0; i < n && done; i++) {
		if (is_noise(a, &slopes[i * rows])) {
			no_effect(a, i, length_of(&slopes[i * rows], rows));
			continue;
		}
		for (size_t row = 0; row < rows; row++)
			gsl_matrix_set(a->jacobian, row, a->count, slopes[i * rows + row]);
		a->effective[a->count++] = i;
	}
	free(sharp.cases);
	free(slopes);
	free(axes);
	return done;
}

/* ---- Intervals --------------------------------------------------------------------- */

/* Variance of a row: what the fit leaves, at least what the simulation has of its own. */
static double row_variance(const struct analysis *a)
{
	size_t rows = a->problem->rows.count;
	double noise = 0, sum = 0;

	for (size_t i = 0; i < rows; i++) {
		const struct fit_prediction *p = &a->result->at_best[i];

		noise += p->noise * p->noise;
		sum += p->log_ratio * p->log_ratio;
	}
	return fmax(sum / (double)(rows - a->problem->count), noise / (double)rows);
}

/* Entry of the inverse of J'J. */
static double inverse(const struct analysis *a, size_t i, size_t j)
{
	double sum = 0;

	for (size_t k = 0; k < a->count; k++) {
		double s = fmax(gsl_vector_get(a->singular, k), 1e-12);

		sum += gsl_matrix_get(a->v, i, k) * gsl_matrix_get(a->v, j, k) / (s * s);
	}
	return sum;
}

static void set_intervals(struct analysis *a)
{
	const struct fit_problem *problem = a->problem;
	struct fit_analysis *out = a->out;
	double quantile, variance;

	for (size_t i = 0; i < problem->count; i++) {
		out->low[i] = problem->param[i].low;
		out->high[i] = problem->param[i].high;
	}
	out->spare_rows = problem->rows.count > problem->count;
	if (!out->spare_rows)
		return;
	quantile = gsl_cdf_tdist_Pinv(0.975, (double)(problem->rows.count - problem->count));
	variance = row_variance(a);
	for (size_t k = 0; k < a->count; k++) {
		size_t i = a->effective[k];
		double half = quantile * sqrt(variance * inverse(a, k, k)),
		       best = a->result->best[i];

		out->low[i] = fmin(fmax(moved(a, i, -half), out->low[i]), best);
		out->high[i] = fmax(fmin(moved(a, i, half), out->high[i]), best);
	}
}

/* ---- Weaknesses ---------------------------------------------------------------------- */

/* What the rows do along a direction; returns the length of `slopes`. */
static double slopes_along(const struct analysis *a, const double *direction, double *slopes)
{
	for (size_t row = 0; row < a->problem->rows.count; row++) {
		slopes[row] = 0;
		for (size_t c = 0; c < a->count; c++)
			slopes[row] +=
				gsl_matrix_get(a->jacobian, row, c) * direction[a->effective[c]];
	}
	return length_of(slopes, a->problem->rows.count);
}

static void add_direction(struct analysis *a, size_t k, const double *direction, bool noise)
{
	struct fit_weakness *w = add_weakness(a, WEAK_DIRECTION);

	if (!w)
		return;
	w->strength = gsl_vector_get(a->singular, k);
	w->relative = w->strength / gsl_vector_get(a->singular, 0);
	w->noise = noise;
	memcpy(w->direction, direction, sizeof(w->direction));
	for (size_t i = 0; i < a->problem->count; i++)
		if (fabs(direction[i]) >= member_min)
			w->member[w->members++] = i;
}

/* Looks at the k-th singular vector. */
static void judge_direction(struct analysis *a, size_t k)
{
	double *slopes = xcalloc(a->problem->rows.count, sizeof(*slopes));
	fit_point direction = {0};
	bool noise;

	for (size_t c = 0; c < a->count; c++)
		direction[a->effective[c]] = gsl_matrix_get(a->v, c, k);
	slopes_along(a, direction, slopes);
	noise = is_noise(a, slopes);
	if (noise || gsl_vector_get(a->singular, k) < weak_max * gsl_vector_get(a->singular, 0))
		add_direction(a, k, direction, noise);
	free(slopes);
}

static void find_directions(struct analysis *a)
{
	for (size_t k = a->count; k-- > 0;)
		judge_direction(a, k);
}

static bool is_member(const struct fit_weakness *w, size_t param)
{
	for (size_t i = 0; i < w->members; i++)
		if (w->member[i] == param)
			return true;
	return false;
}

static bool named_already(const struct analysis *a, size_t i, size_t j)
{
	for (size_t k = 0; k < a->out->weak_count; k++)
		if (is_member(&a->out->weak[k], i) && is_member(&a->out->weak[k], j))
			return true;
	return false;
}

static double strength_along(const struct analysis *a, const double *direction)
{
	double *slopes = xcalloc(a->problem->rows.count, sizeof(*slopes));
	double strength = slopes_along(a, direction, slopes);

	free(slopes);
	return strength;
}

/* The combination of the two that the rows see least. */
static void weak_pair(struct analysis *a, size_t c, size_t d, double correlation)
{
	double x = sqrt(inverse(a, c, c)), y = sqrt(inverse(a, d, d)), length = hypot(x, y);
	struct fit_weakness *w = add_weakness(a, WEAK_PAIR);

	if (!w)
		return;
	w->member[0] = a->effective[c];
	w->member[1] = a->effective[d];
	w->members = 2;
	w->correlation = correlation;
	w->direction[w->member[0]] = x / length;
	w->direction[w->member[1]] = copysign(y / length, correlation);
	w->strength = strength_along(a, w->direction);
}

static void find_pairs(struct analysis *a)
{
	for (size_t c = 0; c < a->count; c++)
		for (size_t d = c + 1; d < a->count; d++) {
			double r = inverse(a, c, d) / sqrt(inverse(a, c, c) * inverse(a, d, d));

			if (fabs(r) > pair_min &&
			    !named_already(a, a->effective[c], a->effective[d]))
				weak_pair(a, c, d, r);
		}
}

/* ---- What would help -------------------------------------------------------------------- */

static void choose_helper(const struct analysis *a, struct fit_weakness *w, const double *slopes,
			  const double *noise)
{
	const struct scenario *others = &a->problem->others;
	double floor = length_of(a->noise, a->problem->rows.count), best = 0;

	for (size_t row = 0; row < others->count; row++) {
		double slope = fabs(slopes[row]);

		if (slope <= best || slope <= noise_factor * noise[row])
			continue;
		best = slope;
		w->helper = &others->cases[row];
		w->gain = hypot(1, slope / fmax(w->strength, floor));
	}
}

/* Only how other rows change is looked at, never their published values. */
static bool find_helpers(struct analysis *a)
{
	const struct scenario *others = &a->problem->others;
	size_t count = a->out->weak_count;
	fit_point directions[FIT_WEAKNESSES_MAX];
	double *slopes, *noise;
	bool done;

	if (!count || !others->count)
		return true;
	for (size_t k = 0; k < count; k++)
		memcpy(directions[k], a->out->weak[k].direction, sizeof(directions[k]));
	slopes = xcalloc(count * others->count, sizeof(*slopes));
	noise = xcalloc(others->count, sizeof(*noise));
	done = find_slopes(a, others, directions, count, slopes, noise);
	for (size_t k = 0; k < count && done; k++)
		choose_helper(a, &a->out->weak[k], &slopes[k * others->count], noise);
	free(slopes);
	free(noise);
	return done;
}

/* ---- All of it ---------------------------------------------------------------------------- */

/* The matrix without its last columns. */
static gsl_matrix *first_columns(const gsl_matrix *m, size_t count)
{
	gsl_matrix_const_view view = gsl_matrix_const_submatrix(m, 0, 0, m->size1, count);
	gsl_matrix *copy = gsl_matrix_alloc(m->size1, count);

	gsl_matrix_memcpy(copy, &view.matrix);
	return copy;
}

static void decompose(struct analysis *a)
{
	gsl_matrix *u = first_columns(a->jacobian, a->count);
	gsl_vector *work = gsl_vector_alloc(a->count);

	a->v = gsl_matrix_alloc(a->count, a->count);
	a->singular = gsl_vector_alloc(a->count);
	gsl_linalg_SV_decomp(u, a->v, a->singular, work);
	gsl_vector_free(work);
	gsl_matrix_free(u);
}

void fit_analyse(const struct fit_problem *problem, const struct fit_result *result,
		 struct fit_analysis *out)
{
	struct analysis a = {.problem = problem, .result = result, .out = out};

	*out = (struct fit_analysis){0};
	a.noise = xcalloc(problem->rows.count, sizeof(*a.noise));
	a.jacobian = gsl_matrix_calloc(problem->rows.count, problem->count);
	out->known = !result->interrupted && fill_jacobian(&a);
	if (out->known && a.count) {
		decompose(&a);
		find_directions(&a);
		find_pairs(&a);
	}
	if (out->known) {
		set_intervals(&a);
		out->known = find_helpers(&a);
	}
	free(a.noise);
	gsl_matrix_free(a.jacobian);
	gsl_matrix_free(a.v);
	gsl_vector_free(a.singular);
}
