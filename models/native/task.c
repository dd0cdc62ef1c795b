// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Tasks: a thread, and something to sleep on. A task outlives its thread, because
 * whoever sets its state to 0 calls plat_wake() only afterwards; all are freed by
 * native_reset().
 */
#include "native/internal.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum { WATCH_NS = 20000000 }; /* how often a sleeper looks at the watchdog */

struct plat_task {
	struct plat_task *next;
	pthread_t thread;
	bool created; /* by plat_task_create(), to be joined */
	void (*body)(void *arg);
	void *arg;
	unsigned cpu;
	_Atomic(int) prio;
	_Atomic(bool) signalled;
	pthread_mutex_t mutex;
	pthread_cond_t cond;
};

static pthread_mutex_t tasks_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct plat_task *tasks;
static _Atomic(uint32_t) resets; /* a task made before the last one is gone */
static _Atomic(uint64_t) began_ns;

static void cond_init(pthread_cond_t *cond)
{
	pthread_condattr_t attributes;

	if (pthread_condattr_init(&attributes) != 0 ||
	    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) != 0 ||
	    pthread_cond_init(cond, &attributes) != 0)
		plat_panic("no condition variable");
	pthread_condattr_destroy(&attributes);
}

static struct plat_task *task_new(void)
{
	struct plat_task *task = calloc(1, sizeof(*task));

	if (!task || pthread_mutex_init(&task->mutex, NULL) != 0)
		plat_panic("out of memory");
	cond_init(&task->cond);
	atomic_store(&task->prio, PLAT_PRIO_NORMAL);
	pthread_mutex_lock(&tasks_mutex);
	task->next = tasks;
	tasks = task;
	pthread_mutex_unlock(&tasks_mutex);
	return task;
}

/* The calling thread becomes the task, on the CPU that it is. */
static void task_begin(struct plat_task *task)
{
	task->cpu = plat_cpu();
	native_thread.task = task;
	native_thread.task_of = atomic_load(&resets);
}

struct plat_task *plat_current(void)
{
	if (!native_thread.task || native_thread.task_of != atomic_load(&resets))
		task_begin(task_new());
	return native_thread.task;
}

static void *thread_main(void *arg)
{
	struct plat_task *task = arg;

	native_thread_enter_near(task->cpu);
	task_begin(task);
	task->body(task->arg);
	return NULL;
}

struct plat_task *plat_task_create(void (*body)(void *arg), void *arg, int cpu)
{
	struct plat_task *task = task_new();

	native_point();
	task->body = body;
	task->arg = arg;
	task->cpu = cpu == PLAT_CPU_ANY ? 0 : (unsigned)cpu;
	task->created = true;
	if (pthread_create(&task->thread, NULL, thread_main, task) != 0)
		plat_panic("no more threads");
	return task;
}

void plat_task_join(struct plat_task *task)
{
	if (!task->created)
		plat_panic("a task was joined twice, or not created");
	task->created = false;
	pthread_join(task->thread, NULL);
}

unsigned plat_task_cpu(const struct plat_task *task)
{
	return task->cpu;
}

void plat_task_set_prio(struct plat_task *task, int prio)
{
	atomic_store(&task->prio, prio);
}

int plat_task_prio(const struct plat_task *task)
{
	return atomic_load(&task->prio);
}

/* ---- Sleeping and waking ------------------------------------------------------- */

uint64_t plat_clock_ns(void)
{
	return native_now_ns() - atomic_load_explicit(&began_ns, memory_order_relaxed);
}

/* True, and `*how`, if the task must not sleep on. */
static bool must_run(struct plat_task *task, const _Atomic(uint32_t) *state, uint64_t deadline_ns,
		     bool interruptible, enum plat_wakeup *how)
{
	if (atomic_load_explicit(state, memory_order_acquire) == 0)
		*how = PLAT_WOKEN;
	else if (interruptible && atomic_load(&task->signalled))
		*how = PLAT_SIGNALLED;
	else if (deadline_ns != PLAT_NO_DEADLINE && plat_clock_ns() >= deadline_ns)
		*how = PLAT_TIMED_OUT;
	else
		return false;
	return true;
}

/* Until plat_wake(), the deadline, or the next look at the watchdog. */
static void doze(struct plat_task *task, uint64_t deadline_ns)
{
	uint64_t until = native_now_ns() + WATCH_NS;
	struct timespec t;

	if (deadline_ns != PLAT_NO_DEADLINE && until > deadline_ns + atomic_load(&began_ns))
		until = deadline_ns + atomic_load(&began_ns);
	t = (struct timespec){.tv_sec = (time_t)(until / 1000000000),
			      .tv_nsec = (long)(until % 1000000000)};
	pthread_cond_timedwait(&task->cond, &task->mutex, &t);
}

enum plat_wakeup plat_schedule(const _Atomic(uint32_t) *state, uint64_t deadline_ns,
			       bool interruptible)
{
	struct plat_task *task = plat_current();
	enum plat_wakeup how;

	if (native_thread.rcu_nesting)
		plat_panic("a task sleeps in an RCU section or with preemption off");
	native_point();
	pthread_mutex_lock(&task->mutex);
	while (!must_run(task, state, deadline_ns, interruptible, &how)) {
		doze(task, deadline_ns);
		pthread_mutex_unlock(&task->mutex);
		native_check_deadline();
		pthread_mutex_lock(&task->mutex);
	}
	pthread_mutex_unlock(&task->mutex);
	native_point();
	return how;
}

/* With the mutex: the sleeper either sees what changed before or is in its wait. */
void plat_wake(struct plat_task *task)
{
	native_point();
	pthread_mutex_lock(&task->mutex);
	pthread_cond_signal(&task->cond);
	pthread_mutex_unlock(&task->mutex);
}

void plat_signal(struct plat_task *task)
{
	atomic_store(&task->signalled, true);
	plat_wake(task);
}

bool plat_signal_pending(void)
{
	return atomic_load(&plat_current()->signalled);
}

bool plat_signal_take(void)
{
	return atomic_exchange(&plat_current()->signalled, false);
}

void plat_kernel_enter(void)
{
	native_point();
}

void plat_kernel_exit(void)
{
	native_point();
}

/* ---- Life of the platform ------------------------------------------------------ */

void native_tasks_reset(void)
{
	while (tasks) {
		struct plat_task *task = tasks;

		tasks = task->next;
		pthread_cond_destroy(&task->cond);
		pthread_mutex_destroy(&task->mutex);
		free(task);
	}
	atomic_fetch_add(&resets, 1);
	atomic_store(&began_ns, native_now_ns());
}
