// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The part of platform.h about tasks, for as long as simulated ones cannot sleep:
 * a definition elsewhere takes the place of each of these.
 */
#include "platform.h"

#define WEAK __attribute__((weak))

WEAK struct plat_task *plat_current(void)
{
	return NULL;
}

WEAK void plat_task_set_prio(struct plat_task *task, int prio)
{
	(void)task;
	(void)prio;
}

WEAK enum plat_wakeup plat_schedule(const _Atomic(uint32_t) *state, uint64_t deadline_ns,
				    bool interruptible)
{
	(void)state;
	(void)deadline_ns;
	(void)interruptible;
	plat_panic("sleeping is not modelled");
}

WEAK void plat_wake(struct plat_task *task)
{
	(void)task;
}

WEAK bool plat_signal_take(void)
{
	return false;
}

WEAK void plat_kernel_enter(void)
{
}

WEAK void plat_kernel_exit(void)
{
}
