/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who gets a line, when, and in which state it is left: a few CPUs and exact times. */
#include <math.h>

#include "../sim/rig.h"
#include "../sim/test.h"
#include "machine/internal.h"
#include "script.h"

static struct machine_profile flat(uint32_t units)
{
	struct machine_profile p = test_machine_of(1, 1, units, 1);

	p.param[PARAM_PAUSE].value = 0; /* a spinner polls without delay */
	return p;
}

static void test_blind_update_is_one_transfer(void **state)
{
	const struct machine_profile p = flat(2);
	const struct step steps[] = {
		{0, 0, RMW, 0, 80},
		{1, 1000, RMW, 0, 40},
		{0, 2000, RMW, 0, 40},
		{0, 2040, RMW, 0, 8},
	};

	(void)state;
	PLAY(&p, steps);
}

static void test_load_then_update_is_two(void **state)
{
	const struct machine_profile p = flat(2);
	const struct step steps[] = {
		{0, 0, RMW, 0, 80},     {1, 1000, LOAD, 0, 40}, {1, 1040, RMW, 0, 40},
		{0, 2000, LOAD, 0, 40}, {0, 2040, RMW, 0, 40},  {0, 2080, LOAD, 0, 2},
	};

	(void)state;
	PLAY(&p, steps);
}

static void test_contenders_are_served_in_order(void **state)
{
	const struct machine_profile p = flat(5);
	const struct step steps[] = {
		{0, 0, RMW, 0, 80},     {3, 1000, RMW, 0, 40},   {2, 1001, STORE, 0, 79},
		{4, 1002, RMW, 0, 118}, {1, 1003, LOAD, 0, 157}, {4, 1500, LOAD, 0, 2},
	};

	(void)state;
	PLAY(&p, steps);
}

/* The old owner goes on for half a transfer (snoop_lead 0.5), then it queues for the line. */
static void test_owner_keeps_the_line_until_the_snoop(void **state)
{
	const struct machine_profile p = flat(2);
	const struct step steps[] = {
		{0, 0, RMW, 0, 80},   {1, 1000, RMW, 0, 40}, {0, 1010, RMW, 0, 8},
		{0, 1018, RMW, 0, 8}, {0, 1026, RMW, 0, 54}, /* 14 to the arrival, 40 back */
	};

	(void)state;
	PLAY(&p, steps);
}

/* While its line is being read, the old owner may still read but not write. */
static void test_owner_reads_during_a_read(void **state)
{
	const struct machine_profile p = flat(2);
	const struct step steps[] = {
		{0, 0, RMW, 0, 80},
		{1, 1000, LOAD, 0, 40},
		{0, 1030, LOAD, 0, 2},
		{0, 1032, RMW, 0, 48},
	};

	(void)state;
	PLAY(&p, steps);
}

/* One owner sits in socket 0 with a request from socket 1 under way; three more wait. */
static void hand_off(double bias, const struct step *waiting)
{
	struct machine_profile p = test_machine_of(2, 1, 8, 1);
	struct step steps[5] = {{0, 0, RMW, 0, 80}, {8, 1000, RMW, 0, 120}};

	p.param[PARAM_NEAR_BIAS].value = bias;
	for (int i = 0; i < 3; i++)
		steps[2 + i] = waiting[i];
	PLAY(&p, steps);
}

static void test_near_bias(void **state)
{
	const struct step fifo[] = {
		{1, 1001, RMW, 0, 239}, {9, 1002, RMW, 0, 358}, {2, 1003, RMW, 0, 477}};
	const struct step near[] = {
		{1, 1001, RMW, 0, 279}, {9, 1002, RMW, 0, 158}, {2, 1003, RMW, 0, 317}};

	(void)state;
	hand_off(0, fifo);
	hand_off(1, near);
}

/* A request from outside that is no farther away than one from inside does not come later. */
static void test_near_bias_where_far_is_near(void **state)
{
	struct machine_profile sockets = test_machine_of(2, 1, 4, 1);
	struct machine_profile clusters = test_machine_of(1, 2, 4, 1);
	const struct step steps[] = {
		{0, 0, RMW, 0, 80},     {4, 1000, RMW, 0, 35},  {1, 1001, RMW, 0, 69},
		{5, 1002, RMW, 0, 103}, {2, 1003, RMW, 0, 137},
	};

	(void)state;
	sockets.param[PARAM_NEAR_BIAS].value = clusters.param[PARAM_NEAR_BIAS].value = 1;
	sockets.param[PARAM_HOP1].value = clusters.param[PARAM_SOCKET].value = 35;
	PLAY(&sockets, steps);
	PLAY(&clusters, steps);
	rig_begin(&sockets, 1);
	assert_true(machine.on_way[WAIT_SOCKET] == 0);
	rig_end();
	rig_begin(&clusters, 1);
	assert_true(machine.on_way[WAIT_CLUSTER] == 0);
	rig_end();
}

