// SPDX-License-Identifier: GPL-3.0-or-later
/* Spinning with a watchdog, straight-line work, and perturbation. */
#include "native/internal.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SPINS_BEFORE_YIELD = 64, YIELDS_PER_SLEEP = 16 };

static _Atomic(uint64_t) deadline_ns; /* CLOCK_MONOTONIC; 0: none */
static _Atomic(const char *) failure;
static _Atomic(uint64_t) perturb_seed;
static _Atomic(uint32_t) perturb_one_in;
static _Atomic(uint32_t) perturb_generation;

uint64_t native_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void native_set_deadline(unsigned ms)
{
	atomic_store(&failure, NULL);
	atomic_store(&deadline_ns, ms ? native_now_ns() + ms * UINT64_C(1000000) : 0);
}

const char *native_failure(void)
{
	return atomic_load(&failure);
}

_Noreturn void native_fail(const char *message)
{
	const char *none = NULL;

	atomic_compare_exchange_strong(&failure, &none, message);
	if (native_thread.entered && atomic_load(&deadline_ns))
		pthread_exit(NULL);
	fprintf(stderr, "futexsim: %s\n", message);
	abort();
}

_Noreturn void plat_panic(const char *message)
{
	native_fail(message);
}

void native_check_deadline(void)
{
	uint64_t deadline = atomic_load_explicit(&deadline_ns, memory_order_relaxed);

	if (!deadline)
		return;
	if (native_thread.entered && native_failure())
		pthread_exit(NULL);
	if (native_now_ns() > deadline)
		native_fail("deadline passed: a waiter was never let in");
}

/* ---- Perturbation -------------------------------------------------------- */

void native_perturb(uint64_t seed, unsigned one_in)
{
	atomic_store(&perturb_seed, seed);
	atomic_store(&perturb_one_in, one_in);
	atomic_fetch_add(&perturb_generation, 1);
}

/* splitmix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014). */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static void seed_thread(uint32_t generation)
{
	native_thread.random = atomic_load(&perturb_seed);
	native_thread.random = next_random(&native_thread.random) + native_thread.cpu;
	native_thread.random_of = generation;
}

/* A yield may come straight back; a sleep lets every other thread run. */
static void give_away(bool sleep)
{
	static const struct timespec shortest = {.tv_nsec = 1};

	if (sleep)
		nanosleep(&shortest, NULL);
	else
		sched_yield();
}

/* 0: nothing to do here; else a random number. */
static uint64_t draw(uint32_t one_in)
{
	uint32_t generation;

	if (!one_in)
		return 0;
	generation = atomic_load_explicit(&perturb_generation, memory_order_relaxed);
	if (native_thread.random_of != generation)
		seed_thread(generation);
	return next_random(&native_thread.random) % one_in == 0
		       ? next_random(&native_thread.random) | 1
		       : 0;
}

void native_point(void)
{
	uint64_t random = draw(atomic_load_explicit(&perturb_one_in, memory_order_relaxed));

	if (random)
		give_away(random >> 32 < UINT32_MAX / YIELDS_PER_SLEEP);
}

/* Between seeing a change and acting on it: often, and long enough for others to see it too. */
static void point_after_wait(void)
{
	uint32_t one_in = atomic_load_explicit(&perturb_one_in, memory_order_relaxed);

	if (draw((one_in + 3) / 4))
		give_away(true);
}

/* ---- Waiting --------------------------------------------------------------- */

static void pause_instruction(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield" ::: "memory");
#elif defined(__powerpc64__)
	__asm__ volatile("or 1,1,1; or 2,2,2" ::: "memory");
#else
	atomic_signal_fence(memory_order_seq_cst);
#endif
}

/* The thread waited for may have no processor, so that nobody spins for long. */
static void spin(unsigned *spins)
{
	if (++*spins % SPINS_BEFORE_YIELD) {
		pause_instruction();
		return;
	}
	sched_yield();
	native_check_deadline();
}

void plat_cpu_relax(void)
{
	native_point();
	spin(&native_thread.relaxes);
}

/* A broken lock may call a wait that never waits again and again. */
static void begin_wait(void)
{
	enum { CALLS_PER_CHECK = 1024 };

	native_point();
	if (++native_thread.waits % CALLS_PER_CHECK == 0)
		native_check_deadline();
}

#define WAIT_UNTIL_CHANGED(bits)                                                                   \
	uint##bits##_t plat_wait_until_changed##bits(const _Atomic(uint##bits##_t) *p,             \
						     uint##bits##_t seen)                          \
	{                                                                                          \
		unsigned spins = 0;                                                                \
		uint##bits##_t now;                                                                \
                                                                                                   \
		begin_wait();                                                                      \
		while ((now = atomic_load_explicit(p, memory_order_acquire)) == seen)              \
			spin(&spins);                                                              \
		point_after_wait();                                                                \
		return now;                                                                        \
	}

WAIT_UNTIL_CHANGED(8)
WAIT_UNTIL_CHANGED(16)
WAIT_UNTIL_CHANGED(32)
WAIT_UNTIL_CHANGED(64)

/* ---- Work: host time passes by itself --------------------------------------- */

void plat_work(enum plat_work kind)
{
	(void)kind;
	native_point();
}

void plat_work_cycles(unsigned cycles)
{
	(void)cycles;
	native_point();
}
