// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Keys, bucket look-up, bucket locking. Functions have the names of kernel v6.18
 * kernel/futex/core.c; older generations do the same under other names. The
 * order of the accesses is what matters here: tests/futex/access has it for
 * each generation.
 */
#include <errno.h>

#include "futex/internal.h"

/* With FLAGS_NUMA or FLAGS_MPOL: the key also says where its bucket is. */
static union futex_key key_with_node(struct futex_mm *mm, union futex_rules rules,
				     _Atomic(uint32_t) *uaddr, unsigned flags)
{
	uint32_t node;
	int ret = futex_node_of(mm, rules, uaddr, flags, &node);
	union futex_key key;

	if (ret)
		return futex_key_none(-ret);
	key = get_futex_key(mm, rules, uaddr, flags & FLAGS_SHARED);
	if (!futex_key_is_none(key))
		key.v5_6.node = node;
	return key;
}

PLAT_FN union futex_key get_futex_key(struct futex_mm *mm, union futex_rules rules,
				      _Atomic(uint32_t) *uaddr, unsigned flags)
{
	uint64_t address = plat_address(uaddr);
	bool shared = flags & FLAGS_SHARED;

	if (flags & (FLAGS_NUMA | FLAGS_MPOL))
		return key_with_node(mm, rules, uaddr, flags);
	plat_work(PLAT_WORK_KEY);
	if (address % sizeof(uint32_t))
		return futex_key_none(EINVAL);
	if (!uaddr)
		return futex_key_none(EFAULT);
	if (shared) {
		struct page *page = futex_page_of(mm, address);

		plat_work(PLAT_WORK_KEY_SHARED);
		if (!page)
			return futex_key_none(EFAULT);
		futex_get_key_refs(mm, page);
	}
	return futex_key_make(rules.kernel, address, mm->mm_address, shared);
}

PLAT_FN void put_futex_key(struct futex_mm *mm, union futex_key key)
{
	if (!futex_key_is_private(key))
		futex_drop_key_refs(mm);
}

PLAT_INLINE uint32_t hash_key(struct futex_mm *mm, union futex_rules rules, union futex_key key,
			      bool private_table)
{
	unsigned words = futex_hashes_address_only(rules, private_table) ? 2 : 4;

	plat_work_cycles(futex_hash_cycles(rules.hash, words));
	return futex_hash_key(mm, rules, key, private_table);
}

/*
 * v7.3 patches mask and shift into the instructions; the array of tables stays. A
 * node of its own has a meaning only if there is a table for each.
 */
PLAT_INLINE unsigned char *node_queues(struct futex_mm *mm, struct futex_node_data *data,
				       bool constants, uint32_t hash, uint32_t node)
{
	if (node != FUTEX_NO_NODE) {
		node %= mm->global.nodes;
	} else {
		uint32_t shift =
			constants ? mm->global.slot_bits : plat_read_once(&data->hashshift);

		node = futex_node_of_hash(&mm->global, hash, shift);
	}
	return plat_read_once(&data->queues[node]);
}

PLAT_INLINE struct futex_hash_bucket *node_bucket(struct futex_mm *mm, union futex_rules rules,
						  uint32_t hash, uint32_t node)
{
	struct futex_node_data *data = mm->node_data;
	bool constants = rules.kernel == FUTEX_KERNEL_V7_3;
	unsigned char *queues = node_queues(mm, data, constants, hash, node);
	uint32_t mask = constants ? mm->global.slots - 1 : plat_read_once(&data->hashmask);

	return futex_slot(rules, queues, hash & mask);
}

PLAT_INLINE struct futex_hash_bucket *single_bucket(struct futex_mm *mm, union futex_rules rules,
						    uint32_t hash)
{
	struct futex_data *data = mm->data;
	unsigned char *queues = plat_read_once(&data->queues);
	uint64_t size = plat_read_once(&data->hashsize);
	uint64_t mask = rules.kernel == FUTEX_KERNEL_V6_15 ? size : size - 1;

	return futex_slot(rules, queues, hash & (uint32_t)mask);
}

PLAT_INLINE struct futex_hash_bucket *global_bucket(struct futex_mm *mm, union futex_rules rules,
						    uint32_t hash, uint32_t node)
{
	if (mm->node_data)
		return node_bucket(mm, rules, hash, node);
	if (mm->data)
		return single_bucket(mm, rules, hash);
	/* v3.12: base and size are constants of the kernel image. */
	return futex_slot(rules, mm->global.base[0], hash & (mm->global.slots - 1));
}

/* October 2024: the hash comes first, then the table is chosen. */
PLAT_INLINE struct futex_hash_bucket *signal_bucket(struct futex_task *task, struct futex_mm *mm,
						    union futex_rules rules, union futex_key key)
{
	uint32_t hash = hash_key(mm, rules, key, false);
	struct signal_struct *signal = plat_read_once(&task->signal->signal);
	unsigned char *queues = plat_read_once(&signal->futex_hash_bucket);

	if (!queues || !futex_key_is_private(key))
		return global_bucket(mm, rules, hash, FUTEX_NO_NODE);
	return futex_slot(rules, queues, hash & plat_read_once(&signal->futex_hash_mask));
}

/* NULL if the process has no private table (or chose the global one). */
PLAT_INLINE struct futex_private_hash *usable_private_hash(struct futex_mm *mm, uint32_t *mask)
{
	struct futex_private_hash *fph = plat_read_once(&mm->mm_struct->futex_phash);

	*mask = plat_read_once(&fph->hash_mask);
	return *mask ? fph : NULL;
}

PLAT_INLINE struct futex_bucket_ref header_bucket(struct futex_mm *mm, union futex_rules rules,
						  union futex_key key)
{
	struct futex_private_hash *fph = NULL;
	uint32_t hash, mask = 0;
	unsigned char *queues;

