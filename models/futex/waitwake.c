// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Wait and wake, kernel v6.18 kernel/futex/waitwake.c. References are dropped in
 * the reverse order of taking: hash, then key.
 */
#include <errno.h>

#include "futex/internal.h"

PLAT_FN uint32_t futex_get_value_locked(_Atomic(uint32_t) *uaddr)
{
	plat_work(PLAT_WORK_USER_READ);
	return plat_read_once(uaddr);
}

/*
 * What of the entry nobody else sees until it is queued. A task that never slept
 * leaves it for then: its stack is in its own cache, where a store costs nothing.
 */
PLAT_INLINE void futex_q_init(union futex_rules rules, struct futex_q *q, union futex_key key,
			      uint32_t bitset)
{
	futex_q_set_bitset(rules, q, bitset);
	futex_q_set_key(rules, q, key);
}

/* With the bucket locked and the word as expected. */
static int enqueue(struct futex_task *task, union futex_rules rules, struct futex_hash_bucket *hb,
		   union futex_key key, uint32_t bitset)
{
	if (!task->thread) {
		futex_task_bind(task);
		futex_q_init(rules, task->q, key, bitset);
	}
	set_current_state(task->task_struct, TASK_INTERRUPTIBLE);
	futex_queue(task, rules, task->q, hb);
	return 0;
}

/* 0: queued, and the state says so. */
PLAT_FN int futex_wait_setup(struct futex_task *task, _Atomic(uint32_t) *uaddr, unsigned flags,
			     uint32_t val, uint32_t bitset)
{
	struct futex_mm *mm = task->mm;
	union futex_rules rules = futex_rules_of(mm);
	union futex_key key = get_futex_key(mm, rules, uaddr, flags);
	struct futex_bucket_ref ref;
	int ret = -EWOULDBLOCK;

	if (futex_key_is_none(key))
		return futex_key_error(key);
	if (task->thread)
		futex_q_init(rules, task->q, key, bitset);
	ref = futex_hash(task, rules, key);
	futex_q_lock(mm, rules, task->q, ref.hb);
	if (futex_get_value_locked(uaddr) == val)
		ret = enqueue(task, rules, ref.hb, key, bitset);
	else
		futex_q_unlock(mm, rules, ref.hb);
	futex_hash_put(rules, ref);
	if (ret)
		put_futex_key(mm, key);
	return ret;
}

/*
 * Whoever dequeued the entry already is about to wake the task, or has. Or is moving
 * it to another bucket: then the task comes back to its first word, for nothing.
 */
PLAT_FN enum plat_wakeup futex_do_wait(struct futex_task *task, uint64_t deadline_ns)
{
	struct task_struct *current = task->task_struct;
	enum plat_wakeup how = PLAT_WOKEN;

	if (!plist_node_empty(&task->q->list))
		how = plat_schedule(&current->__state, deadline_ns, true);
	plat_write_once(&current->__state, TASK_RUNNING);
	return how;
}

enum { WOKEN_FOR_NOTHING = 1 };

/* Asleep; then 0, -ETIMEDOUT, -EINTR, or WOKEN_FOR_NOTHING: once more. */
static int sleep_once(struct futex_task *task, unsigned flags, uint64_t deadline_ns)
{
	struct futex_mm *mm = task->mm;
	enum plat_wakeup how = futex_do_wait(task, deadline_ns);
	bool queued = futex_unqueue(mm, futex_rules_of(mm), task->q);

	if (flags & FLAGS_SHARED)
		futex_drop_key_refs(mm);
	if (!queued)
		return 0;
	if (how == PLAT_TIMED_OUT)
		return -ETIMEDOUT;
	return plat_signal_take() ? -EINTR : WOKEN_FOR_NOTHING;
}

/*
 * A wake-up for nothing: an earlier wait ended by itself while somebody was about
 * to wake it, and did so now; or the entry was being moved.
 */
