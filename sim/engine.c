/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine.h"

#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sim_engine sim;

/*
 * Few CPUs: the horizon is worth its exact value. Many CPUs do not fit the
 * host's caches: who runs after the next one is worth knowing in advance.
 */
enum { FEW_CPUS = 12, MANY_CPUS = 200 };

static int init_failed(const char *why)
{
	sim_engine_clean_up();
	sim.failure = why;
	return -1;
}

static void init_slots(void)
{
	for (uint32_t s = 0; s < sim.config.cpus; s++) {
		sim.cpus[s].slot = (uint16_t)s;
		sim.cpus[s].id = (uint16_t)s;
		sim.cpus[s].unit = (uint16_t)s;
		sim.cpus[s].cache_lines = UINT32_MAX;
		sim.cpus[s].context = &sim.contexts.node[0];
	}
}

/* Whole host cache lines; `bytes` is a multiple of their size. */
static void *zeroed_lines(size_t bytes)
{
	void *p = aligned_alloc(64, bytes);

	return p ? memset(p, 0, bytes) : NULL;
}

int sim_engine_init(const struct sim_config *config)
{
	assert(config->cpus > 0 && config->cpus <= SIM_CPUS_MAX);
	memset(&sim, 0, sizeof(sim));
	sim.config = *config;
	sim.timer_at = SIM_NEVER;
	sim.setup = true;
	sim_contexts_init(&sim.contexts);
	if (sim_memory_init(&sim.memory, config->memory_bytes, config->line_size, config->nodes,
			    config->layout_seed))
		return init_failed("no address space for the simulated memory");
	if (coro_pool_init(&sim.stacks, config->cpus))
		return init_failed("no address space for the tasks' stacks");
	sim.cpus = zeroed_lines(config->cpus * sizeof(*sim.cpus));
	sim.tasks = zeroed_lines(config->cpus * sizeof(*sim.tasks));
	if (!sim.cpus || !sim.tasks || sim_queue_init(&sim.queue, config->cpus) ||
	    sharers_pool_init(&sim.sharers, config->units))
		return init_failed("out of memory");
	init_slots();
	return 0;
}

void sim_engine_clean_up(void)
{
	for (uint32_t s = 0; sim.tasks && s < sim.config.cpus; s++)
		coro_clean_up(&sim.tasks[s].coro);
	coro_clean_up(&sim.main);
	if (sim.stacks.base)
		coro_pool_clean_up(&sim.stacks);
	sim_memory_clean_up(&sim.memory);
	sim_queue_clean_up(&sim.queue);
	sharers_pool_clean_up(&sim.sharers);
	free(sim.cpus);
	free(sim.tasks);
	sim.cpus = NULL;
	sim.tasks = NULL;
	sim.current = NULL;
}

/* ---- Choosing who runs ---------------------------------------------------- */

static sim_time add_lead(sim_time time, sim_time lead)
{
	return time < SIM_TIME_MAX ? time + lead : SIM_NEVER;
}

/* The CPU after next: by the time it runs, its working set is on its way. */
static void prefetch_task(uint64_t key)
{
	const struct sim_task *task;
	const char *sp;

	if (key == SIM_NEVER)
		return;
	task = &sim.tasks[sim_key_slot(key)];
	sp = task->coro.sp;
	__builtin_prefetch(&sim.cpus[sim_key_slot(key)]);
	__builtin_prefetch(&sim.cpus[sim_key_slot(key)].cost);
	__builtin_prefetch(task->line);
	__builtin_prefetch(task->data);
	for (int line = 0; line < 8; line++)
		__builtin_prefetch(sp + 64 * line);
}

/*
 * What the CPU that is about to run may do without asking. With many CPUs the
 * next event of the others is close, and its exact time not worth a second walk
 * through the tree: the CPU's own event, the earliest, is a bound as good.
 */
static void set_horizon(struct sim_cpu *cpu, uint64_t own)
{
	sim_time horizon, sibling;

	cpu->others = own;
	if (sim.config.cpus <= FEW_CPUS || sim.config.cpus > MANY_CPUS)
		cpu->others = sim_queue_others(&sim.queue, cpu->slot);
	if (sim.config.cpus > MANY_CPUS)
		prefetch_task(cpu->others);
	if (sim_unlikely(sim.config.reference)) {
		cpu->horizon = 0;
		return;
	}
	horizon = add_lead(sim_key_time(cpu->others), sim.config.lead);
	for (uint32_t s = 0; s < cpu->siblings; s++) {
		sibling = add_lead(sim_key_time(sim_queue_leaf(&sim.queue, cpu->sibling[s])),
				   sim.config.lead_sibling);
		horizon = sibling < horizon ? sibling : horizon;
	}
	cpu->horizon = horizon < sim.timer_at ? horizon : sim.timer_at;
}

static void resume(struct sim_cpu *cpu, uint64_t key)
{
	cpu->now = sim_key_time(key);
	cpu->events++;
	sim.current = cpu;
	set_horizon(cpu, key);
}

