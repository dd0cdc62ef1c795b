// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The load of lock_bench in simulated time: nanoseconds per acquisition against
 * the number of CPUs that want nothing else.
 *   sim_lock_bench [--small]
 * In both cases the locks must come out in the order in which they are known to
 * scale: a queue whose waiters each spin on a line of their own, then a queue
 * whose waiters all spin on one, then no queue (Mellor-Crummey and Scott,
 * Algorithms for Scalable Synchronization on Shared-Memory Multiprocessors, 1991).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lock_load.h"
#include "sim_crew.h"
#include "sim_machines.h"

enum { CONTENDERS = 32 };

static const unsigned cpu_counts[] = {1, 2, 4, 8, 16, CONTENDERS, 64};
enum { COUNTS = sizeof(cpu_counts) / sizeof(cpu_counts[0]) };

static _Noreturn void complain(const struct lock_class *lock, const char *what)
{
	fprintf(stderr, "%s: %s\n", lock->name, what);
	exit(1);
}

static double ns_per_acquisition(const struct lock_class *lock, unsigned cpus, unsigned pairs)
{
	struct lock_load load;
	const char *cut_off;

	sim_crew.begin(cpus, 1);
	if (lock->setup)
		lock->setup();
	load = lock_load_create(lock, pairs);
	cut_off = sim_crew.run(lock_load_body, &load, cpus, 1);
	if (cut_off)
		complain(lock, cut_off);
	if (lock_load_count(&load) != (uint64_t)pairs * cpus)
		complain(lock, "sections do not add up");
	return (double)sim_crew_ended() / 1e3 / pairs / cpus;
}

/* Prints the lock's row; returns its value at CONTENDERS. */
static double bench(const struct lock_class *lock, unsigned pairs)
{
	double contended = 0;

	printf("%-16s", lock->name);
	for (int i = 0; i < COUNTS; i++) {
		double ns = ns_per_acquisition(lock, cpu_counts[i], pairs);

		printf(" %8.1f", ns);
		if (cpu_counts[i] == CONTENDERS)
			contended = ns;
	}
	printf("\n");
	return contended;
}

static void bench_all(const char *title, const struct machine_profile *machine, unsigned pairs,
		      double *contended)
{
	printf("%s\n%-16s", title, "CPUs");
	for (int i = 0; i < COUNTS; i++)
		printf(" %8u", cpu_counts[i]);
	printf("\n");
	sim_crew_machine(machine);
	for (int kind = 0; kind < LOCK_KIND_COUNT; kind++)
		contended[kind] = bench(lock_class_of(kind), pairs);
	sim_crew_end();
}

static bool is_faster(const double *contended, enum lock_kind fast, enum lock_kind slow)
{
	if (contended[fast] < contended[slow])
		return true;
	fprintf(stderr, "%s should be faster than %s on %d CPUs\n", lock_class_of(fast)->name,
		lock_class_of(slow)->name, CONTENDERS);
	return false;
}

static bool in_order(const double *contended)
{
	bool mcs = is_faster(contended, LOCK_MCS, LOCK_TICKET);
	bool qspinlock = is_faster(contended, LOCK_QSPINLOCK, LOCK_TICKET);
	bool ticket = is_faster(contended, LOCK_TICKET, LOCK_TAS);

	return mcs && qspinlock && ticket;
}

int main(int argc, char **argv)
{
	struct machine_profile x86 = two_sockets(), ppc = power();
	bool small = argc == 2 && strcmp(argv[1], "--small") == 0;
	unsigned pairs = small ? 100 : 2000;
	double on_x86[LOCK_KIND_COUNT], on_ppc[LOCK_KIND_COUNT];

	if (argc > 1 && !small) {
		fprintf(stderr, "usage: sim_lock_bench [--small]\n");
		return 2;
	}
	bench_all("ns per acquisition, x86, 2 sockets", &x86, pairs, on_x86);
	bench_all("ns per acquisition, POWER, 2 sockets", &ppc, pairs, on_ppc);
	return in_order(on_x86) ? 0 : 1;
}
