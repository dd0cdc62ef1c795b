// SPDX-License-Identifier: GPL-3.0-or-later
/* Ablations in order of definition, sensitivities by effect. */
#include <math.h>
#include <stdlib.h>

#include "alloc.h"
#include "csv_writer.h"
#include "grid.h"
#include "variants.h"

/* ---- Rows of a case ----------------------------------------------------------------- */

struct rows {
	size_t base, count;
	struct row {
		size_t index;
		struct effect effect;
	} * row;
};

static int by_effect(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	double p = fabs(x->effect.pct), q = fabs(y->effect.pct);

	if (p != q)
		return p < q ? 1 : -1;
	return (x->index > y->index) - (x->index < y->index);
}

/* Finished variants of the case; none if it is not finished itself. */
static struct rows rows_of(const struct report *report, size_t base)
{
	const struct variants *v = report->variants;
	struct rows rows = {.base = base, .row = xcalloc(v->count, sizeof(*rows.row))};

	for (size_t i = base + 1; i < v->count && v->list[i].base == base; i++) {
		struct row row = {i, variant_effect(report, i)};

		if (row.effect.known)
			rows.row[rows.count++] = row;
	}
	if (v->kind == VARIANTS_SENSITIVITY)
		qsort(rows.row, rows.count, sizeof(*rows.row), by_effect);
	return rows;
}

/* The next case that is no variant, from `at` on, and finished; count if there is none. */
static size_t next_base(const struct report *report, size_t at)
{
	const struct variants *v = report->variants;

	while (at < v->count &&
	       (v->list[at].base != at || report->outcomes[at].state != OUTCOME_DONE))
		at++;
	return at;
}

#define FOR_EACH_BASE(report, base)                                                                \
	for (size_t base = next_base(report, 0); base < (report)->variants->count;                 \
	     base = next_base(report, base + 1))

/* ---- Table --------------------------------------------------------------------------- */

static void add_common(struct grid *grid, const struct case_result *r, const struct effect *e)
{
	grid_cell(grid, "%.0f", r->ops_per_thread_mean);
	grid_cell(grid, "%.1f", r->ns_per_op);
	if (e) {
		grid_cell(grid, "%+.2f", e->pct);
		grid_cell(grid, "%.2f", e->ci);
	} else {
		grid_cell(grid, "%s", "");
		grid_cell(grid, "%s", "");
	}
}

static void print_ablation(const struct report *report, const struct rows *rows, struct text *out)
{
	struct grid grid = {0};

	grid_column(&grid, "without", false);
	grid_column(&grid, "ops/s/thread", true);
	grid_column(&grid, "ns/op", true);
	grid_column(&grid, "comes back %", true);
	grid_column(&grid, "+-", true);
	grid_column(&grid, "how", false);
	grid_cell(&grid, "%s", "(as it is)");
	add_common(&grid, report->outcomes[rows->base].result, NULL);
	grid_cell(&grid, "%s", "");
	for (size_t i = 0; i < rows->count; i++) {
		const struct row *row = &rows->row[i];
		const struct variant *v = &report->variants->list[row->index];

		grid_cell(&grid, "%s", v->name);
		add_common(&grid, report->outcomes[row->index].result, &row->effect);
		grid_cell(&grid, "%s", v->what);
	}
	grid_print(&grid, out);
	grid_free(&grid);
}

static void add_parameter(struct grid *grid, const struct row *row, const struct variant *v)
{
	const struct machine_param_info *info = &machine_param_info[v->index];
	struct text value = {0};

	text_number(&value, v->value->value, 6);
	grid_cell(grid, "%s", v->name);
	grid_cell(grid, "%s", value.data);
	grid_cell(grid, "%s", info->unit);
	grid_cell(grid, "%s", machine_status_name[v->value->status]);
	grid_cell(grid, "%+.3f%s", row->effect.pct,
		  fabs(row->effect.pct) > row->effect.ci ? " " : "~");
	grid_cell(grid, "%.3f", row->effect.ci);
	grid_cell(grid, "%s", v->what);
	text_free(&value);
}

static void print_sensitivity(const struct report *report, const struct rows *rows,
			      struct text *out)
{
	static const char *const titles[] = {"parameter", "value", "", "status"};
	struct grid grid = {0};

