/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the files of this folder share. Objects in shared memory have the
 * kernel's names and, where they matter, its offsets; struct futex_mm and
 * struct futex_task are handles in ordinary memory, constant after creation.
 */
#ifndef FUTEXSIM_FUTEX_INTERNAL_H
#define FUTEXSIM_FUTEX_INTERNAL_H

#include "futex/futex.h"
#include "futex/queue.h"

enum { FUTEX_NODES_MAX = 64 };

/* ---- Shared memory ------------------------------------------------------- */

enum futex_ref_state { FR_PERCPU, FR_ATOMIC };

/* Header of a private table; the buckets start on the next line. v6.16-rc, v6.17. */
struct futex_private_hash {
	union {
		_Atomic(uint32_t) users; /* rcuref, plain int */
		_Atomic(uint32_t) state; /* enum futex_ref_state: per-CPU, atomic */
	};
	_Atomic(uint32_t) hash_mask; /* 0: this process uses the global table */
	uint64_t rcu[2];
	_Atomic(struct mm_struct *) mm;
	_Atomic(uint8_t) custom;
	_Atomic(uint8_t) immutable;
};

/*
 * mm_struct, reduced to its reference count and its futex block (order and
 * distances of v6.17). The block's place in the kernel's structure depends on
 * the configuration; here it starts a line, whatever the line size.
 */
struct mm_struct {
	_Atomic(uint32_t) mm_count;
	uint8_t other[120];
	_Atomic(uint32_t) mm_lock_seq;
	uint64_t futex_hash_lock[4];
	_Atomic(struct futex_private_hash *) futex_phash;
	_Atomic(struct futex_private_hash *) futex_phash_new;
	uint64_t futex_batches;
	uint64_t futex_rcu[2];
	_Atomic(uint64_t) futex_atomic;
	_Atomic(struct plat_percpu *) futex_ref;
};

/* Series of October 2024, patch 2 of 4: the last two members of signal_struct. */
struct signal_struct {
	_Atomic(uint32_t) futex_hash_mask;
	_Atomic(unsigned char *) futex_hash_bucket;
};

/* Descriptor of the global table, v3.14 to v6.15. */
struct futex_data {
	_Atomic(unsigned char *) queues;
	_Atomic(uint64_t) hashsize; /* hashmask in v6.15 (commit e3924279e516) */
};

/* Descriptor of per-node tables, v6.16 on (commit cec199c5e39b). */
struct futex_node_data {
	_Atomic(uint32_t) hashmask;
	_Atomic(uint32_t) hashshift;
	_Atomic(unsigned char *) queues[FUTEX_NODES_MAX];
};

/* What a memory policy is looked for in. */
struct mempolicy {
	_Atomic(uint32_t) mode;
	_Atomic(int32_t) node; /* of MPOL_PREFERRED, or home_node; may be FUTEX_NO_NODE */
};

struct vm_area_struct {
	_Atomic(struct mempolicy *) vm_policy;
};

/* What shared keys touch of a struct page or folio. */
struct page {
	_Atomic(uint64_t) flags;
	uint64_t lru[2];
	_Atomic(uint64_t) mapping;
	uint8_t other[20];
	_Atomic(uint32_t) refcount;
	uint64_t tail;
};

/* ---- Handles ------------------------------------------------------------- */

/* One table, or one per node. */
struct futex_table {
	unsigned char *base[FUTEX_NODES_MAX]; /* one per node of the table */
	uint32_t nodes;
	uint32_t slots;      /* per node */
	uint32_t slot_bits;  /* log2(slots) */
	uint32_t total_bits; /* the same for all nodes together, rounded up */
};

struct futex_region {
	uint64_t first_page; /* page number of its first byte */
	uint64_t pages;
	struct page *map;
	struct vm_area_struct *vma; /* NULL: no memory policy */
};

