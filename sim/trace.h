/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shows every simulated access to an observer, in the order each CPU makes them. */
#ifndef FUTEXSIM_SIM_TRACE_H
#define FUTEXSIM_SIM_TRACE_H

#include "types.h"

/*
 * object: "bucket[17]" or "fph"; field: "waiters", or NULL when the byte belongs
 * to no named field. memory_order: C11's memory_order value. SIM_FENCE has no
 * object.
 */
typedef void sim_tracer(void *arg, unsigned cpu, enum sim_access_kind kind, const char *object,
			const char *field, int memory_order);

/* NULL switches tracing off. */
void sim_trace_set(sim_tracer *fn, void *arg);

#endif
