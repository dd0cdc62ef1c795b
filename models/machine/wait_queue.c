/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/wait_queue.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct wait_slot) == 64, "one host cache line");

static void choose_levels(struct wait_pool *pool, const struct machine_topology *t,
			  bool merge_units)
{
	pool->level_used[WAIT_UNIT] = t->threads_per_unit > 1 && merge_units;
	pool->level_used[WAIT_CLUSTER] = t->units_per_cluster > 1 && t->clusters_per_socket > 1;
	pool->level_used[WAIT_SOCKET] = t->sockets > 1;
	pool->level_used[WAIT_ALL] = true;
	pool->level_used[WAIT_READS] = true;
	for (enum wait_level level = 0; level < WAIT_READS; level++)
		if (pool->level_used[level])
			pool->levels[pool->level_count++] = (uint8_t)level;
	pool->levels[pool->level_count] = WAIT_READS;
}

static void set_domains(struct wait_slot *s, const struct machine_topology *t,
			const struct cpu_place *p)
{
	uint32_t clusters = t->sockets * t->clusters_per_socket;
	uint32_t units = clusters * t->units_per_cluster;

	s->domain[WAIT_ALL] = 0;
	s->domain[WAIT_READS] = 1;
	s->domain[WAIT_UNIT] = (uint16_t)(2 + p->unit);
	s->domain[WAIT_CLUSTER] = (uint16_t)(2 + units + p->cluster);
	s->domain[WAIT_SOCKET] = (uint16_t)(2 + units + clusters + p->socket);
}

int wait_pool_init(struct wait_pool *pool, const struct machine_topology *t, uint32_t slots,
		   const struct cpu_place *places, bool merge_units)
{
	uint32_t clusters = t->sockets * t->clusters_per_socket;

	memset(pool, 0, sizeof(*pool));
	choose_levels(pool, t, merge_units);
	pool->domains = 2 + clusters * t->units_per_cluster + clusters + t->sockets;
	pool->slot = aligned_alloc(sizeof(*pool->slot), slots * sizeof(*pool->slot));
	/* A slot waits or spins on one line at a time, so this many queues suffice. */
	pool->capacity = slots + 1;
	pool->queue = calloc(pool->capacity, sizeof(*pool->queue));
	pool->free_list = calloc(pool->capacity, sizeof(*pool->free_list));
	if (!pool->slot || !pool->queue || !pool->free_list)
		return -1;
	memset(pool->slot, 0, slots * sizeof(*pool->slot));
	for (uint32_t s = 0; s < slots; s++)
		set_domains(&pool->slot[s], t, &places[s]);
	return 0;
}

void wait_pool_clean_up(struct wait_pool *pool)
{
	for (uint32_t q = 0; q < pool->count; q++)
		free(pool->queue[q].ends);
	free(pool->queue);
	free(pool->free_list);
	free(pool->slot);
	memset(pool, 0, sizeof(*pool));
}

uint32_t wait_queue_take(struct wait_pool *pool)
{
	struct wait_queue *q;
	uint32_t index;

	if (pool->free_count) {
		index = pool->free_list[--pool->free_count];
	} else {
		if (pool->count == pool->capacity)
			return 0;
		pool->queue[pool->count].ends = calloc(pool->domains, sizeof(struct wait_ends));
		if (!pool->queue[pool->count].ends)
			return 0;
		index = pool->count++;
	}
	q = &pool->queue[index];
	q->in_use = true;
	q->since = 0;
	memset(q->alone_until, 0, sizeof(q->alone_until));
	return index + 1;
}

void wait_queue_release(struct wait_pool *pool, uint32_t queue)
{
	pool->queue[queue - 1].in_use = false;
	pool->free_list[pool->free_count++] = queue - 1;
}

