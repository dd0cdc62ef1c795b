/* SPDX-License-Identifier: GPL-3.0-or-later */
/* RCU's state, part of that of tasks and CPUs; see rcu.c. */
#ifndef FUTEXSIM_OS_RCU_H
#define FUTEXSIM_OS_RCU_H

#include <stdbool.h>

#include "origin.h"
#include "timers.h"

struct plat_task;
struct os_cpu;
struct os_config;

/* A task that left its CPU inside a read-side section: in a list until it leaves the section. */
struct os_blocked_reader {
	struct plat_task *next;
	bool listed;
	bool blocks_normal, blocks_expedited; /* the present grace period of that kind */
};

struct os_callback {
	struct os_callback *next;
	void (*fn)(void *arg);
	void *arg;
	uint64_t cookie; /* may run when the sequence has come so far */
};

struct os_callbacks {
	struct os_callback *first, *last;
};

struct os_rcu_cpu {
	uint64_t noticed;    /* the grace period the CPU has noticed, at a tick */
	bool waited_for;     /* the present one waits for a quiescent state of this CPU */
	bool passed;         /* it had one since it noticed */
	bool urgent;         /* it is to switch at its next tick */
	bool expedited;      /* the same as waited_for, for the expedited one */
	uint32_t idles;      /* times it has become idle ... */
	uint32_t idles_then; /* ... when the grace period began */
	struct os_callbacks callbacks, lazy;
	struct sim_timer lazy_timer;
};

/* A task in plat_synchronize_rcu() that the end of a grace period wakes. */
struct os_rcu_waiter {
	struct os_rcu_waiter *next;
	struct plat_task *task;
	uint64_t cookie;
};

enum os_gp_state { GP_IDLE, GP_START, GP_WAIT, GP_END };

struct os_rcu {
	uint64_t seq;    /* as the kernel's: lowest bits 1 while a grace period is under way */
	uint64_t needed; /* how far somebody needs it */
	enum os_gp_state state; /* what the grace-period kthread does next, when `step` is due */
	struct sim_timer step;
	sim_time began;
	uint32_t waits_for; /* CPUs; those without a slot count as one */
	uint32_t blocked;   /* readers that left their CPUs */
	bool others;        /* CPUs without a slot, all idle, have not been seen idle yet */
	bool preemptible_readers, lazy_callbacks, direct_wake;
	uint32_t first_force, next_force, urge; /* jiffies */
	sim_time stall;
	struct os_rcu_waiter *waiters;
	struct plat_task *readers; /* that left their CPUs */
	/* The expedited grace period. */
	struct plat_task *expediter;
	struct os_rcu_waiter *queue; /* for the next one */
	uint32_t expedited_waits_for;
	/* kvfree_rcu: being filled; waiting for a grace period. */
	struct os_kvfree {
		struct os_freed {
			void *object;
			struct sim_origin who;
		} * freed;
		uint32_t count, capacity;
	} filling, draining;
	uint64_t drain_cookie;
	struct sim_timer drain;
};

void rcu_init(const struct os_config *config);
void rcu_clean_up(void);

/* The CPU's tick; `user`: it hit user mode or an idle CPU. */
void rcu_tick(struct os_cpu *oc, bool user, sim_time now);
/* The CPU switches, from `left`, if that is a task. */
void rcu_switch(struct os_cpu *oc, struct plat_task *left, sim_time now);
void rcu_idle(struct os_cpu *oc, sim_time now);
/* An expedited grace period asks the CPU, whose task is in no section. */
void rcu_answer(struct os_cpu *oc);
/* Does the CPU need its tick even when it is idle? */
bool rcu_needs_cpu(const struct os_cpu *oc);
/* Are there callbacks to run? */
bool rcu_ready(const struct os_cpu *oc);
void rcu_run_callbacks(struct os_cpu *oc);
/* Frees what plat_kvfree_rcu() holds back, after the run. */
void rcu_free_held_back(void);

/* ---- Between rcu.c, rcu_expedited.c and rcu_free.c ------------------------------------- */

/* What the sequence will have come to after a grace period that has not begun yet. */
uint64_t rcu_snapshot(void);
bool rcu_over(uint64_t cookie);
/* Somebody needs the sequence to come that far. */
void rcu_request(uint64_t cookie, sim_time now);
/* One CPU or reader less for the expedited grace period to wait for. */
void rcu_expedited_less(void);
/* A grace period has ended. */
void rcu_free_drained(sim_time now);
void rcu_clean_up_frees(void);

#endif
