/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "statistics.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

enum { CHECK_STEP = 10 };

void batch_means_init(struct batch_means *b)
{
	memset(b, 0, sizeof(*b));
	b->intervals = 1;
}

static void merge_neighbours(struct batch_means *b)
{
	for (uint32_t i = 0; i < BATCHES_MAX / 2; i++)
		b->batch[i] = b->batch[2 * i] + b->batch[2 * i + 1];
	b->count = BATCHES_MAX / 2;
	b->intervals *= 2;
}

void batch_means_add(struct batch_means *b, uint64_t events)
{
	if (b->count == BATCHES_MAX)
		merge_neighbours(b);
	b->filling += events;
	if (++b->filled < b->intervals)
		return;
	b->batch[b->count++] = b->filling;
	b->filling = 0;
	b->filled = 0;
}

double student_t(double confidence, uint32_t degrees)
{
	/* The last digits of the library's quantile may differ between hosts. */
	return floor(gsl_cdf_tdist_Pinv(0.5 + confidence / 2, degrees) * 10000 + 0.5) / 10000;
}

static double mean_of(const struct batch_means *b)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < b->count; i++)
		sum += b->batch[i];
	return (double)sum / b->count;
}

/*
 * A first-order autoregressive process with correlation r has a mean whose
 * variance is (1 + r) / (1 - r) times that of independent batches.
 */
static double correlation_factor(double r)
{
	double bounded = r > 0.6 ? 0.6 : r < -0.4 ? -0.4 : r;

	return (1 + bounded) / (1 - bounded);
}

struct estimate batch_means_estimate(const struct batch_means *b, double confidence)
{
	struct estimate e = {.batches = b->count};
	double mean, squares = 0, products = 0, variance;

	if (b->count < 2)
		return e;
	mean = mean_of(b);
	for (uint32_t i = 0; i < b->count; i++) {
		double d = (double)b->batch[i] - mean;

		squares += d * d;
		if (i)
			products += d * ((double)b->batch[i - 1] - mean);
	}
	e.lag1 = squares > 0 ? products / squares : 0;
	variance = squares / (b->count - 1) * correlation_factor(e.lag1);
	e.mean = mean / b->intervals;
	e.half_width =
		student_t(confidence, b->count - 1) * sqrt(variance / b->count) / b->intervals;
	return e;
}

bool batch_means_precise(const struct batch_means *b, double precision, double confidence)
{
	struct estimate e;

	if (b->count < BATCHES_MIN || b->filled || b->count % CHECK_STEP)
		return false;
	e = batch_means_estimate(b, confidence);
	return e.mean > 0 && e.half_width <= precision * e.mean && e.lag1 * e.lag1 * b->count < 9;
}
