// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * powerpc's own queued spinlock (kernel v6.12 arch/powerpc/lib/qspinlock.c and
 * asm/qspinlock_types.h; N. Piggin, 2022), for dedicated processors: what shared
 * ones add (yielding to a preempted owner, the sleepy bit) is not here.
 *
 *   bit 0       locked
 *   bits 1-14   owner's CPU
 *   bit 15      sleepy, never set here
 *   bit 16      MUSTQ: the queue's head asks newcomers not to steal
 *   bits 17-31  CPU + 1 of the last in the queue
 *
 * No pending waiter, but stealing: a newcomer takes a free lock past the queue
 * until the head has spun HEAD_SPINS times. A load-reserve/store-conditional loop
 * is a load and a compare-exchange, which repeats with the value it found.
 */
#include "sync/classes.h"
#include "sync/qnodes.h"

#define Q_LOCKED      UINT32_C(0x00001)
#define Q_OWNER_MASK  UINT32_C(0x07ffe)
#define Q_OWNER_SHIFT 1
#define Q_MUSTQ       UINT32_C(0x10000)
#define Q_TAIL_MASK   UINT32_C(0xfffe0000)
#define Q_TAIL_SHIFT  17

/* Defaults of the kernel's tunables, in iterations. */
enum { STEAL_SPINS = 32, REMOTE_STEAL_SPINS = 4, HEAD_SPINS = 256 };

struct qnode {
	_Atomic(uint64_t) next; /* name of the successor's node; a pointer in the kernel */
	_Atomic(uint64_t) lock; /* plat_address of the lock waited for, else 0 */
	_Atomic(uint32_t) cpu;
	_Atomic(uint8_t) sleepy;
	_Atomic(uint8_t) locked;
};

struct qnodes {
	_Atomic(uint32_t) count;
	struct qnode nodes[QNODES_PER_CPU];
};

_Static_assert(sizeof(struct qnode) == 24, "as on ppc64");
_Static_assert(sizeof(struct qnodes) == 104, "one line of 128 bytes");

