/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scripted accesses of a few CPUs, each with the time it must take. */
#ifndef FUTEXSIM_TESTS_SCRIPT_H
#define FUTEXSIM_TESTS_SCRIPT_H

#include "machine/profile.h"

enum script_op {
	LOAD,
	STORE,
	RMW,
	EVICT, /* reads so many other lines that nothing else stays in the private cache */
};

struct step {
	uint32_t cpu;
	uint32_t at_ns; /* or as soon as the CPU is free */
	enum script_op op;
	uint32_t line; /* 0..7 live on node 0, 8..15 on node 1 (if there is one) */
	uint32_t ns;   /* what it takes; not looked at for EVICT */
};

/* Plays the steps on a machine whose CPUs do nothing else; fails the test on a wrong time. */
void script_play(const struct machine_profile *profile, const struct step *steps, uint32_t count);

#define PLAY(profile, steps) script_play(profile, steps, sizeof(steps) / sizeof((steps)[0]))

#endif
