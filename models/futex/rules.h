/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the operations ask of a policy and of its bucket layout, in one word: an
 * operation reads it once and hands it on in a register. Instrumented code calls
 * the runtime for every load of memory, even for one without simulated cost.
 */
#ifndef FUTEXSIM_FUTEX_RULES_H
#define FUTEXSIM_FUTEX_RULES_H

#include "futex/bucket.h"
#include "futex/plist.h"

union futex_rules {
	struct {
		uint8_t waiters, lock, chain, priv; /* as in struct futex_bucket_layout */
		unsigned stride : 12;
		unsigned kernel : 4;
		unsigned refcount : 3;
		unsigned empty_check : 2;
		unsigned hash : 3;
		bool resizable : 1;
		bool barrier_a : 1;
		bool barrier_b : 1;
		bool back_pointer : 1;
		bool weak_rmw : 1;
	};
	uint64_t word;
};
_Static_assert(sizeof(union futex_rules) == sizeof(uint64_t), "read by one load");

union futex_rules futex_rules_make(const struct futex_policy *policy);

/* Private hash header, reference API, waiters-1 before the unlock. */
PLAT_INLINE bool futex_has_header(union futex_rules rules)
{
	return rules.kernel >= FUTEX_KERNEL_V6_16_RC;
}

/*
 * smp_mb__after_atomic(): makes the RMW before it a full barrier. On x86 it is
 * one already.
 */
PLAT_INLINE void futex_mb_after_atomic(union futex_rules rules)
{
	if (rules.weak_rmw)
		atomic_thread_fence(memory_order_seq_cst);
}

/* ---- Fields of a bucket ---------------------------------------------------- */

PLAT_INLINE struct futex_hash_bucket *futex_slot(union futex_rules rules, unsigned char *queues,
						 uint32_t index)
{
	return (struct futex_hash_bucket *)(queues + (size_t)index * rules.stride);
}

PLAT_INLINE void *hb_field(struct futex_hash_bucket *hb, unsigned offset)
{
	return (unsigned char *)hb + offset;
}

PLAT_INLINE _Atomic(uint32_t) *hb_waiters(union futex_rules rules, struct futex_hash_bucket *hb)
{
	return hb_field(hb, rules.waiters);
}

PLAT_INLINE spinlock_t *hb_lock(union futex_rules rules, struct futex_hash_bucket *hb)
{
	return hb_field(hb, rules.lock);
}

PLAT_INLINE struct futex_hash_bucket *hb_of_lock(union futex_rules rules, spinlock_t *lock)
{
	return (struct futex_hash_bucket *)(void *)((unsigned char *)lock - rules.lock);
}

PLAT_INLINE struct plist_head *hb_chain(union futex_rules rules, struct futex_hash_bucket *hb)
{
	return hb_field(hb, rules.chain);
}

PLAT_INLINE _Atomic(struct futex_private_hash *) *hb_priv(union futex_rules rules,
							  struct futex_hash_bucket *hb)
{
	return hb_field(hb, rules.priv);
}

#endif
