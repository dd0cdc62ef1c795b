// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * One task waits for many words (futex_waitv, since v5.16): kernel v6.18
 * kernel/futex/waitwake.c. It has an entry in the bucket of each.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "futex/internal.h"

#define WOKEN_FOR_NOTHING INT_MIN

/* The kernel allocates them anew for every call, and zeroes them. */
static void provide_entries(struct futex_task *task, unsigned count)
{
	if (!task->entry) {
		task->entry = calloc(FUTEX_WAITV_MAX, sizeof(struct futex_q *));
		task->entry_count = 0;
	}
	if (!task->entry)
		plat_panic("out of memory");
	for (; task->entry_count < count; task->entry_count++)
		task->entry[task->entry_count] = futex_q_alloc(task->mm, task->node);
}

static bool is_shared(const struct futex_waitv *w)
{
	return w->flags & FLAGS_SHARED;
}

/*
 * Takes all entries out again. The last one that somebody else had taken out, or
 * -1: the wake-up that belongs to it must not be lost.
 */
static int futex_unqueue_multiple(struct futex_task *task, const struct futex_waitv *waiters,
				  unsigned count)
{
	struct futex_mm *mm = task->mm;
	int woken = -1;

	for (unsigned i = 0; i < count; i++) {
		if (!futex_unqueue(mm, futex_rules_of(mm), task->entry[i]))
			woken = (int)i;
		if (is_shared(&waiters[i]))
			futex_drop_key_refs(mm);
	}
	return woken;
}

static void put_keys(struct futex_task *task, const struct futex_waitv *waiters, unsigned from,
		     unsigned count)
{
	for (unsigned i = from; i < count; i++)
		if (is_shared(&waiters[i]))
			futex_drop_key_refs(task->mm);
}

/* All keys, before any bucket is touched. */
static int get_keys(struct futex_task *task, const struct futex_waitv *waiters, unsigned count)
{
	union futex_rules rules = futex_rules_of(task->mm);

	for (unsigned i = 0; i < count; i++) {
		union futex_key key =
			get_futex_key(task->mm, rules, waiters[i].uaddr, waiters[i].flags);

		if (futex_key_is_none(key)) {
			put_keys(task, waiters, 0, i);
			return futex_key_error(key);
		}
		futex_q_set_bitset(rules, task->entry[i], FUTEX_BITSET_MATCH_ANY);
		futex_q_set_key(rules, task->entry[i], key);
	}
	return 0;
}

/* False if the word has another value; then it is not queued. */
static bool queue_one(struct futex_task *task, struct futex_q *q, const struct futex_waitv *w)
{
	struct futex_mm *mm = task->mm;
	union futex_rules rules = futex_rules_of(mm);
	struct futex_bucket_ref ref = futex_hash(task, rules, futex_q_get_key(rules, q));
	bool same;

	futex_q_lock(mm, rules, q, ref.hb);
	same = futex_get_value_locked(w->uaddr) == w->val;
	if (same)
		futex_queue(task, rules, q, ref.hb);
	else
		futex_q_unlock(mm, rules, ref.hb);
	futex_hash_put(rules, ref);
	return same;
}

/* The number that are queued: fewer than `count` if a word had another value. */
static unsigned queue_all(struct futex_task *task, const struct futex_waitv *waiters,
			  unsigned count)
{
	unsigned i = 0;

	while (i < count && queue_one(task, task->entry[i], &waiters[i]))
		i++;
	return i;
}

/*
 * A reference on the private hash for all of it: once the state has changed,
 * nothing may sleep for a resize.
 */
PLAT_FN int futex_wait_multiple_setup(struct futex_task *task, const struct futex_waitv *waiters,
				      unsigned count, int *woken)
{
	union futex_rules rules = futex_rules_of(task->mm);
	struct futex_private_hash *fph;
	unsigned queued;
	int ret = get_keys(task, waiters, count);

	if (ret)
		return ret;
	fph = futex_private_hash(task->mm, rules);
	set_current_state(task->task_struct, TASK_INTERRUPTIBLE);
	queued = queue_all(task, waiters, count);
	if (queued < count) {
		plat_write_once(&task->task_struct->__state, TASK_RUNNING);
		*woken = futex_unqueue_multiple(task, waiters, queued);
		put_keys(task, waiters, queued, count);
		ret = -EWOULDBLOCK;
	}
	if (fph)
		futex_private_hash_put(rules, fph);
	return ret;
}

/* Unless one of them is being woken already. */
PLAT_FN enum plat_wakeup futex_sleep_multiple(struct futex_task *task, unsigned count,
					      uint64_t deadline_ns)
{
	struct task_struct *current = task->task_struct;
	enum plat_wakeup how = PLAT_WOKEN;
	unsigned i = 0;

	while (i < count && plat_read_once(&task->entry[i]->lock_ptr))
		i++;
	if (i == count)
		how = plat_schedule(&current->__state, deadline_ns, true);
	plat_write_once(&current->__state, TASK_RUNNING);
	return how;
}

static int wait_multiple_once(struct futex_task *task, const struct futex_waitv *waiters,
			      unsigned count, uint64_t deadline_ns)
{
	int woken = -1;
	int ret = futex_wait_multiple_setup(task, waiters, count, &woken);
	enum plat_wakeup how;

	if (ret)
		return woken >= 0 ? woken : ret;
	how = futex_sleep_multiple(task, count, deadline_ns);
	woken = futex_unqueue_multiple(task, waiters, count);
	if (woken >= 0)
		return woken;
	if (how == PLAT_TIMED_OUT)
		return -ETIMEDOUT;
	return plat_signal_take() ? -EINTR : WOKEN_FOR_NOTHING;
}

static int check_waiters(const struct futex_mm *mm, const struct futex_waitv *waiters,
			 unsigned count)
{
	if (futex_q_is_old(mm->rules))
		return -ENOSYS;
	if (count == 0 || count > FUTEX_WAITV_MAX)
		return -EINVAL;
	for (unsigned i = 0; i < count; i++)
		if (waiters[i].flags & ~(unsigned)(FLAGS_SHARED | FLAGS_NUMA | FLAGS_MPOL))
			return -EINVAL;
	return 0;
}

PLAT_FN int futex_wait_multiple(struct futex_task *task, const struct futex_waitv *waiters,
				unsigned count, uint64_t deadline_ns)
{
	int ret = check_waiters(task->mm, waiters, count);

	plat_kernel_enter();
	plat_work(PLAT_WORK_SYSCALL);
	if (ret == 0) {
		if (!task->thread)
			futex_task_bind(task);
		provide_entries(task, count);
		do
			ret = wait_multiple_once(task, waiters, count, deadline_ns);
		while (ret == WOKEN_FOR_NOTHING);
	}
	plat_kernel_exit();
	return ret;
}
