// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Every kind of lock keeps its promises on simulated CPUs, on an x86 and on a
 * POWER machine; and the same validation notices wrong locks there.
 */
#include "../futex/cmocka_all.h"

#include <string.h>

#include "sim_crew.h"
#include "sim_machines.h"
#include "wrong_locks.h"

enum { SEEDS = 4, ROUNDS = 24 };

static const unsigned crew_sizes[] = {2, 8, 64};
enum { CREW_SIZES = sizeof(crew_sizes) / sizeof(crew_sizes[0]) };

static struct machine_profile machines[2];

static const char *validate(const struct machine_profile *machine, const struct lock_class *lock,
			    unsigned cpus, uint64_t seed)
{
	struct lock_validation v = {
		.lock = lock, .crew = &sim_crew, .cpus = cpus, .rounds = ROUNDS, .seed = seed};
	const char *broken;

	sim_crew_machine(machine);
	broken = lock_validate(&v);
	sim_crew_end();
	return broken;
}

static void test_kind(void **state)
{
	const struct lock_class *lock = *state;

	for (int m = 0; m < 2; m++)
		for (int size = 0; size < CREW_SIZES; size++)
			for (uint64_t seed = 1; seed <= SEEDS; seed++) {
				const char *broken =
					validate(&machines[m], lock, crew_sizes[size], seed);

				if (broken)
					fail_msg("%s: %s", m ? "power" : "x86", broken);
			}
}

static void test_wrong(void **state)
{
	const struct wrong_lock *wrong = *state;

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		const char *broken = validate(&machines[seed % 2], &wrong->lock, 8, seed);

		assert_non_null(broken);
		if (!strstr(broken, wrong->noticed))
			fail_msg("instead of '%s': %s", wrong->noticed, broken);
	}
}

int main(void)
{
	struct CMUnitTest tests[LOCK_KIND_COUNT + WRONG_LOCKS];

	machines[0] = two_sockets();
	machines[1] = power();
	for (int kind = 0; kind < LOCK_KIND_COUNT; kind++)
		tests[kind] = (struct CMUnitTest){lock_class_of(kind)->name, test_kind, NULL, NULL,
						  (void *)lock_class_of(kind)};
	for (int i = 0; i < WRONG_LOCKS; i++)
		tests[LOCK_KIND_COUNT + i] = (struct CMUnitTest){
			wrong_locks[i].lock.name, test_wrong, NULL, NULL, (void *)&wrong_locks[i]};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
