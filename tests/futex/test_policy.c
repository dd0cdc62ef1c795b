// SPDX-License-Identifier: GPL-3.0-or-later
/* Presets, what can be combined, automatic sizes. */
#include "cmocka_all.h"

#include <errno.h>
#include <string.h>

#include "futex/futex.h"
#include "recorder.h"

static const struct recorder_machine machine = {
	.line_size = 64, .page_size = 4096, .cpus = 4, .nodes = 2};

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(futex_kernel_name(FUTEX_KERNEL_V6_16_RC), "v6.16-rc");
	assert_string_equal(futex_hash_name(FUTEX_HASH_LONG), "hash_long");
	assert_null(futex_kernel_name(FUTEX_KERNEL_COUNT));
	assert_null(futex_scope_name(FUTEX_SCOPE_COUNT));
	assert_null(futex_empty_check_name(FUTEX_CHECK_COUNT));
	assert_null(futex_bucket_name(FUTEX_BUCKET_COUNT));
	assert_null(futex_hash_name(FUTEX_HASH_COUNT));
	for (int kernel = 0; kernel < FUTEX_KERNEL_COUNT; kernel++)
		assert_non_null(futex_kernel_name(kernel));
}

static void test_presets_can_be_built(void **state)
{
	const char *key;

	(void)state;
	for (int kernel = 0; kernel < FUTEX_KERNEL_COUNT; kernel++) {
		for (int ppc = 0; ppc < 2; ppc++) {
			struct futex_policy p = futex_policy_preset(kernel, ppc);

			assert_null(futex_policy_check(&p, &key));
			assert_int_equal(p.slots, 0);
			assert_int_equal(p.weak_rmw, ppc);
		}
	}
}

static void test_preset_values(void **state)
{
	struct futex_policy p = futex_policy_preset(FUTEX_KERNEL_V6_18, true);

	(void)state;
	assert_int_equal(p.lock, LOCK_PPC_QSPINLOCK);
	assert_int_equal(p.scope, FUTEX_SCOPE_PRIVATE);
	assert_int_equal(p.refcount, REFCOUNT_PERCPU);
	assert_true(p.back_pointer && p.resizable);
	assert_false(futex_policy_preset(FUTEX_KERNEL_V7_2, false).back_pointer);
	p = futex_policy_preset(FUTEX_KERNEL_V3_12, false);
	assert_int_equal(p.bucket, FUTEX_BUCKET_PACKED);
	assert_int_equal(p.lock, LOCK_TICKET);
	assert_int_equal(p.empty_check, FUTEX_CHECK_NONE);
	assert_false(p.barrier_a || p.barrier_b);
	p = futex_policy_preset(FUTEX_KERNEL_RFC_2024, false);
	assert_int_equal(p.refcount, REFCOUNT_NONE);
	assert_false(p.resizable || p.back_pointer);
}

static void assert_refused(struct futex_policy p, const char *key, const char *message)
{
	const char *found = NULL;
	const char *said = futex_policy_check(&p, &found);

	assert_non_null(said);
	assert_string_equal(found, key);
	assert_non_null(strstr(said, message));
}

static void test_refused(void **state)
{
	struct futex_policy p = futex_policy_preset(FUTEX_KERNEL_V6_15, false);

	(void)state;
	p.scope = FUTEX_SCOPE_PRIVATE;
	assert_refused(p, "scope", "needs kernel rfc-2024 or v6.16-rc");
	p = futex_policy_preset(FUTEX_KERNEL_V6_15, false);
	p.refcount = REFCOUNT_RCUREF;
	assert_refused(p, "refcount", "needs scope private");
	p.refcount = REFCOUNT_NONE;
	p.back_pointer = true;
	assert_refused(p, "back_pointer", "needs kernel v6.16-rc");
	p = futex_policy_preset(FUTEX_KERNEL_RFC_2024, false);
	p.refcount = REFCOUNT_ATOMIC;
	assert_refused(p, "refcount", "needs kernel v6.16-rc");
	p.refcount = REFCOUNT_NONE;
	p.resizable = true;
	assert_refused(p, "resizable", "needs kernel v6.16-rc");
	p = futex_policy_preset(FUTEX_KERNEL_V6_17, false);
	p.refcount = REFCOUNT_NONE;
	assert_refused(p, "resizable", "needs a refcount");
	p = futex_policy_preset(FUTEX_KERNEL_V6_17, false);
	p.scope = FUTEX_SCOPE_GLOBAL;
	assert_refused(p, "refcount", "allowed here: refcount none");
}

