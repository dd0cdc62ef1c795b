/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A platform for one thread that records. The core is compiled with
 * -fsanitize=thread and linked against the hooks of recorder_hooks.c: every
 * access to memory from plat_alloc() is noted with the name it was given.
 * Nothing of the simulator takes part, so that the two check each other.
 */
#ifndef FUTEXSIM_TESTS_RECORDER_H
#define FUTEXSIM_TESTS_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum access_kind { ACCESS_LOAD, ACCESS_STORE, ACCESS_RMW, ACCESS_FENCE, ACCESS_PERCPU };

struct access {
	enum access_kind kind;
	int order;     /* memory order of an atomic access */
	int delta;     /* of a per-CPU addition */
	char name[48]; /* "bucket.waiters", "futex", "fph.users" */
};

struct recorder_machine {
	size_t line_size, page_size;
	unsigned cpus, nodes;
};

/* Forgets all memory, names and accesses, and becomes another machine. */
void recorder_reset(const struct recorder_machine *machine);

void recorder_start(void);
/* The accesses since recorder_start(); valid until the next start or reset. */
const struct access *recorder_stop(size_t *count);

/* Between start and stop: plat_work() calls of a kind, sum of plat_work_cycles(). */
unsigned recorder_work_count(unsigned kind);
unsigned recorder_cycles(void);
/* plat_op_done() calls since the reset. */
unsigned recorder_ops(void);

/*
 * What happens while the only task sleeps: the next plat_schedule() calls fn(arg),
 * unrecorded, and then finds its state 0 or its deadline passed.
 */
void recorder_while_asleep(void (*fn)(void *arg), void *arg);

/* For the hooks. */
void recorder_note(enum access_kind kind, const volatile void *p, int order);
/* A plain access: fatal if it is to shared memory. */
void recorder_plain(const volatile void *p, size_t size);

#endif
