// SPDX-License-Identifier: GPL-3.0-or-later
/* From the index or from scenarios to the rows of a validation. */
#include <string.h>

#include "embedded.h"
#include "validation.h"

/* ---- Rows --------------------------------------------------------------------- */

/* Room for `more` rows; old ones stay with the reader until it is cleaned up. */
static void grow(struct reader *r, struct validation *v, size_t more)
{
	size_t count = v->scenario.count;
	struct scenario_case *cases = reader_alloc(r, (count + more) * sizeof(*cases));
	struct validation_row *rows = reader_alloc(r, (count + more) * sizeof(*rows));

	if (count) {
		memcpy(cases, v->scenario.cases, count * sizeof(*cases));
		memcpy(rows, v->rows, count * sizeof(*rows));
	}
	v->scenario.cases = cases;
	v->rows = rows;
}

static int series_of(const struct table_spec *spec, const char *record)
{
	for (size_t i = 0; i < spec->series_count; i++)
		if (!*spec->series[i].id || names_match(&spec->series[i].records, record))
			return (int)i;
	return NO_SERIES;
}

static enum row_kind kind_of(const struct table_spec *spec, const struct expect *e)
{
	if (e->record && names_match(&spec->reference, e->record))
		return ROW_REFERENCE;
	return e->scored ? ROW_SCORED : ROW_UNEXPLAINED;
}

static void add_row(struct reader *r, struct validation *v, const struct table_spec *spec,
		    const char *scenario, const struct scenario_case *c)
{
	size_t i = v->scenario.count++;

	v->rows[i] = (struct validation_row){.scenario = scenario,
					     .case_id = c->id,
					     .kind = kind_of(spec, &c->expect),
					     .series = series_of(spec, c->expect.record)};
	v->scenario.cases[i] = *c;
	v->scenario.cases[i].id = reader_printf(r, "%s/%s", scenario, c->id);
}

/* `all`: rows without a record too. */
static void add_rows(struct reader *r, struct validation *v, const struct table_spec *spec,
		     const char *name, const struct scenario *scenario, bool all)
{
	grow(r, v, scenario->count);
	for (size_t i = 0; i < scenario->count; i++) {
		const struct expect *e = &scenario->cases[i].expect;

		if (e->present && (all || (e->record && names_match(&spec->records, e->record))))
			add_row(r, v, spec, name, &scenario->cases[i]);
	}
}

/* ---- Tables ------------------------------------------------------------------- */

static bool is_new_machine(const struct validation *v, size_t first, size_t row)
{
	const char *name = v->scenario.cases[row].spec.machine->name;

	for (size_t i = first; i < row; i++)
		if (strcmp(v->scenario.cases[i].spec.machine->name, name) == 0)
			return false;
	return true;
}

static const char *machines_of(struct reader *r, const struct validation *v, size_t first)
{
	const char *names = "";

	for (size_t i = first; i < v->scenario.count; i++)
		if (is_new_machine(v, first, i))
			names = reader_printf(r, "%s%s%s", names, *names ? ", " : "",
					      v->scenario.cases[i].spec.machine->name);
	return names;
}

static void begin_table(struct reader *r, struct validation *v, const struct table_spec *spec)
{
	struct table_report *table = &v->tables[v->table_count];

	*table = (struct table_report){.spec = spec, .first = v->scenario.count};
	table->series = reader_alloc(r, spec->series_count * sizeof(*table->series));
	for (size_t i = 0; i < spec->series_count; i++)
		table->series[i].spec = &spec->series[i];
}

static void end_table(struct reader *r, struct validation *v)
{
	struct table_report *table = &v->tables[v->table_count++];

	table->count = v->scenario.count - table->first;
	table->machine = machines_of(r, v, table->first);
}

