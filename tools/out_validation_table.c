// SPDX-License-Identifier: GPL-3.0-or-later
/* For people: every row, what each table says, and one line a table at the end. */
#include "grid.h"
#include "json_writer.h"
#include "validation.h"

enum { SLOTS_DIGITS = 3, PERCENT_DIGITS = 4 };

struct column {
	const char *title;
	bool right;
};

static void add_columns(struct grid *grid, const struct column *columns, size_t count)
{
	for (size_t i = 0; i < count; i++)
		grid_column(grid, columns[i].title, columns[i].right);
}

static void number_cell(struct grid *grid, bool present, double value, int digits)
{
	struct text text = {0};

	if (present)
		text_number(&text, value, digits);
	grid_cell(grid, "%s", text.data ? text.data : "");
	text_free(&text);
}

static void decimal_cell(struct grid *grid, bool present, int decimals, double value)
{
	if (present)
		grid_cell(grid, "%.*f", decimals, value);
	else
		grid_cell(grid, "%s", "");
}

/* ---- Rows ------------------------------------------------------------------------ */

static const char *role_of(const struct validation *v, size_t row)
{
	const char *role = v->scenario.cases[row].expect.role;

	return v->rows[row].kind == ROW_REFERENCE ? "reference" : role ? role : "predict";
}

static void add_row(struct grid *grid, const struct validation *v, size_t row)
{
	const struct scenario_case *c = &v->scenario.cases[row];
	const struct case_result *r = v->outcomes[row].result;
	struct comparison values = row_comparison(v, row);

	grid_cell(grid, "%s", c->expect.record ? c->expect.record : "");
	grid_cell(grid, "%s", v->rows[row].case_id);
	grid_cell(grid, "%u", c->spec.workload.threads);
	grid_cell(grid, "%u", r->policy.slots);
	grid_cell(grid, "%s", role_of(v, row));
	number_cell(grid, true, values.published, 9);
	number_cell(grid, c->expect.stddev_pct >= 0, c->expect.stddev_pct, PERCENT_DIGITS);
	number_cell(grid, true, values.predicted, JSON_DIGITS);
	grid_cell(grid, "%.2f", row_ci_pct(v, row));
	grid_cell(grid, "%+.1f%s", error_pct(values), c->expect.scored ? " " : "*");
}

static void print_rows(const struct validation *v, const struct table_report *table,
		       struct text *out)
{
	static const struct column columns[] = {
		{"record", false}, {"case", false},     {"threads", true}, {"slots", true},
		{"role", false},   {"published", true}, {"+-%", true},     {"predicted", true},
		{"+-%", true},     {"error %", true}};
	struct grid grid = {0};

	add_columns(&grid, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = table->first; i < table->first + table->count; i++)
		if (row_done(v, i))
			add_row(&grid, v, i);
	grid_print(&grid, out);
	grid_free(&grid);
}

/* ---- What a table says ------------------------------------------------------------- */

/* Records are unique in a table, ids of cases only in their scenario. */
static const char *row_name(const struct validation *v, size_t row)
{
	const char *record = v->scenario.cases[row].expect.record;

	return record ? record : v->rows[row].case_id;
}

static void print_fitted(const struct table_report *table, struct text *out)
{
	double sum = table->all.sum_pct - table->predict.sum_pct;

	if (table->fit_rows)
		text_printf(out, "%zu fitted rows: mean error %.1f %%\n", table->fit_rows,
			    sum / (double)table->fit_rows);
}

static void print_difference(const struct table_report *table, struct text *out)
{
	double target = table->spec->target.difference_points;

	if (!table->difference.rows)
		return;
	text_printf(out, "difference from the reference rows: off by %.1f points",
		    table->difference.mean_points);
	if (target > 0)
		text_printf(out, ", target %.1f", target);
	text_add(out, "\n");
}

static void print_errors(const struct validation *v, const struct table_report *table,
			 struct text *out)
{
	const struct error_summary *e = &table->predict;

	if (e->rows)
		text_printf(out, "%zu predicted rows: mean error %.1f %%, worst %.1f %% (%s)\n",
			    e->rows, e->mean_pct, e->worst_pct, row_name(v, e->worst));
	else
		text_add(out, "no predicted row\n");
	print_fitted(table, out);
	print_difference(table, out);
	if (table->missing)
		text_printf(out, "%zu missing rows\n", table->missing);
}

static void print_rank(const struct validation *v, const struct rank_summary *rank,
		       struct text *out)
{
	if (!rank->pairs)
		return;
	text_printf(out, "order: %zu of %zu pairs inverted", rank->inverted, rank->pairs);
	if (rank->inverted)
		text_printf(out, ", widest %s and %s, published %.1f %% apart",
			    row_name(v, rank->worst[0]), row_name(v, rank->worst[1]),
			    rank->worst_difference);
	text_add(out, "\n");
}

static void print_slots(struct text *out, bool known, double slots)
{
	if (known)
		text_number(out, slots, SLOTS_DIGITS);
	else
		text_add(out, "none");
}

static void print_knees(const struct series_report *series, struct text *out)
{
	if (*series->spec->id)
		text_printf(out, "%s: ", series->spec->id);
	for (int i = 0; i < KNEE_COUNT; i++) {
		const struct knee *knee = &series->knee[i];

		text_printf(out, "%s%.0f %% of the plateau at ", i ? "; " : "",
			    100 * knee_share[i]);
		print_slots(out, knee->predicted_known, knee->predicted);
		text_add(out, " slots (published ");
		print_slots(out, knee->published_known, knee->published);
		text_add(out, ")");
	}
	if (series->difference.rows)
		text_printf(out, "; off the reference by %.1f points",
			    series->difference.mean_points);
	text_add(out, "\n");
}