PLAT_INLINE int __futex_wait(struct futex_task *task, _Atomic(uint32_t) *uaddr, unsigned flags,
			     uint32_t val, uint64_t deadline_ns, uint32_t bitset)
{
	int ret;

	do {
		ret = futex_wait_setup(task, uaddr, flags, val, bitset);
		if (ret == 0)
			ret = sleep_once(task, flags, deadline_ns);
	} while (ret == WOKEN_FOR_NOTHING);
	return ret;
}

PLAT_FN int futex_wait(struct futex_task *task, _Atomic(uint32_t) *uaddr, unsigned flags,
		       uint32_t val, uint64_t deadline_ns, uint32_t bitset)
{
	int ret = -EINVAL;

	plat_kernel_enter();
	plat_work(PLAT_WORK_SYSCALL);
	plat_work(PLAT_WORK_ARGS);
	plat_work(PLAT_WORK_QUEUE_SETUP);
	if (bitset)
		ret = __futex_wait(task, uaddr, flags, val, deadline_ns, bitset);
	plat_kernel_exit();
	return ret;
}

/* What to look for in a bucket. */
struct wanted {
	union futex_key key;
	uint32_t bitset;
	int nr_wake;
};

static int wake_chain(struct futex_mm *mm, union futex_rules rules, struct plist_head *chain,
		      const struct wanted *wanted, struct wake_q_head *wake_q)
{
	struct list_head *next;
	int woken = 0;

	for (struct list_head *this = plist_first(chain); this; this = next) {
		struct futex_q *q = futex_q_of(this);

		next = plist_next(chain, this);
		if (!futex_match(rules, q, wanted->key) ||
		    !(futex_q_bitset(rules, q) & wanted->bitset))
			continue;
		futex_wake_mark(mm, rules, wake_q, q);
		if (++woken >= wanted->nr_wake)
			break;
	}
	return woken;
}

PLAT_FN int futex_wake_bucket(struct futex_mm *mm, union futex_rules rules,
			      struct futex_hash_bucket *hb, const struct wanted *wanted)
{
	spinlock_t *lock = hb_lock(rules, hb);
	struct wake_q_head wake_q = {NULL, NULL};
	int woken;

	plat_work(PLAT_WORK_LOCK);
	mm->lock.lock(lock);
	woken = wake_chain(mm, rules, hb_chain(rules, hb), wanted, &wake_q);
	plat_work(PLAT_WORK_UNLOCK);
	mm->lock.unlock(lock);
	wake_up_q(mm, rules, &wake_q);
	return woken;
}

static int do_futex_wake(struct futex_task *task, _Atomic(uint32_t) *uaddr, unsigned flags,
			 struct wanted wanted)
{
	struct futex_mm *mm = task->mm;
	union futex_rules rules = futex_rules_of(mm);
	struct futex_bucket_ref ref;
	int woken = 0;

	wanted.key = get_futex_key(mm, rules, uaddr, flags);
	if (futex_key_is_none(wanted.key))
		return futex_key_error(wanted.key);
	if (!(flags & FLAGS_STRICT) || wanted.nr_wake > 0) {
		ref = futex_hash(task, rules, wanted.key);
		if (futex_hb_waiters_pending(mm, rules, ref.hb, flags & FLAGS_SHARED))
			woken = futex_wake_bucket(mm, rules, ref.hb, &wanted);
		futex_hash_put(rules, ref);
	}
	put_futex_key(mm, wanted.key);
	return woken;
}

PLAT_FN int futex_wake(struct futex_task *task, _Atomic(uint32_t) *uaddr, unsigned flags,
		       int nr_wake, uint32_t bitset)
{
	struct wanted wanted = {.bitset = bitset, .nr_wake = nr_wake};
	int ret = -EINVAL;

	plat_kernel_enter();
	plat_work(PLAT_WORK_SYSCALL);
	plat_work(PLAT_WORK_ARGS);
	if (bitset)
		ret = do_futex_wake(task, uaddr, flags, wanted);
	plat_kernel_exit();
	return ret;
}