/* By name, in scenarios/ or scenarios/published/; a file there in the current directory wins. */
static bool read_shipped(struct reader *r, const char *name, const struct overrides *overrides,
			 struct scenario *scenario)
{
	static const char *const folders[] = {"scenarios", "scenarios/published"};

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]) && !r->failed; i++) {
		const char *path = reader_printf(r, "%s/%s.json", folders[i], name);
		size_t length;
		const char *text = embedded_load(r, path, &length);

		if (text)
			return read_scenario_text(r, path, text, length, overrides, scenario);
	}
	reader_fail_file(r, EXIT_INPUT, TABLES_PATH, "there is no shipped scenario \"%s\"", name);
	return false;
}

static void read_table(struct reader *r, const struct table_spec *spec,
		       const struct overrides *overrides, struct validation *v)
{
	begin_table(r, v, spec);
	for (size_t i = 0; i < spec->scenarios.count && !r->failed; i++) {
		struct scenario scenario;

		if (read_shipped(r, spec->scenarios.name[i], overrides, &scenario))
			add_rows(r, v, spec, spec->scenarios.name[i], &scenario, false);
	}
	if (r->failed)
		return;
	end_table(r, v);
	if (v->tables[v->table_count - 1].count == 0)
		reader_fail_file(r, EXIT_INPUT, TABLES_PATH, "table %s has no row", spec->id);
}

static bool chosen(const struct names *only, const char *id)
{
	for (size_t i = 0; i < only->count; i++)
		if (strcmp(only->name[i], id) == 0)
			return true;
	return only->count == 0;
}

bool validation_read(struct reader *r, const struct tables *tables, const struct names *only,
		     const struct overrides *overrides, struct validation *v)
{
	*v = (struct validation){.scenario.name = "published tables"};
	v->index = only->count ? NULL : tables;
	v->tables = reader_alloc(r, tables->count * sizeof(*v->tables));
	for (size_t i = 0; i < tables->count && !r->failed; i++)
		if (chosen(only, tables->table[i].id))
			read_table(r, &tables->table[i], overrides, v);
	return !r->failed;
}

/* ---- Scenarios ---------------------------------------------------------------- */

/* File names can be any bytes; reports and JSON take text without control characters. */
static void make_printable(char *s)
{
	json_t *utf8 = json_string(s);

	for (char *at = s; *at && !utf8; at++)
		if (*at & 0x80)
			*at = '?';
	json_decref(utf8);
	while (*s) {
		size_t control = text_control(s);

		memset(s, '?', control);
		s += control ? control : 1;
	}
}

/* "x" of "folder/x.json". */
static const char *base_name(struct reader *r, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t length = strlen(name);
	char *copy;

	if (length > 5 && strcmp(name + length - 5, ".json") == 0)
		length -= 5;
	copy = memcpy(reader_alloc(r, length + 1), name, length);
	copy[length] = '\0';
	make_printable(copy);
	return copy;
}

static const struct table_spec *spec_of(struct reader *r, const char *name, const char *title)
{
	struct table_spec *spec = reader_alloc(r, sizeof(*spec));

	*spec = (struct table_spec){.id = name, .title = title, .series_count = 1};
	spec->series = reader_alloc(r, sizeof(*spec->series));
	spec->series[0].id = "";
	return spec;
}

static void read_one_scenario(struct reader *r, const char *path, const struct overrides *overrides,
			      struct validation *v)
{
	const char *name = base_name(r, path);
	const struct table_spec *spec;
	struct scenario scenario;

	if (!read_scenario(r, path, overrides, &scenario))
		return;
	spec = spec_of(r, name, scenario.name);
	begin_table(r, v, spec);
	add_rows(r, v, spec, name, &scenario, true);
	end_table(r, v);
	if (v->tables[v->table_count - 1].count == 0)
		reader_fail_file(r, EXIT_INPUT, path,
				 "no case has the key \"expect\"; allowed: scenarios with a "
				 "published value");
}

bool validation_read_scenarios(struct reader *r, const struct names *paths,
			       const struct overrides *overrides, struct validation *v)
{
	*v = (struct validation){.scenario.name = "scenarios"};
	v->tables = reader_alloc(r, paths->count * sizeof(*v->tables));
	for (size_t i = 0; i < paths->count && !r->failed; i++)
		read_one_scenario(r, paths->name[i], overrides, v);
	return !r->failed;
}
