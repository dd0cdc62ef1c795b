/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A simulated machine with an operating system under test: more tasks than CPUs, ticks. */
#ifndef FUTEXSIM_TESTS_OS_RIG_H
#define FUTEXSIM_TESTS_OS_RIG_H

#include "../sim/rig.h"

struct os_rig {
	struct machine_profile profile; /* default: test_machine_of(1, 1, cpus, 1) */
	uint32_t cpus, tasks;
	size_t memory_bytes; /* default: 4 MiB */
	bool reference;
	uint64_t quiet;
	struct os_config os;
};

void os_rig_begin(const struct os_rig *rig);

/* The task's own state word, with a name, on a line of its own. */
_Atomic(uint32_t) *os_rig_word(void);

/* set_current_state(1), schedule() until somebody sets it to 0 or something else ends it. */
enum plat_wakeup os_rig_sleep(_Atomic(uint32_t) *state, uint64_t deadline_ns, bool interruptible);
/* Sets it to 0 and wakes the task. */
void os_rig_wake(_Atomic(uint32_t) *state, struct plat_task *task);
/* Straight-line work, interruptible every microsecond. */
void os_rig_work(sim_time time);

#endif
