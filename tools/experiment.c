/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds one simulated system, runs it until its numbers are known, takes it apart. */
#include "experiment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collect.h"
#include "futex/futex.h"
#include "machine/machine.h"
#include "measure.h"
#include "os/os.h"
#include "random.h"
#include "workload/perf_bench_hash.h"

const char *const cost_category_name[COST_COUNT] = {
	"work", "refcount", "bucket_line", "lock_wait", "user_word", "sleep", "other"};

/* One run: one address layout. */
struct run {
	const struct case_spec *spec;
	struct futex_policy policy; /* slots resolved */
	struct futex_mm *mm;
	struct perf_bench_hash_run *bench;
	struct thread {
		struct run *run;
		unsigned index;
	} * threads;
	uint32_t *slot_cpu; /* CPU of each slot, ascending */
	uint32_t *thread_of_slot;
	uint32_t *first_word;
	uint32_t layout;
	uint64_t quiet; /* types of objects that have not turned out to be shared */
	double wall_s;  /* spent simulating */
	bool (*progress)(void *arg, double done);
	void *progress_arg;
};

/* ---- Building ---------------------------------------------------------------- */

static const uint32_t *sort_keys;

static int by_cpu(const void *a, const void *b)
{
	uint32_t x = sort_keys[*(const uint32_t *)a], y = sort_keys[*(const uint32_t *)b];

	return (x > y) - (x < y);
}

/* Slots are the threads' CPUs in ascending order. */
static void assign_slots(struct run *r)
{
	const struct workload_spec *w = &r->spec->workload;

	for (uint32_t i = 0; i < w->threads; i++)
		r->thread_of_slot[i] = i;
	sort_keys = w->cpus;
	qsort(r->thread_of_slot, w->threads, sizeof(*r->thread_of_slot), by_cpu);
	for (uint32_t s = 0; s < w->threads; s++)
		r->slot_cpu[s] = w->cpus[r->thread_of_slot[s]];
}

/*
 * Address space for what the tables, arrays and per-CPU lines can take at most.
 * Only what is touched becomes real memory, so this may be generous.
 */
static size_t memory_needed(const struct run *r)
{
	const struct machine_profile *m = r->spec->machine;
	const struct workload_spec *w = &r->spec->workload;
	size_t line = m->line_size, cpus = machine_cpu_count(&m->topology);
	size_t nodes = machine_node_count(&m->topology);
	size_t table = (size_t)r->policy.slots * 2 * line;
	/* 256 buckets per CPU, rounded up per node, stand beside a private table. */
	size_t global = (2 * 256 * cpus + 16 * nodes) * 2 * line;
	size_t arrays = (size_t)w->threads * (4 * (size_t)w->futexes + 4096 + m->page_size);

	if (r->policy.scope == FUTEX_SCOPE_PER_NODE)
		table *= nodes;
	return table + global + arrays + arrays / 4096 * 2 * line + 64 * cpus * line +
	       32 * (size_t)w->threads * line + 64 * (size_t)m->page_size * (nodes + 2) + (8 << 20);
}

/* Page-table isolation and its kin came in 2018, with v4.15. */
static bool is_mitigated(enum futex_kernel kernel)
{
	return kernel > FUTEX_KERNEL_V3_14;
}

static void thread_body(void *arg)
{
	struct thread *t = arg;

	perf_bench_hash_worker(t->run->bench, t->index);
}

/* Main runs on the first thread's node: it was not pinned, and started there. */
static void build_system(void *arg)
{
	struct run *r = arg;
	const struct workload_spec *w = &r->spec->workload;
	int home = (int)machine_node_of_cpu(w->cpus[0]);
	struct perf_bench_hash bench = {.threads = w->threads,
					.futexes = w->futexes,
					.shared = w->shared,
					.worker_array = w->worker_array,
					.first_word = r->first_word,
					.home_node = home,
					.cpus = w->cpus};

	r->mm = futex_mm_create(&r->policy, home);
	r->bench = perf_bench_hash_create(&bench, r->mm);
	for (uint32_t s = 0; s < w->threads; s++) {
		r->threads[s] = (struct thread){r, r->thread_of_slot[s]};
		os_task_start(s, thread_body, &r->threads[s]);
	}
}

static int start_simulator(struct run *r, uint64_t seed)
{
	const struct case_spec *spec = r->spec;
	struct sim_config config = {.cpus = spec->workload.threads,
				    .memory_bytes = memory_needed(r),
				    .layout_seed = seed,
				    .quiet = spec->reference_mode ? 0 : r->quiet,
				    .reference = spec->reference_mode};
	struct os_config os_config = {.profile = spec->machine,
				      .mitigations = is_mitigated(r->policy.kernel),
				      .tickless = true, /* nobody sleeps in this program */
				      .boot_cpu = spec->workload.cpus[0]};

	machine_configure(spec->machine, &config);
	if (sim_engine_init(&config))
		return -1;
	if (machine_init(spec->machine, r->slot_cpu, spec->workload.threads, seed) ||
	    os_init(&os_config)) {
		sim.failure = "out of memory";
		return -1;
	}
	return sim_protect(build_system, r);
}

