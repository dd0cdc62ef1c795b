// SPDX-License-Identifier: GPL-3.0-or-later
#include "futex/key.h"

static void put_pair(struct futex_hash_input *input, uint32_t first, uint64_t value)
{
	input->words[first] = (uint32_t)value;
	input->words[first + 1] = (uint32_t)(value >> 32);
}

void futex_key_words(union futex_key key, struct futex_hash_input *input)
{
	put_pair(input, 0, key.both.members[0]);
	put_pair(input, 2, key.both.members[1]);
	input->count = 4;
	input->offset = key.both.offset;
}

void futex_key_address_words(enum futex_kernel kernel, union futex_key key,
			     struct futex_hash_input *input)
{
	put_pair(input, 0, futex_key_page(kernel, key));
	input->count = 2;
	input->offset = key.both.offset;
}
