/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading a modified line, the read after it and the upgrade after it: what they
 * cost and how long they occupy the line, where dirty lines are shared (MOESI)
 * and where they are written back (MESI, MESIF).
 *
 *	test_protocol FOLDER	of machine profiles
 */
#include "../sim/rig.h"
#include "../sim/test.h"
#include "script.h"
#include "shipped.h"

enum { CLUSTER = 40, SOCKET = 60, HOP1 = 120, HOP2 = 200, LLC = 20 };
enum { LOCAL = 80, HIT = 2, LOCKED = 8, SERVICE = 15, WRITE_BACK = 50 };

static const char *folder;

/* Sockets of two CPUs each. */
static struct machine_profile sockets(uint32_t count, bool dirty_sharing)
{
	struct machine_profile p = test_machine_of(count, 1, 2, 1);

	p.dirty_sharing = dirty_sharing;
	p.param[PARAM_WRITE_BACK].value = WRITE_BACK;
	return p;
}

static void test_upgrade_waits_for_the_write_back(void **state)
{
	const struct machine_profile p = sockets(2, false), dirty = sockets(2, true);
	const struct step mesif[] = {
		{0, 0, RMW, 0, LOCAL},
		{2, 1000, LOAD, 0, HOP1}, /* until 1120, the home until 1170 */
		{2, 1120, RMW, 0, WRITE_BACK + HOP1},
		{2, 1290, RMW, 0, LOCKED},
		/* the old owner's */
		{0, 2000, LOAD, 0, HOP1}, /* until 2120, the home until 2170 */
		{2, 2150, RMW, 0, 20 + HOP1},
		/* later than that: nothing to wait for */
		{0, 3000, LOAD, 0, HOP1},
		{0, 3170, RMW, 0, HOP1},
	};
	const struct step moesi[] = {
		{0, 0, RMW, 0, LOCAL},     {2, 1000, LOAD, 0, HOP1}, {2, 1120, RMW, 0, HOP1},
		{2, 1290, RMW, 0, LOCKED}, {0, 2000, LOAD, 0, HOP1}, {2, 2150, RMW, 0, HOP1},
		{0, 3000, LOAD, 0, HOP1},  {0, 3170, RMW, 0, HOP1},
	};

	(void)state;
	PLAY(&p, mesif);
	PLAY(&dirty, moesi);
}

/* The copies can be read until the upgrade has begun; then they are lost as ever. */
static void test_copies_last_as_long_as_the_home_is_busy(void **state)
{
	const struct machine_profile p = sockets(2, false), dirty = sockets(2, true);
	const struct step mesif[] = {
		{0, 0, RMW, 0, LOCAL},
		{2, 1000, LOAD, 0, HOP1},
		{2, 1120, RMW, 0, WRITE_BACK + HOP1}, /* 1170 to 1290; the snoop comes at 1230 */
		{0, 1220, LOAD, 0, HIT},
		{0, 1240, LOAD, 0, 50 + HOP1},
	};
	const struct step moesi[] = {
		{0, 0, RMW, 0, LOCAL},   {2, 1000, LOAD, 0, HOP1},      {2, 1120, RMW, 0, HOP1},
		{0, 1170, LOAD, 0, HIT}, {0, 1190, LOAD, 0, 50 + HOP1},
	};

	(void)state;
	PLAY(&p, mesif);
	PLAY(&dirty, moesi);
}

static void test_read_after_it(void **state)
{
	const struct machine_profile p = sockets(3, false), dirty = sockets(3, true);
	const struct step mesif[] = {
		{0, 0, RMW, 0, LOCAL},
		{2, 1000, LOAD, 0, HOP1},
		{4, 1130, LOAD, 0, 40 + HOP1}, /* through the home */
		{0, 2000, RMW, 0, HOP1},
		{2, 3000, LOAD, 0, HOP1},
		{3, 3130, LOAD, 0, LLC}, /* out of the cache that has just got it */
		{1, 3131, LOAD, 0, SERVICE - 1 + LLC},
		{3, 3160, RMW, 0, 10 + HOP1}, /* the home still until 3170 */
	};
	const struct step moesi[] = {
		{0, 0, RMW, 0, LOCAL},
		{2, 1000, LOAD, 0, HOP1},
		{4, 1130, LOAD, 0, HOP1},
		{0, 2000, RMW, 0, HOP1},
		{2, 3000, LOAD, 0, HOP1},
		{3, 3130, LOAD, 0, LLC},
		{1, 3131, LOAD, 0, SERVICE - 1 + LLC},
		{3, 3170, RMW, 0, HOP1},
	};

	(void)state;
	PLAY(&p, mesif);
	PLAY(&dirty, moesi);
}

