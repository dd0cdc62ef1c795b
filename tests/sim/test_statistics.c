/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>

#include "random.h"
#include "statistics.h"
#include "test.h"

static void assert_close(double a, double b, double tolerance)
{
	if (!(fabs(a - b) <= tolerance))
		fail_msg("%.9g is not %.9g", a, b);
}

/* NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2, two-sided. */
static void test_student_t(void **state)
{
	(void)state;
	assert_close(student_t(0.95, 1), 12.706, 0.0005);
	assert_close(student_t(0.95, 10), 2.228, 0.0005);
	assert_close(student_t(0.95, 39), 2.023, 0.0005);
	assert_close(student_t(0.95, 79), 1.990, 0.0005);
	assert_close(student_t(0.90, 30), 1.697, 0.0005);
	assert_close(student_t(0.99, 60), 2.660, 0.0005);
	/* Rounded, so that the last digits of the library cannot decide. */
	assert_close(student_t(0.95, 39) * 10000, floor(student_t(0.95, 39) * 10000 + 0.5), 1e-9);
}

/* Batches are sums of consecutive intervals at every moment, however often they merged. */
static void test_merging_loses_nothing(void **state)
{
	enum { INTERVALS = 5000 };
	gsl_rng *r = sim_random_new(1, 0, SIM_RANDOM_TEST);
	uint64_t *events = calloc(INTERVALS, sizeof(*events));
	struct batch_means b;

	(void)state;
	batch_means_init(&b);
	for (uint32_t i = 0; i < INTERVALS; i++) {
		events[i] = sim_random_below(r, 1000);
		batch_means_add(&b, events[i]);
		assert_int_equal(b.count * b.intervals + b.filled, i + 1);
		assert_in_range(b.count, i + 1 < BATCHES_MIN ? i + 1 : BATCHES_MIN, BATCHES_MAX);
		for (uint32_t n = 0; n < b.count; n++) {
			uint64_t sum = 0;

			for (uint32_t j = 0; j < b.intervals; j++)
				sum += events[n * b.intervals + j];
			assert_int_equal(b.batch[n], sum);
		}
	}
	free(events);
	gsl_rng_free(r);
}

static void test_estimate_of_few_numbers(void **state)
{
	struct batch_means b;
	struct estimate e;

	(void)state;
	batch_means_init(&b);
	e = batch_means_estimate(&b, 0.95);
	assert_int_equal(e.batches, 0);
	for (uint32_t i = 0; i < 4; i++)
		batch_means_add(&b, 10 + 2 * (i % 2)); /* 10 12 10 12 */
	e = batch_means_estimate(&b, 0.95);
	assert_int_equal(e.batches, 4);
	assert_close(e.mean, 11, 1e-12);
	assert_close(e.lag1, -0.75, 1e-12);
	assert_true(e.half_width > 0);
}

/* Equal batches: no doubt about the mean. */
static void test_constant(void **state)
{
	struct batch_means b;

	(void)state;
	batch_means_init(&b);
	for (uint32_t i = 0; i < BATCHES_MIN; i++)
		batch_means_add(&b, 7);
	assert_close(batch_means_estimate(&b, 0.95).mean, 7, 1e-12);
	assert_close(batch_means_estimate(&b, 0.95).half_width, 0, 1e-12);
	assert_true(batch_means_precise(&b, 1e-6, 0.95));
}

static void test_stops_only_at_full_tens(void **state)
{
	struct batch_means b;

	(void)state;
	batch_means_init(&b);
	for (uint32_t i = 0; i < 400; i++) {
		bool may;

		batch_means_add(&b, 5);
		may = b.count >= BATCHES_MIN && b.count % 10 == 0 && b.filled == 0;
		assert_int_equal(batch_means_precise(&b, 0.01, 0.95), may);
	}
	/* Nothing counted is not precise, however constant. */
	batch_means_init(&b);
	for (uint32_t i = 0; i < BATCHES_MIN; i++)
		batch_means_add(&b, 0);
	assert_false(batch_means_precise(&b, 0.01, 0.95));
}

/* Fills with values 1000 + 50 x, x a first-order process with correlation rho. */
static void fill(struct batch_means *b, gsl_rng *r, double rho, uint32_t count)
{
	double x = gsl_ran_gaussian(r, 1);

	batch_means_init(b);
	for (uint32_t i = 0; i < count; i++) {
		x = rho * x + sqrt(1 - rho * rho) * gsl_ran_gaussian(r, 1);
		batch_means_add(b, (uint64_t)(1000 + 50 * x + 0.5));
	}
}

/* Coverage of a fixed number of batches, independent and correlated. */
static uint32_t covered(double rho, uint32_t count)
{
	gsl_rng *r = sim_random_new(5, count, SIM_RANDOM_TEST);
	uint32_t hits = 0;

	for (uint32_t run = 0; run < 1000; run++) {
		struct batch_means b;
		struct estimate e;

		fill(&b, r, rho, count);
		e = batch_means_estimate(&b, 0.95);
		hits += fabs(e.mean - 1000) <= e.half_width;
	}
	gsl_rng_free(r);
	return hits;
}

static void test_intervals_cover(void **state)
{
	(void)state;
	assert_in_range(covered(0, 40), 925, 975);
	assert_in_range(covered(0, 80), 925, 975);
	assert_in_range(covered(0.3, 80), 910, 975);
	assert_in_range(covered(-0.3, 80), 925, 990);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_student_t),
		cmocka_unit_test(test_merging_loses_nothing),
		cmocka_unit_test(test_estimate_of_few_numbers),
		cmocka_unit_test(test_constant),
		cmocka_unit_test(test_stops_only_at_full_tens),
		cmocka_unit_test(test_intervals_cover),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
