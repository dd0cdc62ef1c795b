/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Order of events, timers, failures; no machine model, only sim_sync, sim_block and sim_wake. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "random.h"
#include "test.h"

enum { LOG = 1 << 17, TIMER = 1 << 20 };

static struct entry {
	sim_time time;
	uint32_t slot;
} event_log[LOG];
static uint32_t logged;

static void begin(uint32_t cpus)
{
	const struct sim_config config = {
		.cpus = cpus, .memory_bytes = 1, .line_size = 64, .nodes = 1, .units = cpus};

	assert_int_equal(sim_engine_init(&config), 0);
	logged = 0;
}

static void note(uint32_t slot, sim_time time)
{
	if (logged < LOG)
		event_log[logged++] = (struct entry){time, slot};
}

static gsl_rng *random_source;

static void wander(void *arg)
{
	uint32_t steps = *(const uint32_t *)arg;

	for (uint32_t i = 0; i < steps; i++) {
		struct sim_cpu *cpu = sim.current;

		sim_sync(cpu, cpu->now + sim_random_below(random_source, 50));
		note(cpu->slot, cpu->now);
	}
}

static bool in_order(void)
{
	for (uint32_t i = 1; i < logged; i++) {
		const struct entry *a = &event_log[i - 1], *b = &event_log[i];

		if (b->time < a->time)
			return false;
	}
	return true;
}

/*
 * After an event of (t, slot) the next one is (t, higher slot) or later, unless
 * the same CPU or a lower one asked for time t again after that.
 */
static void run_wanderers(uint32_t cpus, uint32_t steps)
{
	random_source = sim_random_new(cpus, 0, SIM_RANDOM_TEST);
	begin(cpus);
	for (uint32_t s = 0; s < cpus; s++)
		sim_task_start(s, wander, &steps);
	assert_int_equal(sim_engine_run(), 0);
	assert_int_equal(logged, cpus * steps);
	assert_true(in_order());
	for (uint32_t s = 0; s < cpus; s++)
		assert_true(sim_queue_leaf(&sim.queue, s) == SIM_NEVER);
	sim_engine_clean_up();
	gsl_rng_free(random_source);
}

static void test_events_are_in_order_of_time(void **state)
{
	(void)state;
	run_wanderers(1, 100);
	run_wanderers(2, 1000);
	run_wanderers(3, 1000);
	run_wanderers(80, 1000);
	run_wanderers(SIM_CPUS_MAX, 20);
}

static void three_times(void *arg)
{
	(void)arg;
	for (int i = 1; i <= 3; i++) {
		sim_sync(sim.current, (sim_time)i * 100);
		note(sim.current->slot, sim.current->now);
	}
}

static void test_ties_run_in_order_of_slot(void **state)
{
	(void)state;
	begin(50);
	for (uint32_t s = 50; s-- > 0;)
		sim_task_start(s, three_times, NULL);
	assert_int_equal(sim_engine_run(), 0);
	assert_int_equal(logged, 150);
	for (uint32_t i = 0; i < logged; i++) {
		assert_int_equal(event_log[i].time, (i / 50 + 1) * 100);
		assert_int_equal(event_log[i].slot, i % 50);
	}
	sim_engine_clean_up();
}

/* ---- Timers -------------------------------------------------------------------- */

static void tick(void *arg, sim_time now)
{
	note(TIMER, now);
	assert_null(sim.current);
	if (now < 300)
		sim_timer_set(now + 50, tick, arg);
}

static void test_timers_come_first(void **state)
{
	static const struct entry expected[] = {
		{50, TIMER}, {100, TIMER}, {100, 0},     {100, 1},     {150, TIMER}, {200, TIMER},
		{200, 0},    {200, 1},     {250, TIMER}, {300, TIMER}, {300, 0},     {300, 1},
	};

	(void)state;
	begin(2);
	sim_task_start(0, three_times, NULL);
	sim_task_start(1, three_times, NULL);
	sim_timer_set(50, tick, NULL);
	assert_int_equal(sim_engine_run(), 0);
	assert_int_equal(logged, sizeof(expected) / sizeof(expected[0]));
	for (uint32_t i = 0; i < logged; i++) {
		assert_int_equal(event_log[i].time, expected[i].time);
		assert_int_equal(event_log[i].slot, expected[i].slot);
	}
	sim_engine_clean_up();
}

