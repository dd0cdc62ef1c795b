/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kvfree_rcu(): what is to be freed is kept for five seconds, or a page of
 * pointers, then freed after one grace period.
 */
#include <stdlib.h>

#include "os/internal.h"

enum { DRAIN_S = 5, DRAIN_AT_ONCE = 509 /* pointers on a page */ };

static void drain_is_due(void *arg, sim_time now);

static void drain_after(sim_time at)
{
	if (!sim_timer_pending(&os.rcu.drain) || at < os.rcu.drain.at)
		sim_timer_add(&os.rcu.drain, at, drain_is_due, NULL);
}

static void drain_is_due(void *arg, sim_time now)
{
	struct os_kvfree empty = os.rcu.draining;

	(void)arg;
	if (empty.count) { /* the batch before waits for its grace period */
		drain_after(now + os.tick);
		return;
	}
	os.rcu.draining = os.rcu.filling;
	os.rcu.filling = empty;
	os.rcu.drain_cookie = rcu_snapshot();
	rcu_request(os.rcu.drain_cookie, now);
}

static void free_all(struct os_kvfree *batch, sim_time now)
{
	for (uint32_t i = 0; i < batch->count; i++)
		os_free(batch->freed[i].object, now, &batch->freed[i].who);
	batch->count = 0;
}

void rcu_free_drained(sim_time now)
{
	if (os.rcu.draining.count && rcu_over(os.rcu.drain_cookie))
		free_all(&os.rcu.draining, now);
}

void rcu_free_held_back(void)
{
	free_all(&os.rcu.draining, SIM_NEVER);
	free_all(&os.rcu.filling, SIM_NEVER);
}

static void keep(struct os_kvfree *batch, void *p)
{
	uint32_t capacity = batch->capacity ? 2 * batch->capacity : 64;
	struct os_freed *bigger = batch->freed;

	if (batch->count == batch->capacity) {
		bigger = realloc(bigger, capacity * sizeof(*bigger));
		if (!bigger)
			sim_fail("out of memory for kvfree_rcu");
		batch->capacity = capacity;
	}
	batch->freed = bigger;
	batch->freed[batch->count++] = (struct os_freed){p, sim_here()};
}

void plat_kvfree_rcu(void *p)
{
	if (!sim.current) {
		plat_free(p);
		return;
	}
	if (!p)
		return;
	os_need_ticks("kvfree_rcu");
	os_in_order();
	keep(&os.rcu.filling, p);
	drain_after(os.rcu.filling.count >= DRAIN_AT_ONCE ? os_now() + os.tick
							  : os_now() + DRAIN_S * 1000 * SIM_MS);
}

void rcu_clean_up_frees(void)
{
	free(os.rcu.filling.freed);
	free(os.rcu.draining.freed);
	os.rcu.filling = os.rcu.draining = (struct os_kvfree){0};
}
