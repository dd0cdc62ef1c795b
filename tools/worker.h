/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One worker process and the messages it sends. */
#ifndef FUTEXSIM_TOOLS_WORKER_H
#define FUTEXSIM_TOOLS_WORKER_H

#include <signal.h>
#include <sys/types.h>

#include "outcome.h"
#include "text.h"

struct worker {
	pid_t pid;
	int fd;       /* -1: no process */
	size_t index; /* of its case */
	double done;  /* 0..1 */
	struct text inbox;
};

/* Starts a process for one case; `mask` is its signal mask. False: errno says why. */
bool worker_start(struct worker *worker, const struct case_spec *spec, size_t index,
		  const sigset_t *mask);

/* Reads what has arrived. True when the worker has ended and `outcome` is filled. */
bool worker_receive(struct worker *worker, struct outcome *outcome);

/* Ends it without an outcome. */
void worker_kill(struct worker *worker);

#endif
