/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State shared by the files of the operating system; nobody else includes this. */
#ifndef FUTEXSIM_OS_INTERNAL_H
#define FUTEXSIM_OS_INTERNAL_H

#include "access.h"
#include "machine/machine.h"
#include "os/os.h"
#include "os/rcu.h"

enum { OS_SIBLINGS_MAX = 8, OS_TYPES_MAX = 64 };

/* Straight-line costs on a core with a given number of busy siblings. */
struct os_work_costs {
	sim_time kind[PLAT_WORK_COUNT];
	uint64_t cycle_16; /* ps per cycle of work outside the lock, times 2^16 */
};

enum os_task_state { OS_READY, OS_RUNNING, OS_SLEEPING, OS_ENDED };

struct plat_task {
	struct sim_task *sim;
	void (*body)(void *arg);
	void *arg;
	struct plat_task *next, *prev; /* in a run queue; next also: in the list of free ones */
	uint32_t slot;                 /* the CPU that runs it or ran it last */
	int prio;
	uint16_t preempt_off, readers, in_kernel; /* depths */
	uint8_t state;                            /* enum os_task_state */
	uint8_t wakeup;                           /* enum plat_wakeup */
	bool pinned, signal, interruptible;
	bool waited;  /* the present operation has waited for a lock */
	bool off_cpu; /* its stack is not in use */
	bool joined;  /* nobody will ask for it any more */
	struct os_blocked_reader reader;
	size_t waits_for; /* arena offset of the state word it sleeps on; SIZE_MAX: none */
	sim_time since;   /* not running: when this state began */
	sim_time ready;
	uint64_t ops, ops_at_reset, busy_ops;
	sim_time op_began;
	struct plat_task *joiner;
	struct sim_timer deadline;
	sim_time cost[SIM_CATEGORIES_MAX], cost_at_reset[SIM_CATEGORIES_MAX], ready_at_reset;
};

struct os_queue {
	struct plat_task *first, *last;
};

/* Per slot. The first line serves straight-line work and operations. */
struct os_cpu {
	const struct os_work_costs *work;
	sim_time relax;
	sim_time look_at;          /* from then on the running task looks up, see tick.c */
	struct plat_task *current; /* NULL: idle */
	sim_time tick_at;
	struct os_queue realtime, fair; /* ready tasks */
	uint32_t ready;                 /* their number */
	bool idle;                      /* blocked without a task ... */
	bool waking;                    /* ... but already told to go on */
	bool resched;                   /* its task should give way */
	bool spinning;                  /* its task polls a line, and may be preempted */
	size_t spins_on;
	sim_time idle_since, picked_at;
	struct sim_task *idle_task;
	struct plat_task *left; /* switched away from just now */
	struct sim_timer tick;  /* for when nobody runs who could look up */
	struct os_rcu_cpu rcu;
	sim_time cost_seen[SIM_CATEGORIES_MAX]; /* booked to tasks so far */
} __attribute__((aligned(64)));

struct os {
	const struct machine_profile *profile;
	unsigned boot_cpu;
	struct os_cpu *cpu;     /* per slot */
	struct plat_task *task; /* by number */
	uint32_t tasks_max, tasks_used, alive;
	struct plat_task *free_task;
	uint64_t gone_ops; /* of tasks whose numbers are free */
	bool tickless, preemptible_kernel;
	sim_time tick, skew;               /* period, and how much later each CPU's is */
	sim_time switch_cost, wakeup, ipi; /* see sched.c */
	sim_time local_wake, clone;
	uint32_t idle, asleep, ready, realtime; /* numbers of CPUs and tasks */
	uint64_t switches, migrations;
	struct os_rcu rcu;
	struct os_work_costs work[OS_SIBLINGS_MAX];
	struct latency_histogram latency;
	struct sim_type type[OS_TYPES_MAX]; /* the engine's view of plat_type */
	const struct plat_type *known[OS_TYPES_MAX];
	uint32_t type_count;
	struct plat_percpu *percpu; /* all of them, chained */
};

extern struct os os;

static inline struct os_cpu *os_cpu_of(const struct sim_cpu *cpu)
{
	return &os.cpu[cpu->slot];
}

static inline struct sim_cpu *os_sim_cpu(const struct os_cpu *oc)
{
	return &sim.cpus[oc - os.cpu];
}

static inline uint32_t os_slot(const struct os_cpu *oc)
{
	return (uint32_t)(oc - os.cpu);
}

