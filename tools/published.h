/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Published measurements, scenarios/published/published.json. */
#ifndef FUTEXSIM_TOOLS_PUBLISHED_H
#define FUTEXSIM_TOOLS_PUBLISHED_H

#include "reader.h"

struct published {
	double value;      /* operations per second and thread */
	double stddev_pct; /* standard error over threads, percent; negative: not stated */
};

/* The record that `node` names. Fails there when it does not exist or measures something else. */
struct published published_record(struct reader *reader, const struct node *node);

#endif
