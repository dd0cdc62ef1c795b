// SPDX-License-Identifier: GPL-3.0-or-later
#include "futex/key.h"

bool futex_key_word_first(enum futex_kernel kernel)
{
	return kernel <= FUTEX_KERNEL_V3_14;
}

union futex_key futex_key_make(enum futex_kernel kernel, uint64_t address, uint64_t mm_address,
			       bool shared)
{
	uint64_t offset = address % plat_page_size();
	uint64_t page = address - offset;
	uint32_t tagged = (uint32_t)offset | (shared ? FUT_OFF_MMSHARED : 0);

	if (futex_key_word_first(kernel))
		return (union futex_key){
			.v3_12 = {.word = page, .ptr = mm_address, .offset = tagged}};
	return (union futex_key){
		.v5_6 = {.ptr = mm_address, .word = page, .offset = tagged, .node = FUTEX_NO_NODE}};
}

bool futex_key_is_private(const union futex_key *key)
{
	return !(key->both.offset & (FUT_OFF_INODE | FUT_OFF_MMSHARED));
}

static void put_pair(struct futex_hash_input *input, uint32_t first, uint64_t value)
{
	input->words[first] = (uint32_t)value;
	input->words[first + 1] = (uint32_t)(value >> 32);
}

void futex_key_words(const union futex_key *key, struct futex_hash_input *input)
{
	put_pair(input, 0, key->both.members[0]);
	put_pair(input, 2, key->both.members[1]);
	input->count = 4;
	input->offset = key->both.offset;
}

void futex_key_address_words(enum futex_kernel kernel, const union futex_key *key,
			     struct futex_hash_input *input)
{
	put_pair(input, 0, futex_key_word_first(kernel) ? key->v3_12.word : key->v5_6.word);
	input->count = 2;
	input->offset = key->both.offset;
}
