// SPDX-License-Identifier: GPL-3.0-or-later
#include <string.h>

#include "alloc.h"
#include "field.h"
#include "scenario.h"

/* Defaults of perf bench futex hash: 1024 futexes, a thread on every CPU. */
/* Words are 4 bytes each and hashed one by one for the collision counts. */
enum { DEFAULT_FUTEXES = 1024, WORDS_MAX = 1 << 27 };

static const char placement_allowed[] = "\"perf\", or a list with the CPU of each thread";

static void check_list(struct reader *r, const struct node *list)
{
	size_t count = field_array(r, list, 1, THREADS_MAX_ALLOWED);

	for (size_t i = 0; i < count && !r->failed; i++)
		field_integer(r, node_item(r, list, i), 0, MACHINE_CPUS_MAX - 1);
}

void check_placement(struct reader *r, const struct node *node)
{
	const char *word = json_string_value(node->value);

	if (r->failed)
		return;
	if (json_is_array(node->value))
		check_list(r, node);
	else if (word && strcmp(word, "unpinned") == 0)
		field_fail(r, node, "is not available in this version", placement_allowed);
	else if (!word || strcmp(word, "perf") != 0)
		field_fail(r, node, "is no placement", placement_allowed);
}

static uint32_t setting_integer(const struct node *node, uint32_t fallback)
{
	return node ? (uint32_t)json_integer_value(node->value) : fallback;
}

/* One thread per listed CPU, or per CPU of the machine, if nobody says. */
static uint32_t choose_threads(struct reader *r, const struct scenario_case *c, uint32_t cpus)
{
	const struct node *threads = c->settings.by[SETTING_THREADS];
	const struct node *placement = c->settings.by[SETTING_PLACEMENT];
	size_t listed = placement ? json_array_size(placement->value) : 0;
	uint32_t count = setting_integer(threads, listed ? (uint32_t)listed : cpus);

	if (!r->failed && listed && listed != count)
		reader_fail(r, placement, false,
			    "%zu CPUs are listed for %u threads; allowed: one CPU per thread",
			    listed, count);
	return count;
}

/* As perf: thread i on CPU i, from the first again when there are no more. */
static const uint32_t *place_threads(struct reader *r, const struct node *list, uint32_t threads,
				     uint32_t cpus)
{
	uint32_t *cpu = reader_alloc(r, threads * sizeof(*cpu));

	for (uint32_t i = 0; i < threads && !r->failed; i++)
		cpu[i] = list ? (uint32_t)field_integer(r, node_item(r, list, i), 0, cpus - 1)
			      : i % cpus;
	return cpu;
}

void resolve_workload(struct reader *r, struct scenario_case *c)
{
	const struct node *placement = c->settings.by[SETTING_PLACEMENT];
	const struct node *shared = c->settings.by[SETTING_SHARED];
	const struct node *worker_array = c->settings.by[SETTING_WORKER_ARRAY];
	struct workload_spec *w = &c->spec.workload;
	uint32_t cpus;

	if (r->failed)
		return;
	cpus = machine_cpu_count(&c->spec.machine->topology);
	w->program = program_choice(0);
	w->futexes = setting_integer(c->settings.by[SETTING_FUTEXES], DEFAULT_FUTEXES);
	w->shared = shared && json_is_true(shared->value);
	w->worker_array = worker_array && json_is_true(worker_array->value);
	if (placement && !json_is_array(placement->value))
		placement = NULL;
	w->placement = placement ? "list" : "perf";
	w->threads = choose_threads(r, c, cpus);
	if (!r->failed && (uint64_t)w->threads * w->futexes > WORDS_MAX)
		field_fail(r, c->settings.by[SETTING_FUTEXES],
			   "times the number of threads is more than can be simulated",
			   "134217728 futexes in all");
	if (!r->failed)
		w->cpus = place_threads(r, placement, w->threads, cpus);
}

static double setting_real(const struct node *node, double fallback)
{
	return node ? json_number_value(node->value) : fallback;
}

void resolve_measure(struct reader *r, struct scenario_case *c)
{
	const struct node *const *by = c->settings.by;

	if (r->failed)
		return;
	c->spec.measure = (struct measure_spec){
		.seed = by[SETTING_SEED] ? (uint64_t)json_integer_value(by[SETTING_SEED]->value)
					 : 1,
		.layouts = setting_integer(by[SETTING_LAYOUTS], 1),
		.precision = setting_real(by[SETTING_PRECISION], 0.01),
		.confidence = setting_real(by[SETTING_CONFIDENCE], 0.95),
		.max_sim_ms = setting_real(by[SETTING_MAX_SIM_MS], 200),
	};
}
