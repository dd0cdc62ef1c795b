// SPDX-License-Identifier: GPL-3.0-or-later
/* The result format, scenarios/schema/result.schema.json. */
#include "explain.h"
#include "json_writer.h"
#include "outcome.h"
#include "variants.h"
#include "version.h"
#include "why.h"

enum { ERROR_DECIMALS = 3 };

static void put_policy(struct json_writer *w, const struct futex_policy *p)
{
	json_open(w, "policy", '{');
	json_put_string(w, "scope", futex_scope_name(p->scope));
	if (p->slots)
		json_put_uint(w, "slots", p->slots);
	else
		json_put_string(w, "slots", "auto");
	json_put_bool(w, "resizable", p->resizable);
	json_put_string(w, "refcount", refcount_name(p->refcount));
	json_put_string(w, "empty_check", futex_empty_check_name(p->empty_check));
	json_put_bool(w, "barrier_a", p->barrier_a);
	json_put_bool(w, "barrier_b", p->barrier_b);
	json_put_string(w, "lock", lock_choice(p->lock));
	json_put_string(w, "bucket", futex_bucket_name(p->bucket));
	json_put_bool(w, "back_pointer", p->back_pointer);
	json_put_string(w, "hash", futex_hash_name(p->hash));
	json_close(w, '}');
}

static void put_placement(struct json_writer *w, const struct workload_spec *workload)
{
	if (workload->placement[0] == 'p') {
		json_put_string(w, "placement", workload->placement);
		return;
	}
	json_open_flat(w, "placement", '[');
	for (uint32_t i = 0; i < workload->threads; i++)
		json_put_uint(w, NULL, workload->cpus[i]);
	json_close(w, ']');
}

static void put_workload(struct json_writer *w, const struct workload_spec *workload)
{
	json_open(w, "workload", '{');
	json_put_string(w, "program", workload->program);
	json_put_uint(w, "threads", workload->threads);
	json_put_uint(w, "futexes", workload->futexes);
	json_put_bool(w, "shared", workload->shared);
	json_put_bool(w, "worker_array", workload->worker_array);
	put_placement(w, workload);
	json_close(w, '}');
}

static void put_identity(struct json_writer *w, const struct scenario_case *c,
			 const struct futex_policy *policy)
{
	json_put_string(w, "id", c->id);
	json_put_string(w, "machine", c->spec.machine->name);
	json_put_string(w, "kernel", futex_kernel_name(policy->kernel));
	put_policy(w, policy);
	put_workload(w, &c->spec.workload);
}

static void put_throughput(struct json_writer *w, const struct case_result *r)
{
	json_open(w, "ops_per_sec_per_thread", '{');
	json_put_number(w, "mean", r->ops_per_thread_mean);
	json_put_number(w, "ci", r->ops_per_thread_ci);
	json_put_number(w, "stderr_threads_pct", r->stderr_threads_pct);
	json_put_number(w, "min_thread", r->min_thread);
	json_put_number(w, "max_thread", r->max_thread);
	json_put_number(w, "spread_layouts_pct", r->spread_layouts_pct);
	json_close(w, '}');
	json_put_number(w, "ops_per_sec_total", r->ops_total);
	json_put_number(w, "ns_per_op", r->ns_per_op);
}

static void put_costs(struct json_writer *w, const struct case_result *r)
{
	json_open(w, "cost_ns_per_op", '{');
	for (int i = 0; i < COST_COUNT; i++)
		json_put_number(w, cost_category_name[i], r->cost_ns_per_op[i]);
	json_close(w, '}');
}

static void put_collisions(struct json_writer *w, const struct case_result *r)
{
	json_open(w, "collisions", '{');
	json_open(w, "keys_per_bucket", '{');
	json_put_number(w, "mean", r->keys_per_bucket_mean);
	json_put_number(w, "max", r->keys_per_bucket_max);
	json_put_number(w, "chi2", r->chi2);
	json_put_number(w, "p_value", r->p_value);
	json_close(w, '}');
	json_put_number(w, "busy_probability", r->busy_probability);
	json_put_number(w, "stolen_per_op", r->stolen_per_op);
	json_close(w, '}');
}

