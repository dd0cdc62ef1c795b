/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State shared by the files of the operating system; nobody else includes this. */
#ifndef FUTEXSIM_OS_INTERNAL_H
#define FUTEXSIM_OS_INTERNAL_H

#include "access.h"
#include "machine/machine.h"
#include "os/os.h"

enum { OS_SIBLINGS_MAX = 8, OS_TYPES_MAX = 64 };

/* Straight-line costs on a core with a given number of busy siblings. */
struct os_work_costs {
	sim_time kind[PLAT_WORK_COUNT];
	uint64_t cycle_16; /* ps per cycle of work outside the lock, times 2^16 */
};

struct os_task {
	const struct os_work_costs *work;
	sim_time relax;
	uint64_t ops, ops_at_reset;
	uint64_t busy_ops;
	sim_time op_began;
	bool waited; /* the present operation has waited for a lock */
	sim_time cost_at_reset[SIM_CATEGORIES_MAX];
};

struct os {
	const struct machine_profile *profile;
	unsigned boot_cpu;
	struct os_task *task; /* per slot */
	struct os_work_costs work[OS_SIBLINGS_MAX];
	struct latency_histogram latency;
	struct sim_type type[OS_TYPES_MAX]; /* the engine's view of plat_type */
	const struct plat_type *known[OS_TYPES_MAX];
	uint32_t type_count;
	struct plat_percpu *percpu; /* all of them, chained */
};

extern struct os os;

/* Fills `costs` for a CPU with `siblings` busy threads beside it. */
void os_work_init(struct os_work_costs *costs, const struct machine_profile *profile,
		  uint32_t siblings, double clock_ghz, bool mitigations);

static inline struct os_task *os_task_of(const struct sim_cpu *cpu)
{
	return &os.task[cpu->slot];
}

#endif
