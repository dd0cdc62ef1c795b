/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machines that locks are tried on: 64 CPUs each, times that vary with the seed. */
#ifndef FUTEXSIM_TESTS_SIM_MACHINES_H
#define FUTEXSIM_TESTS_SIM_MACHINES_H

#include "machine/profile.h"

/* x86, 2 sockets of 16 cores of 2 threads. */
struct machine_profile two_sockets(void);
/* POWER: 2 sockets of 4 SMT8 cores; a store-conditional can lose its reservation. */
struct machine_profile power(void);

#endif
