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

/*
 * Runs body(context, i) on CPU i, for i in 0 .. count - 1, all at the same time,
 * and returns when all have ended. NULL, or why they did not all end by
 * themselves (then some may have been cut off). `seed` chooses the interleaving.
 */
struct lock_crew {
	const char *(*run)(lock_body body, void *context, unsigned count, uint64_t seed);
};

struct lock_validation {
	const struct lock_class *lock; /* its setup() is called once */
	const struct lock_crew *crew;
	unsigned cpus;   /* 2 .. LOCK_VALIDATE_CPUS */
	unsigned rounds; /* sections per CPU; queues are formed rounds / 8 times */
	uint64_t seed;
};

enum { LOCK_VALIDATE_CPUS = 16 };

/* NULL: the lock keeps its promises. Else what it broke, with the seed; valid until the next call.
 */
const char *lock_validate(const struct lock_validation *validation);

#endif
