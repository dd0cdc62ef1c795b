// SPDX-License-Identifier: GPL-3.0-or-later
/* What the outcomes of all rows say about each table. */
#include "validation.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"

const double knee_share[KNEE_COUNT] = {0.5, 0.9};

const char *const row_kind_name[ROW_KIND_COUNT] = {"scored", "unexplained", "reference"};

static const struct scenario_case *row_case(const struct validation *v, size_t row)
{
	return &v->scenario.cases[row];
}

bool row_done(const struct validation *v, size_t row)
{
	return v->outcomes[row].state == OUTCOME_DONE;
}

struct comparison row_comparison(const struct validation *v, size_t row)
{
	const struct expect *e = &row_case(v, row)->expect;

	assert(row_done(v, row));
	return (struct comparison){e->value, expect_predicted(e, v->outcomes[row].result)};
}

double row_ci_pct(const struct validation *v, size_t row)
{
	const struct case_result *r = v->outcomes[row].result;

	return r->ops_per_thread_mean > 0 ? 100 * r->ops_per_thread_ci / r->ops_per_thread_mean : 0;
}

/* Fit rows are those that say so: values without a record were not fitted. */
static bool was_fitted(const struct expect *e)
{
	return e->role && strcmp(e->role, "fit") == 0;
}

static bool counts(const struct validation *v, size_t row)
{
	return row_done(v, row) && v->rows[row].kind == ROW_SCORED;
}

/* ---- Errors ------------------------------------------------------------------- */

static void add_error(struct validation *v, struct table_report *table, size_t row)
{
	double error = error_pct(row_comparison(v, row));

	table->rows++;
	error_add(&table->all, error, row);
	error_add(&v->all, error, row);
	if (was_fitted(&row_case(v, row)->expect)) {
		table->fit_rows++;
		return;
	}
	table->predict_rows++;
	error_add(&table->predict, error, row);
	error_add(&v->predict, error, row);
}

static void assess_errors(struct validation *v, struct table_report *table)
{
	for (size_t row = table->first; row < table->first + table->count; row++) {
		if (counts(v, row))
			add_error(v, table, row);
		table->missing += !row_done(v, row);
	}
	v->missing += table->missing;
}

/* ---- Order -------------------------------------------------------------------- */

/* The scored rows of a series, or of the table; freed by the caller. */
static size_t select_rows(const struct validation *v, const struct table_report *table, int series,
			  size_t **rows)
{
	size_t count = 0;

	*rows = xcalloc(table->count, sizeof(**rows));
	for (size_t row = table->first; row < table->first + table->count; row++)
		if (counts(v, row) && (series == NO_SERIES || v->rows[row].series == series))
			(*rows)[count++] = row;
	return count;
}

static struct comparison *compare_rows(const struct validation *v, const size_t *rows, size_t count)
{
	struct comparison *all = xcalloc(count + 1, sizeof(*all));

	for (size_t i = 0; i < count; i++)
		all[i] = row_comparison(v, rows[i]);
	return all;
}

static void assess_rank(const struct validation *v, struct series_report *series,
			const size_t *rows, size_t count)
{
	struct comparison *all = compare_rows(v, rows, count);

	series->rank = rank_compare(all, count, RANK_MIN_PCT);
	if (series->rank.inverted)
		for (int i = 0; i < 2; i++)
			series->rank.worst[i] = rows[series->rank.worst[i]];
	free(all);
}

static void assess_correlation(const struct validation *v, struct table_report *table)
{
	size_t *rows;
	size_t count = select_rows(v, table, NO_SERIES, &rows);
	struct comparison *all = compare_rows(v, rows, count);

	table->correlation_known = rank_correlation(all, count, &table->correlation);
	free(all);
	free(rows);
}

/* ---- Knees -------------------------------------------------------------------- */

struct sweep_point {
	uint32_t slots, threads;
	struct comparison value;
};

static int compare_slots(const void *a, const void *b)
{
	const struct sweep_point *x = a, *y = b;

	return (x->slots > y->slots) - (x->slots < y->slots);
}

/* Rows of private tables in ascending size; global tables of the same list are no points. */
static size_t sweep_points(const struct validation *v, const size_t *rows, size_t count,
			   struct sweep_point *points)
{
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		const struct case_result *r = v->outcomes[rows[i]].result;

