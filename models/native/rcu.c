// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * RCU by numbered grace periods. A reader notes the number it began under; a
 * grace period ends when no reader with a smaller number than its own is left. A
 * section with preemption off is a reader too, as in the kernel since v4.20.
 */
#include "native/internal.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

struct reader {
	_Alignas(NATIVE_LINE) _Atomic(uint64_t) began; /* 0: not in a section */
};

struct callback {
	struct callback *next;
	void (*fn)(void *arg);
	void *arg;
};

static struct reader readers[NATIVE_CPUS];
static _Atomic(uint64_t) started = 1, completed = 1;
static pthread_mutex_t period_mutex = PTHREAD_MUTEX_INITIALIZER;

static struct {
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	struct callback *first, **end;
	pthread_t thread;
	bool running, stop;
} queue = {.mutex = PTHREAD_MUTEX_INITIALIZER, .cond = PTHREAD_COND_INITIALIZER};

/* ---- Readers ------------------------------------------------------------------- */

static void enter(void)
{
	struct reader *reader = &readers[plat_cpu()];

	if (native_thread.rcu_nesting++)
		return;
	atomic_store(&reader->began, atomic_load(&started));
	/* Seen as a reader before it reads anything. */
	atomic_thread_fence(memory_order_seq_cst);
}

static void leave(void)
{
	if (native_thread.rcu_nesting == 0)
		plat_panic("an RCU section ends that did not begin");
	if (--native_thread.rcu_nesting == 0)
		atomic_store_explicit(&readers[native_thread.cpu].began, 0, memory_order_release);
	native_point();
}

void native_rcu_leave_cpu(unsigned cpu)
{
	atomic_store_explicit(&readers[cpu].began, 0, memory_order_release);
}

void plat_rcu_read_lock(void)
{
	enter();
	native_point();
}

void plat_rcu_read_unlock(void)
{
	leave();
}

void plat_preempt_disable(void)
{
	enter();
	native_point();
}

void plat_preempt_enable(void)
{
	leave();
}

/* ---- Grace periods ------------------------------------------------------------- */

static void wait_for_reader(const struct reader *reader, uint64_t period)
{
	uint64_t began;

	while ((began = atomic_load(&reader->began)) != 0 && began < period) {
		sched_yield();
		native_check_deadline();
	}
}

static void wait_for_readers(uint64_t period)
{
	for (unsigned cpu = 0; cpu < NATIVE_CPUS; cpu++)
		wait_for_reader(&readers[cpu], period);
}

/* Not under the mutex while it waits: the watchdog may end the thread there. */
void plat_synchronize_rcu(void)
{
	uint64_t period = atomic_fetch_add(&started, 1) + 1;

	if (native_thread.rcu_nesting)
		plat_panic("a grace period is awaited within an RCU section");
	atomic_thread_fence(memory_order_seq_cst);
	wait_for_readers(period);
	pthread_mutex_lock(&period_mutex);
	if (atomic_load(&completed) < period)
		atomic_store(&completed, period);
	pthread_mutex_unlock(&period_mutex);
}

void plat_synchronize_rcu_expedited(void)
{
	plat_synchronize_rcu();
}

/* The first period that starts from now on. */
uint64_t plat_rcu_get_state(void)
{
	atomic_thread_fence(memory_order_seq_cst);
	return atomic_load(&started) + 1;
}

bool plat_rcu_poll_state(uint64_t cookie)
{
	return atomic_load(&completed) >= cookie;
}

/* ---- Callbacks ----------------------------------------------------------------- */

static void run_callbacks(struct callback *callback)
{
	while (callback) {
		struct callback *next = callback->next;

		callback->fn(callback->arg);
		free(callback);
		callback = next;
	}
}

/* NULL: the queue is empty and nothing will come. */
static struct callback *take_callbacks(void)
{
	struct callback *all;

	pthread_mutex_lock(&queue.mutex);
	while (!queue.first && !queue.stop)
		pthread_cond_wait(&queue.cond, &queue.mutex);
	all = queue.first;
	queue.first = NULL;
	pthread_mutex_unlock(&queue.mutex);
	return all;
}

static void *callback_main(void *arg)
{
	struct callback *all;

	native_thread.entered = true; /* a reader that never leaves fails the run */
	while ((all = take_callbacks())) {
		plat_synchronize_rcu();
		run_callbacks(all);
	}
	return arg;
}

static void queue_append(struct callback *callback)
{
	pthread_mutex_lock(&queue.mutex);
	if (!queue.first)
		queue.end = &queue.first;
	*queue.end = callback;
	queue.end = &callback->next;
	if (!queue.running) {
		if (pthread_create(&queue.thread, NULL, callback_main, NULL) != 0)
			plat_panic("no thread for RCU callbacks");
		queue.running = true;
	}
	pthread_cond_signal(&queue.cond);
	pthread_mutex_unlock(&queue.mutex);
}

void plat_call_rcu(void (*fn)(void *arg), void *arg, enum plat_rcu_urgency urgency)
{
	struct callback *callback = malloc(sizeof(*callback));

	(void)urgency; /* nothing is held back here */
	if (!callback)
		plat_panic("out of memory");
	*callback = (struct callback){.fn = fn, .arg = arg};
	queue_append(callback);
	native_point();
}

void plat_kvfree_rcu(void *p)
{
	plat_call_rcu(plat_free, p, PLAT_RCU_MAY_BE_LAZY);
}

void native_rcu_reset(void)
{
	pthread_mutex_lock(&queue.mutex);
	queue.stop = true;
	pthread_cond_signal(&queue.cond);
	pthread_mutex_unlock(&queue.mutex);
	if (queue.running)
		pthread_join(queue.thread, NULL);
	queue.running = queue.stop = false;
	/* Left only if the run has failed: never called, as nobody waited for readers. */
	while (queue.first) {
		struct callback *callback = queue.first;

		queue.first = callback->next;
		free(callback);
	}
}
