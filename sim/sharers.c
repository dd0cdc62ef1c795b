/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sharers.h"

#include <stdlib.h>
#include <string.h>

int sharers_pool_init(struct sharers_pool *pool, uint32_t units)
{
	memset(pool, 0, sizeof(*pool));
	pool->pooled = units > SHARERS_INLINE;
	pool->words = pool->pooled ? (units + 63) / 64 : SHARERS_WORDS_INLINE;
	return 0;
}

void sharers_pool_clean_up(struct sharers_pool *pool)
{
	free(pool->bits);
	free(pool->free_list);
	memset(pool, 0, sizeof(*pool));
}

uint64_t *sharers_words(struct sharers_pool *pool, struct sharers *s)
{
	if (!pool->pooled)
		return s->word;
	return s->word[0] ? pool->bits + (s->word[0] - 1) * pool->words : NULL;
}

bool sharers_has_pooled(const struct sharers_pool *pool, const struct sharers *s, uint32_t unit)
{
	if (!s->word[0])
		return false;
	return pool->bits[(s->word[0] - 1) * pool->words + unit / 64] >> (unit % 64) & 1;
}

static bool grow(struct sharers_pool *pool)
{
	uint32_t capacity = pool->capacity ? 2 * pool->capacity : 64;
	uint64_t *bits = realloc(pool->bits, (size_t)capacity * pool->words * sizeof(*bits));
	uint32_t *free_list;

	if (!bits)
		return false;
	pool->bits = bits;
	free_list = realloc(pool->free_list, capacity * sizeof(*free_list));
	if (!free_list)
		return false;
	pool->free_list = free_list;
	pool->capacity = capacity;
	return true;
}

static bool take_bitmap(struct sharers_pool *pool, struct sharers *s)
{
	uint32_t index;

	if (pool->free_count) {
		index = pool->free_list[--pool->free_count];
	} else {
		if (pool->used == pool->capacity && !grow(pool))
			return false;
		index = pool->used++;
	}
	memset(pool->bits + (size_t)index * pool->words, 0, pool->words * sizeof(*pool->bits));
	s->word[0] = index + 1;
	return true;
}

bool sharers_add(struct sharers_pool *pool, struct sharers *s, uint32_t unit)
{
	if (pool->pooled && !s->word[0] && !take_bitmap(pool, s))
		return false;
	sharers_words(pool, s)[unit / 64] |= (uint64_t)1 << (unit % 64);
	return true;
}

void sharers_clear(struct sharers_pool *pool, struct sharers *s)
{
	if (pool->pooled && s->word[0])
		pool->free_list[pool->free_count++] = (uint32_t)(s->word[0] - 1);
	memset(s, 0, sizeof(*s));
}