	for (int i = 0; i < 4; i++)
		grid_column(&grid, titles[i], i == 1);
	grid_column(&grid, "% per +10 %", true);
	grid_column(&grid, "+-", true);
	grid_column(&grid, "what it is", false);
	for (size_t i = 0; i < rows->count; i++)
		add_parameter(&grid, &rows->row[i], &report->variants->list[rows->row[i].index]);
	grid_print(&grid, out);
	grid_free(&grid);
}

/* Verdicts come first: they are what one reads. */
static void print_verdicts(const struct report *report, struct text *out)
{
	FOR_EACH_BASE(report, base)
	{
		text_printf(out, "%s: ", report->scenario->cases[base].id);
		ablation_verdict(report, base, out);
		text_add(out, "\n");
	}
}

void print_variants(const struct report *report, struct text *out)
{
	bool ablation = report->variants->kind == VARIANTS_ABLATION;

	if (ablation)
		print_verdicts(report, out);
	else
		text_add(out, "Change of throughput per +10 % of each parameter of the machine\n");
	FOR_EACH_BASE(report, base)
	{
		struct rows rows = rows_of(report, base);

		text_printf(out, "\n== %s: %s, on %s\n\n", ablation ? "ablation" : "sensitivity",
			    report->scenario->cases[base].id,
			    report->scenario->cases[base].spec.machine->name);
		if (ablation)
			print_ablation(report, &rows, out);
		else
			print_sensitivity(report, &rows, out);
		free(rows.row);
	}
	if (!ablation)
		text_add(out, "\n~ is not distinguishable from nothing at this precision (--set "
			      "measure.precision=0.002)\n");
}

/* ---- CSV and JSON ---------------------------------------------------------------------- */

void print_variants_csv(const struct report *report, struct text *out)
{
	text_add(out, "id,variant,ops_per_sec_per_thread,ns_per_op,effect_pct,effect_ci_pct\r\n");
	FOR_EACH_BASE(report, base)
	{
		struct rows rows = rows_of(report, base);

		for (size_t i = 0; i < rows.count; i++) {
			const struct case_result *r = report->outcomes[rows.row[i].index].result;
			struct csv_row row = {.out = out};

			csv_put(&row, report->scenario->cases[base].id);
			csv_put(&row, report->variants->list[rows.row[i].index].name);
			csv_number(&row, r->ops_per_thread_mean);
			csv_number(&row, r->ns_per_op);
			csv_decimal(&row, rows.row[i].effect.pct, 3);
			csv_decimal(&row, rows.row[i].effect.ci, 3);
			csv_end(&row);
		}
		free(rows.row);
	}
}

static void put_row(struct json_writer *w, const struct report *report, const struct row *row)
{
	const struct variant *v = &report->variants->list[row->index];

	json_open(w, NULL, '{');
	json_put_string(w, "name", v->name);
	json_put_string(w, "what", v->what);
	if (v->value) {
		json_put_exact(w, "value", v->value->value);
		json_put_string(w, "unit", machine_param_info[v->index].unit);
		json_put_string(w, "status", machine_status_name[v->value->status]);
	}
	json_put_string(w, "case", report->scenario->cases[row->index].id);
	json_put_decimal(w, "effect_pct", row->effect.pct, 3);
	json_put_decimal(w, "effect_ci_pct", row->effect.ci, 3);
	json_close(w, '}');
}

static void put_verdict(struct json_writer *w, const struct report *report, size_t base)
{
	struct text verdict = {0};

	ablation_verdict(report, base, &verdict);
	json_put_string(w, "verdict", verdict.data);
	text_free(&verdict);
}

void json_put_variants(struct json_writer *w, const struct report *report)
{
	bool ablation = report->variants->kind == VARIANTS_ABLATION;

	json_open(w, ablation ? "ablation" : "sensitivity", '[');
	FOR_EACH_BASE(report, base)
	{
		struct rows rows = rows_of(report, base);

		json_open(w, NULL, '{');
		json_put_string(w, "case", report->scenario->cases[base].id);
		if (ablation)
			put_verdict(w, report, base);
		json_open(w, "effects", '[');
		for (size_t i = 0; i < rows.count; i++)
			put_row(w, report, &rows.row[i]);
		json_close(w, ']');
		json_close(w, '}');
		free(rows.row);
	}
	json_close(w, ']');
}
