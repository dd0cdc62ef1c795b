/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How well predictions agree with published values: plain functions of numbers.
 * Published values are positive; predictions are finite.
 */
#ifndef FUTEXSIM_TOOLS_ACCURACY_H
#define FUTEXSIM_TOOLS_ACCURACY_H

#include <stdbool.h>
#include <stddef.h>

struct comparison {
	double published, predicted;
};

/* 100 (predicted / published - 1). */
double error_pct(struct comparison c);

/* Of absolute errors. All zero is "no rows yet"; `mean_pct` is then 0 too. */
struct error_summary {
	size_t rows;
	double sum_pct, mean_pct, worst_pct;
	size_t worst; /* the row that `worst_pct` belongs to, as named to error_add */
};
void error_add(struct error_summary *summary, double error_pct, size_t row);

/* Pairs of rows whose order published values decide, and those predicted otherwise or equal. */
struct rank_summary {
	size_t pairs, inverted;
	size_t worst[2];         /* the inverted pair that published values tell apart best: */
	double worst_difference; /* by so many percent of the smaller one */
};

/* A pair counts if its published values differ by more than `min_pct` of the smaller one. */
struct rank_summary rank_compare(const struct comparison *rows, size_t count, double min_pct);

/* Adds a summary of other pairs; rows of both are named in the same way. */
void rank_add(struct rank_summary *sum, const struct rank_summary *more);

/* Spearman's rank correlation, ties with their mean rank. False: fewer than 2 rows, or all equal.
 */
bool rank_correlation(const struct comparison *rows, size_t count, double *rho);

/*
 * The knee of a curve: the smallest x at which it reaches `share` (0..1) of its
 * largest y, by interpolation of log y over log x. Points are in ascending x; x
 * and y are positive. False: no points, or the first one is above it already.
 */
struct curve_point {
	double x, y;
};
bool curve_knee(const struct curve_point *points, size_t count, double share, double *x);

#endif
