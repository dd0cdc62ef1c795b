/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Time by function, exact: a shadow call stack per task, fed by the function
 * entry and exit hooks. Names come from the symbol table when asked for.
 */
#ifndef FUTEXSIM_SIM_FUNCTIONS_H
#define FUTEXSIM_SIM_FUNCTIONS_H

#include <stddef.h>

#include "types.h"

enum { SIM_CALL_DEPTH = 40, SIM_FUNCTIONS_MAX = 128, SIM_FUNCTION_HASH = 512 };

struct sim_calls {
	uint32_t depth;
	uint32_t overflow; /* frames deeper than the shadow stack */
	sim_time since;    /* the top function has been charged up to here */
	struct {
		uint32_t function;
		sim_time entered;
	} frame[SIM_CALL_DEPTH];
};

struct sim_function_table {
	struct {
		const void *pc;
		uint32_t function;
	} hash[SIM_FUNCTION_HASH];
	uint32_t count; /* function 0 stands for whatever no hook reported */
	const void *pc[SIM_FUNCTIONS_MAX];
	sim_time self[SIM_FUNCTIONS_MAX], total[SIM_FUNCTIONS_MAX];
};

void sim_functions_init(struct sim_function_table *t);
/* Forgets all times; calls in progress count from `now` on per task (sim_calls_restart). */
void sim_functions_reset(struct sim_function_table *t);
void sim_calls_restart(struct sim_calls *calls, sim_time now);
/* Books the time of the frames in progress, as if they were left now. */
void sim_calls_flush(struct sim_function_table *t, struct sim_calls *calls, sim_time now);

void sim_call_enter(struct sim_function_table *t, struct sim_calls *calls, const void *pc,
		    sim_time now);
void sim_call_exit(struct sim_function_table *t, struct sim_calls *calls, sim_time now);

/* The function's symbol, or "?". */
const char *sim_function_name(const struct sim_function_table *t, uint32_t function);

#endif
