// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Waiters go from one futex to another without running: kernel v6.18
 * kernel/futex/requeue.c. Both buckets are locked, the one with the lower address
 * first.
 */
#include <errno.h>

#include "futex/internal.h"

struct requeue {
	struct futex_task *task;
	union futex_rules rules;
	union futex_key key1, key2;
	struct futex_hash_bucket *hb1, *hb2;
	int nr_wake, nr_requeue;
	int woken, moved;
	struct wake_q_head wake_q;
};

PLAT_FN void double_lock_hb(struct futex_mm *mm, union futex_rules rules,
			    struct futex_hash_bucket *hb1, struct futex_hash_bucket *hb2)
{
	bool swap = plat_address(hb1) > plat_address(hb2);

	plat_work(PLAT_WORK_LOCK);
	mm->lock.lock(hb_lock(rules, swap ? hb2 : hb1));
	if (hb1 != hb2)
		mm->lock.lock(hb_lock(rules, swap ? hb1 : hb2));
}

PLAT_FN void double_unlock_hb(struct futex_mm *mm, union futex_rules rules,
			      struct futex_hash_bucket *hb1, struct futex_hash_bucket *hb2)
{
	plat_work(PLAT_WORK_UNLOCK);
	mm->lock.unlock(hb_lock(rules, hb1));
	if (hb1 != hb2)
		mm->lock.unlock(hb_lock(rules, hb2));
}

static void move_to_bucket(struct requeue *r, struct futex_q *q)
{
	plist_del(&q->list, hb_chain(r->rules, r->hb1));
	futex_hb_waiters_dec(r->rules, r->hb1);
	futex_hb_waiters_inc(r->rules, r->hb2);
	plist_add(&q->list, plat_locked_read(&q->list.prio), hb_chain(r->rules, r->hb2));
	plat_write_once(&q->lock_ptr, hb_lock(r->rules, r->hb2));
}

/* Within one bucket only the key changes, and so the order of arrival stays. */
PLAT_FN void requeue_futex(struct requeue *r, struct futex_q *q)
{
	if (r->hb1 != r->hb2)
		move_to_bucket(r, q);
	if (!futex_key_is_private(r->key2))
		futex_requeue_key_refs(r->task->mm);
	futex_q_set_key(r->rules, q, r->key2);
}

static void requeue_chain(struct requeue *r)
{
	struct plist_head *chain = hb_chain(r->rules, r->hb1);
	struct list_head *next;

	for (struct list_head *this = plist_first(chain); this; this = next) {
		struct futex_q *q = futex_q_of(this);

		if (r->woken >= r->nr_wake && r->moved >= r->nr_requeue)
			break;
		next = plist_next(chain, this);
		if (!futex_match(r->rules, q, r->key1))
			continue;
		if (r->woken < r->nr_wake) {
			futex_wake_mark(r->task->mm, r->rules, &r->wake_q, q);
			r->woken++;
		} else {
			requeue_futex(r, q);
			r->moved++;
		}
	}
}

/*
 * Commit fe00e88d217a (v6.16) moved the decrement into the critical section, and
 * since then tasks are woken only when both references on the hash are dropped.
 */
static void unlock_and_wake(struct requeue *r, struct futex_bucket_ref ref1,
			    struct futex_bucket_ref ref2)
{
	struct futex_mm *mm = r->task->mm;
	bool header = futex_has_header(r->rules);

	if (header)
		futex_hb_waiters_dec(r->rules, r->hb2);
	double_unlock_hb(mm, r->rules, r->hb1, r->hb2);
	if (header) {
		futex_hash_put(r->rules, ref2);
		futex_hash_put(r->rules, ref1);
	}
	wake_up_q(mm, r->rules, &r->wake_q);
	if (!header)
		futex_hb_waiters_dec(r->rules, r->hb2);
}

static int requeue_between(struct requeue *r, _Atomic(uint32_t) *uaddr1, const uint32_t *cmpval)
{
	struct futex_bucket_ref ref1 = futex_hash(r->task, r->rules, r->key1);
	struct futex_bucket_ref ref2 = futex_hash(r->task, r->rules, r->key2);
	bool changed;

	r->hb1 = ref1.hb;
	r->hb2 = ref2.hb;
	/* Announced before the move: who wakes there must not find it empty. */
	futex_hb_waiters_inc(r->rules, r->hb2);
	double_lock_hb(r->task->mm, r->rules, r->hb1, r->hb2);
	changed = cmpval && futex_get_value_locked(uaddr1) != *cmpval;
	if (!changed)
		requeue_chain(r);
	unlock_and_wake(r, ref1, ref2);
	return changed ? -EAGAIN : r->woken + r->moved;
}

static int requeue_keys(struct requeue *r, _Atomic(uint32_t) *uaddr1, _Atomic(uint32_t) *uaddr2,
			unsigned flags, const uint32_t *cmpval)
{
	struct futex_mm *mm = r->task->mm;
	int ret;

	r->key1 = get_futex_key(mm, r->rules, uaddr1, flags);
	if (futex_key_is_none(r->key1))
		return futex_key_error(r->key1);
	r->key2 = get_futex_key(mm, r->rules, uaddr2, flags);
	if (futex_key_is_none(r->key2)) {
		put_futex_key(mm, r->key1);
		return futex_key_error(r->key2);
	}
	ret = requeue_between(r, uaddr1, cmpval);
	/* Of every waiter that left it. */
	for (int i = 0; i < r->moved; i++)
		put_futex_key(mm, r->key1);
	put_futex_key(mm, r->key2);
	put_futex_key(mm, r->key1);
	return ret;
}

PLAT_FN int futex_requeue(struct futex_task *task, _Atomic(uint32_t) *uaddr1,
			  _Atomic(uint32_t) *uaddr2, unsigned flags, int nr_wake, int nr_requeue,
			  const uint32_t *cmpval)
{
	struct requeue r = {
		.task = task,
		.rules = futex_rules_of(task->mm),
		.nr_wake = nr_wake,
		.nr_requeue = nr_requeue,
	};
	int ret = -EINVAL;

	plat_kernel_enter();
	plat_work(PLAT_WORK_SYSCALL);
	plat_work(PLAT_WORK_ARGS);
	if (nr_wake >= 0 && nr_requeue >= 0)
		ret = requeue_keys(&r, uaddr1, uaddr2, flags, cmpval);
	plat_kernel_exit();
	return ret;
}
