// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * One benchmark for all locks: nanoseconds per uncontended pair of lock and
 * unlock, and pairs per second of two CPUs that want nothing else.
 *   lock_bench [--small]
 * --small does little and so also tests that every lock gets through it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lock_load.h"
#include "native/native.h"
#include "native_crew.h"

enum { CONTENDERS = 2, REPEATS = 5 };

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void require_count(const struct lock_load *load, uint64_t expected)
{
	uint64_t count = lock_load_count(load);

	if (count == expected)
		return;
	fprintf(stderr, "%s: %" PRIu64 " sections instead of %" PRIu64 "\n", load->lock->name,
		count, expected);
	exit(1);
}

/* Seconds for the pairs of all CPUs: the best of some attempts, as others use the host too. */
static double best_time(const struct lock_class *lock, unsigned cpus, unsigned pairs)
{
	double best = 1e9;

	for (int i = 0; i < REPEATS; i++) {
		struct lock_load load = lock_load_create(lock, pairs);
		double begin = seconds(), took;

		native_crew_undisturbed.run(lock_load_body, &load, cpus, 0);
		took = seconds() - begin;
		require_count(&load, (uint64_t)pairs * cpus);
		best = took < best ? took : best;
		lock_load_destroy(&load);
	}
	return best;
}

static void bench(const struct lock_class *lock, unsigned pairs)
{
	double alone, contended;

	if (lock->setup)
		lock->setup();
	alone = best_time(lock, 1, pairs);
	contended = best_time(lock, CONTENDERS, pairs / CONTENDERS);
	printf("%-16s %14.1f %24.2f\n", lock->name, alone / pairs * 1e9, pairs / contended * 1e-6);
	native_reset();
}

int main(int argc, char **argv)
{
	bool small = argc == 2 && strcmp(argv[1], "--small") == 0;

	if (argc > 1 && !small) {
		fprintf(stderr, "usage: lock_bench [--small]\n");
		return 2;
	}
	printf("%-16s %14s %24s\n", "lock", "alone, ns/pair", "2 CPUs, million pairs/s");
	for (int kind = 0; kind < LOCK_KIND_COUNT; kind++)
		bench(lock_class_of(kind), small ? 2000 : 2000000);
	return 0;
}
