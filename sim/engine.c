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
	sim.statistics.passive = true;
	sim_timer_set(SIM_NEVER, NULL, NULL);
	sim.setup = true;
	sim.task_count = config->cpus + (config->tasks ? config->tasks : config->cpus);
	if (sim_memory_init(&sim.memory, config->memory_bytes, config->line_size, config->nodes,
			    config->layout_seed))
		return init_failed("no address space for the simulated memory");
	if (coro_pool_init(&sim.stacks, sim.task_count))
		return init_failed("no address space for the tasks' stacks");
	sim.cpus = zeroed_lines(config->cpus * sizeof(*sim.cpus));
	sim.tasks = zeroed_lines(sim.task_count * sizeof(*sim.tasks));
	if (!sim.cpus || !sim.tasks || sim_contexts_init(&sim.contexts) ||
	    sim_queue_init(&sim.queue, config->cpus) ||
	    sharers_pool_init(&sim.sharers, config->units))
		return init_failed("out of memory");
	init_slots();
	return 0;
}

void sim_engine_clean_up(void)
{
	for (uint32_t t = 0; sim.tasks && t < sim.tasks_used; t++)
		coro_clean_up(&sim.tasks[t].coro);
	coro_clean_up(&sim.main);
	if (sim.stacks.base)
		coro_pool_clean_up(&sim.stacks);
	sim_memory_clean_up(&sim.memory);
	sim_queue_clean_up(&sim.queue);
	sharers_pool_clean_up(&sim.sharers);
	sim_contexts_clean_up(&sim.contexts);
	sim_timers_clean_up(&sim.timers);
	free(sim.cpus);
	free(sim.tasks);
	sim.cpus = NULL;
	sim.tasks = NULL;
	sim.current = NULL;
}

/* ---- Tasks ------------------------------------------------------------------ */

static void task_main(void *arg)
{
	struct sim_task *task = arg;

	task->body(task->arg);
	for (;;)
		sim_block(sim.current);
}

static uint32_t take_task(void)
{
	uint32_t index = sim.free_task;

	if (index) {
		sim.free_task = sim.tasks[index - 1].next_free;
		return index - 1;
	}
	if (sim.tasks_used == sim.task_count)
		sim_fail("more than %u tasks at one time", sim.task_count - sim.config.cpus);
	return sim.tasks_used++;
}

struct sim_task *sim_task_create(void (*body)(void *arg), void *arg)
{
	uint32_t index = take_task();
	struct sim_task *task = &sim.tasks[index];

	task->body = body;
	task->arg = arg;
	task->context = &sim.contexts.root;
	task->wait_depth = 0;
	coro_init(&task->coro, &sim.stacks, index, task_main, task);
	return task;
}

static void check_stack(const struct sim_task *task)
{
	if (!sim.failure && !coro_stack_intact(&task->coro))
		sim.failure = "a task overran its stack";
}

void sim_task_destroy(struct sim_task *task)
{
	check_stack(task);
	coro_clean_up(&task->coro);
	memset(&task->coro, 0, sizeof(task->coro));
	task->next_free = sim.free_task;
	sim.free_task = (uint32_t)(task - sim.tasks) + 1;
}

void sim_task_place(uint32_t slot, struct sim_task *task, sim_time time)
{
	struct sim_cpu *cpu = &sim.cpus[slot];

	assert(!cpu->task && sim_queue_leaf(&sim.queue, slot) == SIM_NEVER);
	cpu->task = task;
	cpu->step = SIM_STEP_RUN;
	if (sim.setup)
		sim_queue_set(&sim.queue, slot, sim_key(time, slot));
	else
		sim_wake(slot, time);
}

void sim_task_start(uint32_t slot, void (*body)(void *arg), void *arg)
{
	sim_task_place(slot, sim_task_create(body, arg), sim.cpus[slot].now);
}

void sim_task_switch(struct sim_cpu *cpu, struct sim_task *to)
{
	struct sim_task *from = cpu->task;

	assert(cpu == sim.current && to != from);
	from->context = cpu->context;
	from->wait_depth = cpu->wait_depth;
	cpu->context = to->context;
	cpu->wait_depth = to->wait_depth;
	cpu->task = to;
	sim_switch(&from->coro, &to->coro);
}

/* ---- Timers, the run --------------------------------------------------------- */

static void note_first_timer(void)
{
	const struct sim_timer *first = sim_timers_first(&sim.timers);

	sim.timer_at = first ? first->at : SIM_NEVER;
	sim.timer_key = first && first->at < SIM_TIME_MAX ? sim_key(first->at, 0) : SIM_NEVER;
	/* What lies behind it is no longer the running CPU's to settle alone. */
	if (sim.current && sim.timer_at < sim.current->horizon)
		sim.current->horizon = sim.timer_at;
}

void sim_timer_add(struct sim_timer *timer, sim_time at, sim_timer_fn *fn, void *arg)
{
	assert(!sim.current || at >= sim.current->now);
	timer->fn = fn;
	timer->arg = arg;
	if (!sim_timers_add(&sim.timers, timer, at))
		sim_fail("out of memory for timers");
	note_first_timer();
}

void sim_timer_cancel(struct sim_timer *timer)
{
	sim_timers_remove(&sim.timers, timer);
	note_first_timer();
}

void sim_timer_set(sim_time at, sim_timer_fn *fn, void *arg)
{
	if (at == SIM_NEVER)
		sim_timer_cancel(&sim.statistics);
	else
		sim_timer_add(&sim.statistics, at, fn, arg);
}

void sim_stop(void)
{
	sim.stopping = true;
}

static void run_timer(void)
{
	struct sim_timer *timer = sim_timers_first(&sim.timers);

	sim.timer_now = timer->at;
	sim_timer_cancel(timer);
	timer->fn(timer->arg, sim.timer_now);
}

static void check_stacks(void)
{
	for (uint32_t t = 0; t < sim.tasks_used; t++)
		check_stack(&sim.tasks[t]);
}

static bool is_stuck(void)
{
	return sim_queue_root(&sim.queue) == SIM_NEVER && !sim.timers.active;
}

/* The main stack's part: hands control to tasks, gets it back for timers and the end. */
static void run_loop(void)
{
	while (!sim.stopping && !sim.failure) {
		if (sim.stuck && is_stuck())
			sim.stuck();
		if (sim_queue_root(&sim.queue) < sim.timer_key)
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
