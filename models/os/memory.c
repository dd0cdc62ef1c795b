/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Allocation, naming, addresses and per-CPU data. */
#include <stdio.h>
#include <stdlib.h>

#include "os/internal.h"

static int home_of(int node)
{
	if (node == PLAT_NODE_INTERLEAVE)
		return sim.memory.nodes > 1 ? SIM_HOME_INTERLEAVE : 0;
	if (node == PLAT_NODE_LOCAL)
		return (int)plat_node_of_cpu(plat_cpu());
	return node;
}

static void *allocate(size_t size, size_t align, int node, bool user)
{
	size_t offset;

	/* Who allocates first is settled in simulated time. */
	os_in_order();
	offset = sim_memory_alloc(&sim.memory, size, align, home_of(node), user);
	if (offset == SIZE_MAX)
		sim_fail("simulated memory is full: %zu of %zu MiB used, %zu bytes wanted",
			 sim.memory.used >> 20, sim.memory.bytes >> 20, size);
	sim_memory_block(&sim.memory, offset)->from = sim_here();
	return sim_memory_pointer(&sim.memory, offset);
}

void *plat_alloc(size_t size, size_t align, int node)
{
	return allocate(size, align, node, false);
}

void *plat_alloc_user(size_t size, int node)
{
	return allocate(size, os.profile->page_size, node, true);
}

static void expect_unused(size_t offset, sim_time now)
{
	size_t end = offset + sim_memory_size(&sim.memory, offset);
	uint32_t shift = sim.memory.line_shift;

	for (size_t line = offset >> shift; line << shift < end; line++)
		sim_expect_unused(&sim.memory.lines[line], now);
}

_Noreturn static void cannot_free(size_t offset, const struct sim_origin *who)
{
	const struct sim_block *block = sim_memory_block(&sim.memory, offset);
	char name[64], here[512], before[512];

	sim_origin_describe(who, here, sizeof(here));
	if (!block)
		sim_fail("free of what was never allocated: arena offset %zu, %s", offset, here);
	sim_memory_describe(&sim.memory, offset, name, sizeof(name));
	sim_origin_describe(&block->gone, before, sizeof(before));
	sim_fail("freed twice: %s %s; before that %s", name, here, before);
}

void os_free(void *p, sim_time now, const struct sim_origin *who)
{
	size_t offset = sim_memory_offset(&sim.memory, p);

	expect_unused(offset, now);
	if (!sim_memory_free(&sim.memory, offset))
		cannot_free(offset, who);
	sim_memory_block(&sim.memory, offset)->gone = *who;
}

void plat_free(void *p)
{
	struct sim_origin who;

	os_in_order();
	who = sim_here();
	if (p)
		os_free(p, sim.current ? sim.current->now : SIM_NEVER, &who);
}

const char *os_leaks(void)
{
	static char text[800];
	const struct sim_block *first = NULL;
	char name[64], who[512];
	uint32_t count = 0;

	rcu_free_held_back();
	for (size_t b = 0; b < sim.memory.block_count; b++) {
		const struct sim_block *block = &sim.memory.blocks[b];

		if (block->freed || !block->from.in)
			continue;
		first = first ? first : block;
		count++;
	}
	if (!first)
		return NULL;
	sim_memory_describe(&sim.memory, first->offset, name, sizeof(name));
	sim_origin_describe(&first->from, who, sizeof(who));
	snprintf(text, sizeof(text),
		 "%u blocks were never freed; the first: %s, %zu bytes, allocated %s", count, name,
		 first->size, who);
	return text;
}

/* The engine's copy of a type; made once. */
static const struct sim_type *engine_type(const struct plat_type *type)
{
	struct sim_field *fields;
	uint32_t t;

	for (t = 0; t < os.type_count; t++)
		if (os.known[t] == type)
			return &os.type[t];
	fields = calloc(type->field_count + 1u, sizeof(*fields));
	if (!fields || t == OS_TYPES_MAX)
		sim_fail("out of memory for the description of %s", type->name);
	for (uint32_t f = 0; f < type->field_count; f++)
		fields[f] = (struct sim_field){type->fields[f].name, type->fields[f].offset,
					       type->fields[f].size};
	os.known[t] = type;
	os.type[t] =
		(struct sim_type){type->name, (uint8_t)type->category, type->field_count, fields};
	os.type_count++;
	return &os.type[t];
}

void plat_name(const void *p, const struct plat_type *type, size_t count, size_t stride)
{
	if (!sim_memory_name(&sim.memory, sim_memory_offset(&sim.memory, p), engine_type(type),
			     count, stride))
		sim_fail("out of memory for the name of %s, or its bytes have another name",
			 type->name);
}

size_t plat_line_size(void)
{
	return os.profile->line_size;
}

size_t plat_page_size(void)
{
	return os.profile->page_size;
}

uint64_t plat_address(const void *p)
{
	return sim_memory_address(&sim.memory, sim_memory_offset(&sim.memory, p));
}

/* ---- Per-CPU data ------------------------------------------------------------ */

struct plat_percpu {
	struct plat_percpu *next;
	size_t stride;
	size_t copy[]; /* arena offset per CPU number */
};

struct plat_percpu *plat_percpu_alloc(size_t size, const struct plat_type *type)
{
	uint32_t cpus = plat_cpu_count();
	struct plat_percpu *base = malloc(sizeof(*base) + cpus * sizeof(base->copy[0]));
	size_t line = plat_line_size(), bytes = (size + line - 1) & ~(line - 1);

	if (!base)
		sim_fail("out of memory for per-CPU data");
	base->next = os.percpu;
	os.percpu = base;
	for (uint32_t cpu = 0; cpu < cpus; cpu++) {
		void *copy = plat_alloc(bytes, line, (int)plat_node_of_cpu(cpu));

		if (type)
			plat_name(copy, type, 1, bytes);
		base->copy[cpu] = sim_memory_offset(&sim.memory, copy);
		/* Stays for good: no leak. */
		sim_memory_block(&sim.memory, base->copy[cpu])->from.in = NULL;
	}
	return base;
}

void *plat_percpu_ptr(struct plat_percpu *base, unsigned cpu)
{
	return sim_memory_pointer(&sim.memory, base->copy[cpu]);
}

void *plat_this_cpu_ptr(struct plat_percpu *base)
{
	return plat_percpu_ptr(base, plat_cpu());
}

void plat_this_cpu_add(struct plat_percpu *base, int32_t delta)
{
	size_t offset = base->copy[plat_cpu()];

	if (sim_unlikely(sim_tracing))
		sim_trace(offset, SIM_PERCPU, __ATOMIC_RELAXED);
	sim_access(offset, SIM_PERCPU);
	*(uint32_t *)(sim.memory.backing + offset) += (uint32_t)delta;
}