/* CPUs 0 and 2 share a unit, 1 and 3 another; three wait while 1 gets the line from 0. */
static void merge_units(double merge, const struct step *waiting)
{
	struct machine_profile p = test_machine_of(1, 1, 2, 2);
	struct step steps[5] = {{0, 0, RMW, 0, 80}, {1, 1000, RMW, 0, 40}};

	p.param[PARAM_UNIT_MERGE].value = merge;
	for (int i = 0; i < 3; i++)
		steps[2 + i] = waiting[i];
	PLAY(&p, steps);
}

static void test_unit_merge(void **state)
{
	const struct step fifo[] = {
		{2, 1001, RMW, 0, 79}, {3, 1002, RMW, 0, 118}, {0, 1025, RMW, 0, 135}};
	const struct step merged[] = {
		{2, 1001, RMW, 0, 89}, {3, 1002, RMW, 0, 48}, {0, 1025, RMW, 0, 75}};

	(void)state;
	merge_units(0, fifo);
	merge_units(1, merged);
}

/* After the first reader has taken the line from its owner, one reader starts per read_service. */
static void test_read_burst(void **state)
{
	const struct machine_profile p = flat(6);
	const struct step steps[] = {
		{0, 0, RMW, 0, 80},     {1, 1000, LOAD, 0, 40}, {2, 1000, LOAD, 0, 60},
		{3, 1000, LOAD, 0, 75}, {4, 1000, LOAD, 0, 90}, {5, 1000, LOAD, 0, 105},
	};

	(void)state;
	PLAY(&p, steps);
}

/* A writer waits for the readers that came before it; later readers wait for the writer. */
static void test_writer_among_readers(void **state)
{
	const struct machine_profile p = flat(5);
	const struct step steps[] = {
		{0, 0, RMW, 0, 80},     {1, 1000, LOAD, 0, 40},
		{2, 2000, LOAD, 0, 20}, {3, 2005, RMW, 0, 55}, /* 2020, and a transfer */
		{4, 2010, LOAD, 0, 90},                        /* 2060, and a transfer */
	};

	(void)state;
	PLAY(&p, steps);
}

/* What crosses sockets passes the line's home one at a time; what stays inside does not. */
static void test_home_serves_one_at_a_time(void **state)
{
	struct machine_profile p = test_machine_of(2, 1, 4, 1);
	const struct step steps[] = {
		{0, 0, RMW, 0, 80},     {1, 0, RMW, 1, 80},     {2, 0, RMW, 2, 80},
		{4, 0, RMW, 8, 80},     {4, 1000, RMW, 0, 120}, {5, 1000, RMW, 1, 150},
		{6, 1010, RMW, 2, 170}, /* 1060, then 120 */
		{0, 1000, RMW, 8, 120}, /* the other node's home */
		{1, 1000, LOAD, 3, 80},
	};

	(void)state;
	p.param[PARAM_HOME_SERVICE].value = 30;
	PLAY(&p, steps);
}

/* The old owner of a line that is leaving needs the home like anybody on its side. */
static void test_home_of_an_old_owner(void **state)
{
	struct machine_profile p = test_machine_of(2, 1, 4, 1);
	const struct step steps[] = {
		{0, 0, RMW, 0, 80},     {6, 0, RMW, 1, 140}, {4, 1000, RMW, 0, 120},
		{5, 1010, RMW, 0, 150}, /* waits where the line is going, not at the home */
		{0, 1065, RMW, 0, 215}, /* the home until 1095 */
		{1, 1070, RMW, 1, 145},
	};

	(void)state;
	p.param[PARAM_HOME_SERVICE].value = 30;
	PLAY(&p, steps);
}

