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

/* A task of that process, its kernel memory on the node of `cpu`. */
struct futex_task *futex_task_create(struct futex_mm *mm, unsigned cpu);

/*
 * The system calls. `uaddr` is memory from plat_alloc_user. futex_wait returns
 * -EWOULDBLOCK when *uaddr != val; sleeping is not modelled yet, so a match is
 * an error of the caller (plat_panic). futex_wake returns the number woken: 0,
 * as nobody can wait. Both return -EINVAL for a misaligned word.
 */
int futex_wait(struct futex_task *task, _Atomic(uint32_t) *uaddr, uint32_t val, bool shared);
int futex_wake(struct futex_task *task, _Atomic(uint32_t) *uaddr, int nr_wake, bool shared);

/* The bucket index (over all nodes) that a word falls into; no time passes. */
uint32_t futex_bucket_index(struct futex_mm *mm, const _Atomic(uint32_t) *uaddr, bool shared);
uint32_t futex_bucket_count(struct futex_mm *mm, bool shared);

#endif
