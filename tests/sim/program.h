/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random programs: every CPU makes random accesses to shared and to its own
 * lines, works, allocates, frees, and now and then spins. All that can be
 * observed of a run is folded into one digest, to compare engine modes and builds.
 */
#ifndef FUTEXSIM_TESTS_PROGRAM_H
#define FUTEXSIM_TESTS_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

struct program_result {
	uint64_t digest; /* every value loaded, every clock, every counter, final memory */
	uint64_t accesses;
	uint64_t events;
	uint64_t now;       /* latest clock */
	uint32_t surprises; /* types that were expected to be quiet and were not */
	uint32_t quiet;     /* types that were */
	const char *wrong;  /* NULL, or which invariant the run broke */
};

/* Program number `seed` on a machine that also follows from it. */
struct program_result program_run(uint64_t seed, bool reference);

#endif