/* Who waited for a line nearby needs the home after all if it has left again. */
static void test_home_is_asked_late(void **state)
{
	struct machine_profile p = test_machine_of(2, 1, 4, 1);
	const struct step steps[] = {
		{0, 0, RMW, 0, 80},     {6, 0, RMW, 1, 140},    {4, 1000, RMW, 0, 120},
		{1, 1010, RMW, 0, 230}, {5, 1020, RMW, 0, 340}, /* the home from 1240 on */
		{2, 1245, RMW, 1, 145},
	};

	(void)state;
	p.param[PARAM_HOME_SERVICE].value = 30;
	PLAY(&p, steps);
}

/* ---- Tenure ------------------------------------------------------------------- */

static struct {
	uint32_t owner;
	uint64_t runs, operations;
} turn;

static void hammer(void *arg)
{
	for (;;) {
		add(arg);
		turn.operations++;
		if (turn.owner != sim.current->id)
			turn.runs++;
		turn.owner = sim.current->id;
	}
}

static double mean_run(uint32_t cpus, double tenure)
{
	struct machine_profile p = flat(cpus);
	uint32_t *line;

	p.param[PARAM_TENURE].value = tenure;
	rig_begin(&p, cpus);
	line = rig_lines(1, 0);
	turn.runs = turn.operations = 0;
	for (uint32_t s = 0; s < cpus; s++)
		os_task_start(s, hammer, line);
	rig_run_until(2000 * SIM_US);
	rig_end();
	return (double)turn.operations / (double)turn.runs;
}

static void test_tenure(void **state)
{
	static const double tenures[] = {1, 1.5, 2, 3.3, 6};

	(void)state;
	for (uint32_t i = 0; i < 5; i++)
		for (uint32_t cpus = 2; cpus <= 8; cpus *= 2)
			assert_true(fabs(mean_run(cpus, tenures[i]) / tenures[i] - 1) < 0.01);
}

/* x = (T + (b - 1) t) / b when all contenders are equally far (David et al., SOSP'13, and
 * Hoseini et al., ICPP'19, describe the regime).
 */
static void test_saturated_rate(void **state)
{
	(void)state;
	for (int i = 0; i < 6; i++) {
		double b = 1 + 0.7 * i, expected = (40 + (b - 1) * 8) / b, ns;

		mean_run(4, b);
		ns = 2000 * 1000.0 / (double)turn.operations;
		assert_true(fabs(ns / expected - 1) < 0.01);
	}
}

/* ---- LL/SC ----------------------------------------------------------------------- */

/* The odds of losing are lambda per contender, so attempts grow as 1 + lambda * contenders. */
static void test_llsc_attempts_grow_linearly(void **state)
{
	const double lambda = 0.1;

	(void)state;
	for (uint32_t cpus = 2; cpus <= 64; cpus *= 2) {
		struct machine_profile p = flat(cpus);
		double attempts;
		uint32_t *line;

		p.param[PARAM_LLSC_LOSS].value = lambda;
		rig_begin(&p, cpus);
		line = rig_lines(1, 0);
		turn.operations = 0;
		for (uint32_t s = 0; s < cpus; s++)
			os_task_start(s, hammer, line);
		rig_run_until(10000 * SIM_US);
		rig_end();
		attempts = 10000 * 1000.0 / 40 / (double)turn.operations;
		assert_true(fabs(attempts / (1 + lambda * (cpus - 1)) - 1) < 0.02);
	}
}

/* Loads and stores are no reservations. */
static void test_llsc_spares_loads_and_stores(void **state)
{
	struct machine_profile p = flat(4);
	const struct step steps[] = {
		{0, 0, RMW, 0, 80},
		{3, 1000, STORE, 0, 40},
		{2, 1001, STORE, 0, 79},
		{1, 1002, STORE, 0, 118},
	};

	(void)state;
	p.param[PARAM_LLSC_LOSS].value = 1000;
	PLAY(&p, steps);
}

/* ---- Spinning -------------------------------------------------------------------- */

static uint32_t *word;
static sim_time returned;

static void spin_on_zero(void *arg)
{
	(void)arg;
	rig_at(500 * SIM_NS);
	assert_int_equal(plat_wait_until_changed32((void *)word, 0), 7);
	returned = rig_now();
}

static void write_beside_then_to_it(void *arg)
{
	(void)arg;
	load(word);
	rig_at(1000 * SIM_NS);
	store(word + 1, 1);
	rig_at(2000 * SIM_NS);
	store(word, 7);
}

/*
 * 500 first load by the spinner: 40. 1000 an upgrade that takes the copy at
 * 1020; the poll waits for the store (1040) and reads again until 1080: not
 * what it waits for. 2000 the same, and it is.
 */