static void stop_now(void *arg, sim_time now)
{
	(void)arg;
	note(TIMER, now);
	sim_stop();
}

static void for_ever(void *arg)
{
	(void)arg;
	for (;;)
		sim_sync(sim.current, sim.current->now + 7);
}

static void test_stop_from_a_timer(void **state)
{
	(void)state;
	begin(3);
	for (uint32_t s = 0; s < 3; s++)
		sim_task_start(s, for_ever, NULL);
	sim_timer_set(1000, stop_now, NULL);
	assert_int_equal(sim_engine_run(), 0);
	assert_int_equal(logged, 1);
	for (uint32_t s = 0; s < 3; s++) {
		assert_true(sim.cpus[s].now < 1000);
		assert_true(sim_key_time(sim_queue_leaf(&sim.queue, s)) >= 1000);
	}
	sim_engine_clean_up();
}

static void test_timer_without_tasks(void **state)
{
	(void)state;
	begin(1);
	sim_timer_set(250, tick, NULL);
	assert_int_equal(sim_engine_run(), 0);
	assert_int_equal(logged, 2);
	sim_engine_clean_up();
}

/* ---- Blocking ------------------------------------------------------------------- */

static void sleeper(void *arg)
{
	(void)arg;
	sim_block(sim.current);
	note(sim.current->slot, sim.current->now);
}

static void waker(void *arg)
{
	uint32_t sleepers = *(const uint32_t *)arg;

	sim_sync(sim.current, 1000);
	/* Later ones are woken to earlier times. */
	for (uint32_t s = 1; s <= sleepers; s++)
		sim_wake(s, 2000 - s);
	sim_sync(sim.current, 1990);
	note(0, sim.current->now);
}

static void test_block_and_wake(void **state)
{
	static const struct entry expected[] = {{1980, 20}, {1981, 19}, {1982, 18}};
	uint32_t sleepers = 20;

	(void)state;
	begin(sleepers + 1);
	sim_task_start(0, waker, &sleepers);
	for (uint32_t s = 1; s <= sleepers; s++)
		sim_task_start(s, sleeper, NULL);
	assert_int_equal(sim_engine_run(), 0);
	assert_int_equal(logged, sleepers + 1);
	assert_true(in_order());
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(event_log[i].time, expected[i].time);
		assert_int_equal(event_log[i].slot, expected[i].slot);
	}
	/* Time 1990 belongs to CPU 0 first, then to sleeper 10. */
	assert_int_equal(event_log[10].slot, 0);
	assert_int_equal(event_log[11].slot, 10);
	sim_engine_clean_up();
}

static void test_run_ends_when_all_block(void **state)
{
	(void)state;
	begin(5);
	for (uint32_t s = 0; s < 5; s++)
		sim_task_start(s, sleeper, NULL);
	assert_int_equal(sim_engine_run(), 0);
	assert_int_equal(logged, 0);
	assert_true(sim_queue_root(&sim.queue) == SIM_NEVER);
	sim_engine_clean_up();
}

/* ---- How far a CPU may run ahead -------------------------------------------------- */

static sim_time horizon_seen[2];

static void look(void *arg)
{
	(void)arg;
	sim_sync(sim.current, 100);
	horizon_seen[0] = sim.current->horizon;
	sim_wake(1, 150);
	horizon_seen[1] = sim.current->horizon;
}

static void at_500(void *arg)
{
	(void)arg;
	sim_sync(sim.current, 500);
}

static void horizons(bool reference, uint16_t unit_of_1)
{
	const struct sim_config config = {.cpus = 3,
					  .memory_bytes = 1,
					  .line_size = 64,
					  .nodes = 1,
					  .units = 3,
					  .lead = 40,
					  .lead_sibling = 10,
					  .reference = reference};

	assert_int_equal(sim_engine_init(&config), 0);
	sim.cpus[1].unit = unit_of_1;
	sim_task_start(0, look, NULL);
	sim_task_start(1, sleeper, NULL);
	sim_task_start(2, at_500, NULL);
	assert_int_equal(sim_engine_run(), 0);
	sim_engine_clean_up();
}

