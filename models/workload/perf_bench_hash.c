// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Kernel v6.12 tools/perf/bench/futex-hash.c. Main callocs one array per thread,
 * all from one heap, and so touches their memory first: every page is on main's
 * node. Words are 0, the expected value is 1234: every wait fails its check.
 */
#include "workload/perf_bench_hash.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "workload/heap_layout.h"

enum { EXPECTED_VALUE = 1234 };

/* perf's struct worker: what every thread reads and counts in. */
struct worker {
	_Atomic(int32_t) tid;
	_Atomic(uint64_t) futex;
	_Atomic(uint64_t) thread;
	_Atomic(uint64_t) ops;
};
_Static_assert(sizeof(struct worker) == 32, "two records to a line of 64 bytes");

static const struct plat_field worker_fields[] = {
	{"futex", offsetof(struct worker, futex), 8},
	{"ops", offsetof(struct worker, ops), 8},
};
static const struct plat_type worker_type = {"worker", PLAT_CAT_OTHER, 2, worker_fields};

/* The array is the first chunk of its heap page: it follows malloc's header of 16 bytes. */
enum { WORKERS_OFFSET = 16 };

static const struct plat_type futex_type = {"futex", PLAT_CAT_USER_WORD, 0, NULL};

struct bench_thread {
	struct futex_task *task;
	_Atomic(uint32_t) *words;
};

struct perf_bench_hash_run {
	unsigned threads, futexes;
	unsigned flags; /* of the operation */
	const unsigned *first_word;
	struct worker *workers; /* NULL: threads count in local variables */
	struct bench_thread thread[];
};

static unsigned char *region_create(const struct perf_bench_hash *bench, struct futex_mm *mm)
{
	size_t size = heap_layout_size(bench->threads, bench->futexes, plat_page_size());
	unsigned char *region = plat_alloc_user(size, bench->home_node);

	plat_name(region, &futex_type, size / sizeof(uint32_t), sizeof(uint32_t));
	if (bench->shared)
		futex_mm_map(mm, region, size, bench->home_node);
	return region;
}

static void threads_create(struct perf_bench_hash_run *run, const struct perf_bench_hash *bench,
			   struct futex_mm *mm, unsigned char *region)
{
	for (unsigned i = 0; i < bench->threads; i++) {
		size_t offset = heap_layout_offset(i, bench->futexes, plat_page_size());

		run->thread[i] = (struct bench_thread){
			.task = futex_task_create(mm, bench->cpus[i]),
			.words = (_Atomic(uint32_t) *)(region + offset),
		};
	}
}

static void workers_create(struct perf_bench_hash_run *run, int home_node)
{
	size_t size = run->threads * sizeof(struct worker);
	unsigned char *heap = plat_alloc_user(WORKERS_OFFSET + size, home_node);

	run->workers = (struct worker *)(heap + WORKERS_OFFSET);
	plat_name(run->workers, &worker_type, run->threads, sizeof(struct worker));
}

struct perf_bench_hash_run *perf_bench_hash_create(const struct perf_bench_hash *bench,
						   struct futex_mm *mm)
{
	struct perf_bench_hash_run *run =
		malloc(sizeof(*run) + bench->threads * sizeof(run->thread[0]));
	unsigned char *region;

	if (!run)
		plat_panic("out of memory");
	run->threads = bench->threads;
	run->futexes = bench->futexes;
	run->flags = bench->shared ? FLAGS_SHARED : 0;
	run->first_word = bench->first_word;
	run->workers = NULL;
	region = region_create(bench, mm);
	if (bench->worker_array)
		workers_create(run, bench->home_node);
	threads_create(run, bench, mm, region);
	return run;
}

_Atomic(uint32_t) *perf_bench_hash_word(struct perf_bench_hash_run *run, unsigned i, unsigned k)
{
	return run->thread[i].words + k;
}

/* The counter is the thread's own, its line is not. */
static void count_in_array(struct worker *w)
{
	uint64_t ops = plat_read_once(&w->ops);

	plat_write_once(&w->ops, ops + 1);
	(void)plat_read_once(&w->futex); /* the next call's argument */
}

/* What thread `i` works with: its local variables in perf. */
struct pass {
	struct bench_thread thread;
	struct worker *worker; /* NULL: counts in a local variable */
	unsigned futexes;
	unsigned flags;
};

static struct pass pass_of(struct perf_bench_hash_run *run, unsigned i)
{
	return (struct pass){
		.thread = run->thread[i],
		.worker = run->workers ? &run->workers[i] : NULL,
		.futexes = run->futexes,
		.flags = run->flags,
	};
}

/* One pass over the thread's words. */
static void wait_on_all(struct pass p, unsigned first)
{
	for (unsigned k = first; k < p.futexes; k++) {
		plat_work(PLAT_WORK_USER_LOOP);
		if (futex_wait(p.thread.task, p.thread.words + k, p.flags, EXPECTED_VALUE,
			       PLAT_NO_DEADLINE, FUTEX_BITSET_MATCH_ANY) != -EWOULDBLOCK)
			plat_panic("perf bench futex hash: a wait did not fail its check");
		if (p.worker)
			count_in_array(p.worker);
		plat_op_done();
	}
}

/* perf, too, looks whether to stop once per pass. */
PLAT_FN void workerfn(struct perf_bench_hash_run *run, unsigned i)
{
	struct pass p = pass_of(run, i);

	wait_on_all(p, run->first_word ? run->first_word[i] : 0);
	while (!plat_stopping())
		wait_on_all(p, 0);
}

void perf_bench_hash_worker(struct perf_bench_hash_run *run, unsigned i)
{
	workerfn(run, i);
}

void perf_bench_hash_destroy(struct perf_bench_hash_run *run)
{
	free(run);
}
