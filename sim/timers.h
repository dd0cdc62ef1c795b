/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Timers: functions that run at a point in simulated time, before any event at
 * or after it; at equal times in the order in which they were added. They run
 * on the main stack with no current CPU.
 *
 * Who adds one: another timer, code that builds the system, or a CPU in global
 * order (right after sim_sync or an access that was an event). Other CPUs may be
 * ahead of a timer, on quiet lines: what it does must not depend on what they
 * have done since they last were in global order.
 */
#ifndef FUTEXSIM_SIM_TIMERS_H
#define FUTEXSIM_SIM_TIMERS_H

#include <stdbool.h>
#include <stddef.h>

#include "types.h"

typedef void sim_timer_fn(void *arg, sim_time now);

/* Owned by the caller, who keeps it alive while it is pending; all zero: not pending. */
struct sim_timer {
	sim_time at;
	uint64_t order;
	sim_timer_fn *fn;
	void *arg;
	uint32_t place; /* 1 + index in the heap; 0: not pending */
	bool passive;   /* only looks on: does not keep a run going that nothing else can */
};

struct sim_timers {
	struct sim_timer **heap;
	uint32_t count, capacity;
	uint32_t active; /* pending ones that are not passive */
	uint64_t added;
};

void sim_timers_clean_up(struct sim_timers *t);

/* Pending from now on; one that is pending already is moved. False without memory. */
bool sim_timers_add(struct sim_timers *t, struct sim_timer *timer, sim_time at);
/* Nothing happens if it is not pending. */
void sim_timers_remove(struct sim_timers *t, struct sim_timer *timer);

/* The earliest, or NULL. */
static inline struct sim_timer *sim_timers_first(const struct sim_timers *t)
{
	return t->count ? t->heap[0] : NULL;
}

static inline bool sim_timer_pending(const struct sim_timer *timer)
{
	return timer->place != 0;
}

#endif
