// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Operations that sleep, on real threads and perturbed: nobody sleeps for ever,
 * nobody is woken twice, and afterwards nothing is left counted, locked, queued or
 * referenced. Every load runs on every generation.
 */
#include "cmocka_all.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "futex/internal.h"
#include "idle.h"
#include "native/native.h"

enum { THREADS = 4, ROUNDS = 150, SLOTS = 2, PERTURB_ONE_IN = 16 };
enum { SHORT_NS = 20000 };
#define ANY FUTEX_BITSET_MATCH_ANY

static unsigned patience_ms = 60000;

struct load;
typedef void (*load_body)(struct load *load, unsigned index);

struct load {
	load_body body;
	struct futex_mm *mm;
	struct futex_task *task[THREADS];
	_Atomic(uint32_t) *word, *other;
	unsigned flags;
	_Atomic(uint32_t) started, woken, returned, timed_out, done;
	_Atomic(unsigned) next;
};

static int wait(struct load *load, unsigned index, _Atomic(uint32_t) *word, uint32_t value)
{
	int ret = futex_wait(load->task[index], word, load->flags, value, PLAT_NO_DEADLINE, ANY);

	if (ret != 0 && ret != -EWOULDBLOCK)
		plat_panic("a wait returned what it cannot");
	return ret;
}

static void wake(struct load *load, unsigned index, _Atomic(uint32_t) *word, int count)
{
	if (futex_wake(load->task[index], word, load->flags, count, ANY) < 0)
		plat_panic("a wake failed");
}

/* All threads have come here. */
static void meet(_Atomic(uint32_t) *at)
{
	atomic_fetch_add(at, 1);
	while (atomic_load(at) != THREADS)
		plat_cpu_relax();
}

/* ---- Loads ----------------------------------------------------------------------- */

/* Each waits for its turn, and makes it the next one's. */
static void ring(struct load *load, unsigned index)
{
	for (uint32_t i = 0; i < ROUNDS; i++) {
		uint32_t turn;

		while ((turn = atomic_load(load->word)) % THREADS != index)
			wait(load, index, load->word, turn);
		atomic_store(load->word, turn + 1);
		wake(load, index, load->word, THREADS);
	}
}

enum { FREE, HELD, CONTENDED };

static void lock(struct load *load, unsigned index, _Atomic(uint32_t) *word)
{
	uint32_t none = FREE;

	if (atomic_compare_exchange_strong(word, &none, HELD))
		return;
	while (atomic_exchange(word, CONTENDED) != FREE)
		wait(load, index, word, CONTENDED);
}

static void unlock(struct load *load, unsigned index, _Atomic(uint32_t) *word)
{
	if (atomic_exchange(word, FREE) == CONTENDED)
		wake(load, index, word, 1);
}

/* A mutex of three states, and a counter that it protects. */
static void mutex(struct load *load, unsigned index)
{
	for (int i = 0; i < ROUNDS; i++) {
		uint32_t seen;

		lock(load, index, load->word);
		seen = plat_read_once(&load->woken);
		plat_cpu_relax();
		plat_write_once(&load->woken, seen + 1);
		unlock(load, index, load->word);
	}
	meet(&load->done);
	if (load->woken != THREADS * ROUNDS)
		plat_panic("two were in the section");
}

/*
 * One wakes one and moves the others, who then hand on the second word. A waiter
 * that looked at its entry while it was moved is back on the first.
 */
static void broadcast_once(struct load *load, uint32_t round)
{
	uint32_t all = (round + 1) * (THREADS - 1);

	while (plat_read_once(&load->started) != all)
		plat_cpu_relax();
	while (plat_read_once(&load->returned) != all) {
		if (futex_requeue(load->task[0], load->word, load->other, load->flags, 1, INT_MAX,
				  &round) < 0)
			plat_panic("a requeue failed");
		wake(load, 0, load->other, 1);
	}
	atomic_store(load->word, round + 1);
}

static void broadcast(struct load *load, unsigned index)
{
	for (uint32_t round = 0; round < ROUNDS; round++) {
		if (index == 0) {
			broadcast_once(load, round);
			continue;
		}
		while (atomic_load(load->word) != round)
			plat_cpu_relax();
		atomic_fetch_add(&load->started, 1);
		/* Every one sleeps: the word changes only when all are through. */
		if (wait(load, index, load->word, round) != 0)
			plat_panic("a wait was refused");
		atomic_fetch_add(&load->returned, 1);
	}
}

