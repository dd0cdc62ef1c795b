/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collect_lines.h"
#include "futex/futex.h"
#include "machine/machine.h"
#include "os/os.h"
#include "workload/perf_bench_hash.h"

struct collection {
	const struct case_spec *spec;
	uint32_t layouts;
	/* Per layout. */
	double *rate, *half_width; /* ops/s per thread */
	/* Sums over layouts. */
	double *thread_rate; /* ops/s of every thread */
	uint64_t ops, busy, stolen, accesses, events;
	sim_time cost[SIM_CATEGORIES_MAX], window;
	bool all_precise;
	double keys_mean, keys_max, chi2, p_value;
	struct latency_histogram latency;
	struct attribution *attribution; /* lines, fields, functions */
};

struct collection *collection_new(const struct case_spec *spec)
{
	struct collection *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->spec = spec;
	c->all_precise = true;
	c->rate = calloc(spec->measure.layouts, sizeof(*c->rate));
	c->half_width = calloc(spec->measure.layouts, sizeof(*c->half_width));
	c->thread_rate = calloc(spec->workload.threads, sizeof(*c->thread_rate));
	c->attribution = attribution_new();
	if (!c->rate || !c->half_width || !c->thread_rate || !c->attribution) {
		collection_destroy(c);
		return NULL;
	}
	return c;
}

void collection_destroy(struct collection *c)
{
	if (!c)
		return;
	free(c->rate);
	free(c->half_width);
	free(c->thread_rate);
	attribution_destroy(c->attribution);
	free(c);
}

/* ---- Static collisions -------------------------------------------------------- */

/* Counts keys per bucket and compares with throwing them at random. */
static void count_keys(struct collection *c, struct futex_mm *mm, struct perf_bench_hash_run *bench)
{
	const struct workload_spec *w = &c->spec->workload;
	uint32_t buckets = futex_bucket_count(mm, w->shared);
	uint32_t *keys = calloc(buckets, sizeof(*keys));
	double mean = (double)w->threads * w->futexes / buckets, chi2 = 0, most = 0;

	if (!keys)
		return;
	for (uint32_t i = 0; i < w->threads; i++)
		for (uint32_t k = 0; k < w->futexes; k++)
			keys[futex_bucket_index(mm, perf_bench_hash_word(bench, i, k),
						w->shared)]++;
	for (uint32_t b = 0; b < buckets; b++) {
		chi2 += (keys[b] - mean) * (keys[b] - mean) / mean;
		most = keys[b] > most ? keys[b] : most;
	}
	free(keys);
	c->keys_mean = mean;
	c->keys_max += most;
	c->chi2 += chi2;
	c->p_value += buckets > 1 ? gsl_cdf_chisq_Q(chi2, buckets - 1) : 1;
}

/* ---- Sums ------------------------------------------------------------------------ */

static void add_tasks(struct collection *c, double seconds)
{
	for (uint32_t s = 0; s < sim.config.cpus; s++) {
		struct os_task_stats t = os_task_stats(s);

		c->ops += t.ops;
		c->busy += t.busy_ops;
		c->stolen += machine_stolen(s);
		c->accesses += sim.cpus[s].accesses;
		c->events += sim.cpus[s].events;
		c->thread_rate[s] += (double)t.ops / seconds;
		for (int k = 0; k < SIM_CATEGORIES_MAX; k++)
			c->cost[k] += t.cost[k];
	}
}

static void add_latency(struct collection *c)
{
	const struct latency_histogram *h = os_latency();

	for (uint32_t b = 0; b < LATENCY_BUCKETS; b++)
		c->latency.count[b] += h->count[b];
	c->latency.total += h->total;
	c->latency.max = h->max > c->latency.max ? h->max : c->latency.max;
}

void collect_layout(struct collection *c, const struct case_spec *spec, const struct measure *m,
		    struct futex_mm *mm, struct perf_bench_hash_run *bench)
{
	double seconds = (double)(m->ended - m->began) * 1e-12;
	double per_second = 1e12 / spec->workload.threads;

	add_tasks(c, seconds);
	add_latency(c);
	c->rate[c->layouts] = measure_rate(m) * per_second;
	c->half_width[c->layouts] = measure_half_width(m) * per_second;
	c->window += m->ended - m->began;
	c->all_precise &= m->reached;
	count_keys(c, mm, bench);
	attribution_add(c->attribution);
	c->layouts++;
}

/* ---- The result -------------------------------------------------------------------- */

