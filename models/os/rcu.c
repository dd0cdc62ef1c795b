/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Grace periods, as kernel/rcu/tree.c makes them (facts, section 7.6).
 *
 * Somebody needs one: a synchronize_rcu() at once (direct wake, see below), a
 * callback at the next tick of its CPU. The grace-period kthread wakes up
 * (t_wakeup; it takes no CPU's time) and starts one. Each CPU notices at its next
 * tick, and reports at the first tick after that which finds it in user mode or
 * idle, or finds that it has switched since it noticed. The kthread looks for
 * idle CPUs, which report nothing, first after
 * 1 + (HZ > 250) + (HZ > 500) + CPUs / 256 jiffies and then as often; a timer of n
 * jiffies expires at the n+1st tick, as the timer wheel rounds up. A CPU that has
 * not reported after a tenth of a second (plus a jiffy per 8 CPUs) is told to
 * switch at its next tick.
 *
 * The end wakes those in synchronize_rcu() itself if the machine has at most 16
 * CPUs (direct wake, the default since v6.18); else, and for callbacks, the CPU
 * that queued them runs them at its next tick. An idle one keeps its tick while
 * it has callbacks.
 *
 * Readers are known by their CPU, whose task does not leave it inside a section;
 * with preemptible readers those that did are in a list.
 *
 * Left out: the kthread's own wait for a CPU, the tree (a report is seen at
 * once), and the limit of callbacks run per softirq.
 */
#include <stdlib.h>

#include "os/internal.h"

enum { SEQ_STATE = 3, DIRECT_WAKE_CPUS = 16, STALL_MS = 21000 };
enum { LAZY_S = 10 };

static struct os_rcu *const rcu = &os.rcu;

void rcu_init(const struct os_config *config)
{
	uint32_t cpus = plat_cpu_count();
	sim_time hz = (1000 * SIM_MS + os.tick / 2) / os.tick;
	sim_time till = 1 + (hz > 250) + (hz > 500) + cpus / 256;
	sim_time urge = hz / 10 + cpus / 8;

	rcu->preemptible_readers = config->preemptible_readers;
	rcu->lazy_callbacks = config->lazy_callbacks;
	rcu->direct_wake = !config->no_direct_wake && cpus <= DIRECT_WAKE_CPUS;
	rcu->first_force = rcu->next_force = (uint32_t)till;
	rcu->urge = (uint32_t)(urge > 3 * till ? urge : 3 * till);
	rcu->stall = (config->stall_ms ? config->stall_ms : STALL_MS) * SIM_MS;
}

static void drop(struct os_callbacks *list)
{
	while (list->first) {
		struct os_callback *next = list->first->next;

		free(list->first);
		list->first = next;
	}
}

void rcu_clean_up(void)
{
	for (uint32_t s = 0; os.cpu && s < sim.config.cpus; s++) {
		drop(&os.cpu[s].rcu.callbacks);
		drop(&os.cpu[s].rcu.lazy);
	}
	rcu_clean_up_frees();
}

/* ---- The sequence ------------------------------------------------------------------ */

static bool under_way(void)
{
	return rcu->seq & SEQ_STATE;
}

/* What the sequence will have come to after a grace period that has not begun yet. */
uint64_t rcu_snapshot(void)
{
	return (rcu->seq + 2 * SEQ_STATE + 1) & ~(uint64_t)SEQ_STATE;
}

bool rcu_over(uint64_t cookie)
{
	return rcu->seq >= cookie;
}

/* ---- The kthread --------------------------------------------------------------------- */

static void step(void *arg, sim_time now);

static void step_at(enum os_gp_state state, sim_time at)
{
	rcu->state = state;
	sim_timer_add(&rcu->step, at, step, NULL);
}

/* When the kthread runs that a timer has woken. */
static sim_time timeout(sim_time now, uint32_t jiffies)
{
	return (now / os.tick + jiffies + 1) * os.tick + os.wakeup;
}

void rcu_request(uint64_t cookie, sim_time now)
{
	if (cookie > rcu->needed)
		rcu->needed = cookie;
	if (rcu->state == GP_IDLE && !rcu_over(rcu->needed))
		step_at(GP_START, now + os.wakeup);
}

static void begin(sim_time now)
{
	rcu->seq++;
	rcu->began = now;
	rcu->others = plat_cpu_count() > sim.config.cpus;
	rcu->waits_for = sim.config.cpus + rcu->others;
	for (uint32_t s = 0; s < sim.config.cpus; s++) {
		struct os_rcu_cpu *c = &os.cpu[s].rcu;

		c->waited_for = true;
		c->urgent = false;
		c->idles_then = c->idles;
		if (os.cpu[s].spinning)
			os_arm_tick(&os.cpu[s], now);
	}
	for (struct plat_task *t = rcu->readers; t; t = t->reader.next)
		t->reader.blocks_normal = true;
	rcu->blocked = 0;
	for (const struct plat_task *t = rcu->readers; t; t = t->reader.next)
		rcu->blocked++;
	step_at(GP_WAIT, timeout(now, rcu->first_force));
}

