// SPDX-License-Identifier: GPL-3.0-or-later
/* One row a case, all scalar fields, RFC 4180 (CRLF). */
#include <assert.h>
#include <string.h>

#include "json_writer.h"
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

struct row {
	struct text *out;
	bool started;
};

static void separate(struct row *row)
{
	if (row->started)
		text_add(row->out, ",");
	row->started = true;
}

static void put(struct row *row, const char *value)
{
	assert(value);
	separate(row);
	if (!strpbrk(value, ",\"\r\n")) {
		text_add(row->out, value);
		return;
	}
	text_add(row->out, "\"");
	for (; *value; value++)
		text_add(row->out, *value == '"' ? "\"\"" : (char[]){*value, '\0'});
	text_add(row->out, "\"");
}

static void put_flag(struct row *row, bool value)
{
	put(row, value ? "true" : "false");
}

static void put_count(struct row *row, uint64_t value)
{
	separate(row);
	text_printf(row->out, "%llu", (unsigned long long)value);
}

static void put_number(struct row *row, double value)
{
	separate(row);
	text_number(row->out, value, JSON_DIGITS);
}

static void put_policy(struct row *row, const struct futex_policy *p)
{
	put(row, futex_kernel_name(p->kernel));
	put(row, futex_scope_name(p->scope));
	put_count(row, p->slots);
	put_flag(row, p->resizable);
	put(row, refcount_name(p->refcount));
	put(row, futex_empty_check_name(p->empty_check));
	put_flag(row, p->barrier_a);
	put_flag(row, p->barrier_b);
	put(row, lock_choice(p->lock));
	put(row, futex_bucket_name(p->bucket));
	put_flag(row, p->back_pointer);
	put(row, futex_hash_name(p->hash));
}

static void put_workload(struct row *row, const struct workload_spec *w)
{
	struct text cpus = {0};

	put(row, w->program);
	put_count(row, w->threads);
	put_count(row, w->futexes);
	put_flag(row, w->shared);
	put_flag(row, w->worker_array);
	if (strcmp(w->placement, "list") != 0) {
		put(row, w->placement);
		return;
	}
	for (uint32_t i = 0; i < w->threads; i++)
		text_printf(&cpus, "%s%u", i ? " " : "", w->cpus[i]);
	put(row, cpus.data);
	text_free(&cpus);
}

static void put_numbers(struct row *row, const struct case_result *r)
{
	const double numbers[] = {
		r->ops_per_thread_mean, r->ops_per_thread_ci,  r->stderr_threads_pct, r->min_thread,
		r->max_thread,          r->spread_layouts_pct, r->ops_total,          r->ns_per_op};
	const double collisions[] = {
		r->keys_per_bucket_mean, r->keys_per_bucket_max, r->chi2, r->p_value,
		r->busy_probability,     r->stolen_per_op};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		put_number(row, numbers[i]);
	for (size_t i = 0; i < COST_COUNT; i++)
		put_number(row, r->cost_ns_per_op[i]);
	for (size_t i = 0; i < sizeof(collisions) / sizeof(collisions[0]); i++)
		put_number(row, collisions[i]);
}

static void put_expect(struct row *row, const struct expect *e, const struct case_result *r)
{
	if (!e->present) {
		for (int i = 0; i < 6; i++)
			put(row, "");
		return;
	}
	put(row, e->record ? e->record : "");
	put(row, metric_choice(e->metric));
	separate(row);
	text_number(row->out, e->value, EXACT_DIGITS);
	separate(row);
	text_decimal(row->out, expect_error_pct(e, r), 3);
	put(row, e->role ? e->role : "");
	put_flag(row, e->scored);
}

static void put_run(struct row *row, const struct case_result *r, bool timing)
{
	put_number(row, r->latency_p50);
	put_number(row, r->latency_p99);
	put_number(row, r->latency_p999);
	put_number(row, r->latency_max);
	put_flag(row, r->precision_reached);
	put_count(row, r->accesses);
	put_count(row, r->events);
	put_count(row, r->ops);
	put_number(row, r->sim_ms);
	if (timing)
		put_number(row, r->wall_s);
}

static void put_row(struct text *out, const struct scenario_case *c, const struct case_result *r,
		    bool timing)
{
	struct row row = {.out = out};

	put(&row, c->id);
	put(&row, c->spec.machine->name);
	put_policy(&row, &r->policy);
	put_workload(&row, &c->spec.workload);
	put_numbers(&row, r);
	put_expect(&row, &c->expect, r);
	put_run(&row, r, timing);
	text_add(out, "\r\n");
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
