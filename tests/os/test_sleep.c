/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sleeping, waking, deadlines, signals, joining, and what is said when nobody can wake up. */
#include <string.h>

#include "../sim/test.h"
#include "os_rig.h"

static struct plat_task *tasks[4];
static _Atomic(uint32_t) *word;
static enum plat_wakeup why[4];
static sim_time when[4];
static bool flag;

static void begin(uint32_t cpus)
{
	os_rig_begin(&(struct os_rig){.cpus = cpus, .tasks = 8});
	word = os_rig_word();
	memset(when, 0, sizeof(when));
	flag = false;
}

static void start(uint32_t index, void (*body)(void *), int cpu)
{
	tasks[index] = plat_task_create(body, (void *)(uintptr_t)index, cpu);
}

/* ---- Deadlines ------------------------------------------------------------------------ */

static void sleep_until_5ms(void *arg)
{
	uint32_t index = (uint32_t)(uintptr_t)arg;

	why[index] = os_rig_sleep(word, 5000000, false);
	when[index] = rig_now();
}

static void test_deadline(void **state)
{
	(void)state;
	begin(1);
	start(0, sleep_until_5ms, 0);
	rig_run();
	assert_int_equal(why[0], PLAT_TIMED_OUT);
	/* The slack of time-shared tasks, then the wake-up. */
	assert_int_equal(when[0], 5 * SIM_MS + 50 * SIM_US + 3 * SIM_US);
	rig_end();
}

static void be_real_time(void *arg)
{
	plat_task_set_prio(plat_current(), 1);
	sleep_until_5ms(arg);
}

static void test_deadline_of_a_real_time_task(void **state)
{
	(void)state;
	begin(1);
	start(0, be_real_time, 0);
	rig_run();
	assert_int_equal(when[0], 5 * SIM_MS + 3 * SIM_US);
	rig_end();
}

static void wake_at_1ms(void *arg)
{
	(void)arg;
	os_rig_work(SIM_MS);
	os_rig_wake(word, tasks[0]);
}

static void test_woken_before_the_deadline(void **state)
{
	(void)state;
	begin(2);
	start(0, sleep_until_5ms, 0);
	start(1, wake_at_1ms, 1);
	rig_run();
	assert_int_equal(why[0], PLAT_WOKEN);
	assert_in_range(when[0], SIM_MS, SIM_MS + 10 * SIM_US);
	assert_int_equal(sim.timers.count, 0);
	rig_end();
}

static void deadline_has_passed(void *arg)
{
	(void)arg;
	os_rig_work(6 * SIM_MS);
	why[0] = os_rig_sleep(word, 5000000, false);
	store((uint32_t *)word, 0);
	why[1] = plat_schedule(word, 5000000, false);
	when[0] = rig_now();
}

static void test_no_sleep_at_all(void **state)
{
	(void)state;
	begin(1);
	start(0, deadline_has_passed, 0);
	rig_run();
	assert_int_equal(why[0], PLAT_TIMED_OUT);
	assert_int_equal(why[1], PLAT_WOKEN);
	assert_true(when[0] < 6 * SIM_MS + SIM_US);
	rig_end();
}

/* ---- Signals ----------------------------------------------------------------------------- */

static void interruptible(void *arg)
{
	(void)arg;
	why[0] = os_rig_sleep(word, PLAT_NO_DEADLINE, true);
	assert_true(plat_signal_pending());
	why[1] = os_rig_sleep(word, PLAT_NO_DEADLINE, true);
	flag = plat_signal_take();
	assert_false(plat_signal_take());
	when[0] = rig_now();
}

static void signal_at_1ms(void *arg)
{
	(void)arg;
	os_rig_work(SIM_MS);
	plat_signal(tasks[0]);
}

static void test_signal(void **state)
{
	(void)state;
	begin(2);
	start(0, interruptible, 0);
	start(1, signal_at_1ms, 1);
	rig_run();
	assert_int_equal(why[0], PLAT_SIGNALLED);
	assert_int_equal(why[1], PLAT_SIGNALLED);
	assert_true(flag);
	assert_in_range(when[0], SIM_MS, SIM_MS + 10 * SIM_US);
	rig_end();
}

static void test_signal_does_not_end_other_sleeps(void **state)
{
	(void)state;
	begin(2);
	start(0, sleep_until_5ms, 0);
	start(1, signal_at_1ms, 1);
	rig_run();
	assert_int_equal(why[0], PLAT_TIMED_OUT);
	rig_end();
}

/* ---- Wake-ups that are none --------------------------------------------------------------- */

static void wake_for_no_reason(void *arg)
{
	(void)arg;
	os_rig_work(SIM_MS);
	plat_wake(tasks[0]);
	plat_wake(tasks[1]);
}

static void test_a_late_wake_ends_nothing(void **state)
{
	(void)state;
	begin(2);
	start(0, sleep_until_5ms, 0);
	start(1, wake_for_no_reason, 1);
	rig_run();
	assert_int_equal(why[0], PLAT_TIMED_OUT);
	rig_end();
}

/* ---- Joining ----------------------------------------------------------------------------------
 */

static void child(void *arg)
{
	(void)arg;
	os_rig_work(2 * SIM_MS);
	when[1] = rig_now();
}

