/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From counters of finished runs to a case's result. */
#ifndef FUTEXSIM_TOOLS_COLLECT_H
#define FUTEXSIM_TOOLS_COLLECT_H

#include "experiment.h"
#include "measure.h"

struct futex_mm;
struct perf_bench_hash_run;
struct collection;

/* Sums over the layouts of one case. NULL without memory. */
struct collection *collection_new(const struct case_spec *spec);
void collection_destroy(struct collection *c);

/* Adds the simulation that has just ended and still stands. */
void collect_layout(struct collection *c, const struct case_spec *spec, const struct measure *m,
		    struct futex_mm *mm, struct perf_bench_hash_run *bench);
void collection_finish(struct collection *c, const struct futex_policy *policy,
		       struct case_result *result);

#endif