/* Inside a socket its cache takes the modified line: nothing is written back, until it leaves. */
/* Reads that need no home do not shorten what an upgrade waits for, nor lengthen it. */
static void test_upgrade_after_early_reads(void **state)
{
	struct machine_profile p = sockets(2, false);
	const struct step steps[] = {
		{0, 0, RMW, 0, LOCAL},
		{2, 1000, LOAD, 0, HOP1}, /* until 1120, the home until 1170 */
		{3, 1130, LOAD, 0, LLC},  /* the next copy could be read at 1185 */
		{2, 1155, RMW, 0, 15 + HOP1},
	};

	(void)state;
	p.param[PARAM_READ_SERVICE].value = 55;
	PLAY(&p, steps);
}

static void test_within_a_socket(void **state)
{
	const struct machine_profile p = sockets(2, false), dirty = sockets(2, true);
	const struct step both[] = {
		{0, 0, RMW, 0, LOCAL},
		{1, 1000, LOAD, 0, CLUSTER},
		{1, 1040, RMW, 0, CLUSTER},
	};
	const struct step mesif[] = {
		{0, 0, RMW, 0, LOCAL},
		{1, 1000, LOAD, 0, CLUSTER},
		{2, 2000, LOAD, 0, HOP1},
		{2, 2120, RMW, 0, WRITE_BACK + HOP1},
	};
	const struct step moesi[] = {
		{0, 0, RMW, 0, LOCAL},
		{1, 1000, LOAD, 0, CLUSTER},
		{2, 2000, LOAD, 0, HOP1},
		{2, 2120, RMW, 0, HOP1},
	};
	const struct step readers[] = {
		{0, 0, RMW, 0, LOCAL},
		{1, 1000, LOAD, 0, CLUSTER},
		{3, 2000, LOAD, 0, HOP1}, /* until 2120, the home until 2170 */
		{2, 2001, LOAD, 0, SERVICE - 1 + LLC},
		{4, 2002, LOAD, 0, 168 + HOP1},
	};
	const struct step clean_again[] = {
		{0, 0, RMW, 0, LOCAL},     {1, 1000, LOAD, 0, CLUSTER},
		{2, 2000, LOAD, 0, HOP1},  {4, 3000, LOAD, 0, HOP1}, /* memory has it now */
		{4, 3120, STORE, 0, HOP1},
	};
	const struct machine_profile three = sockets(3, false);

	(void)state;
	PLAY(&p, both);
	PLAY(&dirty, both);
	PLAY(&p, mesif);
	PLAY(&dirty, moesi);
	PLAY(&three, readers);
	PLAY(&three, clean_again);
}

/* Sockets 0-1-2 in a row, the line's home in the middle. */
static void test_who_serves_a_read(void **state)
{
	struct machine_profile p = sockets(3, false), dirty;
	const struct step mesif[] = {
		{0, 0, RMW, 8, 140},
		{2, 1000, LOAD, 8, HOP1},
		{4, 2000, LOAD, 8, HOP1}, /* home and a clean copy are near */
		{4, 3000, RMW, 8, HOP2},
	};
	const struct step moesi[] = {
		{0, 0, RMW, 8, 140},
		{2, 1000, LOAD, 8, HOP1},
		{4, 2000, LOAD, 8, HOP2}, /* the dirty copy is far */
		{4, 3000, RMW, 8, HOP2},
		/* owned by socket 2 now */
		{0, 4000, LOAD, 8, HOP2},
		{2, 5000, LOAD, 8, HOP1},
	};

	(void)state;
	p.topology.hops[0][2] = p.topology.hops[2][0] = 2;
	dirty = p;
	dirty.dirty_sharing = true;
	PLAY(&p, mesif);
	PLAY(&dirty, moesi);
}

