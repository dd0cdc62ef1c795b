// SPDX-License-Identifier: GPL-3.0-or-later
/* Rows to fit to, and those that would be there as well. */
#include <fnmatch.h>
#include <string.h>

#include "fit.h"
#include "options.h"

const char *fit_row_name(const struct scenario_case *row)
{
	return row->expect.record ? row->expect.record : row->id;
}

static bool same_machine(const struct machine_profile *a, const struct machine_profile *b)
{
	return strcmp(a->name, b->name) == 0;
}

/* What was resolved for one is valid for the other. */
static bool same_structure(const struct machine_profile *a, const struct machine_profile *b)
{
	const struct machine_topology *s = &a->topology, *t = &b->topology;
	bool same = s->sockets == t->sockets && s->numbering == t->numbering &&
		    s->clusters_per_socket == t->clusters_per_socket &&
		    s->units_per_cluster == t->units_per_cluster && s->nodes == t->nodes &&
		    s->threads_per_unit == t->threads_per_unit && a->ppc == b->ppc &&
		    a->line_size == b->line_size && a->page_size == b->page_size;

	return same && memcmp(s->hops, t->hops, sizeof(s->hops)) == 0;
}

static bool matches(const struct names *patterns, const struct scenario_case *c)
{
	return patterns->count == 0 || names_match(patterns, c->id) ||
	       (c->expect.record && names_match(patterns, c->expect.record));
}

/* A value that the user brings along has no role. */
static bool may_be_fitted(const struct expect *e)
{
	return !e->role || strcmp(e->role, "fit") == 0;
}

static void add(struct scenario *to, const struct scenario_case *row)
{
	to->cases[to->count++] = *row;
}

static bool in_tables(const struct validation *v, const struct names *only, size_t row)
{
	for (size_t t = 0; t < v->table_count; t++) {
		const struct table_report *table = &v->tables[t];

		if (row >= table->first && row < table->first + table->count)
			return !only->count || names_match(only, table->spec->id);
	}
	return false;
}

static void sort_out(struct reader *r, const struct fit_choice *choice, const struct validation *v,
		     struct fit_problem *problem)
{
	for (size_t i = 0; i < v->scenario.count; i++) {
		const struct scenario_case *c = &v->scenario.cases[i];

		if (v->rows[i].kind != ROW_SCORED ||
		    !same_machine(c->spec.machine, problem->machine))
			continue;
		if (!same_structure(c->spec.machine, problem->machine))
			reader_fail_file(r, EXIT_INPUT, c->id,
					 "its %s has another topology, ISA or line size; allowed: "
					 "profiles that differ in numbers",
					 problem->machine->name);
		if (may_be_fitted(&c->expect) && matches(&choice->rows, c) &&
		    in_tables(v, &choice->tables, i))
			add(&problem->rows, c);
		else
			add(&problem->others, c);
	}
}

static enum exit_status read_all(struct reader *r, const struct fit_choice *choice,
				 struct validation *v)
{
	static const struct names all;
	struct tables *tables = reader_alloc(r, sizeof(*tables));
	enum exit_status status;

	if (choice->scenarios.count)
		return validation_read_scenarios(r, &choice->scenarios, &choice->overrides, v)
			       ? EXIT_DONE
			       : r->status;
	if (!read_tables(r, tables))
		return r->status;
	status = option_tables("fit", "--tables", &choice->tables, tables);
	if (status != EXIT_DONE)
		return status;
	return validation_read(r, tables, &all, &choice->overrides, v) ? EXIT_DONE : r->status;
}

enum exit_status fit_read_rows(struct reader *r, const struct fit_choice *choice,
			       struct fit_problem *problem)
{
	struct validation v = {0};
	enum exit_status status = read_all(r, choice, &v);

	if (status != EXIT_DONE)
		return status;
	problem->rows.name = problem->others.name = "fit";
	problem->rows.cases = reader_alloc(r, v.scenario.count * sizeof(*v.scenario.cases));
	problem->others.cases = reader_alloc(r, v.scenario.count * sizeof(*v.scenario.cases));
	sort_out(r, choice, &v, problem);
	if (!r->failed && problem->rows.count == 0)
		reader_fail_file(
			r, EXIT_INPUT, problem->machine->name,
			"no row to fit to; allowed: rows of this machine whose role is fit, "
			"or scenarios with values");
	return r->failed ? r->status : EXIT_DONE;
}
