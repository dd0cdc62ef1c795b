// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A reference count raised and dropped by an unconditional add (kernel v6.17
 * include/linux/rcuref.h and lib/rcuref.c; slow path as of commit b9a49520679e).
 * The word is the number of references - 1, and the zone it lies in its state:
 *
 *   0x00000000 .. 0x7fffffff  valid
 *   0x80000000 .. 0xbfffffff  saturated: leaked for good
 *   0xc0000000 .. 0xfffffffe  dead
 *   0xffffffff                no reference, not dead yet
 *
 * Slow paths write back the middle of their zone, so that stray adds of other
 * CPUs cannot drift out of it. The kernel also warns on saturation and on a put
 * too many; here the word tells.
 */
#include "sync/refcount.h"

#define RCUREF_ONEREF    UINT32_C(0x00000000)
#define RCUREF_MAXREF    UINT32_C(0x7fffffff)
#define RCUREF_SATURATED UINT32_C(0xa0000000)
#define RCUREF_RELEASED  UINT32_C(0xc0000000)
#define RCUREF_DEAD      UINT32_C(0xe0000000)
#define RCUREF_NOREF     UINT32_C(0xffffffff)

PLAT_INLINE bool is_valid(uint32_t count)
{
	return count <= RCUREF_MAXREF;
}

void rcuref_init(_Atomic(uint32_t) *ref, uint32_t count)
{
	plat_write_once(ref, RCUREF_ONEREF + count - 1);
}

PLAT_FN bool rcuref_get_slowpath(_Atomic(uint32_t) *ref)
{
	uint32_t count = plat_read_once(ref);

	if (count >= RCUREF_RELEASED) {
		plat_write_once(ref, RCUREF_DEAD);
		return false;
	}
	if (!is_valid(count))
		plat_write_once(ref, RCUREF_SATURATED);
	return true;
}

/* From NOREF it yields 0, a legal resurrection: the put's exchange then fails. */
PLAT_FN bool rcuref_get(_Atomic(uint32_t) *ref)
{
	uint32_t count = atomic_fetch_add_explicit(ref, 1, memory_order_relaxed) + 1;

	return is_valid(count) || rcuref_get_slowpath(ref);
}

/*
 * `count` is what the decrement left. Reading the word again instead was the bug
 * that commit b9a49520679e fixed: by then another CPU may have got, put and
 * killed it, which looked like a put too many.
 */
PLAT_FN bool rcuref_put_slowpath(_Atomic(uint32_t) *ref, uint32_t count)
{
	if (count == RCUREF_NOREF)
		return atomic_compare_exchange_strong_explicit(
			ref, &count, RCUREF_DEAD, memory_order_acq_rel, memory_order_relaxed);
	if (count >= RCUREF_RELEASED)
		plat_write_once(ref, RCUREF_DEAD);
	else if (!is_valid(count))
		plat_write_once(ref, RCUREF_SATURATED);
	return false;
}

/* Preemption is off so that RCU keeps the word's memory for the slow path. */
PLAT_FN bool rcuref_put(_Atomic(uint32_t) *ref)
{
	uint32_t count;
	bool last;

	plat_preempt_disable();
	count = atomic_fetch_sub_explicit(ref, 1, memory_order_release) - 1;
	last = !is_valid(count) && rcuref_put_slowpath(ref, count);
	plat_preempt_enable();
	return last;
}

PLAT_FN bool rcuref_is_dead(_Atomic(uint32_t) *ref)
{
	uint32_t count = plat_read_once(ref);

	return count >= RCUREF_RELEASED && count < RCUREF_NOREF;
}
