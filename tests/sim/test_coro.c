/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Built twice: with the back end of the build and with ucontext. Both must
 * print and check the same digests of one switching program.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coro.h"
#include "switching.h"
#include "test.h"

static void test_backend(void **state)
{
	(void)state;
#if defined(FUTEXSIM_UCONTEXT)
	assert_string_equal(coro_backend(), "ucontext");
#elif defined(__x86_64__)
	assert_string_equal(coro_backend(), "x86-64");
#elif defined(__aarch64__)
	assert_string_equal(coro_backend(), "aarch64");
#endif
}

/* Digests of the ucontext back end under GCC -O0. */
static void test_same_results_with_every_backend(void **state)
{
	(void)state;
	assert_true(switching_run(2, 1000) == 0xbc56364b94eb5c9b);
	assert_true(switching_run(80, 20000) == 0x46d7bdf4cb5f83b6);
	assert_true(switching_run(4096, 20000) == 0xaa78e1cfd7aaea3);
}

static void test_runs_repeat(void **state)
{
	(void)state;
	for (uint32_t count = 1; count < 20; count++)
		assert_true(switching_run(count, 500) == switching_run(count, 500));
}

static struct coro caller, callee;

static void fill(void *arg)
{
	/* The lowest eighth of the stack, canary included, as a deep recursion would leave it. */
	memset(callee.stack, 0, callee.size / 8);
	(void)arg;
	for (;;)
		coro_switch(&callee, &caller);
}

static void idle(void *arg)
{
	(void)arg;
	for (;;)
		coro_switch(&callee, &caller);
}

static void test_canary(void **state)
{
	struct coro_pool pool;

	(void)state;
	assert_int_equal(coro_pool_init(&pool, 2), 0);
	coro_init_main(&caller);
	assert_true(coro_stack_intact(&caller));
	coro_init(&callee, &pool, 1, idle, NULL);
	coro_switch(&caller, &callee);
	coro_switch(&caller, &callee);
	assert_true(coro_stack_intact(&callee));
	coro_clean_up(&callee);
	coro_init(&callee, &pool, 0, fill, NULL);
	assert_true(coro_stack_intact(&callee));
	coro_switch(&caller, &callee);
	assert_false(coro_stack_intact(&callee));
	coro_clean_up(&callee);
	coro_clean_up(&caller);
	coro_pool_clean_up(&pool);
}

/* Neighbouring stacks must not put their hot ends into the same cache sets. */
static void test_stacks_are_coloured(void **state)
{
	enum { COUNT = 80, SETS = 64 };
	struct coro_pool pool;
	uint32_t in_set[SETS] = {0};

	(void)state;
	assert_int_equal(coro_pool_init(&pool, COUNT), 0);
	for (uint32_t c = 0; c < COUNT; c++) {
		struct coro coro;

		coro_init(&coro, &pool, c, idle, NULL);
		in_set[(uintptr_t)(coro.stack + coro.size) / 64 % SETS]++;
		coro_clean_up(&coro);
	}
	for (uint32_t set = 0; set < SETS; set++)
		assert_in_range(in_set[set], 0, 2);
	coro_pool_clean_up(&pool);
}

static void test_no_address_space(void **state)
{
	struct coro_pool pool = {0};

	(void)state;
	assert_int_equal(coro_pool_init(&pool, UINT32_MAX), -1);
	assert_null(pool.base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_backend),
		cmocka_unit_test(test_same_results_with_every_backend),
		cmocka_unit_test(test_runs_repeat),
		cmocka_unit_test(test_canary),
		cmocka_unit_test(test_stacks_are_coloured),
		cmocka_unit_test(test_no_address_space),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
