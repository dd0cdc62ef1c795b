// SPDX-License-Identifier: GPL-3.0-or-later
#include "lock_load.h"

/* A line of its own; what the lock protects is beside it, as in a hash bucket. */
struct counted {
	spinlock_t lock;
	PLAT_LOCKED(uint64_t) count;
};

struct lock_load lock_load_create(const struct lock_class *lock, unsigned pairs)
{
	struct counted *counted = plat_alloc(sizeof(*counted), plat_line_size(), 0);

	return (struct lock_load){lock, pairs, counted};
}

void lock_load_destroy(struct lock_load *load)
{
	plat_free(load->counted);
}

void lock_load_body(void *context, unsigned index)
{
	const struct lock_load *load = context;
	struct counted *counted = load->counted;

	(void)index;
	for (unsigned i = 0; i < load->pairs; i++) {
		load->lock->lock(&counted->lock);
		plat_locked_write(&counted->count, plat_locked_read(&counted->count) + 1);
		load->lock->unlock(&counted->lock);
	}
}

uint64_t lock_load_count(const struct lock_load *load)
{
	return plat_locked_read(&load->counted->count);
}
