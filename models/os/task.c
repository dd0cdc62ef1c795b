/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tasks from creation to plat_task_join(), and what they may be asked. */
#include <assert.h>
#include <string.h>

#include "os/internal.h"

struct plat_task *plat_current(void)
{
	return sim.current ? os_cpu_of(sim.current)->current : NULL;
}

uint32_t os_task_number(const struct plat_task *task)
{
	return (uint32_t)(task - os.task);
}

void os_need_ticks(const char *what)
{
	if (os.tickless)
		sim_fail("%s: this system was set up as one in which no task sleeps, starts or "
			 "waits for RCU (os_config.tickless)",
			 what);
}

/* ---- Beginning and end ----------------------------------------------------------------- */

static struct plat_task *take(void)
{
	struct plat_task *task = os.free_task;

	if (task)
		os.free_task = task->next;
	else if (os.tasks_used == os.tasks_max)
		sim_fail("more than %u tasks at one time", os.tasks_max);
	else
		task = &os.task[os.tasks_used++];
	memset(task, 0, sizeof(*task));
	return task;
}

void os_release(struct plat_task *task)
{
	assert(task->state == OS_ENDED && task->off_cpu && task->joined);
	sim_task_destroy(task->sim);
	os.gone_ops += task->ops;
	task->ops = 0;
	task->next = os.free_task;
	os.free_task = task;
}

static void finish(struct plat_task *task)
{
	if (task->preempt_off || task->readers)
		sim_fail("task %u ended with preemption off or inside a read-side section",
			 os_task_number(task));
	os_in_order();
	task->state = OS_ENDED;
	os.alive--;
	if (task->joiner)
		os_wake(task->joiner, PLAT_WOKEN);
	os_schedule(sim.current);
}

static void task_main(void *arg)
{
	struct plat_task *task = arg;

	os_finish_switch();
	task->body(task->arg);
	finish(task);
}

static struct plat_task *create(void (*body)(void *arg), void *arg, uint32_t slot, bool pinned)
{
	struct plat_task *task = take();

	task->sim = sim_task_create(task_main, task);
	task->body = body;
	task->arg = arg;
	task->slot = slot;
	task->pinned = pinned;
	task->prio = PLAT_PRIO_NORMAL;
	task->since = os_now();
	task->op_began = task->since;
	task->off_cpu = true;
	task->waits_for = SIZE_MAX;
	os.alive++;
	os_start_ready(task);
	return task;
}

struct plat_task *os_task_start(uint32_t slot, void (*body)(void *arg), void *arg)
{
	assert(sim.setup || !sim.current);
	return create(body, arg, slot, true);
}

static uint32_t slot_of(int cpu)
{
	uint32_t slot;

	if (cpu == PLAT_CPU_ANY)
		return sim.current ? sim.current->slot : 0;
	slot = cpu < 0 || (unsigned)cpu >= plat_cpu_count() ? UINT32_MAX
							    : machine_slot_of_cpu((uint32_t)cpu);
	if (slot == UINT32_MAX)
		sim_fail("a task for CPU %d, which is not one of those that run tasks", cpu);
	return slot;
}

struct plat_task *plat_task_create(void (*body)(void *arg), void *arg, int cpu)
{
	if (sim.current) {
		os_need_ticks("creating a task");
		sim_spend(sim.current, SIM_COST_WORK, os.clone);
	}
	os_in_order();
	return create(body, arg, slot_of(cpu), cpu != PLAT_CPU_ANY);
}

void plat_task_join(struct plat_task *task)
{
	os_in_order();
	if (task->joined || task->joiner)
		sim_fail("task %u is joined twice", os_task_number(task));
	if (task->state != OS_ENDED) {
		struct plat_task *self = os_sleeper("plat_task_join");

		task->joiner = self;
		os_sleep(self);
		os_in_order();
	}
	task->joined = true;
	if (task->off_cpu)
		os_release(task);
}

/* ---- Questions --------------------------------------------------------------------------- */

/* What others have made of it up to now. */
static void look_at(const struct plat_task *task)
{
	if (task != plat_current())
		os_in_order();
}

unsigned plat_task_cpu(const struct plat_task *task)
{
	look_at(task);
	return sim.cpus[task->slot].id;
}

int plat_task_prio(const struct plat_task *task)
{
	look_at(task);
	return task->prio;
}

void plat_task_set_prio(struct plat_task *task, int prio)
{
	struct os_cpu *oc = &os.cpu[task->slot];
	bool ready;

	os_in_order();
	oc = &os.cpu[task->slot];
	ready = task->state == OS_READY;
	if (ready)
		os_dequeue(oc, task);
	os.realtime += (prio < PLAT_PRIO_RT_END) - (task->prio < PLAT_PRIO_RT_END);
	task->prio = prio;
	if (ready) {
		os_enqueue(oc, task, false);
		os_kick(oc, task);
	}
	if (sim.current)
		os_set_look(os_cpu_of(sim.current));
}

/* ---- The kernel's side --------------------------------------------------------------------- */

void plat_kernel_enter(void)
{
	struct plat_task *task = os_counted_task();

	if (task)
		task->in_kernel++;
}

void plat_kernel_exit(void)
{
	struct plat_task *task = os_counted_task();

	if (!task)
		return;
	assert(task->in_kernel > 0);
	task->in_kernel--;
	os_check(sim.current);
}

void plat_preempt_disable(void)
{
	struct plat_task *task = os_counted_task();

	if (task)
		task->preempt_off++;
}

void plat_preempt_enable(void)
{
	struct plat_task *task = os_counted_task();

	if (!task)
		return;
	assert(task->preempt_off > 0);
	if (--task->preempt_off == 0)
		os_check(sim.current);
}
