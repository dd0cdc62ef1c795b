/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CPUs, tasks and their statistics. */
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

int os_init(const struct os_config *config)
{
	memset(&os, 0, sizeof(os));
	os.profile = config->profile;
	os.boot_cpu = config->boot_cpu;
	os.task = calloc(sim.config.cpus, sizeof(*os.task));
	if (!os.task)
		return -1;
	for (uint32_t s = 0; s < OS_SIBLINGS_MAX; s++)
		os_work_init(&os.work[s], config->profile, s, machine_clock_ghz(),
			     config->mitigations);
	for (uint32_t s = 0; s < sim.config.cpus; s++) {
		os.task[s].work = &os.work[machine_busy_siblings(s)];
		os.task[s].relax =
			(sim_time)(config->profile->param[PARAM_PAUSE].value * 1000 + 0.5);
	}
	machine_watch_category(PLAT_CAT_BUCKET_LINE);
	return 0;
}

void os_clean_up(void)
{
	struct plat_percpu *next;

	for (uint32_t t = 0; t < os.type_count; t++)
		free((void *)(uintptr_t)os.type[t].fields);
	while (os.percpu) {
		next = *(struct plat_percpu **)os.percpu;
		free(os.percpu);
		os.percpu = next;
	}
	free(os.task);
	memset(&os, 0, sizeof(os));
}

void os_task_start(uint32_t slot, void (*body)(void *arg), void *arg)
{
	sim_task_start(slot, body, arg);
}

/* ---- Statistics --------------------------------------------------------------- */

void os_stats_reset(void)
{
	for (uint32_t s = 0; s < sim.config.cpus; s++) {
		struct os_task *t = &os.task[s];

		t->ops_at_reset = t->ops;
		t->busy_ops = 0;
		memcpy(t->cost_at_reset, sim.cpus[s].cost, sizeof(t->cost_at_reset));
	}
	latency_reset(&os.latency);
	sim_contexts_reset(&sim.contexts);
	machine_stats_reset();
}

struct os_task_stats os_task_stats(uint32_t slot)
{
	const struct os_task *t = &os.task[slot];
	struct os_task_stats stats = {.ops = t->ops - t->ops_at_reset, .busy_ops = t->busy_ops};

	for (int c = 0; c < SIM_CATEGORIES_MAX; c++)
		stats.cost[c] = sim.cpus[slot].cost[c] - t->cost_at_reset[c];
	return stats;
}

uint64_t os_task_ops(uint32_t slot)
{
	return os.task[slot].ops;
}

uint64_t os_total_ops(void)
{
	uint64_t ops = 0;

	for (uint32_t s = 0; s < sim.config.cpus; s++)
		ops += os.task[s].ops;
	return ops;
}

const struct latency_histogram *os_latency(void)
{
	return &os.latency;
}

void plat_op_done(void)
{
	struct sim_cpu *cpu = sim.current;
	struct os_task *t = os_task_of(cpu);

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
		sim.current->wait_depth++;
		os_task_of(sim.current)->waited = true;
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
			machine_spin(sim.current, offset);                                         \
		}                                                                                  \
	}

DEFINE_WAIT_UNTIL_CHANGED(8)
DEFINE_WAIT_UNTIL_CHANGED(16)
DEFINE_WAIT_UNTIL_CHANGED(32)
DEFINE_WAIT_UNTIL_CHANGED(64)

/*
 * Nothing observes a reader's section or a preempt-off region while tables stay
 * fixed: both are bookkeeping of the own task, without a shared access.
 */
void plat_rcu_read_lock(void)
{
}

void plat_rcu_read_unlock(void)
{
}

void plat_preempt_disable(void)
{
}

void plat_preempt_enable(void)
{
}

/* Tasks are abandoned where they stand when a run has its statistics. */
bool plat_stopping(void)
{
	return false;
}

_Noreturn void plat_panic(const char *message)
{
	sim_fail("%s", message);
}
