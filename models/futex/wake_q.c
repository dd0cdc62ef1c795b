// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Tasks to be woken once a lock has been released (kernel v4.2, commit
 * 1d0dcb3ad9d3 for futexes; v6.18 kernel/sched/core.c). The list goes through the
 * task_structs: one that is in another such list already is woken by that one.
 */
#include "futex/internal.h"

#define WAKE_Q_TAIL ((struct task_struct *)(uintptr_t)1)

PLAT_FN void get_task_struct(struct task_struct *p)
{
	atomic_fetch_add_explicit(&p->usage, 1, memory_order_relaxed);
}

PLAT_FN void put_task_struct(struct task_struct *p)
{
	/* Tasks live as long as their process. */
	if (atomic_fetch_sub_explicit(&p->usage, 1, memory_order_release) == 1)
		plat_panic("the last reference of a living task was dropped");
}

/* The barrier: who woke it before us also sees what we did before. */
static bool mark(union futex_rules rules, struct task_struct *p)
{
	struct task_struct *none = NULL;

	futex_mb_after_atomic(rules);
	return atomic_compare_exchange_strong_explicit(&p->wake_q_next, &none, WAKE_Q_TAIL,
						       memory_order_relaxed, memory_order_relaxed);
}

PLAT_FN void wake_q_add_safe(union futex_rules rules, struct wake_q_head *head,
			     struct task_struct *p)
{
	if (!mark(rules, p)) {
		put_task_struct(p);
		return;
	}
	if (head->last)
		plat_write_once(&head->last->wake_q_next, p);
	else
		head->first = p;
	head->last = p;
}

PLAT_FN void wake_up_q(struct futex_mm *mm, union futex_rules rules, struct wake_q_head *head)
{
	struct task_struct *p = head->first;

	while (p && p != WAKE_Q_TAIL) {
		struct task_struct *next = plat_read_once(&p->wake_q_next);

		/* May be put into a list again from here on, before it has run. */
		plat_write_once(&p->wake_q_next, NULL);
		wake_up_process(mm, rules, p);
		put_task_struct(p);
		p = next;
	}
}

/* try_to_wake_up(), as far as memory is concerned; plat_wake() is the rest. */
PLAT_FN bool wake_up_process(struct futex_mm *mm, union futex_rules rules, struct task_struct *p)
{
	struct plat_task *sleeper = NULL;

	mm->lock.lock(&p->pi_lock);
	/* What the caller did before is seen by who finds the task running. */
	futex_mb_after_atomic(rules);
	if (plat_read_once(&p->__state) != TASK_RUNNING) {
		sleeper = plat_read_once(&p->on_rq);
		atomic_store_explicit(&p->__state, TASK_RUNNING, memory_order_release);
		plat_wake(sleeper);
	}
	mm->lock.unlock(&p->pi_lock);
	return sleeper != NULL;
}
