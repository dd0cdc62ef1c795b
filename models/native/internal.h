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
	struct plat_task *task;
	uint32_t task_of;     /* native_reset() calls when it became that task */
	unsigned rcu_nesting; /* RCU sections and preempt_disable() */
};

extern _Thread_local struct native_thread native_thread;

/* Ends the calling thread (or the process) and marks the run as failed. */
_Noreturn void native_fail(const char *message);

/* A place where perturbation may give the processor away. */
void native_point(void);

uint64_t native_now_ns(void); /* CLOCK_MONOTONIC */

/* Ends the calling thread if the run has failed or takes too long. */
void native_check_deadline(void);

/*
 * native_thread_enter() for a thread that would like to be CPU `cpu`, and becomes
 * the next one that no other thread is.
 */
void native_thread_enter_near(unsigned cpu);

/* The thread that was this CPU has ended, maybe in an RCU section. */
void native_rcu_leave_cpu(unsigned cpu);

void native_memory_reset(void);
void native_tasks_reset(void);
void native_rcu_reset(void); /* after all callbacks have run */

#endif
