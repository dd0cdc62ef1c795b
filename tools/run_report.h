/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `run` is asked to report, which cases that takes, and how they are printed. */
#ifndef FUTEXSIM_TOOLS_RUN_REPORT_H
#define FUTEXSIM_TOOLS_RUN_REPORT_H

#include "options.h"
#include "outcome.h"
#include "variants.h"

struct run_report_options {
	enum format format;
	bool lines, functions, ablate, sensitivity, timing;
	const char *why[2]; /* ids of cases; NULL: not asked */
};

/* Do the options go together? */
enum exit_status run_report_check(const struct run_report_options *options);

/*
 * Changes the scenario to the cases that have to run: the two of --why, or all
 * with their variants. False after an error, which the reader has.
 */
bool run_report_prepare(struct reader *reader, const struct run_report_options *options,
			struct scenario *scenario, const struct variants **variants);

void run_report_print(struct report *report, const struct run_report_options *options,
		      struct text *out);

#endif
