/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace.h"

#include "access.h"

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
