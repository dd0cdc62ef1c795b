/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Requests waiting for one cache line. Each is linked into one list per domain
 * level (its unit, cluster, socket, the whole machine), all in the order in
 * which the requests were made, so that "the oldest request near the present
 * owner" costs a few look-ups. CPUs spinning on the line hang on the same
 * object.
 */
#ifndef FUTEXSIM_MACHINE_WAIT_QUEUE_H
#define FUTEXSIM_MACHINE_WAIT_QUEUE_H

#include "machine/topology.h"
#include "types.h"

enum wait_level { WAIT_UNIT, WAIT_CLUSTER, WAIT_SOCKET, WAIT_ALL, WAIT_READS, WAIT_LEVELS };

struct wait_ends {
	uint16_t head, tail; /* slot + 1, 0 = empty */
};

struct wait_queue {
	uint32_t count;    /* requests */
	uint16_t spinners; /* head of the list of spinning slots, slot + 1 */
	bool in_use;
	sim_time since; /* when the line came to the unit that holds it */
	/*
	 * Per level: until then nothing from outside the holder's cluster or socket
	 * can have arrived; the caller's.
	 */
	sim_time alone_until[WAIT_ALL];
	struct wait_ends *ends; /* one per domain of every level */
};

struct wait_link {
	uint16_t next, prev;
};

/* Links and domains of one CPU slot; one host cache line. */
struct wait_slot {
	struct wait_link link[WAIT_LEVELS];
	uint16_t domain[WAIT_LEVELS]; /* index into wait_queue.ends */
	uint16_t spin_next;
	sim_time since; /* when the request was made */
	sim_time ready; /* when the line's home has dealt with it; the caller's */
	bool read;
} __attribute__((aligned(64)));

struct wait_pool {
	struct wait_queue *queue;
	uint32_t count, capacity; /* at most SIM_CPUS_MAX + 1 */
	uint32_t *free_list;
	uint32_t free_count;
	uint32_t domains;
	bool level_used[WAIT_LEVELS]; /* levels that differ from the next wider one */
	uint8_t levels[WAIT_LEVELS];  /* those, WAIT_READS last */
	uint32_t level_count;         /* without WAIT_READS */
	struct wait_slot *slot;
};

/*
 * One slot per place given. merge_units: keep lists per unit, for
 * wait_queue_sibling. 0, or -1 without memory.
 */
int wait_pool_init(struct wait_pool *pool, const struct machine_topology *t, uint32_t slots,
		   const struct cpu_place *places, bool merge_units);
void wait_pool_clean_up(struct wait_pool *pool);

/* 1 + index of an empty queue, or 0 without memory; given back when it is empty again. */
uint32_t wait_queue_take(struct wait_pool *pool);
void wait_queue_release(struct wait_pool *pool, uint32_t queue);

void wait_queue_add(struct wait_pool *pool, uint32_t queue, uint32_t slot, bool read, sim_time now);
void wait_queue_remove(struct wait_pool *pool, uint32_t queue, uint32_t slot);
/* The oldest request; UINT32_MAX if none. */
uint32_t wait_queue_oldest(const struct wait_pool *pool, uint32_t queue);
uint32_t wait_queue_oldest_read(const struct wait_pool *pool, uint32_t queue);
/*
 * A request of the slot's own unit that was already waiting when the line came
 * to the unit, or UINT32_MAX.
 */
uint32_t wait_queue_sibling(const struct wait_pool *pool, uint32_t queue, uint32_t slot);
/* The oldest request of the slot's domain of a level in use, or UINT32_MAX. */
uint32_t wait_queue_oldest_of(const struct wait_pool *pool, uint32_t queue, uint32_t slot,
			      enum wait_level level);
/* The line has come to another unit. */
void wait_queue_moved(struct wait_pool *pool, uint32_t queue, sim_time now);

void wait_queue_add_spinner(struct wait_pool *pool, uint32_t queue, uint32_t slot);
/* Takes one spinner off; UINT32_MAX if none. */
uint32_t wait_queue_pop_spinner(struct wait_pool *pool, uint32_t queue);
/* Takes this one off; false if it is not there. */
bool wait_queue_remove_spinner(struct wait_pool *pool, uint32_t queue, uint32_t slot);

#endif
