/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * platform.h in simulated time. Each CPU runs one task for now; tasks and CPUs
 * are separate objects all the same.
 */
#ifndef FUTEXSIM_OS_OS_H
#define FUTEXSIM_OS_OS_H

#include "engine.h"
#include "machine/profile.h"
#include "os/latency.h"
#include "platform.h"

struct os_config {
	const struct machine_profile *profile;
	bool mitigations;  /* kernel since 2018: system calls cost t_mitigations more */
	unsigned boot_cpu; /* CPU of the main thread, which builds everything */
};

/* After machine_init. 0, or -1 without memory. */
int os_init(const struct os_config *config);
void os_clean_up(void);

/* Runs body(arg) on a slot as one task. */
void os_task_start(uint32_t slot, void (*body)(void *arg), void *arg);

/* What a task has done since os_stats_reset. */
struct os_task_stats {
	uint64_t ops;
	uint64_t busy_ops; /* operations that waited for a lock */
	sim_time cost[SIM_CATEGORIES_MAX];
};

/* Forgets warm-up. */
void os_stats_reset(void);
struct os_task_stats os_task_stats(uint32_t slot);
/* Operations since the start of the run, warm-up included. */
uint64_t os_task_ops(uint32_t slot);
/* Sum over all tasks of operations since the start. */
uint64_t os_total_ops(void);
const struct latency_histogram *os_latency(void);

#endif
