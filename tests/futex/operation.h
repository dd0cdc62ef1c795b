/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The operation that a list is about, on any platform. */
#ifndef FUTEXSIM_TESTS_OPERATION_H
#define FUTEXSIM_TESTS_OPERATION_H

#include "access_list.h"
#include "futex/futex.h"

/* Passes after which an operation finds a steady state. */
enum { OPERATION_WARM_UP = 3 };

struct operation {
	const struct access_list *list;
	struct futex_mm *mm;
	struct futex_task *task;  /* on CPU 0, which makes the operation */
	struct futex_task *waker; /* wakes who is left */
	struct futex_task *sleeper[SLEEPERS_MAX];
	_Atomic(uint32_t) *word, *other; /* in different buckets */
};

/* A process with its tasks and a page of futexes. */
struct operation operation_create(const struct access_list *list);
void operation_destroy(struct operation *operation);

/*
 * False if it did not return what it should. A sleep needs somebody who wakes it,
 * a wake or requeue with sleepers needs them asleep: the caller's business.
 */
bool operation_run(const struct operation *operation);

/* Sleeper `i` waits, until woken. */
bool operation_sleep(const struct operation *operation, unsigned i);
/* Everybody who waits for either word. */
void operation_wake_all(const struct operation *operation);

#endif
