/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rig.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "access.h"

static _Noreturn void give_up(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, sim.failure ? sim.failure : "no reason given");
	abort();
}

void rig_begin_on(const struct machine_profile *profile, const uint32_t *ids, uint32_t slots)
{
	struct sim_config config = {.cpus = slots, .memory_bytes = 2 << 20};

	machine_configure(profile, &config);
	if (sim_engine_init(&config) || machine_init(profile, ids, slots, 1) ||
	    os_init(&(struct os_config){.profile = profile}))
		give_up("no machine");
}

void rig_begin(const struct machine_profile *profile, uint32_t cpus)
{
	static uint32_t ids[SIM_CPUS_MAX];

	for (uint32_t s = 0; s < cpus; s++)
		ids[s] = s;
	rig_begin_on(profile, ids, cpus);
}

void rig_end(void)
{
	os_clean_up();
	machine_clean_up();
	sim_engine_clean_up();
}

uint32_t *rig_lines(uint32_t lines, int node)
{
	size_t line = sim.config.line_size;
	size_t offset = sim_memory_alloc(&sim.memory, lines * line, line, node, false);

	if (offset == SIZE_MAX)
		give_up("no simulated memory");
	return sim_memory_pointer(&sim.memory, offset);
}

void rig_run(void)
{
	if (sim_engine_run())
		give_up("run failed");
}

static void stop(void *arg, sim_time now)
{
	(void)arg;
	(void)now;
	sim_stop();
}

void rig_run_until(sim_time at)
{
	sim_timer_set(at, stop, NULL);
	rig_run();
}

void rig_at(sim_time at)
{
	struct sim_cpu *cpu = sim.current;

	assert(at >= cpu->now);
	sim_spend(cpu, SIM_COST_WORK, at - cpu->now);
}

sim_time rig_now(void)
{
	return sim.current->now;
}

uint32_t rig_peek(const uint32_t *p)
{
	return *(const uint32_t *)(const void *)(sim.memory.backing +
						 sim_memory_offset(&sim.memory, p));
}

struct sim_line *rig_line(const uint32_t *p)
{
	return &sim.memory.lines[sim_memory_offset(&sim.memory, p) >> sim.memory.line_shift];
}
