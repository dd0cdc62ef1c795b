/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State shared by the files of the native platform; nobody else includes this. */
#ifndef FUTEXSIM_NATIVE_INTERNAL_H
#define FUTEXSIM_NATIVE_INTERNAL_H

#include "native/native.h"

struct native_thread {
	unsigned cpu;
	bool registered;
	bool entered; /* by native_thread_enter(): may be ended by a failure */
	struct native_counters counters;
	uint64_t random;    /* of perturbation */
	uint32_t random_of; /* the native_perturb() that seeded it */
	unsigned relaxes;   /* plat_cpu_relax() so far */
	unsigned waits;     /* plat_wait_until_changed*() so far */
};

extern _Thread_local struct native_thread native_thread;

/* Ends the calling thread (or the process) and marks the run as failed. */
_Noreturn void native_fail(const char *message);

/* A place where perturbation may give the processor away. */
void native_point(void);

void native_memory_reset(void);

#endif
