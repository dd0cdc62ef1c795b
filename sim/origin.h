/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who did something, when and in which function: for messages about memory. */
#ifndef FUTEXSIM_SIM_ORIGIN_H
#define FUTEXSIM_SIM_ORIGIN_H

#include <stddef.h>

#include "types.h"

struct sim_context;

struct sim_origin {
	sim_time at;
	const struct sim_context *in; /* NULL: before the run, or after it */
	uint16_t cpu;                 /* number; SIM_NO_CPU then */
};

/* The running task's; without one, that of the system's builder. */
struct sim_origin sim_here(void);
/* "by CPU 3 at 1234 ps in inner < outer". */
void sim_origin_describe(const struct sim_origin *origin, char *buffer, size_t size);

#endif
