/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Straight-line work by clock, siblings and kernel age; per-CPU data; the platform's small calls.
 */
#include <string.h>

#include "../sim/rig.h"
#include "../sim/test.h"

/* test_machine(): 50 ns outside and 30 inside the lock at 2.5 GHz, 3 GHz with one core busy. */
static struct machine_profile profile;

static int begin(void **state)
{
	(void)state;
	profile = test_machine();
	return 0;
}

static sim_time outside, inside, syscall_time, relax_time;

static sim_time cost(enum plat_work kind)
{
	sim_time began = rig_now();

	plat_work(kind);
	return rig_now() - began;
}

static void work(void *arg)
{
	(void)arg;
	outside = cost(PLAT_WORK_ARGS) + cost(PLAT_WORK_KEY) + cost(PLAT_WORK_QUEUE_SETUP) +
		  cost(PLAT_WORK_LOCK);
	inside = cost(PLAT_WORK_USER_READ) + cost(PLAT_WORK_UNLOCK);
	syscall_time = cost(PLAT_WORK_SYSCALL);
	relax_time = rig_now();
	plat_cpu_relax();
	relax_time = rig_now() - relax_time;
	assert_true(cost(PLAT_WORK_USER_LOOP) > 0);
	assert_true(cost(PLAT_WORK_KEY_SHARED) > 0);
}

static void nothing(void *arg)
{
	(void)arg;
}

/* The parts are rounded to whole ps. */
static void assert_ns(sim_time ps, double ns)
{
	double difference = (double)ps - ns * 1000;

	if (difference < -3 || difference > 3)
		fail_msg("%g ns, not %g", (double)ps / 1000, ns);
}

static void run_on(const uint32_t *ids, uint32_t slots)
{
	rig_begin_on(&profile, ids, slots);
	os_task_start(0, work, NULL);
	for (uint32_t s = 1; s < slots; s++)
		os_task_start(s, nothing, NULL);
	rig_run();
	rig_end();
}

static void test_one_busy_core_is_faster(void **state)
{
	const uint32_t ids[] = {3};

	(void)state;
	run_on(ids, 1);
	assert_ns(outside, 50 * 2.5 / 3);
	assert_ns(inside, 30 * 2.5 / 3);
	assert_ns(syscall_time, 60 * 2.5 / 3);
	assert_ns(relax_time, 4);
}

static void test_all_core_clock(void **state)
{
	const uint32_t ids[] = {3, 5};

	(void)state;
	run_on(ids, 2);
	assert_ns(outside, 50);
	assert_ns(inside, 30);
}

/* CPU 19 is the sibling of 3: one core, but shared; 0.4 more time. */
static void test_busy_sibling(void **state)
{
	const uint32_t ids[] = {3, 19};

	(void)state;
	run_on(ids, 2);
	assert_ns(outside, 50 * 2.5 / 3 * 1.4);
	assert_ns(inside, 30 * 2.5 / 3 * 1.4);
}

static void test_mitigations(void **state)
{
	struct sim_config config = {.cpus = 2, .memory_bytes = 1};
	const uint32_t ids[] = {0, 1};

	(void)state;
	machine_configure(&profile, &config);
	assert_int_equal(sim_engine_init(&config), 0);
	assert_int_equal(machine_init(&profile, ids, 2, 1), 0);
	assert_int_equal(os_init(&(struct os_config){.profile = &profile, .mitigations = true}), 0);
	os_task_start(0, work, NULL);
	rig_run();
	assert_ns(syscall_time, 60 + 80);
	assert_ns(outside, 50);
	rig_end();
}

static void cycles(void *arg)
{
	(void)arg;
	outside = rig_now();
	plat_work_cycles(126);
	outside = rig_now() - outside;
}

/* 126 cycles of work is what the outside part was measured as (models/os/work.c). */
static void test_cycles(void **state)
{
	(void)state;
	rig_begin(&profile, 2);
	os_task_start(0, cycles, NULL);
	rig_run();
	assert_ns(outside, 50);
	rig_end();
}

/* ---- Per-CPU data ------------------------------------------------------------------ */

static struct plat_percpu *counter;

