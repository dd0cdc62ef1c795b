/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who runs next; for the engine's own files. */
#ifndef FUTEXSIM_SIM_DISPATCH_H
#define FUTEXSIM_SIM_DISPATCH_H

#include "engine.h"

/*
 * Makes the steps of the earliest events until one lets a task go on, or the
 * timer is due; switches there, and returns when it is `from`'s turn again.
 */
void sim_dispatch(struct coro *from);

static inline void sim_switch(struct coro *from, struct coro *to)
{
	sim.stack = to;
	coro_switch(from, to);
}

#endif
