/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The winner tree against a plain array, over random holds. */
#include <stdlib.h>

#include "queue.h"
#include "random.h"
#include "test.h"

static uint64_t least(const uint64_t *key, uint32_t slots, uint32_t except)
{
	uint64_t least_key = SIM_NEVER;

	for (uint32_t s = 0; s < slots; s++)
		if (s != except && key[s] < least_key)
			least_key = key[s];
	return least_key;
}

/* Few distinct times, so that ties are common; now and then a slot leaves. */
static uint64_t random_key(gsl_rng *r, uint32_t slot, sim_time now)
{
	if (sim_random_below(r, 8) == 0)
		return SIM_NEVER;
	return sim_key(now + sim_random_below(r, 4), slot);
}

/* Either way, where both are allowed. */
static void set(struct sim_queue *q, gsl_rng *r, uint32_t slot, uint64_t key)
{
	if (key <= sim_queue_leaf(q, slot) && sim_random_below(r, 2))
		sim_queue_advance(q, slot, key);
	else
		assert_true(sim_queue_set(q, slot, key) == sim_queue_root(q));
}

static void hold(uint32_t slots, uint32_t steps)
{
	gsl_rng *r = sim_random_new(slots, 0, SIM_RANDOM_TEST);
	uint64_t *model = malloc(slots * sizeof(*model));
	struct sim_queue q;
	sim_time now = 0;

	assert_int_equal(sim_queue_init(&q, slots), 0);
	for (uint32_t s = 0; s < slots; s++)
		model[s] = SIM_NEVER;
	assert_true(sim_queue_root(&q) == SIM_NEVER);
	for (uint32_t i = 0; i < steps; i++) {
		uint64_t root = sim_queue_root(&q);
		uint32_t slot = (uint32_t)sim_random_below(r, slots);

		if (root != SIM_NEVER && sim_random_below(r, 2)) {
			slot = sim_key_slot(root);
			now = sim_key_time(root);
		}
		model[slot] = random_key(r, slot, now);
		set(&q, r, slot, model[slot]);
		assert_true(sim_queue_root(&q) == least(model, slots, UINT32_MAX));
		assert_true(sim_queue_others(&q, slot) == least(model, slots, slot));
		assert_true(sim_queue_leaf(&q, slot) == model[slot]);
	}
	sim_queue_clean_up(&q);
	assert_null(q.node);
	free(model);
	gsl_rng_free(r);
}

static void test_random_holds(void **state)
{
	(void)state;
	for (uint32_t slots = 1; slots <= 40; slots++)
		hold(slots, 2000);
	hold(63, 2000);
	hold(64, 2000);
	hold(65, 2000);
	hold(1024, 2000);
	hold(SIM_CPUS_MAX, 1000);
}

static void test_ties_go_to_the_lower_slot(void **state)
{
	struct sim_queue q;

	(void)state;
	assert_int_equal(sim_queue_init(&q, 100), 0);
	for (uint32_t s = 100; s-- > 0;)
		sim_queue_set(&q, s, sim_key(7, s));
	for (uint32_t s = 0; s < 100; s++) {
		assert_int_equal(sim_key_slot(sim_queue_root(&q)), s);
		assert_int_equal(sim_key_time(sim_queue_root(&q)), 7);
		sim_queue_set(&q, s, SIM_NEVER);
	}
	assert_true(sim_queue_root(&q) == SIM_NEVER);
	sim_queue_clean_up(&q);
}

static void test_time_comes_before_slot(void **state)
{
	(void)state;
	assert_true(sim_key(1, SIM_CPUS_MAX - 1) < sim_key(2, 0));
	assert_true(sim_key(SIM_TIME_MAX - 2, SIM_CPUS_MAX - 1) < SIM_NEVER);
	assert_int_equal(sim_key_time(sim_key(SIM_TIME_MAX - 1, 0)), SIM_TIME_MAX - 1);
	assert_int_equal(sim_key_slot(sim_key(5, SIM_CPUS_MAX - 1)), SIM_CPUS_MAX - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_holds),
		cmocka_unit_test(test_ties_go_to_the_lower_slot),
		cmocka_unit_test(test_time_comes_before_slot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
