// SPDX-License-Identifier: GPL-3.0-or-later
#include "wrong_locks.h"

/* ---- Looks free, then takes: two CPUs can both have looked ---- */

static bool look_and_take(spinlock_t *lock)
{
	if (plat_read_once(&lock->word) != 0)
		return false;
	plat_write_once(&lock->word, 1);
	return true;
}

static void look_then_take(spinlock_t *lock)
{
	while (!look_and_take(lock))
		plat_wait_until_changed32(&lock->word, 1);
}

static void release(spinlock_t *lock)
{
	atomic_store_explicit(&lock->word, 0, memory_order_release);
}

static bool is_taken(spinlock_t *lock)
{
	return plat_read_once(&lock->word) != 0;
}

/* ---- Sound, apart from what the class makes of it ---- */

static bool take(spinlock_t *lock)
{
	return atomic_exchange_explicit(&lock->word, 1, memory_order_acquire) == 0;
}

static void wait_and_take(spinlock_t *lock)
{
	while (!take(lock))
		plat_wait_until_changed32(&lock->word, 1);
}

static void spin_and_take(spinlock_t *lock)
{
	enum { PAUSE_CYCLES = 100000 };

	while (!take(lock))
		plat_work_cycles(PAUSE_CYCLES);
}

/* So that one CPU alone gets along. */
static void release_on_cpu_0(spinlock_t *lock)
{
	if (plat_cpu() == 0)
		release(lock);
}

/* ---- Counts waiters in the upper half, and lets the latest go first ---- */

enum { WAITER = 1 << 16 };

static bool take_if_free(spinlock_t *lock)
{
	uint32_t word = 0;

	return atomic_compare_exchange_strong_explicit(&lock->word, &word, 1, memory_order_acquire,
						       memory_order_relaxed);
}

/* Waiter n goes when n are left. */
static void last_come_first_served(spinlock_t *lock)
{
	uint32_t word, position;

	if (take_if_free(lock))
		return;
	position = (atomic_fetch_add_explicit(&lock->word, WAITER, memory_order_relaxed) >> 16) + 1;
	for (;;) {
		word = plat_read_once(&lock->word);
		if (word >> 16 == position && !(word & 1)) {
			if (atomic_compare_exchange_strong_explicit(
				    &lock->word, &word, word - WAITER + 1, memory_order_acquire,
				    memory_order_relaxed))
				return;
		} else {
			plat_wait_until_changed32(&lock->word, word);
		}
	}
}

static void clear_holder(spinlock_t *lock)
{
	atomic_fetch_and_explicit(&lock->word, ~UINT32_C(1), memory_order_release);
}

/* ---- Leaves a bit behind ---- */

static void release_with_trace(spinlock_t *lock)
{
	atomic_store_explicit(&lock->word, 2, memory_order_release);
}

static void wait_for_lowest_bit(spinlock_t *lock)
{
	uint32_t word;

	while ((word = atomic_fetch_or_explicit(&lock->word, 1, memory_order_acquire)) & 1)
		plat_wait_until_changed32(&lock->word, word);
}

static bool is_lowest_bit(spinlock_t *lock)
{
	return plat_read_once(&lock->word) & 1;
}

const struct wrong_lock wrong_locks[WRONG_LOCKS] = {
	{{"look-then-take", false, NULL, look_then_take, NULL, release, is_taken},
	 "two holders at once"},
	{{"kept", false, NULL, wait_and_take, NULL, release_on_cpu_0, is_taken}, "wait for ever"},
	{{"kept, spinning", false, NULL, spin_and_take, NULL, release_on_cpu_0, is_taken},
	 "spin for ever"},
	{{"last come", true, NULL, last_come_first_served, NULL, clear_holder, is_lowest_bit},
	 "a later waiter overtook an earlier one"},
	{{"traces", false, NULL, wait_for_lowest_bit, NULL, release_with_trace, is_lowest_bit},
	 "the word of the idle lock is not the idle one"},
};