static const enum cost_category category_of[SIM_CATEGORIES_MAX] = {
	[PLAT_CAT_OTHER] = COST_OTHER,
	[PLAT_CAT_REFCOUNT] = COST_REFCOUNT,
	[PLAT_CAT_BUCKET_LINE] = COST_BUCKET_LINE,
	[PLAT_CAT_USER_WORD] = COST_USER_WORD,
	[PLAT_CAT_LOCK_WAIT] = COST_LOCK_WAIT,
	[OS_COST_SLEEP] = COST_SLEEP,
	[SIM_COST_WORK] = COST_WORK,
	[SIM_COST_LOCK_WAIT] = COST_LOCK_WAIT,
};

/* Layouts are independent runs: their spread is part of the mean's uncertainty. */
static void finish_rates(const struct collection *c, struct case_result *r)
{
	double sum = 0, squares = 0, inside = 0, between;

	for (uint32_t l = 0; l < c->layouts; l++) {
		sum += c->rate[l];
		inside += c->half_width[l] * c->half_width[l];
	}
	r->ops_per_thread_mean = sum / c->layouts;
	for (uint32_t l = 0; l < c->layouts; l++)
		squares += (c->rate[l] - r->ops_per_thread_mean) *
			   (c->rate[l] - r->ops_per_thread_mean);
	between = c->layouts > 1 ? sqrt(squares / (c->layouts - 1)) : 0;
	r->ops_per_thread_ci = sqrt(inside) / c->layouts;
	if (c->layouts > 1)
		r->ops_per_thread_ci = fmax(r->ops_per_thread_ci,
					    student_t(c->spec->measure.confidence, c->layouts - 1) *
						    between / sqrt(c->layouts));
	r->spread_layouts_pct =
		r->ops_per_thread_mean > 0 ? 100 * between / r->ops_per_thread_mean : 0;
	r->ops_total = r->ops_per_thread_mean * c->spec->workload.threads;
	r->ns_per_op = r->ops_per_thread_mean > 0 ? 1e9 / r->ops_per_thread_mean : 0;
}

/* The standard error over threads, as perf bench prints it. */
static void finish_threads(const struct collection *c, struct case_result *r)
{
	uint32_t n = c->spec->workload.threads;
	double mean = 0, squares = 0;

	r->min_thread = INFINITY;
	for (uint32_t s = 0; s < n; s++) {
		double rate = c->thread_rate[s] / c->layouts;

		mean += rate / n;
		r->min_thread = fmin(r->min_thread, rate);
		r->max_thread = fmax(r->max_thread, rate);
	}
	for (uint32_t s = 0; s < n; s++) {
		double d = c->thread_rate[s] / c->layouts - mean;

		squares += d * d;
	}
	r->stderr_threads_pct = n > 1 && mean > 0 ? 100 * sqrt(squares / (n - 1) / n) / mean : 0;
}

/* Booked time, scaled to the operation's: accesses under way at the edges make the difference. */
static void finish_costs(const struct collection *c, struct case_result *r)
{
	double all = 0;

	for (int k = 0; k < SIM_CATEGORIES_MAX; k++)
		all += (double)c->cost[k];
	for (int k = 0; all > 0 && k < SIM_CATEGORIES_MAX; k++)
		r->cost_ns_per_op[category_of[k]] += (double)c->cost[k] / all * r->ns_per_op;
}

static void finish_collisions(const struct collection *c, struct case_result *r)
{
	double ops = c->ops ? (double)c->ops : 1;

	r->keys_per_bucket_mean = c->keys_mean;
	r->keys_per_bucket_max = c->keys_max / c->layouts;
	r->chi2 = c->chi2 / c->layouts;
	r->p_value = c->p_value / c->layouts;
	r->busy_probability = (double)c->busy / ops;
	r->stolen_per_op = (double)c->stolen / ops;
}

void collection_finish(struct collection *c, const struct futex_policy *policy,
		       struct case_result *r)
{
	memset(r, 0, sizeof(*r));
	r->policy = *policy;
	finish_rates(c, r);
	finish_threads(c, r);
	finish_costs(c, r);
	finish_collisions(c, r);
	attribution_finish(c->attribution, r);
	r->latency_p50 = (double)latency_quantile(&c->latency, 500) / 1000;
	r->latency_p99 = (double)latency_quantile(&c->latency, 990) / 1000;
	r->latency_p999 = (double)latency_quantile(&c->latency, 999) / 1000;
	r->latency_max = (double)c->latency.max / 1000;
	r->precision_reached = c->all_precise;
	r->accesses = c->accesses;
	r->events = c->events;
	r->ops = c->ops;
	r->sim_ms = (double)c->window * 1e-9;
}
