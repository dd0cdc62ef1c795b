/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The hand-written lists in access/: which accesses one operation makes, in
 * order. A file is a comment with its sources, lines of set-up, an empty line,
 * then one access a line; `#` starts a comment anywhere.
 *
 *     kernel v6.17            preset
 *     machine ppc             optional; else x86
 *     op wait | wake | sleep | timeout | requeue
 *                             wait fails its check; sleep is woken by somebody
 *     key private | shared    optional: private
 *     sleepers 2              optional: so many tasks sleep on the word already;
 *                             a wake wakes them all, a requeue wakes one and moves
 *                             the others
 *     set refcount atomic     any number: a key of the policy and its value
 *
 *     load mm.futex_phash     load, store, rmw: object.field [memory order]
 *     fence                   full barrier
 *     percpu +1               addition to this CPU's counter
 */
#ifndef FUTEXSIM_TESTS_ACCESS_LIST_H
#define FUTEXSIM_TESTS_ACCESS_LIST_H

#include <stdio.h>

#include "futex/policy.h"
#include "recorder.h"

enum { ACCESS_LIST_MAX = 128, SLEEPERS_MAX = 3 };

enum list_op { OP_WAIT, OP_WAKE, OP_SLEEP, OP_TIMEOUT, OP_REQUEUE };

struct expected_access {
	struct access access;
	bool any_order; /* the list does not say which memory order */
};

struct access_list {
	char file[128];
	struct futex_policy policy; /* slots 0 */
	bool ppc;
	enum list_op op;
	bool shared;
	unsigned sleepers;
	struct expected_access entry[ACCESS_LIST_MAX];
	size_t count;
};

/* Reads a list; on bad input prints file and line, and returns false. */
bool access_list_read(struct access_list *list, const char *directory, const char *file);

/*
 * Position of the first difference, or SIZE_MAX. `skip`: position in `found`
 * to leave out (SIZE_MAX: none).
 */
size_t access_list_difference(const struct access_list *list, const struct access *found,
			      size_t count, size_t skip);

void access_print(FILE *out, const struct access *access);

#endif