static void count(void *arg)
{
	sim_time began;

	(void)arg;
	for (int i = 0; i < 10; i++)
		plat_this_cpu_add(counter, 3);
	began = rig_now();
	plat_this_cpu_add(counter, -1);
	assert_int_equal(rig_now() - began, 4 * SIM_NS); /* a load and a store */
	assert_ptr_equal(plat_this_cpu_ptr(counter), plat_percpu_ptr(counter, plat_cpu()));
	assert_int_equal(load(plat_this_cpu_ptr(counter)), 29);
}

static void test_percpu(void **state)
{
	uint32_t cpus;

	(void)state;
	rig_begin(&profile, 32);
	counter = plat_percpu_alloc(4, NULL);
	cpus = plat_cpu_count();
	assert_int_equal(cpus, 32);
	for (uint32_t cpu = 0; cpu < cpus; cpu++) {
		size_t offset = sim_memory_offset(&sim.memory, plat_percpu_ptr(counter, cpu));

		assert_int_equal(offset % 64, 0);
		assert_int_equal(sim.memory.page_home[offset >> SIM_PAGE_SHIFT],
				 plat_node_of_cpu(cpu));
		for (uint32_t other = 0; other < cpu; other++)
			assert_true(plat_percpu_ptr(counter, cpu) !=
				    plat_percpu_ptr(counter, other));
		os_task_start(cpu, count, NULL);
	}
	rig_run();
	for (uint32_t cpu = 0; cpu < cpus; cpu++)
		assert_int_equal(rig_peek(plat_percpu_ptr(counter, cpu)), 29);
	/* Nobody's counter moved between CPUs: one transfer from memory each. */
	for (uint32_t l = 0; l < machine_line_count(); l++)
		assert_int_equal(machine_line(l).local + machine_line(l).remote, 1);
	rig_end();
}

/* ---- Operations --------------------------------------------------------------------- */

static void operations(void *arg)
{
	(void)arg;
	for (int i = 1; i <= 4; i++) {
		rig_at(rig_now() + (sim_time)i * 100 * SIM_NS);
		if (i == 3) {
			plat_lock_wait_begin();
			plat_lock_wait_end();
		}
		plat_op_done();
	}
}

static void test_operations(void **state)
{
	(void)state;
	rig_begin(&profile, 2);
	os_task_start(0, operations, NULL);
	os_task_start(1, operations, NULL);
	rig_run();
	assert_int_equal(os_total_ops(), 8);
	assert_int_equal(os_task_ops(1), 4);
	assert_int_equal(os_task_stats(0).ops, 4);
	assert_int_equal(os_task_stats(0).busy_ops, 1);
	assert_int_equal(os_task_stats(0).cost[SIM_COST_WORK], 1000 * SIM_NS);
	assert_int_equal(latency_quantile(os_latency(), 1000), 400 * SIM_NS);
	os_stats_reset();
	assert_int_equal(os_total_ops(), 8);
	assert_int_equal(os_task_stats(0).ops, 0);
	assert_int_equal(os_task_stats(0).cost[SIM_COST_WORK], 0);
	assert_int_equal(latency_quantile(os_latency(), 1000), 0);
	rig_end();
}

static void panic(void *arg)
{
	(void)arg;
	plat_panic("chain is broken");
}

static void test_panic(void **state)
{
	(void)state;
	rig_begin(&profile, 1);
	os_task_start(0, panic, NULL);
	assert_int_equal(sim_engine_run(), -1);
	assert_string_equal(sim.failure, "chain is broken");
	rig_end();
}

static void fill_memory(void *arg)
{
	(void)arg;
	for (;;)
		plat_alloc(1 << 20, 64, 0);
}

static void test_memory_full(void **state)
{
	(void)state;
	rig_begin(&profile, 1);
	assert_int_equal(sim_protect(fill_memory, NULL), -1);
	assert_non_null(strstr(sim.failure, "simulated memory is full"));
	rig_end();
}

#define TEST(f) cmocka_unit_test_setup(f, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_one_busy_core_is_faster),
		TEST(test_all_core_clock),
		TEST(test_busy_sibling),
		TEST(test_mitigations),
		TEST(test_cycles),
		TEST(test_percpu),
		TEST(test_operations),
		TEST(test_panic),
		TEST(test_memory_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
