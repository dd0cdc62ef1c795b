// SPDX-License-Identifier: GPL-3.0-or-later
/* scenarios/schema/validation.schema.json. */
#include "json_writer.h"
#include "validation.h"
#include "version.h"

enum { ERROR_DECIMALS = 3, SLOTS_DIGITS = 3 };

static void put_known(struct json_writer *w, const char *key, bool known, double value)
{
	if (known)
		json_put_decimal(w, key, value, ERROR_DECIMALS);
	else
		json_put_null(w, key);
}

static void put_errors(struct json_writer *w, const struct error_summary *all,
		       const struct error_summary *predict)
{
	put_known(w, "mape_pct", all->rows, all->mean_pct);
	put_known(w, "worst_pct", all->rows, all->worst_pct);
	put_known(w, "predict_mape_pct", predict->rows, predict->mean_pct);
	put_known(w, "predict_worst_pct", predict->rows, predict->worst_pct);
}

static void put_rank(struct json_writer *w, const struct rank_summary *rank)
{
	json_put_uint(w, "pairs", rank->pairs);
	json_put_uint(w, "inversions", rank->inverted);
}

static void put_origin(struct json_writer *w, const struct expect *e)
{
	if (e->record)
		json_put_string(w, "record", e->record);
	else
		json_put_string(w, "source", e->source);
	json_put_string(w, "role", e->role ? e->role : "predict");
}

static void put_case(struct json_writer *w, const struct validation *v, size_t row)
{
	const struct scenario_case *c = &v->scenario.cases[row];
	const struct case_result *r = v->outcomes[row].result;
	struct comparison values = row_comparison(v, row);

	json_open(w, NULL, '{');
	json_put_string(w, "id", v->rows[row].case_id);
	json_put_string(w, "scenario", v->rows[row].scenario);
	put_origin(w, &c->expect);
	json_put_string(w, "kind", row_kind_name[v->rows[row].kind]);
	json_put_string(w, "metric", metric_choice(c->expect.metric));
	json_put_uint(w, "threads", c->spec.workload.threads);
	json_put_uint(w, "slots", r->policy.slots);
	json_put_exact(w, "published", values.published);
	put_known(w, "published_stddev_pct", c->expect.stddev_pct >= 0, c->expect.stddev_pct);
	json_put_number(w, "predicted", values.predicted);
	json_put_decimal(w, "ci_pct", row_ci_pct(v, row), ERROR_DECIMALS);
	json_put_decimal(w, "error_pct", error_pct(values), ERROR_DECIMALS);
	json_put_bool(w, "precision_reached", r->precision_reached);
	json_close(w, '}');
}

static void put_cases(struct json_writer *w, const struct validation *v,
		      const struct table_report *table)
{
	json_open(w, "cases", '[');
	for (size_t i = table->first; i < table->first + table->count; i++)
		if (row_done(v, i))
			put_case(w, v, i);
	json_close(w, ']');
}

static void put_slots(struct json_writer *w, const char *key, bool known, double slots)
{
	if (known)
		json_put_rounded(w, key, slots, SLOTS_DIGITS);
	else
		json_put_null(w, key);
}

static void put_knees(struct json_writer *w, const struct series_report *series)
{
	json_open(w, "knees", '[');
	for (int i = 0; i < KNEE_COUNT && series->is_sweep; i++) {
		const struct knee *knee = &series->knee[i];

		json_open(w, NULL, '{');
		json_put_exact(w, "share", knee_share[i]);
		put_slots(w, "published_slots", knee->published_known, knee->published);
		put_slots(w, "predicted_slots", knee->predicted_known, knee->predicted);
		json_close(w, '}');
	}
	json_close(w, ']');
}

static void put_series(struct json_writer *w, const struct table_report *table)
{
	json_open(w, "series", '[');
	for (size_t i = 0; i < table->spec->series_count; i++) {
		const struct series_report *series = &table->series[i];

		json_open(w, NULL, '{');
		json_put_string(w, "id", series->spec->id);
		put_rank(w, &series->rank);
		put_known(w, "difference_points", series->difference.rows,
			  series->difference.mean_points);
		put_knees(w, series);
		json_close(w, '}');
	}
	json_close(w, ']');
}

