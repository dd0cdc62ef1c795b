// SPDX-License-Identifier: GPL-3.0-or-later
#include "accuracy.h"

#include <assert.h>
#include <math.h>

double error_pct(struct comparison c)
{
	assert(c.published > 0);
	return 100 * (c.predicted / c.published - 1);
}

void error_add(struct error_summary *s, double error_pct, size_t row)
{
	double size = fabs(error_pct);

	if (s->rows == 0 || size > s->worst_pct) {
		s->worst_pct = size;
		s->worst = row;
	}
	s->rows++;
	s->sum_pct += size;
	s->mean_pct = s->sum_pct / (double)s->rows;
}

static double difference_pct(double a, double b)
{
	return 100 * fabs(a - b) / fmin(a, b);
}

static bool same_order(struct comparison a, struct comparison b)
{
	return a.published > b.published ? a.predicted > b.predicted : a.predicted < b.predicted;
}

static void compare_pair(struct rank_summary *s, const struct comparison *rows, size_t i, size_t j,
			 double min_pct)
{
	double difference = difference_pct(rows[i].published, rows[j].published);

	if (difference <= min_pct)
		return;
	s->pairs++;
	if (same_order(rows[i], rows[j]))
		return;
	s->inverted++;
	if (difference <= s->worst_difference)
		return;
	s->worst_difference = difference;
	s->worst[0] = i;
	s->worst[1] = j;
}

struct rank_summary rank_compare(const struct comparison *rows, size_t count, double min_pct)
{
	struct rank_summary s = {0};

	for (size_t i = 0; i < count; i++)
		for (size_t j = i + 1; j < count; j++)
			compare_pair(&s, rows, i, j, min_pct);
	return s;
}

void rank_add(struct rank_summary *sum, const struct rank_summary *more)
{
	sum->pairs += more->pairs;
	sum->inverted += more->inverted;
	if (more->worst_difference <= sum->worst_difference)
		return;
	sum->worst_difference = more->worst_difference;
	sum->worst[0] = more->worst[0];
	sum->worst[1] = more->worst[1];
}

/* Rank of row i, 1 for the smallest; ties share the mean of their ranks. */
static double rank_of(const struct comparison *rows, size_t count, size_t i, bool predicted)
{
	double mine = predicted ? rows[i].predicted : rows[i].published;
	size_t below = 0, equal = 0;

	for (size_t j = 0; j < count; j++) {
		double other = predicted ? rows[j].predicted : rows[j].published;

		below += other < mine;
		equal += other == mine;
	}
	return (double)below + (double)(equal + 1) / 2;
}

bool rank_correlation(const struct comparison *rows, size_t count, double *rho)
{
	double middle = (double)(count + 1) / 2, xy = 0, xx = 0, yy = 0;

	for (size_t i = 0; i < count; i++) {
		double x = rank_of(rows, count, i, false) - middle;
		double y = rank_of(rows, count, i, true) - middle;

		xy += x * y;
		xx += x * x;
		yy += y * y;
	}
	if (xx == 0 || yy == 0)
		return false;
	*rho = xy / sqrt(xx * yy);
	return true;
}

static double interpolate(struct curve_point a, struct curve_point b, double y)
{
	double share = (log2(y) - log2(a.y)) / (log2(b.y) - log2(a.y));

	return exp2(log2(a.x) + share * (log2(b.x) - log2(a.x)));
}

bool curve_knee(const struct curve_point *points, size_t count, double share, double *x)
{
	double top = 0, level;
	size_t i = 0;

	for (size_t k = 0; k < count; k++)
		top = fmax(top, points[k].y);
	level = share * top;
	while (i < count && points[i].y < level)
		i++;
	if (i == 0 || i == count)
		return false;
	*x = interpolate(points[i - 1], points[i], level);
	return true;
}
