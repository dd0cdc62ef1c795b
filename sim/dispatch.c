/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dispatch.h"

#include <assert.h>

#include "access.h"

/*
 * Few CPUs: the horizon is worth its exact value. Many CPUs do not fit the
 * host's caches: who probably comes next is worth knowing in advance. Where
 * either begins to pay was measured with tests/sim/bench_engine; results do not
 * depend on it.
 */
enum { FEW_CPUS = 12, MANY_CPUS = 200 };

/* ---- Before a task goes on ---------------------------------------------------- */

/* What the CPU's next step will touch is on its way when it comes. */
static void prefetch_step(uint64_t key)
{
	const struct sim_cpu *cpu;
	const char *sp;

	if (key == SIM_NEVER)
		return;
	cpu = &sim.cpus[sim_key_slot(key)];
	sp = sim.tasks[sim_key_slot(key)].coro.sp;
	__builtin_prefetch(cpu->line);
	__builtin_prefetch(sim.memory.backing + cpu->offset);
	for (int line = 0; line < 6; line++)
		__builtin_prefetch(sp + 64 * line);
}

static void prefetch_cpu(uint64_t key)
{
	const struct sim_cpu *cpu;

	if (key == SIM_NEVER)
		return;
	cpu = &sim.cpus[sim_key_slot(key)];
	__builtin_prefetch(cpu);
	__builtin_prefetch(cpu->cost);
	__builtin_prefetch(&cpu->line);
	__builtin_prefetch(&sim.tasks[sim_key_slot(key)]);
}

/* The winners of the other half and the other quarter: one of them mostly comes next. */
static void prefetch_next(uint64_t root)
{
	const uint64_t *node = sim.queue.node;
	uint32_t half = node[2] == root ? 2 : 3, quarter = node[2 * half] == root ? 0 : 1;
	uint64_t a = node[half ^ 1], b = node[(2 * half + quarter) ^ 1];

	prefetch_step(a < b ? a : b);
	prefetch_cpu(a < b ? b : a);
}

/*
 * The least key of the others. Unless there are few CPUs, their next event is
 * close, and its exact time not worth a second walk through the tree: the CPU's
 * own event, the earliest, is a bound as good.
 */
static uint64_t earliest_other(const struct sim_cpu *cpu, uint64_t own)
{
	return sim.config.cpus > FEW_CPUS ? own : sim_queue_others(&sim.queue, cpu->slot);
}

/* What the CPU that is about to run may do without asking. */
static sim_time find_horizon(const struct sim_cpu *cpu)
{
	sim_time horizon = sim_key_time(cpu->others) + sim.config.lead, near;
	uint64_t sibling = SIM_NEVER;

	for (uint32_t s = 0; s < cpu->siblings; s++) {
		uint64_t key = sim_queue_leaf(&sim.queue, cpu->sibling[s]);

		sibling = key < sibling ? key : sibling;
	}
	near = sim_key_time(sibling) + sim.config.lead_sibling;
	horizon = near < horizon ? near : horizon;
	return horizon < sim.timer_at ? horizon : sim.timer_at;
}

static void set_horizon(struct sim_cpu *cpu, uint64_t own)
{
	cpu->others = earliest_other(cpu, own);
	cpu->horizon = sim_unlikely(sim.config.reference) ? 0 : find_horizon(cpu);
}

/* ---- Steps ---------------------------------------------------------------------- */

static void used_after_free(const struct sim_cpu *cpu)
{
	const struct sim_block *block = sim_memory_block_around(&sim.memory, cpu->offset);
	struct sim_origin access = {cpu->now, cpu->context, cpu->id};
	char name[64], who[512], gone[512];

	assert(block);
	sim_memory_describe(&sim.memory, cpu->offset, name, sizeof(name));
	sim_origin_describe(&access, who, sizeof(who));
	sim_origin_describe(&block->gone, gone, sizeof(gone));
	sim_fail("use after free: %s touched %s; freed %s", name, who, gone);
}

/* Bit per type of the objects on a line; 0 if one of them has no bit. */
static uint64_t types_on_line(size_t offset)
{
	size_t size = (size_t)1 << sim.memory.line_shift;
	size_t start = offset & ~(size - 1), at = start;
	uint64_t types = 0;

	while (at < start + size) {
		const struct sim_object *object = sim_memory_object(&sim.memory, at);

		if (object && object->type >= 64)
			return 0;
		types |= object ? (uint64_t)1 << object->type : 0;
		at = object ? object->offset + object->bytes : at + 1;
	}
	return types;
}

static bool expected_quiet(size_t offset)
{
	uint64_t types = sim.config.quiet ? types_on_line(offset) : 0;

	return types && !(types & ~sim.config.quiet);
}

_Noreturn static void surprised(size_t offset)
{
	char name[64];

	sim_memory_describe(&sim.memory, offset, name, sizeof(name));
	sim.surprise = types_on_line(offset);
	assert(sim.surprise);
	sim_fail("the line of %s was expected to be quiet", name);
}

