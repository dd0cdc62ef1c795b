/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who runs next, and where a task that wakes runs.
 *
 * Real-time tasks go before time-shared ones, by priority, first in, first out.
 * Time-shared ones take turns: one that has had its slice (3 ms, what CFS and
 * EEVDF come to with eight CPUs or more) gives way at the next tick if others
 * wait. A time-shared task that wakes does not preempt; a real-time one does.
 * Choices without a published source: this last one, because what the kernel
 * does depends on the lag of both tasks; and the split of the costs below.
 *
 * What it costs:
 * - t_context_switch when a CPU goes from one task to another; from idle it is
 *   part of the wake-up, and to idle nobody waits for it.
 * - t_wakeup from the call to the task running on another, idle CPU (facts: "wake
 *   to running"). Of that the waker itself spends a quarter, but at most 1 us, on
 *   the run queue and the inter-processor interrupt; the rest is the interrupt's
 *   way and the exit from the idle state.
 * - a quarter of t_context_switch for queueing a task on a CPU that is busy.
 */
#include <assert.h>
#include <string.h>

#include "os/internal.h"

static const sim_time slice = 3 * SIM_MS;
static const sim_time ipi_max = SIM_US;
/* clone() of a thread, about 10 us: a task_struct, a stack, a run queue. */
enum { CLONE_SWITCHES = 8 };

void os_sched_init(void)
{
	const struct machine_value *param = os.profile->param;

	os.switch_cost = (sim_time)(param[PARAM_CONTEXT_SWITCH].value * 1000 + 0.5);
	os.wakeup = (sim_time)(param[PARAM_WAKEUP].value * 1000 + 0.5);
	os.ipi = os.wakeup / 4 < ipi_max ? os.wakeup / 4 : ipi_max;
	os.local_wake = os.switch_cost / 4;
	os.clone = CLONE_SWITCHES * os.switch_cost;
}

/* ---- Time ------------------------------------------------------------------------- */

void os_settle(struct os_cpu *oc)
{
	const struct sim_cpu *cpu = os_sim_cpu(oc);

	for (int c = 0; oc->current && c < SIM_CATEGORIES_MAX; c++)
		oc->current->cost[c] += cpu->cost[c] - oc->cost_seen[c];
	memcpy(oc->cost_seen, cpu->cost, sizeof(oc->cost_seen));
}

/* Of a task that does not run: its state has lasted until now. */
static void note_time(struct plat_task *task, sim_time now)
{
	sim_time passed = now > task->since ? now - task->since : 0;

	task->cost[task->sim->wait_depth ? SIM_COST_LOCK_WAIT : OS_COST_SLEEP] += passed;
	if (task->state == OS_READY)
		task->ready += passed;
	task->since += passed;
}

/* ---- Switching ---------------------------------------------------------------------- */

/* A CPU without tasks takes one from where most wait; near CPUs first. */
static struct plat_task *pull_from(const struct os_cpu *busiest)
{
	struct plat_task *task = busiest->fair.first;

	while (task && task->pinned)
		task = task->next;
	return task;
}

static struct plat_task *pull(struct os_cpu *oc)
{
	struct plat_task *best = NULL;
	uint32_t most = 0, socket = machine_socket_of_slot(os_slot(oc));

	for (uint32_t s = 0; os.ready && s < sim.config.cpus; s++) {
		const struct os_cpu *other = &os.cpu[s];
		uint32_t weight = 2 * other->ready + (machine_socket_of_slot(s) == socket);
		struct plat_task *task;

		/* What is queued where somebody is about to wake up runs at once. */
		if (!other->ready || !other->current || weight <= most)
			continue;
		task = pull_from(other);
		if (task) {
			best = task;
			most = weight;
		}
	}
	if (best) {
		os_dequeue(&os.cpu[best->slot], best);
		best->slot = os_slot(oc);
		os.migrations++;
	}
	return best;
}

static struct plat_task *take_next(struct os_cpu *oc)
{
	struct plat_task *next = os_first_ready(oc);

	if (!next)
		return pull(oc);
	os_dequeue(oc, next);
	return next;
}

/* It may have been queued by a CPU whose clock was ahead: then nothing happens until then. */
static void enter(struct os_cpu *oc, struct sim_cpu *cpu, struct plat_task *next)
{
	if (cpu->now < next->since) {
		cpu->cost[OS_COST_SLEEP] += next->since - cpu->now;
		cpu->now = next->since;
	}
	note_time(next, cpu->now);
	next->state = OS_RUNNING;
	next->off_cpu = false;
	memcpy(oc->cost_seen, cpu->cost, sizeof(oc->cost_seen));
}

void os_schedule(struct sim_cpu *cpu)
{
	struct os_cpu *oc = os_cpu_of(cpu);
	struct plat_task *prev = oc->current, *next = take_next(oc);

	rcu_switch(oc, prev == next ? NULL : prev, cpu->now);
	oc->resched = false;
	oc->picked_at = cpu->now;
	if (next == prev) {
		if (next)
			next->state = OS_RUNNING;
		os_set_look(oc);
		return;
	}
	os_settle(oc);
	oc->current = next;
	oc->left = prev;
	if (next)
		enter(oc, cpu, next);
	sim_task_switch(cpu, next ? next->sim : os_idle_task(oc));
	os_finish_switch();
}

void os_finish_switch(void)
{
	struct sim_cpu *cpu = sim.current;
	struct os_cpu *oc = os_cpu_of(cpu);
	struct plat_task *left = oc->left;

	oc->left = NULL;
	if (left) {
		left->off_cpu = true;
		if (left->state == OS_ENDED && left->joined)
			os_release(left);
		if (oc->current) {
			os.switches++;
			sim_spend(cpu, SIM_COST_WORK, os.switch_cost);
		}
	}
	os_set_look(oc);
}

void os_preempt(struct sim_cpu *cpu)
{
	struct os_cpu *oc = os_cpu_of(cpu);
	struct plat_task *task = oc->current;

	task->since = cpu->now;
	os_enqueue(oc, task, task->prio < PLAT_PRIO_RT_END);
	os_schedule(cpu);
}

bool os_must_yield(const struct os_cpu *oc, sim_time now)
{
	const struct plat_task *first = os_first_ready(oc), *task = oc->current;

	if (!first || !task)
		return false;
	if (first->prio < PLAT_PRIO_RT_END)
		return first->prio < task->prio;
	return task->prio >= PLAT_PRIO_RT_END && now - oc->picked_at >= slice;
}

/* ---- Where a task goes ---------------------------------------------------------------- */

static bool is_free(const struct os_cpu *oc)
{
	return oc->idle && !oc->waking && !oc->ready;
}

/* The previous CPU if it is idle, else an idle one of the same socket, else the previous one. */
static uint32_t place_waking(const struct plat_task *task)
{
	uint32_t socket = machine_socket_of_slot(task->slot);

	if (task->pinned || !os.idle || is_free(&os.cpu[task->slot]))
		return task->slot;
	for (uint32_t i = 1; i < sim.config.cpus; i++) {
		uint32_t s = (task->slot + i) % sim.config.cpus;

		if (is_free(&os.cpu[s]) && machine_socket_of_slot(s) == socket)
			return s;
	}
	return task->slot;
}

static uint32_t load_of(const struct os_cpu *oc)
{
	return oc->ready + (oc->current != NULL);
}

/* A new task goes where fewest are, near its parent if that leaves a choice. */
static uint32_t place_new(const struct plat_task *task)
{
	uint32_t start = sim.current ? sim.current->slot : 0, best = start;
	uint32_t socket = machine_socket_of_slot(start), least = UINT32_MAX;

	if (task->pinned)
		return task->slot;
	for (uint32_t i = 0; i < sim.config.cpus && least > 0; i++) {
		uint32_t s = (start + i) % sim.config.cpus;
		uint32_t weight = 2 * load_of(&os.cpu[s]) + (machine_socket_of_slot(s) != socket);

		if (weight < least) {
			least = weight;
			best = s;
		}
	}
	return best;
}

static void pay(sim_time time)
{
	if (sim.current)
		sim_spend(sim.current, SIM_COST_WORK, time);
}

/* A better task is ready on a CPU that runs something. */
static void interrupt(struct os_cpu *oc)
{
	struct sim_cpu *cpu = os_sim_cpu(oc);

	if (sim.current == cpu) {
		oc->resched = true;
		oc->look_at = 0;
		return;
	}
	pay(os.ipi);
	if (oc->spinning)
		os_end_spin(oc, os_now());
}

void os_kick(struct os_cpu *oc, const struct plat_task *task)
{
	if (oc->current && task->prio < PLAT_PRIO_RT_END && task->prio < oc->current->prio)
		interrupt(oc);
}

static void make_ready(struct plat_task *task, uint32_t slot)
{
	struct os_cpu *oc = &os.cpu[slot];
	sim_time now = os_now(), at;

	os.migrations += slot != task->slot;
	os_enqueue(oc, task, false);
	if (os.tickless && !sim.setup)
		os_need_ticks("waking a task");
	if (oc->idle && !oc->waking) {
		at = now + os.wakeup;
		os_end_idle(oc, at > task->since ? at : task->since);
		pay(os.ipi);
		return;
	}
	if (oc->spinning)
		os_arm_tick(oc, now);
	pay(os.local_wake);
	os_kick(oc, task);
}

/* While the system is built, a CPU's first task is simply there. */
static void put_on(struct plat_task *task, struct os_cpu *oc)
{
	oc->current = task;
	oc->idle = false;
	os.idle--;
	task->slot = os_slot(oc);
	task->state = OS_RUNNING;
	oc->tick_at = os_next_tick(oc, 0);
	os_set_look(oc);
	sim_task_place(os_slot(oc), task->sim, os_sim_cpu(oc)->now);
}

void os_start_ready(struct plat_task *task)
{
	uint32_t slot = place_new(task);
	struct os_cpu *oc = &os.cpu[slot];

	task->slot = slot;
	if (!sim.setup)
		make_ready(task, slot);
	else if (!oc->current)
		put_on(task, oc);
	else if (os.tickless)
		os_need_ticks("a second task on a CPU");
	else
		os_enqueue(oc, task, false);
}

void os_wake(struct plat_task *task, enum plat_wakeup why)
{
	assert(task->state == OS_SLEEPING && os.asleep > 0);
	os.asleep--;
	if (sim_timer_pending(&task->deadline))
		sim_timer_cancel(&task->deadline);
	task->wakeup = (uint8_t)why;
	note_time(task, os_now());
	make_ready(task, place_waking(task));
}
