// SPDX-License-Identifier: GPL-3.0-or-later
/* Keys, bucket layouts, tables, and where perf's arrays lie. */
#include "cmocka_all.h"

#include "futex/internal.h"
#include "recorder.h"
#include "workload/heap_layout.h"
#include "workload/perf_bench_hash.h"

static const struct recorder_machine x86 = {
	.line_size = 64, .page_size = 4096, .cpus = 8, .nodes = 4};
static const struct recorder_machine power = {
	.line_size = 128, .page_size = 65536, .cpus = 8, .nodes = 4};

/* ---- Keys ---- */

enum { OFFSET = 0xabc };
#define ADDRESS 0x7f3c5a2e1abcu
#define MM      0xffff888123456780u

static void test_old_key(void **state)
{
	union futex_key key;

	(void)state;
	recorder_reset(&x86);
	key = futex_key_make(FUTEX_KERNEL_V3_14, ADDRESS, MM, false);
	assert_true(key.both.members[0] == 0x7f3c5a2e1000u);
	assert_true(key.both.members[1] == MM);
	assert_int_equal(key.both.offset, OFFSET);
	assert_true(futex_key_is_private(key));
}

static void test_new_key(void **state)
{
	union futex_key key;

	(void)state;
	recorder_reset(&x86);
	key = futex_key_make(FUTEX_KERNEL_V6_15, ADDRESS, MM, true);
	assert_true(key.both.members[0] == MM);
	assert_true(key.both.members[1] == 0x7f3c5a2e1000u);
	assert_int_equal(key.both.offset, OFFSET | FUT_OFF_MMSHARED);
	assert_int_equal(key.v5_6.node, FUTEX_NO_NODE);
	assert_false(futex_key_is_private(key));
	recorder_reset(&power);
	key = futex_key_make(FUTEX_KERNEL_V6_15, ADDRESS, MM, false);
	assert_true(key.both.members[1] == 0x7f3c5a2e0000u);
	assert_int_equal(key.both.offset, 0x1abc);
}

static void test_key_offsets(void **state)
{
	(void)state;
	assert_int_equal(offsetof(union futex_key, v3_12.offset), 16);
	assert_int_equal(offsetof(union futex_key, v5_6.offset), 16);
	assert_int_equal(offsetof(union futex_key, v5_6.word), 8);
	assert_int_equal(sizeof(union futex_key), 24);
}

/* The published hashes of this key's words; the hot path has them without the words. */
static void assert_hashes(enum futex_kernel kernel, uint32_t whole, uint32_t address_only)
{
	union futex_key key = futex_key_make(kernel, ADDRESS, MM, false);
	struct futex_hash_input in = {0};

	futex_key_words(key, &in);
	assert_int_equal(futex_hash_value(FUTEX_HASH_JHASH2, &in), whole);
	assert_int_equal(futex_key_jhash2(key), whole);
	futex_key_address_words(kernel, key, &in);
	assert_int_equal(futex_hash_value(FUTEX_HASH_JHASH2, &in), address_only);
	assert_int_equal(futex_key_address_jhash2(kernel, key), address_only);
}

/* In both orders and for the private table. */
static void test_key_words(void **state)
{
	(void)state;
	recorder_reset(&x86);
	assert_hashes(FUTEX_KERNEL_V6_15, 0x9bf4b9cf, 0xe5bbfd65);
	assert_hashes(FUTEX_KERNEL_V3_12, 0x375f258e, 0xe5bbfd65);
}

/* ---- Buckets ---- */

static void assert_layout(const struct futex_policy *policy, unsigned stride, unsigned lock,
			  unsigned chain)
{
	struct futex_bucket_layout l = futex_bucket_layout(policy);

	assert_int_equal(l.stride, stride);
	assert_int_equal(l.waiters, 0);
	assert_int_equal(l.lock, lock);
	assert_int_equal(l.chain, chain);
	assert_int_equal(l.priv, chain + 16);
}

static void test_bucket_layouts(void **state)
{
	struct futex_policy p = futex_policy_preset(FUTEX_KERNEL_V3_12, false);

	(void)state;
	recorder_reset(&x86);
	assert_layout(&p, 24, 0, 8);
	p.bucket = FUTEX_BUCKET_ALIGNED;
	assert_layout(&p, 64, 0, 8);
	p = futex_policy_preset(FUTEX_KERNEL_V3_14, false);
	assert_layout(&p, 64, 4, 8);
	p.bucket = FUTEX_BUCKET_PACKED;
	assert_layout(&p, 24, 4, 8);
	p = futex_policy_preset(FUTEX_KERNEL_V6_17, false);
	assert_layout(&p, 64, 4, 8);
	p.bucket = FUTEX_BUCKET_CHAIN_APART;
	assert_layout(&p, 128, 4, 64);
	recorder_reset(&power);
	assert_layout(&p, 256, 4, 128);
	p.bucket = FUTEX_BUCKET_ALIGNED;
	assert_layout(&p, 128, 4, 8);
	p.bucket = FUTEX_BUCKET_PACKED;
	assert_layout(&p, 32, 4, 8);
}

/* ---- Tables ---- */

static struct futex_mm *create(struct futex_policy p, const struct recorder_machine *machine)
{
	recorder_reset(machine);
	p.slots = 64;
	return futex_mm_create(&p, 0);
}