/*
 * Whose sections and system calls are counted: nobody's where nothing could come of
 * it, since this is the way of every operation.
 */
static inline struct plat_task *os_counted_task(void)
{
	return os.tickless || !sim.current ? NULL : os_cpu_of(sim.current)->current;
}

/* In a task, a timer, or before the run. */
static inline sim_time os_now(void)
{
	return sim.current ? sim.current->now : sim.timer_now;
}

/* From here on the caller sees, and may change, what others see and change. */
static inline void os_in_order(void)
{
	if (sim.current)
		sim_sync(sim.current, sim.current->now);
}

/* Fills `costs` for a CPU with `siblings` busy threads beside it. */
void os_work_init(struct os_work_costs *costs, const struct machine_profile *profile,
		  uint32_t siblings, double clock_ghz, bool mitigations);

/* ---- cpu.c: run queues, idle CPUs. In global order, as all that follows. ---------- */

void os_enqueue(struct os_cpu *oc, struct plat_task *task, bool in_front);
void os_dequeue(struct os_cpu *oc, struct plat_task *task);
/* The ready task that should run first, or NULL; it stays queued. */
struct plat_task *os_first_ready(const struct os_cpu *oc);
/* What a CPU runs that has nothing to run; created when first asked for. */
struct sim_task *os_idle_task(struct os_cpu *oc);
/* Makes an idle CPU go on at `at`, at once as others see it. */
void os_end_idle(struct os_cpu *oc, sim_time at);

/* ---- sched.c ------------------------------------------------------------------------ */

void os_sched_init(void);
/*
 * Gives the CPU to the ready task that should run first. The running one has been
 * queued, or sleeps, or has ended. Returns when the caller runs again.
 */
void os_schedule(struct sim_cpu *cpu);
/* First thing after a switch, on the stack switched to. */
void os_finish_switch(void);
/* The running task gives way but stays ready. */
void os_preempt(struct sim_cpu *cpu);
/* Should the CPU's task give way to another one now? */
bool os_must_yield(const struct os_cpu *oc, sim_time now);
/* Makes a task ready that has just been created, and pays for it. */
void os_start_ready(struct plat_task *task);
/* Wakes a sleeping task, and pays for it. */
void os_wake(struct plat_task *task, enum plat_wakeup why);
/* A ready task's priority has changed. */
void os_kick(struct os_cpu *oc, const struct plat_task *task);
/* Puts what a running task has been booked where its statistics are. */
void os_settle(struct os_cpu *oc);

/* ---- tick.c ------------------------------------------------------------------------- */

/* The first tick of the CPU after `now`. */
sim_time os_next_tick(const struct os_cpu *oc, sim_time now);
/* When the running task next looks up. */
void os_set_look(struct os_cpu *oc);
/* What the running task does then. True: others ran; it may be on another CPU now. */
bool os_look(void);
/* Arms the tick of a CPU that cannot look up itself, if there is something to do then. */
void os_arm_tick(struct os_cpu *oc, sim_time now);
/* Polls a line, as machine_spin, but lets the task be preempted. */
void os_spin(struct sim_cpu *cpu, size_t offset);
/* Ends that now. */
void os_end_spin(struct os_cpu *oc, sim_time now);
bool os_preemptible(const struct sim_cpu *cpu, const struct plat_task *task);

/* Where a task may be interrupted: see tick.c. */
static inline void os_check(struct sim_cpu *cpu)
{
	if (sim_unlikely(cpu->now >= os_cpu_of(cpu)->look_at))
		os_look();
}

/* ---- sleep.c, task.c, report.c ------------------------------------------------------- */

/* The running task, which must be allowed to sleep: ends the run otherwise. */
struct plat_task *os_sleeper(const char *what);
/* It leaves the CPU until somebody calls os_wake. */
void os_sleep(struct plat_task *task);
/* Ends the run if CPUs do not look up. */
void os_need_ticks(const char *what);
/* Given up by its joiner and off its CPU: everything of it can be used again. */
void os_release(struct plat_task *task);
/* "task 17 on CPU 3 in futex_wait". */
void os_describe(const struct plat_task *task, char *buffer, size_t size);
_Noreturn void os_report_stall(sim_time age);
void os_stuck(void);

/* ---- memory.c ------------------------------------------------------------------------ */

/* plat_free() at `now`, when nobody need be running; SIM_NEVER: after the run. */
void os_free(void *p, sim_time now, const struct sim_origin *who);

#endif
