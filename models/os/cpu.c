/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Run queues, and what a CPU does that has nothing to run. */
#include <assert.h>

#include "os/internal.h"

static void insert_after(struct os_queue *q, struct plat_task *before, struct plat_task *task)
{
	task->prev = before;
	task->next = before ? before->next : q->first;
	if (task->next)
		task->next->prev = task;
	else
		q->last = task;
	if (before)
		before->next = task;
	else
		q->first = task;
}

static struct os_queue *queue_of(struct os_cpu *oc, const struct plat_task *task)
{
	return task->prio < PLAT_PRIO_RT_END ? &oc->realtime : &oc->fair;
}

/* Behind those that go before it: for real-time tasks by priority, else all. */
void os_enqueue(struct os_cpu *oc, struct plat_task *task, bool in_front)
{
	struct os_queue *q = queue_of(oc, task);
	struct plat_task *before = q->last;

	if (q == &oc->realtime)
		while (before &&
		       (before->prio > task->prio || (in_front && before->prio == task->prio)))
			before = before->prev;
	else if (in_front)
		before = NULL;
	insert_after(q, before, task);
	task->state = OS_READY;
	task->slot = os_slot(oc);
	oc->ready++;
	os.ready++;
}

void os_dequeue(struct os_cpu *oc, struct plat_task *task)
{
	struct os_queue *q = queue_of(oc, task);

	if (task->prev)
		task->prev->next = task->next;
	else
		q->first = task->next;
	if (task->next)
		task->next->prev = task->prev;
	else
		q->last = task->prev;
	task->next = task->prev = NULL;
	assert(oc->ready > 0 && os.ready > 0);
	oc->ready--;
	os.ready--;
}

struct plat_task *os_first_ready(const struct os_cpu *oc)
{
	return oc->realtime.first ? oc->realtime.first : oc->fair.first;
}

/* ---- Idle CPUs ------------------------------------------------------------------- */

static void become_idle(struct os_cpu *oc, sim_time now)
{
	assert(!oc->current && !oc->idle);
	oc->idle = true;
	oc->idle_since = now;
	os.idle++;
	rcu_idle(oc, now);
	if (rcu_needs_cpu(oc))
		os_arm_tick(oc, now);
}

/* No context is charged for idle time: functions share the time of tasks. */
static void stop_idling(struct os_cpu *oc, struct sim_cpu *cpu)
{
	cpu->cost[OS_COST_SLEEP] += cpu->now - oc->idle_since;
	if (!oc->waking)
		os.idle--;
	oc->idle = oc->waking = false;
	oc->tick_at = os_next_tick(oc, cpu->now);
}

static void idle_main(void *arg)
{
	struct os_cpu *oc = arg;
	struct sim_cpu *cpu = os_sim_cpu(oc);

	os_finish_switch();
	for (;;) {
		if (!os_first_ready(oc) && !rcu_ready(oc)) {
			if (!oc->idle)
				become_idle(oc, cpu->now);
			sim_block(cpu);
		}
		if (oc->idle)
			stop_idling(oc, cpu);
		if (rcu_ready(oc)) {
			rcu_run_callbacks(oc);
			os_in_order();
		}
		os_schedule(cpu);
	}
}

struct sim_task *os_idle_task(struct os_cpu *oc)
{
	if (!oc->idle_task)
		oc->idle_task = sim_task_create(idle_main, oc);
	return oc->idle_task;
}

void os_end_idle(struct os_cpu *oc, sim_time at)
{
	struct sim_cpu *cpu = os_sim_cpu(oc);

	assert(oc->idle && !oc->waking);
	oc->waking = true;
	os.idle--;
	at = at > cpu->now ? at : cpu->now;
	if (cpu->task)
		sim_wake(cpu->slot, at);
	else
		sim_task_place(cpu->slot, os_idle_task(oc), at);
}
