/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Units and limits shared by the engine's files. */
#ifndef FUTEXSIM_SIM_TYPES_H
#define FUTEXSIM_SIM_TYPES_H

#include <stdint.h>

/* Simulated time in picoseconds. */
typedef uint64_t sim_time;

#define SIM_NEVER UINT64_MAX
#define SIM_NS    ((sim_time)1000)
#define SIM_US    ((sim_time)1000000)
#define SIM_MS    ((sim_time)1000000000)

enum {
	SIM_CPUS_MAX = 4096,
	SIM_SLOT_BITS = 12, /* a CPU slot in the low bits of an event key */
	SIM_NO_CPU = 0xffff,
};

/*
 * Event keys pack (time, CPU slot) into one integer, so that comparing keys is
 * the total order of events. Times stay below 2^52 ps = 75 minutes.
 */
#define SIM_TIME_MAX ((sim_time)1 << (64 - SIM_SLOT_BITS))

enum sim_access_kind { SIM_LOAD, SIM_STORE, SIM_RMW, SIM_PERCPU, SIM_FENCE };

#define sim_likely(x)   __builtin_expect(!!(x), 1)
#define sim_unlikely(x) __builtin_expect(!!(x), 0)

#endif
