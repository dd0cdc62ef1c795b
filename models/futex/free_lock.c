// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A bucket lock that is always free, to find out what waiting for one costs
 * (policy lock_always_free). It touches its word as an uncontended queued lock
 * does: one RMW to take it, one store to release it. It excludes nobody, which
 * is sound only for operations that leave the chain alone.
 */
#include "futex/internal.h"

PLAT_FN void free_spin_lock(spinlock_t *lock)
{
	atomic_fetch_or_explicit(&lock->word, 1, memory_order_acquire);
}

PLAT_FN bool free_spin_trylock(spinlock_t *lock)
{
	free_spin_lock(lock);
	return true;
}

PLAT_FN void free_spin_unlock(spinlock_t *lock)
{
	atomic_store_explicit(&lock->word, 0, memory_order_release);
}

PLAT_FN bool free_spin_is_locked(spinlock_t *lock)
{
	return plat_read_once(&lock->word) != 0;
}

const struct lock_class futex_free_lock = {
	.name = "always free",
	.lock = free_spin_lock,
	.trylock = free_spin_trylock,
	.unlock = free_spin_unlock,
	.is_locked = free_spin_is_locked,
};
