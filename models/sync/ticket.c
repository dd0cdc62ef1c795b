// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * x86's ticket lock up to v4.1, with 16-bit tickets (kernel v3.12
 * arch/x86/include/asm/spinlock.h): the low half is the ticket being served
 * (head), the high half the next one to give out (tail). Every waiter reads the
 * same word, so each hand-over invalidates all of them.
 */
#include "sync/classes.h"

enum { TAIL_SHIFT = 16 };

PLAT_INLINE uint16_t head_of(uint32_t word)
{
	return (uint16_t)word;
}

PLAT_INLINE uint16_t tail_of(uint32_t word)
{
	return (uint16_t)(word >> TAIL_SHIFT);
}

/* Little endian: the low half comes first. */
PLAT_INLINE _Atomic(uint16_t) *head(spinlock_t *lock)
{
	return (_Atomic(uint16_t) *)&lock->word;
}

PLAT_FN void ticket_spin_lock(spinlock_t *lock)
{
	uint32_t old = atomic_fetch_add_explicit(&lock->word, UINT32_C(1) << TAIL_SHIFT,
						 memory_order_acquire);
	uint16_t mine = tail_of(old);
	uint16_t serving = head_of(old);

	if (serving == mine)
		return;
	plat_lock_wait_begin();
	while (serving != mine)
		serving = plat_wait_until_changed16(head(lock), serving);
	plat_lock_wait_end();
}

PLAT_FN bool ticket_spin_trylock(spinlock_t *lock)
{
	uint32_t old = plat_read_once(&lock->word);
	uint32_t taken = old + (UINT32_C(1) << TAIL_SHIFT);

	return head_of(old) == tail_of(old) &&
	       atomic_compare_exchange_strong_explicit(&lock->word, &old, taken,
						       memory_order_acquire, memory_order_relaxed);
}

/* Only the owner writes head: x86 adds without a LOCK prefix. */
PLAT_FN void ticket_spin_unlock(spinlock_t *lock)
{
	uint16_t serving = plat_read_once(head(lock));

	atomic_store_explicit(head(lock), (uint16_t)(serving + 1), memory_order_release);
}

PLAT_FN bool ticket_spin_is_locked(spinlock_t *lock)
{
	uint32_t word = plat_read_once(&lock->word);

	return head_of(word) != tail_of(word);
}

const struct lock_class ticket_class = {
	.name = "ticket",
	.fifo = true,
	.lock = ticket_spin_lock,
	.trylock = ticket_spin_trylock,
	.unlock = ticket_spin_unlock,
	.is_locked = ticket_spin_is_locked,
};
