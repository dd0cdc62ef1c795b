// SPDX-License-Identifier: GPL-3.0-or-later
/* What a cross-validation says, in words. */
#include "cross.h"

/* Points of percent below which a difference is not worth a word. */
static const double worth_points = 0.5;

/* Left-out rows may be this much worse, relative or in points, and still count as predicted. */
static const double carried_factor = 1.5, carried_points = 2;

static bool is_left_table(const struct cross_line *line)
{
	return line->done && line->kind == LEFT_TABLE;
}

static size_t count_open(const struct cross_machine *m, const struct cross_line *line)
{
	size_t count = 0;

	for (size_t i = 0; i < m->problem.count; i++)
		count += line->open[i];
	return count;
}

/* Fewer rows than parameters: as `fit`, no verdict on that. */
static bool has_enough_rows(const struct cross_machine *m, const struct cross_line *line)
{
	return line->rows.count && line->rows.count >= count_open(m, line);
}

static void add_line(struct cross_tables *t, const struct cross_line *line)
{
	double rows = (double)line->judges.count;

	t->tables++;
	t->rows += line->judges.count;
	t->unfitted += rows * line->unfitted.mean;
	t->shipped += rows * line->shipped.mean;
	t->refitted += rows * line->refitted.mean;
}

struct cross_tables cross_tables_of(const struct cross_machine *machines, size_t count)
{
	struct cross_tables t = {0};
	double rows;

	for (size_t m = 0; m < count; m++)
		for (size_t i = 0; i < machines[m].count; i++)
			if (is_left_table(&machines[m].line[i]) &&
			    has_enough_rows(&machines[m], &machines[m].line[i]))
				add_line(&t, &machines[m].line[i]);
	rows = t.rows ? (double)t.rows : 1;
	t.unfitted /= rows;
	t.shipped /= rows;
	t.refitted /= rows;
	return t;
}

static const char *judgement(const struct cross_tables *t)
{
	if (t->refitted <= carried_factor * t->shipped ||
	    t->refitted <= t->shipped + carried_points)
		return "what is fitted to other tables carries over";
	if (t->refitted < (t->unfitted + t->shipped) / 2)
		return "what is fitted to other tables carries over in part";
	if (t->refitted < t->unfitted - worth_points)
		return "what is fitted to other tables hardly carries over";
	return "nothing carries over: numbers from before any fit do as well";
}

static void say_tables(const struct cross_tables *t, struct text *out)
{
	text_printf(out,
		    "%zu rows of %zu table%s left out %.1f %% off in the mean (shipped profile "
		    "%.1f %%, before any fit %.1f %%): %s",
		    t->rows, t->tables, t->tables == 1 ? "" : "s", t->refitted, t->shipped,
		    t->unfitted, judgement(t));
}

static void say_untested(const struct cross_machine *m, struct text *out)
{
	const char *before = "; not tested, as too few rows are left to fit to: without ";

	for (size_t i = 0; i < m->count; i++) {
		const struct cross_line *line = &m->line[i];

		if (!is_left_table(line) || has_enough_rows(m, line))
			continue;
		text_printf(out, "%s%s (%zu row%s)", before, line->name, line->rows.count,
			    line->rows.count == 1 ? "" : "s");
		before = ", ";
	}
}

/* Rows with the role predict, most of them of tables that were fitted to. */
static void say_predictions(const struct cross_line *line, struct text *out)
{
	if (line->judges.count == 0) {
		text_add(out, "every row is one to fit to");
		return;
	}
	text_printf(out,
		    "%zu row%s never fitted to %.1f %% off in the mean (shipped profile %.1f %%, "
		    "before any fit %.1f %%)",
		    line->judges.count, line->judges.count == 1 ? "" : "s", line->refitted.mean,
		    line->shipped.mean, line->unfitted.mean);
}

/* How much worse rows become that were never fitted to, in points. */
static double loss(const struct cross_machine *m, const struct cross_line *line)
{
	return line->refitted.mean - m->line[0].refitted.mean;
}

static void say_dearest(const struct cross_machine *m, struct text *out)
{
	const struct cross_line *most = NULL;

	for (size_t i = 0; i < m->count; i++) {
		const struct cross_line *line = &m->line[i];

		if (line->done && line->kind == LEFT_PARAM && loss(m, line) > worth_points &&
		    (!most || loss(m, line) > loss(m, most)))
			most = line;
	}
	if (most)
		text_printf(out,
			    "; of the parameters, %s is missed most (%+.1f points without its "
			    "fit)",
			    most->name, loss(m, most));
}

static void say_idle(const struct cross_machine *m, struct text *out)
{
	const char *before = "; as good without fitting ";

	for (size_t i = 0; i < m->count; i++) {
		const struct cross_line *line = &m->line[i];

		if (!line->done || line->kind != LEFT_PARAM || loss(m, line) > worth_points)
			continue;
		text_printf(out, "%s%s", before, line->name);
		before = ", ";
	}
}

void cross_verdict(const struct cross_machine *m, struct text *out)
{
	struct cross_tables t = cross_tables_of(m, 1);

	say_predictions(&m->line[0], out);
	if (t.tables) {
		text_add(out, "; ");
		say_tables(&t, out);
	}
	say_untested(m, out);
	say_dearest(m, out);
	say_idle(m, out);
}

void cross_verdict_all(const struct cross *cross, struct text *out)
{
	struct cross_tables t = cross_tables_of(cross->machine, cross->count);

	if (t.tables)
		say_tables(&t, out);
}
