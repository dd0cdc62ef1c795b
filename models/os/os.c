/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Setting up, statistics, waiting, and the small things of platform.h. */
#include "os/os.h"

#include <stdlib.h>
#include <string.h>

#include "os/internal.h"

struct os os;

/*
 * Categories of cost: those of platform.h, and behind them what the engine
 * books itself.
 */
_Static_assert((int)PLAT_CAT_COUNT <= (int)SIM_COST_WORK, "categories must not overlap");

static void init_cpu(uint32_t slot)
{
	struct os_cpu *oc = &os.cpu[slot];

	oc->work = &os.work[machine_busy_siblings(slot)];
	oc->relax = (sim_time)(os.profile->param[PARAM_PAUSE].value * 1000 + 0.5);
	oc->look_at = SIM_NEVER;
	oc->idle = true;
}

static void init_ticks(const struct os_config *config)
{
	double ns = config->tick_ns > 0 ? config->tick_ns : os.profile->param[PARAM_TICK].value;

	os.tickless = config->tickless;
	os.tick = (sim_time)(ns * 1000 + 0.5);
	os.skew = os.tick / 2 / sim.config.cpus;
	os.skew = os.skew < SIM_US ? os.skew : SIM_US;
}

int os_init(const struct os_config *config)
{
	memset(&os, 0, sizeof(os));
	os.profile = config->profile;
	os.boot_cpu = config->boot_cpu;
	os.tasks_max = sim.config.tasks ? sim.config.tasks : sim.config.cpus;
	os.cpu = aligned_alloc(64, sim.config.cpus * sizeof(*os.cpu));
	os.task = calloc(os.tasks_max, sizeof(*os.task));
	if (!os.cpu || !os.task)
		return -1;
	memset(os.cpu, 0, sim.config.cpus * sizeof(*os.cpu));
	for (uint32_t s = 0; s < OS_SIBLINGS_MAX; s++)
		os_work_init(&os.work[s], config->profile, s, machine_clock_ghz(),
			     config->mitigations);
	for (uint32_t s = 0; s < sim.config.cpus; s++)
		init_cpu(s);
	os.idle = sim.config.cpus;
	init_ticks(config);
	os_sched_init();
	rcu_init(config);
	sim.stuck = os_stuck;
	machine_watch_category(PLAT_CAT_BUCKET_LINE);
	return 0;
}

void os_clean_up(void)
{
	struct plat_percpu *next;

	rcu_clean_up();
	for (uint32_t t = 0; t < os.type_count; t++)
		free((void *)(uintptr_t)os.type[t].fields);
	while (os.percpu) {
		next = *(struct plat_percpu **)os.percpu;
		free(os.percpu);
		os.percpu = next;
	}
	free(os.cpu);
	free(os.task);
	memset(&os, 0, sizeof(os));
}

/* ---- Statistics --------------------------------------------------------------- */

/* Booked so far, with what the present state has lasted. */
static void costs_of(const struct plat_task *t, sim_time cost[SIM_CATEGORIES_MAX], sim_time *ready)
{
	const struct os_cpu *oc = &os.cpu[t->slot];
	sim_time now = os_now(), passed = now > t->since ? now - t->since : 0;

	memcpy(cost, t->cost, sizeof(t->cost));
	*ready = t->ready;
	if (t->state == OS_RUNNING)
		for (int c = 0; c < SIM_CATEGORIES_MAX; c++)
			cost[c] += os_sim_cpu(oc)->cost[c] - oc->cost_seen[c];
	else if (t->state != OS_ENDED)
		cost[t->sim->wait_depth ? SIM_COST_LOCK_WAIT : OS_COST_SLEEP] += passed;
	if (t->state == OS_READY)
		*ready += passed;
}

void os_stats_reset(void)
{
	for (uint32_t i = 0; i < os.tasks_used; i++) {
		struct plat_task *t = &os.task[i];

		t->ops_at_reset = t->ops;
		t->busy_ops = 0;
		costs_of(t, t->cost_at_reset, &t->ready_at_reset);
	}
	latency_reset(&os.latency);
	sim_contexts_reset(&sim.contexts);
	machine_stats_reset();
}

