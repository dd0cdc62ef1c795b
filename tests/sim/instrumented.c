/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "instrumented.h"

#include <string.h>

#define DEFINE_ATOMICS(bits)                                                                       \
	PLAT_FN uint##bits##_t test_load##bits(_Atomic(uint##bits##_t) *p)                         \
	{                                                                                          \
		return atomic_load_explicit(p, memory_order_acquire);                              \
	}                                                                                          \
	PLAT_FN void test_store##bits(_Atomic(uint##bits##_t) *p, uint##bits##_t v)                \
	{                                                                                          \
		atomic_store_explicit(p, v, memory_order_release);                                 \
	}                                                                                          \
	PLAT_FN uint##bits##_t test_exchange##bits(_Atomic(uint##bits##_t) *p, uint##bits##_t v)   \
	{                                                                                          \
		return atomic_exchange(p, v);                                                      \
	}                                                                                          \
	PLAT_FN uint##bits##_t test_add##bits(_Atomic(uint##bits##_t) *p, uint##bits##_t v)        \
	{                                                                                          \
		return atomic_fetch_add(p, v);                                                     \
	}                                                                                          \
	PLAT_FN uint##bits##_t test_sub##bits(_Atomic(uint##bits##_t) *p, uint##bits##_t v)        \
	{                                                                                          \
		return atomic_fetch_sub(p, v);                                                     \
	}                                                                                          \
	PLAT_FN uint##bits##_t test_and##bits(_Atomic(uint##bits##_t) *p, uint##bits##_t v)        \
	{                                                                                          \
		return atomic_fetch_and(p, v);                                                     \
	}                                                                                          \
	PLAT_FN uint##bits##_t test_or##bits(_Atomic(uint##bits##_t) *p, uint##bits##_t v)         \
	{                                                                                          \
		return atomic_fetch_or(p, v);                                                      \
	}                                                                                          \
	PLAT_FN uint##bits##_t test_xor##bits(_Atomic(uint##bits##_t) *p, uint##bits##_t v)        \
	{                                                                                          \
		return atomic_fetch_xor(p, v);                                                     \
	}                                                                                          \
	PLAT_FN bool test_strong##bits(_Atomic(uint##bits##_t) *p, uint##bits##_t *expected,       \
				       uint##bits##_t v)                                           \
	{                                                                                          \
		return atomic_compare_exchange_strong(p, expected, v);                             \
	}                                                                                          \
	PLAT_FN bool test_weak##bits(_Atomic(uint##bits##_t) *p, uint##bits##_t *expected,         \
				     uint##bits##_t v)                                             \
	{                                                                                          \
		return atomic_compare_exchange_weak(p, expected, v);                               \
	}

DEFINE_ATOMICS(8)
DEFINE_ATOMICS(16)
DEFINE_ATOMICS(32)
DEFINE_ATOMICS(64)

PLAT_FN void test_fence(void)
{
	atomic_thread_fence(memory_order_seq_cst);
}

PLAT_FN void test_acquire_fence(void)
{
	atomic_thread_fence(memory_order_acquire);
}

PLAT_FN uint32_t test_private(uint32_t rounds)
{
	_Atomic(uint32_t) own = 0;

	for (uint32_t i = 0; i < rounds; i++)
		atomic_fetch_add(&own, 3);
	return atomic_load(&own);
}

PLAT_FN void test_inner(void *p)
{
	atomic_fetch_add((_Atomic(uint32_t) *)p, 1);
	atomic_fetch_add((_Atomic(uint32_t) *)p, 1);
}

PLAT_FN void test_outer(void *p)
{
	atomic_fetch_add((_Atomic(uint32_t) *)p, 1);
	test_inner(p);
}

PLAT_FN uint32_t test_plain_load(const uint32_t *p)
{
	return *p;
}

PLAT_FN void test_plain_store(uint32_t *p, uint32_t v)
{
	*p = v;
}

PLAT_FN uint64_t test_volatile_load(const volatile uint64_t *p)
{
	return *p;
}

PLAT_FN void test_plain_clear(void *p, size_t bytes)
{
	memset(p, 0, bytes);
}

PLAT_FN void test_ticket_lock(_Atomic(uint32_t) *lock)
{
	uint32_t word = atomic_fetch_add_explicit(lock, 1u << 16, memory_order_acquire);
	uint16_t mine = (uint16_t)(word >> 16), owner = (uint16_t)word;

	/* The owner's half by itself, as the kernel's loop reads it. */
	while (owner != mine)
		owner = plat_wait_until_changed16((_Atomic(uint16_t) *)(void *)lock, owner);
}

PLAT_FN void test_ticket_unlock(_Atomic(uint32_t) *lock)
{
	_Atomic(uint16_t) *owner = (_Atomic(uint16_t) *)(void *)lock;
	uint16_t next = (uint16_t)(atomic_load_explicit(owner, memory_order_relaxed) + 1u);

	atomic_store_explicit(owner, next, memory_order_release);
}