static void wake_waiters(void)
{
	struct os_rcu_waiter **link = &rcu->waiters;

	while (*link) {
		struct os_rcu_waiter *w = *link;

		if (!rcu_over(w->cookie)) {
			link = &w->next;
			continue;
		}
		*link = w->next;
		os_wake(w->task, PLAT_WOKEN);
	}
}

static void end(sim_time now)
{
	rcu->seq = (rcu->seq | SEQ_STATE) + 1;
	rcu->state = GP_IDLE;
	wake_waiters();
	rcu_free_drained(now);
	if (!rcu_over(rcu->needed))
		step_at(GP_START, now);
}

static bool complete(void)
{
	return !rcu->waits_for && !rcu->blocked;
}

/* The kthread sleeps; whoever reports last wakes it. */
static void end_soon(sim_time now)
{
	if (rcu->state == GP_WAIT && complete())
		step_at(GP_END, now + os.wakeup);
}

static void report(struct os_cpu *oc)
{
	if (!oc->rcu.waited_for)
		return;
	oc->rcu.waited_for = false;
	oc->rcu.urgent = false;
	rcu->waits_for--;
}

static bool has_been_idle(const struct os_cpu *oc)
{
	return oc->idle || oc->rcu.idles != oc->rcu.idles_then;
}

/* Quiescent states that nobody reports, and CPUs that need to be told. */
static void force(sim_time now)
{
	sim_time age = now - rcu->began;

	rcu->waits_for -= rcu->others;
	rcu->others = false;
	for (uint32_t s = 0; s < sim.config.cpus; s++) {
		struct os_cpu *oc = &os.cpu[s];

		if (oc->rcu.waited_for && has_been_idle(oc))
			report(oc);
		else if (oc->rcu.waited_for && age >= rcu->urge * os.tick)
			oc->rcu.urgent = true;
	}
	if (complete())
		end(now);
	else if (age >= rcu->stall)
		os_report_stall(age);
	else
		step_at(GP_WAIT, timeout(now, rcu->next_force));
}

static void step(void *arg, sim_time now)
{
	(void)arg;
	if (rcu->state == GP_START)
		begin(now);
	else if (rcu->state == GP_WAIT)
		force(now);
	else
		end(now);
}

/* ---- CPUs ------------------------------------------------------------------------------ */

static bool has_noticed(const struct os_rcu_cpu *c)
{
	return under_way() && c->noticed == rcu->seq;
}

static void advance_callbacks(struct os_rcu_cpu *c, sim_time now)
{
	if (c->callbacks.last && !rcu_over(c->callbacks.last->cookie))
		rcu_request(c->callbacks.last->cookie, now);
}

void rcu_tick(struct os_cpu *oc, bool user, sim_time now)
{
	struct os_rcu_cpu *c = &oc->rcu;

	if (under_way() && c->waited_for) {
		if (!has_noticed(c)) {
			c->noticed = rcu->seq;
			c->passed = false;
		} else if (user || c->passed) {
			report(oc);
			end_soon(now);
		}
		oc->resched |= c->urgent;
	}
	advance_callbacks(c, now);
}

static void note_blocked_reader(struct os_cpu *oc, struct plat_task *task)
{
	struct os_blocked_reader *r = &task->reader;

	if (r->listed)
		return;
	*r = (struct os_blocked_reader){.next = rcu->readers,
					.listed = true,
					.blocks_normal = under_way() && oc->rcu.waited_for,
					.blocks_expedited = oc->rcu.expedited};
	rcu->readers = task;
	rcu->blocked += r->blocks_normal;
	rcu->expedited_waits_for += r->blocks_expedited;
}

void rcu_cond_resched(struct os_cpu *oc)
{
	if (oc->rcu.urgent && has_noticed(&oc->rcu))
		oc->rcu.passed = true;
}

void rcu_switch(struct os_cpu *oc, struct plat_task *left, sim_time now)
{
	(void)now;
	if (left && left->readers)
		note_blocked_reader(oc, left);
	if (has_noticed(&oc->rcu))
		oc->rcu.passed = true;
	if (oc->rcu.expedited)
		rcu_answer(oc);
}

void rcu_idle(struct os_cpu *oc, sim_time now)
{
	(void)now;
	oc->rcu.idles++;
}

bool rcu_needs_cpu(const struct os_cpu *oc)
{
	return oc->rcu.callbacks.first;
}

/* ---- Readers ----------------------------------------------------------------------------- */

void plat_rcu_read_lock(void)
{
	struct plat_task *task = os_counted_task();

	if (task)
		task->readers++;
}

