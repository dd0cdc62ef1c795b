// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * x86's queued spinlock since v4.2 (kernel v6.12 kernel/locking/qspinlock.c,
 * include/asm-generic/qspinlock_types.h for fewer than 16384 CPUs):
 *
 *   byte 0      locked
 *   byte 1      pending: the one waiter that spins on the word itself
 *   bits 16-31  name of the last queue node (index, CPU + 1)
 *
 * All later waiters queue as MCS, each on its own node; the queue's head spins on
 * the word until both the owner and the pending waiter are gone.
 */
#include "sync/classes.h"
#include "sync/qnodes.h"

#define Q_LOCKED       UINT32_C(0x00001)
#define Q_LOCKED_MASK  UINT32_C(0x000ff)
#define Q_PENDING      UINT32_C(0x00100)
#define Q_PENDING_MASK UINT32_C(0x0ff00)
#define Q_TAIL_SHIFT   16

/* _Q_PENDING_LOOPS of x86: how long to hope that a hand-over completes. */
enum { PENDING_LOOPS = 512 };

struct qnode {
	_Atomic(uint64_t) next; /* name of the successor's node; a pointer in the kernel */
	_Atomic(uint32_t) locked;
	_Atomic(uint32_t) count; /* nodes in use, in the CPU's first node only */
};

_Static_assert(sizeof(struct qnode) == 16, "four nodes fill a line of 64 bytes");

