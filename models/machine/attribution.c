/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who paid for which line: exact counts per line (a side table, grown at a
 * line's first transfer), and per field and calling context (cells).
 */
#include <stdlib.h>
#include <string.h>

#include "machine/internal.h"

enum { TYPES_MAX = 64, FIELD_SLOTS = SIM_FIELDS_MAX + 1, MAPPED_BYTES = 128 };
/* Field ids: type * FIELD_SLOTS + slot; the last id is memory without a name. */
enum { NO_FIELD = TYPES_MAX * FIELD_SLOTS };
enum { CELL_BITS_AT_START = 8, CELLS_AT_START = 1 << CELL_BITS_AT_START, FIELD_BITS = 11 };
_Static_assert(NO_FIELD < 1 << FIELD_BITS, "a field id fits its part of a cell's key");

struct side_entry {
	uint32_t line;   /* index in the directory */
	uint32_t object; /* index of the object last hit; may be stale, see object_at */
	uint32_t count[TRANSFER_CLASSES];
	uint32_t hitm;
	uint16_t inside; /* plain lines: what to add to an offset to find the byte of the element,
			    ... */
	uint8_t mask;    /* ... the element's size - 1, at most MAPPED_BYTES - 1, ... */
	uint8_t type;    /* ... and its type + 1; 0: not a plain line */
	sim_time wait, spin;
} __attribute__((aligned(64)));
_Static_assert(sizeof(struct side_entry) == 64, "one host cache line");
_Static_assert((int)TRANSFER_CLASSES == (int)TRANSFER_HITM, "a source is a class and the flag");

/* Open addressing; 0: empty. */
struct cell {
	uint64_t key;                      /* context and field, see cell_key */
	uint64_t count[2 * TRANSFER_HITM]; /* by source */
	sim_time wait, spin;
};

static struct {
	struct side_entry *entry;
	uint32_t count, capacity;
	struct cell *cell;
	uint32_t cells_used, cell_mask, cell_shift;
	uint16_t id_of[TYPES_MAX][MAPPED_BYTES]; /* 1 + field id by byte; 0: not looked up yet */
} table;

static struct side_entry *entries_new(size_t count)
{
	return aligned_alloc(sizeof(struct side_entry), count * sizeof(struct side_entry));
}

int attribution_init(void)
{
	memset(&table, 0, sizeof(table));
	table.capacity = 1024;
	table.entry = entries_new(table.capacity);
	table.cell = calloc(CELLS_AT_START, sizeof(*table.cell));
	table.cell_mask = CELLS_AT_START - 1;
	table.cell_shift = 64 - CELL_BITS_AT_START;
	return table.entry && table.cell ? 0 : -1;
}

void attribution_clean_up(void)
{
	free(table.entry);
	free(table.cell);
	memset(&table, 0, sizeof(table));
}

/* ---- Lines ------------------------------------------------------------------- */

static void grow(void)
{
	struct side_entry *bigger = entries_new(2 * (size_t)table.capacity);

	if (!bigger)
		sim_fail("out of memory for %u attributed lines", table.capacity);
	memcpy(bigger, table.entry, table.count * sizeof(*bigger));
	free(table.entry);
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
	e->inside = (uint16_t)((0 - o->offset) & o->mask);
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

static uint32_t look_up_id(const struct sim_object *object, size_t offset)
{
	int field = sim_memory_field(&sim.memory, object, offset);
	uint32_t slot = field < 0 || field >= SIM_FIELDS_MAX ? SIM_FIELDS_MAX : (uint32_t)field;

	return object->type * FIELD_SLOTS + slot;
}

static uint32_t id_at(const struct sim_object *object, size_t offset)
{
	size_t inside = (offset - object->offset) & object->mask;
	uint16_t *id;

	if (!object->mask || inside >= MAPPED_BYTES)
		return look_up_id(object, offset);
	id = &table.id_of[object->type][inside];
	if (!*id)
		*id = (uint16_t)(look_up_id(object, offset) + 1);
	return *id - 1u;
}

static uint32_t field_at(struct side_entry *e, size_t offset)
{
	const struct sim_object *object = object_at(e, offset);

	if (!object || object->type >= TYPES_MAX)
		return NO_FIELD;
	return id_at(object, offset);
}

static inline uint32_t field_of(struct side_entry *e, size_t offset)
{
	if (sim_likely(e->type)) {
		uint32_t id = table.id_of[e->type - 1][(e->inside + offset) & e->mask];

		if (sim_likely(id))
			return id - 1;
	}
	return field_at(e, offset);
}

/* ---- Cells ------------------------------------------------------------------- */

/* User-space pointers have 47 bits, as far as hosts go that this runs on. */
static inline uint64_t cell_key(const struct sim_context *context, uint32_t field)
{
	return (uint64_t)(uintptr_t)context << FIELD_BITS | field;
}

/* Where the cell is, or belongs. */
static inline struct cell *probe(uint64_t key)
{
	uint32_t at = (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> table.cell_shift);
	struct cell *c = &table.cell[at];

	while (sim_unlikely(c->key != key) && c->key)
		c = &table.cell[++at & table.cell_mask];
	return c;
}

static void grow_cells(void)
{
	uint32_t size = table.cell_mask + 1;
	struct cell *old = table.cell, *bigger = calloc(2 * (size_t)size, sizeof(*bigger));

	if (!bigger)
		sim_fail("out of memory for %u attributed fields", size);
	table.cell = bigger;
	table.cell_mask = 2 * size - 1;
	table.cell_shift--;
	for (uint32_t i = 0; i < size; i++)
		if (old[i].key)
			*probe(old[i].key) = old[i];
	free(old);
}

static struct cell *add_cell(uint64_t key)
{
	struct cell *c;

	if (2 * ++table.cells_used > table.cell_mask)
		grow_cells();
	c = probe(key);
	c->key = key;
	return c;
}

static inline struct cell *cell_of(const struct sim_cpu *cpu, struct side_entry *e, size_t offset)
{
	uint64_t key = cell_key(cpu->context, field_of(e, offset));
	struct cell *c = probe(key);

	return sim_likely(c->key) ? c : add_cell(key);
}

static inline struct side_entry *entry_of(struct sim_line *line)
{
	if (sim_unlikely(!line->side))
		add_entry(line);
	return &table.entry[line->side - 1];
}

void attribute_transfer(const struct sim_cpu *cpu, struct sim_line *line, size_t offset,
			uint8_t source, sim_time wait)
{
	struct side_entry *e = entry_of(line);
	struct cell *c = cell_of(cpu, e, offset);

	e->count[source & (TRANSFER_HITM - 1)]++;
	e->hitm += source / TRANSFER_HITM;
	e->wait += wait;
	c->count[source]++;
	c->wait += wait;
}

void attribute_spin(const struct sim_cpu *cpu, struct sim_line *line, size_t offset, sim_time spun)
{
	struct side_entry *e = entry_of(line);

	e->spin += spun;
	cell_of(cpu, e, offset)->spin += spun;
}

/* ---- Asking ------------------------------------------------------------------- */

void machine_stats_reset(void)
{
	for (uint32_t i = 0; i < table.count; i++) {
		struct side_entry *e = &table.entry[i];

		memset(e->count, 0, sizeof(e->count));
		e->hitm = 0;
		e->wait = e->spin = 0;
	}
	for (uint32_t i = 0; i <= table.cell_mask; i++)
		table.cell[i] = (struct cell){.key = table.cell[i].key};
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
	struct line_stats stats = {.offset = (size_t)e->line << sim.memory.line_shift,
				   .wait = e->wait,
				   .counts = {.hitm = e->hitm, .wait = e->wait, .spin = e->spin}};

	for (enum transfer_class c = 0; c < TRANSFER_CLASSES; c++) {
		stats.counts.by_class[c] = e->count[c];
		*(transfer_is_remote(c) ? &stats.remote : &stats.local) += e->count[c];
	}
	return stats;
}

const struct sim_object *machine_line_object(uint32_t index)
{
	uint32_t object = table.entry[index].object;

	return object < sim.memory.object_count ? &sim.memory.objects[object] : NULL;
}

uint32_t machine_cell_count(void)
{
	return table.cell_mask + 1;
}

bool machine_cell(uint32_t index, struct cell_stats *cell)
{
	const struct cell *c = &table.cell[index];
	uint32_t id = c->key & ((1u << FIELD_BITS) - 1), slot = id % FIELD_SLOTS;
	bool named = id != NO_FIELD;

	if (!c->key)
		return false;
	*cell = (struct cell_stats){
		.context = (const struct sim_context *)(uintptr_t)(c->key >> FIELD_BITS),
		.type = named ? id / FIELD_SLOTS : UINT32_MAX,
		.field = named && slot < SIM_FIELDS_MAX ? (int)slot : -1,
		.counts = {.wait = c->wait, .spin = c->spin},
	};
	for (uint32_t source = 0; source < 2 * TRANSFER_HITM; source++) {
		uint32_t from = source % TRANSFER_HITM;

		cell->counts.by_class[from] += c->count[source];
		cell->counts.hitm += source / TRANSFER_HITM * c->count[source];
	}
	return true;
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
