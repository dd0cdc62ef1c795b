/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs cases in worker processes, one process a case, several at a time. */
#ifndef FUTEXSIM_TOOLS_JOBS_H
#define FUTEXSIM_TOOLS_JOBS_H

#include "outcome.h"

enum { JOBS_MAX = 1024 };

/*
 * Fills one outcome per case of the scenario. The number of jobs changes
 * nothing but the time. A worker that dies takes only its own case with it.
 * SIGINT or SIGTERM ends the run: false, and unfinished cases stay open.
 */
bool run_cases(const struct scenario *scenario, unsigned jobs, struct outcome *outcomes);

/* The same without the bar, for runs that are parts of something longer. */
bool run_cases_quietly(const struct scenario *scenario, unsigned jobs, struct outcome *outcomes);

#endif