static inline void append(struct wait_pool *pool, struct wait_queue *q, struct wait_slot *s,
			  uint16_t name, uint32_t level)
{
	struct wait_ends *ends = &q->ends[s->domain[level]];

	s->link[level] = (struct wait_link){.next = 0, .prev = ends->tail};
	if (ends->tail)
		pool->slot[ends->tail - 1].link[level].next = name;
	else
		ends->head = name;
	ends->tail = name;
}

static inline void unlink_level(struct wait_pool *pool, struct wait_queue *q,
				const struct wait_slot *s, uint32_t level)
{
	struct wait_ends *ends = &q->ends[s->domain[level]];
	struct wait_link link = s->link[level];

	if (link.prev)
		pool->slot[link.prev - 1].link[level].next = link.next;
	else
		ends->head = link.next;
	if (link.next)
		pool->slot[link.next - 1].link[level].prev = link.prev;
	else
		ends->tail = link.prev;
}

void wait_queue_add(struct wait_pool *pool, uint32_t queue, uint32_t slot, bool read, sim_time now)
{
	struct wait_queue *q = &pool->queue[queue - 1];
	struct wait_slot *s = &pool->slot[slot];

	s->read = read;
	s->since = now;
	q->count++;
	for (uint32_t l = 0, count = pool->level_count + read; l < count; l++)
		append(pool, q, s, (uint16_t)(slot + 1), pool->levels[l]);
}

void wait_queue_remove(struct wait_pool *pool, uint32_t queue, uint32_t slot)
{
	struct wait_queue *q = &pool->queue[queue - 1];
	const struct wait_slot *s = &pool->slot[slot];

	q->count--;
	for (uint32_t l = 0, count = pool->level_count + s->read; l < count; l++)
		unlink_level(pool, q, s, pool->levels[l]);
}

static uint32_t head_of(const struct wait_pool *pool, uint32_t queue, uint32_t domain)
{
	return (uint32_t)pool->queue[queue - 1].ends[domain].head - 1;
}

uint32_t wait_queue_oldest(const struct wait_pool *pool, uint32_t queue)
{
	return head_of(pool, queue, 0);
}

uint32_t wait_queue_oldest_read(const struct wait_pool *pool, uint32_t queue)
{
	return head_of(pool, queue, 1);
}

uint32_t wait_queue_oldest_of(const struct wait_pool *pool, uint32_t queue, uint32_t slot,
			      enum wait_level level)
{
	return head_of(pool, queue, pool->slot[slot].domain[level]);
}

void wait_queue_moved(struct wait_pool *pool, uint32_t queue, sim_time now)
{
	pool->queue[queue - 1].since = now;
}

uint32_t wait_queue_sibling(const struct wait_pool *pool, uint32_t queue, uint32_t slot)
{
	uint32_t found;

	if (!pool->level_used[WAIT_UNIT])
		return UINT32_MAX;
	found = head_of(pool, queue, pool->slot[slot].domain[WAIT_UNIT]);
	if (found == UINT32_MAX || pool->slot[found].since > pool->queue[queue - 1].since)
		return UINT32_MAX;
	return found;
}

void wait_queue_add_spinner(struct wait_pool *pool, uint32_t queue, uint32_t slot)
{
	struct wait_queue *q = &pool->queue[queue - 1];

	pool->slot[slot].spin_next = q->spinners;
	q->spinners = (uint16_t)(slot + 1);
}

uint32_t wait_queue_pop_spinner(struct wait_pool *pool, uint32_t queue)
{
	struct wait_queue *q = &pool->queue[queue - 1];
	uint32_t slot = (uint32_t)q->spinners - 1;

	if (slot != UINT32_MAX)
		q->spinners = pool->slot[slot].spin_next;
	return slot;
}

bool wait_queue_remove_spinner(struct wait_pool *pool, uint32_t queue, uint32_t slot)
{
	uint16_t *link = &pool->queue[queue - 1].spinners;

	while (*link && *link != slot + 1)
		link = &pool->slot[*link - 1].spin_next;
	if (!*link)
		return false;
	*link = pool->slot[slot].spin_next;
	return true;
}
