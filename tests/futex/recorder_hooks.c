// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The interface that -fsanitize=thread compiles against (compiler-rt
 * tsan_interface.h and tsan_interface_atomic.h), for one thread.
 */
#include "recorder.h"

#include <string.h>

void __tsan_init(void);
void __tsan_init(void)
{
}

void __tsan_func_entry(void *caller);
void __tsan_func_entry(void *caller)
{
	(void)caller;
}

void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
}

#define PLAIN(name, size)                                                                          \
	void name(void *p);                                                                        \
	void name(void *p)                                                                         \
	{                                                                                          \
		recorder_plain(p, size);                                                           \
	}
#define PLAIN_SIZE(size)                                                                           \
	PLAIN(__tsan_read##size, size)                                                             \
	PLAIN(__tsan_write##size, size)                                                            \
	PLAIN(__tsan_read_write##size, size)                                                       \
	PLAIN(__tsan_unaligned_read##size, size)                                                   \
	PLAIN(__tsan_unaligned_write##size, size)                                                  \
	PLAIN(__tsan_unaligned_read_write##size, size)
PLAIN_SIZE(1)
PLAIN_SIZE(2)
PLAIN_SIZE(4)
PLAIN_SIZE(8)
PLAIN_SIZE(16)

void __tsan_read_range(void *p, size_t size);
void __tsan_read_range(void *p, size_t size)
{
	recorder_plain(p, size);
}

void __tsan_write_range(void *p, size_t size);
void __tsan_write_range(void *p, size_t size)
{
	recorder_plain(p, size);
}

#define FETCH(bits, type, name, builtin)                                                           \
	type __tsan_atomic##bits##_##name(volatile type *p, type v, int order);                    \
	type __tsan_atomic##bits##_##name(volatile type *p, type v, int order)                     \
	{                                                                                          \
		recorder_note(ACCESS_RMW, p, order);                                               \
		return builtin(p, v, __ATOMIC_SEQ_CST);                                            \
	}

#define EXCHANGE_IF_EQUAL(bits, type, name)                                                        \
	int __tsan_atomic##bits##_##name(volatile type *p, type *expected, type desired,           \
					 int order, int failure);                                  \
	int __tsan_atomic##bits##_##name(volatile type *p, type *expected, type desired,           \
					 int order, int failure)                                   \
	{                                                                                          \
		(void)failure;                                                                     \
		recorder_note(ACCESS_RMW, p, order);                                               \
		return __atomic_compare_exchange_n(p, expected, desired, 0, __ATOMIC_SEQ_CST,      \
						   __ATOMIC_SEQ_CST);                              \
	}

#define ATOMICS(bits, type)                                                                        \
	type __tsan_atomic##bits##_load(const volatile type *p, int order);                        \
	type __tsan_atomic##bits##_load(const volatile type *p, int order)                         \
	{                                                                                          \
		recorder_note(ACCESS_LOAD, p, order);                                              \
		return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                       \
	}                                                                                          \
	void __tsan_atomic##bits##_store(volatile type *p, type v, int order);                     \
	void __tsan_atomic##bits##_store(volatile type *p, type v, int order)                      \
	{                                                                                          \
		recorder_note(ACCESS_STORE, p, order);                                             \
		__atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                          \
	}                                                                                          \
	FETCH(bits, type, exchange, __atomic_exchange_n)                                           \
	FETCH(bits, type, fetch_add, __atomic_fetch_add)                                           \
	FETCH(bits, type, fetch_sub, __atomic_fetch_sub)                                           \
	FETCH(bits, type, fetch_and, __atomic_fetch_and)                                           \
	FETCH(bits, type, fetch_or, __atomic_fetch_or)                                             \
	FETCH(bits, type, fetch_xor, __atomic_fetch_xor)                                           \
	EXCHANGE_IF_EQUAL(bits, type, compare_exchange_strong)                                     \
	EXCHANGE_IF_EQUAL(bits, type, compare_exchange_weak)                                       \
	type __tsan_atomic##bits##_compare_exchange_val(volatile type *p, type expected,           \
							type desired, int order, int failure);     \
	type __tsan_atomic##bits##_compare_exchange_val(volatile type *p, type expected,           \
							type desired, int order, int failure)      \
	{                                                                                          \
		__tsan_atomic##bits##_compare_exchange_strong(p, &expected, desired, order,        \
							      failure);                            \
		return expected;                                                                   \
	}
ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order)
{
	recorder_note(ACCESS_FENCE, NULL, order);
}

void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order)
{
	(void)order;
}
