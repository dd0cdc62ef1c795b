/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From the machine's and the engine's counters to tables by name. Layouts are
 * summed as integers; what makes up an operation is then the share of all time
 * that was booked, so that parts add up to the whole.
 */
#include "collect_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"

enum { ROWS_MAX = 65, NAMES_MAX = 128, CELLS_MAX = 4096 };

struct row {
	char name[64]; /* of the type */
	int32_t home;
	uint32_t lines, lines_now; /* most of any layout; of the layout being added */
	struct transfer_counts counts;
	uint32_t field_count;
	char field[RESULT_FIELDS_MAX][40];
};

struct attribution {
	uint32_t row_count, function_count, cell_count;
	struct row rows[ROWS_MAX];
	struct function {
		char name[64];
		sim_time self, total;
	} functions[NAMES_MAX];
	struct name_cell {
		uint32_t row, field, function; /* function_count or more: none */
		struct transfer_counts counts;
	} cells[CELLS_MAX];
	sim_time
		hot_all; /* as `all`, of the first layout: that of the hottest lines; 0: none yet */
	uint32_t hot_count;
	struct hot {
		char name[64];
		uint64_t address;
		int32_t home;
		struct transfer_counts counts;
	} hot[RESULT_HOT_MAX];
	sim_time all;
};

struct attribution *attribution_new(void)
{
	return calloc(1, sizeof(struct attribution));
}

void attribution_destroy(struct attribution *a)
{
	free(a);
}

static sim_time time_of(const struct transfer_counts *c)
{
	return c->wait + c->spin;
}

static void add_counts(struct transfer_counts *sum, const struct transfer_counts *c)
{
	for (uint32_t i = 0; i < TRANSFER_CLASSES; i++)
		sum->by_class[i] += c->by_class[i];
	sum->hitm += c->hitm;
	sum->wait += c->wait;
	sum->spin += c->spin;
}

static bool is_zero(const struct transfer_counts *c)
{
	uint64_t any = c->wait | c->spin;

	for (uint32_t i = 0; i < TRANSFER_CLASSES; i++)
		any |= c->by_class[i];
	return !any;
}

/* ---- Functions ----------------------------------------------------------------- */

/* NAMES_MAX when there is no room. */
static uint32_t function_named(struct attribution *a, const char *name)
{
	uint32_t f = 0;

	while (f < a->function_count && strcmp(a->functions[f].name, name) != 0)
		f++;
	if (f == a->function_count && f < NAMES_MAX) {
		snprintf(a->functions[f].name, sizeof(a->functions[f].name), "%s", name);
		a->function_count++;
	}
	return f;
}

static void add_functions(struct attribution *a)
{
	struct sim_function functions[NAMES_MAX];
	uint32_t count = sim_functions_sum(&sim.contexts, functions, NAMES_MAX);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t f = function_named(a, functions[i].name);

		if (f == NAMES_MAX)
			continue;
		a->functions[f].self += functions[i].self;
		a->functions[f].total += functions[i].total;
	}
	a->all += sim.contexts.root.total;
}

/* Contexts carry their names since they were summed up. */
static uint32_t function_of(struct attribution *a, const struct sim_context *c)
{
	while (!c->name && c->parent != c)
		c = c->parent;
	return c->name ? function_named(a, c->name) : NAMES_MAX;
}

/* ---- Lines and fields ----------------------------------------------------------- */

static struct row *row_named(struct attribution *a, const char *name, int32_t home)
{
	uint32_t r = 0;

	while (r < a->row_count && strcmp(a->rows[r].name, name) != 0)
		r++;
	if (r == a->row_count) {
		a->row_count++;
		a->rows[r].home = home;
		snprintf(a->rows[r].name, sizeof(a->rows[r].name), "%s", name);
	}
	return &a->rows[r];
}

static const struct sim_type *type_at(uint32_t type)
{
	return type < ROWS_MAX - 1 && type < sim.memory.type_count ? sim.memory.types[type] : NULL;
}

static const char *type_name(const struct sim_type *type)
{
	return type ? type->name : "unnamed";
}