struct os_task_stats os_task_stats(uint32_t number)
{
	const struct plat_task *t = &os.task[number];
	struct os_task_stats stats = {.ops = t->ops - t->ops_at_reset, .busy_ops = t->busy_ops};

	costs_of(t, stats.cost, &stats.ready);
	stats.ready -= t->ready_at_reset;
	for (int c = 0; c < SIM_CATEGORIES_MAX; c++)
		stats.cost[c] -= t->cost_at_reset[c];
	return stats;
}

uint64_t os_task_ops(uint32_t number)
{
	return os.task[number].ops;
}

uint64_t os_total_ops(void)
{
	uint64_t ops = os.gone_ops;

	for (uint32_t t = 0; t < os.tasks_used; t++)
		ops += os.task[t].ops;
	return ops;
}

sim_time os_idle_time(uint32_t slot)
{
	const struct os_cpu *oc = &os.cpu[slot];
	sim_time now = os_now();

	return sim.cpus[slot].cost[OS_COST_SLEEP] +
	       (oc->idle && now > oc->idle_since ? now - oc->idle_since : 0);
}

uint32_t os_tasks_alive(void)
{
	return os.alive;
}

uint64_t os_switches(void)
{
	return os.switches;
}

uint64_t os_migrations(void)
{
	return os.migrations;
}

const struct latency_histogram *os_latency(void)
{
	return &os.latency;
}

void plat_op_done(void)
{
	struct sim_cpu *cpu = sim.current;
	struct plat_task *t = os_cpu_of(cpu)->current;

	t->ops++;
	t->busy_ops += t->waited;
	t->waited = false;
	latency_add(&os.latency, cpu->now - t->op_began);
	t->op_began = cpu->now;
	machine_op_boundary(cpu);
}

/* ---- The rest of platform.h ------------------------------------------------------ */

unsigned plat_cpu(void)
{
	return sim.current ? sim.current->id : os.boot_cpu;
}

unsigned plat_cpu_count(void)
{
	return machine_cpu_count(&os.profile->topology);
}

unsigned plat_node_count(void)
{
	return sim.memory.nodes;
}

unsigned plat_node_of_cpu(unsigned cpu)
{
	return machine_node_of_cpu(cpu);
}

void plat_lock_wait_begin(void)
{
	if (sim.current) {
		struct plat_task *task = os_cpu_of(sim.current)->current;

		sim.current->wait_depth++;
		if (task)
			task->waited = true;
	}
}

void plat_lock_wait_end(void)
{
	if (sim.current)
		sim.current->wait_depth--;
}

#define DEFINE_WAIT_UNTIL_CHANGED(bits)                                                            \
	uint##bits##_t plat_wait_until_changed##bits(const _Atomic(uint##bits##_t) *p,             \
						     uint##bits##_t seen)                          \
	{                                                                                          \
		size_t offset = sim_memory_offset(&sim.memory, p);                                 \
		const uint##bits##_t *cell = (const void *)(sim.memory.backing + offset);          \
                                                                                                   \
		for (;;) {                                                                         \
			if (sim_unlikely(sim_tracing))                                             \
				sim_trace(offset, SIM_LOAD, __ATOMIC_ACQUIRE);                     \
			sim_access(offset, SIM_LOAD);                                              \
			if (*cell != seen)                                                         \
				return *cell;                                                      \
			os_spin(sim.current, offset);                                              \
		}                                                                                  \
	}

DEFINE_WAIT_UNTIL_CHANGED(8)
DEFINE_WAIT_UNTIL_CHANGED(16)
DEFINE_WAIT_UNTIL_CHANGED(32)
DEFINE_WAIT_UNTIL_CHANGED(64)

/* Tasks are abandoned where they stand when a run has its statistics. */
bool plat_stopping(void)
{
	return false;
}

_Noreturn void plat_panic(const char *message)
{
	sim_fail("%s", message);
}
