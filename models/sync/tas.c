// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Test-and-set. Everybody who waits re-reads the word and all try at once when
 * it is free; nothing promises an order. This is what an x86 guest without
 * paravirtual spinlocks runs: queued_spin_lock()'s compare-exchange, then
 * virt_spin_lock() (kernel v6.12 arch/x86/include/asm/qspinlock.h).
 */
#include "sync/classes.h"

enum { UNLOCKED, LOCKED };

PLAT_INLINE bool cmpxchg_locked(spinlock_t *lock)
{
	uint32_t old = UNLOCKED;

	return atomic_compare_exchange_strong_explicit(&lock->word, &old, LOCKED,
						       memory_order_acquire, memory_order_relaxed);
}

PLAT_FN bool tas_spin_trylock(spinlock_t *lock)
{
	return plat_read_once(&lock->word) == UNLOCKED && cmpxchg_locked(lock);
}

PLAT_FN void virt_spin_lock(spinlock_t *lock)
{
	uint32_t seen;

	plat_lock_wait_begin();
	do {
		seen = plat_read_once(&lock->word);
		while (seen != UNLOCKED)
			seen = plat_wait_until_changed32(&lock->word, seen);
	} while (!cmpxchg_locked(lock));
	plat_lock_wait_end();
}

PLAT_FN void tas_spin_lock(spinlock_t *lock)
{
	if (!cmpxchg_locked(lock))
		virt_spin_lock(lock);
}

PLAT_FN void tas_spin_unlock(spinlock_t *lock)
{
	atomic_store_explicit(&lock->word, UNLOCKED, memory_order_release);
}

PLAT_FN bool tas_spin_is_locked(spinlock_t *lock)
{
	return plat_read_once(&lock->word) != UNLOCKED;
}

const struct lock_class tas_class = {
	.name = "tas",
	.fifo = false,
	.lock = tas_spin_lock,
	.trylock = tas_spin_trylock,
	.unlock = tas_spin_unlock,
	.is_locked = tas_spin_is_locked,
};
