/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Locks that break one promise each: the validation must notice. */
#ifndef FUTEXSIM_TESTS_WRONG_LOCKS_H
#define FUTEXSIM_TESTS_WRONG_LOCKS_H

#include "sync/lock.h"

struct wrong_lock {
	struct lock_class lock;
	const char *noticed; /* what the validation says about it */
};

enum { WRONG_LOCKS = 5 };
extern const struct wrong_lock wrong_locks[WRONG_LOCKS];

#endif