/* Over all runs: the race between the two is worth nothing if one always wins. */
static _Atomic(uint32_t) ends_by_wake, ends_by_deadline;

/* Who woke and who was woken agree, whatever the deadlines do. */
static void timeouts(struct load *load, unsigned index)
{
	for (int i = 0; i < ROUNDS; i++) {
		int ret;

		if (index % 2) {
			ret = futex_wake(load->task[index], load->word, load->flags, 1, ANY);
			atomic_fetch_add(&load->woken, (uint32_t)ret);
			continue;
		}
		ret = futex_wait(load->task[index], load->word, load->flags, 0,
				 plat_clock_ns() + SHORT_NS * (uint64_t)(i % 4), ANY);
		if (ret != 0 && ret != -ETIMEDOUT)
			plat_panic("a wait returned what it cannot");
		atomic_fetch_add(ret ? &load->timed_out : &load->returned, 1);
	}
	meet(&load->done);
	if (load->woken != load->returned)
		plat_panic("more or fewer woken than woke up");
	if (index == 0) {
		atomic_fetch_add(&ends_by_wake, load->returned);
		atomic_fetch_add(&ends_by_deadline, load->timed_out);
	}
}

/* Moved back and forth while their deadlines pass. */
static void moved_timeouts(struct load *load, unsigned index)
{
	for (int i = 0; i < ROUNDS; i++) {
		bool there = i % 2;
		int ret;

		if (index % 2) {
			ret = futex_requeue(load->task[index], there ? load->word : load->other,
					    there ? load->other : load->word, load->flags, 0, 1,
					    NULL);
			atomic_fetch_add(&load->woken, (uint32_t)ret);
			continue;
		}
		ret = futex_wait(load->task[index], there ? load->word : load->other, load->flags,
				 0, plat_clock_ns() + SHORT_NS, ANY);
		if (ret != -ETIMEDOUT)
			plat_panic("somebody was woken, and nobody wakes");
	}
}

/* Each sleeps under a bit of its own, and its neighbour wakes that bit alone. */
static void bitsets(struct load *load, unsigned index)
{
	unsigned neighbour = (index + 1) % THREADS;

	for (int i = 0; i < ROUNDS; i++) {
		while (futex_wait(load->task[index], load->word, load->flags, 0,
				  plat_clock_ns() + SHORT_NS, 1u << index) == 0)
			atomic_fetch_add(&load->returned, 1);
		if (futex_wake(load->task[index], load->word, load->flags, INT_MAX,
			       1u << neighbour) > 1)
			plat_panic("more than one has that bit");
	}
}

/*
 * The first thread waits for a word of each of the others at once; they wait for
 * its answer, and count how often they asked.
 */
static void await_any(struct load *load, const uint32_t *seen)
{
	struct futex_waitv waiters[THREADS - 1];
	int ret;

	for (unsigned i = 1; i < THREADS; i++)
		waiters[i - 1] = (struct futex_waitv){load->word + i, seen[i], load->flags};
	ret = futex_wait_multiple(load->task[0], waiters, THREADS - 1, PLAT_NO_DEADLINE);
	if (ret != -EWOULDBLOCK && (ret < 0 || ret >= THREADS - 1))
		plat_panic("a wait for many returned what it cannot");
}

static void answer(struct load *load)
{
	uint32_t seen[THREADS] = {0};

	for (uint32_t answers = 0; answers < (THREADS - 1) * ROUNDS;) {
		await_any(load, seen);
		for (unsigned i = 1; i < THREADS; i++) {
			uint32_t now = atomic_load(load->word + i);

			if (now == seen[i])
				continue;
			seen[i] = now;
			answers++;
			atomic_store(load->word + THREADS + i, now);
			wake(load, 0, load->word + THREADS + i, 1);
		}
	}
}

static void many(struct load *load, unsigned index)
{
	_Atomic(uint32_t) *question = load->word + index, *reply = question + THREADS;

	if (index == 0) {
		answer(load);
		return;
	}
	for (uint32_t i = 1; i <= ROUNDS; i++) {
		atomic_store(question, i);
		wake(load, index, question, 1);
		while (atomic_load(reply) != i)
			wait(load, index, reply, i - 1);
	}
}

/* ---- Running them ------------------------------------------------------------------ */

static void member(void *arg)
{
	struct load *load = arg;
	unsigned index = atomic_fetch_add(&load->next, 1);

	load->body(load, index);
}

