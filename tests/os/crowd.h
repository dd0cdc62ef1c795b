/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random programs of tasks: they work, lock, sleep, wake each other, time out,
 * get signals, read and wait for RCU, free memory, create tasks. All that can be
 * observed is folded into one digest, to compare engine modes and builds.
 */
#ifndef FUTEXSIM_TESTS_CROWD_H
#define FUTEXSIM_TESTS_CROWD_H

#include <stdbool.h>
#include <stdint.h>

struct crowd_result {
	uint64_t digest;
	uint64_t accesses, events, now, switches, migrations, sleeps, woken, timed_out, signalled;
	uint32_t surprises;
	const char *wrong; /* NULL, or what was broken */
};

/* Program number `seed` on a machine that also follows from it. */
struct crowd_result crowd_run(uint64_t seed, bool reference);

#endif