#define NODE_FIELDS(i)                                                                             \
	{"node" #i ".next", 16 * (i), 8}, {"node" #i ".locked", 16 * (i) + 8, 4},                  \
	{                                                                                          \
		"node" #i ".count", 16 * (i) + 12, 4                                               \
	}

static const struct plat_field qnodes_fields[] = {NODE_FIELDS(0), NODE_FIELDS(1), NODE_FIELDS(2),
						  NODE_FIELDS(3)};
static const struct plat_type qnodes_type = {"qnodes", PLAT_CAT_LOCK_WAIT,
					     sizeof(qnodes_fields) / sizeof(qnodes_fields[0]),
					     qnodes_fields};

static struct plat_percpu *qnodes;

static void qspinlock_setup(void)
{
	qnodes = plat_percpu_alloc(QNODES_PER_CPU * sizeof(struct qnode), &qnodes_type);
}

PLAT_INLINE struct qnode *node_of(uint32_t name)
{
	struct qnode *nodes = plat_percpu_ptr(qnodes, qnode_cpu(name));

	return &nodes[qnode_index(name)];
}

/* Parts of the word; little endian: the lowest byte comes first. */
PLAT_INLINE _Atomic(uint8_t) *locked_byte(spinlock_t *lock)
{
	return (_Atomic(uint8_t) *)&lock->word;
}

PLAT_INLINE _Atomic(uint8_t) *pending_byte(spinlock_t *lock)
{
	return (_Atomic(uint8_t) *)&lock->word + 1;
}

PLAT_INLINE _Atomic(uint16_t) *locked_pending(spinlock_t *lock)
{
	return (_Atomic(uint16_t) *)&lock->word;
}

PLAT_INLINE _Atomic(uint16_t) *tail(spinlock_t *lock)
{
	return (_Atomic(uint16_t) *)&lock->word + 1;
}

/* On failure *old is the word found. */
PLAT_INLINE bool cmpxchg_locked(spinlock_t *lock, uint32_t *old)
{
	return atomic_compare_exchange_strong_explicit(&lock->word, old, Q_LOCKED,
						       memory_order_acquire, memory_order_relaxed);
}

PLAT_INLINE bool read_and_cmpxchg_locked(spinlock_t *lock)
{
	uint32_t old = plat_read_once(&lock->word);

	return old == 0 && cmpxchg_locked(lock, &old);
}

/* ---- The pending waiter ---------------------------------------------------- */

/* Pending alone: the owner has left and the pending waiter is about to enter. */
PLAT_INLINE uint32_t wait_for_handover(spinlock_t *lock, uint32_t word)
{
	int loops = PENDING_LOOPS;

	while (word == Q_PENDING && loops--) {
		plat_cpu_relax();
		word = plat_read_once(&lock->word);
	}
	return word;
}

/* False: somebody waits already, go and queue. */
PLAT_INLINE bool lock_as_pending(spinlock_t *lock)
{
	uint32_t old = atomic_fetch_or_explicit(&lock->word, Q_PENDING, memory_order_acquire);
	uint8_t locked = old & Q_LOCKED_MASK;

	if (old & ~Q_LOCKED_MASK) {
		if (!(old & Q_PENDING_MASK))
			plat_write_once(pending_byte(lock), 0);
		return false;
	}
	while (locked)
		locked = plat_wait_until_changed8(locked_byte(lock), locked);
	plat_write_once(locked_pending(lock), (uint16_t)Q_LOCKED);
	return true;
}

/* ---- The queue --------------------------------------------------------------- */

PLAT_INLINE _Atomic(uint32_t) *node_count(unsigned cpu)
{
	return &node_of(qnode_name(cpu, 0))->count;
}

/*
 * Release publishes the node's fields before its name. Relaxed on the reading
 * side: our store to the predecessor's next depends on the address read here.
 */
PLAT_INLINE uint32_t xchg_tail(spinlock_t *lock, uint32_t name)
{
	return atomic_exchange_explicit(tail(lock), (uint16_t)name, memory_order_release);
}

PLAT_INLINE void wait_for_predecessor(struct qnode *node, uint32_t name, uint32_t last)
{
	uint32_t locked = 0;

	plat_write_once(&node_of(last)->next, name);
	while (!locked)
		locked = plat_wait_until_changed32(&node->locked, 0);
}

/* Acquires the lock for the queue's head; true when nobody is queued behind it. */
PLAT_INLINE bool lock_as_head(spinlock_t *lock, uint32_t name)
{
	uint32_t word = atomic_load_explicit(&lock->word, memory_order_acquire);

	while (word & (Q_LOCKED_MASK | Q_PENDING_MASK))
		word = plat_wait_until_changed32(&lock->word, word);
	if (word >> Q_TAIL_SHIFT == name &&
	    atomic_compare_exchange_strong_explicit(&lock->word, &word, Q_LOCKED,
						    memory_order_relaxed, memory_order_relaxed))
		return true;
	plat_write_once(locked_byte(lock), (uint8_t)Q_LOCKED);
	return false;
}

PLAT_INLINE void wake_successor(struct qnode *node, uint64_t next)
{
	while (!next)
		next = plat_wait_until_changed64(&node->next, 0);
	atomic_store_explicit(&node_of((uint32_t)next)->locked, 1, memory_order_release);
}

/* The wait ends with the acquisition; waking the next one is the owner's work. */
PLAT_INLINE void queue_on(spinlock_t *lock, struct qnode *node, uint32_t name)
{
	uint64_t next = 0;
	uint32_t last = xchg_tail(lock, name);
	bool alone;

	if (last) {
		wait_for_predecessor(node, name, last);
		next = plat_read_once(&node->next);
	}
	alone = lock_as_head(lock, name);
	plat_lock_wait_end();
	if (!alone)
		wake_successor(node, next);
}

/* More nesting than nodes. */
PLAT_INLINE void lock_without_node(spinlock_t *lock)
{
	while (!read_and_cmpxchg_locked(lock))
		plat_cpu_relax();
	plat_lock_wait_end();
}

/* One more try after the node is ready: its line may have been a long miss. */
PLAT_INLINE void lock_with_node(spinlock_t *lock, uint32_t name)
{
	struct qnode *node = node_of(name);

	plat_write_once(&node->locked, 0);
	plat_write_once(&node->next, 0);
	if (read_and_cmpxchg_locked(lock))
		plat_lock_wait_end();
	else
		queue_on(lock, node, name);
}

PLAT_INLINE void lock_by_queue(spinlock_t *lock)
{
	unsigned cpu = plat_cpu();
	_Atomic(uint32_t) *count = node_count(cpu);
	uint32_t index = plat_read_once(count);

	plat_write_once(count, index + 1);
	if (index < QNODES_PER_CPU)
		lock_with_node(lock, qnode_name(cpu, index));
	else
		lock_without_node(lock);
	plat_write_once(count, index);
}

/* ---- The verbs ----------------------------------------------------------------- */

PLAT_FN void queued_spin_lock_slowpath(spinlock_t *lock, uint32_t word)
{
	plat_lock_wait_begin();
	word = wait_for_handover(lock, word);
	if (!(word & ~Q_LOCKED_MASK) && lock_as_pending(lock))
		plat_lock_wait_end();
	else
		lock_by_queue(lock);
}

PLAT_FN void queued_spin_lock(spinlock_t *lock)
{
	uint32_t old = 0;

	if (!cmpxchg_locked(lock, &old))
		queued_spin_lock_slowpath(lock, old);
}

PLAT_FN bool queued_spin_trylock(spinlock_t *lock)
{
	return read_and_cmpxchg_locked(lock);
}

PLAT_FN void queued_spin_unlock(spinlock_t *lock)
{
	atomic_store_explicit(locked_byte(lock), 0, memory_order_release);
}

/* Any state but zero: a waiter counts, as the kernel has it. */
PLAT_FN bool queued_spin_is_locked(spinlock_t *lock)
{
	return plat_read_once(&lock->word) != 0;
}

const struct lock_class qspinlock_class = {
	.name = "qspinlock",
	.fifo = false, /* pending and the try before queueing overtake */
	.setup = qspinlock_setup,
	.lock = queued_spin_lock,
	.trylock = queued_spin_trylock,
	.unlock = queued_spin_unlock,
	.is_locked = queued_spin_is_locked,
};
