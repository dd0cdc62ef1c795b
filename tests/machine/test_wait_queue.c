/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Queues of requests against a list that is searched from end to end. */
#include <stdlib.h>
#include <string.h>

#include "../sim/machines.h"
#include "../sim/test.h"
#include "machine/wait_queue.h"
#include "random.h"

enum { QUEUES = 3, SLOTS_MAX = 64 };

static struct {
	uint32_t slots;
	struct machine_topology topology;
	struct cpu_place place[SLOTS_MAX];
	struct wait_pool pool;
	uint32_t queue[QUEUES]; /* the pool's numbers */
	/* The model: slots in order of arrival. */
	uint32_t line[QUEUES][SLOTS_MAX], length[QUEUES];
	bool waiting[SLOTS_MAX], read[SLOTS_MAX];
	sim_time since[SLOTS_MAX];
} t;

static void begin(uint32_t sockets, uint32_t clusters, uint32_t units, uint32_t threads, bool merge)
{
	memset(&t, 0, sizeof(t));
	t.topology = test_machine_of(sockets, clusters, units, threads).topology;
	t.slots = machine_cpu_count(&t.topology);
	assert_in_range(t.slots, 1, SLOTS_MAX);
	topology_place(&t.topology, t.place);
	assert_int_equal(wait_pool_init(&t.pool, &t.topology, t.slots, t.place, merge), 0);
	for (uint32_t q = 0; q < QUEUES; q++)
		t.queue[q] = wait_queue_take(&t.pool);
}

static bool same(const struct cpu_place *a, const struct cpu_place *b, int level)
{
	switch (level) {
	case 0:
		return a->unit == b->unit;
	case 1:
		return a->cluster == b->cluster;
	case 2:
		return a->socket == b->socket;
	default:
		return true;
	}
}

static uint32_t first_near(uint32_t q, uint32_t slot, int level, bool reads_only)
{
	for (uint32_t i = 0; i < t.length[q]; i++) {
		uint32_t s = t.line[q][i];

		if (same(&t.place[slot], &t.place[s], level) && (!reads_only || t.read[s]))
			return s;
	}
	return UINT32_MAX;
}

static void check(uint32_t q, uint32_t slot)
{
	uint32_t queue = t.queue[q];

	assert_int_equal(t.pool.queue[queue - 1].count, t.length[q]);
	assert_int_equal(wait_queue_oldest(&t.pool, queue), first_near(q, 0, 3, false));
	assert_int_equal(wait_queue_oldest_read(&t.pool, queue), first_near(q, 0, 3, true));
	for (enum wait_level level = WAIT_CLUSTER; level < WAIT_ALL; level++)
		if (t.pool.level_used[level])
			assert_int_equal(wait_queue_oldest_of(&t.pool, queue, slot, level),
					 first_near(q, slot, (int)level, false));
}

static void arrive(uint32_t q, uint32_t slot, bool read, sim_time now)
{
	wait_queue_add(&t.pool, t.queue[q], slot, read, now);
	t.line[q][t.length[q]++] = slot;
	t.waiting[slot] = true;
	t.read[slot] = read;
	t.since[slot] = now;
}

static void depart(uint32_t q, uint32_t position)
{
	uint32_t slot = t.line[q][position];

	wait_queue_remove(&t.pool, t.queue[q], slot);
	memmove(&t.line[q][position], &t.line[q][position + 1],
		(t.length[q] - position - 1) * sizeof(uint32_t));
	t.length[q]--;
	t.waiting[slot] = false;
}

static void wander(uint32_t sockets, uint32_t clusters, uint32_t units, uint32_t threads)
{
	gsl_rng *r = sim_random_new(sockets * 1000 + units, threads, SIM_RANDOM_TEST);

	begin(sockets, clusters, units, threads, sim_random_below(r, 2));
	for (sim_time now = 0; now < 5000; now++) {
		uint32_t q = (uint32_t)sim_random_below(r, QUEUES);
		uint32_t slot = (uint32_t)sim_random_below(r, t.slots);

		if (!t.waiting[slot])
			arrive(q, slot, sim_random_below(r, 3) == 0, now);
		else if (t.length[q])
			depart(q, (uint32_t)sim_random_below(r, t.length[q]));
		check(q, (uint32_t)sim_random_below(r, t.slots));
	}
	for (uint32_t q = 0; q < QUEUES; q++) {
		while (t.length[q])
			depart(q, 0);
		check(q, 0);
		wait_queue_release(&t.pool, t.queue[q]);
	}
	wait_pool_clean_up(&t.pool);
	gsl_rng_free(r);
}

static void test_random_requests(void **state)
{
	(void)state;
	wander(1, 1, 2, 1);
	wander(1, 1, 8, 1);
	wander(1, 4, 2, 4);
	wander(2, 1, 8, 2);
	wander(4, 2, 4, 2);
	wander(3, 3, 3, 2);
}

/* Of the unit, and waiting when the line came: only those go first, the oldest of them. */
static void test_siblings(void **state)
{
	(void)state;
	begin(1, 2, 2, 4, true); /* units 0-3; CPU = thread * 4 + unit */
	wait_queue_moved(&t.pool, t.queue[0], 100);
	arrive(0, 1, false, 50);
	assert_int_equal(wait_queue_sibling(&t.pool, t.queue[0], 0), UINT32_MAX);
	arrive(0, 8, false, 90);
	arrive(0, 4, false, 95);
	arrive(0, 12, false, 101);
	assert_int_equal(wait_queue_sibling(&t.pool, t.queue[0], 0), 8);
	depart(0, 1);
	assert_int_equal(wait_queue_sibling(&t.pool, t.queue[0], 0), 4);
	depart(0, 1);
	assert_int_equal(wait_queue_sibling(&t.pool, t.queue[0], 0), UINT32_MAX);
	assert_int_equal(wait_queue_sibling(&t.pool, t.queue[0], 5), 1);
	wait_pool_clean_up(&t.pool);
	begin(1, 2, 2, 4, false); /* machines that do not merge requests */
	arrive(0, 4, false, 0);
	assert_int_equal(wait_queue_sibling(&t.pool, t.queue[0], 0), UINT32_MAX);
	wait_pool_clean_up(&t.pool);
}

static void test_spinners(void **state)
{
	bool seen[8] = {false};
	uint32_t slot, count = 0;

	(void)state;
	begin(1, 1, 8, 1, false);
	for (uint32_t s = 0; s < 8; s++)
		wait_queue_add_spinner(&t.pool, t.queue[1], s);
	while ((slot = wait_queue_pop_spinner(&t.pool, t.queue[1])) != UINT32_MAX) {
		assert_false(seen[slot]);
		seen[slot] = true;
		count++;
	}
	assert_int_equal(count, 8);
	wait_pool_clean_up(&t.pool);
}

/* One queue per slot and one more is enough; released ones come back empty. */
static void test_queues_are_used_again(void **state)
{
	uint32_t taken[SLOTS_MAX + 1];

	(void)state;
	begin(1, 1, 4, 1, false);
	for (uint32_t round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < 2; i++) {
			taken[i] = wait_queue_take(&t.pool);
			assert_in_range(taken[i], 1, 5);
			assert_int_equal(t.pool.queue[taken[i] - 1].count, 0);
		}
		assert_int_equal(wait_queue_take(&t.pool), 0);
		for (uint32_t i = 0; i < 2; i++)
			wait_queue_release(&t.pool, taken[i]);
	}
	wait_pool_clean_up(&t.pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_requests),
		cmocka_unit_test(test_siblings),
		cmocka_unit_test(test_spinners),
		cmocka_unit_test(test_queues_are_used_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
