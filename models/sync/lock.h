/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Spinlocks behind one set of verbs. A lock is one 32-bit word, as in the
 * kernel's hash bucket, zero when free; its meaning belongs to the kind. Queue
 * nodes live in per-CPU memory that spin_lock_setup() allocates.
 */
#ifndef FUTEXSIM_SYNC_LOCK_H
#define FUTEXSIM_SYNC_LOCK_H

#include "platform.h"

typedef struct {
	_Atomic(uint32_t) word;
} spinlock_t;

enum lock_kind {
	LOCK_TAS,
	LOCK_TICKET,        /* x86, v3.12 era: {head, tail} of 16 bits */
	LOCK_MCS,           /* the word names the last node, nodes per CPU */
	LOCK_QSPINLOCK,     /* x86 since v4.2 */
	LOCK_PPC_QSPINLOCK, /* powerpc's own queued lock */
	LOCK_KIND_COUNT
};

struct lock_class {
	const char *name;    /* as in scenarios: "ticket", "ppc-qspinlock", ... */
	bool fifo;           /* strict order of arrival is promised */
	void (*setup)(void); /* once per run, before the first lock; may be NULL */
	void (*lock)(spinlock_t *lock);
	bool (*trylock)(spinlock_t *lock);
	void (*unlock)(spinlock_t *lock);
	bool (*is_locked)(spinlock_t *lock);
};

/* Never NULL for a valid kind. */
const struct lock_class *lock_class_of(enum lock_kind kind);

#endif
