/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sets of coherence units that share a line. Up to SHARERS_INLINE units the
 * set is a bitmap inside the line's directory entry; machines with more units
 * keep it in a pooled bitmap, allocated when a line is first shared.
 */
#ifndef FUTEXSIM_SIM_SHARERS_H
#define FUTEXSIM_SIM_SHARERS_H

#include <stdbool.h>

#include "types.h"

enum { SHARERS_WORDS_INLINE = 2, SHARERS_INLINE = 64 * SHARERS_WORDS_INLINE };

struct sharers {
	uint64_t word[SHARERS_WORDS_INLINE]; /* big machines: word[0] = 1 + pool index, or 0 */
};

/* Describes the machine's sets; one per run. */
struct sharers_pool {
	uint32_t words; /* 64-bit words of a set */
	bool pooled;
	uint64_t *bits;
	uint32_t used, capacity;
	uint32_t *free_list;
	uint32_t free_count;
};

int sharers_pool_init(struct sharers_pool *pool, uint32_t units);
void sharers_pool_clean_up(struct sharers_pool *pool);

/* The set's words; NULL for an empty pooled set. */
uint64_t *sharers_words(struct sharers_pool *pool, struct sharers *s);
bool sharers_has_pooled(const struct sharers_pool *pool, const struct sharers *s, uint32_t unit);
/* Without memory for the bitmap: false. */
bool sharers_add(struct sharers_pool *pool, struct sharers *s, uint32_t unit);
void sharers_clear(struct sharers_pool *pool, struct sharers *s);

static inline bool sharers_has(const struct sharers_pool *pool, const struct sharers *s,
			       uint32_t unit)
{
	if (sim_unlikely(pool->pooled))
		return sharers_has_pooled(pool, s, unit);
	return s->word[unit / 64] >> (unit % 64) & 1;
}

#endif
