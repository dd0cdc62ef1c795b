/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One validation for all locks. It knows neither threads nor simulated CPUs: a
 * crew runs the bodies. Bodies touch shared memory only as real code may, so
 * that the same file also runs in simulated time.
 */
#ifndef FUTEXSIM_TESTS_LOCK_VALIDATE_H
#define FUTEXSIM_TESTS_LOCK_VALIDATE_H

#include "sync/lock.h"

typedef void (*lock_body)(void *context, unsigned index);

struct lock_crew {
	/*
	 * Frees all memory of plat_alloc and makes `count` CPUs ready; what is allocated
	 * from then on lives until the next call.
	 */
	void (*begin)(unsigned count, uint64_t seed);
	/*
	 * Runs body(context, i), for i in 0 .. count - 1, on CPUs of their own, all at
	 * the same time, and returns when all have ended. NULL, or why they did not
	 * all end by themselves (then some may have been cut off). `seed` chooses the
	 * interleaving.
	 */
	const char *(*run)(lock_body body, void *context, unsigned count, uint64_t seed);
};

struct lock_validation {
	const struct lock_class *lock; /* its setup() is called once a check */
	const struct lock_crew *crew;
	unsigned cpus;   /* 2 .. LOCK_VALIDATE_CPUS */
	unsigned rounds; /* sections per CPU; queues are formed rounds / 8 times */
	uint64_t seed;
};

enum { LOCK_VALIDATE_CPUS = 64 };

/* NULL: the lock keeps its promises. Else what it broke, with the seed; valid until the next call.
 */
const char *lock_validate(const struct lock_validation *validation);

#endif
