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

enum { SIM_FUNCTIONS_MAX = 128 };

/* One chain of calls from a task's body. */
struct sim_context {
	struct sim_context *parent; /* the root's is itself */
	sim_time self;
	/* By hash of pc; grows until callees do not share places, see sim_context_find. */
	struct sim_callee {
		const void *pc;
		struct sim_context *context;
	} * callee;
	uint32_t callee_shift;                          /* 32 - log2(places) */
	bool named;                                     /* false: counts to its caller */
	const void *pc;                                 /* somewhere inside the function */
	struct sim_context *first_callee, *next_callee; /* all of them */
	struct sim_context *older;                      /* chain of all contexts, last one first */
	const char *name;                               /* this and the rest: while summing */
	sim_time own, total; /* `own`: with the callees that count to it */
};

struct sim_contexts {
	struct sim_context root;
	struct sim_context *newest;
};

struct sim_function {
	const char *name; /* symbol */
	sim_time self, total;
};

/* 0, or -1 without memory. */
int sim_contexts_init(struct sim_contexts *t);
void sim_contexts_clean_up(struct sim_contexts *t);
/* Forgets all times. */
void sim_contexts_reset(struct sim_contexts *t);

/* Where the callee is if it is known: `pc` tells. */
static inline struct sim_callee *sim_callee_of(struct sim_context *caller, const void *pc)
{
	uint32_t hash = (uint32_t)(uintptr_t)pc * 0x9e3779b1u;

	return &caller->callee[hash >> caller->callee_shift];
}

/*
 * The context of a call that is not where sim_callee_of says. `named`: may
 * reports name the function? NULL without memory.
 */
struct sim_context *sim_context_find(struct sim_contexts *t, struct sim_context *caller,
				     const void *pc, bool named);

/* The innermost function that reports may name, or NULL. */
const char *sim_context_function(const struct sim_context *context);
/* All of them, "inner < outer < outermost", cut to size; "" if there is none. */
void sim_context_chain(const struct sim_context *context, char *buffer, size_t size);

/*
 * Sums contexts by function name, most self time first; recursive calls count
 * once in `total`. Returns how many of `max` entries were filled. Functions
 * that are not named or have no symbol count to their caller; the root's `total`
 * is then the sum of all.
 */
uint32_t sim_functions_sum(struct sim_contexts *t, struct sim_function *out, uint32_t max);

#endif
