/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Published curves against what emerges from the states. Asserted, within 15 %,
 * where every parameter that matters was read in a source; the rest is printed
 * with its error, and its comment says why it is not asserted. Nothing is fitted here.
 *
 *	test_curves FOLDER	of machine profiles
 */
#include <math.h>
#include <stdio.h>

#include "../sim/instrumented.h"
#include "../sim/rig.h"
#include "../sim/test.h"
#include "shipped.h"

static const char *folder;

static bool near_enough(double simulated, double published)
{
	return fabs(simulated / published - 1) <= 0.15;
}

static void report(const char *what, uint32_t cpus, double simulated, double published)
{
	printf("%-52s N %3u  %7.1f ns, published %7.1f, %+5.1f %%\n", what, cpus, simulated,
	       published, 100 * (simulated / published - 1));
}

/* ---- Saturated fetch-add on one line -------------------------------------------- */

static uint64_t operations;

static void hammer(void *arg)
{
	for (;;) {
		add(arg);
		operations++;
	}
}

/* ns per operation, all CPUs together. */
static double contended(const struct machine_profile *p, uint32_t cpus)
{
	const sim_time time = 1000 * SIM_US;
	uint32_t *line;

	rig_begin(p, cpus);
	line = rig_lines(1, 0);
	operations = 0;
	for (uint32_t s = 0; s < cpus; s++)
		os_task_start(s, hammer, line);
	rig_run_until(time);
	rig_end();
	return (double)time / 1000 / (double)operations;
}

/*
 * T. Downs, concurrency-hierarchy-bench, Skylake i7-6700HQ, xadd. t_rmw and
 * t_socket are read for relatives of the same design; tenure_rmws 1.0 to 1.3.
 */
static void test_laptop(void **state)
{
	static const double published[] = {7.0, 22.1, 23.3, 24.1};
	struct machine_profile p = shipped_machine(folder, "laptop-2013");

	(void)state;
	for (uint32_t cpus = 1; cpus <= 4; cpus++) {
		double ns = contended(&p, cpus);

		report("laptop, xadd (Skylake i7-6700HQ)", cpus, ns, published[cpus - 1]);
		assert_true(near_enough(ns, published[cpus - 1]));
	}
}

/* Own measurement on the guest that the profile describes: 18 to 25 ns. All parameters read. */
static void test_guest(void **state)
{
	struct machine_profile p = shipped_machine(folder, "spr-vm-2");
	double ns = contended(&p, 2);

	(void)state;
	report("Emerald Rapids guest, xadd (measured 18 to 25)", 2, ns, 21.5);
	assert_true(p.param[PARAM_SOCKET].status == STATUS_READ);
	assert_true(p.param[PARAM_TENURE].status == STATUS_READ);
	assert_true(ns >= 18 && ns <= 25);
	assert_true(near_enough(contended(&p, 1), 6.08));
}

/*
 * David, Guerraoui, Trigonakis, SOSP'13, 5.4: about 20 Mops/s for any N inside
 * a socket; a pause after each operation keeps tenures at one.
 */
static void test_westmere_ex(void **state)
{
	struct machine_profile p = shipped_machine(folder, "dl980-80");
	double one_socket = 0;

	(void)state;
	p.param[PARAM_TENURE].value = 1;
	assert_true(p.param[PARAM_SOCKET].status == STATUS_READ);
	for (uint32_t cpus = 2; cpus <= 10; cpus += 2) {
		one_socket = contended(&p, cpus);
		report("Westmere-EX in one socket, paused RMW (SOSP'13)", cpus, one_socket, 50);
		assert_true(near_enough(one_socket, 50));
	}
	/* "A steep drop when a second socket joins": no number; how steep follows from a guess. */
	printf("%-52s N  20  %7.1f ns, published: a steep drop\n", "Westmere-EX, second socket",
	       contended(&p, 20));
	assert_true(contended(&p, 20) > one_socket);
}

/* Not asserted: tenure (6) and bias (0.7) are guesses, the guest's placement is unknown. */
static void test_epyc(void **state)
{
	static const struct {
		uint32_t cpus;
		double ns;
	} published[] = {{1, 2.5},  {2, 5.6},  {4, 6.2},   {8, 6.5},    {16, 7.2},
			 {32, 8.4}, {64, 9.1}, {96, 10.3}, {128, 12.5}, {160, 16.7}};
	struct machine_profile p = shipped_machine(folder, "epyc-9d64");

	(void)state;
	for (uint32_t i = 0; i < sizeof(published) / sizeof(published[0]); i++)
		report("EPYC guest, atomic_inc (perfbook; guessed)", published[i].cpus,
		       contended(&p, published[i].cpus), published[i].ns);
}

