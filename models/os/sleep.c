/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sleeping, waking, deadlines and signals. */
#include <assert.h>

#include "os/internal.h"

/*
 * A timer may expire this much later than asked for, as those of time-shared
 * tasks do by default (timer_slack_ns); those of real-time tasks are exact.
 */
static const sim_time slack = 50 * SIM_US;

struct plat_task *os_sleeper(const char *what)
{
	struct plat_task *task = plat_current();
	char who[128];

	os_need_ticks(what);
	if (!task)
		sim_fail("%s: only a task can sleep", what);
	if (task->preempt_off || (task->readers && !os.rcu.preemptible_readers)) {
		os_describe(task, who, sizeof(who));
		sim_fail("%s sleeps (%s) with preemption off or inside an RCU read-side section",
			 who, what);
	}
	return task;
}

void os_sleep(struct plat_task *task)
{
	assert(task->state == OS_RUNNING && task == plat_current());
	task->state = OS_SLEEPING;
	task->since = sim.current->now;
	os.asleep++;
	os_schedule(sim.current);
}

/*
 * The word's value now, in global order. `free`: it costs nothing if the CPU
 * has the line, as for a waker that has just written it.
 */
static uint32_t look_at_word(size_t offset, bool free)
{
	const uint32_t *word = (const void *)(sim.memory.backing + offset);
	struct sim_cpu *cpu = sim.current;

	os_in_order();
	if (!cpu || (free && sim_has_rights(cpu, &sim.memory.lines[offset >> sim.memory.line_shift],
					    false)))
		return *word;
	if (sim_unlikely(sim_tracing))
		sim_trace(offset, SIM_LOAD, __ATOMIC_RELAXED);
	/* In order, so a hit; or a request, which ends in order: nothing comes in between. */
	sim_access(offset, SIM_LOAD);
	return *word;
}

static void time_out(void *arg, sim_time now)
{
	(void)now;
	os_wake(arg, PLAT_TIMED_OUT);
}

/* False: the deadline has passed. */
static bool set_deadline(struct plat_task *task, uint64_t deadline_ns)
{
	sim_time at;

	/* Beyond the end of simulated time. */
	if (deadline_ns >= (SIM_TIME_MAX - slack) / SIM_NS)
		return true;
	at = deadline_ns * SIM_NS;
	if (at <= sim.current->now)
		return false;
	at += task->prio < PLAT_PRIO_RT_END ? 0 : slack;
	sim_timer_add(&task->deadline, at, time_out, task);
	return true;
}

enum plat_wakeup plat_schedule(const _Atomic(uint32_t) *state, uint64_t deadline_ns,
			       bool interruptible)
{
	struct plat_task *task = os_sleeper("plat_schedule");
	size_t offset = sim_memory_offset(&sim.memory, state);

	if (!look_at_word(offset, false))
		return PLAT_WOKEN;
	if (interruptible && task->signal)
		return PLAT_SIGNALLED;
	if (!set_deadline(task, deadline_ns))
		return PLAT_TIMED_OUT;
	task->waits_for = offset;
	task->interruptible = interruptible;
	os_sleep(task);
	task->waits_for = SIZE_MAX;
	return (enum plat_wakeup)task->wakeup;
}

/* Too late for a sleep that is over, it must not end the next one: hence the look at the word. */
void plat_wake(struct plat_task *task)
{
	size_t offset;

	os_in_order();
	offset = task->waits_for;
	if (task->state != OS_SLEEPING || offset == SIZE_MAX)
		return;
	if (look_at_word(offset, true) == 0 && task->state == OS_SLEEPING &&
	    task->waits_for == offset)
		os_wake(task, PLAT_WOKEN);
}

void plat_signal(struct plat_task *task)
{
	os_in_order();
	task->signal = true;
	if (task->state == OS_SLEEPING && task->interruptible && task->waits_for != SIZE_MAX)
		os_wake(task, PLAT_SIGNALLED);
}

bool plat_signal_pending(void)
{
	const struct plat_task *task = plat_current();

	os_in_order();
	return task && task->signal;
}

bool plat_signal_take(void)
{
	struct plat_task *task = plat_current();
	bool pending = plat_signal_pending();

	if (pending)
		task->signal = false;
	return pending;
}

uint64_t plat_clock_ns(void)
{
	return os_now() / SIM_NS;
}
