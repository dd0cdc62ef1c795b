/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quantiles of the histogram against the sorted values. */
#include <stdlib.h>

#include "../sim/test.h"
#include "os/latency.h"
#include "random.h"

static struct latency_histogram h;

static void test_empty(void **state)
{
	(void)state;
	latency_reset(&h);
	assert_int_equal(latency_quantile(&h, 0), 0);
	assert_int_equal(latency_quantile(&h, 500), 0);
	assert_int_equal(latency_quantile(&h, 1000), 0);
}

static void test_one_value(void **state)
{
	(void)state;
	for (sim_time t = 1; t < (sim_time)1 << 62; t = t * 3 + 1) {
		latency_reset(&h);
		latency_add(&h, t);
		assert_true(latency_quantile(&h, 0) == t);
		assert_true(latency_quantile(&h, 500) == t);
		assert_true(latency_quantile(&h, 1000) == t);
	}
}

/* Buckets ascend without gaps, each at most 1/32 wide. */
static void test_buckets(void **state)
{
	uint32_t last = latency_bucket(0);

	(void)state;
	for (sim_time t = 1; t < 100000; t++) {
		uint32_t bucket = latency_bucket(t);

		assert_in_range(bucket, last, last + 1);
		last = bucket;
	}
	for (uint32_t shift = 0; shift < 63; shift++) {
		sim_time t = (sim_time)1 << shift;

		assert_in_range(latency_bucket(t), 0, LATENCY_BUCKETS - 1);
		assert_in_range(latency_bucket(2 * t - 1), 0, LATENCY_BUCKETS - 1);
		if (t > 64) {
			assert_true(latency_bucket(t) != latency_bucket(t - 1));
			assert_true(latency_bucket(t) != latency_bucket(t + t / 32));
		}
	}
}

static int ascending(const void *a, const void *b)
{
	const sim_time *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void test_quantiles(void **state)
{
	enum { VALUES = 20000 };
	static const uint32_t per_mille[] = {1, 10, 250, 500, 900, 990, 999, 1000};
	gsl_rng *r = sim_random_new(1, 0, SIM_RANDOM_TEST);
	sim_time *v = malloc(VALUES * sizeof(*v));

	(void)state;
	latency_reset(&h);
	for (uint32_t i = 0; i < VALUES; i++) {
		v[i] = (1 + sim_random_below(r, 1000000)) << sim_random_below(r, 20);
		latency_add(&h, v[i]);
	}
	qsort(v, VALUES, sizeof(*v), ascending);
	for (uint32_t q = 0; q < sizeof(per_mille) / sizeof(per_mille[0]); q++) {
		sim_time exact = v[VALUES / 1000 * per_mille[q] - 1];
		sim_time found = latency_quantile(&h, per_mille[q]);

		assert_true(found >= exact);
		assert_true(found - exact <= exact / 32);
	}
	assert_true(latency_quantile(&h, 1000) == v[VALUES - 1]);
	free(v);
	gsl_rng_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_one_value),
		cmocka_unit_test(test_buckets),
		cmocka_unit_test(test_quantiles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
