/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who runs where and when, and what it costs. The test machine: switch 1.5 us, wake-up 3 us. */
#include "../sim/test.h"
#include "os_rig.h"

enum { TASKS_MAX = 512 };

static const sim_time never = PLAT_NO_DEADLINE;
static uint32_t seen_cpu[TASKS_MAX];
static sim_time began[TASKS_MAX], ended[TASKS_MAX];
static uint32_t order[TASKS_MAX], ran;
static struct plat_task *tasks[TASKS_MAX];
static _Atomic(uint32_t) *words[TASKS_MAX];
static sim_time work_time;

static void begin(uint32_t cpus, uint32_t count)
{
	struct os_rig rig = {.cpus = cpus, .tasks = count + 8};

	if (cpus > 16)
		rig.profile = test_machine_of(4, 1, cpus / 4, 1);
	os_rig_begin(&rig);
	ran = 0;
}

static void start(uint32_t index, void (*body)(void *), int cpu)
{
	tasks[index] = plat_task_create(body, (void *)(uintptr_t)index, cpu);
}

static sim_time sum_of(const sim_time cost[SIM_CATEGORIES_MAX])
{
	sim_time sum = 0;

	for (int c = 0; c < SIM_CATEGORIES_MAX; c++)
		sum += cost[c];
	return sum;
}

static void work(void *arg)
{
	uint32_t index = (uint32_t)(uintptr_t)arg;

	began[index] = rig_now();
	seen_cpu[index] = plat_cpu();
	os_rig_work(work_time);
	ended[index] = rig_now();
	order[ran++] = index;
}

static void test_pinned_tasks_stay(void **state)
{
	(void)state;
	begin(4, 8);
	work_time = 10 * SIM_MS;
	for (uint32_t t = 0; t < 8; t++)
		start(t, work, (int)(t % 4));
	rig_run();
	for (uint32_t t = 0; t < 8; t++)
		assert_int_equal(seen_cpu[t], t % 4);
	assert_int_equal(os_migrations(), 0);
	assert_int_equal(os_tasks_alive(), 0);
	/* Turns of a tick each: 4 + 4 + 4 + 4 + 2 + 2. */
	assert_int_equal(os_switches(), 4 * 5);
	for (uint32_t s = 0; s < 4; s++)
		assert_int_equal(sim.cpus[s].now, 20 * SIM_MS + 5 * 1500 * SIM_NS);
	rig_end();
}

static void test_unpinned_tasks_spread(void **state)
{
	bool used[4] = {false};

	(void)state;
	begin(4, 4);
	work_time = SIM_MS;
	for (uint32_t t = 0; t < 4; t++)
		start(t, work, PLAT_CPU_ANY);
	rig_run();
	for (uint32_t t = 0; t < 4; t++)
		used[seen_cpu[t]] = true;
	assert_true(used[0] && used[1] && used[2] && used[3]);
	rig_end();
}

/* 512 on 80: six or seven a CPU, and those that have nothing left to do take some over. */
static void test_many_tasks_share_fairly(void **state)
{
	sim_time first = SIM_NEVER, last = 0;

	(void)state;
	begin(80, 512);
	work_time = 40 * SIM_MS;
	for (uint32_t t = 0; t < 512; t++)
		start(t, work, PLAT_CPU_ANY);
	rig_run();
	for (uint32_t t = 0; t < 512; t++) {
		first = ended[t] < first ? ended[t] : first;
		last = ended[t] > last ? ended[t] : last;
	}
	assert_int_equal(ran, 512);
	/* The least that 80 CPUs need is 256 ms; the first is done when six share a CPU. */
	assert_in_range(last, 256 * SIM_MS, 290 * SIM_MS);
	assert_true(first >= 200 * SIM_MS);
	assert_true(os_migrations() > 0);
	rig_end();
}

/* Each gets as much of its CPU as the others of that CPU, within a slice. */
static void for_ever(void *arg)
{
	(void)arg;
	for (;;)
		os_rig_work(SIM_MS);
}