/* Not asserted: every parameter of contention is a guess, and Nehalem is a relative only. */
static void test_two_sockets(void **state)
{
	static const double published[] = {7.6, 12.5, 17.8, 23.9, 23.7};
	struct machine_profile p = shipped_machine(folder, "xeon-e5-2650");

	(void)state;
	for (uint32_t i = 0; i < 5; i++)
		report("E5-2650, atomic_inc (Nehalem, perfbook; guessed)", 1u << i,
		       contended(&p, 1u << i), published[i]);
}

/* ---- LL/SC ------------------------------------------------------------------------- */

/*
 * POWER5+, 64 CPUs (perfbook 4c69e89): 57 ns + 5.06 ns per CPU by least squares
 * over N = 8..64. A transfer of T with odds lambda per contender costs
 * T (1 + lambda (N - 1)), so the line gives T = 62.1 and lambda = 0.0815. The
 * line is asserted: that loss alone makes cost grow linearly. The points, which
 * scatter around it, are printed.
 */
static void test_power5(void **state)
{
	static const struct {
		uint32_t cpus;
		double ns;
	} published[] = {{2, 61.9}, {4, 75.1}, {8, 83.6}, {16, 136},
			 {32, 233}, {48, 316}, {64, 351}};
	struct machine_profile p = test_machine_of(1, 1, 64, 1);

	(void)state;
	p.param[PARAM_CLUSTER].value = 62.06;
	p.param[PARAM_LLSC_LOSS].value = 5.06 / 62.06;
	for (uint32_t i = 0; i < sizeof(published) / sizeof(published[0]); i++) {
		double ns = contended(&p, published[i].cpus);

		report("POWER5+, atomic_inc (perfbook)", published[i].cpus, ns, published[i].ns);
		assert_true(fabs(ns / (57 + 5.06 * published[i].cpus) - 1) < 0.04);
	}
}

/* ---- Ticket lock ---------------------------------------------------------------------- */

static void take_turns(void *arg)
{
	for (;;) {
		test_ticket_lock(arg);
		operations++;
		test_ticket_unlock(arg);
	}
}

static double ticket(const struct machine_profile *p, uint32_t cpus)
{
	const sim_time time = 5000 * SIM_US;
	uint32_t *line;

	rig_begin(p, cpus);
	line = rig_lines(1, 0);
	operations = 0;
	for (uint32_t s = 0; s < cpus; s++)
		os_task_start(s, take_turns, line);
	rig_run_until(time);
	rig_end();
	return (double)time / 1000 / (double)operations;
}

struct straight {
	double level, slope;
};

static struct straight fit(const double *x, const double *y, uint32_t n)
{
	double sx = 0, sy = 0, sxx = 0, sxy = 0;
	struct straight s;

	for (uint32_t i = 0; i < n; i++) {
		sx += x[i];
		sy += y[i];
		sxx += x[i] * x[i];
		sxy += x[i] * y[i];
	}
	s.slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
	s.level = (sy - s.slope * sx) / n;
	return s;
}

/* The hand-off of N = 2..cpus contenders as a straight line. */
static struct straight hand_off(const struct machine_profile *p, uint32_t cpus, const char *what,
				const double *published)
{
	double x[16], y[16];

	for (uint32_t n = 2; n <= cpus; n++) {
		x[n - 2] = n;
		y[n - 2] = ticket(p, n);
		if (published)
			report(what, n, y[n - 2], published[n - 2]);
	}
	return fit(x, y, cpus - 1);
}

/*
 * The law: a line in distance, whose slope is the time the line is busy per
 * reader. Every waiter reads the word again after each release, and the new
 * owner's store queues behind these reads.
 */
