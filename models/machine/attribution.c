/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who paid for which line: exact counts per line (a side table, grown at a
 * line's first transfer) and per field of every object type.
 */
#include <stdlib.h>
#include <string.h>

#include "machine/internal.h"

enum { TYPES_MAX = 64, FIELD_SLOTS = SIM_FIELDS_MAX + 1, MAPPED_BYTES = 128 };

struct side_entry {
	uint32_t line;     /* index in the directory */
	uint32_t object;   /* index of the object last hit; may be stale, see object_at */
	uint32_t count[2]; /* transfers: local, remote */
	sim_time wait;
	uint16_t inside; /* plain lines: byte of an element that the line starts with, ... */
	uint8_t mask;    /* ... the element's size - 1, at most MAPPED_BYTES - 1, ... */
	uint8_t type;    /* ... and its type + 1; 0: not a plain line */
};

static struct {
	struct side_entry *entry;
	uint32_t count, capacity;
	struct field_count {
		uint64_t count[2]; /* local, remote */
		sim_time wait;
	} field[TYPES_MAX][FIELD_SLOTS];
	uint8_t slot_of[TYPES_MAX][MAPPED_BYTES]; /* 1 + field slot by byte; 0: not looked up yet */
} table;

int attribution_init(void)
{
	memset(&table, 0, sizeof(table));
	table.capacity = 1024;
	table.entry = malloc(table.capacity * sizeof(*table.entry));
	return table.entry ? 0 : -1;
}

void attribution_clean_up(void)
{
	free(table.entry);
	memset(&table, 0, sizeof(table));
}

static void grow(void)
{
	struct side_entry *bigger =
		realloc(table.entry, 2 * (size_t)table.capacity * sizeof(*bigger));

	if (!bigger)
		sim_fail("out of memory for %u attributed lines", table.capacity);
	table.entry = bigger;
	table.capacity *= 2;
}

/*
 * Most lines are plain: all their bytes are elements of one object, of a size
 * that makes a field a matter of a mask and a look-up.
 */
static void note_plain(struct side_entry *e)
{
	size_t start = (size_t)e->line << sim.memory.line_shift;
	size_t end = start + ((size_t)1 << sim.memory.line_shift);
	const struct sim_object *o = sim_memory_object(&sim.memory, start);

	if (!o || !o->mask || o->mask >= MAPPED_BYTES || o->type >= TYPES_MAX ||
	    end > o->offset + o->bytes)
		return;
	e->inside = (uint16_t)((start - o->offset) & o->mask);
	e->mask = (uint8_t)o->mask;
	e->type = (uint8_t)(o->type + 1);
	e->object = (uint32_t)(o - sim.memory.objects);
}

static void add_entry(struct sim_line *line)
{
	if (table.count == table.capacity)
		grow();
	table.entry[table.count] = (struct side_entry){.line = (uint32_t)(line - sim.memory.lines),
						       .object = UINT32_MAX};
	note_plain(&table.entry[table.count]);
	line->side = ++table.count;
}

/* The search is worth avoiding: most lines hold one object. */
static const struct sim_object *object_at(struct side_entry *e, size_t offset)
{
	const struct sim_object *object;

	if (e->object < sim.memory.object_count) {
		object = &sim.memory.objects[e->object];
		if (offset - object->offset < object->bytes)
			return object;
	}
	object = sim_memory_object(&sim.memory, offset);
	e->object = object ? (uint32_t)(object - sim.memory.objects) : UINT32_MAX;
	return object;
}

void attribution_prefetch(const struct sim_line *line)
{
	if (line->side)
		__builtin_prefetch(&table.entry[line->side - 1]);
}

static uint32_t look_up_slot(const struct sim_object *object, size_t offset)
{
	int field = sim_memory_field(&sim.memory, object, offset);

	return field < 0 || field >= SIM_FIELDS_MAX ? SIM_FIELDS_MAX : (uint32_t)field;
}

static uint32_t slot_at(const struct sim_object *object, size_t offset)
{
	size_t inside = (offset - object->offset) & object->mask;
	uint8_t *slot;

	if (!object->mask || inside >= MAPPED_BYTES)
		return look_up_slot(object, offset);
	slot = &table.slot_of[object->type][inside];
	if (!*slot)
		*slot = (uint8_t)(look_up_slot(object, offset) + 1);
	return *slot - 1u;
}

static struct field_count *field_at(struct side_entry *e, size_t offset)
{
	const struct sim_object *object = object_at(e, offset);

	if (!object || object->type >= TYPES_MAX)
		return NULL;
	return &table.field[object->type][slot_at(object, offset)];
}

static struct field_count *plain_field_at(const struct side_entry *e, size_t offset)
{
	size_t at = offset & (((size_t)1 << sim.memory.line_shift) - 1);
	uint32_t slot = table.slot_of[e->type - 1][(e->inside + at) & e->mask];

	return sim_likely(slot) ? &table.field[e->type - 1][slot - 1] : NULL;
}

void attribute_transfer(struct sim_line *line, size_t offset, bool remote, sim_time wait)
{
	struct field_count *field = NULL;
	struct side_entry *e;

	if (sim_unlikely(!line->side))
		add_entry(line);
	e = &table.entry[line->side - 1];
	e->count[remote]++;
	e->wait += wait;
	if (sim_likely(e->type))
		field = plain_field_at(e, offset);
	if (sim_unlikely(!field))
		field = field_at(e, offset);
	if (sim_likely(field)) {
		field->count[remote]++;
		field->wait += wait;
	}
}

void machine_stats_reset(void)
{
	for (uint32_t i = 0; i < table.count; i++) {
		table.entry[i].count[0] = table.entry[i].count[1] = 0;
		table.entry[i].wait = 0;
	}
	memset(table.field, 0, sizeof(table.field));
	for (uint32_t s = 0; s < machine.slots; s++)
		machine.cpu[s].stolen = 0;
}

uint32_t machine_line_count(void)
{
	return table.count;
}

struct line_stats machine_line(uint32_t index)
{
	const struct side_entry *e = &table.entry[index];

	return (struct line_stats){.offset = (size_t)e->line << sim.memory.line_shift,
				   .local = e->count[0],
				   .remote = e->count[1],
				   .wait = e->wait};
}

const struct sim_object *machine_line_object(uint32_t index)
{
	uint32_t object = table.entry[index].object;

	return object < sim.memory.object_count ? &sim.memory.objects[object] : NULL;
}

struct field_stats machine_field(uint32_t type, int field)
{
	const struct field_count *f;

	if (type >= TYPES_MAX || field >= SIM_FIELDS_MAX)
		return (struct field_stats){0};
	f = &table.field[type][field < 0 ? SIM_FIELDS_MAX : field];
	return (struct field_stats){.local = f->count[0], .remote = f->count[1], .wait = f->wait};
}

uint64_t machine_stolen(uint32_t slot)
{
	return machine.cpu[slot].stolen;
}

void machine_op_boundary(struct sim_cpu *cpu)
{
	machine_cpu_of(cpu)->operation++;
}

void machine_watch_category(uint32_t category)
{
	machine.watched = category;
}