static void print_notes(const struct validation *v, const struct table_report *table,
			struct text *out)
{
	for (size_t i = table->first; i < table->first + table->count; i++) {
		const struct expect *e = &v->scenario.cases[i].expect;

		if (!row_done(v, i))
			continue;
		if (!e->scored)
			text_printf(out, "* %s is not scored: %s\n", row_name(v, i), e->why);
		if (e->metric != METRIC_OPS_PER_THREAD)
			text_printf(out, "%s: published is %s\n", row_name(v, i),
				    metric_choice(e->metric));
	}
}

/* One line a table: with --quick these are many. */
static void print_imprecise(const struct validation *v, const struct table_report *table,
			    struct text *out)
{
	size_t count = 0, first = 0;

	for (size_t i = table->first; i < table->first + table->count; i++)
		if (row_done(v, i) && !v->outcomes[i].result->precision_reached && count++ == 0)
			first = i;
	if (count)
		text_printf(out, "warning: precision not reached: %s%s\n", row_name(v, first),
			    count > 1 ? " and others" : "");
}

static void print_one_table(const struct validation *v, const struct table_report *table,
			    struct text *out)
{
	text_printf(out, "%s: %s\nmachine %s\n\n", table->spec->id, table->spec->title,
		    table->machine);
	print_rows(v, table, out);
	text_add(out, "\n");
	print_errors(v, table, out);
	print_rank(v, &table->rank, out);
	for (size_t i = 0; i < table->spec->series_count; i++)
		if (table->series[i].is_sweep)
			print_knees(&table->series[i], out);
	print_notes(v, table, out);
	print_imprecise(v, table, out);
	text_add(out, "\n");
}

/* ---- Summary ----------------------------------------------------------------------- */

static const char *verdict(const struct table_report *table)
{
	const struct table_target *target = &table->spec->target;

	if (!target->present)
		return "";
	if (table->missing)
		return "incomplete";
	if (target->difference_points > 0 && !target_difference_met(table))
		return "no";
	return target_mean_met(table) && target_worst_met(table) ? "yes" : "no";
}

static void add_target(struct grid *grid, const struct table_report *table,
		       const struct error_summary *e)
{
	static const struct table_target none = {0};
	const struct table_target *target = table ? &table->spec->target : &none;

	decimal_cell(grid, e->rows, 1, e->mean_pct);
	number_cell(grid, target->present, target->mean_pct, PERCENT_DIGITS);
	decimal_cell(grid, e->rows, 1, e->worst_pct);
	number_cell(grid, target->present, target->worst_pct, PERCENT_DIGITS);
	grid_cell(grid, "%s", table ? verdict(table) : "");
}

static void add_summary(struct grid *grid, const struct table_report *table)
{
	grid_cell(grid, "%s", table->spec->id);
	grid_cell(grid, "%zu", table->rows);
	grid_cell(grid, "%zu", table->fit_rows);
	grid_cell(grid, "%zu", table->predict_rows);
	add_target(grid, table, &table->predict);
	grid_cell(grid, "%zu", table->rank.inverted);
	grid_cell(grid, "%zu", table->rank.pairs);
	decimal_cell(grid, table->correlation_known, 3, table->correlation);
}

static void add_total(struct grid *grid, const struct validation *v)
{
	grid_cell(grid, "all");
	grid_cell(grid, "%zu", v->all.rows);
	grid_cell(grid, "%zu", v->all.rows - v->predict.rows);
	grid_cell(grid, "%zu", v->predict.rows);
	add_target(grid, NULL, &v->predict);
	grid_cell(grid, "%zu", v->rank.inverted);
	grid_cell(grid, "%zu", v->rank.pairs);
	grid_cell(grid, "%s", "");
}

static void print_summary(const struct validation *v, struct text *out)
{
	static const struct column columns[] = {
		{"table", false}, {"rows", true},     {"fit", true},     {"predicted", true},
		{"mean %", true}, {"target", true},   {"worst %", true}, {"target", true},
		{"met", false},   {"inverted", true}, {"pairs", true},   {"rank corr.", true}};
	struct grid grid = {0};

	add_columns(&grid, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < v->table_count; i++)
		add_summary(&grid, &v->tables[i]);
	add_total(&grid, v);
	text_add(out, "errors: absolute, over rows of role predict only\n\n");
	grid_print(&grid, out);
	grid_free(&grid);
}

static void print_unmapped(const struct tables *index, struct text *out)
{
	text_add(out, "\npublished, but not predicted:\n");
	for (size_t i = 0; i < index->unmapped_count; i++) {
		const struct names *records = &index->unmapped[i].records;

		text_add(out, records->name[0]);
		if (records->count > 1)
			text_printf(out, " and %zu more", records->count - 1);
		text_printf(out, ": %s\n", index->unmapped[i].why);
	}
}

void print_validation_table(const struct validation *v, struct text *out)
{
	for (size_t i = 0; i < v->table_count; i++)
		print_one_table(v, &v->tables[i], out);
	print_summary(v, out);
	if (v->index && v->index->unmapped_count)
		print_unmapped(v->index, out);
}
