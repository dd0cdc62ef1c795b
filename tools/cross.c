// SPDX-License-Identifier: GPL-3.0-or-later
#include "cross.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"

/* Points per fitted parameter, and as many more; one search from the profile's values. */
enum { EVALUATIONS = 15 };

struct plan {
	struct reader *reader;
	const struct tables *tables;
	const struct validation *v;
	const struct cross_spec *spec;
	struct cross_machine *machine;
	unsigned jobs;
};

/* ---- Planning ---------------------------------------------------------------------- */

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
static bool judges(const struct plan *p, const struct cross_line *line, size_t row)
{
	if (line->kind == LEFT_TABLE)
		return is_in(p->v, row, line->name);
	return !is_fit_row(&p->v->scenario.cases[row]);
}

static bool is_fitted_to(const struct plan *p, const struct cross_line *line, size_t row)
{
	return is_fit_row(&p->v->scenario.cases[row]) &&
	       (line->kind != LEFT_TABLE || !is_in(p->v, row, line->name));
}

static void add(struct scenario *to, const struct scenario_case *c)
{
	to->cases[to->count++] = *c;
}

static void choose_rows(const struct plan *p, struct cross_line *line)
{
	const struct scenario *all = &p->v->scenario;
	size_t size = all->count * sizeof(*all->cases);

	line->problem.rows =
		(struct scenario){.name = "fit", .cases = reader_alloc(p->reader, size)};
	line->judges = (struct scenario){.name = "judge", .cases = reader_alloc(p->reader, size)};
	for (size_t row = 0; row < all->count; row++) {
		const struct scenario_case *c = &all->cases[row];

		if (p->v->rows[row].kind != ROW_SCORED ||
		    strcmp(c->spec.machine->name, p->spec->machine) != 0)
			continue;
		if (is_fitted_to(p, line, row))
			add(&line->problem.rows, c);
		if (judges(p, line, row))
			add(&line->judges, c);
	}
}

/* As many as there are rows: the list begins with what matters most. */
static bool choose_params(const struct plan *p, struct cross_line *line)
{
	struct fit_problem *problem = &line->problem;
	bool sound = true;

	problem->machine = p->machine->profile.machine;
	problem->jobs = p->jobs;
	for (size_t i = 0; i < p->spec->count && sound; i++) {
		const char *name = machine_param_info[p->spec->param[i]].name;

		if (problem->count < problem->rows.count &&
		    !(line->kind == LEFT_PARAM && strcmp(name, line->name) == 0))
			sound = fit_add_param(p->reader, &p->machine->profile, p->spec->param[i],
					      problem);
	}
	return sound;
}

/* Without judges there is nothing to say. */
static bool plan_line(struct plan *p, enum cross_kind kind, const char *name)
{
	struct cross_line *line = &p->machine->line[p->machine->count];

	*line = (struct cross_line){.kind = kind, .name = name};
	choose_rows(p, line);
	if (line->judges.count)
		p->machine->count++;
	return choose_params(p, line);
}

static bool plan_machine(struct plan *p)
{
	size_t most = 1 + p->v->table_count + p->spec->count;
	bool sound = fit_read_profile(p->reader, p->spec->machine, &p->machine->profile);

	p->machine->line = reader_alloc(p->reader, most * sizeof(*p->machine->line));
	sound = sound && plan_line(p, LEFT_NOTHING, "");
	for (size_t t = 0; t < p->v->table_count && sound; t++)
		sound = plan_line(p, LEFT_TABLE, p->v->tables[t].spec->id);
	for (size_t i = 0; i < p->spec->count && p->spec->count > 1 && sound; i++)
		sound = plan_line(p, LEFT_PARAM, machine_param_info[p->spec->param[i]].name);
	return sound;
}

bool cross_plan(struct reader *reader, const struct tables *tables, const struct validation *v,
		struct cross *cross)
{
	struct plan plan = {.reader = reader, .tables = tables, .v = v, .jobs = cross->jobs};
	bool sound = tables->cross_count > 0;

	if (!sound)
		reader_fail_file(reader, EXIT_INPUT, TABLES_PATH,
				 "there is no machine in cross_params; allowed: at least one");
	cross->count = tables->cross_count;
	cross->machine = reader_alloc(reader, cross->count * sizeof(*cross->machine));
	for (size_t i = 0; i < cross->count && sound; i++) {
		plan.spec = &tables->cross[i];
		plan.machine = &cross->machine[i];
		sound = plan_machine(&plan);
	}
	return sound;
}

/* ---- Running ------------------------------------------------------------------------- */

static struct cross_error error_of(const struct fit_prediction *rows, size_t count)
{
	struct cross_error error = {0};

	for (size_t i = 0; i < count; i++) {
		double e = 100 * fabs(exp(rows[i].log_ratio) - 1);

		error.mean += e / (double)count;
		error.worst = fmax(error.worst, e);
	}
	return error;
}

/* The judges at the profile's values and at the fitted ones. */
static bool judge(struct cross_line *line, struct text *error)
{
	size_t count = line->judges.count;
	struct fit_prediction *out = xcalloc(2 * count, sizeof(*out));
	fit_point points[2];
	bool done;

	memcpy(points[0], line->start, sizeof(points[0]));
	memcpy(points[1], line->best, sizeof(points[1]));
	done = fit_predict(&line->problem, &line->judges, points, 2, out, error) && !error->length;
	line->shipped = error_of(out, count);
	line->fitted = error_of(&out[count], count);
	free(out);
	return done;
}

static bool fit_line(struct cross_line *line, uint64_t seed, struct text *error)
{
	struct fit_limits limits = {1, EVALUATIONS * (line->problem.count + 1), seed};
	struct fit_result result;
	bool done = fit_search(&line->problem, &limits, &result, error) && !result.interrupted;

	memcpy(line->start, result.start, sizeof(line->start));
	memcpy(line->best, result.best, sizeof(line->best));
	line->misfit = result.best_misfit;
	fit_result_free(&result);
	return done;
}

/* A table without rows to fit to leaves the fit as it was. */
static bool is_first_fit(const struct cross_line *first, const struct cross_line *line)
{
	return line != first && line->kind == LEFT_TABLE &&
	       line->problem.rows.count == first->problem.rows.count;
}

static void copy_fit(const struct cross_line *first, struct cross_line *line)
{
	memcpy(line->start, first->start, sizeof(line->start));
	memcpy(line->best, first->best, sizeof(line->best));
	line->misfit = first->misfit;
}

static bool run_line(const struct cross_line *first, struct cross_line *line, uint64_t seed,
		     struct text *error)
{
	if (is_first_fit(first, line))
		copy_fit(first, line);
	else if (line->problem.count && !fit_line(line, seed, error))
		return false;
	line->done = judge(line, error);
	return line->done;
}

bool cross_run(struct cross *cross, struct text *error)
{
	bool running = true;

	gsl_set_error_handler_off();
	fit_signals_begin();
	for (size_t m = 0; m < cross->count; m++)
		for (size_t i = 0; i < cross->machine[m].count && running; i++)
			running = !fit_interrupted() &&
				  run_line(cross->machine[m].line, &cross->machine[m].line[i],
					   cross->seed, error);
	fit_signals_end();
	return running;
}
