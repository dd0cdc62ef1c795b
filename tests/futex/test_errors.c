// SPDX-License-Identifier: GPL-3.0-or-later
/* Every error that an operation can return, on every generation. */
#include "cmocka_all.h"

#include <errno.h>
#include <limits.h>

#include "futex/internal.h"
#include "idle.h"
#include "native/native.h"

enum { SLOTS = 4 };
#define ANY FUTEX_BITSET_MATCH_ANY

struct world {
	struct futex_mm *mm;
	struct futex_task *task, *other;
	_Atomic(uint32_t) *word;
	_Atomic(uint32_t) *unmapped; /* not as a shared one */
	enum futex_kernel kernel;
};

typedef void (*body)(struct world *world, unsigned flags);

static void in_every_world(body body)
{
	for (int i = 0; i < 2 * FUTEX_KERNEL_COUNT; i++) {
		struct world world = {.kernel = i / 2};
		struct futex_policy policy = futex_policy_preset(world.kernel, false);

		native_reset();
		policy.slots = SLOTS;
		world.mm = futex_mm_create(&policy, 0);
		world.task = futex_task_create(world.mm, 0);
		world.other = futex_task_create(world.mm, 1);
		world.word = plat_alloc_user(plat_page_size(), 0);
		world.unmapped = plat_alloc_user(plat_page_size(), 0);
		futex_mm_map(world.mm, (const void *)world.word, plat_page_size(), 0);
		body(&world, i % 2 ? FLAGS_SHARED : 0);
		assert_idle(world.mm);
		futex_mm_destroy(world.mm);
	}
}

#define TEST_OF(name)                                                                              \
	static void test_##name(void **state)                                                      \
	{                                                                                          \
		(void)state;                                                                       \
		in_every_world(name);                                                              \
	}

static int wait(struct world *w, _Atomic(uint32_t) *uaddr, unsigned flags, uint32_t val)
{
	return futex_wait(w->task, uaddr, flags, val, PLAT_NO_DEADLINE, ANY);
}

/* ---- EINVAL ---- */

static _Atomic(uint32_t) *misaligned(struct world *w)
{
	return (_Atomic(uint32_t) *)(void *)((unsigned char *)w->word + 2);
}

static void bad_alignment(struct world *w, unsigned flags)
{
	assert_int_equal(wait(w, misaligned(w), flags, 0), -EINVAL);
	assert_int_equal(futex_wake(w->task, misaligned(w), flags, 1, ANY), -EINVAL);
	assert_int_equal(futex_requeue(w->task, misaligned(w), w->word, flags, 0, 1, NULL),
			 -EINVAL);
	assert_int_equal(futex_requeue(w->task, w->word, misaligned(w), flags, 0, 1, NULL),
			 -EINVAL);
}
TEST_OF(bad_alignment)

static void no_bitset(struct world *w, unsigned flags)
{
	assert_int_equal(futex_wait(w->task, w->word, flags, 0, PLAT_NO_DEADLINE, 0), -EINVAL);
	assert_int_equal(futex_wake(w->task, w->word, flags, 1, 0), -EINVAL);
}
TEST_OF(no_bitset)

static void negative_numbers(struct world *w, unsigned flags)
{
	assert_int_equal(futex_requeue(w->task, w->word, w->word + 1, flags, -1, 1, NULL), -EINVAL);
	assert_int_equal(futex_requeue(w->task, w->word, w->word + 1, flags, 1, -1, NULL), -EINVAL);
}
TEST_OF(negative_numbers)

/* ---- Nodes: v6.16 and later ---- */

enum { NODE_FLAGS = 3 };
static const unsigned node_flags[NODE_FLAGS] = {FLAGS_NUMA, FLAGS_MPOL, FLAGS_NUMA | FLAGS_MPOL};

