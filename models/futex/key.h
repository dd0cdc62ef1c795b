/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What identifies a futex: the key, in the layout of its generation. */
#ifndef FUTEXSIM_FUTEX_KEY_H
#define FUTEXSIM_FUTEX_KEY_H

#include "futex/hash.h"

#define FUT_OFF_INODE    1u /* low bits of the offset: shared through a file */
#define FUT_OFF_MMSHARED 2u /* shared, anonymous page */
#define FUTEX_NO_NODE    UINT32_MAX

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

/* True if the generation puts the page address first. */
bool futex_key_word_first(enum futex_kernel kernel);

/*
 * The key of a word at `address` in the process whose mm_struct is at
 * `mm_address`; pure. Memory is anonymous here, so that a shared key differs
 * from a private one only in FUT_OFF_MMSHARED.
 */
union futex_key futex_key_make(enum futex_kernel kernel, uint64_t address, uint64_t mm_address,
			       bool shared);

bool futex_key_is_private(const union futex_key *key);

/* All four words in the order of the layout. */
void futex_key_words(const union futex_key *key, struct futex_hash_input *input);
/* The two words of the page address: what a private table hashes since v6.16. */
void futex_key_address_words(enum futex_kernel kernel, const union futex_key *key,
			     struct futex_hash_input *input);

#endif
