/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "timers.h"

#include <stdlib.h>

void sim_timers_clean_up(struct sim_timers *t)
{
	free(t->heap);
	*t = (struct sim_timers){0};
}

static bool before(const struct sim_timer *a, const struct sim_timer *b)
{
	return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static void put(struct sim_timers *t, uint32_t place, struct sim_timer *timer)
{
	t->heap[place] = timer;
	timer->place = place + 1;
}

static void sift_up(struct sim_timers *t, uint32_t place, struct sim_timer *timer)
{
	while (place > 0 && before(timer, t->heap[(place - 1) / 2])) {
		put(t, place, t->heap[(place - 1) / 2]);
		place = (place - 1) / 2;
	}
	put(t, place, timer);
}

static void sift_down(struct sim_timers *t, uint32_t place, struct sim_timer *timer)
{
	uint32_t child;

	while ((child = 2 * place + 1) < t->count) {
		if (child + 1 < t->count && before(t->heap[child + 1], t->heap[child]))
			child++;
		if (!before(t->heap[child], timer))
			break;
		put(t, place, t->heap[child]);
		place = child;
	}
	put(t, place, timer);
}

static bool make_room(struct sim_timers *t)
{
	uint32_t capacity = t->capacity ? 2 * t->capacity : 16;
	struct sim_timer **heap;

	if (t->count < t->capacity)
		return true;
	heap = realloc(t->heap, capacity * sizeof(struct sim_timer *));
	if (!heap)
		return false;
	t->heap = heap;
	t->capacity = capacity;
	return true;
}

bool sim_timers_add(struct sim_timers *t, struct sim_timer *timer, sim_time at)
{
	sim_timers_remove(t, timer);
	if (!make_room(t))
		return false;
	timer->at = at;
	timer->order = t->added++;
	t->active += !timer->passive;
	sift_up(t, t->count++, timer);
	return true;
}

void sim_timers_remove(struct sim_timers *t, struct sim_timer *timer)
{
	uint32_t place = timer->place - 1;
	struct sim_timer *last;

	if (!sim_timer_pending(timer))
		return;
	timer->place = 0;
	t->active -= !timer->passive;
	last = t->heap[--t->count];
	if (last == timer)
		return;
	if (place > 0 && before(last, t->heap[(place - 1) / 2]))
		sift_up(t, place, last);
	else
		sift_down(t, place, last);
}