static void parent(void *arg)
{
	(void)arg;
	for (int i = 0; i < 20; i++) { /* more than there are tasks: they are used again */
		struct plat_task *task = plat_task_create(child, NULL, i % 2 ? 1 : PLAT_CPU_ANY);

		plat_task_join(task);
		assert_true(rig_now() >= when[1]);
	}
	when[0] = rig_now();
}

static void test_create_and_join(void **state)
{
	(void)state;
	begin(2);
	start(0, parent, 0);
	rig_run();
	assert_in_range(when[0], 40 * SIM_MS, 41 * SIM_MS);
	assert_int_equal(os_tasks_alive(), 0);
	rig_end();
}

static void too_many(void *arg)
{
	(void)arg;
	for (int i = 0; i < 8; i++)
		plat_task_create(child, NULL, PLAT_CPU_ANY);
}

static void test_too_many_tasks(void **state)
{
	(void)state;
	begin(2);
	start(0, too_many, 0);
	assert_int_equal(sim_engine_run(), -1);
	assert_string_equal(sim.failure, "more than 8 tasks at one time");
	rig_end();
}

/* ---- Errors
 * -------------------------------------------------------------------------------------- */

static void sleep_for_ever(void *arg)
{
	(void)arg;
	os_rig_sleep(word, PLAT_NO_DEADLINE, false);
}

static void join_first(void *arg)
{
	(void)arg;
	plat_task_join(tasks[0]);
}

static void spin_for_ever(void *arg)
{
	(void)arg;
	plat_wait_until_changed32(word, 1);
	plat_wait_until_changed32(word, 1);
}

static void test_deadlock(void **state)
{
	(void)state;
	begin(3);
	store((uint32_t *)word, 1);
	start(0, sleep_for_ever, 0);
	start(1, join_first, 1);
	start(2, spin_for_ever, 2);
	assert_int_equal(sim_engine_run(), -1);
	assert_non_null(strstr(sim.failure, "deadlock: 2 of 3 tasks sleep, nobody runs who could "
					    "wake them, and no timer is pending:"));
	assert_non_null(strstr(sim.failure, "task 0 on CPU 0 sleeps until word.state at 0xffff"));
	assert_non_null(strstr(sim.failure, "task 1 on CPU 1 waits for another task or for RCU"));
	assert_non_null(strstr(sim.failure, "task 2 on CPU 2 polls a line that nobody will write"));
	rig_end();
}

/* Statistics look on, they wake nobody. */
static void look_on(void *arg, sim_time now)
{
	sim_timer_set(now + SIM_MS, look_on, arg);
}

static void test_deadlock_under_statistics(void **state)
{
	(void)state;
	begin(1);
	start(0, sleep_for_ever, 0);
	sim_timer_set(SIM_MS, look_on, NULL);
	assert_int_equal(sim_engine_run(), -1);
	assert_non_null(strstr(sim.failure, "deadlock: 1 of 1 tasks"));
	rig_end();
}

static void sleep_in_a_region(void *arg)
{
	(void)arg;
	plat_preempt_disable();
	sleep_for_ever(NULL);
}

static void sleep_in_a_section(void *arg)
{
	(void)arg;
	plat_rcu_read_lock();
	sleep_for_ever(NULL);
}

static void test_sleep_where_it_is_forbidden(void **state)
{
	static void (*const bodies[])(void *) = {sleep_in_a_region, sleep_in_a_section};

	(void)state;
	for (int i = 0; i < 2; i++) {
		begin(1);
		start(0, bodies[i], 0);
		assert_int_equal(sim_engine_run(), -1);
		assert_string_equal(sim.failure,
				    "task 0 on CPU 0 sleeps (plat_schedule) with preemption off or "
				    "inside an RCU read-side section");
		rig_end();
	}
}

static void test_tickless_systems_do_not_sleep(void **state)
{
	(void)state;
	os_rig_begin(&(struct os_rig){.cpus = 1, .tasks = 2, .os.tickless = true});
	word = os_rig_word();
	start(0, sleep_for_ever, 0);
	assert_int_equal(sim_engine_run(), -1);
	assert_non_null(strstr(sim.failure, "plat_schedule: this system was set up as one in which "
					    "no task sleeps"));
	rig_end();
}

int main(void)
{
	const struct CMUnitTest list[] = {
		cmocka_unit_test(test_deadline),
		cmocka_unit_test(test_deadline_of_a_real_time_task),
		cmocka_unit_test(test_woken_before_the_deadline),
		cmocka_unit_test(test_no_sleep_at_all),
		cmocka_unit_test(test_signal),
		cmocka_unit_test(test_signal_does_not_end_other_sleeps),
		cmocka_unit_test(test_a_late_wake_ends_nothing),
		cmocka_unit_test(test_create_and_join),
		cmocka_unit_test(test_too_many_tasks),
		cmocka_unit_test(test_deadlock),
		cmocka_unit_test(test_deadlock_under_statistics),
		cmocka_unit_test(test_sleep_where_it_is_forbidden),
		cmocka_unit_test(test_tickless_systems_do_not_sleep),
	};

	return cmocka_run_group_tests(list, NULL, NULL);
}
