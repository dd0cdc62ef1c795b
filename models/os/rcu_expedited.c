/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Expedited grace periods: every CPU that may be reading is interrupted, and
 * answers when it looks up (tick.c) outside a section. One at a time.
 */
#include "os/internal.h"

void rcu_expedited_less(void)
{
	if (--os.rcu.expedited_waits_for == 0 && os.rcu.expediter->state == OS_SLEEPING)
		os_wake(os.rcu.expediter, PLAT_WOKEN);
}

void rcu_answer(struct os_cpu *oc)
{
	oc->rcu.expedited = false;
	rcu_expedited_less();
}

/* Interrupts all CPUs that may be reading; returns how many. */
static uint32_t ask_cpus(const struct os_cpu *own)
{
	uint32_t asked = 0;

	for (uint32_t s = 0; s < sim.config.cpus; s++) {
		struct os_cpu *oc = &os.cpu[s];

		/* A CPU that polls with preemption on is in no section: known, for it is in order.
		 */
		if (oc == own || !oc->current || (oc->spinning && !oc->current->readers))
			continue;
		oc->rcu.expedited = true;
		asked++;
	}
	for (struct plat_task *t = os.rcu.readers; t; t = t->reader.next) {
		t->reader.blocks_expedited = true;
		os.rcu.expedited_waits_for++;
	}
	os.rcu.expedited_waits_for += asked;
	return asked;
}

static void wait_for_turn(struct plat_task *task)
{
	struct os_rcu_waiter waiter = {NULL, task, 0}, **link = &os.rcu.queue;

	while (*link)
		link = &(*link)->next;
	*link = &waiter;
	os_sleep(task);
	os_in_order();
}

static void next_turn(void)
{
	struct os_rcu_waiter *next = os.rcu.queue;

	os.rcu.expediter = next ? next->task : NULL;
	if (next) {
		os.rcu.queue = next->next;
		os_wake(next->task, PLAT_WOKEN);
	}
}

void plat_synchronize_rcu_expedited(void)
{
	struct plat_task *task;
	uint32_t asked;

	if (!sim.current)
		return;
	os_need_ticks("synchronize_rcu_expedited");
	os_in_order();
	task = os_sleeper("synchronize_rcu_expedited");
	if (os.rcu.expediter)
		wait_for_turn(task);
	os.rcu.expediter = task;
	asked = ask_cpus(os_cpu_of(sim.current));
	sim_spend(sim.current, SIM_COST_WORK, asked * os.ipi);
	os_in_order();
	if (os.rcu.expedited_waits_for)
		os_sleep(task);
	os_in_order();
	next_turn();
}