static void assert_all_fail(struct world *w, _Atomic(uint32_t) *uaddr, unsigned flags, int error)
{
	struct futex_waitv waiter = {uaddr, 0, flags};

	assert_int_equal(wait(w, uaddr, flags, 0), error);
	assert_int_equal(futex_wake(w->task, uaddr, flags, 1, ANY), error);
	assert_int_equal(futex_requeue(w->task, uaddr, w->word, flags, 0, 1, NULL), error);
	assert_int_equal(futex_requeue(w->task, w->word, uaddr, flags, 0, 1, NULL), error);
	if (w->kernel > FUTEX_KERNEL_V3_14)
		assert_int_equal(futex_wait_multiple(w->task, &waiter, 1, PLAT_NO_DEADLINE), error);
}

static void no_nodes_before(struct world *w, unsigned flags)
{
	if (w->kernel < FUTEX_KERNEL_V6_16_RC)
		for (int i = 0; i < NODE_FLAGS; i++)
			assert_all_fail(w, w->word + 2, flags | node_flags[i], -EINVAL);
}
TEST_OF(no_nodes_before)

static void bad_nodes(struct world *w, unsigned flags)
{
	const uint32_t bad[] = {NATIVE_NODES, UINT32_MAX - 1, INT32_MAX, 0x80000000};

	if (w->kernel < FUTEX_KERNEL_V6_16_RC)
		return;
	for (int i = 0; i < 4; i++) {
		atomic_store(w->word + 3, bad[i]);
		assert_all_fail(w, w->word + 2, flags | FLAGS_NUMA, -EINVAL);
		assert_int_equal(atomic_load(w->word + 3), bad[i]);
	}
	/* Two words are aligned to both. */
	atomic_store(w->word + 4, 0);
	assert_all_fail(w, w->word + 3, flags | FLAGS_NUMA, -EINVAL);
	assert_all_fail(w, NULL, flags | FLAGS_NUMA, -EFAULT);
	assert_all_fail(w, NULL, flags | FLAGS_MPOL, -EFAULT);
	assert_int_equal(wait(w, w->word + 5, flags | FLAGS_MPOL, 1), -EWOULDBLOCK);
}
TEST_OF(bad_nodes)

/* ---- EFAULT ---- */

static void faults(struct world *w, unsigned flags)
{
	assert_int_equal(wait(w, NULL, flags, 0), -EFAULT);
	assert_int_equal(futex_requeue(w->task, NULL, w->word, flags, 0, 1, NULL), -EFAULT);
	assert_int_equal(futex_requeue(w->task, w->word, NULL, flags, 0, 1, NULL), -EFAULT);
	if (!(flags & FLAGS_SHARED))
		return;
	assert_int_equal(wait(w, w->unmapped, flags, 0), -EFAULT);
	assert_int_equal(futex_wake(w->task, w->unmapped, flags, 1, ANY), -EFAULT);
}
TEST_OF(faults)

/* ---- EWOULDBLOCK, EAGAIN ---- */

static void other_value(struct world *w, unsigned flags)
{
	const uint32_t value = 1;

	assert_int_equal(wait(w, w->word, flags, 1), -EWOULDBLOCK);
	assert_int_equal(futex_requeue(w->task, w->word, w->word + 1, flags, 0, 1, &value),
			 -EAGAIN);
	assert_int_equal(futex_requeue(w->task, w->word, w->word, flags, 0, 1, &value), -EAGAIN);
	atomic_store(w->word, 1);
	assert_int_equal(futex_requeue(w->task, w->word, w->word + 1, flags, 0, 1, &value), 0);
}
TEST_OF(other_value)

/* ---- ETIMEDOUT ---- */

static void deadline_passes(struct world *w, unsigned flags)
{
	uint64_t deadline = plat_clock_ns() + 100000;

	assert_int_equal(futex_wait(w->task, w->word, flags, 0, deadline, ANY), -ETIMEDOUT);
	assert_true(plat_clock_ns() >= deadline);
	/* Long ago is no different; but the value comes first. */
	assert_int_equal(futex_wait(w->task, w->word, flags, 0, 0, ANY), -ETIMEDOUT);
	assert_int_equal(futex_wait(w->task, w->word, flags, 1, 0, ANY), -EWOULDBLOCK);
}
TEST_OF(deadline_passes)

