/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each state of a line costs at each distance: the profile's numbers, nothing else. */
#include "../sim/rig.h"
#include "../sim/test.h"
#include "script.h"

enum { SMT = 10, CLUSTER = 40, SOCKET = 60, HOP1 = 120, HOP2 = 200, LLC = 20 };
enum { LOCAL = 80, REMOTE = 140, HIT = 2, LOCKED = 8 };

/* CPUs: units 0-11, siblings +12; clusters of 2 units, sockets of 4; sockets 0-1-2 in a row. */
static struct machine_profile row_of_sockets(void)
{
	struct machine_profile p = test_machine_of(3, 2, 2, 2);

	p.topology.hops[0][2] = p.topology.hops[2][0] = 2;
	return p;
}

static void test_memory(void **state)
{
	const struct machine_profile p = row_of_sockets();
	const struct step steps[] = {
		{0, 0, RMW, 0, LOCAL},      {4, 0, RMW, 1, REMOTE},    {4, 500, LOAD, 8, LOCAL},
		{0, 500, STORE, 9, REMOTE}, {0, 1000, RMW, 0, LOCKED}, {4, 1000, STORE, 8, HIT},
	};

	(void)state;
	PLAY(&p, steps);
}

static void test_owner_at_every_distance(void **state)
{
	const struct machine_profile p = row_of_sockets();
	const struct step steps[] = {
		{0, 0, RMW, 0, LOCAL},      {12, 1000, RMW, 0, SMT},
		{1, 2000, RMW, 0, CLUSTER}, {2, 3000, RMW, 0, SOCKET},
		{4, 4000, STORE, 0, HOP1},  {8, 5000, RMW, 0, HOP2}, /* by way of home */
		{0, 6000, RMW, 0, HOP2},    {0, 7000, RMW, 0, LOCKED},
		{12, 8000, LOAD, 0, SMT},
	};

	(void)state;
	PLAY(&p, steps);
}

static void test_reads_of_an_owned_line(void **state)
{
	const struct machine_profile p = row_of_sockets();
	const struct step steps[] = {
		{0, 0, RMW, 0, LOCAL},    {0, 0, RMW, 1, LOCAL},    {0, 0, RMW, 2, LOCAL},
		{0, 0, RMW, 3, LOCAL},    {12, 1000, LOAD, 0, SMT}, {1, 1000, LOAD, 1, CLUSTER},
		{4, 1000, LOAD, 2, HOP1}, {8, 1000, LOAD, 3, HOP2}, {0, 2000, LOAD, 3, HIT},
		{8, 2000, LOAD, 3, HIT},  {20, 2000, LOAD, 3, HIT}, /* the reader's sibling */
	};

	(void)state;
	PLAY(&p, steps);
}

/* An upgrade takes as long as the farthest copy. */
static void test_upgrades(void **state)
{
	const struct machine_profile p = row_of_sockets();
	const struct step steps[] = {
		/* line 0: own unit only */
		{0, 0, RMW, 0, LOCAL},
		{12, 1000, LOAD, 0, SMT},
		{0, 2000, RMW, 0, SMT},
		/* line 1: own cluster */
		{0, 3000, RMW, 1, LOCAL},
		{1, 4000, LOAD, 1, CLUSTER},
		{0, 5000, STORE, 1, CLUSTER},
		/* line 2: the reader upgrades; socket */
		{0, 6000, RMW, 2, LOCAL},
		{1, 7000, LOAD, 2, CLUSTER},
		{2, 8000, LOAD, 2, LLC},
		{2, 9000, RMW, 2, SOCKET},
		/* line 3: one hop, although others are near */
		{0, 10000, RMW, 3, LOCAL},
		{1, 11000, LOAD, 3, CLUSTER},
		{4, 12000, LOAD, 3, HOP1},
		{0, 13000, RMW, 3, HOP1},
		/* line 4: two hops, although one sharer is one hop away */
		{0, 14000, RMW, 4, LOCAL},
		{4, 15000, LOAD, 4, HOP1},
		{8, 16000, LOAD, 4, HOP2}, /* from socket 1, its neighbour, but by way of home */
		{0, 17000, RMW, 4, HOP2},
		{0, 18000, RMW, 4, LOCKED},
		/* line 5: one who had no copy */
		{0, 19000, RMW, 5, LOCAL},
		{1, 20000, LOAD, 5, CLUSTER},
		{8, 21000, RMW, 5, HOP2},
	};

	(void)state;
	PLAY(&p, steps);
}

static void test_reads_of_a_shared_line(void **state)
{
	const struct machine_profile p = row_of_sockets();
	const struct step steps[] = {
		{0, 0, RMW, 0, LOCAL},    {1, 1000, LOAD, 0, CLUSTER}, {2, 2000, LOAD, 0, LLC},
		{8, 3000, LOAD, 0, HOP2}, {9, 4000, LOAD, 0, LLC},     {4, 5000, LOAD, 0, HOP1},
		{13, 6000, LOAD, 0, HIT},
	};

	(void)state;
	PLAY(&p, steps);
}

