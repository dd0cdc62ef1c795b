/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The engine: CPUs with clocks, tasks as coroutines that CPUs run and switch
 * between, one pending event per running CPU, timers. One simulation per process at a time (`sim`).
 *
 * How time passes. The running CPU may be ahead of everybody else: accesses it
 * makes below its `horizon` to lines it holds rights on cannot be observed or
 * disturbed by any other CPU before they end, so they cost no event. The
 * horizon is the earliest other event plus the least time in which a request
 * issued then could take rights away (sim_config.lead*). All else lets every
 * earlier event happen first. In reference mode the horizon is always 0, so
 * every access is an event; results are the same, byte for byte.
 *
 * Most lines are used by one CPU only, or only read, but nothing proves it in
 * advance. sim_config.quiet names the types of objects of which it is assumed:
 * hits on their lines never wait. If rights end that have already been used
 * later, the run fails with sim.surprise set, and the caller starts again
 * without that type. So an assumption costs time when it is wrong, never
 * a result.
 *
 * An access that needs a transfer is two events, the request and the arrival.
 * Both are steps that run on whatever stack is at hand (dispatch.c); the task's
 * own stack is switched to once, when its access is done.
 */
#ifndef FUTEXSIM_SIM_ENGINE_H
#define FUTEXSIM_SIM_ENGINE_H

#include "coro.h"
#include "functions.h"
#include "memory.h"
#include "queue.h"
#include "timers.h"

struct sim_cpu;

/* The access a CPU is making while it does not run: see sim_cpu. */
struct sim_machine_ops {
	/*
	 * The CPU has no rights for its access; its clock is in global order. True:
	 * the access is over, its time booked. False: sim_arrive_at() was called, or
	 * sim_wait(), in which case another CPU's step calls sim_grant_at().
	 */
	bool (*request)(struct sim_cpu *cpu);
	/* The time of sim_arrive_at() has come. As above; false: it asks again. */
	bool (*arrive)(struct sim_cpu *cpu);
	/* First access ever to a line: sets category, home and rights. */
	void (*first_touch)(struct sim_line *line, size_t offset);
};

struct sim_config {
	uint32_t cpus; /* CPU slots = CPUs that run tasks, 1..SIM_CPUS_MAX */
	/*
	 * At one time, beside one per slot for what a CPU does that has no task to
	 * run. 0: as many as there are slots.
	 */
	uint32_t tasks;
	size_t memory_bytes;
	uint32_t line_size;
	uint32_t nodes;
	uint64_t layout_seed;
	uint32_t units;        /* coherence units of the machine */
	sim_time lead;         /* least time from a request of another unit to loss of rights */
	sim_time lead_sibling; /* the same for a request of another CPU of the unit */
	bool reference;
	/*
	 * Bit per type (index in sim_memory.types): its objects' lines are expected
	 * to be used by one CPU or only read. 0 in reference mode.
	 */
	uint64_t quiet;
	const struct sim_machine_ops *ops;
};

enum { SIM_ACCESS_KINDS = 5 };

/* What a CPU's event is. */
enum sim_step {
	SIM_STEP_RUN,     /* its task goes on */
	SIM_STEP_REQUEST, /* its access is looked at */
	SIM_STEP_ARRIVE,  /* the transfer it waits for is complete */
};

/* A stack and what belongs to it. On a CPU, `context` and `wait_depth` are the CPU's. */
struct sim_task {
	struct coro coro;
	void (*body)(void *arg);
	void *arg;
	struct sim_context *context;
	uint32_t next_free; /* 1 + index; 0: last one */
	uint16_t wait_depth;
} __attribute__((aligned(64)));

/* Ordered by use: two host cache lines serve every access, the third only events. */
struct sim_cpu {
	sim_time now;
	sim_time horizon;
	struct sim_context *context; /* where the task stands, for attribution by function */
	uint64_t accesses;
	uint64_t others;      /* earliest key of the others while this CPU runs */
	uint32_t fills;       /* lines brought into the private cache so far */
	uint32_t cache_lines; /* capacity of this CPU's share of it */
	uint16_t slot;        /* index in the pending set; ascends with id */
	uint16_t id;          /* the machine's CPU number */
	uint16_t unit;        /* coherence unit */
	uint16_t wait_depth;  /* > 0: time is lock wait */
	struct sim_task *task;
	sim_time cost[SIM_CATEGORIES_MAX];
	struct sim_line *line; /* the access under way: its line, ... */
	size_t offset;         /* ... the byte in the arena, ... */
	sim_time began;        /* ... when it was requested, ... */
	uint8_t kind;          /* ... enum sim_access_kind */
	uint8_t step;          /* enum sim_step */
	uint16_t siblings;     /* other slots of the same unit */
	uint16_t sibling[8 - 1];
	uint64_t events;
} __attribute__((aligned(64)));

/* Category of cost[] that straight-line work and lock wait go to. */
enum { SIM_COST_WORK = 6, SIM_COST_LOCK_WAIT = 7 };

