// SPDX-License-Identifier: GPL-3.0-or-later
#include "cross.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"

const char *const cross_kind_name[CROSS_KIND_COUNT] = {"nothing", "table", "parameter"};

struct plan {
	struct reader *reader;
	const struct validation *v;
	struct cross_machine *machine;
	size_t *row; /* of the validation, per row of the machine */
};

/* ---- Rows -------------------------------------------------------------------------- */

static bool is_fit_row(const struct scenario_case *c)
{
	return c->expect.role && strcmp(c->expect.role, "fit") == 0;
}

static bool is_in(const struct validation *v, size_t row, const char *table)
{
	for (size_t t = 0; t < v->table_count; t++)
		if (strcmp(v->tables[t].spec->id, table) == 0)
			return row - v->tables[t].first < v->tables[t].count;
	return false;
}

/* Judges of a table: all of it. Otherwise: what was never fitted to. */
static bool judges(const struct plan *p, const struct cross_line *line, size_t i)
{
	if (line->kind == LEFT_TABLE)
		return is_in(p->v, p->row[i], line->name);
	return !is_fit_row(&p->machine->problem.rows.cases[i]);
}

static bool is_fitted_to(const struct plan *p, const struct cross_line *line, size_t i)
{
	return is_fit_row(&p->machine->problem.rows.cases[i]) &&
	       (line->kind != LEFT_TABLE || !is_in(p->v, p->row[i], line->name));
}

static void choose_rows(const struct plan *p, struct cross_line *line)
{
	const struct scenario *all = &p->machine->problem.rows;
	size_t size = all->count * sizeof(*all->cases);

	line->rows = (struct scenario){.name = "fit", .cases = reader_alloc(p->reader, size)};
	line->judges = (struct scenario){.name = "judge", .cases = reader_alloc(p->reader, size)};
	line->judge = reader_alloc(p->reader, all->count * sizeof(*line->judge));
	for (size_t i = 0; i < all->count; i++) {
		if (is_fitted_to(p, line, i))
			line->rows.cases[line->rows.count++] = all->cases[i];
		if (!judges(p, line, i))
			continue;
		line->judge[line->judges.count] = i;
		line->judges.cases[line->judges.count++] = all->cases[i];
	}
}

/* Scored rows of the machine; returns how many of them may be fitted to. */
static size_t collect_rows(struct plan *p, const char *machine)
{
	const struct scenario *all = &p->v->scenario;
	struct scenario *rows = &p->machine->problem.rows;
	size_t fit_rows = 0;

	*rows = (struct scenario){.name = "cross"};
	rows->cases = reader_alloc(p->reader, all->count * sizeof(*rows->cases));
	p->row = reader_alloc(p->reader, all->count * sizeof(*p->row));
	for (size_t row = 0; row < all->count; row++) {
		const struct scenario_case *c = &all->cases[row];

		if (p->v->rows[row].kind != ROW_SCORED ||
		    strcmp(c->spec.machine->name, machine) != 0)
			continue;
		fit_rows += is_fit_row(c);
		p->row[rows->count] = row;
		rows->cases[rows->count++] = *c;
	}
	return fit_rows;
}

/* ---- Parameters -------------------------------------------------------------------- */

/* Of two tied ones the first. */
static bool choose_params(struct plan *p)
{
	struct cross_machine *m = p->machine;
	bool sound = true;

	for (unsigned id = 0; id < PARAM_COUNT && sound; id++)
		if (m->profile.machine->param[id].status == STATUS_FITTED)
			sound = fit_add_param(p->reader, &m->profile, id, &m->problem);
	for (size_t i = 0; i < m->problem.count; i++) {
		const struct fit_param *param = &m->problem.param[i];
		double before = fit_value_before(&m->profile.machine->param[param->id]);

		m->shipped[i] = param->start;
		m->unfitted[i] = fmin(fmax(before, param->low), param->high);
	}
	return sound;
}

/* ---- Lines ------------------------------------------------------------------------- */

static size_t param_named(const struct fit_problem *problem, const char *name)
{
	size_t i = 0;

	while (i < problem->count &&
	       strcmp(machine_param_info[problem->param[i].id].name, name) != 0)
		i++;
	return i;
}

/* Without judges there is nothing to say, but others refer to the first line. */
static void plan_line(struct plan *p, enum cross_kind kind, const char *name)
{
	struct cross_machine *m = p->machine;
	struct cross_line *line = &m->line[m->count];

	*line = (struct cross_line){.kind = kind, .name = name};
	choose_rows(p, line);
	for (size_t i = 0; i < m->problem.count; i++)
		line->open[i] = kind != LEFT_PARAM || i != param_named(&m->problem, name);
	m->count += line->judges.count > 0 || kind == LEFT_NOTHING;
}

static void plan_lines(struct plan *p)
{
	struct cross_machine *m = p->machine;
	size_t most = 1 + p->v->table_count + m->problem.count, rows = m->problem.rows.count;

	m->line = reader_alloc(p->reader, most * sizeof(*m->line));
	m->at_unfitted = reader_alloc(p->reader, rows * sizeof(*m->at_unfitted));
	m->at_shipped = reader_alloc(p->reader, rows * sizeof(*m->at_shipped));
	plan_line(p, LEFT_NOTHING, "");
	for (size_t t = 0; t < p->v->table_count; t++)
		plan_line(p, LEFT_TABLE, p->v->tables[t].spec->id);
	for (size_t i = 0; i < m->problem.count && m->problem.count > 1; i++)
		plan_line(p, LEFT_PARAM, machine_param_info[m->problem.param[i].id].name);
}