/*
 * The running CPU `from` has set its key; go to the CPU of the earliest event.
 * Timers run on the main stack, which then dispatches again.
 */
static void dispatch(struct sim_cpu *from, uint64_t root)
{
	struct sim_cpu *to;

	if (sim_unlikely(root == SIM_NEVER || sim_key_time(root) >= sim.timer_at)) {
		sim.current = NULL;
		coro_switch(&from->task->coro, &sim.main);
		return;
	}
	to = &sim.cpus[sim_key_slot(root)];
	resume(to, root);
	if (to != from)
		coro_switch(&from->task->coro, &to->task->coro);
}

void sim_sync(struct sim_cpu *cpu, sim_time time)
{
	uint64_t key = sim_key(time, cpu->slot);

	assert(time >= cpu->now && time < SIM_TIME_MAX);
	if (key < cpu->others && time < sim.timer_at) {
		cpu->now = time;
		cpu->events++;
		return;
	}
	dispatch(cpu, sim_queue_set(&sim.queue, cpu->slot, key));
}

void sim_block(struct sim_cpu *cpu)
{
	dispatch(cpu, sim_queue_set(&sim.queue, cpu->slot, SIM_NEVER));
}

void sim_wake(uint32_t slot, sim_time time)
{
	uint64_t key = sim_key(time, slot);
	struct sim_cpu *cpu = sim.current;
	sim_time horizon;

	assert(cpu && cpu->slot != slot && time >= cpu->now && time < SIM_TIME_MAX);
	sim_queue_set(&sim.queue, slot, key);
	if (key < cpu->others)
		cpu->others = key;
	horizon = time +
		  (sim.cpus[slot].unit == cpu->unit ? sim.config.lead_sibling : sim.config.lead);
	if (horizon < cpu->horizon)
		cpu->horizon = horizon;
}

/* ---- Tasks, timers, the run ------------------------------------------------- */

static void task_main(void *arg)
{
	struct sim_cpu *cpu = arg;

	cpu->task->body(cpu->task->arg);
	for (;;)
		sim_block(cpu);
}

void sim_task_start(uint32_t slot, void (*body)(void *arg), void *arg)
{
	struct sim_cpu *cpu = &sim.cpus[slot];
	struct sim_task *task = &sim.tasks[slot];

	task->body = body;
	task->arg = arg;
	cpu->task = task;
	coro_init(&task->coro, &sim.stacks, slot, task_main, cpu);
	sim_queue_set(&sim.queue, slot, sim_key(cpu->now, slot));
}

void sim_timer_set(sim_time at, sim_timer_fn *fn, void *arg)
{
	sim.timer_at = at;
	sim.timer_fn = fn;
	sim.timer_arg = arg;
}

void sim_stop(void)
{
	sim.stopping = true;
}

static void run_timer(void)
{
	sim_timer_fn *fn = sim.timer_fn;
	sim_time now = sim.timer_at;

	sim.timer_at = SIM_NEVER;
	fn(sim.timer_arg, now);
}

static void check_stacks(void)
{
	for (uint32_t s = 0; s < sim.config.cpus; s++)
		if (!sim.failure && !coro_stack_intact(&sim.tasks[s].coro))
			sim.failure = "a task overran its stack";
}

/* The main stack's part: hands control to tasks, gets it back for timers and the end. */
static void run_loop(void)
{
	while (!sim.stopping && !sim.failure) {
		uint64_t root = sim_queue_root(&sim.queue);
		struct sim_cpu *to;

		if (sim_key_time(root) >= sim.timer_at && sim.timer_at != SIM_NEVER) {
			run_timer();
			continue;
		}
		if (root == SIM_NEVER)
			break;
		to = &sim.cpus[sim_key_slot(root)];
		resume(to, root);
		coro_switch(&sim.main, &to->task->coro);
	}
}

static jmp_buf *landing;

int sim_protect(void (*fn)(void *arg), void *arg)
{
	jmp_buf here, *outer = landing;

	landing = &here;
	if (setjmp(here) == 0)
		fn(arg);
	landing = outer;
	sim.current = NULL;
	return sim.failure ? -1 : 0;
}

static void run_all(void *arg)
{
	(void)arg;
	run_loop();
}

int sim_engine_run(void)
{
	sim.setup = false;
	coro_clean_up(&sim.main);
	coro_init_main(&sim.main);
	sim_protect(run_all, NULL);
	check_stacks();
	return sim.failure ? -1 : 0;
}

_Noreturn void sim_fail(const char *format, ...)
{
	struct sim_cpu *cpu = sim.current;
	va_list args;

	if (!sim.failure) {
		va_start(args, format);
		vsnprintf(sim.failure_text, sizeof(sim.failure_text), format, args);
		va_end(args);
		sim.failure = sim.failure_text;
	}
	if (!cpu && landing)
		longjmp(*landing, 1);
	if (!cpu) {
		fprintf(stderr, "futexsim: %s\n", sim.failure);
		abort();
	}
	sim.current = NULL;
	for (;;)
		coro_switch(&cpu->task->coro, &sim.main);
}
