// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Layouts, from struct futex_hash_bucket of the generations:
 *   v3.12  { lock @0, chain @8 }, 24 bytes, unaligned: 8 buckets in 3 lines of 64
 *   v3.14  { waiters @0, lock @4, chain @8 }, aligned to the line
 *   v6.16  + priv @24; without it again since v7.2 (commit a734d9fca84e)
 * "packed" with a counter or a back pointer never shipped: same members, no
 * alignment. "chain-apart" is the proposal of 2026-06-05 (B. Leitao): chain, and
 * whatever is declared after it, starts the next line.
 */
#include "futex/bucket.h"

enum { CHAIN_SIZE = 16, POINTER_SIZE = 8 };

/* With the counter; without it the lock comes first. */
#define COUNTED_FIELDS(chain_at)                                                                   \
	{                                                                                          \
		{"waiters", 0, 4}, {"lock", 4, 4}, {"chain", (chain_at), CHAIN_SIZE},              \
			{"priv", (chain_at) + CHAIN_SIZE, POINTER_SIZE},                           \
	}
#define UNCOUNTED_FIELDS(chain_at)                                                                 \
	{                                                                                          \
		{"lock", 0, 4}, {"chain", (chain_at), CHAIN_SIZE},                                 \
			{"priv", (chain_at) + CHAIN_SIZE, POINTER_SIZE},                           \
	}

/* Where the chain starts: inside the line, or after a line of 64 or 128 bytes. */
enum { CHAIN_NEAR, CHAIN_64, CHAIN_128, CHAIN_PLACES };

static const uint16_t chain_offset[CHAIN_PLACES] = {8, 64, 128};

static const struct plat_field counted[CHAIN_PLACES][4] = {COUNTED_FIELDS(8), COUNTED_FIELDS(64),
							   COUNTED_FIELDS(128)};
static const struct plat_field uncounted[CHAIN_PLACES][3] = {
	UNCOUNTED_FIELDS(8), UNCOUNTED_FIELDS(64), UNCOUNTED_FIELDS(128)};

#define BUCKET_TYPE(fields, count)                                                                 \
	{                                                                                          \
		"bucket", PLAT_CAT_BUCKET_LINE, (count), (fields)                                  \
	}

/* Second index: with a back pointer. */
static const struct plat_type counted_type[CHAIN_PLACES][2] = {
	{BUCKET_TYPE(counted[CHAIN_NEAR], 3), BUCKET_TYPE(counted[CHAIN_NEAR], 4)},
	{BUCKET_TYPE(counted[CHAIN_64], 3), BUCKET_TYPE(counted[CHAIN_64], 4)},
	{BUCKET_TYPE(counted[CHAIN_128], 3), BUCKET_TYPE(counted[CHAIN_128], 4)},
};
static const struct plat_type uncounted_type[CHAIN_PLACES][2] = {
	{BUCKET_TYPE(uncounted[CHAIN_NEAR], 2), BUCKET_TYPE(uncounted[CHAIN_NEAR], 3)},
	{BUCKET_TYPE(uncounted[CHAIN_64], 2), BUCKET_TYPE(uncounted[CHAIN_64], 3)},
	{BUCKET_TYPE(uncounted[CHAIN_128], 2), BUCKET_TYPE(uncounted[CHAIN_128], 3)},
};

static unsigned chain_place(const struct futex_policy *policy)
{
	if (policy->bucket != FUTEX_BUCKET_CHAIN_APART)
		return CHAIN_NEAR;
	return plat_line_size() == 64 ? CHAIN_64 : CHAIN_128;
}

static uint32_t bucket_stride(const struct futex_policy *policy, uint32_t used)
{
	uint32_t line = (uint32_t)plat_line_size();

	if (policy->bucket == FUTEX_BUCKET_PACKED)
		return used;
	return (used + line - 1) / line * line;
}

struct futex_bucket_layout futex_bucket_layout(const struct futex_policy *policy)
{
	bool counter = policy->empty_check == FUTEX_CHECK_COUNTER;
	unsigned place = chain_place(policy);
	uint16_t end = chain_offset[place] + CHAIN_SIZE;
	uint32_t used = end + (policy->back_pointer ? POINTER_SIZE : 0);

	return (struct futex_bucket_layout){
		.stride = bucket_stride(policy, used),
		.waiters = 0,
		.lock = counter ? 4 : 0,
		.chain = chain_offset[place],
		.priv = end,
		.type = counter ? &counted_type[place][policy->back_pointer]
				: &uncounted_type[place][policy->back_pointer],
	};
}
