// SPDX-License-Identifier: GPL-3.0-or-later
/* Which node's table a futex with a node of its own is looked up in; v6.16 and later. */
#include "cmocka_all.h"

#include <errno.h>

#include "futex/internal.h"
#include "idle.h"
#include "native/native.h"

enum { SLOTS = 16, HOME = 1 };
#define ANY FUTEX_BITSET_MATCH_ANY

struct world {
	struct futex_mm *mm;
	struct futex_task *task, *other;
	_Atomic(uint32_t) *word, *node; /* one futex of two words */
};

static struct world world_create(enum futex_kernel kernel)
{
	struct futex_policy policy = futex_policy_preset(kernel, false);
	struct world w;

	native_reset();
	policy.slots = SLOTS;
	w.mm = futex_mm_create(&policy, 0);
	w.task = futex_task_create(w.mm, 0);
	w.other = futex_task_create(w.mm, 1);
	w.word = plat_alloc_user(plat_page_size(), 0);
	w.node = w.word + 1;
	futex_mm_map(w.mm, (const void *)w.word, plat_page_size(), 0);
	return w;
}

static void world_destroy(struct world *w)
{
	assert_idle(w->mm);
	futex_mm_destroy(w->mm);
}

static int try_wait(struct world *w, unsigned flags)
{
	return futex_wait(w->task, w->word, flags, 1, PLAT_NO_DEADLINE, ANY);
}

/* The node of the table that the bucket is in; NATIVE_NODES: the private one. */
static unsigned table_of(struct world *w, unsigned flags)
{
	union futex_rules rules = w->mm->rules;
	union futex_key key = get_futex_key(w->mm, rules, w->word, flags);
	struct futex_bucket_ref ref = futex_hash(w->task, rules, key);
	unsigned node = NATIVE_NODES;

	for (uint32_t n = 0; n < w->mm->global.nodes; n++) {
		unsigned char *base = w->mm->global.base[n];
		size_t offset = (uintptr_t)ref.hb - (uintptr_t)base;

		if (offset < (size_t)w->mm->global.slots * w->mm->bucket.stride)
			node = n;
	}
	futex_hash_put(rules, ref);
	put_futex_key(w->mm, key);
	return node;
}

typedef void (*body)(struct world *world);

static void in_every_world(body body)
{
	for (int kernel = FUTEX_KERNEL_V6_16_RC; kernel < FUTEX_KERNEL_COUNT; kernel++) {
		struct world w = world_create(kernel);

		body(&w);
		world_destroy(&w);
	}
}

#define TEST_OF(name)                                                                              \
	static void test_##name(void **state)                                                      \
	{                                                                                          \
		(void)state;                                                                       \
		in_every_world(name);                                                              \
	}

/* Private ones, too. */
static void node_given(struct world *w)
{
	assert_int_equal(table_of(w, 0), NATIVE_NODES);
	for (uint32_t node = 0; node < NATIVE_NODES; node++) {
		atomic_store(w->node, node);
		assert_int_equal(table_of(w, FLAGS_NUMA), node);
		assert_int_equal(table_of(w, FLAGS_NUMA | FLAGS_SHARED), node);
		assert_int_equal(table_of(w, FLAGS_NUMA | FLAGS_MPOL), node);
		assert_int_equal(atomic_load(w->node), node);
	}
}
TEST_OF(node_given)

/* The node of who asks, written back so that others find it. */
static void node_of_caller(struct world *w)
{
	atomic_store(w->node, FUTEX_NO_NODE);
	assert_int_equal(try_wait(w, FLAGS_NUMA), -EWOULDBLOCK);
	assert_int_equal(atomic_load(w->node), plat_node_of_cpu(plat_cpu()));
}
TEST_OF(node_of_caller)

static void node_of_policy(struct world *w)
{
	unsigned caller = plat_node_of_cpu(plat_cpu());

	/* None: nothing is known, and nothing is written. */
	assert_int_equal(table_of(w, FLAGS_MPOL), NATIVE_NODES);
	futex_mm_set_policy(w->mm, (const void *)w->word, FUTEX_MPOL_DEFAULT, HOME);
	assert_int_equal(table_of(w, FLAGS_MPOL), NATIVE_NODES);
	futex_mm_set_policy(w->mm, (const void *)w->word, FUTEX_MPOL_BIND, -1);
	assert_int_equal(table_of(w, FLAGS_MPOL), NATIVE_NODES);
	atomic_store(w->node, FUTEX_NO_NODE);
	assert_int_equal(table_of(w, FLAGS_NUMA | FLAGS_MPOL), caller);
	for (int node = 0; node < NATIVE_NODES; node++) {
		futex_mm_set_policy(w->mm, (const void *)w->word, FUTEX_MPOL_PREFERRED, node);
		atomic_store(w->node, FUTEX_NO_NODE);
		assert_int_equal(table_of(w, FLAGS_MPOL), node);
		assert_int_equal(atomic_load(w->node), FUTEX_NO_NODE);
		assert_int_equal(table_of(w, FLAGS_MPOL | FLAGS_NUMA), node);
		assert_int_equal(atomic_load(w->node), node);
	}
}
TEST_OF(node_of_policy)

static void sleeper(void *arg)
{
	struct world *w = arg;

	if (futex_wait(w->other, w->word, FLAGS_NUMA, 0, PLAT_NO_DEADLINE, ANY) != 0)
		plat_panic("not woken");
}

/* Who changes the node between wait and wake does not find the waiter. */
static void node_changed(struct world *w)
{
	struct plat_task *thread;
	uint32_t node;

	atomic_store(w->node, FUTEX_NO_NODE);
	thread = plat_task_create(sleeper, w, 1);
	while (futex_requeue(w->task, w->word, w->word, FLAGS_NUMA, 0, 1, NULL) == 0)
		plat_cpu_relax();
	node = atomic_load(w->node);
	assert_true(node < NATIVE_NODES);
	atomic_store(w->node, 1 - node);
	assert_int_equal(futex_wake(w->task, w->word, FLAGS_NUMA, 1, ANY), 0);
	assert_int_equal(futex_wake(w->task, w->word, 0, 1, ANY), 0);
	atomic_store(w->node, node);
	assert_int_equal(futex_wake(w->task, w->word, FLAGS_NUMA, 1, ANY), 1);
	plat_task_join(thread);
}
TEST_OF(node_changed)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_node_given),
		cmocka_unit_test(test_node_of_caller),
		cmocka_unit_test(test_node_of_policy),
		cmocka_unit_test(test_node_changed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