static void put_target(struct json_writer *w, const struct table_report *table)
{
	const struct table_target *target = &table->spec->target;

	if (!target->present)
		return;
	json_open(w, "target", '{');
	json_put_exact(w, "mean_pct", target->mean_pct);
	json_put_bool(w, "mean_met", target_mean_met(table));
	json_put_exact(w, "worst_pct", target->worst_pct);
	json_put_bool(w, "worst_met", target_worst_met(table));
	if (target->difference_points > 0) {
		json_put_exact(w, "difference_points", target->difference_points);
		json_put_bool(w, "difference_met", target_difference_met(table));
	}
	json_close(w, '}');
}

static void put_table(struct json_writer *w, const struct validation *v,
		      const struct table_report *table)
{
	json_open(w, NULL, '{');
	json_put_string(w, "id", table->spec->id);
	json_put_string(w, "title", table->spec->title);
	json_put_string(w, "machine", table->machine);
	json_put_uint(w, "rows", table->rows);
	json_put_uint(w, "fit_rows", table->fit_rows);
	json_put_uint(w, "predict_rows", table->predict_rows);
	json_put_uint(w, "missing_rows", table->missing);
	put_errors(w, &table->all, &table->predict);
	put_known(w, "spearman", table->correlation_known, table->correlation);
	put_rank(w, &table->rank);
	put_known(w, "difference_points", table->difference.rows, table->difference.mean_points);
	put_target(w, table);
	put_series(w, table);
	put_cases(w, v, table);
	json_close(w, '}');
}

static void put_unmapped(struct json_writer *w, const struct tables *index)
{
	json_open(w, "unmapped", '[');
	for (size_t i = 0; index && i < index->unmapped_count; i++)
		for (size_t k = 0; k < index->unmapped[i].records.count; k++) {
			json_open(w, NULL, '{');
			json_put_string(w, "record", index->unmapped[i].records.name[k]);
			json_put_string(w, "why", index->unmapped[i].why);
			json_close(w, '}');
		}
	json_close(w, ']');
}

static void put_unexplained(struct json_writer *w, const struct validation *v)
{
	json_open(w, "unexplained", '[');
	for (size_t i = 0; i < v->scenario.count; i++) {
		const struct expect *e = &v->scenario.cases[i].expect;

		if (v->rows[i].kind != ROW_UNEXPLAINED || !row_done(v, i))
			continue;
		json_open(w, NULL, '{');
		json_put_string(w, "record", e->record);
		json_put_exact(w, "published", e->value);
		json_put_number(w, "predicted", row_comparison(v, i).predicted);
		json_put_string(w, "why", e->why);
		json_close(w, '}');
	}
	json_close(w, ']');
}

static void put_summary(struct json_writer *w, const struct validation *v)
{
	json_open(w, "summary", '{');
	json_put_uint(w, "rows", v->all.rows);
	json_put_uint(w, "predict_rows", v->predict.rows);
	json_put_uint(w, "missing_rows", v->missing);
	put_errors(w, &v->all, &v->predict);
	put_rank(w, &v->rank);
	json_close(w, '}');
}

void print_validation_json(const struct validation *v, struct text *out)
{
	struct json_writer w = {.out = out};
	const struct measure_spec *measure = &v->scenario.cases[0].spec.measure;

	json_open(&w, NULL, '{');
	json_put_string(&w, "tool", "futexsim");
	json_put_string(&w, "version", FUTEXSIM_VERSION);
	json_put_uint(&w, "seed", measure->seed);
	json_put_exact(&w, "precision", measure->precision);
	json_open(&w, "tables", '[');
	for (size_t i = 0; i < v->table_count; i++)
		put_table(&w, v, &v->tables[i]);
	json_close(&w, ']');
	put_unmapped(&w, v->index);
	put_unexplained(&w, v);
	put_summary(&w, v);
	json_close(&w, '}');
}
