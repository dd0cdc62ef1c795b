/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The runtime behind the instrumented core. The compiler's -fsanitize=thread
 * calls arrive here under names of our own (objcopy renames __tsan_ to
 * futexsim_tsan_, see models/meson.build), so that this program itself can be
 * built with any sanitizer. These calls are the simulated CPU.
 *
 * An atomic on arena memory first lets its simulated time pass, then is
 * performed on the backing store: between two switches nothing else runs, so
 * plain C does it. An atomic elsewhere (stack, constants) is private and free.
 * A plain access to the arena is a bug in the core and ends the program.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access.h"

#define HOOK(name) futexsim_tsan_##name
#define CALLER     __builtin_return_address(0)

static inline bool in_arena(const volatile void *p)
{
	return sim_memory_offset(&sim.memory, p) < sim.memory.bytes;
}

static inline void *shared_access(const volatile void *p, enum sim_access_kind kind, int order)
{
	size_t offset = sim_memory_offset(&sim.memory, p);

	if (offset >= sim.memory.bytes)
		return (void *)(uintptr_t)p;
	if (sim_unlikely(sim_tracing))
		sim_trace(offset, kind, order);
	sim_access(offset, kind);
	return sim.memory.backing + offset;
}

#define DEFINE_READ_MODIFY_WRITE(bits, name, expression)                                           \
	uint##bits##_t HOOK(atomic##bits##_##name)(volatile void *p, uint##bits##_t v, int order); \
	uint##bits##_t HOOK(atomic##bits##_##name)(volatile void *p, uint##bits##_t v, int order)  \
	{                                                                                          \
		uint##bits##_t *cell = shared_access(p, SIM_RMW, order);                           \
		uint##bits##_t old = *cell;                                                        \
		*cell = (uint##bits##_t)(expression);                                              \
		return old;                                                                        \
	}

/* The expected value is always on the caller's stack. */
#define DEFINE_COMPARE_EXCHANGE(bits, name)                                                        \
	int HOOK(atomic##bits##_##name)(volatile void *p, void *expected, uint##bits##_t v,        \
					int order, int failure_order);                             \
	int HOOK(atomic##bits##_##name)(volatile void *p, void *expected, uint##bits##_t v,        \
					int order, int failure_order)                              \
	{                                                                                          \
		uint##bits##_t *cell = shared_access(p, SIM_RMW, order);                           \
		uint##bits##_t *seen = expected;                                                   \
		bool equal = *cell == *seen;                                                       \
		(void)failure_order;                                                               \
		if (equal)                                                                         \
			*cell = v;                                                                 \
		else                                                                               \
			*seen = *cell;                                                             \
		return equal;                                                                      \
	}

#define DEFINE_WIDTH(bits)                                                                         \
	uint##bits##_t HOOK(atomic##bits##_load)(const volatile void *p, int order);               \
	uint##bits##_t HOOK(atomic##bits##_load)(const volatile void *p, int order)                \
	{                                                                                          \
		return *(uint##bits##_t *)shared_access(p, SIM_LOAD, order);                       \
	}                                                                                          \
	void HOOK(atomic##bits##_store)(volatile void *p, uint##bits##_t v, int order);            \
	void HOOK(atomic##bits##_store)(volatile void *p, uint##bits##_t v, int order)             \
	{                                                                                          \
		*(uint##bits##_t *)shared_access(p, SIM_STORE, order) = v;                         \
	}                                                                                          \
	DEFINE_READ_MODIFY_WRITE(bits, exchange, v)                                                \
	DEFINE_READ_MODIFY_WRITE(bits, fetch_add, old + v)                                         \
	DEFINE_READ_MODIFY_WRITE(bits, fetch_sub, old - v)                                         \
	DEFINE_READ_MODIFY_WRITE(bits, fetch_and, old &v)                                          \
	DEFINE_READ_MODIFY_WRITE(bits, fetch_or, old | v)                                          \
	DEFINE_READ_MODIFY_WRITE(bits, fetch_xor, old ^ v)                                         \
	DEFINE_READ_MODIFY_WRITE(bits, fetch_nand, ~(old & v))                                     \
	DEFINE_COMPARE_EXCHANGE(bits, compare_exchange_strong)                                     \
	DEFINE_COMPARE_EXCHANGE(bits, compare_exchange_weak)                                       \
	uint##bits##_t HOOK(atomic##bits##_compare_exchange_val)(                                  \
		volatile void *p, uint##bits##_t expected, uint##bits##_t v, int order,            \
		int failure);                                                                      \
	uint##bits##_t HOOK(atomic##bits##_compare_exchange_val)(                                  \
		volatile void *p, uint##bits##_t expected, uint##bits##_t v, int order,            \
		int failure)                                                                       \
	{                                                                                          \
		HOOK(atomic##bits##_compare_exchange_strong)(p, &expected, v, order, failure);     \
		return expected;                                                                   \
	}

DEFINE_WIDTH(8)
DEFINE_WIDTH(16)
DEFINE_WIDTH(32)
DEFINE_WIDTH(64)

void HOOK(atomic_thread_fence)(int order);
void HOOK(atomic_thread_fence)(int order)
{
	struct sim_cpu *cpu = sim.current;

	if (sim_unlikely(sim_tracing))
		sim_trace(0, SIM_FENCE, order);
	/* Only the full barrier has a cost of its own; lighter ones order nothing yet. */
	if (cpu && order == __ATOMIC_SEQ_CST)
		sim_spend(cpu, SIM_COST_WORK, sim.hit_cost[SIM_FENCE]);
}

void HOOK(atomic_signal_fence)(int order);
void HOOK(atomic_signal_fence)(int order)
{
	(void)order;
}

/* ---- Functions ------------------------------------------------------------ */

/*
 * Only functions in this section are named in reports; which of the others the
 * compiler inlined then makes no difference. The linker defines the bounds.
 */
extern const char __start_plat_fn[] __attribute__((weak, visibility("hidden")));
extern const char __stop_plat_fn[] __attribute__((weak, visibility("hidden")));

static bool is_named(const void *pc)
{
	return (uintptr_t)pc - (uintptr_t)__start_plat_fn <
	       (uintptr_t)__stop_plat_fn - (uintptr_t)__start_plat_fn;
}

static __attribute__((noinline)) void enter_new(struct sim_cpu *cpu, const void *pc)
{
	struct sim_context *context =
		sim_context_find(&sim.contexts, cpu->context, pc, is_named(pc));

	if (!context)
		sim_fail("out of memory for calling contexts");
	cpu->context = context;
}

void HOOK(func_entry)(void *caller);
void HOOK(func_entry)(void *caller)
{
	struct sim_cpu *cpu = sim.current;
	const struct sim_callee *callee;

	(void)caller;
	if (!cpu)
		return;
	callee = sim_callee_of(cpu->context, CALLER);
	if (sim_likely(callee->pc == CALLER))
		cpu->context = callee->context;
	else
		enter_new(cpu, CALLER);
}

void HOOK(func_exit)(void *caller);
void HOOK(func_exit)(void *caller)
{
	struct sim_cpu *cpu = sim.current;

	(void)caller;
	if (cpu)
		cpu->context = cpu->context->parent;
}

void HOOK(init)(void);
void HOOK(init)(void)
{
}

/* ---- Plain accesses: fine on private memory, a bug on the arena -------------- */

static void plain(const volatile void *p, const char *what, const void *caller)
{
	char name[64];

	if (sim_likely(!in_arena(p)))
		return;
	sim_memory_describe(&sim.memory, sim_memory_offset(&sim.memory, p), name, sizeof(name));
	fprintf(stderr,
		"futexsim: plain %s of %s at code address %p: shared memory needs C11 atomics\n",
		what, name, caller);
	abort();
}

#define DEFINE_PLAIN(name, what)                                                                   \
	void HOOK(name)(void *p);                                                                  \
	void HOOK(name)(void *p)                                                                   \
	{                                                                                          \
		plain(p, what, CALLER);                                                            \
	}
#define DEFINE_PLAIN_WIDTH(bytes)                                                                  \
	DEFINE_PLAIN(read##bytes, "load")                                                          \
	DEFINE_PLAIN(write##bytes, "store")                                                        \
	DEFINE_PLAIN(unaligned_read##bytes, "load")                                                \
	DEFINE_PLAIN(unaligned_write##bytes, "store")                                              \
	DEFINE_PLAIN(volatile_read##bytes, "volatile load")                                        \
	DEFINE_PLAIN(volatile_write##bytes, "volatile store")                                      \
	DEFINE_PLAIN(read_write##bytes, "update")                                                  \
	DEFINE_PLAIN(unaligned_read_write##bytes, "update")

DEFINE_PLAIN_WIDTH(1)
DEFINE_PLAIN_WIDTH(2)
DEFINE_PLAIN_WIDTH(4)
DEFINE_PLAIN_WIDTH(8)
DEFINE_PLAIN_WIDTH(16)

void HOOK(read_range)(void *p, size_t bytes);
void HOOK(read_range)(void *p, size_t bytes)
{
	if (bytes)
		plain(p, "block load", CALLER);
}

void HOOK(write_range)(void *p, size_t bytes);
void HOOK(write_range)(void *p, size_t bytes)
{
	if (bytes)
		plain(p, "block store", CALLER);
}

/* Clang turns these into calls when it instruments intrinsics. */
void *HOOK(memcpy)(void *to, const void *from, size_t bytes);
void *HOOK(memcpy)(void *to, const void *from, size_t bytes)
{
	plain(to, "memcpy", CALLER);
	plain(from, "memcpy", CALLER);
	return memcpy(to, from, bytes);
}

void *HOOK(memset)(void *to, int byte, size_t bytes);
void *HOOK(memset)(void *to, int byte, size_t bytes)
{
	plain(to, "memset", CALLER);
	return memset(to, byte, bytes);
}

void *HOOK(memmove)(void *to, const void *from, size_t bytes);
void *HOOK(memmove)(void *to, const void *from, size_t bytes)
{
	plain(to, "memmove", CALLER);
	plain(from, "memmove", CALLER);
	return memmove(to, from, bytes);
}