/* Without write-backs nothing waits, whoever answers. */
static void test_no_write_back(void **state)
{
	struct machine_profile p = sockets(2, false);
	const struct step steps[] = {
		{0, 0, RMW, 0, LOCAL},    {2, 1000, LOAD, 0, HOP1},
		{2, 1120, RMW, 0, HOP1},  {3, 2000, LOAD, 0, CLUSTER},
		{0, 3000, LOAD, 0, HOP1}, {1, 3001, LOAD, 0, SERVICE - 1 + LLC},
		{0, 3120, RMW, 0, HOP1},
	};

	(void)state;
	p.param[PARAM_WRITE_BACK].value = 0;
	PLAY(&p, steps);
}

/* Two sockets of two clusters of two CPUs, a last-level cache per cluster. */
static void test_caches_of_clusters(void **state)
{
	struct machine_profile p = test_machine_of(2, 2, 2, 1), dirty;
	const struct step mesif[] = {
		{0, 0, RMW, 0, LOCAL},
		{4, 1000, LOAD, 0, HOP1},
		{5, 2000, LOAD, 0, LLC},
		{6, 3000, LOAD, 0, SOCKET}, /* a clean copy of its own socket */
		{7, 4000, LOAD, 0, LLC},
		{7, 5000, RMW, 0, HOP1},
		/* from cluster to cluster */
		{0, 6000, RMW, 1, LOCAL},
		{2, 7000, LOAD, 1, SOCKET},
		{2, 7060, RMW, 1, WRITE_BACK + SOCKET},
	};
	const struct step moesi[] = {
		{0, 0, RMW, 0, LOCAL},      {4, 1000, LOAD, 0, HOP1},  {5, 2000, LOAD, 0, LLC},
		{6, 3000, LOAD, 0, HOP1}, /* the owner's, in the other socket */
		{7, 4000, LOAD, 0, LLC},    {7, 5000, RMW, 0, HOP1},   {0, 6000, RMW, 1, LOCAL},
		{2, 7000, LOAD, 1, SOCKET}, {2, 7060, RMW, 1, SOCKET},
	};

	(void)state;
	p.llc_per_cluster = true;
	dirty = p;
	dirty.dirty_sharing = true;
	PLAY(&p, mesif);
	PLAY(&dirty, moesi);
}

/* ---- The shipped machine whose protocol shares dirty lines ------------------------ */

static uint32_t *word;
static sim_time spent;

static void take_turns(void *arg)
{
	uint32_t turn = (uint32_t)(uintptr_t)arg;

	for (uint32_t i = 0; i < 100; i++) {
		sim_time began;

		rig_at((2 * i + turn + 1) * SIM_US);
		began = rig_now();
		load(word);
		add(word);
		spent += i ? rig_now() - began : 0;
	}
}

/* Load, then update, taking turns: the mean of both together, in ns. */
static double turns(const struct machine_profile *p, uint32_t a, uint32_t b)
{
	const uint32_t ids[] = {a, b};

	rig_begin_on(p, ids, 2);
	word = rig_lines(1, 0);
	spent = 0;
	for (uint32_t s = 0; s < 2; s++)
		os_task_start(s, take_turns, (void *)(uintptr_t)s);
	rig_run();
	rig_end();
	return (double)spent / SIM_NS / (2 * 99);
}

static void test_epyc(void **state)
{
	struct machine_profile p = shipped_machine(folder, "epyc-9d64");
	double moesi, mesif;

	(void)state;
	p.param[PARAM_JITTER].value = 0;
	assert_true(p.dirty_sharing);
	moesi = turns(&p, 0, 8);
	p.dirty_sharing = false;
	mesif = turns(&p, 0, 8);
	assert_float_equal(moesi, 2 * p.param[PARAM_SOCKET].value, 0.1);
	assert_float_equal(mesif - moesi, p.param[PARAM_WRITE_BACK].value, 0.1);
	/* Within a CCX it makes no difference. */
	assert_float_equal(turns(&p, 0, 1), 2 * p.param[PARAM_CLUSTER].value, 0.1);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_upgrade_waits_for_the_write_back),
		cmocka_unit_test(test_copies_last_as_long_as_the_home_is_busy),
		cmocka_unit_test(test_read_after_it),
		cmocka_unit_test(test_upgrade_after_early_reads),
		cmocka_unit_test(test_within_a_socket),
		cmocka_unit_test(test_who_serves_a_read),
		cmocka_unit_test(test_no_write_back),
		cmocka_unit_test(test_caches_of_clusters),
		cmocka_unit_test(test_epyc),
	};

	if (argc != 2)
		return 2;
	folder = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