struct futex_mm {
	union futex_rules rules; /* read by futex_rules_of() */
	struct lock_class lock;
	uint64_t mm_address; /* plat_address() of mm_struct, part of its keys */
	struct mm_struct *mm_struct;
	struct futex_policy policy;
	struct futex_bucket_layout bucket;
	struct futex_table global;
	struct futex_table private; /* slots 0: none */
	struct signal_struct *signal;
	struct futex_data *data;
	struct futex_node_data *node_data;
	struct futex_region region[FUTEX_REGIONS_MAX];
	unsigned region_count;
	struct futex_task *tasks;
	int home_node;
};

struct futex_task {
	struct futex_mm *mm;
	struct task_signal *signal;
	struct futex_q *q;
	int node;
	int prio;
	/* Both NULL until it sleeps for the first time. */
	struct plat_task *thread;
	struct task_struct *task_struct;
	struct futex_q **entry; /* of futex_wait_multiple(); NULL until its first */
	unsigned entry_count;
	struct futex_task *next;
};

/* Tasks to be woken, on the stack of who will do it. */
struct wake_q_head {
	struct task_struct *first, *last;
};

/* A bucket and the private hash it was found in, if any. */
struct futex_bucket_ref {
	struct futex_hash_bucket *hb;
	struct futex_private_hash *fph;
};

/* One load, whatever is asked of it later. */
PLAT_INLINE union futex_rules futex_rules_of(const struct futex_mm *mm)
{
	return (union futex_rules){.word = mm->rules.word};
}

/* ---- tables.c ------------------------------------------------------------ */

void futex_tables_create(struct futex_mm *mm);

/* ---- Which table, and what of the key is hashed: select.c ---------------- */

/* True if this key is looked up in the private table. */
PLAT_INLINE bool futex_uses_private(const struct futex_mm *mm, union futex_key key)
{
	return mm->private.slots != 0 && futex_key_is_private(key);
}

/*
 * The private table of v6.16-rc and later hashes the page address alone; all
 * others, the 2024 series included, hash the whole key.
 */
PLAT_INLINE bool futex_hashes_address_only(union futex_rules rules, bool private_table)
{
	return rules.hash == FUTEX_HASH_JHASH2_ADDR || (private_table && futex_has_header(rules));
}

/* The key's hash value for that table; pure. */
uint32_t futex_hash_key_other(const struct futex_mm *mm, union futex_key key, bool private_table);
PLAT_INLINE uint32_t futex_hash_key(const struct futex_mm *mm, union futex_rules rules,
				    union futex_key key, bool private_table)
{
	if (!futex_hash_is_jhash2(rules.hash))
		return futex_hash_key_other(mm, key, private_table);
	return futex_hashes_address_only(rules, private_table)
		       ? futex_key_address_jhash2(rules.kernel, key)
		       : futex_key_jhash2(key);
}

PLAT_INLINE uint32_t futex_node_of_hash(const struct futex_table *table, uint32_t hash,
					uint32_t shift)
{
	return (hash >> shift) % table->nodes;
}

/* ---- keys of shared futexes: page.c -------------------------------------- */

/* Both NULL: nothing is mapped there. */
struct futex_region *futex_region_of(struct futex_mm *mm, uint64_t address);
struct page *futex_page_of(struct futex_mm *mm, uint64_t address);
/* References taken while the key is built; held until futex_drop_key_refs(). */
void futex_get_key_refs(struct futex_mm *mm, struct page *page);
void futex_drop_key_refs(struct futex_mm *mm);
/* Of a waiter that goes to a shared key: for one more of them. */
void futex_requeue_key_refs(struct futex_mm *mm);

/* ---- numa.c -------------------------------------------------------------- */

/* With FLAGS_NUMA or FLAGS_MPOL: 0 and the node, maybe FUTEX_NO_NODE; or an errno. */
int futex_node_of(struct futex_mm *mm, union futex_rules rules, _Atomic(uint32_t) *uaddr,
		  unsigned flags, uint32_t *node);

