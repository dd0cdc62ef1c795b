/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machine profiles for tests: round numbers, no source but the test's own needs. */
#ifndef FUTEXSIM_TESTS_MACHINES_H
#define FUTEXSIM_TESTS_MACHINES_H

#include "machine/profile.h"

/* 2 sockets x 1 cluster x 8 units x 2 threads, no jitter, no bias, one RMW per tenure. */
struct machine_profile test_machine(void);
/* The same numbers over any topology; all sockets one hop apart. */
struct machine_profile test_machine_of(uint32_t sockets, uint32_t clusters, uint32_t units,
				       uint32_t threads);

#endif
