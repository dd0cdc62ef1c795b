/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stackful coroutines. Stacks come from one reservation and are coloured: their
 * tops are offset against each other, so that hot frames of many coroutines do
 * not compete for the same cache sets. Canaries at the low end find overflows.
 */
#ifndef FUTEXSIM_SIM_CORO_H
#define FUTEXSIM_SIM_CORO_H

#include <stddef.h>
#include <stdint.h>

#if defined(__SANITIZE_ADDRESS__)
#define CORO_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CORO_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define CORO_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CORO_TSAN 1
#endif
#endif
#if defined(CORO_ASAN) || defined(CORO_TSAN)
#define CORO_SANITIZED 1
#else
#define CORO_SANITIZED 0
#endif

struct coro {
	void *sp;      /* saved stack pointer (assembly back end) */
	void *context; /* ucontext_t (portable back end) */
	char *stack;   /* lowest byte */
	size_t size;
	void (*entry)(void *arg);
	void *arg;
	void *fiber;      /* ThreadSanitizer's handle */
	void *fake_stack; /* AddressSanitizer's handle */
};

struct coro_pool {
	char *base;
	size_t bytes;
	size_t stride;
	uint32_t count;
};

/* Reserves `count` stacks. 0, or -1 when the address space is not to be had. */
int coro_pool_init(struct coro_pool *pool, uint32_t count);
void coro_pool_clean_up(struct coro_pool *pool);

/* Prepares coroutine `index` of the pool to run entry(arg), which must not return. */
void coro_init(struct coro *c, struct coro_pool *pool, uint32_t index, void (*entry)(void *),
	       void *arg);
/* Describes the caller's own stack, so that it can be switched away from. */
void coro_init_main(struct coro *c);
void coro_clean_up(struct coro *c);

/* Leaves `from` and continues `to`. */
#if defined(FUTEXSIM_UCONTEXT) || !(defined(__x86_64__) || defined(__aarch64__)) || CORO_SANITIZED
void coro_switch(struct coro *from, struct coro *to);
#else
extern struct coro *coro_starting; /* read by a coroutine's first instructions */
void sim_coro_swap(void **save, void *load);

static inline void coro_switch(struct coro *from, struct coro *to)
{
	coro_starting = to;
	sim_coro_swap(&from->sp, to->sp);
}
#endif

/* False if the coroutine ran over the end of its stack. */
int coro_stack_intact(const struct coro *c);

/* "x86-64", "aarch64" or "ucontext". */
const char *coro_backend(void);

#endif
