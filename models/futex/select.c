// SPDX-License-Identifier: GPL-3.0-or-later
/* Which table a key falls into and what of it is hashed; pure, no time passes. */
#include "futex/internal.h"

bool futex_uses_private(const struct futex_mm *mm, const union futex_key *key)
{
	return mm->private.slots != 0 && futex_key_is_private(key);
}

/*
 * The private table of v6.16-rc and later hashes the page address alone; all
 * others, the 2024 series included, hash the whole key.
 */
struct futex_hash_input futex_hash_input(const struct futex_mm *mm, const union futex_key *key,
					 bool private_table)
{
	const struct futex_table *table = private_table ? &mm->private : &mm->global;
	struct futex_hash_input input = {.bits = table->total_bits};
	bool address_only = mm->policy.hash == FUTEX_HASH_JHASH2_ADDR ||
			    (private_table && futex_has_header(mm));

	if (address_only)
		futex_key_address_words(mm->policy.kernel, key, &input);
	else
		futex_key_words(key, &input);
	return input;
}

static uint32_t index_in(const struct futex_table *table, uint32_t hash)
{
	uint32_t node = futex_node_of_hash(table, hash, table->slot_bits);

	return node * table->slots + (hash & (table->slots - 1));
}

uint32_t futex_bucket_index(struct futex_mm *mm, const _Atomic(uint32_t) *uaddr, bool shared)
{
	union futex_key key = futex_key_make(mm->policy.kernel, plat_address((const void *)uaddr),
					     plat_address(mm->mm_struct), shared);
	bool private_table = futex_uses_private(mm, &key);
	struct futex_hash_input input = futex_hash_input(mm, &key, private_table);
	uint32_t hash = futex_hash_value(mm->policy.hash, &input);

	return index_in(private_table ? &mm->private : &mm->global, hash);
}

uint32_t futex_bucket_count(struct futex_mm *mm, bool shared)
{
	if (!shared && mm->private.slots)
		return mm->private.slots;
	return mm->global.slots * mm->global.nodes;
}
