/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How a running CPU notices what others want of it.
 *
 * It may be ahead of everybody else, so nobody can interrupt it at a given
 * moment: it looks up by itself, in global order, at the first piece of
 * straight-line work, end of a preempt-off region, end of a read-side section or
 * return to user mode that finds the clock past `look_at`. That is its tick, or
 * the next multiple of 20 us, whichever comes first: so an interrupt from another
 * CPU is taken up to 20 us late. While there are real-time tasks, it looks up
 * every time.
 *
 * Ticks come every `tick`, on each CPU a little later than on the one before
 * (at most 1 us), so that no two coincide. They cost nothing (about 1 us in 4 ms
 * on hardware). A CPU that only polls a line, or is idle but has RCU callbacks,
 * gets its tick from a timer.
 */
#include "os/internal.h"

static const sim_time interval = 20 * SIM_US;

sim_time os_next_tick(const struct os_cpu *oc, sim_time now)
{
	sim_time skew = os.skew * os_slot(oc);

	if (now < skew)
		return skew;
	return ((now - skew) / os.tick + 1) * os.tick + skew;
}

void os_set_look(struct os_cpu *oc)
{
	const struct sim_cpu *cpu = os_sim_cpu(oc);
	sim_time next = (cpu->now / interval + 1) * interval;

	if (os.tickless || !oc->current)
		oc->look_at = SIM_NEVER;
	else if (os.realtime || oc->resched || oc->rcu.expedited)
		oc->look_at = 0;
	else
		oc->look_at = next < oc->tick_at ? next : oc->tick_at;
}

/* Spinlock waiters have preemption off; so have readers, unless RCU is preemptible. */
bool os_preemptible(const struct sim_cpu *cpu, const struct plat_task *task)
{
	return !task->preempt_off && !cpu->wait_depth &&
	       (!task->readers || os.rcu.preemptible_readers);
}

static void tick(struct os_cpu *oc, sim_time now)
{
	const struct plat_task *task = oc->current;

	oc->tick_at = os_next_tick(oc, now);
	oc->resched |= os_must_yield(oc, now);
	rcu_tick(oc, !task->in_kernel && !task->readers && !task->preempt_off, now);
}

/* Callbacks run on the stack of whom they interrupt, as softirqs do. */
static void run_softirq(struct os_cpu *oc, struct plat_task *task)
{
	task->preempt_off++;
	rcu_run_callbacks(oc);
	task->preempt_off--;
	os_in_order();
}

bool os_look(void)
{
	struct sim_cpu *cpu = sim.current;
	struct os_cpu *oc = os_cpu_of(cpu);
	struct plat_task *task = oc->current;
	bool ran = false;

	if (!task) {
		oc->look_at = SIM_NEVER;
		return false;
	}
	os_in_order();
	if (cpu->now >= oc->tick_at)
		tick(oc, cpu->now);
	oc->resched |= oc->realtime.first && os_must_yield(oc, cpu->now);
	if (oc->rcu.expedited && !task->readers && !task->preempt_off)
		rcu_answer(oc);
	if (os_preemptible(cpu, task) && rcu_ready(oc)) {
		run_softirq(oc, task);
		ran = true;
	}
	if (!oc->resched || !os_preemptible(cpu, task)) {
		os_set_look(oc);
		return ran;
	}
	os_preempt(cpu);
	return true;
}

/* ---- For CPUs that cannot look up ----------------------------------------------------- */

void os_end_spin(struct os_cpu *oc, sim_time now)
{
	struct sim_cpu *cpu = os_sim_cpu(oc);

	if (machine_stop_spin(cpu->slot, oc->spins_on))
		sim_wake(cpu->slot, now > cpu->now ? now : cpu->now);
}

static void idle_tick(struct os_cpu *oc, sim_time now)
{
	rcu_tick(oc, true, now);
	if (rcu_ready(oc))
		os_end_idle(oc, now);
	else if (rcu_needs_cpu(oc))
		os_arm_tick(oc, now);
}

static void tick_is_due(void *arg, sim_time now)
{
	struct os_cpu *oc = arg;

	if (oc->spinning)
		os_end_spin(oc, now);
	else if (oc->idle && !oc->waking)
		idle_tick(oc, now);
}

/* Nothing would come of it otherwise, but a run that does not end. */
static bool has_use_for_tick(const struct os_cpu *oc)
{
	return oc->ready || oc->rcu.waited_for || rcu_needs_cpu(oc);
}

void os_arm_tick(struct os_cpu *oc, sim_time now)
{
	if (has_use_for_tick(oc) && !sim_timer_pending(&oc->tick))
		sim_timer_add(&oc->tick, os_next_tick(oc, now), tick_is_due, oc);
}

void os_spin(struct sim_cpu *cpu, size_t offset)
{
	struct os_cpu *oc = os_cpu_of(cpu);

	if (os.tickless || !oc->current || !os_preemptible(cpu, oc->current)) {
		machine_spin(cpu, offset);
		return;
	}
	os_in_order();
	/* Whoever ran instead may have fetched the line anew: poll again. */
	if (cpu->now >= oc->look_at && os_look())
		return;
	os_arm_tick(oc, cpu->now);
	oc->spinning = true;
	oc->spins_on = offset;
	machine_spin(cpu, offset);
	oc->spinning = false;
}
