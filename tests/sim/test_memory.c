/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "memory.h"
#include "random.h"
#include "test.h"

static const size_t page = (size_t)1 << SIM_PAGE_SHIFT, line = 64, arena = 4 << 20;

static const struct sim_field bucket_fields[] = {
	{"waiters", 0, 4}, {"lock", 4, 4}, {"chain", 8, 16}};
static const struct sim_type bucket = {"bucket", 2, 3, bucket_fields};
static const struct sim_type header = {"fph", 1, 0, NULL};
static struct sim_memory memory;

static int begin(void **state)
{
	(void)state;
	return sim_memory_init(&memory, arena, 64, 4, 1);
}

static int end(void **state)
{
	(void)state;
	sim_memory_clean_up(&memory);
	return 0;
}

static char *at(size_t offset)
{
	return memory.backing + offset;
}

static void test_random_blocks_are_aligned_and_disjoint(void **state)
{
	gsl_rng *r = sim_random_new(1, 0, SIM_RANDOM_TEST);

	(void)state;
	for (uint32_t i = 1; i < 200; i++) {
		size_t align = (size_t)1 << sim_random_below(r, 13);
		size_t size = 1 + sim_random_below(r, i % 8 ? 600 : 9000);
		bool user = sim_random_below(r, 4) == 0;
		size_t offset =
			sim_memory_alloc(&memory, size, align, (int)sim_random_below(r, 4), user);

		assert_true(offset != SIZE_MAX && offset > 0);
		assert_int_equal(offset % align, 0);
		for (size_t b = 0; b < size; b++)
			assert_int_equal(at(offset)[b], 0); /* zeroed, and nobody else's */
		memset(at(offset), (int)(i % 255) + 1, size);
	}
	gsl_rng_free(r);
}

static void test_large_alignment(void **state)
{
	(void)state;
	sim_memory_alloc(&memory, 8, 8, 0, false);
	assert_int_equal(sim_memory_alloc(&memory, 8, 65536, 0, false) % 65536, 0);
	assert_int_equal(sim_memory_alloc(&memory, 70000, 65536, 0, true) % 65536, 0);
}

static void test_homes(void **state)
{
	size_t small[4], large, spread;

	(void)state;
	for (int node = 0; node < 4; node++)
		small[node] = sim_memory_alloc(&memory, 64, 64, node, false);
	large = sim_memory_alloc(&memory, 3 * page, 64, 3, false);
	spread = sim_memory_alloc(&memory, 8 * page, 64, SIM_HOME_INTERLEAVE, false);
	for (int node = 0; node < 4; node++)
		assert_int_equal(memory.page_home[small[node] >> SIM_PAGE_SHIFT], node);
	for (size_t p = 0; p < 3; p++)
		assert_int_equal(memory.page_home[(large >> SIM_PAGE_SHIFT) + p], 3);
	for (size_t p = 1; p < 8; p++)
		assert_int_equal(memory.page_home[(spread >> SIM_PAGE_SHIFT) + p],
				 (memory.page_home[(spread >> SIM_PAGE_SHIFT) + p - 1] + 1) % 4);
}

/* Small objects of a node fill its open page; they never cross into another node's. */
static void test_small_objects_share_a_page(void **state)
{
	size_t first = sim_memory_alloc(&memory, 40, 8, 1, false);
	size_t other = sim_memory_alloc(&memory, 40, 8, 2, false);
	size_t second = sim_memory_alloc(&memory, 40, 8, 1, false);

	(void)state;
	assert_int_equal(second, first + 40);
	assert_int_not_equal(other >> SIM_PAGE_SHIFT, first >> SIM_PAGE_SHIFT);
	assert_int_equal(sim_memory_alloc(&memory, page, 8, 1, false) % page, 0);
}

static const char *described(size_t offset)
{
	static char name[64];

	sim_memory_describe(&memory, offset, name, sizeof(name));
	return name;
}

static void test_names_and_fields(void **state)
{
	size_t table = sim_memory_alloc(&memory, 64 + 16 * line, 64, 0, false);
	size_t unnamed = sim_memory_alloc(&memory, 64, 64, 0, false);
	const struct sim_object *object;

	(void)state;
	/* Registered in descending order: the registry sorts. */
	assert_true(sim_memory_name(&memory, table + 64, &bucket, 16, 64));
	assert_true(sim_memory_name(&memory, table, &header, 1, 64));
	assert_string_equal(described(table), "fph");
	assert_string_equal(described(table + 63), "fph");
	assert_string_equal(described(table + 64), "bucket[0]");
	assert_string_equal(described(table + 64 + 15 * line + 63), "bucket[15]");
	assert_string_equal(described(unnamed), "?");
	assert_null(sim_memory_object(&memory, unnamed));
	assert_null(sim_memory_object(&memory, 0));
	object = sim_memory_object(&memory, table + 64 + 3 * line);
	assert_non_null(object);
	assert_int_equal(sim_memory_field(&memory, object, table + 64 + 3 * line), 0);
	assert_int_equal(sim_memory_field(&memory, object, table + 64 + 3 * line + 7), 1);
	assert_int_equal(sim_memory_field(&memory, object, table + 64 + 3 * line + 23), 2);
	assert_int_equal(sim_memory_field(&memory, object, table + 64 + 3 * line + 24), -1);
}