static void test_ticket_lock_is_a_straight_line(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		const double service = 5 << i;
		struct machine_profile p = test_machine_of(1, 1, 16, 1);
		double x[13], y[13];
		struct straight s;

		p.param[PARAM_READ_SERVICE].value = service;
		for (uint32_t n = 4; n <= 16; n++) {
			x[n - 4] = n;
			y[n - 4] = ticket(&p, n);
		}
		s = fit(x, y, 13);
		printf("ticket lock, read service %g ns: %.1f + %.2f N\n", service, s.level,
		       s.slope);
		assert_true(near_enough(s.slope, service));
		for (uint32_t n = 0; n < 13; n++)
			assert_true(fabs(s.level + s.slope * x[n] - y[n]) < 0.02 * y[n]);
	}
}

/*
 * T. Downs, ticket spin lock, i7-6700HQ: 93 + 7.35 N. The slope is the parameter,
 * so it must come back, from N = 3 on: with one waiter nobody is in the way. The level is three
 * transfers and a half, published four at 25.5 ns; it also contains the counter that his critical
 * section increments, and the laptop is another part: printed.
 */
static void test_ticket_lock_of_the_laptop(void **state)
{
	static const double published[] = {108, 115, 122};
	struct machine_profile p = shipped_machine(folder, "laptop-2013");
	struct straight s;

	(void)state;
	s = hand_off(&p, 4, "laptop, ticket lock (Skylake)", published);
	printf("laptop, ticket lock: %.1f + %.2f N, published 93 + 7.35 N\n", s.level, s.slope);
	assert_true(fabs((ticket(&p, 4) - ticket(&p, 3)) / 7.35 - 1) < 0.15);
}

/* ---- Load, then update ------------------------------------------------------------------ */

static bool load_first;
static sim_time spent;
static uint64_t updates;

/* Two CPUs take turns, 1 us apart: each update finds the line owned by the other. */
static void alternate(void *arg)
{
	rig_at((1000 + 1000 * (sim_time)sim.current->slot) * SIM_NS);
	for (uint32_t i = 0; i < 100; i++) {
		sim_time began = rig_now();

		if (load_first)
			load(arg);
		add(arg);
		if (i > 0) {
			spent += rig_now() - began;
			updates++;
		}
		rig_at(began + 2000 * SIM_NS);
	}
}

static double update_ns(double transfer, bool with_load)
{
	struct machine_profile p = test_machine_of(1, 1, 2, 1);

	p.param[PARAM_CLUSTER].value = transfer;
	p.param[PARAM_JITTER].value = 0.1;
	load_first = with_load;
	spent = updates = 0;
	rig_begin(&p, 2);
	for (uint32_t s = 0; s < 2; s++)
		os_task_start(s, alternate, sim_memory_pointer(&sim.memory, 4096));
	rig_run();
	rig_end();
	return (double)spent / 1000 / (double)updates;
}

/*
 * perfbook 4c69e89, cpu/overheads.tex: blind CAS against load and CAS. Both are
 * read for the same machine, so the blind one is the parameter and the other
 * must come out of the states. Asserted where two transfers are what happened
 * (Xeon 8176 in a socket, 2.1 times); on the 8750H it was 2.4 times and between
 * sockets 3.0, which a third message of those protocols explains and this model
 * has not: printed.
 */
static void test_load_then_update(void **state)
{
	static const struct {
		const char *what;
		double blind, loaded;
		bool asserted;
	} published[] = {
		{"Xeon 8176 in a socket, load then CAS", 47.5, 101.9, true},
		{"i7-8750H, load then CAS", 22.2, 53.6, false},
		{"Xeon 8176 between sockets, load then CAS", 148.8, 442.9, false},
	};

	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		double blind = update_ns(published[i].blind, false);
		double loaded = update_ns(published[i].blind, true);

		report(published[i].what, 2, loaded, published[i].loaded);
		assert_true(fabs(blind / published[i].blind - 1) < 0.02);
		assert_true(fabs(loaded / blind - 2) < 0.05);
		if (published[i].asserted)
			assert_true(near_enough(loaded, published[i].loaded));
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_laptop),
		cmocka_unit_test(test_guest),
		cmocka_unit_test(test_westmere_ex),
		cmocka_unit_test(test_epyc),
		cmocka_unit_test(test_two_sockets),
		cmocka_unit_test(test_power5),
		cmocka_unit_test(test_ticket_lock_is_a_straight_line),
		cmocka_unit_test(test_ticket_lock_of_the_laptop),
		cmocka_unit_test(test_load_then_update),
	};

	if (argc != 2)
		return 2;
	folder = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
