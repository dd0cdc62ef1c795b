/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The pending set: a winner tree with one leaf per CPU slot. A key packs time
 * and slot (types.h), so the root is the next event and ties go to the lower
 * CPU. An update is one branch-free walk from leaf to root.
 */
#ifndef FUTEXSIM_SIM_QUEUE_H
#define FUTEXSIM_SIM_QUEUE_H

#include <stddef.h>

#include "types.h"

struct sim_queue {
	uint64_t *node;  /* node[1] is the root, node[leaves + slot] a leaf */
	uint32_t leaves; /* power of two */
};

/* 0, or -1 without memory. All slots start at SIM_NEVER. */
int sim_queue_init(struct sim_queue *q, uint32_t slots);
void sim_queue_clean_up(struct sim_queue *q);

static inline uint64_t sim_key(sim_time time, uint32_t slot)
{
	return time << SIM_SLOT_BITS | slot;
}

static inline sim_time sim_key_time(uint64_t key)
{
	return key >> SIM_SLOT_BITS;
}

static inline uint32_t sim_key_slot(uint64_t key)
{
	return key & ((1u << SIM_SLOT_BITS) - 1);
}

static inline uint64_t sim_queue_root(const struct sim_queue *q)
{
	return q->node[1];
}

static inline uint64_t sim_queue_leaf(const struct sim_queue *q, uint32_t slot)
{
	return q->node[q->leaves + slot];
}

/* Sets one slot's key and returns the new root. */
static inline uint64_t sim_queue_set(struct sim_queue *q, uint32_t slot, uint64_t key)
{
	uint64_t *node = q->node;
	size_t i = (size_t)q->leaves + slot;

	node[i] = key;
	do {
		uint64_t sibling = node[i ^ 1];

		key = sibling < key ? sibling : key;
		i >>= 1;
		node[i] = key;
	} while (i > 1);
	return key;
}

/* The same for a key that is no later than the slot's present one: ends where others are earlier.
 */
static inline void sim_queue_advance(struct sim_queue *q, uint32_t slot, uint64_t key)
{
	uint64_t *node = q->node;

	for (size_t i = (size_t)q->leaves + slot; i && key < node[i]; i >>= 1)
		node[i] = key;
}

/* The earliest key of all slots but this one. */
static inline uint64_t sim_queue_others(const struct sim_queue *q, uint32_t slot)
{
	const uint64_t *node = q->node;
	uint64_t key = SIM_NEVER;

	for (uint32_t i = q->leaves + slot; i > 1; i >>= 1) {
		uint64_t sibling = node[i ^ 1];

		key = sibling < key ? sibling : key;
	}
	return key;
}

#endif