void sim_expect_unused(const struct sim_line *line, sim_time from)
{
	if (sim_unlikely(from < line->ahead_until))
		surprised((size_t)(line - sim.memory.lines) << sim.memory.line_shift);
}

static void touch_first(struct sim_line *line, size_t offset)
{
	line->flags |= expected_quiet(offset) ? LINE_QUIET : 0;
	line->flags |= LINE_KNOWN;
	line->owner = SIM_NO_CPU;
	line->revoke_at = line->flags & LINE_FREED ? 0 : SIM_NEVER;
	sim.config.ops->first_touch(line, offset);
}

/* True when the access has been made. */
static bool request(struct sim_cpu *cpu)
{
	struct sim_line *line = cpu->line;

	if (sim_unlikely(!(line->flags & LINE_KNOWN)))
		touch_first(line, cpu->offset);
	if (sim_unlikely(line->flags & LINE_FREED))
		used_after_free(cpu);
	if (!sim_has_rights(cpu, line, cpu->kind != SIM_LOAD))
		return sim.config.ops->request(cpu);
	sim_hit(cpu, line, cpu->kind);
	return true;
}

static bool arrive(struct sim_cpu *cpu)
{
	bool done = sim.config.ops->arrive(cpu);

	/* Freed while the transfer was under way? */
	if (sim_unlikely(cpu->line->flags & LINE_FREED))
		used_after_free(cpu);
	return done;
}

static bool step(struct sim_cpu *cpu)
{
	if (cpu->step == SIM_STEP_ARRIVE)
		return arrive(cpu);
	return cpu->step == SIM_STEP_RUN || request(cpu);
}

/* ---- Events ------------------------------------------------------------------------ */

void sim_dispatch(struct coro *from)
{
	struct sim_cpu *cpu;
	uint64_t root;

	do {
		root = sim_queue_root(&sim.queue);
		if (sim_unlikely(root >= sim.timer_key)) {
			sim.current = NULL;
			if (from != &sim.main)
				sim_switch(from, &sim.main);
			return;
		}
		cpu = &sim.cpus[sim_key_slot(root)];
		cpu->now = sim_key_time(root);
		cpu->events++;
		sim.current = cpu;
		if (sim.config.cpus > MANY_CPUS)
			prefetch_next(root);
	} while (!step(cpu));
	set_horizon(cpu, root);
	if (&cpu->task->coro != from)
		sim_switch(from, &cpu->task->coro);
}

/* Nothing of the others comes before, nor the timer? */
static bool is_next(const struct sim_cpu *cpu, uint64_t key)
{
	return key < cpu->others && key < sim.timer_key;
}

void sim_access_slow(struct sim_cpu *cpu, struct sim_line *line, size_t offset,
		     enum sim_access_kind kind)
{
	uint64_t key = sim_key(cpu->now, cpu->slot);

	/* Other tasks run first as a rule: their time hides the host's cache misses. */
	__builtin_prefetch(line);
	__builtin_prefetch(sim.memory.backing + offset);
	cpu->line = line;
	cpu->offset = offset;
	cpu->kind = (uint8_t)kind;
	if (is_next(cpu, key)) {
		cpu->events++;
		if (request(cpu))
			return;
	} else {
		cpu->step = SIM_STEP_REQUEST;
		sim_queue_set(&sim.queue, cpu->slot, key);
	}
	sim_dispatch(&cpu->task->coro);
}

void sim_sync(struct sim_cpu *cpu, sim_time time)
{
	uint64_t key = sim_key(time, cpu->slot);

	assert(time >= cpu->now && time < SIM_TIME_MAX);
	if (is_next(cpu, key)) {
		cpu->now = time;
		cpu->events++;
		return;
	}
	cpu->step = SIM_STEP_RUN;
	sim_queue_set(&sim.queue, cpu->slot, key);
	sim_dispatch(&cpu->task->coro);
}

void sim_block(struct sim_cpu *cpu)
{
	cpu->step = SIM_STEP_RUN;
	sim_queue_set(&sim.queue, cpu->slot, SIM_NEVER);
	sim_dispatch(&cpu->task->coro);
}

void sim_wake(uint32_t slot, sim_time time)
{
	uint64_t key = sim_key(time, slot);
	struct sim_cpu *cpu = sim.current;
	sim_time horizon;

	assert(time >= sim.cpus[slot].now && time < SIM_TIME_MAX);
	sim_queue_advance(&sim.queue, slot, key);
	if (!cpu)
		return; /* a timer: nobody is running */
	assert(cpu->slot != slot && time >= cpu->now);
	if (key < cpu->others)
		cpu->others = key;
	horizon = time +
		  (sim.cpus[slot].unit == cpu->unit ? sim.config.lead_sibling : sim.config.lead);
	if (horizon < cpu->horizon)
		cpu->horizon = horizon;
}
