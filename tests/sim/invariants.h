/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What must hold of every run that ended by itself. */
#ifndef FUTEXSIM_TESTS_INVARIANTS_H
#define FUTEXSIM_TESTS_INVARIANTS_H

/*
 * NULL, or which of these fails: costs booked on a CPU add up to its clock;
 * nobody has an event pending; no line is in flight; an owner excludes sharers;
 * no request waits; a queue is in use only where somebody spins, and each CPU
 * that spins hangs on one.
 */
const char *invariants_broken(void);

#endif