static void stop_simulator(struct run *r)
{
	if (r->bench)
		perf_bench_hash_destroy(r->bench);
	if (r->mm)
		futex_mm_destroy(r->mm);
	r->bench = NULL;
	r->mm = NULL;
	os_clean_up();
	machine_clean_up();
	sim_engine_clean_up();
}

/* ---- Measuring --------------------------------------------------------------- */

static uint64_t count_ops(void *arg)
{
	(void)arg;
	return os_total_ops();
}

/* Everybody has been through all futexes once. */
static bool is_warm(void *arg)
{
	const struct run *r = arg;

	for (uint32_t s = 0; s < r->spec->workload.threads; s++)
		if (os_task_ops(s) < r->spec->workload.futexes)
			return false;
	return true;
}

static void start_counting(void *arg, sim_time now)
{
	(void)arg;
	(void)now;
	os_stats_reset();
}

static bool report_progress(void *arg, double done)
{
	struct run *r = arg;

	return r->progress(r->progress_arg, (r->layout + done) / r->spec->measure.layouts);
}

static void set_up_measure(struct measure *m, struct run *r)
{
	const struct measure_spec *spec = &r->spec->measure;

	*m = (struct measure){
		.precision = spec->precision,
		.confidence = spec->confidence,
		.limit = (sim_time)(spec->max_sim_ms * (double)SIM_MS),
		.count = count_ops,
		.warm = is_warm,
		.start = start_counting,
		.progress = r->progress ? report_progress : NULL,
		.arg = r,
	};
}

static double wall_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* One attempt. */
static int run_layout(struct run *r, struct collection *c)
{
	uint64_t seed = sim_random_mix(r->spec->measure.seed, r->layout, 0x1a);
	struct measure m;
	int failed;

	for (uint32_t i = 0; i < r->spec->workload.threads; i++)
		r->first_word[i] = (uint32_t)(sim_random_mix(seed, i, SIM_RANDOM_WORKLOAD) %
					      r->spec->workload.futexes);
	failed = start_simulator(r, seed);

	if (!failed) {
		set_up_measure(&m, r);
		measure_begin(&m);
		r->wall_s -= wall_seconds();
		failed = sim_engine_run();
		r->wall_s += wall_seconds();
	}
	if (!failed && m.interrupted) {
		sim.failure = "interrupted";
		failed = -1;
	}
	if (!failed && m.counted == m.counted_at_start) {
		snprintf(sim.failure_text, sizeof(sim.failure_text),
			 "no operation ended within measure.max_sim_ms = %g ms after the warm-up",
			 r->spec->measure.max_sim_ms);
		sim.failure = sim.failure_text;
		failed = -1;
	}
	if (!failed)
		collect_layout(c, r->spec, &m, r->mm, r->bench);
	return failed;
}

/* The types that surprised are expected to be shared from now on. */
static void learn(struct run *r)
{
	r->quiet = sim.surprise & r->quiet ? r->quiet & ~sim.surprise : 0;
}

/* Starts again while there are surprises: at most once per type. */
static int run_layout_through(struct run *r, struct collection *c)
{
	int failed = run_layout(r, c);

	while (failed && sim.surprise && r->quiet) {
		learn(r);
		stop_simulator(r);
		failed = run_layout(r, c);
	}
	return failed;
}

static int run_layouts(struct run *r, struct collection *c, char *error, size_t error_size)
{
	int failed = 0;

	for (r->layout = 0; !failed && r->layout < r->spec->measure.layouts; r->layout++) {
		failed = run_layout_through(r, c);
		if (failed)
			snprintf(error, error_size, "%s", sim.failure ? sim.failure : "failed");
		stop_simulator(r);
	}
	return failed;
}

int experiment_run(const struct case_spec *spec, struct case_result *result, char *error,
		   size_t error_size, bool (*progress)(void *arg, double done), void *arg)
{
	const struct machine_topology *t = &spec->machine->topology;
	uint32_t threads = spec->workload.threads;
	struct run r = {.spec = spec,
			.policy = spec->policy,
			.quiet = UINT64_MAX,
			.progress = progress,
			.progress_arg = arg};
	struct collection *c = collection_new(spec);
	int failed = -1;

	if (!r.policy.slots)
		r.policy.slots = futex_auto_slots(&r.policy, machine_cpu_count(t),
						  machine_node_count(t), threads);
	r.threads = calloc(threads, sizeof(*r.threads));
	r.slot_cpu = calloc(threads, sizeof(*r.slot_cpu));
	r.thread_of_slot = calloc(threads, sizeof(*r.thread_of_slot));
	r.first_word = calloc(threads, sizeof(*r.first_word));
	if (!c || !r.threads || !r.slot_cpu || !r.thread_of_slot || !r.first_word) {
		snprintf(error, error_size, "out of memory");
	} else {
		assign_slots(&r);
		failed = run_layouts(&r, c, error, error_size);
	}
	if (!failed)
		collection_finish(c, &r.policy, result);
	result->wall_s = r.wall_s;
	collection_destroy(c);
	free(r.threads);
	free(r.slot_cpu);
	free(r.thread_of_slot);
	free(r.first_word);
	return failed;
}