struct sim_engine {
	struct sim_cpu *current; /* NULL outside tasks: accesses cost nothing */
	struct sim_memory memory;
	struct sharers_pool sharers;
	struct sim_queue queue;
	struct sim_cpu *cpus;   /* per slot */
	struct sim_task *tasks; /* those in use are among the first `tasks_used` */
	uint32_t task_count, tasks_used, free_task;
	struct sim_config config;
	sim_time timer_at;  /* the earliest timer */
	uint64_t timer_key; /* the first event that does not come before it */
	sim_time timer_now; /* the time of the last one that ran */
	struct sim_timers timers;
	struct sim_timer statistics; /* sim_timer_set */
	/*
	 * Called when no CPU can go on and no timer can change that; may be NULL. Adds
	 * a timer, fails, or lets the passive timers run off.
	 */
	void (*stuck)(void);
	bool stopping;
	bool setup; /* between sim_engine_init and the first sim_engine_run */
	struct coro_pool stacks;
	struct coro main;
	struct coro *stack;  /* whose stack is in use */
	const char *failure; /* NULL, or why the run was given up */
	uint64_t surprise;   /* types, as bits, one of which was not as quiet as expected; else 0 */
	char failure_text[2048];
	sim_time hit_cost[SIM_ACCESS_KINDS]; /* of an access that needs no transfer; SIM_FENCE: full
						barrier */
	struct sim_contexts contexts;
};

extern struct sim_engine sim;

/* 0, or -1 with the reason in sim.failure. */
int sim_engine_init(const struct sim_config *config);
void sim_engine_clean_up(void);

/*
 * A task that will run body(arg) when a CPU gets to it. Should body return, its
 * CPU is blocked. Fails the run if there are as many as configured.
 */
struct sim_task *sim_task_create(void (*body)(void *arg), void *arg);
/* For a task that no CPU runs: another one can have its stack. */
void sim_task_destroy(struct sim_task *task);
/* Gives a CPU slot that never had one its first task, which goes on at `time`. */
void sim_task_place(uint32_t slot, struct sim_task *task, sim_time time);
/* Both for a new task. */
void sim_task_start(uint32_t slot, void (*body)(void *arg), void *arg);
/*
 * The CPU goes on with another task that no CPU runs. Returns when somebody
 * switches back, maybe on another CPU: sim.current tells.
 */
void sim_task_switch(struct sim_cpu *cpu, struct sim_task *to);

/*
 * Runs until a timer stops it (sim_stop) or nothing can run any more. 0, or -1
 * with the reason in sim.failure.
 */
int sim_engine_run(void);

/*
 * Runs fn(arg) on the caller's stack so that sim_fail inside it returns here:
 * for code that builds the simulated system. 0, or -1 with sim.failure set.
 */
int sim_protect(void (*fn)(void *arg), void *arg);

/* Calls fn once, before any event at or after `at`; see timers.h for who may. */
void sim_timer_add(struct sim_timer *timer, sim_time at, sim_timer_fn *fn, void *arg);
void sim_timer_cancel(struct sim_timer *timer);
/* The one passive timer, of statistics: replaces what was set earlier; SIM_NEVER: none. */
void sim_timer_set(sim_time at, sim_timer_fn *fn, void *arg);
/* From a timer: end the run. Tasks are abandoned where they stand. */
void sim_stop(void);

/*
 * Gives the run up with a message; callable from tasks, steps and timers. A task
 * that is ahead of others may fail before one that would have failed earlier.
 */
_Noreturn void sim_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- For the machine model and the operating system, on a task's own stack ---- */

/* Continues at `time` (>= now) after all earlier events. */
void sim_sync(struct sim_cpu *cpu, sim_time time);
/* Leaves the CPU until somebody calls sim_wake on it. */
void sim_block(struct sim_cpu *cpu);
/*
 * Sets when a CPU in sim_block continues (>= the caller's clock); it finds its
 * clock there. From a timer, or a task or a step of another CPU.
 */
void sim_wake(uint32_t slot, sim_time time);

/*
 * The rights on the line end at `from`: fails the run if a CPU that was ahead
 * has used them later than that.
 */
void sim_expect_unused(const struct sim_line *line, sim_time from);

/* ---- For the machine model, in a step -------------------------------------- */

/* Sets when the CPU whose step this is makes its arrive step. */
static inline void sim_arrive_at(struct sim_cpu *cpu, sim_time time)
{
	cpu->step = SIM_STEP_ARRIVE;
	sim_queue_set(&sim.queue, cpu->slot, sim_key(time, cpu->slot));
}

/* The same for another CPU, which is in sim_wait(). */
static inline void sim_grant_at(struct sim_cpu *cpu, sim_time time)
{
	cpu->step = SIM_STEP_ARRIVE;
	sim_queue_advance(&sim.queue, cpu->slot, sim_key(time, cpu->slot));
}

/* The CPU whose step this is does nothing until sim_grant_at() is called for it. */
static inline void sim_wait(struct sim_cpu *cpu)
{
	sim_queue_set(&sim.queue, cpu->slot, SIM_NEVER);
}

/* Books time that has passed on the CPU. */
static inline void sim_book(struct sim_cpu *cpu, uint32_t category, sim_time time)
{
	cpu->cost[cpu->wait_depth ? SIM_COST_LOCK_WAIT : category] += time;
	cpu->context->self += time;
}

/* Lets time pass and books it. */
static inline void sim_spend(struct sim_cpu *cpu, uint32_t category, sim_time time)
{
	cpu->now += time;
	sim_book(cpu, category, time);
}

#endif
