/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "functions.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

void sim_functions_init(struct sim_function_table *t)
{
	memset(t, 0, sizeof(*t));
	t->count = 1;
}

void sim_functions_reset(struct sim_function_table *t)
{
	memset(t->self, 0, sizeof(t->self));
	memset(t->total, 0, sizeof(t->total));
}

void sim_calls_restart(struct sim_calls *calls, sim_time now)
{
	calls->since = now;
	for (uint32_t f = 0; f < calls->depth; f++)
		calls->frame[f].entered = now;
}

/*
 * Clocks of waiting CPUs stand at the time their access began, which may lie
 * before a restart: such a frame has no time to book yet.
 */
static sim_time elapsed(sim_time since, sim_time now)
{
	return now > since ? now - since : 0;
}

void sim_calls_flush(struct sim_function_table *t, struct sim_calls *calls, sim_time now)
{
	if (calls->depth)
		t->self[calls->frame[calls->depth - 1].function] += elapsed(calls->since, now);
	for (uint32_t f = 0; f < calls->depth; f++)
		t->total[calls->frame[f].function] += elapsed(calls->frame[f].entered, now);
	sim_calls_restart(calls, now);
}

static uint32_t function_of(struct sim_function_table *t, const void *pc)
{
	uint32_t h = (uint32_t)((uintptr_t)pc >> 2) * 2654435769u >> 23;

	for (;; h = (h + 1) % SIM_FUNCTION_HASH) {
		if (sim_likely(t->hash[h].pc == pc))
			return t->hash[h].function;
		if (!t->hash[h].pc)
			break;
	}
	if (t->count == SIM_FUNCTIONS_MAX)
		return 0;
	t->hash[h].pc = pc;
	t->hash[h].function = t->count;
	t->pc[t->count] = pc;
	return t->count++;
}

void sim_call_enter(struct sim_function_table *t, struct sim_calls *calls, const void *pc,
		    sim_time now)
{
	if (sim_unlikely(calls->depth == SIM_CALL_DEPTH)) {
		calls->overflow++;
		return;
	}
	if (calls->depth)
		t->self[calls->frame[calls->depth - 1].function] += elapsed(calls->since, now);
	calls->since = now;
	calls->frame[calls->depth].function = function_of(t, pc);
	calls->frame[calls->depth].entered = now;
	calls->depth++;
}

void sim_call_exit(struct sim_function_table *t, struct sim_calls *calls, sim_time now)
{
	uint32_t function;

	if (sim_unlikely(calls->overflow)) {
		calls->overflow--;
		return;
	}
	if (!calls->depth)
		return;
	function = calls->frame[--calls->depth].function;
	t->self[function] += elapsed(calls->since, now);
	t->total[function] += elapsed(calls->frame[calls->depth].entered, now);
	calls->since = now;
}

const char *sim_function_name(const struct sim_function_table *t, uint32_t function)
{
	Dl_info info;

	if (function && dladdr(t->pc[function], &info) && info.dli_sname)
		return info.dli_sname;
	return "?";
}
