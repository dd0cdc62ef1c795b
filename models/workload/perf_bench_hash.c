// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Kernel v6.12 tools/perf/bench/futex-hash.c. Main callocs one array per thread,
 * all from one heap, and so touches their memory first: every page is on main's
 * node. Words are 0, the expected value is 1234: every wait fails its check.
 */
#include "workload/perf_bench_hash.h"

#include <errno.h>
#include <stdlib.h>

#include "workload/heap_layout.h"

enum { EXPECTED_VALUE = 1234 };

static const struct plat_type futex_type = {"futex", PLAT_CAT_USER_WORD, 0, NULL};

struct perf_bench_hash_run {
	unsigned threads, futexes;
	bool shared;
	size_t page_size;
	unsigned char *region;
	struct futex_task *task[];
};

static void region_create(struct perf_bench_hash_run *run, const struct perf_bench_hash *bench,
			  struct futex_mm *mm)
{
	size_t size = heap_layout_size(run->threads, run->futexes, run->page_size);

	run->region = plat_alloc_user(size, bench->home_node);
	plat_name(run->region, &futex_type, size / sizeof(uint32_t), sizeof(uint32_t));
	if (run->shared)
		futex_mm_map(mm, run->region, size, bench->home_node);
}

struct perf_bench_hash_run *perf_bench_hash_create(const struct perf_bench_hash *bench,
						   struct futex_mm *mm)
{
	struct perf_bench_hash_run *run =
		malloc(sizeof(*run) + bench->threads * sizeof(run->task[0]));

	if (!run)
		plat_panic("out of memory");
	run->threads = bench->threads;
	run->futexes = bench->futexes;
	run->shared = bench->shared;
	run->page_size = plat_page_size();
	region_create(run, bench, mm);
	for (unsigned i = 0; i < run->threads; i++)
		run->task[i] = futex_task_create(mm, bench->cpus[i]);
	return run;
}

_Atomic(uint32_t) *perf_bench_hash_word(struct perf_bench_hash_run *run, unsigned i, unsigned k)
{
	size_t offset = heap_layout_offset(i, run->futexes, run->page_size);

	return (_Atomic(uint32_t) *)(run->region + offset) + k;
}

/* One pass over the thread's words. */
static void wait_on_all(struct perf_bench_hash_run *run, struct futex_task *task,
			_Atomic(uint32_t) *words)
{
	for (unsigned k = 0; k < run->futexes; k++) {
		plat_work(PLAT_WORK_USER_LOOP);
		if (futex_wait(task, words + k, EXPECTED_VALUE, run->shared) != -EWOULDBLOCK)
			plat_panic("perf bench futex hash: a wait did not fail its check");
		plat_op_done();
	}
}

/* perf, too, looks whether to stop once per pass. */
PLAT_FN void workerfn(struct perf_bench_hash_run *run, unsigned i)
{
	_Atomic(uint32_t) *words = perf_bench_hash_word(run, i, 0);

	do
		wait_on_all(run, run->task[i], words);
	while (!plat_stopping());
}

void perf_bench_hash_worker(struct perf_bench_hash_run *run, unsigned i)
{
	workerfn(run, i);
}

void perf_bench_hash_destroy(struct perf_bench_hash_run *run)
{
	free(run);
}
