// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Threads add to a PLAT_LOCKED counter, under a lock. Built with -DWITHOUT_LOCK
 * the lock around it is gone, and ThreadSanitizer must say so: then such fields
 * do show a lock that is missing.
 */
#include <stdio.h>

#include "native/native.h"
#include "native_crew.h"

enum { CPUS = 4, ROUNDS = 1000 };

struct load {
	const struct lock_class *lock;
	spinlock_t spinlock;
	PLAT_LOCKED(uint32_t) count;
};

static void add_body(void *context, unsigned index)
{
	struct load *load = context;

	(void)index;
	for (int i = 0; i < ROUNDS; i++) {
#ifndef WITHOUT_LOCK
		load->lock->lock(&load->spinlock);
#endif
		plat_locked_write(&load->count, plat_locked_read(&load->count) + 1);
#ifndef WITHOUT_LOCK
		load->lock->unlock(&load->spinlock);
#endif
	}
}

static int run(enum lock_kind kind)
{
	struct load *load = plat_alloc(sizeof(*load), NATIVE_LINE, 0);

	load->lock = lock_class_of(kind);
	if (load->lock->setup)
		load->lock->setup();
	native_crew.run(add_body, load, CPUS, 1);
	printf("%s: %u of %u\n", load->lock->name, plat_locked_read(&load->count), CPUS * ROUNDS);
	return plat_locked_read(&load->count) == CPUS * ROUNDS ? 0 : 1;
}

int main(void)
{
	int wrong = 0;

	for (int kind = 0; kind < LOCK_KIND_COUNT; kind++)
		wrong |= run(kind);
	native_reset();
	return wrong;
}