static void test_fair_shares(void **state)
{
	(void)state;
	begin(80, 512);
	for (uint32_t t = 0; t < 512; t++)
		start(t, for_ever, (int)(t % 80));
	rig_run_until(280 * SIM_MS);
	for (uint32_t t = 0; t < 512; t++) {
		struct os_task_stats stats = os_task_stats(t);
		uint32_t sharers = t % 80 < 512 % 80 ? 7 : 6;
		sim_time share = 280 * SIM_MS / sharers, got = stats.cost[SIM_COST_WORK];

		assert_in_range(got, share - 4 * SIM_MS, share + 4 * SIM_MS);
		assert_in_range(sum_of(stats.cost), 279 * SIM_MS, 281 * SIM_MS);
		assert_int_equal(stats.cost[OS_COST_SLEEP], stats.ready);
	}
	rig_end();
}

/* ---- Real-time priorities ------------------------------------------------------------ */

static void set_prios(void *arg)
{
	(void)arg;
	os_rig_work(SIM_US);
	plat_task_set_prio(tasks[1], 60);
	plat_task_set_prio(tasks[2], 50);
	plat_task_set_prio(tasks[3], 60);
	plat_task_set_prio(tasks[4], 40);
	os_rig_work(30 * SIM_MS);
	order[ran++] = 0;
}

static void test_real_time_goes_first(void **state)
{
	static const uint32_t expected[] = {4, 2, 1, 3, 0};

	(void)state;
	begin(1, 5);
	work_time = 10 * SIM_MS;
	start(0, set_prios, 0);
	for (uint32_t t = 1; t < 5; t++)
		start(t, work, 0);
	rig_run();
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(order[i], expected[i]);
	/* The lowest-numbered takes the CPU at once, and nobody interrupts it. */
	assert_true(began[4] < 10 * SIM_US);
	assert_true(ended[4] - began[4] == 10 * SIM_MS);
	assert_true(ended[3] < 41 * SIM_MS);
	rig_end();
}

static void real_time_sleeper(void *arg)
{
	plat_task_set_prio(plat_current(), 10);
	os_rig_sleep(words[0], never, false);
	work(arg);
}

static void waker(void *arg)
{
	(void)arg;
	os_rig_work(1500 * SIM_US);
	os_rig_wake(words[0], tasks[0]);
	ended[7] = rig_now();
}

/* A real-time task that wakes on a busy CPU interrupts it, long before its tick. */
static void test_real_time_preempts(void **state)
{
	(void)state;
	begin(2, 3);
	work_time = SIM_US;
	words[0] = os_rig_word();
	start(0, real_time_sleeper, 0);
	start(1, for_ever, 0);
	start(2, waker, 1);
	rig_run_until(3 * SIM_MS);
	assert_in_range(began[0] - ended[7], 0, 5 * SIM_US);
	rig_end();
}

/* ---- What waking costs ------------------------------------------------------------------- */

static void sleeper(void *arg)
{
	uint32_t index = (uint32_t)(uintptr_t)arg;

	os_rig_sleep(words[index], never, false);
	work(arg);
}

static sim_time wake_cost;

static void wake_one(void *arg)
{
	sim_time before;

	os_rig_work(100 * SIM_US);
	store((uint32_t *)words[0], 0);
	before = rig_now();
	began[8] = before;
	plat_wake(tasks[0]);
	wake_cost = rig_now() - before;
	work(arg);
}

static void test_waking_an_idle_cpu(void **state)
{
	(void)state;
	begin(2, 2);
	work_time = SIM_US;
	words[0] = os_rig_word();
	start(0, sleeper, 0);
	start(1, wake_one, 1);
	rig_run();
	/* A quarter for the waker; running after all of it. */
	assert_int_equal(wake_cost, 750 * SIM_NS);
	assert_int_equal(began[0] - began[8], 3000 * SIM_NS);
	assert_int_equal(sim.cpus[0].cost[OS_COST_SLEEP], os_idle_time(0));
	rig_end();
}

static void test_waking_on_the_own_cpu(void **state)
{
	(void)state;
	begin(1, 2);
	work_time = SIM_US;
	words[0] = os_rig_word();
	start(0, sleeper, 0);
	start(1, wake_one, 0);
	rig_run();
	assert_int_equal(wake_cost, 375 * SIM_NS);
	/* Runs when the waker has ended, after a switch. */
	assert_int_equal(began[0] - ended[1], 1500 * SIM_NS);
	rig_end();
}