static void test_spinner_is_woken_by_false_sharing(void **state)
{
	const struct machine_profile p = flat(2);
	uint64_t transfers = 0;

	(void)state;
	rig_begin(&p, 2);
	word = rig_lines(1, 0);
	os_task_start(0, write_beside_then_to_it, NULL);
	os_task_start(1, spin_on_zero, NULL);
	rig_run();
	assert_int_equal(returned, 2080 * SIM_NS);
	for (uint32_t l = 0; l < machine_line_count(); l++)
		transfers += machine_line(l).local + machine_line(l).remote;
	assert_int_equal(transfers, 2 + 2 + 2);
	assert_int_equal(rig_line(word)->wait_queue, 0);
	rig_end();
}

static void spin_on_one(void *arg)
{
	(void)arg;
	assert_int_equal(plat_wait_until_changed32((void *)word, 1), 0);
	returned = rig_now();
}

static void test_no_spinning_on_what_differs(void **state)
{
	const struct machine_profile p = flat(1);

	(void)state;
	rig_begin(&p, 1);
	word = rig_lines(1, 0);
	os_task_start(0, spin_on_one, NULL);
	rig_run();
	assert_int_equal(returned, 80 * SIM_NS);
	rig_end();
}

/* ---- A spinner whose copy was evicted while another CPU reads the line -------------- */

static void evict_then_spin(void *arg)
{
	uint32_t *other = arg;

	add(word);
	for (size_t l = 0; l < 64; l++)
		load(other + l * 16);
	rig_at(10000 * SIM_NS);
	plat_wait_until_changed32((void *)word, 1);
	returned = rig_now();
}

static void read_then_write(void *arg)
{
	(void)arg;
	rig_at(9990 * SIM_NS);
	load(word);
	rig_at(11000 * SIM_NS);
	store(word, 2);
}

static void test_spinner_with_an_evicted_copy(void **state)
{
	struct machine_profile p = flat(2);

	(void)state;
	p.private_cache_kib = 1;
	returned = 0;
	rig_begin(&p, 2);
	word = rig_lines(1, 0);
	os_task_start(0, evict_then_spin, rig_lines(64, 0));
	os_task_start(1, read_then_write, NULL);
	rig_run();
	assert_int_equal(returned, (11000 + 80) * SIM_NS);
	rig_end();
}

/* Many spinners: all wake, one read after the other. */
static void write_at_1000(void *arg)
{
	(void)arg;
	rig_at(5000 * SIM_NS);
	store(word, 7);
}

static void test_all_spinners_wake(void **state)
{
	enum { CPUS = 20 };
	const struct machine_profile p = flat(CPUS);

	(void)state;
	rig_begin(&p, CPUS);
	word = rig_lines(1, 0);
	os_task_start(0, write_at_1000, NULL);
	for (uint32_t s = 1; s < CPUS; s++)
		os_task_start(s, spin_on_zero, NULL);
	rig_run();
	/* Store 5000, 40; first reader 40; 18 more, 15 apart, of 20 each. */
	assert_int_equal(returned, (5000 + 40 + 40 + 17 * 15 + 20) * SIM_NS);
	rig_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blind_update_is_one_transfer),
		cmocka_unit_test(test_load_then_update_is_two),
		cmocka_unit_test(test_contenders_are_served_in_order),
		cmocka_unit_test(test_owner_keeps_the_line_until_the_snoop),
		cmocka_unit_test(test_owner_reads_during_a_read),
		cmocka_unit_test(test_near_bias),
		cmocka_unit_test(test_near_bias_where_far_is_near),
		cmocka_unit_test(test_unit_merge),
		cmocka_unit_test(test_read_burst),
		cmocka_unit_test(test_writer_among_readers),
		cmocka_unit_test(test_home_serves_one_at_a_time),
		cmocka_unit_test(test_home_of_an_old_owner),
		cmocka_unit_test(test_home_is_asked_late),
		cmocka_unit_test(test_tenure),
		cmocka_unit_test(test_saturated_rate),
		cmocka_unit_test(test_llsc_attempts_grow_linearly),
		cmocka_unit_test(test_llsc_spares_loads_and_stores),
		cmocka_unit_test(test_spinner_is_woken_by_false_sharing),
		cmocka_unit_test(test_no_spinning_on_what_differs),
		cmocka_unit_test(test_spinner_with_an_evicted_copy),
		cmocka_unit_test(test_all_spinners_wake),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
