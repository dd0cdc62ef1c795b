/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Are the confidence intervals honest? The machine-repairman model has an exact
 * answer (M/M/1//N): N tasks think for exponential times of mean Z and are
 * served one after the other for exponential times of mean S;
 *	p0 = 1 / sum_{k=0..N} N!/(N-k)! (S/Z)^k,  X = (1 - p0) / S.
 * Measured through the code that ends real runs, over many seeds, the reported
 * interval must contain X about as often as it says.
 *
 *	test_measure		at +-5 %, and the rest of measure.c
 *	test_measure precise	at +-1 %
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine.h"
#include "measure.h"
#include "random.h"
#include "test.h"

enum { RUNS = 200, TASKS_MAX = 80 };

static struct {
	uint32_t tasks;
	double think, service; /* ps */
	gsl_rng *random;
	uint32_t line[TASKS_MAX], first, waiting; /* FIFO of slots */
	bool busy;
	uint64_t done, own[TASKS_MAX];
} shop;

static sim_time exponential(double mean)
{
	double u = (sim_random_u32(shop.random) + 0.5) / 4294967296.0;

	return (sim_time)(-mean * log(u) + 0.5);
}

static void be_served(struct sim_cpu *cpu)
{
	if (!shop.busy) {
		shop.busy = true;
		sim_sync(cpu, cpu->now + exponential(shop.service));
		return;
	}
	shop.line[(shop.first + shop.waiting++) % TASKS_MAX] = cpu->slot;
	sim_block(cpu);
}

static void leave(struct sim_cpu *cpu)
{
	shop.done++;
	shop.own[cpu->slot]++;
	if (!shop.waiting) {
		shop.busy = false;
		return;
	}
	sim_wake(shop.line[shop.first], cpu->now + exponential(shop.service));
	shop.first = (shop.first + 1) % TASKS_MAX;
	shop.waiting--;
}

static void customer(void *arg)
{
	struct sim_cpu *cpu = sim.current;

	(void)arg;
	for (;;) {
		sim_sync(cpu, cpu->now + exponential(shop.think));
		be_served(cpu);
		leave(cpu);
	}
}

static uint64_t count(void *arg)
{
	(void)arg;
	return shop.done;
}

static bool warm(void *arg)
{
	(void)arg;
	for (uint32_t s = 0; s < shop.tasks; s++)
		if (shop.own[s] < 2)
			return false;
	return true;
}

static void start(void *arg, sim_time now)
{
	(void)arg;
	(void)now;
}

static double exact(uint32_t n, double think, double service)
{
	double sum = 1, term = 1;

	for (uint32_t k = 1; k <= n; k++) {
		term *= (n - k + 1) * service / think;
		sum += term;
	}
	return (1 - 1 / sum) / service;
}

static void open_shop(void)
{
	shop.first = shop.waiting = 0;
	shop.busy = false;
	shop.done = 0;
	memset(shop.own, 0, sizeof(shop.own));
	for (uint32_t s = 0; s < shop.tasks; s++)
		sim_task_start(s, customer, NULL);
}

static struct measure measured(uint64_t seed, double precision)
{
	struct sim_config config = {.cpus = shop.tasks,
				    .memory_bytes = 1,
				    .line_size = 64,
				    .nodes = 1,
				    .units = shop.tasks};
	struct measure m = {.precision = precision,
			    .confidence = 0.95,
			    .limit = 3600000 * SIM_MS,
			    .count = count,
			    .warm = warm,
			    .start = start};

	assert_int_equal(sim_engine_init(&config), 0);
	shop.random = sim_random_new(seed, shop.tasks, SIM_RANDOM_WORKLOAD);
	open_shop();
	measure_begin(&m);
	assert_int_equal(sim_engine_run(), 0);
	gsl_rng_free(shop.random);
	sim_engine_clean_up();
	return m;
}

static void coverage(uint32_t tasks, double think_ns, double service_ns, double precision)
{
	double truth, bias = 0, events = 0;
	uint32_t inside = 0;

	shop.tasks = tasks;
	shop.think = think_ns * 1000;
	shop.service = service_ns * 1000;
	truth = exact(tasks, shop.think, shop.service);
	for (uint64_t seed = 1; seed <= RUNS; seed++) {
		struct measure m = measured(seed, precision);
		double rate = measure_rate(&m), half = measure_half_width(&m);

		assert_true(m.reached);
		assert_true(half <= precision * rate);
		inside += fabs(rate - truth) <= half;
		bias += (rate / truth - 1) / RUNS;
		events += (double)shop.done / RUNS;
	}
	printf("N %2u  Z/S %5.1f  +-%g %%: %5.1f %% of the intervals contain the truth, bias %+.3f "
	       "%%, "
	       "%.0f completions a run\n",
	       tasks, think_ns / service_ns, precision * 100, 100.0 * inside / RUNS, 100 * bias,
	       events);
	assert_in_range(inside, RUNS * 90 / 100, RUNS * 99 / 100);
}

static void all(double precision)
{
	coverage(1, 100, 100, precision);
	coverage(4, 900, 300, precision);
	coverage(10, 1000, 100, precision);
	coverage(20, 1000, 100, precision);
	coverage(80, 4000, 40, precision);
}

static void test_5_percent(void **state)
{
	(void)state;
	all(0.05);
}

static void test_1_percent(void **state)
{
	(void)state;
	all(0.01);
}

/* ---- The rest of the measuring code --------------------------------------------- */

static struct measure limited;
static uint32_t told;
static double told_last;

static bool never_warm(void *arg)
{
	(void)arg;
	return false;
}

static bool listen(void *arg, double done)
{
	(void)arg;
	assert_true(done >= 0 && done <= 1);
	told_last = done;
	return ++told < 1000;
}

static void run_limited(void)
{
	const struct sim_config config = {
		.cpus = 4, .memory_bytes = 1, .line_size = 64, .nodes = 1, .units = 4};

	assert_int_equal(sim_engine_init(&config), 0);
	shop.tasks = 4;
	shop.think = shop.service = 100000;
	shop.random = sim_random_new(1, 0, SIM_RANDOM_WORKLOAD);
	open_shop();
	told = 0;
	measure_begin(&limited);
	assert_int_equal(sim_engine_run(), 0);
	gsl_rng_free(shop.random);
	sim_engine_clean_up();
}

static void test_limit(void **state)
{
	(void)state;
	limited = (struct measure){.precision = 1e-6,
				   .confidence = 0.95,
				   .limit = 5 * SIM_MS,
				   .count = count,
				   .warm = warm,
				   .start = start};
	run_limited();
	assert_false(limited.reached);
	assert_false(limited.interrupted);
	assert_true(limited.ended <= limited.limit);
	assert_true(limited.ended + limited.interval > limited.limit);
	assert_true(fabs(measure_rate(&limited) / exact(4, 1e5, 1e5) - 1) < 0.05);
}

static void test_half_of_the_time_is_for_measuring(void **state)
{
	(void)state;
	limited.warm = never_warm;
	run_limited();
	assert_int_equal(limited.began, limited.limit / 2);
	assert_false(limited.reached);
	assert_true(limited.batches.count >= BATCHES_MIN - 1);
}

static void test_progress_can_end_the_run(void **state)
{
	(void)state;
	limited.warm = warm;
	limited.progress = listen;
	run_limited();
	assert_true(limited.interrupted);
	assert_int_equal(told, 1000);
	assert_true(told_last > 0 && told_last < 1);
	assert_true(limited.ended < limited.limit);
}

/* Nothing of what was counted in the warm-up gets into the rate. */
static void forget(void *arg, sim_time now)
{
	(void)arg;
	(void)now;
	shop.done = 0;
}

static void test_start_may_reset_the_counter(void **state)
{
	double rate;

	(void)state;
	limited.progress = NULL;
	run_limited();
	rate = measure_rate(&limited);
	limited.start = forget;
	run_limited();
	assert_true(rate == measure_rate(&limited));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest fast[] = {
		cmocka_unit_test(test_5_percent),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_half_of_the_time_is_for_measuring),
		cmocka_unit_test(test_progress_can_end_the_run),
		cmocka_unit_test(test_start_may_reset_the_counter),
	};
	const struct CMUnitTest precise[] = {cmocka_unit_test(test_1_percent)};

	if (argc > 1 && !strcmp(argv[1], "precise"))
		return cmocka_run_group_tests(precise, NULL, NULL);
	return cmocka_run_group_tests(fast, NULL, NULL);
}
