/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A crew of simulated CPUs, spread over a simulated machine. */
#ifndef FUTEXSIM_TESTS_SIM_CREW_H
#define FUTEXSIM_TESTS_SIM_CREW_H

#include "lock_validate.h"
#include "machine/profile.h"
#include "types.h"

/* Its run() also ends, with a reason, when some CPUs wait for ever. */
extern const struct lock_crew sim_crew;

/* The machine of the next begin(); must outlive the crew's use. */
void sim_crew_machine(const struct machine_profile *profile);
/* When the last body ended, since the machine's start. */
sim_time sim_crew_ended(void);
/* Takes the machine down. */
void sim_crew_end(void);

#endif
