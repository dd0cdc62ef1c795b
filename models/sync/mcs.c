// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The queue lock of Mellor-Crummey and Scott (ACM TOCS 9(1), 1991). The word is
 * the name of the last node in the queue; everybody waits on a node of its own,
 * the owner keeps its node until it unlocks.
 *
 * The original passes the node to both calls. Here the node says which lock it
 * serves, so that unlock finds it in the CPU's own line, in whatever order
 * several locks are released. Not used by the kernel as a spinlock by itself.
 */
#include "sync/classes.h"
#include "sync/qnodes.h"

struct mcs_node {
	_Atomic(uint64_t) lock; /* plat_address of the lock; 0: node is free */
	_Atomic(uint32_t) next; /* name of the successor's node */
	_Atomic(uint32_t) locked;
};

#define NODE_FIELDS(i)                                                                             \
	{"node" #i ".lock", 16 * (i), 8}, {"node" #i ".next", 16 * (i) + 8, 4},                    \
	{                                                                                          \
		"node" #i ".locked", 16 * (i) + 12, 4                                              \
	}

_Static_assert(sizeof(struct mcs_node) == 16, "four nodes fill a line of 64 bytes");

static const struct plat_field mcs_fields[] = {NODE_FIELDS(0), NODE_FIELDS(1), NODE_FIELDS(2),
					       NODE_FIELDS(3)};
static const struct plat_type mcs_type = {"mcs-nodes", PLAT_CAT_LOCK_WAIT,
					  sizeof(mcs_fields) / sizeof(mcs_fields[0]), mcs_fields};

static struct plat_percpu *mcs_nodes;

static void mcs_setup(void)
{
	mcs_nodes = plat_percpu_alloc(QNODES_PER_CPU * sizeof(struct mcs_node), &mcs_type);
}

PLAT_INLINE struct mcs_node *node_of(uint32_t name)
{
	struct mcs_node *nodes = plat_percpu_ptr(mcs_nodes, qnode_cpu(name));

	return &nodes[qnode_index(name)];
}

/* Name of this CPU's node that serves `lock`; of a free one for 0. */
PLAT_INLINE uint32_t find_node(uint64_t lock)
{
	unsigned cpu = plat_cpu();
	unsigned i;

	for (i = 0; i < QNODES_PER_CPU; i++) {
		if (plat_read_once(&node_of(qnode_name(cpu, i))->lock) == lock)
			return qnode_name(cpu, i);
	}
	plat_panic(lock ? "mcs_spin_unlock: not locked by this CPU"
			: "mcs_spin_lock: more than 4 locks on one CPU");
}

PLAT_INLINE uint32_t claim_node(spinlock_t *lock)
{
	uint32_t name = find_node(0);
	struct mcs_node *node = node_of(name);

	plat_write_once(&node->lock, plat_address(&lock->word));
	plat_write_once(&node->next, 0);
	plat_write_once(&node->locked, 0);
	return name;
}

PLAT_FN void mcs_spin_lock_slowpath(uint32_t name, uint32_t last)
{
	struct mcs_node *node = node_of(name);
	uint32_t locked = 0;

	plat_lock_wait_begin();
	plat_write_once(&node_of(last)->next, name);
	while (!locked)
		locked = plat_wait_until_changed32(&node->locked, 0);
	plat_lock_wait_end();
}

/*
 * Release publishes the node's fields; acquire orders our store to the
 * predecessor's next after it cleared that field.
 */
PLAT_FN void mcs_spin_lock(spinlock_t *lock)
{
	uint32_t name = claim_node(lock);
	uint32_t last = atomic_exchange_explicit(&lock->word, name, memory_order_acq_rel);

	if (last)
		mcs_spin_lock_slowpath(name, last);
}

PLAT_FN bool mcs_spin_trylock(spinlock_t *lock)
{
	uint32_t name;
	uint32_t last = 0;

	if (plat_read_once(&lock->word))
		return false;
	name = claim_node(lock);
	if (atomic_compare_exchange_strong_explicit(&lock->word, &last, name, memory_order_acq_rel,
						    memory_order_relaxed))
		return true;
	plat_write_once(&node_of(name)->lock, 0);
	return false;
}

/* True when there was nobody behind us. */
PLAT_INLINE bool release_tail(spinlock_t *lock, uint32_t name)
{
	return atomic_compare_exchange_strong_explicit(&lock->word, &name, 0, memory_order_release,
						       memory_order_relaxed);
}

PLAT_FN void mcs_spin_unlock(spinlock_t *lock)
{
	uint32_t name = find_node(plat_address(&lock->word));
	struct mcs_node *node = node_of(name);
	uint32_t next = plat_read_once(&node->next);

	if (next || !release_tail(lock, name)) {
		while (!next)
			next = plat_wait_until_changed32(&node->next, 0);
		atomic_store_explicit(&node_of(next)->locked, 1, memory_order_release);
	}
	plat_write_once(&node->lock, 0);
}

PLAT_FN bool mcs_spin_is_locked(spinlock_t *lock)
{
	return plat_read_once(&lock->word) != 0;
}

const struct lock_class mcs_class = {
	.name = "mcs",
	.fifo = true,
	.setup = mcs_setup,
	.lock = mcs_spin_lock,
	.trylock = mcs_spin_trylock,
	.unlock = mcs_spin_unlock,
	.is_locked = mcs_spin_is_locked,
};
