/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What became of each case, and the three ways to print it. */
#ifndef FUTEXSIM_TOOLS_OUTCOME_H
#define FUTEXSIM_TOOLS_OUTCOME_H

#include "scenario.h"
#include "text.h"

enum outcome_state { OUTCOME_OPEN, OUTCOME_DONE, OUTCOME_FAILED };

struct outcome {
	enum outcome_state state;
	struct case_result *result; /* OUTCOME_DONE */
	struct case_result *room;   /* where the result goes */
	char *error;                /* OUTCOME_FAILED; owned */
};

struct why;
struct variants;

struct report {
	const struct scenario *scenario;
	const struct outcome *outcomes; /* one per case, in order */
	bool timing;                    /* with fields that differ from run to run */
	struct why *why;                /* JSON: also these, if not NULL */
	const struct variants *variants;
};

/*
 * Outcomes of `count` cases, all open. Results lie in memory that worker
 * processes do not inherit, so that starting one stays cheap.
 */
struct outcome *outcomes_new(size_t count);
void outcomes_free(struct outcome *outcomes, size_t count);

/* NULL if all numbers are finite, else the name of one that is not. */
const char *result_not_finite(const struct case_result *result);

/* The predicted value an `expect` compares with, and 100 (predicted / published - 1). */
double expect_predicted(const struct expect *expect, const struct case_result *result);
double expect_error_pct(const struct expect *expect, const struct case_result *result);

/* Finished cases only. */
void print_json(const struct report *report, struct text *out);
void print_csv(const struct report *report, struct text *out);
void print_table(const struct report *report, struct text *out);

/* The resolved cases without running them, as JSON. */
void print_plan(const struct scenario *scenario, struct text *out);

#endif
