/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Published measurements, scenarios/published/published.json. */
#ifndef FUTEXSIM_TOOLS_PUBLISHED_H
#define FUTEXSIM_TOOLS_PUBLISHED_H

#include "reader.h"

/*
 * The value of the record that `node` names, in operations per second and
 * thread. Fails at `node` when there is no such record or it measures
 * something else.
 */
double published_value(struct reader *reader, const struct node *node);

#endif