/* ---- core.c -------------------------------------------------------------- */

/*
 * The kernel's functions, but that they are told the rules, which an operation
 * reads once.
 */

/* A key that is none if there cannot be one: futex_key_error(). */
union futex_key get_futex_key(struct futex_mm *mm, union futex_rules rules,
			      _Atomic(uint32_t) *uaddr, unsigned flags);
void put_futex_key(struct futex_mm *mm, union futex_key key);
struct futex_bucket_ref futex_hash(struct futex_task *task, union futex_rules rules,
				   union futex_key key);
void futex_hash_put(union futex_rules rules, struct futex_bucket_ref ref);
void futex_hb_waiters_inc(union futex_rules rules, struct futex_hash_bucket *hb);
void futex_hb_waiters_dec(union futex_rules rules, struct futex_hash_bucket *hb);
bool futex_hb_waiters_pending(struct futex_mm *mm, union futex_rules rules,
			      struct futex_hash_bucket *hb, bool shared);
void futex_q_lock(struct futex_mm *mm, union futex_rules rules, struct futex_q *q,
		  struct futex_hash_bucket *hb);
void futex_q_unlock(struct futex_mm *mm, union futex_rules rules, struct futex_hash_bucket *hb);

/* ---- queue.c ------------------------------------------------------------- */

void set_current_state(struct task_struct *current, uint32_t state);
/* With the lock of the bucket, which it releases. */
void futex_queue(struct futex_task *task, union futex_rules rules, struct futex_q *q,
		 struct futex_hash_bucket *hb);
/* With the lock of the bucket that the entry is in. */
void __futex_unqueue(union futex_rules rules, struct futex_q *q);
/* False: somebody else has dequeued it, which is being woken. */
bool futex_unqueue(struct futex_mm *mm, union futex_rules rules, struct futex_q *q);
void wake_futex(struct futex_mm *mm, union futex_rules rules, struct futex_q *q);
/* With the lock of its bucket: dequeues it and, until v4.1, wakes its task at once. */
void futex_wake_mark(struct futex_mm *mm, union futex_rules rules, struct wake_q_head *wake_q,
		     struct futex_q *q);

/* ---- wake_q.c ------------------------------------------------------------ */

void get_task_struct(struct task_struct *p);
void put_task_struct(struct task_struct *p);
/* Takes over a reference on the task. */
void wake_q_add_safe(union futex_rules rules, struct wake_q_head *head, struct task_struct *p);
void wake_up_q(struct futex_mm *mm, union futex_rules rules, struct wake_q_head *head);
/* False if it was running. */
bool wake_up_process(struct futex_mm *mm, union futex_rules rules, struct task_struct *p);

/* ---- task.c -------------------------------------------------------------- */

/* An entry on lines of its own. */
struct futex_q *futex_q_alloc(const struct futex_mm *mm, int node);
/* The running thread is that task, from now on; it gets what sleeping needs. */
void futex_task_bind(struct futex_task *task);

/* ---- waitwake.c ---------------------------------------------------------- */

uint32_t futex_get_value_locked(_Atomic(uint32_t) *uaddr);

/* ---- private.c ----------------------------------------------------------- */

bool futex_private_hash_get(union futex_rules rules, struct futex_private_hash *fph);
/*
 * The process's hash with a reference, NULL if its kernel has none; what
 * futex_private_hash_put() gives back.
 */
struct futex_private_hash *futex_private_hash(struct futex_mm *mm, union futex_rules rules);
void futex_private_hash_put(union futex_rules rules, struct futex_private_hash *fph);

/* ---- free_lock.c --------------------------------------------------------- */

extern const struct lock_class futex_free_lock;
void free_spin_lock(spinlock_t *lock);
bool free_spin_trylock(spinlock_t *lock);
void free_spin_unlock(spinlock_t *lock);
bool free_spin_is_locked(spinlock_t *lock);

#endif
