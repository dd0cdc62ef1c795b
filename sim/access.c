/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "access.h"

#include "trace.h"

static void used_after_free(size_t offset)
{
	char name[64];

	sim_memory_describe(&sim.memory, offset, name, sizeof(name));
	sim_fail("use after free: CPU %u touches %s at %llu ps", sim.current->id, name,
		 (unsigned long long)sim.current->now);
}

void sim_access_slow(struct sim_cpu *cpu, struct sim_line *line, size_t offset,
		     enum sim_access_kind kind)
{
	/* Other tasks run first as a rule: their time hides the host's cache misses. */
	cpu->task->line = line;
	cpu->task->data = sim.memory.backing + offset;
	__builtin_prefetch(cpu->task->line);
	__builtin_prefetch(cpu->task->data);
	sim_sync(cpu, cpu->now);
	if (sim_unlikely(!(line->flags & LINE_KNOWN))) {
		line->flags |= LINE_KNOWN;
		line->owner = SIM_NO_CPU;
		line->revoke_at = line->flags & LINE_FREED ? 0 : SIM_NEVER;
		sim.config.ops->first_touch(line, offset);
	}
	if (sim_unlikely(line->flags & LINE_FREED))
		used_after_free(offset);
	if (sim_has_rights(cpu, line, kind != SIM_LOAD))
		sim_hit(cpu, line, kind);
	else
		sim.config.ops->miss(cpu, line, offset, kind);
	/* Freed while the transfer was under way? */
	if (sim_unlikely(line->flags & LINE_FREED))
		used_after_free(offset);
}

static sim_tracer *tracer;
static void *tracer_arg;
bool sim_tracing;

void sim_trace_set(sim_tracer *fn, void *arg)
{
	tracer = fn;
	tracer_arg = arg;
	sim_tracing = fn != NULL;
}

void sim_trace(size_t offset, enum sim_access_kind kind, int memory_order)
{
	const struct sim_object *object = NULL;
	char name[64];
	int field = -1;

	if (!sim.current)
		return;
	if (kind != SIM_FENCE) {
		sim_memory_describe(&sim.memory, offset, name, sizeof(name));
		object = sim_memory_object(&sim.memory, offset);
	}
	if (object)
		field = sim_memory_field(&sim.memory, object, offset);
	tracer(tracer_arg, sim.current->id, kind, kind == SIM_FENCE ? NULL : name,
	       field < 0 ? NULL : sim.memory.types[object->type]->fields[field].name, memory_order);
}