static void test_horizon(void **state)
{
	(void)state;
	horizons(false, 1);
	assert_int_equal(horizon_seen[0], 540);
	assert_int_equal(horizon_seen[1], 190);
	horizons(false, 0);
	assert_int_equal(horizon_seen[1], 160);
	horizons(true, 1);
	assert_int_equal(horizon_seen[0], 0);
	assert_int_equal(horizon_seen[1], 0);
}

/* ---- Failures ---------------------------------------------------------------------- */

static void failing_task(void *arg)
{
	(void)arg;
	sim_sync(sim.current, 10);
	sim_fail("task %d failed", 17);
}

static void test_failure_in_a_task(void **state)
{
	(void)state;
	begin(3);
	sim_task_start(0, for_ever, NULL);
	sim_task_start(1, failing_task, NULL);
	sim_task_start(2, for_ever, NULL);
	assert_int_equal(sim_engine_run(), -1);
	assert_string_equal(sim.failure, "task 17 failed");
	assert_true(sim.cpus[0].now <= 10);
	sim_engine_clean_up();
}

static void failing_timer(void *arg, sim_time now)
{
	(void)arg;
	sim_fail("at %llu", (unsigned long long)now);
}

static void test_failure_in_a_timer(void **state)
{
	(void)state;
	begin(1);
	sim_task_start(0, for_ever, NULL);
	sim_timer_set(77, failing_timer, NULL);
	assert_int_equal(sim_engine_run(), -1);
	assert_string_equal(sim.failure, "at 77");
	sim_engine_clean_up();
}

static void failing_setup(void *arg)
{
	*(bool *)arg = true;
	sim_fail("no such node");
}

static void good_setup(void *arg)
{
	*(bool *)arg = true;
}

static void test_protect(void **state)
{
	bool reached = false;

	(void)state;
	begin(1);
	assert_int_equal(sim_protect(good_setup, &reached), 0);
	assert_true(reached);
	reached = false;
	assert_int_equal(sim_protect(failing_setup, &reached), -1);
	assert_true(reached);
	assert_string_equal(sim.failure, "no such node");
	sim_engine_clean_up();
}

/* The text of a very long failure is cut, not overrun. */
static void long_failure(void *arg)
{
	(void)arg;
	sim_fail("%02999d", 0);
}

static void test_long_failure(void **state)
{
	(void)state;
	begin(1);
	assert_int_equal(sim_protect(long_failure, NULL), -1);
	assert_int_equal(strlen(sim.failure), sizeof(sim.failure_text) - 1);
	sim_engine_clean_up();
}

/* What a recursion leaves behind that used the whole stack and no more. */
static void overrun(void *arg)
{
	struct coro *self = &sim.current->task->coro;

	(void)arg;
	memset(self->stack, 0x11, 64);
	sim_sync(sim.current, 20);
}

static void test_stack_overrun_is_reported(void **state)
{
	(void)state;
	begin(2);
	sim_task_start(0, three_times, NULL);
	sim_task_start(1, overrun, NULL);
	assert_int_equal(sim_engine_run(), -1);
	assert_string_equal(sim.failure, "a task overran its stack");
	sim_engine_clean_up();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events_are_in_order_of_time),
		cmocka_unit_test(test_ties_run_in_order_of_slot),
		cmocka_unit_test(test_timers_come_first),
		cmocka_unit_test(test_stop_from_a_timer),
		cmocka_unit_test(test_timer_without_tasks),
		cmocka_unit_test(test_block_and_wake),
		cmocka_unit_test(test_run_ends_when_all_block),
		cmocka_unit_test(test_horizon),
		cmocka_unit_test(test_failure_in_a_task),
		cmocka_unit_test(test_failure_in_a_timer),
		cmocka_unit_test(test_protect),
		cmocka_unit_test(test_long_failure),
		cmocka_unit_test(test_stack_overrun_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
