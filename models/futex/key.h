/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What identifies a futex: the key, in the layout of its generation. Keys are
 * passed by value, so that they live in registers and not in memory.
 */
#ifndef FUTEXSIM_FUTEX_KEY_H
#define FUTEXSIM_FUTEX_KEY_H

#include "futex/futex.h"
#include "futex/hash.h"
#include "futex/jhash.h"

#define FUT_OFF_INODE    1u /* low bits of the offset: shared through a file */
#define FUT_OFF_MMSHARED 2u /* shared, anonymous page */

/*
 * Both layouts have 16 bytes that are hashed and then the offset, which seeds
 * the hash. Until v5.5: page address, then mm (kernel v3.12 kernel/futex.c).
 * Since v5.6 (commit 8019ad13ef7f) mm, then page address; v6.16 added the node,
 * which is not hashed.
 */
union futex_key {
	struct {
		uint64_t word, ptr;
		uint32_t offset;
	} v3_12;
	struct {
		uint64_t ptr, word;
		uint32_t offset;
		uint32_t node;
	} v5_6;
	struct {
		uint64_t members[2];
		uint32_t offset;
	} both;
};

/* No key: both members are 0, which those of a key never are. Says why, as an errno. */
PLAT_INLINE union futex_key futex_key_none(int error)
{
	return (union futex_key){.both = {.offset = (uint32_t)error}};
}

PLAT_INLINE bool futex_key_is_none(union futex_key key)
{
	return (key.both.members[0] | key.both.members[1]) == 0;
}

/* The errno of a key that is none, negative. */
PLAT_INLINE int futex_key_error(union futex_key key)
{
	return -(int)key.both.offset;
}

/* True if the generation puts the page address first. */
PLAT_INLINE bool futex_key_word_first(enum futex_kernel kernel)
{
	return kernel <= FUTEX_KERNEL_V3_14;
}

/*
 * The key of a word at `address` in the process whose mm_struct is at
 * `mm_address`; pure. Memory is anonymous here, so that a shared key differs
 * from a private one only in FUT_OFF_MMSHARED.
 */
PLAT_INLINE union futex_key futex_key_make(enum futex_kernel kernel, uint64_t address,
					   uint64_t mm_address, bool shared)
{
	uint64_t offset = address & (plat_page_size() - 1);
	uint64_t page = address - offset;
	uint32_t tagged = (uint32_t)offset | (shared ? FUT_OFF_MMSHARED : 0);

	if (futex_key_word_first(kernel))
		return (union futex_key){
			.v3_12 = {.word = page, .ptr = mm_address, .offset = tagged}};
	return (union futex_key){
		.v5_6 = {.ptr = mm_address, .word = page, .offset = tagged, .node = FUTEX_NO_NODE}};
}

PLAT_INLINE bool futex_key_is_private(union futex_key key)
{
	return !(key.both.offset & (FUT_OFF_INODE | FUT_OFF_MMSHARED));
}

PLAT_INLINE uint64_t futex_key_page(enum futex_kernel kernel, union futex_key key)
{
	return futex_key_word_first(kernel) ? key.v3_12.word : key.v5_6.word;
}

/* All four words in the order of the layout. */
void futex_key_words(union futex_key key, struct futex_hash_input *input);
/* The two words of the page address: what a private table hashes since v6.16. */
void futex_key_address_words(enum futex_kernel kernel, union futex_key key,
			     struct futex_hash_input *input);

/* jhash2() of these words, seeded with the offset; without a copy in memory. */
PLAT_INLINE uint32_t futex_key_jhash2(union futex_key key)
{
	uint64_t first = key.both.members[0], second = key.both.members[1];

	return jhash2_of_4((uint32_t)first, (uint32_t)(first >> 32), (uint32_t)second,
			   (uint32_t)(second >> 32), key.both.offset);
}

PLAT_INLINE uint32_t futex_key_address_jhash2(enum futex_kernel kernel, union futex_key key)
{
	uint64_t page = futex_key_page(kernel, key);

	return jhash2_of_2((uint32_t)page, (uint32_t)(page >> 32), key.both.offset);
}

#endif
