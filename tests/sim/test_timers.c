/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Timers, alone and in runs; CPUs that switch between tasks. */
#include <stdlib.h>

#include "engine.h"
#include "random.h"
#include "test.h"

enum { TIMERS = 500 };

static struct sim_timer timers[TIMERS];
static uint32_t fired[TIMERS], fired_count;
static sim_time times[TIMERS];

/* Added, moved and removed at random, they come out by time, then in order of addition. */
static void test_heap(void **state)
{
	gsl_rng *r = sim_random_new(1, 0, SIM_RANDOM_TEST);
	struct sim_timers t = {0};
	uint32_t pending = 0;

	(void)state;
	for (uint32_t i = 0; i < 20 * TIMERS; i++) {
		struct sim_timer *timer = &timers[sim_random_below(r, TIMERS)];

		pending -= sim_timer_pending(timer);
		if (sim_random_below(r, 3)) {
			assert_true(sim_timers_add(&t, timer, sim_random_below(r, 100)));
			pending++;
		} else {
			sim_timers_remove(&t, timer);
		}
		assert_int_equal(t.count, pending);
		assert_int_equal(t.active, pending);
	}
	for (const struct sim_timer *last = NULL; t.count; pending--) {
		struct sim_timer *timer = sim_timers_first(&t);

		assert_true(!last || timer->at > last->at ||
			    (timer->at == last->at && timer->order > last->order));
		last = timer;
		sim_timers_remove(&t, timer);
		assert_false(sim_timer_pending(timer));
	}
	assert_int_equal(pending, 0);
	sim_timers_clean_up(&t);
	gsl_rng_free(r);
}

static void begin(uint32_t cpus, uint32_t tasks)
{
	const struct sim_config config = {.cpus = cpus,
					  .tasks = tasks,
					  .memory_bytes = 1,
					  .line_size = 64,
					  .nodes = 1,
					  .units = cpus};

	assert_int_equal(sim_engine_init(&config), 0);
	fired_count = 0;
}

static void note(void *arg, sim_time now)
{
	times[fired_count] = now;
	fired[fired_count++] = (uint32_t)(uintptr_t)arg;
}

static void add_two(void *arg, sim_time now)
{
	note(arg, now);
	sim_timer_add(&timers[1], now + 10, note, (void *)1);
	sim_timer_add(&timers[2], now + 10, note, (void *)2);
	sim_timer_add(&timers[1], now + 10, note, (void *)1); /* goes behind */
	sim_timer_cancel(&timers[3]);
}

static void test_timers_of_timers(void **state)
{
	(void)state;
	begin(1, 0);
	sim_timer_add(&timers[3], 200, note, (void *)3);
	sim_timer_add(&timers[0], 100, add_two, (void *)0);
	assert_int_equal(sim_engine_run(), 0);
	assert_int_equal(fired_count, 3);
	assert_int_equal(fired[1], 2);
	assert_int_equal(fired[2], 1);
	assert_int_equal(times[2], 110);
	assert_int_equal(sim.timer_now, 110);
	sim_engine_clean_up();
}

static sim_time woken_at;

static void wake_0(void *arg, sim_time now)
{
	(void)arg;
	sim_wake(0, now + 7);
}

/* The timer it adds lies before its horizon: it may not run ahead of that any more. */
static void sleep_until_woken(void *arg)
{
	(void)arg;
	sim_sync(sim.current, 100);
	sim.current->horizon = 1000;
	sim_timer_add(&timers[0], 150, wake_0, NULL);
	assert_int_equal(sim.current->horizon, 150);
	sim_block(sim.current);
	woken_at = sim.current->now;
}

static void test_a_timer_wakes_a_cpu(void **state)
{
	(void)state;
	begin(1, 0);
	sim_task_start(0, sleep_until_woken, NULL);
	assert_int_equal(sim_engine_run(), 0);
	assert_int_equal(woken_at, 157);
	sim_engine_clean_up();
}

static uint32_t stuck_calls;

static void stuck(void)
{
	stuck_calls++;
}

static void test_stuck_is_told(void **state)
{
	(void)state;
	begin(1, 0);
	stuck_calls = 0;
	sim.stuck = stuck;
	sim_timer_set(50, note, NULL);
	assert_int_equal(sim_engine_run(), 0);
	assert_int_equal(fired_count, 1); /* passive timers run off all the same */
	assert_int_equal(stuck_calls, 2);
	sim_engine_clean_up();
}

/* ---- Tasks and CPUs ------------------------------------------------------------------- */

static struct sim_task *first, *second;
static uint32_t seen[4], seen_count;

static void see(void)
{
	seen[seen_count++] = sim.current->slot * 10 + sim.current->wait_depth;
}

static void on_two_cpus(void *arg)
{
	(void)arg;
	sim.current->wait_depth = 3;
	see();
	sim_task_switch(sim.current, second); /* CPU 1 goes on with this one */
	see();
	assert_int_equal(sim.current->now, 500);
}

static void stays(void *arg)
{
	(void)arg;
	see();
	sim_sync(sim.current, 1000);
}

static void takes_over(void *arg)
{
	(void)arg;
	sim_sync(sim.current, 500);
	see();
	sim_task_switch(sim.current, first);
}

static void test_a_task_changes_cpus(void **state)
{
	static const uint32_t expected[] = {3, 0, 10, 13};

	(void)state;
	begin(2, 3);
	seen_count = 0;
	first = sim_task_create(on_two_cpus, NULL);
	second = sim_task_create(stays, NULL);
	sim_task_place(0, first, 0);
	sim_task_start(1, takes_over, NULL);
	assert_int_equal(sim_engine_run(), 0);
	assert_int_equal(seen_count, 4);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(seen[i], expected[i]);
	assert_int_equal(sim.cpus[0].now, 1000);
	sim_engine_clean_up();
}

static void create_many(void *arg)
{
	uint32_t tasks = *(const uint32_t *)arg;
	struct sim_task *task = NULL;

	for (uint32_t i = 0; i < 100; i++) {
		task = sim_task_create(stays, NULL);
		sim_task_destroy(task);
	}
	for (uint32_t i = 0; i < tasks; i++)
		sim_task_create(stays, NULL);
}

static void test_stacks_are_used_again(void **state)
{
	uint32_t tasks = 6; /* 5 and one for the slot */

	(void)state;
	begin(1, 5);
	assert_int_equal(sim_protect(create_many, &tasks), 0);
	sim_engine_clean_up();
	tasks = 7;
	begin(1, 5);
	assert_int_equal(sim_protect(create_many, &tasks), -1);
	assert_string_equal(sim.failure, "more than 5 tasks at one time");
	sim_engine_clean_up();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heap),
		cmocka_unit_test(test_timers_of_timers),
		cmocka_unit_test(test_a_timer_wakes_a_cpu),
		cmocka_unit_test(test_stuck_is_told),
		cmocka_unit_test(test_a_task_changes_cpus),
		cmocka_unit_test(test_stacks_are_used_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
