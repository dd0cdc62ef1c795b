// SPDX-License-Identifier: GPL-3.0-or-later
/* One row a case, all scalar fields, RFC 4180 (CRLF). */
#include <string.h>

#include "csv_writer.h"
#include "outcome.h"

static const char header[] =
	"id,machine,kernel,scope,slots,resizable,refcount,empty_check,barrier_a,barrier_b,lock,"
	"bucket,back_pointer,hash,program,threads,futexes,shared,worker_array,placement,"
	"ops_per_sec_per_thread,ci,stderr_threads_pct,min_thread,max_thread,spread_layouts_pct,"
	"ops_per_sec_total,ns_per_op";
static const char header_rest[] =
	"keys_per_bucket_mean,keys_per_bucket_max,chi2,p_value,busy_probability,stolen_per_op,"
	"expect_record,expect_metric,expect_value,expect_error_pct,expect_role,expect_scored,"
	"latency_p50_ns,latency_p99_ns,latency_p999_ns,latency_max_ns,precision_reached,"
	"accesses,events,ops,sim_ms";

static void put_policy(struct csv_row *row, const struct futex_policy *p)
{
	csv_put(row, futex_kernel_name(p->kernel));
	csv_put(row, futex_scope_name(p->scope));
	csv_count(row, p->slots);
	csv_flag(row, p->resizable);
	csv_put(row, refcount_name(p->refcount));
	csv_put(row, futex_empty_check_name(p->empty_check));
	csv_flag(row, p->barrier_a);
	csv_flag(row, p->barrier_b);
	csv_put(row, lock_choice(p->lock));
	csv_put(row, futex_bucket_name(p->bucket));
	csv_flag(row, p->back_pointer);
	csv_put(row, futex_hash_name(p->hash));
}

static void put_workload(struct csv_row *row, const struct workload_spec *w)
{
	struct text cpus = {0};

	csv_put(row, w->program);
	csv_count(row, w->threads);
	csv_count(row, w->futexes);
	csv_flag(row, w->shared);
	csv_flag(row, w->worker_array);
	if (strcmp(w->placement, "list") != 0) {
		csv_put(row, w->placement);
		return;
	}
	for (uint32_t i = 0; i < w->threads; i++)
		text_printf(&cpus, "%s%u", i ? " " : "", w->cpus[i]);
	csv_put(row, cpus.data);
	text_free(&cpus);
}

static void put_numbers(struct csv_row *row, const struct case_result *r)
{
	const double numbers[] = {
		r->ops_per_thread_mean, r->ops_per_thread_ci,  r->stderr_threads_pct, r->min_thread,
		r->max_thread,          r->spread_layouts_pct, r->ops_total,          r->ns_per_op};
	const double collisions[] = {
		r->keys_per_bucket_mean, r->keys_per_bucket_max, r->chi2, r->p_value,
		r->busy_probability,     r->stolen_per_op};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		csv_number(row, numbers[i]);
	for (size_t i = 0; i < COST_COUNT; i++)
		csv_number(row, r->cost_ns_per_op[i]);
	for (size_t i = 0; i < sizeof(collisions) / sizeof(collisions[0]); i++)
		csv_number(row, collisions[i]);
}

static void put_expect(struct csv_row *row, const struct expect *e, const struct case_result *r)
{
	if (!e->present) {
		for (int i = 0; i < 6; i++)
			csv_put(row, "");
		return;
	}
	csv_put(row, e->record ? e->record : "");
	csv_put(row, metric_choice(e->metric));
	csv_exact(row, e->value);
	csv_decimal(row, expect_error_pct(e, r), 3);
	csv_put(row, e->role ? e->role : "");
	csv_flag(row, e->scored);
}

static void put_run(struct csv_row *row, const struct case_result *r, bool timing)
{
	csv_number(row, r->latency_p50);
	csv_number(row, r->latency_p99);
	csv_number(row, r->latency_p999);
	csv_number(row, r->latency_max);
	csv_flag(row, r->precision_reached);
	csv_count(row, r->accesses);
	csv_count(row, r->events);
	csv_count(row, r->ops);
	csv_number(row, r->sim_ms);
	if (timing)
		csv_number(row, r->wall_s);
}

static void put_row(struct text *out, const struct scenario_case *c, const struct case_result *r,
		    bool timing)
{
	struct csv_row row = {.out = out};

	csv_put(&row, c->id);
	csv_put(&row, c->spec.machine->name);
	put_policy(&row, &r->policy);
	put_workload(&row, &c->spec.workload);
	put_numbers(&row, r);
	put_expect(&row, &c->expect, r);
	put_run(&row, r, timing);
	csv_end(&row);
}

void print_csv(const struct report *report, struct text *out)
{
	const struct scenario *scenario = report->scenario;

	text_add(out, header);
	for (size_t i = 0; i < COST_COUNT; i++)
		text_printf(out, ",cost_%s_ns", cost_category_name[i]);
	text_printf(out, ",%s%s\r\n", header_rest, report->timing ? ",wall_s" : "");
	for (size_t i = 0; i < scenario->count; i++)
		if (report->outcomes[i].state == OUTCOME_DONE)
			put_row(out, &scenario->cases[i], report->outcomes[i].result,
				report->timing);
}
