// SPDX-License-Identifier: GPL-3.0-or-later
/* Threads as CPUs, their counters, and how a run stops or fails. */
#include "native/internal.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

_Thread_local struct native_thread native_thread;

static _Atomic(bool) cpu_taken[NATIVE_CPUS];
static _Atomic(bool) stopping;
static pthread_key_t leave_key;
static pthread_once_t leave_once = PTHREAD_ONCE_INIT;

static void thread_leave(void *taken)
{
	native_rcu_leave_cpu((unsigned)((_Atomic(bool) *)taken - cpu_taken));
	/* Release: the next thread with this number inherits its per-CPU data. */
	atomic_store_explicit((_Atomic(bool) *)taken, false, memory_order_release);
}

static void make_leave_key(void)
{
	if (pthread_key_create(&leave_key, thread_leave) != 0)
		abort();
}

static bool take_cpu(unsigned cpu)
{
	if (atomic_exchange_explicit(&cpu_taken[cpu], true, memory_order_acquire))
		return false;
	pthread_once(&leave_once, make_leave_key);
	pthread_setspecific(leave_key, (void *)&cpu_taken[cpu]);
	native_thread.cpu = cpu;
	native_thread.registered = true;
	return true;
}

void native_thread_enter(unsigned cpu)
{
	if (native_thread.registered)
		plat_panic("this thread is a CPU already");
	if (cpu >= NATIVE_CPUS || !take_cpu(cpu))
		plat_panic("no such CPU, or another thread is it");
	native_thread.entered = true;
}

void native_thread_enter_near(unsigned cpu)
{
	for (unsigned i = 0; i < NATIVE_CPUS; i++) {
		if (take_cpu((cpu + i) % NATIVE_CPUS)) {
			native_thread.entered = true;
			return;
		}
	}
	plat_panic("more threads than NATIVE_CPUS");
}

static void take_free_cpu(void)
{
	for (unsigned cpu = NATIVE_CPUS; cpu-- > 0;)
		if (take_cpu(cpu))
			return;
	plat_panic("more threads than NATIVE_CPUS");
}

unsigned plat_cpu(void)
{
	native_point();
	if (!native_thread.registered)
		take_free_cpu();
	return native_thread.cpu;
}

unsigned plat_cpu_count(void)
{
	return NATIVE_CPUS;
}

unsigned plat_node_count(void)
{
	return NATIVE_NODES;
}

unsigned plat_node_of_cpu(unsigned cpu)
{
	return cpu * NATIVE_NODES / NATIVE_CPUS;
}

struct native_counters native_counters(void)
{
	return native_thread.counters;
}

void plat_op_done(void)
{
	native_thread.counters.ops++;
}

void plat_lock_wait_begin(void)
{
	if (native_thread.counters.wait_depth++ == 0)
		native_thread.counters.lock_waits++;
	native_point();
}

void plat_lock_wait_end(void)
{
	if (native_thread.counters.wait_depth == 0)
		plat_panic("plat_lock_wait_end without a begin");
	native_thread.counters.wait_depth--;
	native_point();
}

void native_stop(void)
{
	atomic_store_explicit(&stopping, true, memory_order_relaxed);
}

bool plat_stopping(void)
{
	return atomic_load_explicit(&stopping, memory_order_relaxed);
}

void native_reset(void)
{
	native_set_deadline(0);
	native_perturb(0, 0);
	atomic_store_explicit(&stopping, false, memory_order_relaxed);
	native_rcu_reset();
	native_tasks_reset();
	native_memory_reset();
}
