/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `perf bench futex hash`: T threads, each waiting on F words that never match. */
#ifndef FUTEXSIM_WORKLOAD_PERF_BENCH_HASH_H
#define FUTEXSIM_WORKLOAD_PERF_BENCH_HASH_H

#include "futex/futex.h"

struct perf_bench_hash {
	unsigned threads; /* 1..4096 */
	unsigned futexes; /* per thread, 1..1048576 */
	bool shared;      /* -S */
	/*
	 * Count operations as perf did before it avoided "cacheline bouncing": in
	 * each thread's 32-byte record of one array, two of them to a 64-byte line.
	 */
	bool worker_array;
	/*
	 * Word each thread begins its first pass with. Threads of a run of seconds
	 * lose the alignment they started with, and which words neighbours are at
	 * decides whether they meet on a page; NULL: all begin with word 0.
	 */
	const unsigned *first_word;
	int home_node;        /* node of the main thread, which touches all memory first */
	const unsigned *cpus; /* CPU of thread i */
};

struct perf_bench_hash_run; /* what the threads work on */

/* Lays the arrays out as glibc's calloc does (see .c); tasks on their CPUs. */
struct perf_bench_hash_run *perf_bench_hash_create(const struct perf_bench_hash *bench,
						   struct futex_mm *mm);
/* Body of thread `i`; returns when plat_stopping(). */
void perf_bench_hash_worker(struct perf_bench_hash_run *run, unsigned i);
/* Word `k` of thread `i`, for static collision statistics. */
_Atomic(uint32_t) *perf_bench_hash_word(struct perf_bench_hash_run *run, unsigned i, unsigned k);
/* Frees host-side bookkeeping (not simulated memory). */
void perf_bench_hash_destroy(struct perf_bench_hash_run *run);

#endif
