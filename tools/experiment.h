/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One case of a scenario: what to run and what came out. */
#ifndef FUTEXSIM_TOOLS_EXPERIMENT_H
#define FUTEXSIM_TOOLS_EXPERIMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "futex/policy.h"
#include "machine/topology.h"

struct workload_spec {
	const char *program; /* "perf-bench-hash" */
	uint32_t threads;    /* 1..4096 */
	uint32_t futexes;    /* per thread */
	bool shared;
	bool worker_array; /* perf of 2013: operations counted in a shared array */
	/* CPU of thread i, `threads` entries; resolved from "perf" (i-th CPU, modulo), or a list.
	 */
	const uint32_t *cpus;
	const char *placement; /* as written: "perf" or "list" */
};

struct measure_spec {
	uint64_t seed;
	uint32_t layouts;  /* address layouts averaged over, >= 1 */
	double precision;  /* relative half width of the CI that ends the run */
	double confidence; /* 0.5 .. 0.999 */
	double max_sim_ms; /* per layout */
};

struct case_spec {
	const struct machine_profile *machine;
	struct futex_policy policy; /* slots 0 = auto: experiment_run resolves it */
	struct workload_spec workload;
	struct measure_spec measure;
	bool reference_mode; /* every access an event: slow, for tests */
};

enum cost_category {
	COST_WORK,
	COST_REFCOUNT,
	COST_BUCKET_LINE,
	COST_LOCK_WAIT,
	COST_USER_WORD,
	COST_SLEEP,
	COST_OTHER,
	COST_COUNT
};
extern const char *const cost_category_name[COST_COUNT];

enum {
	RESULT_LINES_MAX = 32,
	RESULT_FIELDS_MAX = 17,
	RESULT_FUNCTIONS_MAX = 48,
	RESULT_CELLS_MAX = 256,
	RESULT_HOT_MAX = 10,
	RESULT_NONE = 255
};

/* What lines cost. Sums over all layouts; times scaled as those of cost_ns_per_op. */
struct result_counts {
	uint64_t transfers[TRANSFER_CLASSES];
	uint64_t hitm;         /* out of another unit's modified copy: see machine.h */
	double wait_ns_per_op; /* from request to arrival */
	double spin_ns_per_op; /* polling a copy until it was taken away */
};

struct result_field {
	char name[40]; /* the object's own name if it has no fields; "[unnamed]": other bytes */
	struct result_counts counts;
};

/* The lines of all objects of one type. */
struct result_line {
	char name[64];     /* "mm"; "bucket[*]" if they lie on several lines */
	int32_t home_node; /* -1: on several nodes */
	uint32_t lines;    /* cache lines, those of the layout with most */
	struct result_counts counts;
	uint32_t field_count;
	struct result_field fields[RESULT_FIELDS_MAX]; /* by time, descending */
};

/* What one function paid for one field. */
struct result_cell {
	uint8_t line, field; /* indices into lines, lines[].fields */
	uint8_t function;    /* index into functions; RESULT_NONE: outside all of them */
	struct result_counts counts;
};

/* One cache line, of the first layout. */
struct result_hot {
	char name[64];    /* of its first byte: "bucket[17]" */
	uint64_t address; /* simulated */
	int32_t home_node;
	struct result_counts counts;
};

struct result_function {
	char name[64];
	double self_share, total_share; /* of all tasks' time */
};

struct case_result {
	struct futex_policy policy;                    /* slots resolved */
	double ops_per_thread_mean, ops_per_thread_ci; /* ops/s; half width */
	double stderr_threads_pct, min_thread, max_thread, spread_layouts_pct;
	double ops_total, ns_per_op;
	double cost_ns_per_op[COST_COUNT]; /* sums to ns_per_op */
	double keys_per_bucket_mean, keys_per_bucket_max, chi2, p_value;
	double busy_probability; /* an operation found its bucket lock taken */
	double stolen_per_op;    /* bucket line lost between two accesses of one operation */
	uint32_t line_count;
	struct result_line lines[RESULT_LINES_MAX]; /* by time, descending */
	uint32_t cell_count;
	struct result_cell cells[RESULT_CELLS_MAX]; /* by time, descending */
	uint32_t hot_count;
	struct result_hot hot[RESULT_HOT_MAX]; /* by time, descending */
	uint32_t function_count;
	struct result_function functions[RESULT_FUNCTIONS_MAX];     /* by self share, descending */
	double latency_p50, latency_p99, latency_p999, latency_max; /* ns */
	bool precision_reached;
	uint64_t accesses, events, ops;
	double sim_ms;
	double wall_s; /* of the simulation proper, without building it; only for --timing */
};

/*
 * Runs the case in this process. 0 on success; -1 with a sentence in `error`
 * (out of memory, an internal check failed). Deterministic in spec.
 * `progress`, if not NULL, is told now and then how far the case is (0..1) and
 * stops the run by returning false (then -1, "interrupted").
 */
int experiment_run(const struct case_spec *spec, struct case_result *result, char *error,
		   size_t error_size, bool (*progress)(void *arg, double done), void *arg);

#endif