		if (r->policy.scope == FUTEX_SCOPE_PRIVATE)
			points[used++] = (struct sweep_point){
				r->policy.slots, row_case(v, rows[i])->spec.workload.threads,
				row_comparison(v, rows[i])};
	}
	qsort(points, used, sizeof(*points), compare_slots);
	return used;
}

/* Nothing but the slots may differ, as far as this can be seen. */
static bool is_sweep(const struct sweep_point *points, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (points[i].slots == points[i - 1].slots ||
		    points[i].threads != points[i - 1].threads || points[i].value.predicted <= 0)
			return false;
	return count >= KNEE_POINTS_MIN && points[0].value.predicted > 0;
}

static bool knee_of(const struct sweep_point *points, size_t count, bool predicted, double share,
		    double *x)
{
	struct curve_point *curve = xcalloc(count, sizeof(*curve));
	bool known;

	for (size_t i = 0; i < count; i++)
		curve[i] = (struct curve_point){points[i].slots,
						predicted ? points[i].value.predicted
							  : points[i].value.published};
	known = curve_knee(curve, count, share, x);
	free(curve);
	return known;
}

static void assess_knees(const struct validation *v, struct series_report *series,
			 const size_t *rows, size_t count)
{
	struct sweep_point *points = xcalloc(count + 1, sizeof(*points));
	size_t used = sweep_points(v, rows, count, points);

	series->is_sweep = is_sweep(points, used);
	for (int i = 0; i < KNEE_COUNT && series->is_sweep; i++) {
		struct knee *knee = &series->knee[i];

		knee->published_known =
			knee_of(points, used, false, knee_share[i], &knee->published);
		knee->predicted_known =
			knee_of(points, used, true, knee_share[i], &knee->predicted);
	}
	free(points);
}

/* ---- Difference from the reference --------------------------------------------- */

static bool same_condition(const struct validation *v, size_t a, size_t b)
{
	return v->outcomes[a].result->policy.slots == v->outcomes[b].result->policy.slots &&
	       row_case(v, a)->spec.workload.threads == row_case(v, b)->spec.workload.threads;
}

static bool find_reference(const struct validation *v, const struct table_report *table, size_t row,
			   struct comparison *reference)
{
	for (size_t i = table->first; i < table->first + table->count; i++)
		if (row_done(v, i) && v->rows[i].kind == ROW_REFERENCE &&
		    same_condition(v, i, row)) {
			*reference = row_comparison(v, i);
			return reference->predicted > 0;
		}
	return false;
}

static void add_difference(struct difference *d, double points)
{
	d->rows++;
	d->sum_points += points;
	d->mean_points = d->sum_points / (double)d->rows;
}

static void assess_difference(const struct validation *v, struct table_report *table,
			      struct series_report *series, const size_t *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct comparison c = row_comparison(v, rows[i]), reference;
		double points;

		if (!find_reference(v, table, rows[i], &reference))
			continue;
		points = 100 * fabs(c.predicted / reference.predicted -
				    c.published / reference.published);
		add_difference(&series->difference, points);
		add_difference(&table->difference, points);
	}
}

/* ---- All of it ------------------------------------------------------------------ */

static void assess_series(const struct validation *v, struct table_report *table, size_t index)
{
	struct series_report *series = &table->series[index];
	size_t *rows;
	size_t count = select_rows(v, table, (int)index, &rows);

	assess_rank(v, series, rows, count);
	assess_knees(v, series, rows, count);
	assess_difference(v, table, series, rows, count);
	rank_add(&table->rank, &series->rank);
	free(rows);
}

void validation_assess(struct validation *v)
{
	for (size_t i = 0; i < v->table_count; i++) {
		struct table_report *table = &v->tables[i];

		assess_errors(v, table);
		assess_correlation(v, table);
		for (size_t s = 0; s < table->spec->series_count; s++)
			assess_series(v, table, s);
		rank_add(&v->rank, &table->rank);
	}
}

static bool can_meet(const struct table_report *table)
{
	return table->spec->target.present && !table->missing && table->predict_rows > 0;
}

bool target_mean_met(const struct table_report *table)
{
	return can_meet(table) && table->predict.mean_pct <= table->spec->target.mean_pct;
}

bool target_worst_met(const struct table_report *table)
{
	return can_meet(table) && table->predict.worst_pct <= table->spec->target.worst_pct;
}

bool target_difference_met(const struct table_report *table)
{
	return can_meet(table) && table->difference.rows > 0 &&
	       table->difference.mean_points <= table->spec->target.difference_points;
}
