/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets of units against arrays of booleans, inline and pooled. */
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "sharers.h"
#include "test.h"

enum { SETS = 150 }; /* more than the pool starts with */

static void same_as_model(struct sharers_pool *pool, struct sharers *s, const bool *model,
			  uint32_t units)
{
	uint64_t *words = sharers_words(pool, s);

	for (uint32_t u = 0; u < units; u++) {
		assert_int_equal(sharers_has(pool, s, u), model[u]);
		assert_int_equal(words ? words[u / 64] >> (u % 64) & 1 : 0, model[u]);
	}
}

static void random_sets(uint32_t units)
{
	gsl_rng *r = sim_random_new(units, 0, SIM_RANDOM_TEST);
	struct sharers *set = calloc(SETS, sizeof(*set));
	bool *model = calloc((size_t)SETS * units, sizeof(*model));
	struct sharers_pool pool;

	assert_int_equal(sharers_pool_init(&pool, units), 0);
	for (uint32_t i = 0; i < 4000; i++) {
		uint32_t s = (uint32_t)sim_random_below(r, SETS);
		uint32_t unit = (uint32_t)sim_random_below(r, units);

		if (sim_random_below(r, 10)) {
			assert_true(sharers_add(&pool, &set[s], unit));
			model[(size_t)s * units + unit] = true;
		} else {
			sharers_clear(&pool, &set[s]);
			memset(model + (size_t)s * units, 0, units * sizeof(*model));
		}
		assert_int_equal(sharers_has(&pool, &set[s], unit),
				 model[(size_t)s * units + unit]);
	}
	for (uint32_t s = 0; s < SETS; s++)
		same_as_model(&pool, &set[s], model + (size_t)s * units, units);
	sharers_pool_clean_up(&pool);
	free(set);
	free(model);
	gsl_rng_free(r);
}

static void test_inline(void **state)
{
	(void)state;
	random_sets(1);
	random_sets(64);
	random_sets(65);
	random_sets(SHARERS_INLINE);
}

static void test_pooled(void **state)
{
	(void)state;
	random_sets(SHARERS_INLINE + 1);
	random_sets(1000);
	random_sets(SIM_CPUS_MAX);
}

static void test_cleared_bitmaps_are_used_again(void **state)
{
	struct sharers_pool pool;
	struct sharers s = {{0}};
	uint32_t capacity;

	(void)state;
	assert_int_equal(sharers_pool_init(&pool, SIM_CPUS_MAX), 0);
	assert_null(sharers_words(&pool, &s));
	assert_false(sharers_has(&pool, &s, 5));
	assert_true(sharers_add(&pool, &s, 5));
	capacity = pool.capacity;
	for (uint32_t i = 0; i < 10 * capacity; i++) {
		sharers_clear(&pool, &s);
		assert_null(sharers_words(&pool, &s));
		assert_true(sharers_add(&pool, &s, 7));
		assert_false(sharers_has(&pool, &s, 5));
	}
	assert_int_equal(pool.capacity, capacity);
	sharers_pool_clean_up(&pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_inline),
		cmocka_unit_test(test_pooled),
		cmocka_unit_test(test_cleared_bitmaps_are_used_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
