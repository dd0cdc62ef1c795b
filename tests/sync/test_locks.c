// SPDX-License-Identifier: GPL-3.0-or-later
/* test_locks [SEEDS]: every kind of lock keeps its promises on real threads. */
#include "../futex/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>

#include "lock_validate.h"
#include "native/native.h"
#include "native_crew.h"

enum { SEEDS = 4, MANY = 16 };

static uint64_t seeds = SEEDS;

static void validate_kind(enum lock_kind kind, uint64_t seed, unsigned cpus)
{
	struct lock_validation v = {
		.lock = lock_class_of(kind),
		.crew = &native_crew,
		.cpus = cpus,
		.rounds = 240,
		.seed = seed,
	};
	const char *broken = lock_validate(&v);

	native_reset();
	if (broken)
		fail_msg("%s", broken);
}

static void test_kind(void **state)
{
	enum lock_kind kind = *(const enum lock_kind *)*state;

	for (uint64_t seed = 1; seed <= seeds; seed++)
		validate_kind(kind, seed, seed % 3 == 0 ? MANY : 1 + seed % (MANY - 1));
}

static void test_classes(void **state)
{
	(void)state;
	for (int kind = 0; kind < LOCK_KIND_COUNT; kind++) {
		const struct lock_class *lock = lock_class_of(kind);

		assert_non_null(lock);
		assert_non_null(lock->name);
		for (int other = 0; other < kind; other++)
			assert_string_not_equal(lock->name, lock_class_of(other)->name);
	}
	assert_true(lock_class_of(LOCK_TICKET)->fifo);
	assert_true(lock_class_of(LOCK_MCS)->fifo);
}

/* The driver itself: arguments it cannot work with are refused. */
static void test_refused(void **state)
{
	struct lock_validation v = {
		.lock = lock_class_of(LOCK_TAS), .crew = &native_crew, .cpus = 1, .rounds = 100};

	(void)state;
	assert_non_null(lock_validate(&v));
	v.cpus = LOCK_VALIDATE_CPUS + 1;
	assert_non_null(lock_validate(&v));
	v.cpus = 2;
	v.rounds = 7;
	assert_non_null(lock_validate(&v));
}

int main(int argc, char **argv)
{
	static enum lock_kind kinds[LOCK_KIND_COUNT];
	struct CMUnitTest tests[LOCK_KIND_COUNT + 2] = {
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_refused),
	};

	if (argc > 1)
		seeds = strtoull(argv[1], NULL, 10);
	if (!seeds)
		return 2;
	for (int kind = 0; kind < LOCK_KIND_COUNT; kind++) {
		kinds[kind] = kind;
		tests[kind + 2] = (struct CMUnitTest){.name = lock_class_of(kind)->name,
						      .test_func = test_kind,
						      .initial_state = &kinds[kind]};
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
