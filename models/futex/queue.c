// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A task in a bucket's chain, and out of it again: kernel v6.18 kernel/futex/core.c
 * and waitwake.c. The bucket lock protects the chain and the entries in it. Only
 * lock_ptr, which says in which bucket an entry is, is read without a lock: whoever
 * dequeues an entry for its owner sets it to NULL as its last access.
 */
#include "futex/internal.h"

_Static_assert(offsetof(struct futex_q, task) == 40, "v3.12 .. v6.12 layout");
_Static_assert(offsetof(struct futex_q, lock_ptr) == 48, "v3.12 .. v6.12 layout");
_Static_assert(offsetof(struct futex_q, v3_12.key) == 56, "v3.12 layout");
_Static_assert(offsetof(struct futex_q, v3_12.bitset) == 104, "v3.12 layout");
_Static_assert(offsetof(struct futex_q, v6_7.key) == 72, "v6.12 layout");
_Static_assert(offsetof(struct futex_q, v6_7.drop_fph) == 128, "v7.2 layout");
_Static_assert(sizeof(struct futex_q) == 136, "v7.2 layout");

#define Q_FIELDS(key_at, bitset_at)                                                                \
	{                                                                                          \
		{"prio", 0, 4}, {"prio_list", 8, 16}, {"node_list", 24, 16}, {"task", 40, 8},      \
			{"lock_ptr", 48, 8}, {"key", (key_at), 24}, {"bitset", (bitset_at), 4},    \
	}
static const struct plat_field old_fields[] = Q_FIELDS(56, 104);
static const struct plat_field fields[] = Q_FIELDS(72, 120);

const struct plat_type futex_q_type_old = {"futex_q", PLAT_CAT_OTHER, 7, old_fields};
const struct plat_type futex_q_type = {"futex_q", PLAT_CAT_OTHER, 7, fields};

/* Real-time tasks by priority, all others in the order of arrival. */
static int32_t queue_prio(struct task_struct *p)
{
	int32_t prio = plat_read_once(&p->normal_prio);

	return prio < PLAT_PRIO_RT_END ? prio : PLAT_PRIO_RT_END;
}

/*
 * Not a barrier pair with wakers of the word, which is what the announcement in
 * futex_q_lock() is for, but with who sets the state to TASK_RUNNING.
 */
PLAT_FN void set_current_state(struct task_struct *current, uint32_t state)
{
	plat_write_once(&current->__state, state);
	atomic_thread_fence(memory_order_seq_cst);
}

PLAT_FN void futex_queue(struct futex_task *task, union futex_rules rules, struct futex_q *q,
			 struct futex_hash_bucket *hb)
{
	struct task_struct *current = task->task_struct;
	int32_t prio = queue_prio(current);

	if (task->mm->policy.lock_always_free)
		plat_panic("a bucket lock that excludes nobody cannot protect a chain");
	plist_node_init(&q->list, prio);
	plist_add(&q->list, prio, hb_chain(rules, hb));
	plat_locked_write(&q->task, current);
	plat_work(PLAT_WORK_UNLOCK);
	task->mm->lock.unlock(hb_lock(rules, hb));
}

/* With the lock of its bucket. */
PLAT_FN void __futex_unqueue(union futex_rules rules, struct futex_q *q)
{
	struct futex_hash_bucket *hb = hb_of_lock(rules, plat_read_once(&q->lock_ptr));

	plist_del(&q->list, hb_chain(rules, hb));
	futex_hb_waiters_dec(rules, hb);
}

/* False if the entry went elsewhere between the look at lock_ptr and the lock. */
static bool unqueue_from(struct futex_mm *mm, union futex_rules rules, struct futex_q *q,
			 spinlock_t *lock)
{
	bool here;

	mm->lock.lock(lock);
	here = plat_read_once(&q->lock_ptr) == lock;
	if (here)
		__futex_unqueue(rules, q);
	mm->lock.unlock(lock);
	return here;
}

/*
 * The kernel makes do with a control dependency; acquire says to C what that
 * gives: an entry without a bucket belongs to its owner again.
 */
static spinlock_t *bucket_lock_of(struct futex_q *q)
{
	return atomic_load_explicit(&q->lock_ptr, memory_order_acquire);
}

PLAT_FN bool futex_unqueue(struct futex_mm *mm, union futex_rules rules, struct futex_q *q)
{
	bool header = futex_has_header(rules), queued = false;
	spinlock_t *lock;

	/* Buckets can go away since there are private ones. */
	if (header)
		plat_rcu_read_lock();
	while (!queued && (lock = bucket_lock_of(q)))
		queued = unqueue_from(mm, rules, q, lock);
	if (header)
		plat_rcu_read_unlock();
	return queued;
}

/* v3.12 .. v4.1: the task is woken while the bucket is locked. */
PLAT_FN void wake_futex(struct futex_mm *mm, union futex_rules rules, struct futex_q *q)
{
	struct task_struct *p = plat_locked_read(&q->task);

	get_task_struct(p);
	__futex_unqueue(rules, q);
	atomic_store_explicit(&q->lock_ptr, NULL, memory_order_release);
	wake_up_process(mm, rules, p);
	put_task_struct(p);
}

PLAT_FN void futex_wake_mark(struct futex_mm *mm, union futex_rules rules,
			     struct wake_q_head *wake_q, struct futex_q *q)
{
	struct task_struct *p;

	if (futex_q_is_old(rules)) {
		wake_futex(mm, rules, q);
		return;
	}
	p = plat_locked_read(&q->task);
	get_task_struct(p);
	__futex_unqueue(rules, q);
	/* From here on the entry is its owner's. */
	atomic_store_explicit(&q->lock_ptr, NULL, memory_order_release);
	wake_q_add_safe(rules, wake_q, p);
}
