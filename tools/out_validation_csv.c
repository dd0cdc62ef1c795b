// SPDX-License-Identifier: GPL-3.0-or-later
/* One line a row. */
#include "csv_writer.h"
#include "validation.h"

static const char header[] =
	"table,record,scenario,case,machine,threads,slots,role,kind,metric,published,"
	"published_stddev_pct,predicted,ci_pct,error_pct,precision_reached\r\n";

static void put_row(const struct validation *v, const struct table_report *table, size_t i,
		    struct text *out)
{
	const struct scenario_case *c = &v->scenario.cases[i];
	const struct case_result *r = v->outcomes[i].result;
	struct comparison values = row_comparison(v, i);
	struct csv_row row = {.out = out};

	csv_put(&row, table->spec->id);
	csv_put(&row, c->expect.record ? c->expect.record : "");
	csv_put(&row, v->rows[i].scenario);
	csv_put(&row, v->rows[i].case_id);
	csv_put(&row, c->spec.machine->name);
	csv_count(&row, c->spec.workload.threads);
	csv_count(&row, r->policy.slots);
	csv_put(&row, c->expect.role ? c->expect.role : "predict");
	csv_put(&row, row_kind_name[v->rows[i].kind]);
	csv_put(&row, metric_choice(c->expect.metric));
	csv_exact(&row, values.published);
	if (c->expect.stddev_pct >= 0)
		csv_exact(&row, c->expect.stddev_pct);
	else
		csv_put(&row, "");
	csv_number(&row, values.predicted);
	csv_decimal(&row, row_ci_pct(v, i), 3);
	csv_decimal(&row, error_pct(values), 3);
	csv_flag(&row, r->precision_reached);
	csv_end(&row);
}

void print_validation_csv(const struct validation *v, struct text *out)
{
	text_add(out, header);
	for (size_t t = 0; t < v->table_count; t++) {
		const struct table_report *table = &v->tables[t];

		for (size_t i = table->first; i < table->first + table->count; i++)
			if (row_done(v, i))
				put_row(v, table, i, out);
	}
}
