/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Code that is compiled with -fsanitize=thread like the core: C11 atomics of
 * every width, accesses the core must not make, a ticket lock.
 */
#ifndef FUTEXSIM_TESTS_INSTRUMENTED_H
#define FUTEXSIM_TESTS_INSTRUMENTED_H

#include "platform.h"

#define DECLARE_ATOMICS(bits)                                                                      \
	uint##bits##_t test_load##bits(_Atomic(uint##bits##_t) *p);                                \
	void test_store##bits(_Atomic(uint##bits##_t) *p, uint##bits##_t v);                       \
	uint##bits##_t test_exchange##bits(_Atomic(uint##bits##_t) *p, uint##bits##_t v);          \
	uint##bits##_t test_add##bits(_Atomic(uint##bits##_t) *p, uint##bits##_t v);               \
	uint##bits##_t test_sub##bits(_Atomic(uint##bits##_t) *p, uint##bits##_t v);               \
	uint##bits##_t test_and##bits(_Atomic(uint##bits##_t) *p, uint##bits##_t v);               \
	uint##bits##_t test_or##bits(_Atomic(uint##bits##_t) *p, uint##bits##_t v);                \
	uint##bits##_t test_xor##bits(_Atomic(uint##bits##_t) *p, uint##bits##_t v);               \
	bool test_strong##bits(_Atomic(uint##bits##_t) *p, uint##bits##_t *expected,               \
			       uint##bits##_t v);                                                  \
	bool test_weak##bits(_Atomic(uint##bits##_t) *p, uint##bits##_t *expected,                 \
			     uint##bits##_t v);

DECLARE_ATOMICS(8)
DECLARE_ATOMICS(16)
DECLARE_ATOMICS(32)
DECLARE_ATOMICS(64)

/* A full fence; a lighter one. */
void test_fence(void);
void test_acquire_fence(void);

/* Atomics on the caller's own stack; returns what they leave there. */
uint32_t test_private(uint32_t rounds);

/* One RMW, then a call of test_inner, which makes two. */
void test_outer(void *p);
void test_inner(void *p);

/* What the core must never do to arena memory. */
uint32_t test_plain_load(const uint32_t *p);
void test_plain_store(uint32_t *p, uint32_t v);
uint64_t test_volatile_load(const volatile uint64_t *p);
void test_plain_clear(void *p, size_t bytes);

/* A ticket lock as Linux 3.12 had it: next in the upper half, owner in the lower. */
void test_ticket_lock(_Atomic(uint32_t) *lock);
void test_ticket_unlock(_Atomic(uint32_t) *lock);

#endif
