/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a key's words to a hash value, by any of the functions a policy can name. */
#ifndef FUTEXSIM_FUTEX_HASH_H
#define FUTEXSIM_FUTEX_HASH_H

#include "futex/policy.h"

enum { FUTEX_HASH_WORDS_MAX = 4 };

/*
 * What goes into the hash: two words (page address) or four (both members of
 * the key, in the generation's order), and the key's offset, which is the seed.
 */
struct futex_hash_input {
	uint32_t words[FUTEX_HASH_WORDS_MAX];
	uint32_t count; /* 2 or 4 */
	uint32_t offset;
	/*
	 * How many low bits of the result will be used. Only hash_long cares: it
	 * returns the top bits of its product.
	 */
	uint32_t bits;
};

/* The hash value; pure, charges no time. */
uint32_t futex_hash_value(enum futex_hash_kind kind, const struct futex_hash_input *input);

PLAT_INLINE bool futex_hash_is_jhash2(enum futex_hash_kind kind)
{
	return kind == FUTEX_HASH_JHASH2 || kind == FUTEX_HASH_JHASH2_ADDR;
}

/* What computing it costs, in core cycles of the reference machine. */
struct futex_hash_cost {
	uint16_t two, four; /* words */
};
extern const struct futex_hash_cost futex_hash_cost[FUTEX_HASH_COUNT];

PLAT_INLINE unsigned futex_hash_cycles(enum futex_hash_kind kind, uint32_t count)
{
	return count == 2 ? futex_hash_cost[kind].two : futex_hash_cost[kind].four;
}

#endif
