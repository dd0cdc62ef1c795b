/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whoever sees the accesses of an operation: the recorder, or the simulator. */
#ifndef FUTEXSIM_TESTS_RECORD_H
#define FUTEXSIM_TESTS_RECORD_H

#include "access_list.h"

/*
 * The accesses of one operation in steady state; valid until the next call.
 * NULL, with a message, if it failed.
 */
const struct access *record(const struct access_list *list, size_t *count);

#endif