static void test_names_must_not_overlap(void **state)
{
	size_t table = sim_memory_alloc(&memory, 1024, 64, 0, false);

	(void)state;
	assert_true(sim_memory_name(&memory, table + 256, &bucket, 4, 64));
	assert_false(sim_memory_name(&memory, table + 192, &header, 1, 65));
	assert_false(sim_memory_name(&memory, table + 256, &header, 1, 1));
	assert_false(sim_memory_name(&memory, table + 511, &header, 1, 1));
	assert_false(sim_memory_name(&memory, table, &header, 0, 64));
	assert_true(sim_memory_name(&memory, table + 192, &header, 1, 64));
	assert_true(sim_memory_name(&memory, table + 512, &header, 1, 64));
	assert_string_equal(described(table + 511), "bucket[3]");
}

/* A thousand names in random order against a linear search. */
static void test_many_names(void **state)
{
	enum { NAMES = 1000 };
	size_t table = sim_memory_alloc(&memory, NAMES * line, 64, 0, false);
	gsl_rng *r = sim_random_new(2, 0, SIM_RANDOM_TEST);
	bool named[NAMES] = {false};

	(void)state;
	for (uint32_t i = 0; i < 3 * NAMES; i++) {
		size_t n = sim_random_below(r, NAMES);

		assert_int_equal(sim_memory_name(&memory, table + n * line, &header, 1, 48),
				 !named[n]);
		named[n] = true;
	}
	for (size_t n = 0; n < NAMES; n++) {
		assert_int_equal(sim_memory_object(&memory, table + n * line + 47) != NULL,
				 named[n]);
		assert_null(sim_memory_object(&memory, table + n * line + 48));
	}
	gsl_rng_free(r);
}

static void test_addresses(void **state)
{
	size_t kernel = sim_memory_alloc(&memory, 64, 64, 0, false);
	size_t user = sim_memory_alloc(&memory, 3 * page, 16, 1, true);
	struct sim_memory other;

	(void)state;
	assert_true(sim_memory_address(&memory, kernel) >> 63 == 1);
	assert_true(sim_memory_address(&memory, user) >> 47 == 0);
	for (size_t b = 0; b < 3 * page; b += 1000)
		assert_true(sim_memory_address(&memory, user + b) ==
			    sim_memory_address(&memory, user) + b);
	/* Another seed moves whole 64 KiB pages only; the same seed moves nothing. */
	assert_int_equal(sim_memory_init(&other, arena, 64, 4, 2), 0);
	assert_true(other.user_base != memory.user_base);
	assert_int_equal((other.user_base - memory.user_base) % 65536, 0);
	assert_int_equal((other.kernel_base - memory.kernel_base) % 65536, 0);
	sim_memory_clean_up(&other);
	assert_int_equal(sim_memory_init(&other, arena, 64, 4, 1), 0);
	assert_true(other.user_base == memory.user_base);
	assert_true(other.kernel_base == memory.kernel_base);
	sim_memory_clean_up(&other);
}

static void test_free_poisons_whole_lines(void **state)
{
	size_t block = sim_memory_alloc(&memory, 200, 64, 0, false);
	size_t neighbour = sim_memory_alloc(&memory, 8, 8, 0, false);

	(void)state;
	assert_int_equal(neighbour, block + 200);
	assert_false(sim_memory_free(&memory, block + 64));
	assert_true(sim_memory_free(&memory, block));
	for (size_t b = 0; b < 200; b++)
		assert_int_equal((unsigned char)at(block)[b], 0xdb);
	assert_int_equal(at(neighbour)[0], 0);
	for (size_t l = 0; l < 3; l++)
		assert_true(memory.lines[(block >> 6) + l].flags & LINE_FREED);
	/* The last line also holds the neighbour. */
	assert_false(memory.lines[(block >> 6) + 3].flags & LINE_FREED);
	assert_false(sim_memory_free(&memory, block));
}

static void test_arena_full(void **state)
{
	(void)state;
	assert_int_equal(sim_memory_alloc(&memory, arena + 1, 8, 0, false), SIZE_MAX);
	assert_int_equal(sim_memory_alloc(&memory, SIZE_MAX, 8, 0, false), SIZE_MAX);
	/* The first page stays unused. */
	assert_int_equal(sim_memory_alloc(&memory, arena, 8, 0, false), SIZE_MAX);
	assert_true(sim_memory_alloc(&memory, arena - page, 8, 0, false) != SIZE_MAX);
	assert_int_equal(sim_memory_alloc(&memory, 1, 1, 0, false), SIZE_MAX);
}

static void test_alias_is_poison(void **state)
{
	size_t block = sim_memory_alloc(&memory, 64, 64, 0, false);
	const unsigned char *p = sim_memory_pointer(&memory, block);

	(void)state;
	assert_int_equal(sim_memory_offset(&memory, p), block);
	memset(at(block), 0, 64);
	for (int b = 0; b < 64; b++)
		assert_int_equal(p[b], 0xdb);
}

static void test_line_sizes(void **state)
{
	(void)state;
	for (uint32_t line = 32; line <= 256; line *= 2) {
		struct sim_memory m;

		assert_int_equal(sim_memory_init(&m, 1, line, 1, 0), 0);
		assert_int_equal(1u << m.line_shift, line);
		assert_int_equal(m.bytes, 2 << 20);
		m.lines[(m.bytes >> m.line_shift) - 1].flags = 1; /* the directory is all there */
		sim_memory_clean_up(&m);
	}
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_random_blocks_are_aligned_and_disjoint),
		TEST(test_large_alignment),
		TEST(test_homes),
		TEST(test_small_objects_share_a_page),
		TEST(test_names_and_fields),
		TEST(test_names_must_not_overlap),
		TEST(test_many_names),
		TEST(test_addresses),
		TEST(test_free_poisons_whole_lines),
		TEST(test_arena_full),
		TEST(test_alias_is_poison),
		cmocka_unit_test(test_line_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
