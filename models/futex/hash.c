// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The hash functions of the 2024 experiment "one kernel with ...": the mail
 * (Sebastian Andrzej Siewior, 2024-11-01) names the functions but neither their
 * words nor their seeds. Every one but hash_long hashes the words that jhash2
 * would, with the offset as seed, and the low bits of the result are the index.
 */
#include "futex/hash.h"

#include <endian.h>
#include <isa-l/crc.h>
#include <sodium/crypto_shorthash_siphash24.h>
#include <xxhash.h>

#include "futex/jhash.h"
#include "futex/siphash.h"

/* kernel v6.12 include/linux/hash.h: 2^64 divided by the golden ratio. */
#define GOLDEN_RATIO_64 0x61C8864680B583EBu

struct hash_bytes {
	uint32_t words[FUTEX_HASH_WORDS_MAX];
	size_t size;
};

/* A copy on the stack: libraries must never see shared memory. */
static struct hash_bytes input_bytes(const struct futex_hash_input *input)
{
	struct hash_bytes out = {.size = sizeof(uint32_t) * input->count};

	for (uint32_t i = 0; i < input->count; i++)
		out.words[i] = htole32(input->words[i]);
	return out;
}

static uint64_t input_pair(const struct futex_hash_input *input, uint32_t first)
{
	return (uint64_t)input->words[first + 1] << 32 | input->words[first];
}

/*
 * The full address (page and offset); with four words the other member of the
 * key is added, which for one process is a constant and keeps the spacing.
 */
static uint32_t hash_long(const struct futex_hash_input *input)
{
	uint64_t value = input_pair(input, 0) + input->offset;

	if (input->count == 4)
		value += input_pair(input, 2);
	if (input->bits == 0)
		return 0;
	return (uint32_t)((value * GOLDEN_RATIO_64) >> (64 - input->bits));
}

static uint32_t hash_xxhash(const struct futex_hash_input *input)
{
	struct hash_bytes b = input_bytes(input);

	return (uint32_t)XXH64(b.words, b.size, input->offset);
}

static uint32_t hash_crc32(const struct futex_hash_input *input)
{
	struct hash_bytes b = input_bytes(input);

	return crc32_gzip_refl(input->offset, (uint8_t *)b.words, b.size);
}

/* The library leaves the two inversions of CRC-32C to its caller. */
static uint32_t hash_crc32c(const struct futex_hash_input *input)
{
	struct hash_bytes b = input_bytes(input);

	return ~crc32_iscsi((uint8_t *)b.words, (int)b.size, ~input->offset);
}

static uint32_t hash_siphash(const struct futex_hash_input *input)
{
	struct hash_bytes b = input_bytes(input);
	uint32_t key[crypto_shorthash_siphash24_KEYBYTES / 4] = {htole32(input->offset)};
	uint32_t out[crypto_shorthash_siphash24_BYTES / 4];

	crypto_shorthash_siphash24((uint8_t *)out, (const uint8_t *)b.words, b.size,
				   (const uint8_t *)key);
	return le32toh(out[0]);
}

static uint32_t hash_hsiphash(const struct futex_hash_input *input)
{
	struct hash_bytes b = input_bytes(input);
	struct siphash_key key = {.k0 = input->offset};

	return (uint32_t)siphash_rounds(1, 3, b.words, b.size, key);
}

uint32_t futex_hash_value(enum futex_hash_kind kind, const struct futex_hash_input *input)
{
	switch (kind) {
	case FUTEX_HASH_JHASH2:
	case FUTEX_HASH_JHASH2_ADDR:
		return jhash2(input->words, input->count, input->offset);
	case FUTEX_HASH_LONG:
		return hash_long(input);
	case FUTEX_HASH_XXHASH:
		return hash_xxhash(input);
	case FUTEX_HASH_CRC32:
		return hash_crc32(input);
	case FUTEX_HASH_CRC32C:
		return hash_crc32c(input);
	case FUTEX_HASH_SIPHASH:
		return hash_siphash(input);
	case FUTEX_HASH_HSIPHASH:
		return hash_hsiphash(input);
	default:
		plat_panic("unknown hash function");
	}
}

/*
 * jhash2: measured as a dependent chain (kernel 6.18 guest, Emerald Rapids
 * class): 16 and 28.5 cycles. The others: the functions as compiled here (GCC
 * 12 -O2, xxhash 0.8.1, ISA-L 2.30, libsodium 1.0.18) as dependent chains on an
 * AMD EPYC (rdtsc, least of 25 x the 5th percentile of 2001 batches of 200, an
 * empty call subtracted), scaled so that four-word jhash2 is 28.5; two-word
 * jhash2 then comes out as 17.5. Rounded; libraries without unrolling for short
 * inputs are why two words of crc32 cost more than four.
 */
const struct futex_hash_cost futex_hash_cost[FUTEX_HASH_COUNT] = {
	[FUTEX_HASH_JHASH2] = {16, 29},  [FUTEX_HASH_JHASH2_ADDR] = {16, 29},
	[FUTEX_HASH_LONG] = {8, 9},      [FUTEX_HASH_XXHASH] = {23, 29},
	[FUTEX_HASH_CRC32] = {57, 49},   [FUTEX_HASH_CRC32C] = {19, 18},
	[FUTEX_HASH_SIPHASH] = {42, 52}, [FUTEX_HASH_HSIPHASH] = {39, 43},
};
