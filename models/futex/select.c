// SPDX-License-Identifier: GPL-3.0-or-later
/* Hashes that are not jhash2, and which bucket a word falls into; pure, no time passes. */
#include "futex/internal.h"

uint32_t futex_hash_key_other(const struct futex_mm *mm, union futex_key key, bool private_table)
{
	const struct futex_table *table = private_table ? &mm->private : &mm->global;
	union futex_rules rules = futex_rules_of(mm);
	struct futex_hash_input input = {.bits = table->total_bits};

	if (futex_hashes_address_only(rules, private_table))
		futex_key_address_words(rules.kernel, key, &input);
	else
		futex_key_words(key, &input);
	return futex_hash_value(rules.hash, &input);
}

static uint32_t index_in(const struct futex_table *table, uint32_t hash)
{
	uint32_t node = futex_node_of_hash(table, hash, table->slot_bits);

	return node * table->slots + (hash & (table->slots - 1));
}

uint32_t futex_bucket_index(struct futex_mm *mm, const _Atomic(uint32_t) *uaddr, bool shared)
{
	union futex_rules rules = futex_rules_of(mm);
	union futex_key key = futex_key_make(rules.kernel, plat_address((const void *)uaddr),
					     mm->mm_address, shared);
	bool private_table = futex_uses_private(mm, key);
	uint32_t hash = futex_hash_key(mm, rules, key, private_table);

	return index_in(private_table ? &mm->private : &mm->global, hash);
}

uint32_t futex_bucket_count(struct futex_mm *mm, bool shared)
{
	if (!shared && mm->private.slots)
		return mm->private.slots;
	return mm->global.slots * mm->global.nodes;
}
