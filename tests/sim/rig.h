/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A simulated machine under test: brought up, given tasks, run, taken down.
 * Accesses go through the hooks, as the instrumented core's do.
 */
#ifndef FUTEXSIM_TESTS_RIG_H
#define FUTEXSIM_TESTS_RIG_H

#include "hooks.h"
#include "machine/machine.h"
#include "machines.h"
#include "os/os.h"

/* Slots 0..cpus-1 on CPUs 0..cpus-1. */
void rig_begin(const struct machine_profile *profile, uint32_t cpus);
/* The same on the CPUs listed, ascending. */
void rig_begin_on(const struct machine_profile *profile, const uint32_t *ids, uint32_t slots);
void rig_end(void);

/* Memory for `lines` cache lines on a node; exits the test program when there is none. */
uint32_t *rig_lines(uint32_t lines, int node);
/* Runs the tasks; fails the test if the engine reports a failure. */
void rig_run(void);
/* Runs them up to a point in time and then stops. */
void rig_run_until(sim_time at);

/* ---- For the tasks ----------------------------------------------------------- */

/* Works until the clock shows `at` (not before now). */
void rig_at(sim_time at);
sim_time rig_now(void);

static inline uint32_t load(uint32_t *p)
{
	return futexsim_tsan_atomic32_load(p, __ATOMIC_RELAXED);
}

static inline void store(uint32_t *p, uint32_t v)
{
	futexsim_tsan_atomic32_store(p, v, __ATOMIC_RELAXED);
}

static inline uint32_t add(uint32_t *p)
{
	return futexsim_tsan_atomic32_fetch_add(p, 1, __ATOMIC_SEQ_CST);
}

/* The value behind an arena pointer, without simulated access. */
uint32_t rig_peek(const uint32_t *p);
/* The directory entry of an arena pointer. */
struct sim_line *rig_line(const uint32_t *p);

#endif
