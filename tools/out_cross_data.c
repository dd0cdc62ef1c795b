// SPDX-License-Identifier: GPL-3.0-or-later
/* For programs: scenarios/schema/cross.schema.json, and one CSV line a line. */
#include "cross.h"
#include "csv_writer.h"
#include "json_writer.h"
#include "version.h"

enum { ERROR_DECIMALS = 3 };

static void put_errors(struct json_writer *w, const char *key, const struct fit_errors *errors)
{
	json_open(w, key, '{');
	json_put_decimal(w, "mean_pct", errors->mean, ERROR_DECIMALS);
	json_put_decimal(w, "worst_pct", errors->worst, ERROR_DECIMALS);
	json_close(w, '}');
}

static void put_fitted(struct json_writer *w, const struct cross_machine *m,
		       const struct cross_line *line)
{
	json_open(w, "fitted", '{');
	for (size_t i = 0; i < m->problem.count; i++)
		if (line->open[i])
			json_put_number(w, machine_param_info[m->problem.param[i].id].name,
					line->best[i]);
	json_close(w, '}');
}

static void put_line(struct json_writer *w, const struct cross_machine *m,
		     const struct cross_line *line)
{
	json_open(w, NULL, '{');
	json_put_string(w, "left_out", cross_kind_name[line->kind]);
	if (*line->name)
		json_put_string(w, "name", line->name);
	json_put_uint(w, "fit_rows", line->rows.count);
	if (line->rows.count)
		json_put_decimal(w, "fit_rms_pct", fit_rms_pct(line->misfit), ERROR_DECIMALS);
	else
		json_put_null(w, "fit_rms_pct");
	json_put_uint(w, "judges", line->judges.count);
	put_errors(w, "unfitted", &line->unfitted);
	put_errors(w, "shipped", &line->shipped);
	put_errors(w, "refitted", &line->refitted);
	put_fitted(w, m, line);
	json_close(w, '}');
}

static void put_machine(struct json_writer *w, const struct cross_machine *m)
{
	struct text verdict = {0};

	cross_verdict(m, &verdict);
	json_open(w, NULL, '{');
	json_put_string(w, "machine", m->profile.machine->name);
	json_put_string(w, "verdict", verdict.data);
	json_open(w, "lines", '[');
	for (size_t i = 0; i < m->count; i++)
		if (m->line[i].done)
			put_line(w, m, &m->line[i]);
	json_close(w, ']');
	json_close(w, '}');
	text_free(&verdict);
}

void print_cross_json(const struct cross *cross, struct text *out)
{
	struct json_writer w = {.out = out};
	struct text verdict = {0};

	cross_verdict_all(cross, &verdict);
	json_open(&w, NULL, '{');
	json_put_string(&w, "tool", "futexsim");
	json_put_string(&w, "version", FUTEXSIM_VERSION);
	json_put_uint(&w, "seed", cross->seed);
	json_open(&w, "machines", '[');
	for (size_t m = 0; m < cross->count; m++)
		if (cross->machine[m].line[0].done)
			put_machine(&w, &cross->machine[m]);
	json_close(&w, ']');
	if (verdict.length)
		json_put_string(&w, "verdict", verdict.data);
	else
		json_put_null(&w, "verdict");
	json_close(&w, '}');
	text_free(&verdict);
}

/* ---- CSV ---------------------------------------------------------------------------- */

static const char header[] = "machine,left_out,name,fit_rows,fit_rms_pct,judges,unfitted_mean_pct,"
			     "shipped_mean_pct,refitted_mean_pct,unfitted_worst_pct,"
			     "shipped_worst_pct,refitted_worst_pct\r\n";

static void put_row(const struct cross_machine *m, const struct cross_line *line, struct text *out)
{
	const struct fit_errors *errors[] = {&line->unfitted, &line->shipped, &line->refitted};
	struct csv_row row = {.out = out};

	csv_put(&row, m->profile.machine->name);
	csv_put(&row, cross_kind_name[line->kind]);
	csv_put(&row, line->name);
	csv_count(&row, line->rows.count);
	if (line->rows.count)
		csv_decimal(&row, fit_rms_pct(line->misfit), ERROR_DECIMALS);
	else
		csv_put(&row, "");
	csv_count(&row, line->judges.count);
	for (int i = 0; i < 3; i++)
		csv_decimal(&row, errors[i]->mean, ERROR_DECIMALS);
	for (int i = 0; i < 3; i++)
		csv_decimal(&row, errors[i]->worst, ERROR_DECIMALS);
	csv_end(&row);
}

void print_cross_csv(const struct cross *cross, struct text *out)
{
	text_add(out, header);
	for (size_t m = 0; m < cross->count; m++)
		for (size_t i = 0; i < cross->machine[m].count; i++)
			if (cross->machine[m].line[i].done)
				put_row(&cross->machine[m], &cross->machine[m].line[i], out);
}