static void create_words(struct load *load)
{
	load->word = plat_alloc_user(plat_page_size(), 0);
	futex_mm_map(load->mm, (const void *)load->word, plat_page_size(), 0);
	load->other = load->word + 1;
	for (unsigned i = 1; i < 64; i++)
		if (futex_bucket_index(load->mm, load->word + i, load->flags) !=
		    futex_bucket_index(load->mm, load->word, load->flags))
			load->other = load->word + i;
}

static void run(load_body body, struct futex_policy policy, unsigned flags, uint64_t seed)
{
	struct load load = {.body = body, .flags = flags};
	struct plat_task *thread[THREADS];

	native_reset();
	native_perturb(seed, PERTURB_ONE_IN);
	native_set_deadline(patience_ms);
	policy.slots = SLOTS;
	load.mm = futex_mm_create(&policy, 0);
	create_words(&load);
	for (unsigned i = 0; i < THREADS; i++)
		load.task[i] = futex_task_create(load.mm, i);
	for (unsigned i = 0; i < THREADS; i++)
		thread[i] = plat_task_create(member, &load, (int)i);
	for (unsigned i = 0; i < THREADS; i++)
		plat_task_join(thread[i]);
	if (native_failure())
		fail_msg("%s, seed %llu: %s", futex_kernel_name(policy.kernel),
			 (unsigned long long)seed, native_failure());
	assert_idle(load.mm);
	futex_mm_destroy(load.mm);
}

/* smp_mb__after_atomic() has to be one where an RMW is none. */
#if defined(__x86_64__)
enum { WEAK_RMW = 0 };
#else
enum { WEAK_RMW = 1 };
#endif

static struct futex_policy preset(int kernel)
{
	struct futex_policy policy = futex_policy_preset(kernel, false);

	policy.weak_rmw = WEAK_RMW;
	return policy;
}

static void run_everywhere(load_body body)
{
	for (int kernel = 0; kernel < FUTEX_KERNEL_COUNT; kernel++) {
		run(body, preset(kernel), 0, 1 + (uint64_t)kernel);
		run(body, preset(kernel), FLAGS_SHARED, 100 + (uint64_t)kernel);
	}
}

#define TEST_OF(load)                                                                              \
	static void test_##load(void **state)                                                      \
	{                                                                                          \
		(void)state;                                                                       \
		run_everywhere(load);                                                              \
	}
TEST_OF(ring)
TEST_OF(mutex)
TEST_OF(broadcast)
TEST_OF(moved_timeouts)
TEST_OF(bitsets)

static void test_timeouts(void **state)
{
	(void)state;
	run_everywhere(timeouts);
	assert_true(ends_by_wake > ROUNDS && ends_by_deadline > ROUNDS);
}

static void test_many(void **state)
{
	(void)state;
	for (int kernel = FUTEX_KERNEL_V6_15; kernel < FUTEX_KERNEL_COUNT; kernel++) {
		run(many, preset(kernel), 0, (uint64_t)kernel);
		run(many, preset(kernel), FLAGS_SHARED, (uint64_t)kernel);
	}
}

/* Other ways to find a bucket empty, other locks, other counts. */
static void test_variants(void **state)
{
	static const load_body bodies[] = {ring, mutex, broadcast, timeouts};
	struct futex_policy p;

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		p = preset(FUTEX_KERNEL_V3_14);
		p.empty_check = FUTEX_CHECK_LOCK_AND_LIST;
		run(bodies[i], p, 0, i);
		p.bucket = FUTEX_BUCKET_PACKED;
		run(bodies[i], p, 0, i);
		p = preset(FUTEX_KERNEL_V6_17);
		p.refcount = REFCOUNT_ATOMIC;
		p.bucket = FUTEX_BUCKET_CHAIN_APART;
		run(bodies[i], p, 0, i);
		for (int kind = 0; kind < LOCK_KIND_COUNT; kind++) {
			p = preset(FUTEX_KERNEL_V7_3);
			p.lock = kind;
			run(bodies[i], p, 0, i);
		}
	}
}

/* The argument: after how many milliseconds a run has failed. */
int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ring),           cmocka_unit_test(test_mutex),
		cmocka_unit_test(test_broadcast),      cmocka_unit_test(test_timeouts),
		cmocka_unit_test(test_moved_timeouts), cmocka_unit_test(test_bitsets),
		cmocka_unit_test(test_many),           cmocka_unit_test(test_variants),
	};

	if (argc > 1)
		patience_ms = (unsigned)atoi(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