static void add_lines(struct attribution *a)
{
	for (uint32_t l = 0; l < machine_line_count(); l++) {
		struct line_stats s = machine_line(l);
		const struct sim_object *object = machine_line_object(l);
		int32_t home = sim.memory.page_home[s.offset >> SIM_PAGE_SHIFT];
		struct row *row =
			row_named(a, type_name(object ? type_at(object->type) : NULL), home);

		row->lines_now++;
		if (row->home != home)
			row->home = -1;
	}
	for (uint32_t r = 0; r < a->row_count; r++) {
		struct row *row = &a->rows[r];

		row->lines = row->lines_now > row->lines ? row->lines_now : row->lines;
		row->lines_now = 0;
	}
}

static const char *field_name(const struct sim_type *type, int field)
{
	if (!type || !type->field_count)
		return type_name(type);
	return field < 0 ? "[unnamed]" : type->fields[field].name;
}

/* Types of one name may have different fields; the last place takes what has none. */
static uint32_t field_named(struct row *row, const char *name)
{
	uint32_t f = 0;

	while (f < row->field_count && strcmp(row->field[f], name) != 0)
		f++;
	if (f == RESULT_FIELDS_MAX)
		return f - 1;
	if (f == row->field_count)
		snprintf(row->field[row->field_count++], sizeof(row->field[f]), "%s", name);
	return f;
}

static struct name_cell *cell_at(struct attribution *a, uint32_t row, uint32_t field,
				 uint32_t function)
{
	struct name_cell *c = a->cells;

	for (; c < a->cells + a->cell_count; c++)
		if (c->row == row && c->field == field && c->function == function)
			return c;
	if (a->cell_count == CELLS_MAX)
		return NULL;
	a->cell_count++;
	c->row = row;
	c->field = field;
	c->function = function;
	return c;
}

static void add_cell(struct attribution *a, const struct cell_stats *s)
{
	const struct sim_type *type = type_at(s->type);
	struct row *row = row_named(a, type_name(type), -1);
	uint32_t field = field_named(row, field_name(type, s->field));
	struct name_cell *cell =
		cell_at(a, (uint32_t)(row - a->rows), field, function_of(a, s->context));

	add_counts(&row->counts, &s->counts);
	if (cell)
		add_counts(&cell->counts, &s->counts);
}

static void add_cells(struct attribution *a)
{
	struct cell_stats cell;

	for (uint32_t i = 0; i < machine_cell_count(); i++)
		if (machine_cell(i, &cell) && !is_zero(&cell.counts))
			add_cell(a, &cell);
}

/* ---- The hottest single lines ---------------------------------------------------- */

static void insert_hot(struct attribution *a, const struct line_stats *s)
{
	uint32_t at = a->hot_count < RESULT_HOT_MAX ? a->hot_count++ : RESULT_HOT_MAX - 1;
	struct hot *hot;

	for (; at > 0 && time_of(&a->hot[at - 1].counts) < time_of(&s->counts); at--)
		a->hot[at] = a->hot[at - 1];
	hot = &a->hot[at];
	hot->counts = s->counts;
	hot->address = sim_memory_address(&sim.memory, s->offset);
	hot->home = sim.memory.page_home[s->offset >> SIM_PAGE_SHIFT];
	sim_memory_describe(&sim.memory, s->offset, hot->name, sizeof(hot->name));
}

/* Lines came up in the order of their first transfer: the same on every host. */
static void find_hot(struct attribution *a)
{
	a->hot_all = a->all;
	for (uint32_t l = 0; l < machine_line_count(); l++) {
		struct line_stats s = machine_line(l);
		bool full = a->hot_count == RESULT_HOT_MAX;

		if (time_of(&s.counts) &&
		    (!full || time_of(&s.counts) > time_of(&a->hot[RESULT_HOT_MAX - 1].counts)))
			insert_hot(a, &s);
	}
}

void attribution_add(struct attribution *a)
{
	add_functions(a);
	add_lines(a);
	add_cells(a);
	if (!a->hot_all)
		find_hot(a);
}

/* ---- The result ------------------------------------------------------------------- */