	/* A node of its own is a matter of the global tables, for private futexes too. */
	if (futex_key_is_private(key) && key.v5_6.node == FUTEX_NO_NODE)
		fph = usable_private_hash(mm, &mask);
	hash = hash_key(mm, rules, key, fph);
	if (!fph)
		return (struct futex_bucket_ref){
			.hb = global_bucket(mm, rules, hash, key.v5_6.node)};
	queues = (unsigned char *)fph + plat_line_size();
	return (struct futex_bucket_ref){.hb = futex_slot(rules, queues, hash & mask), .fph = fph};
}

PLAT_FN struct futex_bucket_ref __futex_hash(struct futex_task *task, union futex_rules rules,
					     union futex_key key)
{
	struct futex_mm *mm = task->mm;
	uint32_t hash;

	if (futex_has_header(rules))
		return header_bucket(mm, rules, key);
	if (rules.kernel == FUTEX_KERNEL_RFC_2024)
		return (struct futex_bucket_ref){.hb = signal_bucket(task, mm, rules, key)};
	hash = hash_key(mm, rules, key, false);
	return (struct futex_bucket_ref){.hb = global_bucket(mm, rules, hash, FUTEX_NO_NODE)};
}

/* Before v7.2 the hash to count is asked of the bucket, before and after. */
PLAT_INLINE struct futex_private_hash *counted_hash(union futex_rules rules,
						    struct futex_bucket_ref ref)
{
	return rules.back_pointer ? plat_read_once(hb_priv(rules, ref.hb)) : ref.fph;
}

PLAT_FN struct futex_bucket_ref futex_hash(struct futex_task *task, union futex_rules rules,
					   union futex_key key)
{
	struct futex_bucket_ref ref;

	if (!futex_has_header(rules))
		return __futex_hash(task, rules, key);
	plat_rcu_read_lock();
	ref = __futex_hash(task, rules, key);
	ref.fph = counted_hash(rules, ref);
	if (ref.fph && !futex_private_hash_get(rules, ref.fph))
		plat_panic("the private hash died without a resize");
	plat_rcu_read_unlock();
	return ref;
}

PLAT_FN void futex_hash_put(union futex_rules rules, struct futex_bucket_ref ref)
{
	struct futex_private_hash *fph;

	if (!futex_has_header(rules))
		return;
	fph = counted_hash(rules, ref);
	if (fph)
		futex_private_hash_put(rules, fph);
}

/* Barrier A: announced first, then the word is read. */
PLAT_FN void futex_hb_waiters_inc(union futex_rules rules, struct futex_hash_bucket *hb)
{
	if (rules.empty_check != FUTEX_CHECK_COUNTER)
		return;
	atomic_fetch_add_explicit(hb_waiters(rules, hb), 1, memory_order_relaxed);
	if (rules.barrier_a)
		futex_mb_after_atomic(rules);
}

PLAT_FN void futex_hb_waiters_dec(union futex_rules rules, struct futex_hash_bucket *hb)
{
	if (rules.empty_check == FUTEX_CHECK_COUNTER)
		atomic_fetch_sub_explicit(hb_waiters(rules, hb), 1, memory_order_relaxed);
}

/*
 * Barrier B: the word was written first, then waiters are looked for. Until
 * v5.6 a shared key's reference count was this barrier (commit 4b39f99c222a
 * moved it here).
 */
PLAT_INLINE void barrier_b(union futex_rules rules, bool shared)
{
	if (rules.barrier_b && !(shared && futex_key_word_first(rules.kernel)))
		atomic_thread_fence(memory_order_seq_cst);
}

/* v3.14-rc1 (commit b0c29f79ecea): somebody holds or wants the lock, or queues. */
PLAT_INLINE bool locked_or_queued(struct futex_mm *mm, union futex_rules rules,
				  struct futex_hash_bucket *hb)
{
	if (mm->lock.is_locked(hb_lock(rules, hb)))
		return true;
	return !plist_head_empty(hb_chain(rules, hb));
}

PLAT_FN bool futex_hb_waiters_pending(struct futex_mm *mm, union futex_rules rules,
				      struct futex_hash_bucket *hb, bool shared)
{
	barrier_b(rules, shared);
	switch (rules.empty_check) {
	case FUTEX_CHECK_COUNTER:
		return plat_read_once(hb_waiters(rules, hb)) != 0;
	case FUTEX_CHECK_LOCK_AND_LIST:
		return locked_or_queued(mm, rules, hb);
	default:
		return true;
	}
}

PLAT_FN void futex_q_lock(struct futex_mm *mm, union futex_rules rules, struct futex_q *q,
			  struct futex_hash_bucket *hb)
{
	spinlock_t *lock = hb_lock(rules, hb);

	plat_work(PLAT_WORK_LOCK);
	futex_hb_waiters_inc(rules, hb);
	plat_write_once(&q->lock_ptr, lock);
	mm->lock.lock(lock);
	/* Without a counter the lock word is the announcement. */
	if (rules.barrier_a && rules.empty_check != FUTEX_CHECK_COUNTER)
		futex_mb_after_atomic(rules);
}

/* Commit fe00e88d217a (v6.16) moved the decrement into the critical section. */
PLAT_FN void futex_q_unlock(struct futex_mm *mm, union futex_rules rules,
			    struct futex_hash_bucket *hb)
{
	plat_work(PLAT_WORK_UNLOCK);
	if (futex_has_header(rules))
		futex_hb_waiters_dec(rules, hb);
	mm->lock.unlock(hb_lock(rules, hb));
	if (!futex_has_header(rules))
		futex_hb_waiters_dec(rules, hb);
}
