/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The path of one simulated access: a hit ends here, the rest in dispatch.c. */
#ifndef FUTEXSIM_SIM_ACCESS_H
#define FUTEXSIM_SIM_ACCESS_H

#include "engine.h"

/* Lets the access happen in simulated time; on return the caller performs it. */
void sim_access_slow(struct sim_cpu *cpu, struct sim_line *line, size_t offset,
		     enum sim_access_kind kind);

/*
 * May the CPU access the line at its present clock without a transfer? Hits
 * change nothing of the entry that another CPU's hit or request looks at, so
 * their order does not matter.
 */
static inline bool sim_has_rights(const struct sim_cpu *cpu, const struct sim_line *line,
				  bool write)
{
	if (cpu->now >= line->revoke_at)
		return false;
	if (line->owner == cpu->id)
		return cpu->fills - line->owner_fill <= cpu->cache_lines;
	return !write && line->owner == SIM_NO_CPU &&
	       sharers_has(&sim.sharers, &line->sharers, cpu->unit);
}

static inline void sim_hit(struct sim_cpu *cpu, const struct sim_line *line,
			   enum sim_access_kind kind)
{
	sim_spend(cpu, sim_line_category(line), sim.hit_cost[kind]);
}

/* A hit whose order against others is not settled: it must not matter. */
static inline bool sim_may_run_ahead(const struct sim_cpu *cpu, const struct sim_line *line)
{
	return line->flags & LINE_QUIET && cpu->now < sim.timer_at;
}

static inline void sim_note_ahead(const struct sim_cpu *cpu, struct sim_line *line, bool write)
{
	if (line->ahead_until <= cpu->now)
		line->ahead_until = cpu->now + 1;
	if (write)
		line->flags |= LINE_AHEAD_WRITTEN;
}

static inline void sim_access(size_t offset, enum sim_access_kind kind)
{
	struct sim_cpu *cpu = sim.current;
	struct sim_line *line = &sim.memory.lines[offset >> sim.memory.line_shift];

	if (sim_unlikely(!cpu))
		return; /* building the system: no time passes */
	cpu->accesses++;
	if (sim_has_rights(cpu, line, kind != SIM_LOAD)) {
		if (sim_likely(cpu->now < cpu->horizon)) {
			sim_hit(cpu, line, kind);
			return;
		}
		if (sim_may_run_ahead(cpu, line)) {
			sim_note_ahead(cpu, line, kind != SIM_LOAD);
			sim_hit(cpu, line, kind);
			return;
		}
	}
	sim_access_slow(cpu, line, offset, kind);
}

/* Reports the access to the tracer; see hooks.c for where this happens. */
extern bool sim_tracing;
void sim_trace(size_t offset, enum sim_access_kind kind, int memory_order);

#endif
