// SPDX-License-Identifier: GPL-3.0-or-later
/* Hash functions against published vectors, and how jhash2 spreads perf's words. */
#include "cmocka_all.h"

#include <isa-l/crc.h>
#include <sodium/crypto_shorthash_siphash24.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "futex/hash.h"
#include "futex/jhash.h"
#include "futex/siphash.h"

struct jhash_vector {
	uint32_t words[7];
	size_t count;
	uint32_t initval, hash;
};

/* Cross-checked against kernel v6.12 include/linux/jhash.h and lookup3's self-test. */
static const struct jhash_vector jhash_vectors[] = {
	{{0}, 1, 0, 0x049396b8},
	{{0x00403000, 0}, 2, 0x40, 0x61519adf},
	{{0x5a2e1000, 0x7f3c}, 2, 0xabc, 0xe5bbfd65},
	{{0x23456780, 0xffff8881, 0x5a2e1000, 0x7f3c}, 4, 0xabc, 0x9bf4b9cf},
	{{0x5a2e1000, 0x7f3c, 0x23456780, 0xffff8881}, 4, 0xabc, 0x375f258e},
	{{1, 2, 3, 4, 5, 6, 7}, 7, 0x12345678, 0xb673a4df},
	{{1, 2, 3}, 3, 0, 0xa46158f5},
	{{0}, 0, 0, 0xdeadbeef},
};

static void test_jhash2(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(jhash_vectors) / sizeof(jhash_vectors[0]); i++) {
		const struct jhash_vector *v = &jhash_vectors[i];

		assert_int_equal(jhash2(v->words, v->count, v->initval), v->hash);
	}
}

/* Key 00 01 .. 0f, message 00 01 .. of every length from 0 on. */
static const uint64_t siphash24_vectors[] = {
	/* reference implementation, vectors.h (Aumasson, Bernstein), lengths 0, 8, 15 */
	0x726fdb47dd0e0e31u,
	0x93f5f5799a932462u,
	0xa129ca6149be45e5u,
};
static const size_t siphash24_lengths[] = {0, 8, 15};

/* kernel v6.12 lib/siphash_kunit.c, hsiphash on 64 bits, lengths 0 to 7 */
static const uint64_t siphash13_vectors[] = {
	0xabac0158050fc4dcu, 0xc9f49bf37d57ca93u, 0x82cb9b024dc7d44du, 0x8bf80ab8e7ddf7fbu,
	0xcf75576088d38328u, 0xdef9d52f49533b67u, 0xc50d2b50c59f22a7u, 0xd3927d989bb11140u,
};

static const struct siphash_key counting_key = {0x0706050403020100u, 0x0f0e0d0c0b0a0908u};

static void counting_bytes(uint8_t *out, size_t size)
{
	for (size_t i = 0; i < size; i++)
		out[i] = (uint8_t)i;
}

static void test_siphash_rounds(void **state)
{
	uint8_t message[16];

	(void)state;
	counting_bytes(message, sizeof(message));
	for (size_t i = 0; i < 3; i++)
		assert_true(siphash_rounds(2, 4, message, siphash24_lengths[i], counting_key) ==
			    siphash24_vectors[i]);
	for (size_t i = 0; i < 8; i++)
		assert_true(siphash_rounds(1, 3, message, i, counting_key) == siphash13_vectors[i]);
}

static void test_library_vectors(void **state)
{
	uint8_t digits[] = "123456789", zeros[32] = {0}, message[16], out[8];

	(void)state;
	/* CRC catalogue (G. Cook): check values; RFC 3720 B.4: 32 zero bytes. */
	assert_int_equal(crc32_gzip_refl(0, digits, 9), 0xcbf43926);
	assert_int_equal(~crc32_iscsi(digits, 9, ~0u), 0xe3069283);
	assert_int_equal(~crc32_iscsi(zeros, 32, ~0u), 0x8a9136aa);
	/* xxHash specification, xxh64: empty input, seed 0. */
	assert_true(XXH64("", 0, 0) == 0xef46db3751d8e999u);
	counting_bytes(message, sizeof(message));
	crypto_shorthash_siphash24(out, message, 8, message);
	assert_int_equal(out[0], 0x62);
	assert_int_equal(out[7], 0x93);
}

static struct futex_hash_input sample(uint32_t count)
{
	return (struct futex_hash_input){.words = {0x33323130, 0x37363534, 0x23456780, 0xffff8881},
					 .count = count,
					 .offset = 0xabc,
					 .bits = 10};
}

static uint32_t crc_bit_by_bit(uint32_t polynomial, const void *data, size_t size, uint32_t seed)
{
	const uint8_t *bytes = data;
	uint32_t crc = ~seed;

	for (size_t i = 0; i < size; i++) {
		crc ^= bytes[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? polynomial : 0);
	}
	return ~crc;
}