static struct result_counts finish_counts(const struct transfer_counts *c, double scale)
{
	struct result_counts out = {.hitm = c->hitm,
				    .wait_ns_per_op = (double)c->wait * scale,
				    .spin_ns_per_op = (double)c->spin * scale};

	memcpy(out.transfers, c->by_class, sizeof(out.transfers));
	return out;
}

static void add_result_counts(struct result_counts *sum, const struct result_counts *c)
{
	for (uint32_t i = 0; i < TRANSFER_CLASSES; i++)
		sum->transfers[i] += c->transfers[i];
	sum->hitm += c->hitm;
	sum->wait_ns_per_op += c->wait_ns_per_op;
	sum->spin_ns_per_op += c->spin_ns_per_op;
}

static const struct attribution *sorted;

static int compare(sim_time x, sim_time y, const char *a, const char *b)
{
	if (x != y)
		return x < y ? 1 : -1;
	return strcmp(a, b);
}

static int by_self(const void *a, const void *b)
{
	const struct function *x = &sorted->functions[*(const uint32_t *)a];
	const struct function *y = &sorted->functions[*(const uint32_t *)b];

	return compare(x->self, y->self, x->name, y->name);
}

static int by_row(const void *a, const void *b)
{
	const struct row *x = &sorted->rows[*(const uint32_t *)a];
	const struct row *y = &sorted->rows[*(const uint32_t *)b];

	return compare(time_of(&x->counts), time_of(&y->counts), x->name, y->name);
}

static const char *name_of_function(uint32_t function)
{
	return function < sorted->function_count ? sorted->functions[function].name : "";
}

static int by_cell(const void *a, const void *b)
{
	const struct name_cell *x = a, *y = b;
	const struct row *r = &sorted->rows[x->row], *s = &sorted->rows[y->row];
	int order = compare(time_of(&x->counts), time_of(&y->counts), r->name, s->name);

	if (!order)
		order = strcmp(r->field[x->field], s->field[y->field]);
	if (!order)
		order = strcmp(name_of_function(x->function), name_of_function(y->function));
	return order;
}

/* Puts the indices below `count` in order; place[i] then says where i went. */
static void sort_indices(uint32_t *index, uint32_t *place, uint32_t count,
			 int (*order)(const void *, const void *))
{
	for (uint32_t i = 0; i < count; i++)
		index[i] = i;
	qsort(index, count, sizeof(*index), order);
	for (uint32_t i = 0; i < count; i++)
		place[index[i]] = i;
}

static void finish_functions(const struct attribution *a, uint32_t *place, struct case_result *r)
{
	uint32_t index[NAMES_MAX];

	sort_indices(index, place, a->function_count, by_self);
	for (uint32_t i = 0; i < a->function_count && i < RESULT_FUNCTIONS_MAX; i++) {
		const struct function *f = &a->functions[index[i]];
		struct result_function *out = &r->functions[r->function_count++];

		memcpy(out->name, f->name, sizeof(out->name));
		out->self_share = (double)f->self / (double)a->all;
		out->total_share = (double)f->total / (double)a->all;
	}
}

static void finish_lines(const struct attribution *a, uint32_t *place, double scale,
			 struct case_result *r)
{
	uint32_t index[ROWS_MAX];

	sort_indices(index, place, a->row_count, by_row);
	for (uint32_t i = 0; i < a->row_count && i < RESULT_LINES_MAX; i++) {
		const struct row *row = &a->rows[index[i]];
		struct result_line *out = &r->lines[r->line_count++];

		snprintf(out->name, sizeof(out->name), "%s%s", row->name,
			 row->lines > 1 ? "[*]" : "");
		out->home_node = row->home;
		out->lines = row->lines;
		out->counts = finish_counts(&row->counts, scale);
	}
}

/* Cells come by time, but a field's time is a sum. */
static uint8_t result_field(struct result_line *line, const char *name,
			    const struct result_counts *counts)
{
	uint32_t f = 0;

	while (f < line->field_count && strcmp(line->fields[f].name, name) != 0)
		f++;
	if (f == line->field_count) {
		line->field_count++;
		snprintf(line->fields[f].name, sizeof(line->fields[f].name), "%s", name);
	}
	add_result_counts(&line->fields[f].counts, counts);
	return (uint8_t)f;
}

