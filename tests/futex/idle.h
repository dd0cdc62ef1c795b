/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What must be true of a process when none of its operations is under way. */
#ifndef FUTEXSIM_TESTS_IDLE_H
#define FUTEXSIM_TESTS_IDLE_H

#include "futex/internal.h"

/* Fails the test if anything is still counted, locked, queued or referenced. */
void assert_idle(struct futex_mm *mm);

#endif
