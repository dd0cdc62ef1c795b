/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reference counts of the private hash, as kinds a policy can name. */
#ifndef FUTEXSIM_SYNC_REFCOUNT_H
#define FUTEXSIM_SYNC_REFCOUNT_H

#include "platform.h"

enum refcount_kind {
	REFCOUNT_NONE,      /* no access at all */
	REFCOUNT_PLAIN_INT, /* load, store: the 2025 experiment; not correct code */
	REFCOUNT_ATOMIC,    /* inc_not_zero (load + cmpxchg loop), dec_and_test */
	REFCOUNT_RCUREF,    /* unconditional add, zones: see rcuref.c */
	REFCOUNT_PERCPU,    /* this-CPU counter, steady state */
	REFCOUNT_KIND_COUNT
};

/* Lower case name as in scenarios ("plain-int"); never NULL for a valid kind. */
const char *refcount_name(enum refcount_kind kind);

/* rcuref: word is references - 1; see rcuref.c for the zones. */
void rcuref_init(_Atomic(uint32_t) *ref, uint32_t count);
bool rcuref_get(_Atomic(uint32_t) *ref); /* false: dead */
bool rcuref_put(_Atomic(uint32_t) *ref); /* true: last reference dropped */
bool rcuref_is_dead(_Atomic(uint32_t) *ref);
/*
 * The rest of a put whose decrement left `count`, not a valid one. Apart so that
 * a get can be made to fall between the two.
 */
bool rcuref_put_slowpath(_Atomic(uint32_t) *ref, uint32_t count);

bool plainref_get(_Atomic(uint32_t) *ref);
bool plainref_put(_Atomic(uint32_t) *ref);

bool atomicref_get(_Atomic(uint64_t) *ref); /* inc_not_zero */
bool atomicref_put(_Atomic(uint64_t) *ref); /* dec_and_test */

#endif