static void finish_cells(const struct attribution *a, const uint32_t *row_place,
			 const uint32_t *function_place, double scale, struct case_result *r)
{
	struct name_cell *cells = malloc((a->cell_count + 1) * sizeof(*cells));

	if (!cells)
		return;
	memcpy(cells, a->cells, a->cell_count * sizeof(*cells));
	qsort(cells, a->cell_count, sizeof(*cells), by_cell);
	for (uint32_t i = 0; i < a->cell_count && r->cell_count < RESULT_CELLS_MAX; i++) {
		const struct name_cell *c = &cells[i];
		uint32_t line = row_place[c->row], function = RESULT_NONE;
		struct result_cell *out = &r->cells[r->cell_count];

		if (line >= RESULT_LINES_MAX)
			continue;
		if (c->function < a->function_count &&
		    function_place[c->function] < RESULT_FUNCTIONS_MAX)
			function = function_place[c->function];
		out->line = (uint8_t)line;
		out->function = (uint8_t)function;
		out->counts = finish_counts(&c->counts, scale);
		out->field = result_field(&r->lines[line], a->rows[c->row].field[c->field],
					  &out->counts);
		r->cell_count++;
	}
	free(cells);
}

static double ns_of(const struct result_counts *c)
{
	return c->wait_ns_per_op + c->spin_ns_per_op;
}

/* Brings field `f` of a line up to where its time belongs. */
static void raise_field(struct case_result *r, uint8_t line, uint8_t f)
{
	struct result_field *fields = r->lines[line].fields;

	for (; f > 0 && ns_of(&fields[f].counts) > ns_of(&fields[f - 1].counts); f--) {
		struct result_field moved = fields[f];

		fields[f] = fields[f - 1];
		fields[f - 1] = moved;
		for (uint32_t i = 0; i < r->cell_count; i++)
			if (r->cells[i].line == line &&
			    (r->cells[i].field == f || r->cells[i].field == f - 1))
				r->cells[i].field ^= f ^ (uint8_t)(f - 1);
	}
}

static void sort_fields(struct case_result *r)
{
	for (uint32_t line = 0; line < r->line_count; line++)
		for (uint32_t f = 1; f < r->lines[line].field_count; f++)
			raise_field(r, (uint8_t)line, (uint8_t)f);
}

/* Addresses are one layout's, but rates are taken over the operations of all. */
static struct result_counts of_all_layouts(const struct transfer_counts *c, double layouts,
					   double scale)
{
	struct transfer_counts all = *c;

	for (int i = 0; i < TRANSFER_CLASSES; i++)
		all.by_class[i] = (uint64_t)((double)c->by_class[i] * layouts + 0.5);
	all.hitm = (uint64_t)((double)c->hitm * layouts + 0.5);
	all.wait = (sim_time)((double)c->wait * layouts + 0.5);
	all.spin = (sim_time)((double)c->spin * layouts + 0.5);
	return finish_counts(&all, scale);
}

static void finish_hot(const struct attribution *a, double scale, struct case_result *r)
{
	double layouts = a->hot_all ? (double)a->all / (double)a->hot_all : 1;

	for (r->hot_count = 0; r->hot_count < a->hot_count; r->hot_count++) {
		const struct hot *hot = &a->hot[r->hot_count];
		struct result_hot *out = &r->hot[r->hot_count];

		memcpy(out->name, hot->name, sizeof(out->name));
		out->address = hot->address;
		out->home_node = hot->home;
		out->counts = of_all_layouts(&hot->counts, layouts, scale);
	}
}

void attribution_finish(const struct attribution *a, struct case_result *r)
{
	double scale = a->all ? r->ns_per_op / (double)a->all : 0;
	uint32_t row_place[ROWS_MAX], function_place[NAMES_MAX];

	sorted = a;
	finish_functions(a, function_place, r);
	finish_lines(a, row_place, scale, r);
	finish_cells(a, row_place, function_place, scale, r);
	sort_fields(r);
	finish_hot(a, scale, r);
}
