/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The futex operations: real code, one process ("mm") with one hash policy. */
#ifndef FUTEXSIM_FUTEX_FUTEX_H
#define FUTEXSIM_FUTEX_FUTEX_H

#include "futex/policy.h"

struct futex_mm;   /* a process: mm_struct, signal_struct, hash tables it can reach */
struct futex_task; /* what other CPUs can touch of a task: task_struct lines, kernel stack with
		      futex_q */

/*
 * Creates the tables the policy asks for (policy->slots must be resolved, not
 * 0) and a process whose memory is on node `home_node`. Call it once per run.
 * futex_mm_destroy() frees the process and its tasks, not simulated memory.
 */
struct futex_mm *futex_mm_create(const struct futex_policy *policy, int home_node);
void futex_mm_destroy(struct futex_mm *mm);

/*
 * Tells the process of user memory (from plat_alloc_user, on `home_node`) whose
 * words will be shared futexes: creates the struct pages that shared keys take
 * references on. At most FUTEX_REGIONS_MAX regions.
 */
enum { FUTEX_REGIONS_MAX = 8 };
void futex_mm_map(struct futex_mm *mm, const void *region, size_t size, int home_node);

/*
 * A task of that process, its kernel memory on the node of `cpu`. The thread
 * (struct plat_task) that first sleeps in one of its operations is it from then on.
 */
struct futex_task *futex_task_create(struct futex_mm *mm, unsigned cpu);

/* PLAT_PRIO_NORMAL unless set: below PLAT_PRIO_RT_END it is woken before others. */
void futex_task_set_prio(struct futex_task *task, int prio);

/* Of an operation; values of kernel v6.18 kernel/futex/futex.h. */
enum {
	FLAGS_SHARED = 0x10,  /* the word may be shared with other processes */
	FLAGS_NUMA = 0x80,    /* the word after it is its node, FUTEX_NO_NODE: to be filled in */
	FLAGS_STRICT = 0x100, /* waking nobody means nobody: the futex2 system calls */
	FLAGS_MPOL = 0x200,   /* a node not given is that of the memory policy */
};

#define FUTEX_BITSET_MATCH_ANY UINT32_MAX
#define FUTEX_NO_NODE          UINT32_MAX

/*
 * Memory policy of a region of futex_mm_map(), which FLAGS_MPOL looks at: the node
 * of MPOL_PREFERRED, or the home node of MPOL_BIND and MPOL_PREFERRED_MANY, -1 if
 * they have none.
 */
enum futex_mempolicy { FUTEX_MPOL_DEFAULT, FUTEX_MPOL_PREFERRED, FUTEX_MPOL_BIND };
void futex_mm_set_policy(struct futex_mm *mm, const void *region, enum futex_mempolicy mode,
			 int node);

/*
 * The system calls, by the kernel's names of what does the work. `uaddr` is memory
 * from plat_alloc_user. All return
 *   -EINVAL  for a word that is not aligned (two words, with FLAGS_NUMA), a bitset of
 *            0, a node that there is not, FLAGS_NUMA or FLAGS_MPOL before v6.16
 *   -EFAULT  for NULL (the kernel: when it has to be read), and for a shared word
 *            that is not mapped
 * and other errors as given.
 */

/*
 * Sleeps while *uaddr is `val`, until woken by somebody whose bitset has a bit in
 * common: 0. Else -EWOULDBLOCK if the word has another value, -ETIMEDOUT after
 * `deadline_ns` (plat_clock_ns, or PLAT_NO_DEADLINE), -EINTR when a signal is
 * pending, which is then taken.
 */
int futex_wait(struct futex_task *task, _Atomic(uint32_t) *uaddr, unsigned flags, uint32_t val,
	       uint64_t deadline_ns, uint32_t bitset);

/*
 * Sleeps while every word has its value, until one of them is woken: its index, the
 * last one's if it was several. Errors as of futex_wait(), and -EINVAL for
 * FLAGS_STRICT, or a count that is 0 or above FUTEX_WAITV_MAX. -ENOSYS before v5.16.
 */
struct futex_waitv {
	_Atomic(uint32_t) *uaddr;
	uint32_t val;
	unsigned flags;
};
enum { FUTEX_WAITV_MAX = 128 };
int futex_wait_multiple(struct futex_task *task, const struct futex_waitv *waiters, unsigned count,
			uint64_t deadline_ns);

/* Wakes up to nr_wake waiters, at least one unless FLAGS_STRICT; how many it woke. */
int futex_wake(struct futex_task *task, _Atomic(uint32_t) *uaddr, unsigned flags, int nr_wake,
	       uint32_t bitset);

/*
 * Wakes up to nr_wake waiters of uaddr1 and makes up to nr_requeue others wait for
 * uaddr2, if *uaddr1 is *cmpval or cmpval is NULL; how many of both together. Else
 * -EAGAIN. -EINVAL also if one of the numbers is negative (the kernel: since v4.15).
 */
int futex_requeue(struct futex_task *task, _Atomic(uint32_t) *uaddr1, _Atomic(uint32_t) *uaddr2,
		  unsigned flags, int nr_wake, int nr_requeue, const uint32_t *cmpval);

/* The bucket index (over all nodes) that a word falls into; no time passes. */
uint32_t futex_bucket_index(struct futex_mm *mm, const _Atomic(uint32_t) *uaddr, bool shared);
uint32_t futex_bucket_count(struct futex_mm *mm, bool shared);

#endif
