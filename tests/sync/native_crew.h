/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A crew of host threads, perturbed by the seed. */
#ifndef FUTEXSIM_TESTS_NATIVE_CREW_H
#define FUTEXSIM_TESTS_NATIVE_CREW_H

#include "lock_validate.h"

extern const struct lock_crew native_crew;

/* The same without perturbation and watchdog: for measurements. */
extern const struct lock_crew native_crew_undisturbed;

/* How long one run may take before waiters are given up; 60 s if never called. */
void native_crew_patience(unsigned ms);

#endif
