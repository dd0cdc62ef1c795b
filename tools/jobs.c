// SPDX-License-Identifier: GPL-3.0-or-later
#include "jobs.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "progress.h"
#include "signals.h"
#include "worker.h"

static volatile sig_atomic_t interrupted;

static void note_interrupt(int signal_number)
{
	(void)signal_number;
	interrupted = 1;
}

/* What signals were before the run. */
struct signals {
	struct signals_before actions;
	sigset_t mask;
};

/* Blocked except while waiting, so that none is missed. */
static void catch_signals(struct signals *before)
{
	sigset_t blocked;

	interrupted = 0;
	sigemptyset(&blocked);
	for (int i = 0; i < SIGNALS_ENDING; i++)
		sigaddset(&blocked, signals_ending[i]);
	sigprocmask(SIG_BLOCK, &blocked, &before->mask);
	signals_catch(&before->actions, note_interrupt);
}

static void restore_signals(const struct signals *before)
{
	signals_restore(&before->actions);
	sigprocmask(SIG_SETMASK, &before->mask, NULL);
}

struct pool {
	const struct scenario *scenario;
	struct outcome *outcomes;
	struct worker *workers;
	struct pollfd *polls;
	size_t size;          /* workers at most */
	size_t next, running; /* next case to start */
	size_t done;
	const struct signals *signals;
	struct progress progress;
};

static void start_failed(struct pool *pool, size_t index, int error)
{
	struct outcome *outcome = &pool->outcomes[index];
	struct text text = {0};

	text_printf(&text, "no process could be started: %s", strerror(error));
	outcome->state = OUTCOME_FAILED;
	outcome->error = text.data;
	pool->done++;
}

/* Out of processes: try again when a worker has ended, unless there is none. */
static void start_workers(struct pool *pool)
{
	for (size_t i = 0; i < pool->size && pool->next < pool->scenario->count; i++) {
		size_t index = pool->next;

		if (pool->workers[i].fd >= 0)
			continue;
		if (worker_start(&pool->workers[i], &pool->scenario->cases[index].spec, index,
				 &pool->signals->mask)) {
			pool->running++;
		} else if (pool->running) {
			return;
		} else {
			start_failed(pool, index, errno);
		}
		pool->next++;
	}
}

static void show_progress(struct pool *pool)
{
	double work = (double)pool->done;

	for (size_t i = 0; i < pool->size; i++)
		if (pool->workers[i].fd >= 0)
			work += pool->workers[i].done;
	progress_update(&pool->progress, pool->done, work);
}

static void receive(struct pool *pool)
{
	for (size_t i = 0; i < pool->size; i++) {
		struct worker *worker = &pool->workers[i];

		if (worker->fd < 0 || !pool->polls[i].revents)
			continue;
		if (worker_receive(worker, &pool->outcomes[worker->index])) {
			pool->running--;
			pool->done++;
		}
	}
}

static void wait_for_workers(struct pool *pool)
{
	for (size_t i = 0; i < pool->size; i++)
		pool->polls[i] = (struct pollfd){.fd = pool->workers[i].fd, .events = POLLIN};
	if (ppoll(pool->polls, pool->size, NULL, &pool->signals->mask) > 0)
		receive(pool);
}

static void run_pool(struct pool *pool)
{
	while (pool->done < pool->scenario->count && !interrupted) {
		start_workers(pool);
		show_progress(pool);
		if (pool->running)
			wait_for_workers(pool);
	}
	for (size_t i = 0; i < pool->size; i++)
		if (pool->workers[i].fd >= 0)
			worker_kill(&pool->workers[i]);
}

static bool run_all(const struct scenario *scenario, unsigned jobs, struct outcome *outcomes,
		    bool quiet)
{
	struct signals before;
	struct pool pool = {.scenario = scenario, .outcomes = outcomes, .signals = &before};

	pool.size = jobs < scenario->count ? jobs : scenario->count;
	pool.workers = xcalloc(pool.size, sizeof(*pool.workers));
	pool.polls = xcalloc(pool.size, sizeof(*pool.polls));
	for (size_t i = 0; i < pool.size; i++)
		pool.workers[i].fd = -1;
	catch_signals(&before);
	progress_begin(&pool.progress, scenario->count);
	pool.progress.shown &= !quiet;
	run_pool(&pool);
	progress_end(&pool.progress);
	restore_signals(&before);
	free(pool.workers);
	free(pool.polls);
	return pool.done == scenario->count;
}

bool run_cases(const struct scenario *scenario, unsigned jobs, struct outcome *outcomes)
{
	return run_all(scenario, jobs, outcomes, false);
}

bool run_cases_quietly(const struct scenario *scenario, unsigned jobs, struct outcome *outcomes)
{
	return run_all(scenario, jobs, outcomes, true);
}
