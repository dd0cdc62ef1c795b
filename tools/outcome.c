// SPDX-License-Identifier: GPL-3.0-or-later
#include "outcome.h"

#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "accuracy.h"
#include "alloc.h"
#include "explain.h"

static struct case_result *map_results(size_t count)
{
	size_t size = count * sizeof(struct case_result);
	void *room = mmap(NULL, size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (room == MAP_FAILED)
		out_of_memory();
	madvise(room, size, MADV_DONTFORK);
	return room;
}

struct outcome *outcomes_new(size_t count)
{
	struct outcome *outcomes = xcalloc(count, sizeof(*outcomes));
	struct case_result *room = map_results(count);

	for (size_t i = 0; i < count; i++)
		outcomes[i].room = &room[i];
	return outcomes;
}

void outcomes_free(struct outcome *outcomes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(outcomes[i].error);
	munmap(outcomes[0].room, count * sizeof(struct case_result));
	free(outcomes);
}

struct number {
	const char *name;
	double value;
};

static const char *first_not_finite(const struct number *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!isfinite(numbers[i].value))
			return numbers[i].name;
	return NULL;
}

static const char *detail_not_finite(const struct case_result *r)
{
	for (int i = 0; i < COST_COUNT; i++)
		if (!isfinite(r->cost_ns_per_op[i]))
			return cost_category_name[i];
	for (uint32_t i = 0; i < r->line_count; i++)
		if (!isfinite(counts_ns(&r->lines[i].counts)))
			return "lines";
	for (uint32_t i = 0; i < r->cell_count; i++)
		if (!isfinite(counts_ns(&r->cells[i].counts)))
			return "lines";
	for (uint32_t i = 0; i < r->function_count; i++)
		if (!isfinite(r->functions[i].self_share + r->functions[i].total_share))
			return "functions";
	return NULL;
}

const char *result_not_finite(const struct case_result *r)
{
	const struct number numbers[] = {
		{"mean", r->ops_per_thread_mean},
		{"ci", r->ops_per_thread_ci},
		{"stderr_threads_pct", r->stderr_threads_pct},
		{"min_thread", r->min_thread},
		{"max_thread", r->max_thread},
		{"spread_layouts_pct", r->spread_layouts_pct},
		{"ops_per_sec_total", r->ops_total},
		{"ns_per_op", r->ns_per_op},
		{"keys_per_bucket.mean", r->keys_per_bucket_mean},
		{"keys_per_bucket.max", r->keys_per_bucket_max},
		{"chi2", r->chi2},
		{"p_value", r->p_value},
		{"busy_probability", r->busy_probability},
		{"stolen_per_op", r->stolen_per_op},
		{"p50", r->latency_p50},
		{"p99", r->latency_p99},
		{"p999", r->latency_p999},
		{"max", r->latency_max},
		{"sim_ms", r->sim_ms},
		{"wall_s", r->wall_s},
	};
	const char *name = first_not_finite(numbers, sizeof(numbers) / sizeof(numbers[0]));

	return name ? name : detail_not_finite(r);
}

double expect_predicted(const struct expect *expect, const struct case_result *result)
{
	switch (expect->metric) {
	case METRIC_OPS_TOTAL:
		return result->ops_total;
	case METRIC_NS_PER_OP:
		return result->ns_per_op;
	default:
		return result->ops_per_thread_mean;
	}
}

double expect_error_pct(const struct expect *expect, const struct case_result *result)
{
	return error_pct((struct comparison){expect->value, expect_predicted(expect, result)});
}
