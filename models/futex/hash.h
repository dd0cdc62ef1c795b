/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a key's words to a hash value, by any of the functions a policy can name. */
#ifndef FUTEXSIM_FUTEX_HASH_H
#define FUTEXSIM_FUTEX_HASH_H

#include "futex/jhash.h"
#include "futex/policy.h"

enum { FUTEX_HASH_WORDS_MAX = 4 };

/*
 * What goes into the hash: two words (page address) or four (both members of
 * the key, in the generation's order), and the key's offset, which is the seed.
 * Passed by value: on the hot path it then lives in registers.
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

/* Any function but jhash2: those that no released kernel uses here. */
uint32_t futex_hash_value_other(enum futex_hash_kind kind, struct futex_hash_input input);

/* The hash value; pure, charges no time. */
PLAT_INLINE uint32_t futex_hash_value(enum futex_hash_kind kind, struct futex_hash_input input)
{
	const uint32_t *w = input.words;

	if (kind != FUTEX_HASH_JHASH2 && kind != FUTEX_HASH_JHASH2_ADDR)
		return futex_hash_value_other(kind, input);
	return input.count == 2 ? jhash2_of_2(w[0], w[1], input.offset)
				: jhash2_of_4(w[0], w[1], w[2], w[3], input.offset);
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