static bool known_already(const struct cross *cross, const char *name)
{
	for (size_t m = 0; m < cross->count; m++)
		if (strcmp(cross->machine[m].profile.machine->name, name) == 0)
			return true;
	return false;
}

/* Machines without rows to fit to, or without fitted parameters, are left out. */
static bool plan_machine(struct plan *p, const char *name, struct cross *cross)
{
	struct cross_machine *m = &cross->machine[cross->count];

	p->machine = m;
	*m = (struct cross_machine){.problem.jobs = cross->jobs};
	if (!collect_rows(p, name))
		return true;
	m->profile.machine = m->problem.rows.cases[0].spec.machine;
	m->profile.root = profile_node(m->profile.machine);
	if (!choose_params(p))
		return false;
	if (m->problem.count == 0)
		return true;
	plan_lines(p);
	cross->count += m->count > 0;
	return true;
}

bool cross_plan(struct reader *reader, const struct validation *v, struct cross *cross)
{
	struct plan plan = {.reader = reader, .v = v};
	bool sound = true;

	cross->machine = reader_alloc(reader, v->scenario.count * sizeof(*cross->machine));
	for (size_t i = 0; i < v->scenario.count && sound; i++) {
		const char *name = v->scenario.cases[i].spec.machine->name;

		if (!known_already(cross, name))
			sound = plan_machine(&plan, name, cross);
	}
	if (sound && cross->count == 0)
		reader_fail_file(reader, EXIT_INPUT, TABLES_PATH,
				 "no machine has both rows to fit to and fitted parameters");
	return sound && cross->count > 0;
}

/* ---- Running ----------------------------------------------------------------------- */

/* All rows of the machine with numbers from before any fit, and with its profile. */
static bool run_comparison(struct cross_machine *m, struct text *error)
{
	size_t rows = m->problem.rows.count;
	struct fit_prediction *out = xcalloc(2 * rows, sizeof(*out));
	fit_point points[2];
	bool done;

	memcpy(points[0], m->unfitted, sizeof(points[0]));
	memcpy(points[1], m->shipped, sizeof(points[1]));
	done = fit_predict(&m->problem, &m->problem.rows, points, 2, out, error) && !error->length;
	memcpy(m->at_unfitted, out, rows * sizeof(*out));
	memcpy(m->at_shipped, &out[rows], rows * sizeof(*out));
	free(out);
	return done;
}

static struct fit_errors errors_at(const struct cross_line *line, const struct fit_prediction *all)
{
	size_t count = line->judges.count;
	struct fit_prediction *rows = xcalloc(count + 1, sizeof(*rows));
	struct fit_errors errors;

	for (size_t i = 0; i < count; i++)
		rows[i] = all[line->judge[i]];
	errors = fit_errors_of(rows, count);
	free(rows);
	return errors;
}

static bool judge(const struct cross_machine *m, struct cross_line *line, struct text *error)
{
	size_t count = line->judges.count;
	struct fit_prediction *out = xcalloc(count + 1, sizeof(*out));
	fit_point point[1];
	bool done;

	memcpy(point[0], line->best, sizeof(point[0]));
	done = !count ||
	       (fit_predict(&m->problem, &line->judges, point, 1, out, error) && !error->length);
	line->unfitted = errors_at(line, m->at_unfitted);
	line->shipped = errors_at(line, m->at_shipped);
	line->refitted = fit_errors_of(out, count);
	free(out);
	return done;
}

/* A table without rows to fit to leaves the fit as it was. */
static bool is_first_fit(const struct cross_line *first, const struct cross_line *line)
{
	return line != first && line->kind == LEFT_TABLE && line->rows.count == first->rows.count;
}

static void copy_fit(const struct cross_line *first, struct cross_line *line)
{
	memcpy(line->open, first->open, sizeof(line->open));
	memcpy(line->best, first->best, sizeof(line->best));
	line->misfit = first->misfit;
}

static bool run_line(const struct cross_machine *m, struct cross_line *line, struct text *error)
{
	const struct cross_line *first = &m->line[0];

	memcpy(line->best, m->unfitted, sizeof(line->best));
	if (first->done && is_first_fit(first, line))
		copy_fit(first, line);
	else if (!fit_descend(&m->problem, &line->rows, line->open, line->best, &line->misfit,
			      error))
		return false;
	line->done = judge(m, line, error);
	return line->done;
}

static void show(struct progress *p, const struct cross *cross, size_t m, size_t i)
{
	const struct cross_line *line = &cross->machine[m].line[i];
	struct text text = {0};

	text_printf(&text, "cross: machine %zu of %zu, line %zu of %zu: without %s %s", m + 1,
		    cross->count, i + 1, cross->machine[m].count, cross_kind_name[line->kind],
		    line->name);
	progress_text(p, text.data);
	text_free(&text);
}

bool cross_run(struct cross *cross, struct text *error)
{
	struct progress progress;
	bool running = true;

	gsl_set_error_handler_off();
	fit_signals_begin();
	progress_begin(&progress, 1);
	for (size_t m = 0; m < cross->count && running; m++) {
		running = run_comparison(&cross->machine[m], error);
		for (size_t i = 0; i < cross->machine[m].count && running; i++) {
			show(&progress, cross, m, i);
			running = !fit_interrupted() &&
				  run_line(&cross->machine[m], &cross->machine[m].line[i], error);
		}
	}
	progress_end(&progress);
	fit_signals_end();
	return running;
}
