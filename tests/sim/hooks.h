/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The access hooks as tests call them: what the compiler emits for the core. */
#ifndef FUTEXSIM_TESTS_HOOKS_H
#define FUTEXSIM_TESTS_HOOKS_H

#include <stdint.h>

#define DECLARE_HOOKS(bits)                                                                        \
	uint##bits##_t futexsim_tsan_atomic##bits##_load(const volatile void *p, int order);       \
	void futexsim_tsan_atomic##bits##_store(volatile void *p, uint##bits##_t v, int order);    \
	uint##bits##_t futexsim_tsan_atomic##bits##_fetch_add(volatile void *p, uint##bits##_t v,  \
							      int order);                          \
	uint##bits##_t futexsim_tsan_atomic##bits##_exchange(volatile void *p, uint##bits##_t v,   \
							     int order);                           \
	int futexsim_tsan_atomic##bits##_compare_exchange_strong(                                  \
		volatile void *p, void *expected, uint##bits##_t v, int order, int failure);

DECLARE_HOOKS(8)
DECLARE_HOOKS(16)
DECLARE_HOOKS(32)
DECLARE_HOOKS(64)

void futexsim_tsan_atomic_thread_fence(int order);
void futexsim_tsan_func_entry(void *caller);
void futexsim_tsan_func_exit(void *caller);
void futexsim_tsan_read4(void *p);

#endif
