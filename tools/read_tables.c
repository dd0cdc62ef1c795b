// SPDX-License-Identifier: GPL-3.0-or-later
#include <fnmatch.h>
#include <string.h>

#include "embedded.h"
#include "field.h"
#include "tables.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { NAME_MAX_BYTES = 128, TITLE_BYTES = 512, WHY_BYTES = 4096, ITEMS_MAX = 1000 };

static struct names read_names(struct reader *r, const struct node *node)
{
	struct names names = {.count = field_array(r, node, 1, ITEMS_MAX)};

	names.name = reader_alloc(r, names.count * sizeof(*names.name));
	for (size_t i = 0; i < names.count; i++)
		names.name[i] = field_string(r, node_item(r, node, i), NAME_MAX_BYTES);
	return names;
}

static struct names required_names(struct reader *r, const struct node *node, const char *key)
{
	return read_names(r, field_required(r, node, key, "an array of strings"));
}

static double percent(struct reader *r, const struct node *node)
{
	return field_real(r, node, 0, 1000, true);
}

static void read_target(struct reader *r, const struct node *node, struct table_target *target)
{
	static const char *const keys[] = {"mean_pct", "worst_pct", "difference_points",
					   "fit_rows_max"};
	const char *allowed = "percent, above 0";

	if (!node || !field_object(r, node, keys, COUNT(keys)))
		return;
	target->present = true;
	target->mean_pct = percent(r, field_required(r, node, "mean_pct", allowed));
	target->worst_pct = percent(r, field_required(r, node, "worst_pct", allowed));
	target->difference_points = percent(r, node_member(r, node, "difference_points"));
	field_integer(r, node_member(r, node, "fit_rows_max"), 0, ITEMS_MAX);
}

static void read_one_series(struct reader *r, const struct node *node, struct series_spec *series)
{
	static const char *const keys[] = {"id", "records"};

	if (!field_object(r, node, keys, COUNT(keys)))
		return;
	series->id = field_string(r, field_required(r, node, "id", "a name"), NAME_MAX_BYTES);
	series->records = required_names(r, node, "records");
}

/* Without series the whole table is one. */
static void read_series(struct reader *r, const struct node *node, struct table_spec *table)
{
	table->series_count = node ? field_array(r, node, 1, ITEMS_MAX) : 1;
	table->series = reader_alloc(r, table->series_count * sizeof(*table->series));
	if (!node) {
		table->series[0] = (struct series_spec){.id = ""};
		return;
	}
	for (size_t i = 0; i < table->series_count; i++)
		read_one_series(r, node_item(r, node, i), &table->series[i]);
}

static void read_table(struct reader *r, const struct node *node, struct table_spec *table)
{
	static const char *const keys[] = {"id",        "title",  "scenarios", "records",
					   "reference", "target", "series"};
	const struct node *reference;

	if (!field_object(r, node, keys, COUNT(keys)))
		return;
	reference = node_member(r, node, "reference");
	table->id = field_string(r, field_required(r, node, "id", "a name"), NAME_MAX_BYTES);
	table->title = field_string(r, field_required(r, node, "title", "a title"), TITLE_BYTES);
	table->scenarios = required_names(r, node, "scenarios");
	table->records = required_names(r, node, "records");
	if (reference)
		table->reference = read_names(r, reference);
	read_target(r, node_member(r, node, "target"), &table->target);
	read_series(r, node_member(r, node, "series"), table);
}

static void read_unmapped(struct reader *r, const struct node *node, struct unmapped_spec *unmapped)
{
	static const char *const keys[] = {"why", "records"};

	if (!field_object(r, node, keys, COUNT(keys)))
		return;
	unmapped->why = field_string(r, field_required(r, node, "why", "a reason"), WHY_BYTES);
	unmapped->records = required_names(r, node, "records");
}

static void read_root(struct reader *r, const struct node *root, struct tables *tables)
{
	const struct node *list = field_required(r, root, "tables", "an array");
	const struct node *unmapped = field_required(r, root, "unmapped", "an array");

	field_string(r, node_member(r, root, "$schema"), TITLE_BYTES);
	tables->count = field_array(r, list, 1, ITEMS_MAX);
	tables->table = reader_alloc(r, tables->count * sizeof(*tables->table));
	for (size_t i = 0; i < tables->count; i++)
		read_table(r, node_item(r, list, i), &tables->table[i]);
	tables->unmapped_count = field_array(r, unmapped, 0, ITEMS_MAX);
	tables->unmapped = reader_alloc(r, tables->unmapped_count * sizeof(*tables->unmapped));
	for (size_t i = 0; i < tables->unmapped_count; i++)
		read_unmapped(r, node_item(r, unmapped, i), &tables->unmapped[i]);
}

bool read_tables_text(struct reader *r, const char *name, const char *text, size_t length,
		      struct tables *tables)
{
	static const char *const keys[] = {"$schema", "tables", "unmapped"};
	const struct node *root = reader_parse(r, name, text, length);

	*tables = (struct tables){0};
	if (field_object(r, root, keys, COUNT(keys)))
		read_root(r, root, tables);
	return !r->failed;
}

bool read_tables(struct reader *r, struct tables *tables)
{
	size_t length;
	const char *text = embedded_load(r, TABLES_PATH, &length);

	return text && read_tables_text(r, TABLES_PATH, text, length, tables);
}

bool names_match(const struct names *patterns, const char *record)
{
	for (size_t i = 0; i < patterns->count; i++)
		if (fnmatch(patterns->name[i], record, 0) == 0)
			return true;
	return false;
}
