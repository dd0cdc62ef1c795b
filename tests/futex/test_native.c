// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Every generation on real threads: operations return what they must, and
 * afterwards nothing is left counted, locked or referenced.
 */
#include "cmocka_all.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "futex/internal.h"
#include "idle.h"

enum { THREADS = 4, WORDS = 32, ROUNDS = 300, SLOTS = 4 };

struct load {
	pthread_barrier_t start;
	_Atomic(unsigned) next;
	struct futex_mm *mm;
	struct futex_task *task[THREADS];
	_Atomic(uint32_t) *words;
	unsigned flags;
};

static void operate(struct load *load, unsigned index)
{
	struct futex_task *task = load->task[index];

	for (unsigned i = 0; i < ROUNDS * WORDS; i++) {
		_Atomic(uint32_t) *word = load->words + (i + index * 7) % WORDS;

		if (futex_wait(task, word, load->flags, 1234, PLAT_NO_DEADLINE,
			       FUTEX_BITSET_MATCH_ANY) != -EWOULDBLOCK)
			plat_panic("a wait did not fail its check");
		if (futex_wake(task, word, load->flags, 1, FUTEX_BITSET_MATCH_ANY) != 0)
			plat_panic("a wake woke somebody");
	}
}

static void *thread_main(void *arg)
{
	struct load *load = arg;
	unsigned index = atomic_fetch_add(&load->next, 1);

	pthread_barrier_wait(&load->start);
	operate(load, index);
	return NULL;
}

static void run_threads(struct load *load)
{
	pthread_t thread[THREADS];

	assert_int_equal(pthread_barrier_init(&load->start, NULL, THREADS), 0);
	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, thread_main, load), 0);
	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(thread[i], NULL), 0);
	pthread_barrier_destroy(&load->start);
}

static void run_policy(struct futex_policy policy, bool shared)
{
	struct load load = {.flags = shared ? FLAGS_SHARED : 0};

	policy.slots = SLOTS;
	load.mm = futex_mm_create(&policy, 0);
	load.words = plat_alloc_user(plat_page_size(), 0);
	futex_mm_map(load.mm, (const void *)load.words, plat_page_size(), 0);
	for (unsigned i = 0; i < THREADS; i++)
		load.task[i] = futex_task_create(load.mm, i % plat_cpu_count());
	run_threads(&load);
	assert_idle(load.mm);
	futex_mm_destroy(load.mm);
}

static void test_every_generation(void **state)
{
	(void)state;
	for (int kernel = 0; kernel < FUTEX_KERNEL_COUNT; kernel++) {
		for (int ppc = 0; ppc < 2; ppc++) {
			run_policy(futex_policy_preset(kernel, ppc), false);
			run_policy(futex_policy_preset(kernel, ppc), true);
		}
	}
}

static void test_variants(void **state)
{
	struct futex_policy p = futex_policy_preset(FUTEX_KERNEL_V6_16_RC, false);

	(void)state;
	p.resizable = false;
	run_policy(p, false);
	p = futex_policy_preset(FUTEX_KERNEL_V6_17, false);
	p.refcount = REFCOUNT_ATOMIC;
	run_policy(p, false);
	p = futex_policy_preset(FUTEX_KERNEL_V3_14, false);
	p.empty_check = FUTEX_CHECK_LOCK_AND_LIST;
	run_policy(p, false);
	p.bucket = FUTEX_BUCKET_PACKED;
	run_policy(p, false);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_generation),
		cmocka_unit_test(test_variants),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
