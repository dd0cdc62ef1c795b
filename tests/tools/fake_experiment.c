// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * In the place of the simulation: an answer at once, computed from the case, or
 * trouble of a kind chosen by the seed. Lets tests see what the command does
 * with results, crashes, errors, numbers that are none, and long runs.
 */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "experiment.h"

enum trouble {
	TROUBLE_CRASH = 900,
	TROUBLE_EXIT,
	TROUBLE_ERROR,
	TROUBLE_NAN,
	TROUBLE_NO_PRECISION,
	TROUBLE_SLOW, /* a tenth of a second */
	TROUBLE_ENDLESS,
	MODEL = 910, /* no trouble: throughput follows from the machine's parameters */
	MODEL_SLOW,  /* the same after a hundredth of a second */
};

const char *const cost_category_name[COST_COUNT] = {
	"work", "refcount", "bucket_line", "lock_wait", "user_word", "sleep", "other"};

static void rest_ms(long ms)
{
	struct timespec ts = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&ts, NULL);
}

static void make_trouble(uint64_t seed)
{
	if (seed == TROUBLE_CRASH)
		raise(SIGKILL);
	if (seed == TROUBLE_EXIT)
		_exit(7);
	if (seed == TROUBLE_SLOW)
		rest_ms(100);
	/* NOLINTNEXTLINE(bugprone-infinite-loop): that is the trouble */
	while (seed == TROUBLE_ENDLESS || seed == TROUBLE_ENDLESS + 1)
		rest_ms(1000);
}

static void fill_details(struct case_result *r)
{
	const struct result_counts counts = {.transfers = {2, 0, 12345678901234567888u, 3, 0, 1},
					     .hitm = 4,
					     .wait_ns_per_op = 123.456789,
					     .spin_ns_per_op = 1.5};

	r->line_count = 1;
	snprintf(r->lines[0].name, sizeof(r->lines[0].name), "fph");
	r->lines[0].lines = 1;
	r->lines[0].counts = counts;
	r->lines[0].field_count = 1;
	snprintf(r->lines[0].fields[0].name, sizeof(r->lines[0].fields[0].name), "users");
	r->lines[0].fields[0].counts = counts;
	r->cell_count = 1;
	r->cells[0] = (struct result_cell){0, 0, 0, counts};
	r->hot_count = 1;
	snprintf(r->hot[0].name, sizeof(r->hot[0].name), "fph");
	r->hot[0].counts = counts;
	r->function_count = 1;
	snprintf(r->functions[0].name, sizeof(r->functions[0].name), "futex_hash_put");
	r->functions[0].self_share = 0.25;
	r->functions[0].total_share = 1.0 / 3;
}

static void fill_collisions(const struct case_spec *spec, struct case_result *r)
{
	double keys = (double)spec->workload.threads * spec->workload.futexes;

	r->keys_per_bucket_mean = keys / r->policy.slots;
	r->keys_per_bucket_max = 2 * r->keys_per_bucket_mean;
	r->chi2 = keys;
	r->p_value = 0.5;
	r->busy_probability = 0.0123456789;
	r->stolen_per_op = 0.1;
	r->latency_p50 = 400;
	r->latency_p99 = 900.5;
	r->latency_p999 = 12345.678;
	r->latency_max = 1e7;
}

/* Some sum in which system call and mitigations are one, but for kernels without the latter. */
static double model_ns(const struct case_spec *spec, uint32_t slots)
{
	const struct machine_value *p = spec->machine->param;
	double threads = spec->workload.threads;

	return p[PARAM_SYSCALL].value + p[PARAM_WORK_OUT].value +
	       (spec->policy.kernel > FUTEX_KERNEL_V3_14 ? p[PARAM_MITIGATIONS].value : 0) +
	       p[PARAM_WORK_IN].value * (1 + threads / 4) +
	       p[PARAM_CLUSTER].value * threads / slots;
}

static void fill_throughput(const struct case_spec *spec, struct case_result *r)
{
	if (spec->measure.seed == MODEL_SLOW)
		rest_ms(10);
	r->ns_per_op = 500 + 10.0 * spec->workload.threads + 10000.0 / r->policy.slots;
	if (spec->measure.seed >= MODEL)
		r->ns_per_op = model_ns(spec, r->policy.slots);
	r->ops_per_thread_mean = 1e9 / r->ns_per_op;
	r->ops_per_thread_ci = r->ops_per_thread_mean * spec->measure.precision / 3;
	r->stderr_threads_pct = 0.5;
	r->min_thread = 0.9 * r->ops_per_thread_mean;
	r->max_thread = 1.1 * r->ops_per_thread_mean;
	r->ops_total = r->ops_per_thread_mean * spec->workload.threads;
	r->cost_ns_per_op[COST_WORK] = 300;
	r->cost_ns_per_op[COST_REFCOUNT] = r->ns_per_op - 400;
	r->cost_ns_per_op[COST_OTHER] = 100;
	r->accesses = 100000;
	r->events = 50000;
	r->ops = 10000;
	r->sim_ms = 12.5;
	r->wall_s = 0.25;
}

int experiment_run(const struct case_spec *spec, struct case_result *result, char *error,
		   size_t error_size, bool (*progress)(void *arg, double done), void *arg)
{
	memset(result, 0, sizeof(*result));
	if (progress && !progress(arg, 0.5))
		return -1;
	make_trouble(spec->measure.seed);
	if (spec->measure.seed == TROUBLE_ERROR) {
		snprintf(error, error_size, "out of simulated memory");
		return -1;
	}
	result->policy = spec->policy;
	if (!result->policy.slots)
		result->policy.slots = futex_auto_slots(
			&spec->policy, machine_cpu_count(&spec->machine->topology),
			machine_node_count(&spec->machine->topology), spec->workload.threads);
	fill_throughput(spec, result);
	fill_collisions(spec, result);
	fill_details(result);
	result->precision_reached = spec->measure.seed != TROUBLE_NO_PRECISION;
	if (spec->measure.seed == TROUBLE_NAN)
		result->chi2 = NAN;
	return 0;
}
