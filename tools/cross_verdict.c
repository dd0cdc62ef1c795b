// SPDX-License-Identifier: GPL-3.0-or-later
/* What a cross-validation says, in words. */
#include "cross.h"

/* Points of percent below which a difference is not worth a word. */
static const double worth_points = 0.5;

/* Left-out rows may be this much worse, relative or in points, and still count as predicted. */
static const double carried_factor = 1.5, carried_points = 2;

static bool is_left_table(const struct cross_machine *m, const struct cross_line *line)
{
	return line->done && line->kind == LEFT_TABLE && line->rows.count < m->line[0].rows.count;
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
			if (is_left_table(&machines[m], &machines[m].line[i]))
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
		    "%zu rows of %zu table%s left out are %.1f %% off in the mean (fitted to "
		    "%.1f %%, before any fit %.1f %%); %s",
		    t->rows, t->tables, t->tables == 1 ? "" : "s", t->refitted, t->shipped,
		    t->unfitted, judgement(t));
}

/* All rows to fit to are in one table: without it, nothing is fitted. */
static bool has_one_table(const struct cross_machine *m)
{
	for (size_t i = 0; i < m->count; i++)
		if (is_left_table(m, &m->line[i]) && m->line[i].rows.count == 0)
			return true;
	return false;
}

static void say_one_table(const struct cross_tables *t, struct text *out)
{
	text_printf(out,
		    "one table has all rows to fit to: whether they carry over cannot be said; "
		    "fitted %.1f %% off in the mean, before any fit %.1f %%",
		    t->shipped, t->unfitted);
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
			    "; rows never fitted to need most that %s is fitted (%+.1f points "
			    "without)",
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

	if (has_one_table(m) && t.tables == 1)
		say_one_table(&t, out);
	else if (t.tables)
		say_tables(&t, out);
	else
		text_add(out, "no table was left out");
	if (m->line[0].done) {
		say_dearest(m, out);
		say_idle(m, out);
	}
}

/* Machines whose one table was left out had nothing to fit to: they are not counted. */
void cross_verdict_all(const struct cross *cross, struct text *out)
{
	struct cross_tables sum = {0};

	for (size_t m = 0; m < cross->count; m++) {
		struct cross_tables t = cross_tables_of(&cross->machine[m], 1);
		double rows = (double)t.rows;

		if (has_one_table(&cross->machine[m]))
			continue;
		sum.tables += t.tables;
		sum.rows += t.rows;
		sum.unfitted += rows * t.unfitted;
		sum.shipped += rows * t.shipped;
		sum.refitted += rows * t.refitted;
	}
	if (!sum.rows)
		return;
	sum.unfitted /= (double)sum.rows;
	sum.shipped /= (double)sum.rows;
	sum.refitted /= (double)sum.rows;
	say_tables(&sum, out);
}