#define NODE_FIELDS(i)                                                                             \
	{"node" #i ".next", 24 * (i) + 8, 8}, {"node" #i ".lock", 24 * (i) + 16, 8},               \
		{"node" #i ".cpu", 24 * (i) + 24, 4}, {"node" #i ".sleepy", 24 * (i) + 28, 1},     \
	{                                                                                          \
		"node" #i ".locked", 24 * (i) + 29, 1                                              \
	}

static const struct plat_field qnodes_fields[] = {
	{"count", 0, 4}, NODE_FIELDS(0), NODE_FIELDS(1), NODE_FIELDS(2), NODE_FIELDS(3)};
static const struct plat_type qnodes_type = {"ppc-qnodes", PLAT_CAT_LOCK_WAIT,
					     sizeof(qnodes_fields) / sizeof(qnodes_fields[0]),
					     qnodes_fields};

static struct plat_percpu *qnodes;

static void ppc_qspinlock_setup(void)
{
	qnodes = plat_percpu_alloc(sizeof(struct qnodes), &qnodes_type);
}

PLAT_INLINE struct qnode *node_of(uint32_t name)
{
	struct qnodes *cpu = plat_percpu_ptr(qnodes, qnode_cpu(name));

	return &cpu->nodes[qnode_index(name)];
}

PLAT_INLINE uint32_t encode_tail(unsigned cpu)
{
	return (uint32_t)(cpu + 1) << Q_TAIL_SHIFT;
}

PLAT_INLINE uint32_t locked_by(unsigned cpu)
{
	return Q_LOCKED | (uint32_t)cpu << Q_OWNER_SHIFT;
}

PLAT_INLINE bool cmpxchg_acquire(spinlock_t *lock, uint32_t *old, uint32_t word)
{
	return atomic_compare_exchange_strong_explicit(&lock->word, old, word, memory_order_acquire,
						       memory_order_relaxed);
}

/* ---- Stealing ---------------------------------------------------------------- */

/* Free and not MUSTQ: all of bits 0-16 are clear. The tail stays. */
PLAT_INLINE bool trylock_steal(spinlock_t *lock, unsigned cpu)
{
	uint32_t old = plat_read_once(&lock->word);

	while (!(old & ~Q_TAIL_MASK)) {
		if (cmpxchg_acquire(lock, &old, old | locked_by(cpu)))
			return true;
	}
	return false;
}

PLAT_INLINE bool owner_is_remote(uint32_t word, unsigned cpu)
{
	unsigned owner = (word & Q_OWNER_MASK) >> Q_OWNER_SHIFT;

	return (word & Q_LOCKED) && plat_node_of_cpu(owner) != plat_node_of_cpu(cpu);
}

PLAT_INLINE bool window_closed(uint32_t word, unsigned cpu, int spins)
{
	return spins >= STEAL_SPINS || (spins >= REMOTE_STEAL_SPINS && owner_is_remote(word, cpu));
}

PLAT_INLINE bool try_to_steal_lock(spinlock_t *lock, unsigned cpu)
{
	uint32_t word;
	int spins = 0;

	do {
		word = plat_read_once(&lock->word);
		if (word & Q_MUSTQ)
			return false;
		if (!(word & Q_LOCKED) && trylock_steal(lock, cpu))
			return true;
		plat_cpu_relax();
	} while (!window_closed(word, cpu, ++spins));
	return false;
}

/* ---- The queue ----------------------------------------------------------------- */

/* Release publishes the node; the old tail is returned, 0 for an empty queue. */
PLAT_INLINE uint32_t publish_tail_cpu(spinlock_t *lock, uint32_t tail)
{
	uint32_t old = plat_read_once(&lock->word);

	while (!atomic_compare_exchange_strong_explicit(&lock->word, &old,
							(old & ~Q_TAIL_MASK) | tail,
							memory_order_release, memory_order_relaxed))
		;
	return old & Q_TAIL_MASK;
}

/* The tail names a CPU only: which of its nodes waits for this lock? */
PLAT_INLINE struct qnode *get_tail_qnode(spinlock_t *lock, uint32_t tail)
{
	unsigned cpu = (tail >> Q_TAIL_SHIFT) - 1;
	unsigned i;

	for (i = 0; i < QNODES_PER_CPU; i++) {
		struct qnode *node = node_of(qnode_name(cpu, i));

		if (plat_read_once(&node->lock) == plat_address(&lock->word))
			return node;
	}
	plat_panic("ppc-qspinlock: the tail's CPU has no node for this lock");
}

PLAT_INLINE void init_node(struct qnode *node, spinlock_t *lock, unsigned cpu)
{
	plat_write_once(&node->next, 0);
	plat_write_once(&node->lock, plat_address(&lock->word));
	plat_write_once(&node->cpu, cpu);
	plat_write_once(&node->sleepy, 0);
	plat_write_once(&node->locked, 0);
}

PLAT_INLINE void wait_for_predecessor(spinlock_t *lock, uint32_t name, uint32_t last)
{
	uint8_t locked = 0;

	plat_write_once(&get_tail_qnode(lock, last)->next, name);
	while (!locked)
		locked = plat_wait_until_changed8(&node_of(name)->locked, 0);
}

/* Spins left until MUSTQ, kept when a thief wins: it is set once per head. */
PLAT_INLINE void wait_while_locked(spinlock_t *lock, int *spins_left)
{
	uint32_t word = plat_read_once(&lock->word);

	while (*spins_left && (word & Q_LOCKED)) {
		if (!--*spins_left)
			atomic_fetch_or_explicit(&lock->word, Q_MUSTQ, memory_order_relaxed);
		plat_cpu_relax();
		word = plat_read_once(&lock->word);
	}
	while (word & Q_LOCKED)
		word = plat_wait_until_changed32(&lock->word, word);
}

/* Takes a free lock, clears MUSTQ, and the tail if it is ours. Returns the word found. */
PLAT_INLINE uint32_t trylock_clean_tail(spinlock_t *lock, unsigned cpu)
{
	uint32_t old = plat_read_once(&lock->word);
	uint32_t keep;

	do {
		if (old & Q_LOCKED)
			return old;
		keep = old & Q_TAIL_MASK;
		if (keep == encode_tail(cpu))
			keep = 0;
	} while (!cmpxchg_acquire(lock, &old, keep | locked_by(cpu)));
	return old;
}

/* Acquires the lock for the queue's head; true when nobody is queued behind it. */
PLAT_INLINE bool lock_as_head(spinlock_t *lock, unsigned cpu)
{
	int spins_left = HEAD_SPINS;
	uint32_t old;

	do {
		wait_while_locked(lock, &spins_left);
		old = trylock_clean_tail(lock, cpu);
	} while (old & Q_LOCKED);
	return (old & Q_TAIL_MASK) == encode_tail(cpu);
}

/* Relaxed: what the successor needs to see it gets with the lock word. */
PLAT_INLINE void wake_successor(struct qnode *node)
{
	uint64_t next = plat_read_once(&node->next);

	while (!next)
		next = plat_wait_until_changed64(&node->next, 0);
	plat_write_once(&node_of((uint32_t)next)->locked, 1);
}

/* The wait ends with the acquisition; waking the next one is the owner's work. */
PLAT_INLINE void lock_with_node(spinlock_t *lock, unsigned cpu, unsigned index)
{
	uint32_t name = qnode_name(cpu, index);
	struct qnode *node = node_of(name);
	uint32_t last;
	bool alone;

	init_node(node, lock, cpu);
	last = publish_tail_cpu(lock, encode_tail(cpu));
	if (last)
		wait_for_predecessor(lock, name, last);
	alone = lock_as_head(lock, cpu);
	plat_lock_wait_end();
	if (!alone)
		wake_successor(node);
	plat_write_once(&node->lock, 0);
}

/* More nesting than nodes. */
PLAT_INLINE void lock_without_node(spinlock_t *lock, unsigned cpu)
{
	while (!trylock_steal(lock, cpu))
		plat_cpu_relax();
	plat_lock_wait_end();
}

PLAT_INLINE void lock_by_queue(spinlock_t *lock, unsigned cpu)
{
	struct qnodes *own = plat_percpu_ptr(qnodes, cpu);
	uint32_t index = plat_read_once(&own->count);

	if (index >= QNODES_PER_CPU) {
		lock_without_node(lock, cpu);
		return;
	}
	plat_write_once(&own->count, index + 1);
	lock_with_node(lock, cpu, index);
	plat_write_once(&own->count, index);
}

/* ---- The verbs ------------------------------------------------------------------- */

/*
 * The generic code calls both locks queued_spin_*; the prefix tells powerpc's
 * functions from those of qspinlock.c in a report.
 */
PLAT_FN void ppc_queued_spin_lock_slowpath(spinlock_t *lock)
{
	unsigned cpu = plat_cpu();

	plat_lock_wait_begin();
	if (try_to_steal_lock(lock, cpu))
		plat_lock_wait_end();
	else
		lock_by_queue(lock, cpu);
}

PLAT_FN void ppc_queued_spin_lock(spinlock_t *lock)
{
	if (!trylock_steal(lock, plat_cpu()))
		ppc_queued_spin_lock_slowpath(lock);
}

PLAT_FN bool ppc_queued_spin_trylock(spinlock_t *lock)
{
	return trylock_steal(lock, plat_cpu());
}

/* Little endian: the low half comes first. It clears locked, owner and sleepy. */
PLAT_FN void ppc_queued_spin_unlock(spinlock_t *lock)
{
	atomic_store_explicit((_Atomic(uint16_t) *)&lock->word, 0, memory_order_release);
}

/* Any state but zero, as the kernel has it. */
PLAT_FN bool ppc_queued_spin_is_locked(spinlock_t *lock)
{
	return plat_read_once(&lock->word) != 0;
}

const struct lock_class ppc_qspinlock_class = {
	.name = "ppc-qspinlock",
	.fifo = false, /* stealing */
	.setup = ppc_qspinlock_setup,
	.lock = ppc_queued_spin_lock,
	.trylock = ppc_queued_spin_trylock,
	.unlock = ppc_queued_spin_unlock,
	.is_locked = ppc_queued_spin_is_locked,
};