static void put_expect(struct json_writer *w, const struct expect *e, const struct case_result *r)
{
	if (!e->present)
		return;
	json_open(w, "expect", '{');
	if (e->record)
		json_put_string(w, "record", e->record);
	else
		json_put_string(w, "metric", metric_choice(e->metric));
	json_put_exact(w, "value", e->value);
	if (r)
		json_put_decimal(w, "error_pct", expect_error_pct(e, r), ERROR_DECIMALS);
	if (e->role)
		json_put_string(w, "role", e->role);
	json_put_bool(w, "scored", e->scored);
	if (e->source)
		json_put_string(w, "source", e->source);
	if (e->why)
		json_put_string(w, "why", e->why);
	json_close(w, '}');
}

static void put_latency(struct json_writer *w, const struct case_result *r)
{
	json_open(w, "latency_ns", '{');
	json_put_number(w, "p50", r->latency_p50);
	json_put_number(w, "p99", r->latency_p99);
	json_put_number(w, "p999", r->latency_p999);
	json_put_number(w, "max", r->latency_max);
	json_close(w, '}');
}

static double per_second(uint64_t count, double wall_s)
{
	return wall_s > 0 ? (double)count / wall_s : 0;
}

static void put_run(struct json_writer *w, const struct case_result *r, bool timing)
{
	json_put_bool(w, "precision_reached", r->precision_reached);
	json_open(w, "run", '{');
	json_put_uint(w, "accesses", r->accesses);
	json_put_uint(w, "events", r->events);
	json_put_uint(w, "ops", r->ops);
	json_put_number(w, "sim_ms", r->sim_ms);
	if (timing) {
		json_put_number(w, "wall_s", r->wall_s);
		json_put_number(w, "accesses_per_sec", per_second(r->accesses, r->wall_s));
		json_put_number(w, "ops_per_wall_sec", per_second(r->ops, r->wall_s));
	}
	json_close(w, '}');
}

static void put_result(struct json_writer *w, const struct scenario_case *c,
		       const struct case_result *r, bool timing)
{
	json_open(w, NULL, '{');
	put_identity(w, c, &r->policy);
	put_throughput(w, r);
	put_costs(w, r);
	put_collisions(w, r);
	json_put_lines(w, r);
	json_put_functions(w, r);
	put_expect(w, &c->expect, r);
	put_latency(w, r);
	put_run(w, r, timing);
	json_close(w, '}');
}

static void open_document(struct json_writer *w, const struct scenario *scenario)
{
	json_open(w, NULL, '{');
	json_put_string(w, "tool", "futexsim");
	json_put_string(w, "version", FUTEXSIM_VERSION);
	json_put_string(w, "scenario", scenario->name);
	json_put_uint(w, "seed", scenario->cases[0].spec.measure.seed);
}

void print_json(const struct report *report, struct text *out)
{
	const struct scenario *scenario = report->scenario;
	struct json_writer w = {.out = out};

	open_document(&w, scenario);
	json_open(&w, "results", '[');
	for (size_t i = 0; i < scenario->count; i++)
		if (report->outcomes[i].state == OUTCOME_DONE)
			put_result(&w, &scenario->cases[i], report->outcomes[i].result,
				   report->timing);
	json_close(&w, ']');
	if (report->why)
		json_put_why(&w, report->why);
	if (report->variants)
		json_put_variants(&w, report);
	json_close(&w, '}');
}

static void put_measure(struct json_writer *w, const struct measure_spec *m)
{
	json_open(w, "measure", '{');
	json_put_uint(w, "seed", m->seed);
	json_put_uint(w, "layouts", m->layouts);
	json_put_exact(w, "precision", m->precision);
	json_put_exact(w, "confidence", m->confidence);
	json_put_exact(w, "max_sim_ms", m->max_sim_ms);
	json_close(w, '}');
}

void print_plan(const struct scenario *scenario, struct text *out)
{
	struct json_writer w = {.out = out};

	json_open(&w, NULL, '{');
	json_put_string(&w, "scenario", scenario->name);
	json_open(&w, "cases", '[');
	for (size_t i = 0; i < scenario->count; i++) {
		const struct scenario_case *c = &scenario->cases[i];

		json_open(&w, NULL, '{');
		put_identity(&w, c, &c->spec.policy);
		put_measure(&w, &c->spec.measure);
		put_expect(&w, &c->expect, NULL);
		json_close(&w, '}');
	}
	json_close(&w, ']');
	json_close(&w, '}');
}