static void leave_list(struct plat_task *task)
{
	struct plat_task **link = &rcu->readers;

	while (*link != task)
		link = &(*link)->reader.next;
	*link = task->reader.next;
	task->reader.listed = false;
}

static void come_out(struct plat_task *task)
{
	os_in_order();
	leave_list(task);
	if (task->reader.blocks_normal) {
		task->reader.blocks_normal = false;
		rcu->blocked--;
		end_soon(os_now());
	}
	if (task->reader.blocks_expedited)
		rcu_expedited_less();
}

void plat_rcu_read_unlock(void)
{
	struct plat_task *task = os_counted_task();

	if (!task)
		return;
	if (--task->readers)
		return;
	if (sim_unlikely(task->reader.listed))
		come_out(task);
	os_check(sim.current);
}

/* ---- Callbacks ----------------------------------------------------------------------------- */

static void append(struct os_callbacks *list, struct os_callback *cb)
{
	cb->next = NULL;
	if (list->last)
		list->last->next = cb;
	else
		list->first = cb;
	list->last = cb;
}

/* All of them have to wait for the same as a new one now. */
static void flush_lazy(struct os_rcu_cpu *c)
{
	uint64_t cookie = rcu_snapshot();

	if (sim_timer_pending(&c->lazy_timer))
		sim_timer_cancel(&c->lazy_timer);
	while (c->lazy.first) {
		struct os_callback *cb = c->lazy.first;

		c->lazy.first = cb->next;
		cb->cookie = cookie;
		append(&c->callbacks, cb);
	}
	c->lazy.last = NULL;
}

static void lazy_is_due(void *arg, sim_time now)
{
	struct os_cpu *oc = arg;

	flush_lazy(&oc->rcu);
	if (oc->idle && !oc->waking)
		os_arm_tick(oc, now);
}

void plat_call_rcu(void (*fn)(void *arg), void *arg, enum plat_rcu_urgency urgency)
{
	bool lazy = urgency == PLAT_RCU_MAY_BE_LAZY && rcu->lazy_callbacks;
	struct os_callback *cb;
	struct os_cpu *oc;

	if (!sim.current) {
		fn(arg); /* nobody reads yet */
		return;
	}
	os_need_ticks("call_rcu");
	os_in_order();
	oc = os_cpu_of(sim.current);
	cb = malloc(sizeof(*cb));
	if (!cb)
		sim_fail("out of memory for RCU callbacks");
	*cb = (struct os_callback){.fn = fn, .arg = arg, .cookie = rcu_snapshot()};
	append(lazy ? &oc->rcu.lazy : &oc->rcu.callbacks, cb);
	if (!lazy)
		flush_lazy(&oc->rcu);
	else if (!sim_timer_pending(&oc->rcu.lazy_timer))
		sim_timer_add(&oc->rcu.lazy_timer, os_now() + LAZY_S * 1000 * SIM_MS, lazy_is_due,
			      oc);
}

bool rcu_ready(const struct os_cpu *oc)
{
	return oc->rcu.callbacks.first && rcu_over(oc->rcu.callbacks.first->cookie);
}

void rcu_run_callbacks(struct os_cpu *oc)
{
	struct os_callbacks *list = &oc->rcu.callbacks;
	struct sim_cpu *cpu = sim.current;
	struct sim_context *context = cpu->context;
	uint16_t wait_depth = cpu->wait_depth;

	cpu->context = &sim.contexts.root;
	cpu->wait_depth = 0;
	while (rcu_ready(oc)) {
		struct os_callback *cb = list->first;

		list->first = cb->next;
		if (!list->first)
			list->last = NULL;
		cb->fn(cb->arg);
		free(cb);
		os_in_order();
	}
	cpu->context = context;
	cpu->wait_depth = wait_depth;
}

/* ---- Waiting -------------------------------------------------------------------------------- */

static void wake_caller(void *arg)
{
	os_in_order();
	os_wake(arg, PLAT_WOKEN);
}

void plat_synchronize_rcu(void)
{
	struct os_rcu_waiter waiter;

	if (!sim.current)
		return;
	os_need_ticks("synchronize_rcu");
	os_in_order();
	waiter =
		(struct os_rcu_waiter){rcu->waiters, os_sleeper("synchronize_rcu"), rcu_snapshot()};
	if (rcu->direct_wake) {
		rcu->waiters = &waiter;
		rcu_request(waiter.cookie, os_now());
	} else {
		plat_call_rcu(wake_caller, waiter.task, PLAT_RCU_HURRY);
	}
	os_sleep(waiter.task);
}

uint64_t plat_rcu_get_state(void)
{
	os_in_order();
	return rcu_snapshot();
}

bool plat_rcu_poll_state(uint64_t cookie)
{
	os_in_order();
	return rcu_over(cookie);
}
