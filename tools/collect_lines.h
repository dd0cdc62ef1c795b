/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines, fields and functions of a case, summed over its layouts. */
#ifndef FUTEXSIM_TOOLS_COLLECT_LINES_H
#define FUTEXSIM_TOOLS_COLLECT_LINES_H

#include "experiment.h"

struct attribution;

/* NULL without memory. */
struct attribution *attribution_new(void);
void attribution_destroy(struct attribution *a);

/* Adds the simulation that has just ended and still stands. */
void attribution_add(struct attribution *a);

/* Fills lines, cells, hot lines and functions; result->ns_per_op is known. */
void attribution_finish(const struct attribution *a, struct case_result *result);

#endif
