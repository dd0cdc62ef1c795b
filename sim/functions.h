/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Time by function, exact: the function entry and exit hooks move each CPU
 * through one tree of calling contexts that all CPUs share, and time is booked
 * to the context it passes in. Names come from the symbol table when asked for.
 */
#ifndef FUTEXSIM_SIM_FUNCTIONS_H
#define FUTEXSIM_SIM_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "types.h"

enum { SIM_CALLEES_MAX = 16, SIM_CONTEXTS_MAX = 512, SIM_FUNCTIONS_MAX = 128 };

/* One chain of calls from a task's body. */
struct sim_context {
	struct sim_context *parent; /* the root's is itself */
	const void *pc;             /* somewhere inside the function */
	sim_time self;
	struct sim_callee {
		const void *pc;
		struct sim_context *context;
	} callee[SIM_CALLEES_MAX]; /* hashed by pc */
};

struct sim_contexts {
	struct sim_context node[SIM_CONTEXTS_MAX]; /* node[0] is the root */
	uint32_t count;
};

struct sim_function {
	const char *name; /* symbol */
	sim_time self, total;
};

void sim_contexts_init(struct sim_contexts *t);
/* Forgets all times. */
void sim_contexts_reset(struct sim_contexts *t);

/* A context not met before; NULL when there is no room for it. */
struct sim_context *sim_context_add(struct sim_contexts *t, struct sim_context *caller, const void *pc);

/* The context of a call, or NULL when there is no room for it. */
static inline struct sim_context *sim_context_enter(struct sim_contexts *t, struct sim_context *caller,
                                                    const void *pc)
{
	struct sim_callee *callee = &caller->callee[(uintptr_t)pc >> 4 & (SIM_CALLEES_MAX - 1)];

	if (sim_likely(callee->pc == pc))
		return callee->context;
	return sim_context_add(t, caller, pc);
}

/*
 * Sums contexts by function name, most self time first; recursive calls count
 * once in `total`. Returns how many of `max` entries were filled. Functions
 * without a symbol of their own count to their caller.
 */
uint32_t sim_functions_sum(const struct sim_contexts *t, struct sim_function *out, uint32_t max);

#endif
