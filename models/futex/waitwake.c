// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The two operations, kernel v6.18 kernel/futex/waitwake.c. References are
 * dropped in the reverse order of taking: hash, then key.
 */
#include <errno.h>

#include "futex/internal.h"

PLAT_FN uint32_t futex_get_value_locked(_Atomic(uint32_t) *uaddr)
{
	plat_work(PLAT_WORK_USER_READ);
	return plat_read_once(uaddr);
}

PLAT_INLINE void compare_under_lock(struct futex_task *task, struct futex_mm *mm,
				    union futex_rules rules, struct futex_hash_bucket *hb,
				    _Atomic(uint32_t) *uaddr, uint32_t val)
{
	uint32_t seen;

	futex_q_lock(task, rules, hb);
	seen = futex_get_value_locked(uaddr);
	if (seen == val)
		plat_panic("futex_wait: the word matches, and sleeping is not modelled");
	futex_q_unlock(mm, rules, hb);
}

PLAT_FN int futex_wait_setup(struct futex_task *task, _Atomic(uint32_t) *uaddr, uint32_t val,
			     bool shared)
{
	struct futex_mm *mm = task->mm;
	union futex_rules rules = futex_rules_of(mm);
	union futex_key key = get_futex_key(mm, rules, uaddr, shared);
	struct futex_bucket_ref ref;

	if (futex_key_is_none(key))
		return -EINVAL;
	ref = futex_hash(task, rules, key);
	compare_under_lock(task, mm, rules, ref.hb, uaddr, val);
	futex_hash_put(rules, ref);
	put_futex_key(mm, key);
	return -EWOULDBLOCK;
}

PLAT_FN int futex_wait(struct futex_task *task, _Atomic(uint32_t) *uaddr, uint32_t val, bool shared)
{
	plat_work(PLAT_WORK_SYSCALL);
	plat_work(PLAT_WORK_ARGS);
	plat_work(PLAT_WORK_QUEUE_SETUP);
	return futex_wait_setup(task, uaddr, val, shared);
}

/* Walks the chain; as nobody sleeps yet, its first load is its last. */
PLAT_FN void futex_wake_bucket(struct futex_mm *mm, union futex_rules rules,
			       struct futex_hash_bucket *hb)
{
	spinlock_t *lock = hb_lock(rules, hb);

	plat_work(PLAT_WORK_LOCK);
	mm->lock.lock(lock);
	if (plat_read_once(hb_chain(rules, hb)))
		plat_panic("a waiter is queued, and sleeping is not modelled");
	plat_work(PLAT_WORK_UNLOCK);
	mm->lock.unlock(lock);
}

PLAT_FN int futex_wake(struct futex_task *task, _Atomic(uint32_t) *uaddr, int nr_wake, bool shared)
{
	struct futex_mm *mm = task->mm;
	union futex_rules rules = futex_rules_of(mm);
	struct futex_bucket_ref ref;
	union futex_key key;

	(void)nr_wake; /* a limit that an empty bucket never reaches */
	plat_work(PLAT_WORK_SYSCALL);
	plat_work(PLAT_WORK_ARGS);
	key = get_futex_key(mm, rules, uaddr, shared);
	if (futex_key_is_none(key))
		return -EINVAL;
	ref = futex_hash(task, rules, key);
	if (futex_hb_waiters_pending(mm, rules, ref.hb, shared))
		futex_wake_bucket(mm, rules, ref.hb);
	futex_hash_put(rules, ref);
	put_futex_key(mm, key);
	return 0;
}
