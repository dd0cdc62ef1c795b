/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gsl/gsl_cdf.h>

#include "random.h"
#include "test.h"

/* splitmix64 (Steele, Lea, Flood, OOPSLA 2014); first output for seed 0 as in its reference code.
 */
static void test_mix_is_splitmix64(void **state)
{
	const uint64_t first = 0xe220a8397b1dcdaf;
	uint64_t x = first ^ 0;

	(void)state;
	/* mix(0, owner, purpose) = s(s(s(0) ^ owner) ^ purpose). */
	x += 0x9e3779b97f4a7c15;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	x ^= x >> 31;
	x += 0x9e3779b97f4a7c15;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	x ^= x >> 31;
	assert_true(sim_random_mix(0, 0, 0) == x);
}

static void test_streams_repeat_and_differ(void **state)
{
	gsl_rng *a = sim_random_new(1, 2, SIM_RANDOM_WORKLOAD);
	gsl_rng *same = sim_random_new(1, 2, SIM_RANDOM_WORKLOAD);
	gsl_rng *other[3] = {sim_random_new(2, 2, SIM_RANDOM_WORKLOAD),
			     sim_random_new(1, 3, SIM_RANDOM_WORKLOAD),
			     sim_random_new(1, 2, SIM_RANDOM_TRANSFER)};
	uint32_t equal[3] = {0};

	(void)state;
	for (int i = 0; i < 1000; i++) {
		uint32_t v = sim_random_u32(a);

		assert_int_equal(v, sim_random_u32(same));
		for (int o = 0; o < 3; o++)
			equal[o] += v == sim_random_u32(other[o]);
	}
	for (int o = 0; o < 3; o++) {
		assert_in_range(equal[o], 0, 2);
		gsl_rng_free(other[o]);
	}
	gsl_rng_free(a);
	gsl_rng_free(same);
}

/* The stream's outputs are the high halves of splitmix64's; chi-square over 256 classes. */
static void test_machine_stream(void **state)
{
	struct sim_stream s = {0};
	uint32_t count[256] = {0};
	double chi2 = 0;

	(void)state;
	assert_int_equal(sim_stream_u32(&s), 0xe220a839);
	for (int i = 0; i < 256000; i++)
		count[sim_stream_below(&s, 256)]++;
	for (int c = 0; c < 256; c++)
		chi2 += (count[c] - 1000.0) * (count[c] - 1000.0) / 1000;
	assert_true(gsl_cdf_chisq_Q(chi2, 255) > 0.001 && gsl_cdf_chisq_P(chi2, 255) > 0.001);
}

/* Values of GSL's taus2 seen once: a change of library or seeding would move every result. */
static void test_values_are_fixed(void **state)
{
	gsl_rng *r = sim_random_new(42, 7, SIM_RANDOM_TRANSFER);
	uint32_t v[3];

	(void)state;
	for (int i = 0; i < 3; i++)
		v[i] = sim_random_u32(r);
	assert_int_equal(v[0], 2958072385);
	assert_int_equal(v[1], 1039548112);
	assert_int_equal(v[2], 3652695587);
	gsl_rng_free(r);
}

static void test_below_is_uniform(void **state)
{
	enum { CELLS = 10, DRAWS = 100000 };
	gsl_rng *r = sim_random_new(3, 0, SIM_RANDOM_TEST);
	uint32_t seen[CELLS] = {0};
	double chi = 0;

	(void)state;
	assert_int_equal(sim_random_below(r, 1), 0);
	assert_int_equal(sim_random_below(r, 0), 0);
	for (int i = 0; i < DRAWS; i++)
		seen[sim_random_below(r, CELLS)]++;
	for (int c = 0; c < CELLS; c++) {
		double d = seen[c] - (double)DRAWS / CELLS;

		chi += d * d / ((double)DRAWS / CELLS);
	}
	assert_true(gsl_cdf_chisq_P(chi, CELLS - 1) < 0.999);
	assert_true(gsl_cdf_chisq_P(chi, CELLS - 1) > 0.001);
	gsl_rng_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mix_is_splitmix64),
		cmocka_unit_test(test_streams_repeat_and_differ),
		cmocka_unit_test(test_values_are_fixed),
		cmocka_unit_test(test_machine_stream),
		cmocka_unit_test(test_below_is_uniform),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