/* Which words, which seed: the selectable functions against second opinions. */
static void test_inputs(void **state)
{
	(void)state;
	for (uint32_t count = 2; count <= 4; count += 2) {
		struct futex_hash_input in = sample(count);
		const void *data = in.words;
		struct siphash_key key = {0xabc, 0};
		size_t size = 4 * (size_t)count;

		assert_int_equal(futex_hash_value(FUTEX_HASH_JHASH2, &in),
				 jhash2(in.words, count, 0xabc));
		assert_int_equal(futex_hash_value(FUTEX_HASH_CRC32, &in),
				 crc_bit_by_bit(0xedb88320, data, size, 0xabc));
		assert_int_equal(futex_hash_value(FUTEX_HASH_CRC32C, &in),
				 crc_bit_by_bit(0x82f63b78, data, size, 0xabc));
		assert_int_equal(futex_hash_value(FUTEX_HASH_XXHASH, &in),
				 (uint32_t)XXH64(data, size, 0xabc));
		assert_int_equal(futex_hash_value(FUTEX_HASH_SIPHASH, &in),
				 (uint32_t)siphash_rounds(2, 4, data, size, key));
		assert_int_equal(futex_hash_value(FUTEX_HASH_HSIPHASH, &in),
				 (uint32_t)siphash_rounds(1, 3, data, size, key));
	}
}

static void test_hash_long(void **state)
{
	struct futex_hash_input in = {.words = {1, 0}, .count = 2, .bits = 32};

	(void)state;
	assert_int_equal(futex_hash_value(FUTEX_HASH_LONG, &in), 0x61c88646);
	in.bits = 4;
	assert_int_equal(futex_hash_value(FUTEX_HASH_LONG, &in), 0x6);
	in.bits = 0;
	assert_int_equal(futex_hash_value(FUTEX_HASH_LONG, &in), 0);
}

/* ---- Spread over buckets ---- */

enum { ARRAYS = 140, WORDS = 1024, STRIDE = 4576, PAGE = 4096 };

static struct futex_hash_input perf_input(unsigned array, unsigned word, uint32_t count,
					  uint32_t bits)
{
	uint64_t address = 0x555555abc6a0u + (uint64_t)array * STRIDE + 4 * word;
	uint64_t page = address & ~(uint64_t)(PAGE - 1);
	struct futex_hash_input in = {.count = count, .offset = address % PAGE, .bits = bits};

	in.words[count - 2] = (uint32_t)page;
	in.words[count - 1] = (uint32_t)(page >> 32);
	if (count == 4) {
		in.words[0] = 0x23456780;
		in.words[1] = 0xffff8881;
	}
	return in;
}

/* Variance over mean of the keys per bucket: 1 is Poisson, 0 is perfect order. */
static double dispersion(enum futex_hash_kind kind, uint32_t count, uint32_t bits)
{
	uint32_t slots = 1u << bits;
	uint32_t *keys = calloc(slots, sizeof(*keys));
	double mean = (double)ARRAYS * WORDS / slots, sum = 0;

	assert_non_null(keys);
	for (unsigned a = 0; a < ARRAYS; a++) {
		for (unsigned w = 0; w < WORDS; w++) {
			struct futex_hash_input in = perf_input(a, w, count, bits);

			keys[futex_hash_value(kind, &in) & (slots - 1)]++;
		}
	}
	for (uint32_t i = 0; i < slots; i++)
		sum += (keys[i] - mean) * (keys[i] - mean);
	free(keys);
	return sum / slots / mean;
}

static void test_jhash2_is_nearly_poisson(void **state)
{
	(void)state;
	for (uint32_t bits = 7; bits <= 17; bits++) {
		for (uint32_t count = 2; count <= 4; count += 2) {
			double d = dispersion(FUTEX_HASH_JHASH2, count, bits);

			print_message("%u words, %u slots: variance/mean %.3f\n", count, 1u << bits,
				      d);
			assert_true(d > 0.93 && d < 1.26);
		}
	}
}

static void test_hash_long_is_nearly_even(void **state)
{
	(void)state;
	assert_true(dispersion(FUTEX_HASH_LONG, 2, 4) < 0.01);
	assert_true(dispersion(FUTEX_HASH_LONG, 2, 12) < 0.1);
	assert_true(dispersion(FUTEX_HASH_LONG, 4, 12) < 0.1);
}

static void test_cycles(void **state)
{
	(void)state;
	assert_int_equal(futex_hash_cycles(FUTEX_HASH_JHASH2, 2), 16);
	assert_int_equal(futex_hash_cycles(FUTEX_HASH_JHASH2, 4), 29);
	for (int kind = 0; kind < FUTEX_HASH_COUNT; kind++)
		assert_true(futex_hash_cycles(kind, 2) > 0 && futex_hash_cycles(kind, 4) > 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_jhash2),
		cmocka_unit_test(test_siphash_rounds),
		cmocka_unit_test(test_library_vectors),
		cmocka_unit_test(test_inputs),
		cmocka_unit_test(test_hash_long),
		cmocka_unit_test(test_jhash2_is_nearly_poisson),
		cmocka_unit_test(test_hash_long_is_nearly_even),
		cmocka_unit_test(test_cycles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