static void test_refused_values(void **state)
{
	static const uint32_t bad_slots[] = {1, 3, 48, 1u << 25, UINT32_MAX};
	struct futex_policy p = futex_policy_preset(FUTEX_KERNEL_V6_15, false);

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		p.slots = bad_slots[i];
		assert_refused(p, "slots", "power of two");
	}
	p = futex_policy_preset(FUTEX_KERNEL_V6_15, false);
	p.lock = LOCK_KIND_COUNT;
	assert_refused(p, "lock", "no such lock");
	p = futex_policy_preset(FUTEX_KERNEL_V6_15, false);
	p.hash = FUTEX_HASH_COUNT;
	assert_refused(p, "hash", "no such hash");
	p = futex_policy_preset(FUTEX_KERNEL_V6_15, false);
	p.kernel = FUTEX_KERNEL_COUNT;
	assert_refused(p, "kernel", "no such kernel");
}

/* ---- Every combination that the check lets through works ---- */

static void operate(const struct futex_policy *policy, bool shared)
{
	struct futex_mm *mm;
	struct futex_task *task;
	_Atomic(uint32_t) *word;

	recorder_reset(&machine);
	mm = futex_mm_create(policy, 1);
	word = plat_alloc_user(plat_page_size(), 0);
	futex_mm_map(mm, (const void *)word, plat_page_size(), 0);
	task = futex_task_create(mm, 3);
	assert_int_equal(futex_wait(task, word, shared ? FLAGS_SHARED : 0, 1234, PLAT_NO_DEADLINE,
				    FUTEX_BITSET_MATCH_ANY),
			 -EWOULDBLOCK);
	assert_int_equal(
		futex_wake(task, word, shared ? FLAGS_SHARED : 0, 1, FUTEX_BITSET_MATCH_ANY), 0);
	assert_true(futex_bucket_index(mm, word, shared) < futex_bucket_count(mm, shared));
	futex_mm_destroy(mm);
}

static unsigned try_policy(const struct futex_policy *policy)
{
	const char *key;

	if (futex_policy_check(policy, &key))
		return 0;
	operate(policy, false);
	operate(policy, true);
	return 1;
}

/* Digit `*rest` modulo `count`; the number is then shorter by that digit. */
static unsigned digit(unsigned *rest, unsigned count)
{
	unsigned value = *rest % count;

	*rest /= count;
	return value;
}

/* The combination with number `n`, or false past the end. */
static bool combination(unsigned n, struct futex_policy *p)
{
	*p = futex_policy_preset(digit(&n, FUTEX_KERNEL_COUNT), digit(&n, 2));
	p->slots = 8;
	p->scope = digit(&n, FUTEX_SCOPE_COUNT);
	p->resizable = digit(&n, 2);
	p->refcount = digit(&n, REFCOUNT_KIND_COUNT);
	p->empty_check = digit(&n, FUTEX_CHECK_COUNT);
	p->bucket = digit(&n, FUTEX_BUCKET_COUNT);
	p->back_pointer = digit(&n, 2);
	return n == 0;
}

static void test_all_combinations(void **state)
{
	struct futex_policy p;
	unsigned built = 0;

	(void)state;
	for (unsigned n = 0; combination(n, &p); n++)
		built += try_policy(&p);
	print_message("%u combinations\n", built);
	/*
	 * Per machine, check and bucket (18 of them, both lines): four old kernels
	 * (rfc among them) x 2 scopes x 2 resizable, the rfc's private table, and
	 * five new kernels x 2 back pointers x (2 x 2 + private: 4 x 2 + 1).
	 */
	assert_int_equal(built, 18 * (4 * 4 + 1 + 5 * 2 * (4 + 9)));
}

