/* SPDX-License-Identifier: GPL-3.0-or-later */
/* 100,000 tasks sleep and are woken: events grow with their number, memory stays small. */
#include <stdio.h>
#include <unistd.h>

#include "../sim/test.h"
#include "os_rig.h"

enum { CPUS = 8, MANY = 100000, FEW = MANY / 4, BYTES_MAX = 8192 };

static uint32_t count, woken;
static struct plat_task *sleepers[MANY];
static uint32_t *words;
static size_t rss_before, rss_asleep;

static size_t resident(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	unsigned long pages = 0;

	if (f) {
		if (fscanf(f, "%*u %lu", &pages) != 1)
			pages = 0;
		fclose(f);
	}
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void *word_of(uint32_t index)
{
	return words + (size_t)index * 16;
}

static void sleep_once(void *arg)
{
	os_rig_sleep(word_of((uint32_t)(uintptr_t)arg), PLAT_NO_DEADLINE, false);
	woken++;
}

static void wake_all(void *arg)
{
	(void)arg;
	for (uint32_t t = 0; t < count; t++)
		sleepers[t] = plat_task_create(sleep_once, (void *)(uintptr_t)t,
					       (int)(1 + t % (CPUS - 1)));
	os_rig_work(5 * SIM_MS);
	rss_asleep = resident();
	for (uint32_t t = 0; t < count; t++)
		os_rig_wake(word_of(t), sleepers[t]);
	for (uint32_t t = 0; t < count; t++)
		plat_task_join(sleepers[t]);
}

/* Returns the number of events. */
static uint64_t run(uint32_t tasks)
{
	uint64_t events = 0;

	count = tasks;
	woken = 0;
	os_rig_begin(&(struct os_rig){
		.cpus = CPUS, .tasks = count + 1, .memory_bytes = (size_t)count * 64 + (4 << 20)});
	words = rig_lines(count, 0);
	plat_task_create(wake_all, NULL, 0);
	rss_before = resident();
	rig_run();
	assert_int_equal(woken, count);
	assert_int_equal(os_tasks_alive(), 0);
	for (uint32_t s = 0; s < CPUS; s++)
		events += sim.cpus[s].events;
	rig_end();
	return events;
}

static void test_linear_and_small(void **state)
{
	uint64_t few = run(FEW), many = run(MANY);
	size_t each = (rss_asleep - rss_before) / MANY;

	(void)state;
	printf("%d tasks: %llu events; %d: %llu; %zu bytes resident each\n", FEW,
	       (unsigned long long)few, MANY, (unsigned long long)many, each);
	assert_true(many <= 4 * few + few / 10);
	if (!CORO_SANITIZED)
		assert_true(rss_before > 0 && each <= BYTES_MAX);
}

int main(void)
{
	const struct CMUnitTest list[] = {cmocka_unit_test(test_linear_and_small)};

	return cmocka_run_group_tests(list, NULL, NULL);
}
