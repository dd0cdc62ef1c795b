// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The count in mm_struct that stands in for the per-CPU counters during a resize
 * (kernel v6.17 kernel/futex/core.c, FR_ATOMIC): atomic_long_inc_not_zero() is a
 * load and compare-exchanges until one succeeds, atomic_long_dec_and_test() one
 * fully ordered subtraction.
 */
#include "sync/refcount.h"

PLAT_FN bool atomicref_get(_Atomic(uint64_t) *ref)
{
	uint64_t count = plat_read_once(ref);

	while (count) {
		if (atomic_compare_exchange_strong_explicit(
			    ref, &count, count + 1, memory_order_seq_cst, memory_order_relaxed))
			return true;
	}
	return false;
}

PLAT_FN bool atomicref_put(_Atomic(uint64_t) *ref)
{
	return atomic_fetch_sub_explicit(ref, 1, memory_order_seq_cst) == 1;
}