static void sleep_then_report(void *arg)
{
	uint32_t index = (uint32_t)(uintptr_t)arg;

	os_rig_work(index * SIM_US);
	os_rig_sleep(words[index], never, false);
	seen_cpu[index] = plat_cpu();
	os_rig_work(10 * SIM_MS);
}

static void wake_two(void *arg)
{
	(void)arg;
	os_rig_work(SIM_MS);
	/* Its CPU is idle, so it stays; then the other's is busy, but another is idle. */
	os_rig_wake(words[0], tasks[0]);
	os_rig_work(SIM_MS);
	os_rig_wake(words[1], tasks[1]);
}

static void test_where_a_waking_task_goes(void **state)
{
	(void)state;
	begin(3, 3);
	words[0] = os_rig_word();
	words[1] = os_rig_word();
	start(0, sleep_then_report, PLAT_CPU_ANY);
	start(2, wake_two, 2);
	start(1, sleep_then_report, PLAT_CPU_ANY);
	rig_run();
	assert_int_equal(seen_cpu[0], 0);
	assert_int_equal(seen_cpu[1], 1);
	rig_end();
}

/* ---- Conservation --------------------------------------------------------------------------- */

static void test_time_is_conserved(void **state)
{
	(void)state;
	begin(3, 9);
	work_time = 7 * SIM_MS;
	for (uint32_t t = 0; t < 3; t++)
		words[t] = os_rig_word();
	start(0, sleeper, PLAT_CPU_ANY);
	for (uint32_t t = 1; t < 9; t++)
		start(t, t == 5 ? wake_one : work, PLAT_CPU_ANY);
	rig_run();
	for (uint32_t s = 0; s < 3; s++)
		assert_int_equal(sum_of(sim.cpus[s].cost), sim.cpus[s].now);
	for (uint32_t t = 0; t < 9; t++) {
		struct os_task_stats stats = os_task_stats(t);

		assert_true(stats.ready <= stats.cost[OS_COST_SLEEP]);
		assert_int_equal(sum_of(stats.cost), ended[t]);
	}
	rig_end();
}

/* A task that polls gives way at the tick, and sees what the other wrote. */
static void poll(void *arg)
{
	(void)arg;
	plat_wait_until_changed32(words[0], 0);
	ended[0] = rig_now();
}

static void work_and_write(void *arg)
{
	(void)arg;
	os_rig_work(SIM_MS);
	store((uint32_t *)words[0], 1);
}

static void test_a_spinner_is_preempted(void **state)
{
	(void)state;
	begin(1, 2);
	words[0] = os_rig_word();
	start(0, poll, 0);
	start(1, work_and_write, 0);
	rig_run();
	assert_in_range(ended[0], 5 * SIM_MS, 5 * SIM_MS + 10 * SIM_US);
	rig_end();
}

static void hold_off(void *arg)
{
	(void)arg;
	plat_preempt_disable();
	os_rig_work(10 * SIM_MS);
	plat_preempt_enable();
	ended[0] = rig_now();
	os_rig_work(SIM_MS);
}

static void test_preemption_waits_for_the_region_to_end(void **state)
{
	(void)state;
	begin(1, 2);
	work_time = SIM_US;
	start(0, hold_off, 0);
	start(1, work, 0);
	rig_run();
	/* It became due at 4 ms, and happened before plat_preempt_enable() returned. */
	assert_int_equal(began[1], 10 * SIM_MS + 1500 * SIM_NS);
	assert_int_equal(ended[0], ended[1] + 1500 * SIM_NS);
	rig_end();
}

int main(void)
{
	const struct CMUnitTest tests_[] = {
		cmocka_unit_test(test_pinned_tasks_stay),
		cmocka_unit_test(test_unpinned_tasks_spread),
		cmocka_unit_test(test_many_tasks_share_fairly),
		cmocka_unit_test(test_fair_shares),
		cmocka_unit_test(test_real_time_goes_first),
		cmocka_unit_test(test_real_time_preempts),
		cmocka_unit_test(test_waking_an_idle_cpu),
		cmocka_unit_test(test_waking_on_the_own_cpu),
		cmocka_unit_test(test_where_a_waking_task_goes),
		cmocka_unit_test(test_time_is_conserved),
		cmocka_unit_test(test_a_spinner_is_preempted),
		cmocka_unit_test(test_preemption_waits_for_the_region_to_end),
	};

	return cmocka_run_group_tests(tests_, NULL, NULL);
}
