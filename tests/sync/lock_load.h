/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The load that lock benchmarks put on a lock, on any kind of CPU: almost empty sections. */
#ifndef FUTEXSIM_TESTS_LOCK_LOAD_H
#define FUTEXSIM_TESTS_LOCK_LOAD_H

#include "sync/lock.h"

struct lock_load {
	const struct lock_class *lock;
	unsigned pairs; /* of lock and unlock, per CPU */
	struct counted *counted;
};

/* A free lock with a count of 0, in shared memory. The lock has been set up. */
struct lock_load lock_load_create(const struct lock_class *lock, unsigned pairs);
void lock_load_destroy(struct lock_load *load);

/* A lock_body (lock_validate.h); the context is the load. */
void lock_load_body(void *context, unsigned index);

/* Sections so far. */
uint64_t lock_load_count(const struct lock_load *load);

#endif
