/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Errors with memory name the object, the times, and the calls that led to both events. */
#include <string.h>

#include "../sim/instrumented.h"
#include "../sim/test.h"
#include "os_rig.h"

static const struct plat_type thing = {"thing", PLAT_CAT_OTHER, 0, NULL};
static void *shared;

/* As the compiler's instrumentation would: entries and exits are reported. */
void give_back(void *p);
void clean_up_all(void *p);
void drop_later(void *p);
void *make_thing(void);
void wait_for_word(_Atomic(uint32_t) *word);

PLAT_FN void give_back(void *p)
{
	futexsim_tsan_func_entry(NULL);
	plat_free(p);
	futexsim_tsan_func_exit(NULL);
}

PLAT_FN void clean_up_all(void *p)
{
	futexsim_tsan_func_entry(NULL);
	give_back(p);
	futexsim_tsan_func_exit(NULL);
}

PLAT_FN void drop_later(void *p)
{
	futexsim_tsan_func_entry(NULL);
	plat_kvfree_rcu(p);
	futexsim_tsan_func_exit(NULL);
}

PLAT_FN void *make_thing(void)
{
	void *p;

	futexsim_tsan_func_entry(NULL);
	p = plat_alloc(64, 64, 0);
	plat_name(p, &thing, 1, 64);
	futexsim_tsan_func_exit(NULL);
	return p;
}

PLAT_FN void wait_for_word(_Atomic(uint32_t) *word)
{
	futexsim_tsan_func_entry(NULL);
	os_rig_sleep(word, PLAT_NO_DEADLINE, false);
	futexsim_tsan_func_exit(NULL);
}

static void begin(void)
{
	os_rig_begin(&(struct os_rig){.cpus = 2, .tasks = 4});
}

static void free_then_touch(void *arg)
{
	(void)arg;
	shared = make_thing();
	rig_at(2000 * SIM_NS);
	clean_up_all(shared);
	rig_at(3000 * SIM_NS);
	test_outer(shared);
}

static void test_use_after_free(void **state)
{
	(void)state;
	begin();
	os_task_start(1, free_then_touch, NULL);
	assert_int_equal(sim_engine_run(), -1);
	assert_string_equal(
		sim.failure,
		"use after free: thing touched by CPU 1 at 3000000 ps in test_outer; freed by "
		"CPU 1 at 2000000 ps in give_back < clean_up_all");
	rig_end();
}

/* Freed by a batch, on behalf of the one who asked for it. */
static void drop_then_touch(void *arg)
{
	(void)arg;
	shared = make_thing();
	rig_at(2000 * SIM_NS);
	drop_later(shared);
	test_outer(shared);
	os_rig_work(6000 * SIM_MS);
	test_outer(shared);
}

static void test_use_after_deferred_free(void **state)
{
	(void)state;
	begin();
	os_task_start(0, drop_then_touch, NULL);
	assert_int_equal(sim_engine_run(), -1);
	assert_non_null(strstr(sim.failure, "use after free: thing touched by CPU 0 at 600000"));
	assert_non_null(strstr(sim.failure, "freed by CPU 0 at 2000000 ps in drop_later"));
	rig_end();
}

static void free_twice(void *arg)
{
	(void)arg;
	shared = make_thing();
	rig_at(2000 * SIM_NS);
	give_back(shared);
	rig_at(3000 * SIM_NS);
	clean_up_all(shared);
}

static void test_double_free(void **state)
{
	(void)state;
	begin();
	os_task_start(0, free_twice, NULL);
	assert_int_equal(sim_engine_run(), -1);
	assert_string_equal(
		sim.failure,
		"freed twice: thing by CPU 0 at 3000000 ps in give_back < clean_up_all; "
		"before that by CPU 0 at 2000000 ps in give_back");
	rig_end();
}

static void free_the_middle(void *arg)
{
	(void)arg;
	shared = make_thing();
	give_back((char *)shared + 8);
}

static void test_wild_free(void **state)
{
	(void)state;
	begin();
	os_task_start(0, free_the_middle, NULL);
	assert_int_equal(sim_engine_run(), -1);
	assert_non_null(strstr(sim.failure, "free of what was never allocated: arena offset"));
	assert_non_null(strstr(sim.failure, "in give_back"));
	rig_end();
}

static void forget(void *arg)
{
	(void)arg;
	give_back(make_thing());
	drop_later(make_thing());
	rig_at(5000 * SIM_NS);
	shared = make_thing();
	make_thing();
}

static void test_leaks(void **state)
{
	(void)state;
	begin();
	os_rig_word(); /* the builder's is not a task's */
	os_task_start(0, forget, NULL);
	rig_run();
	assert_int_equal(os_tasks_alive(), 0);
	assert_string_equal(os_leaks(), "2 blocks were never freed; the first: thing, 64 bytes, "
					"allocated by CPU 0 at 5000000 ps in make_thing");
	plat_free(shared);
	assert_non_null(strstr(os_leaks(), "1 blocks"));
	rig_end();
}

static void leave_nothing(void *arg)
{
	(void)arg;
	drop_later(make_thing());
	plat_percpu_alloc(4, NULL);
}

static void test_no_leaks(void **state)
{
	(void)state;
	begin();
	os_task_start(0, leave_nothing, NULL);
	rig_run_until(SIM_MS); /* the batch is still held back */
	assert_null(os_leaks());
	rig_end();
}

static void sleep_in_a_function(void *arg)
{
	wait_for_word(arg);
}

static void test_deadlock_names_the_function(void **state)
{
	(void)state;
	begin();
	os_task_start(1, sleep_in_a_function, os_rig_word());
	assert_int_equal(sim_engine_run(), -1);
	assert_non_null(strstr(sim.failure, "task 0 on CPU 1 in wait_for_word sleeps until "
					    "word.state at 0xffff"));
	rig_end();
}

int main(void)
{
	const struct CMUnitTest list[] = {
		cmocka_unit_test(test_use_after_free),
		cmocka_unit_test(test_use_after_deferred_free),
		cmocka_unit_test(test_double_free),
		cmocka_unit_test(test_wild_free),
		cmocka_unit_test(test_leaks),
		cmocka_unit_test(test_no_leaks),
		cmocka_unit_test(test_deadlock_names_the_function),
	};

	return cmocka_run_group_tests(list, NULL, NULL);
}
