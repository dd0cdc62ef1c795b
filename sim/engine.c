/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dispatch.h"

#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sim_engine sim;

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
		sim.cpus[s].context = &sim.contexts.root;
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
	assert(!config->reference || !config->quiet);
	memset(&sim, 0, sizeof(sim));
	sim.config = *config;
	sim_timer_set(SIM_NEVER, NULL, NULL);
	sim.setup = true;
	if (sim_memory_init(&sim.memory, config->memory_bytes, config->line_size, config->nodes,
			    config->layout_seed))
		return init_failed("no address space for the simulated memory");
	if (coro_pool_init(&sim.stacks, config->cpus))
		return init_failed("no address space for the tasks' stacks");
	sim.cpus = zeroed_lines(config->cpus * sizeof(*sim.cpus));
	sim.tasks = zeroed_lines(config->cpus * sizeof(*sim.tasks));
	if (!sim.cpus || !sim.tasks || sim_contexts_init(&sim.contexts) ||
	    sim_queue_init(&sim.queue, config->cpus) ||
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
	sim_contexts_clean_up(&sim.contexts);
	free(sim.cpus);
	free(sim.tasks);
	sim.cpus = NULL;
	sim.tasks = NULL;
	sim.current = NULL;
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
	sim.timer_key = at < SIM_TIME_MAX ? sim_key(at, 0) : SIM_NEVER;
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

	sim_timer_set(SIM_NEVER, fn, sim.timer_arg);
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

		if (root < sim.timer_key)
			sim_dispatch(&sim.main);
		else if (sim.timer_at != SIM_NEVER)
			run_timer();
		else
			break;
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
	sim.stack = &sim.main;
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
	if (landing && (!cpu || sim.stack == &sim.main))
		longjmp(*landing, 1);
	if (!cpu) {
		fprintf(stderr, "futexsim: %s\n", sim.failure);
		abort();
	}
	sim.current = NULL;
	for (;;)
		sim_switch(sim.stack, &sim.main);
}
