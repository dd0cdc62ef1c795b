/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The access hooks as tests call them: what the compiler emits for the core. */
#ifndef FUTEXSIM_TESTS_HOOKS_H
#define FUTEXSIM_TESTS_HOOKS_H

#include <stdint.h>

uint32_t futexsim_tsan_atomic32_load(const volatile void *p, int order);
void futexsim_tsan_atomic32_store(volatile void *p, uint32_t v, int order);
uint32_t futexsim_tsan_atomic32_fetch_add(volatile void *p, uint32_t v, int order);
uint32_t futexsim_tsan_atomic32_exchange(volatile void *p, uint32_t v, int order);
int futexsim_tsan_atomic32_compare_exchange_strong(volatile void *p, void *expected, uint32_t v,
						   int order, int failure);
void futexsim_tsan_atomic_thread_fence(int order);
void futexsim_tsan_func_entry(void *caller);
void futexsim_tsan_func_exit(void *caller);
void futexsim_tsan_read4(void *p);

#endif