/* ---- EINTR ---- */

static void signal_arrives(struct world *w, unsigned flags)
{
	plat_signal(plat_current());
	assert_int_equal(wait(w, w->word, flags, 1), -EWOULDBLOCK);
	assert_true(plat_signal_pending());
	assert_int_equal(wait(w, w->word, flags, 0), -EINTR);
	assert_false(plat_signal_pending());
}
TEST_OF(signal_arrives)

/* ---- Waiting for many ---- */

static int wait_many(struct world *w, struct futex_waitv *waiters, unsigned count)
{
	return futex_wait_multiple(w->task, waiters, count, plat_clock_ns() + 100000);
}

static void many(struct world *w, unsigned flags)
{
	struct futex_waitv waiters[] = {
		{w->word, 0, flags}, {w->word + 1, 0, flags}, {w->word + 2, 0, flags}};
	struct futex_waitv good = waiters[1];

	if (w->kernel <= FUTEX_KERNEL_V3_14) {
		assert_int_equal(wait_many(w, waiters, 3), -ENOSYS);
		return;
	}
	assert_int_equal(wait_many(w, waiters, 0), -EINVAL);
	assert_int_equal(wait_many(w, waiters, FUTEX_WAITV_MAX + 1), -EINVAL);
	waiters[1].flags = flags | FLAGS_STRICT;
	assert_int_equal(wait_many(w, waiters, 3), -EINVAL);
	waiters[1] = good;
	waiters[1].uaddr = misaligned(w);
	assert_int_equal(wait_many(w, waiters, 3), -EINVAL);
	waiters[1].uaddr = NULL;
	assert_int_equal(wait_many(w, waiters, 3), -EFAULT);
	waiters[1] = good;
	waiters[1].val = 7;
	assert_int_equal(wait_many(w, waiters, 3), -EWOULDBLOCK);
	waiters[1] = good;
	assert_int_equal(wait_many(w, waiters, 3), -ETIMEDOUT);
	plat_signal(plat_current());
	assert_int_equal(wait_many(w, waiters, 3), -EINTR);
}
TEST_OF(many)

/* ---- What is no error ---- */

static void sleeper(void *arg)
{
	struct world *w = arg;

	if (futex_wait(w->other, w->word, 0, 0, PLAT_NO_DEADLINE, ANY) != 0)
		plat_panic("not woken");
}

/* Until the sleeper has been moved to the next word, from where it may have come back. */
static void await_sleeper(struct world *w)
{
	while (futex_requeue(w->task, w->word, w->word + 1, 0, 0, 1, NULL) == 0)
		plat_cpu_relax();
}

/* nr_wake 0 wakes one, but not in the system calls that take it seriously. */
static void wake_nobody(struct world *w, unsigned flags)
{
	struct plat_task *thread;
	int woken;

	if (flags)
		return;
	thread = plat_task_create(sleeper, w, 1);
	do {
		await_sleeper(w);
		assert_int_equal(futex_wake(w->task, w->word + 1, FLAGS_STRICT, 0, ANY), 0);
		woken = futex_wake(w->task, w->word + 1, 0, 0, ANY);
	} while (woken == 0);
	assert_int_equal(woken, 1);
	plat_task_join(thread);
	assert_int_equal(futex_wake(w->task, w->word + 1, 0, INT_MAX, ANY), 0);
}
TEST_OF(wake_nobody)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bad_alignment),    cmocka_unit_test(test_no_bitset),
		cmocka_unit_test(test_negative_numbers), cmocka_unit_test(test_no_nodes_before),
		cmocka_unit_test(test_bad_nodes),        cmocka_unit_test(test_faults),
		cmocka_unit_test(test_other_value),      cmocka_unit_test(test_deadline_passes),
		cmocka_unit_test(test_signal_arrives),   cmocka_unit_test(test_many),
		cmocka_unit_test(test_wake_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
