/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shipped machine profiles for tests, read with as little code as possible. */
#ifndef FUTEXSIM_TESTS_SHIPPED_H
#define FUTEXSIM_TESTS_SHIPPED_H

#include "machine/profile.h"

/* scenarios/machines/NAME.json below `folder`; ends the test program when it cannot be read. */
struct machine_profile shipped_machine(const char *folder, const char *name);

#endif