static void test_private_table(void **state)
{
	struct futex_mm *mm = create(futex_policy_preset(FUTEX_KERNEL_V6_16_RC, false), &power);
	struct futex_private_hash *fph = plat_read_once(&mm->mm_struct->futex_phash);

	(void)state;
	assert_int_equal(plat_read_once(&fph->hash_mask), 63);
	assert_ptr_equal(plat_read_once(&fph->mm), mm->mm_struct);
	assert_int_equal((uintptr_t)fph % 128, 0);
	assert_ptr_equal(mm->private.base[0], (unsigned char *)fph + 128);
	for (uint32_t i = 0; i < 64; i++) {
		struct futex_hash_bucket *hb = futex_slot(mm->rules, mm->private.base[0], i);

		assert_ptr_equal(plat_read_once(hb_priv(mm->rules, hb)), fph);
	}
	assert_int_equal(futex_bucket_count(mm, false), 64);
	/* Shared futexes: 256 * 8 CPUs / 4 nodes on each of 4 nodes. */
	assert_int_equal(futex_bucket_count(mm, true), 4 * 512);
	futex_mm_destroy(mm);
}

static void test_global_mask_zero(void **state)
{
	struct futex_policy p = futex_policy_preset(FUTEX_KERNEL_V6_17, false);
	struct futex_private_hash *fph;
	struct futex_mm *mm;

	(void)state;
	p.scope = FUTEX_SCOPE_PER_NODE;
	p.refcount = REFCOUNT_NONE;
	mm = create(p, &x86);
	fph = plat_read_once(&mm->mm_struct->futex_phash);
	assert_int_equal(plat_read_once(&fph->hash_mask), 0);
	assert_int_equal(futex_bucket_count(mm, false), 4 * 64);
	futex_mm_destroy(mm);
}

/* Words of one process reach the buckets of all nodes about equally. */
static void test_node_spread(void **state)
{
	struct futex_policy p = futex_policy_preset(FUTEX_KERNEL_V6_17, false);
	unsigned of_node[4] = {0};
	_Atomic(uint32_t) *words;
	struct futex_mm *mm;

	(void)state;
	p.scope = FUTEX_SCOPE_PER_NODE;
	p.refcount = REFCOUNT_NONE;
	mm = create(p, &x86);
	words = plat_alloc_user(65536, 0);
	for (unsigned i = 0; i < 16384; i++)
		of_node[futex_bucket_index(mm, words + i, false) / 64]++;
	for (unsigned node = 0; node < 4; node++)
		assert_in_range(of_node[node], 3700, 4500);
	futex_mm_destroy(mm);
}

/* ---- perf's heap ---- */

static void test_heap_gaps(void **state)
{
	static const size_t gaps[] = {4768, 6256, 4112, 4112, 4112, 4576, 4576};
	size_t at = 0x6a0;

	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		assert_int_equal(heap_layout_offset(i, 1024, 4096), at);
		if (i < 7)
			at += gaps[i];
	}
	/* Measured offsets in the page: +480 from thread to thread. */
	assert_int_equal(heap_layout_offset(1, 1024, 4096) % 4096, 0x940);
	assert_int_equal(heap_layout_offset(8, 1024, 4096) % 4096, 0x780);
	assert_int_equal(heap_layout_offset(139, 1024, 4096) - heap_layout_offset(138, 1024, 4096),
			 4576);
}

static void test_heap_other_sizes(void **state)
{
	(void)state;
	assert_int_equal(heap_layout_offset(20, 1, 4096) - heap_layout_offset(19, 1, 4096),
			 32 + 464);
	assert_int_equal(heap_layout_offset(20, 256, 4096) - heap_layout_offset(19, 256, 4096),
			 1040 + 464);
	/* From 128 KiB on every array is a mapping of its own. */
	assert_int_equal(heap_layout_offset(3, 32768, 4096), 3 * (131072 + 4096) + 16);
	for (unsigned futexes = 1; futexes <= 65536; futexes *= 4)
		assert_true(heap_layout_size(9, futexes, 4096) >=
			    heap_layout_offset(8, futexes, 4096) + 4 * (size_t)futexes);
}

static void test_program(void **state)
{
	struct futex_mm *mm = create(futex_policy_preset(FUTEX_KERNEL_V6_18, false), &x86);
	const unsigned cpus[] = {0, 5, 7};
	struct perf_bench_hash bench = {
		.threads = 3, .futexes = 100, .shared = true, .home_node = 2, .cpus = cpus};
	struct perf_bench_hash_run *run = perf_bench_hash_create(&bench, mm);
	_Atomic(uint32_t) *first = perf_bench_hash_word(run, 1, 0);

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		perf_bench_hash_worker(run, i);
	assert_int_equal(recorder_ops(), 300);
	assert_ptr_equal(perf_bench_hash_word(run, 1, 99), first + 99);
	assert_int_equal(plat_address((const void *)first) % 16, 0);
	perf_bench_hash_destroy(run);
	futex_mm_destroy(mm);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_old_key),          cmocka_unit_test(test_new_key),
		cmocka_unit_test(test_key_offsets),      cmocka_unit_test(test_key_words),
		cmocka_unit_test(test_bucket_layouts),   cmocka_unit_test(test_private_table),
		cmocka_unit_test(test_global_mask_zero), cmocka_unit_test(test_node_spread),
		cmocka_unit_test(test_heap_gaps),        cmocka_unit_test(test_heap_other_sizes),
		cmocka_unit_test(test_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
