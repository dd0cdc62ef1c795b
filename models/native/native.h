/* SPDX-License-Identifier: GPL-3.0-or-later */
/* platform.h on threads of the host: what a program does besides calling it. */
#ifndef FUTEXSIM_NATIVE_NATIVE_H
#define FUTEXSIM_NATIVE_NATIVE_H

#include "platform.h"

enum {
	NATIVE_CPUS = 64, /* at most this many threads at a time */
	NATIVE_NODES = 2,
#if defined(__powerpc64__)
	NATIVE_LINE = 128,
#else
	NATIVE_LINE = 64,
#endif
};

/*
 * Makes the calling thread CPU `cpu` (0 .. NATIVE_CPUS - 1) until it ends; panics
 * if another thread has that number. A thread that never calls this gets the
 * highest free number when it first needs one.
 */
void native_thread_enter(unsigned cpu);

/*
 * Runs the RCU callbacks that are left, frees all memory of plat_alloc and all
 * tasks, starts the clock anew and ends perturbation, deadline and stop request.
 * Only while no other thread uses the platform.
 */
void native_reset(void);

/* From now on plat_stopping() is true. */
void native_stop(void);

/*
 * From `ms` milliseconds after this call on, a thread that waits, spins or sleeps ends by
 * pthread_exit() and the run has failed; 0 means no limit. As long as there is a
 * limit, plat_panic() ends its thread in the same way. Both only in threads that
 * called native_thread_enter(): elsewhere the process aborts. Forgets an earlier
 * failure.
 */
void native_set_deadline(unsigned ms);

/* Why the run failed (the first reason), or NULL. */
const char *native_failure(void);

/*
 * Lets one in `one_in` platform calls give the processor away, chosen by `seed`
 * and CPU: few processors still see many interleavings. 0: never.
 */
void native_perturb(uint64_t seed, unsigned one_in);

/* Of the calling thread, since it started. */
struct native_counters {
	uint64_t ops;        /* plat_op_done() */
	uint64_t lock_waits; /* outermost plat_lock_wait_begin() */
	unsigned wait_depth; /* begun and not ended */
};
struct native_counters native_counters(void);

#endif
