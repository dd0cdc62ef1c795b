/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * platform.h in simulated time: setting up, running tasks, asking what they did.
 *
 * The nouns: a *task* runs on one CPU at a time, waits in that CPU's run queue
 * (ready), or sleeps. A CPU without a task is *idle*. At its *ticks* a CPU looks
 * at its run queue and at RCU.
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
	/*
	 * At most one task a CPU, and nobody sleeps, creates tasks or waits for a grace
	 * period: CPUs need not look up. What would need it ends the run.
	 */
	bool tickless;
	double tick_ns;           /* 1e9 / HZ; 0: the profile's */
	bool preemptible_readers; /* RCU of PREEMPT and PREEMPT_RT kernels */
	bool lazy_callbacks;      /* CONFIG_RCU_LAZY with all CPUs offloaded */
	/* synchronize_rcu() is woken by the grace period's end: v6.18 on at most 16 CPUs. */
	bool no_direct_wake;
	uint32_t
		stall_ms; /* a grace period that takes longer ends the run; 0: 21 s, the kernel's */
};

/* After machine_init. 0, or -1 without memory. */
int os_init(const struct os_config *config);
void os_clean_up(void);

/* As plat_task_create(), on a slot, for code that builds the system. */
struct plat_task *os_task_start(uint32_t slot, void (*body)(void *arg), void *arg);

/* What a task has done since os_stats_reset. */
struct os_task_stats {
	uint64_t ops;
	uint64_t busy_ops; /* operations that waited for a lock */
	/*
	 * By category; sums to the time since the reset or the task's creation, but
	 * for an access under way. OS_COST_SLEEP: asleep, or waiting for a CPU;
	 * SIM_COST_LOCK_WAIT instead if for a lock.
	 */
	sim_time cost[SIM_CATEGORIES_MAX];
	sim_time ready; /* of that: waiting for a CPU */
};

/* Of sim_cpu.cost, too: there it is idle time. */
enum { OS_COST_SLEEP = PLAT_CAT_COUNT };

/* Forgets warm-up. */
void os_stats_reset(void);
/* Tasks are numbered as they are created; a number is used again after plat_task_join(). */
struct os_task_stats os_task_stats(uint32_t number);
uint32_t os_task_number(const struct plat_task *task);
/* Operations since the start of the run, warm-up included. */
uint64_t os_task_ops(uint32_t number);
/* Sum over all tasks of operations since the start. */
uint64_t os_total_ops(void);
const struct latency_histogram *os_latency(void);
/* Time the slot's CPU has been idle since the run began. */
sim_time os_idle_time(uint32_t slot);
/* Tasks that have not ended. */
uint32_t os_tasks_alive(void);
/* Switches from one task to another, and moves of a task between CPUs. */
uint64_t os_switches(void);
uint64_t os_migrations(void);

/*
 * NULL, or what memory that tasks allocated nobody has freed. Valid until the
 * next call. Memory that plat_kvfree_rcu() still holds back is freed first.
 */
const char *os_leaks(void);

#endif