static void test_llc_of_a_cluster(void **state)
{
	struct machine_profile p = test_machine_of(1, 2, 3, 1);
	const struct step steps[] = {
		{0, 0, RMW, 0, LOCAL},      {1, 1000, LOAD, 0, CLUSTER}, {2, 2000, LOAD, 0, LLC},
		{3, 3000, LOAD, 0, SOCKET}, {4, 4000, LOAD, 0, LLC},
	};

	(void)state;
	p.llc_per_cluster = true;
	PLAY(&p, steps);
}

/* The private cache holds 16 lines: what the owner lost is in the last-level cache. */
static void test_evicted_owner(void **state)
{
	struct machine_profile p = row_of_sockets();
	const struct step steps[] = {
		{0, 0, RMW, 0, LOCAL},     {0, 0, RMW, 1, LOCAL},    {0, 0, RMW, 2, LOCAL},
		{0, 0, RMW, 3, LOCAL},     {0, 0, EVICT, 0, 0},      {0, 20000, RMW, 0, LLC},
		{1, 20000, RMW, 1, LLC},   {4, 20000, RMW, 2, HOP1}, {8, 20000, LOAD, 3, HOP2},
		{8, 21000, STORE, 3, HIT}, /* nobody else had a copy: Exclusive */
	};

	(void)state;
	p.private_cache_kib = 2; /* two threads share it */
	PLAY(&p, steps);
}

/* The last-level cache of socket 1 answers socket 2, but by way of socket 0, the home. */
static void test_evicted_owner_by_way_of_home(void **state)
{
	struct machine_profile p = row_of_sockets();
	const struct step steps[] = {
		{4, 0, RMW, 0, 140},      {4, 1000, RMW, 8, LOCAL}, {4, 2000, EVICT, 0, 0},
		{8, 40000, RMW, 0, HOP2}, {8, 41000, RMW, 8, HOP1},
	};

	(void)state;
	p.private_cache_kib = 2;
	PLAY(&p, steps);
}

/* Reads of shared lines take up room in the reader's cache, too. */
static void test_shared_reads_fill_the_cache(void **state)
{
	struct machine_profile p = row_of_sockets();
	static const uint32_t lines[] = {0, 1, 2, 3, 4, 5, 6, 7, 9};
	enum { LINES = sizeof(lines) / sizeof(lines[0]) };
	struct step steps[3 * LINES + 2] = {{5, 0, RMW, 8, LOCAL}};
	uint32_t n = 1;

	(void)state;
	for (uint32_t l = 0; l < LINES; l++) {
		uint32_t t = 1000 * (l + 1);

		steps[n++] = (struct step){4, t, RMW, lines[l], lines[l] < 8 ? 140 : LOCAL};
		steps[n++] = (struct step){6, t + 300, LOAD, lines[l], SOCKET};
		steps[n++] = (struct step){5, t + 600, LOAD, lines[l], LLC};
	}
	steps[n++] = (struct step){5, 20000, RMW, 8, LLC};
	p.private_cache_kib = 1; /* 8 lines a thread */
	script_play(&p, steps, n);
}

static void test_evicted_from_everywhere(void **state)
{
	struct machine_profile p = row_of_sockets();
	const struct step steps[] = {
		{0, 0, RMW, 0, LOCAL},      {0, 0, RMW, 1, LOCAL},      {0, 0, EVICT, 0, 0},
		{0, 20000, LOAD, 0, LOCAL}, {4, 20000, RMW, 1, REMOTE},
	};

	(void)state;
	p.private_cache_kib = 2;
	p.llc_kib = 2;
	PLAY(&p, steps);
}

static double least, most, sum;

static void ping(void *arg)
{
	uint32_t *p = arg;

	rig_at(sim.current->id * (500 * SIM_NS)); /* never both at once */
	for (int i = 0; i < 2000; i++) {
		sim_time began = rig_now();
		double ns;

		add(p);
		ns = (double)(rig_now() - began) / SIM_NS;
		if (i > 10) { /* after the first transfers from memory */
			least = ns < least ? ns : least;
			most = ns > most ? ns : most;
			sum += ns;
		}
		rig_at(rig_now() + 1000 * SIM_NS);
	}
}

static void test_jitter_is_uniform_around_the_price(void **state)
{
	struct machine_profile p = test_machine_of(1, 1, 2, 1);
	uint32_t *line;

	(void)state;
	p.param[PARAM_JITTER].value = 0.1;
	rig_begin(&p, 2);
	line = rig_lines(1, 0);
	least = 1e9;
	most = sum = 0;
	os_task_start(0, ping, line);
	os_task_start(1, ping, line);
	rig_run();
	assert_true(least >= 36 && least < 36.1);
	assert_true(most <= 44 && most > 43.9);
	assert_true(sum / (2 * 1989) > 39.8 && sum / (2 * 1989) < 40.2);
	rig_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_owner_at_every_distance),
		cmocka_unit_test(test_reads_of_an_owned_line),
		cmocka_unit_test(test_upgrades),
		cmocka_unit_test(test_reads_of_a_shared_line),
		cmocka_unit_test(test_llc_of_a_cluster),
		cmocka_unit_test(test_evicted_owner),
		cmocka_unit_test(test_evicted_owner_by_way_of_home),
		cmocka_unit_test(test_shared_reads_fill_the_cache),
		cmocka_unit_test(test_evicted_from_everywhere),
		cmocka_unit_test(test_jitter_is_uniform_around_the_price),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
