/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Batch means over counts of equal intervals. When all batches are full,
 * neighbours merge and the batch length doubles, so memory is constant and
 * batches become long against any correlation. Decisions use integer sums and
 * IEEE + - * / sqrt only, so every host stops at the same point.
 */
#ifndef FUTEXSIM_SIM_STATISTICS_H
#define FUTEXSIM_SIM_STATISTICS_H

#include <stdbool.h>
#include <stdint.h>

enum { BATCHES_MIN = 40, BATCHES_MAX = 80 };

struct batch_means {
	uint64_t batch[BATCHES_MAX]; /* events per complete batch */
	uint32_t count;
	uint32_t intervals; /* base intervals per batch, a power of two */
	uint32_t filled;    /* base intervals in the batch being filled */
	uint64_t filling;
};

void batch_means_init(struct batch_means *b);
/* One more interval saw `events`. */
void batch_means_add(struct batch_means *b, uint64_t events);

struct estimate {
	double mean;       /* events per base interval */
	double half_width; /* of the confidence interval, same unit */
	double lag1;       /* correlation of neighbouring batches */
	uint32_t batches;
};

/*
 * Mean and confidence interval (Student's t over the complete batches, the
 * variance corrected for first-order correlation). Needs two batches.
 */
struct estimate batch_means_estimate(const struct batch_means *b, double confidence);

/*
 * True when the interval's half width is at most `precision` of the mean and
 * the batches look independent; looked at only at 40, 50, ... complete batches,
 * as testing at every batch would stop on lucky streaks.
 */
bool batch_means_precise(const struct batch_means *b, double precision, double confidence);

/* Student's t quantile for a two-sided interval, rounded to 4 decimals. */
double student_t(double confidence, uint32_t degrees);

#endif
