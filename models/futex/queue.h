/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What waiters consist of, in shared memory: struct futex_q, an entry of a bucket's
 * chain, on the kernel stack of its task; and the lines of task_struct that who
 * wakes a task touches.
 */
#ifndef FUTEXSIM_FUTEX_QUEUE_H
#define FUTEXSIM_FUTEX_QUEUE_H

#include "futex/key.h"
#include "futex/plist.h"
#include "futex/rules.h"

enum { TASK_RUNNING, TASK_INTERRUPTIBLE };

/*
 * As in kernel v6.12 on x86-64, without debugging options; which members are on
 * which line is from memory. Others are left out.
 */
struct task_struct {
	uint64_t thread_info[3];
	_Atomic(uint32_t) __state;
	uint8_t stack[12];
	_Atomic(uint32_t) usage;
	uint8_t wake_entry[60];
	_Atomic(struct plat_task *) on_rq; /* and on_cpu: what the scheduler knows it by */
	_Atomic(int32_t) normal_prio;
	uint8_t policy[12];
	spinlock_t pi_lock;
	_Atomic(struct task_struct *) wake_q_next;
	uint8_t pi_waiters[48];
};

/* A line of task_struct that nobody writes. */
struct task_signal {
	_Atomic(struct signal_struct *) signal;
};

/* union futex_key; the offset, which is compared, and the node, which is not, go together. */
struct futex_q_key {
	PLAT_LOCKED(uint64_t) members[2];
	PLAT_LOCKED(uint64_t) offset_and_node;
};

struct futex_q {
	struct plist_node list;
	PLAT_LOCKED(struct task_struct *) task;
	/* NULL: dequeued by somebody else; read without a lock. */
	_Atomic(spinlock_t *) lock_ptr;
	union {
		struct {
			struct futex_q_key key;
			uint64_t pi_state, rt_waiter, requeue_pi_key;
			PLAT_LOCKED(uint32_t) bitset;
		} v3_12;
		struct {
			uint64_t wake, wake_data;
			struct futex_q_key key;
			uint64_t pi_state, rt_waiter, requeue_pi_key;
			PLAT_LOCKED(uint32_t) bitset;
			uint32_t requeue_state;
			uint64_t drop_fph; /* since v6.16 */
		} v6_7;
	};
};

extern const struct plat_type futex_q_type_old, futex_q_type;

PLAT_INLINE bool futex_q_is_old(union futex_rules rules)
{
	return rules.kernel <= FUTEX_KERNEL_V3_14;
}

PLAT_INLINE struct futex_q_key *futex_q_key(union futex_rules rules, struct futex_q *q)
{
	return futex_q_is_old(rules) ? &q->v3_12.key : &q->v6_7.key;
}

PLAT_INLINE uint32_t futex_q_bitset(union futex_rules rules, struct futex_q *q)
{
	return futex_q_is_old(rules) ? plat_locked_read(&q->v3_12.bitset)
				     : plat_locked_read(&q->v6_7.bitset);
}

PLAT_INLINE void futex_q_set_bitset(union futex_rules rules, struct futex_q *q, uint32_t bitset)
{
	if (futex_q_is_old(rules))
		plat_locked_write(&q->v3_12.bitset, bitset);
	else
		plat_locked_write(&q->v6_7.bitset, bitset);
}

PLAT_INLINE void futex_q_set_key(union futex_rules rules, struct futex_q *q, union futex_key key)
{
	struct futex_q_key *out = futex_q_key(rules, q);

	plat_locked_write(&out->members[0], key.both.members[0]);
	plat_locked_write(&out->members[1], key.both.members[1]);
	plat_locked_write(&out->offset_and_node, key.both.offset | (uint64_t)key.v5_6.node << 32);
}

/* By its owner, before it is queued. */
PLAT_INLINE union futex_key futex_q_get_key(union futex_rules rules, struct futex_q *q)
{
	struct futex_q_key *in = futex_q_key(rules, q);
	union futex_key key;
	uint64_t last;

	key.both.members[0] = plat_locked_read(&in->members[0]);
	key.both.members[1] = plat_locked_read(&in->members[1]);
	last = plat_locked_read(&in->offset_and_node);
	key.v5_6.offset = (uint32_t)last;
	key.v5_6.node = (uint32_t)(last >> 32);
	return key;
}

/* The page is compared first: it is what differs most often. */
PLAT_INLINE bool futex_match(union futex_rules rules, struct futex_q *q, union futex_key key)
{
	struct futex_q_key *in = futex_q_key(rules, q);
	unsigned page = futex_key_word_first(rules.kernel) ? 0 : 1;

	if (plat_locked_read(&in->members[page]) != key.both.members[page])
		return false;
	if (plat_locked_read(&in->members[1 - page]) != key.both.members[1 - page])
		return false;
	return (uint32_t)plat_locked_read(&in->offset_and_node) == key.both.offset;
}

#define futex_q_of(list_entry)                                                                     \
	((struct futex_q *)(void *)((unsigned char *)(list_entry)-offsetof(struct futex_q,         \
									   list.node_list)))

#endif