static void test_all_locks_and_hashes(void **state)
{
	(void)state;
	for (int kernel = 0; kernel < FUTEX_KERNEL_COUNT; kernel++) {
		struct futex_policy p = futex_policy_preset(kernel, false);

		p.slots = 8;
		for (int hash = 0; hash < FUTEX_HASH_COUNT; hash++) {
			p.hash = hash;
			assert_int_equal(try_policy(&p), 1);
		}
		for (int lock = 0; lock < LOCK_KIND_COUNT; lock++) {
			p.lock = lock;
			assert_int_equal(try_policy(&p), 1);
		}
	}
}

/* ---- Sizes ---- */

struct size_row {
	unsigned cpus, nodes;
	uint32_t v3_12, global, per_node, private;
};

/* From futex_init() and futex_hash_allocate_default(), one thread per CPU. */
static const struct size_row size_rows[] = {
	{2, 1, 256, 512, 512, 16},         {16, 1, 256, 4096, 4096, 64},
	{32, 2, 256, 8192, 4096, 128},     {64, 2, 256, 16384, 8192, 256},
	{112, 2, 256, 32768, 16384, 512},  {128, 2, 256, 32768, 16384, 512},
	{144, 4, 256, 65536, 16384, 1024}, {176, 2, 256, 65536, 32768, 1024},
	{256, 2, 256, 65536, 32768, 1024}, {256, 8, 256, 65536, 8192, 1024},
};

static uint32_t slots_of(enum futex_kernel kernel, enum futex_scope scope,
			 const struct size_row *row, unsigned threads)
{
	struct futex_policy p = futex_policy_preset(kernel, false);

	p.scope = scope;
	return futex_auto_slots(&p, row->cpus, row->nodes, threads);
}

static void test_sizes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(size_rows) / sizeof(size_rows[0]); i++) {
		const struct size_row *r = &size_rows[i];

		assert_int_equal(slots_of(FUTEX_KERNEL_V3_12, FUTEX_SCOPE_GLOBAL, r, r->cpus),
				 r->v3_12);
		assert_int_equal(slots_of(FUTEX_KERNEL_V3_14, FUTEX_SCOPE_GLOBAL, r, r->cpus),
				 r->global);
		assert_int_equal(slots_of(FUTEX_KERNEL_V6_15, FUTEX_SCOPE_GLOBAL, r, r->cpus),
				 r->global);
		assert_int_equal(slots_of(FUTEX_KERNEL_V7_2, FUTEX_SCOPE_PER_NODE, r, r->cpus),
				 r->per_node);
		assert_int_equal(slots_of(FUTEX_KERNEL_V6_17, FUTEX_SCOPE_PRIVATE, r, r->cpus),
				 r->private);
		assert_int_equal(slots_of(FUTEX_KERNEL_RFC_2024, FUTEX_SCOPE_PRIVATE, r, 1), 4);
	}
}

/* The published runs: 16, 64, 256, 512 on 80 CPUs, 512 on 112, 1024 on 144. */
static void test_sizes_by_threads(void **state)
{
	static const struct {
		unsigned cpus, nodes, threads;
		uint32_t slots;
	} rows[] = {{80, 4, 1, 16},   {80, 4, 4, 16},   {80, 4, 5, 32},     {80, 4, 10, 64},
		    {80, 4, 40, 256}, {80, 4, 80, 512}, {112, 2, 112, 512}, {144, 4, 144, 1024},
		    {2, 1, 40, 16},   {4, 1, 4, 16},    {1, 1, 1, 16}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct size_row row = {.cpus = rows[i].cpus, .nodes = rows[i].nodes};

		assert_int_equal(
			slots_of(FUTEX_KERNEL_V6_16_RC, FUTEX_SCOPE_PRIVATE, &row, rows[i].threads),
			rows[i].slots);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_presets_can_be_built),
		cmocka_unit_test(test_preset_values),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_refused_values),
		cmocka_unit_test(test_all_combinations),
		cmocka_unit_test(test_all_locks_and_hashes),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_sizes_by_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
