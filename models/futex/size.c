// SPDX-License-Identifier: GPL-3.0-or-later
/* How many slots a table gets when nobody says. */
#include "futex/policy.h"

static uint32_t roundup_pow2(uint32_t value)
{
	uint32_t power = 1;

	while (power < value)
		power <<= 1;
	return power;
}

/* v3.12: 1 << FUTEX_HASHBITS; since v3.14 futex_init() (commit a52b89ebb6d4). */
static uint32_t global_slots(enum futex_kernel kernel, unsigned cpus)
{
	return kernel == FUTEX_KERNEL_V3_12 ? 256 : roundup_pow2(256 * cpus);
}

/* Commit cec199c5e39b (v6.16), futex_init(): at least 4, then to a power of two. */
static uint32_t per_node_slots(unsigned cpus, unsigned nodes)
{
	uint32_t slots = 256 * cpus / nodes;

	return roundup_pow2(slots < 4 ? 4 : slots);
}

/*
 * Commit 7c4f75a21f63 (v6.16-rc), futex_hash_allocate_default(), called before
 * each thread appears: the last of `threads` workers is counted as main plus
 * threads - 1 workers, which is `threads` again.
 */
static uint32_t private_slots(unsigned cpus, unsigned nodes, unsigned threads)
{
	uint32_t counted = threads < cpus ? threads : cpus;
	uint32_t slots = roundup_pow2(4 * counted);
	uint32_t limit = per_node_slots(cpus, nodes);

	if (slots < 16)
		slots = 16;
	return slots < limit ? slots : limit;
}

uint32_t futex_auto_slots(const struct futex_policy *policy, unsigned cpus, unsigned nodes,
			  unsigned threads)
{
	switch (policy->scope) {
	case FUTEX_SCOPE_PER_NODE:
		return per_node_slots(cpus, nodes);
	case FUTEX_SCOPE_PRIVATE:
		/* Posted default of the October 2024 series, patch 4 of 4. */
		if (policy->kernel == FUTEX_KERNEL_RFC_2024)
			return 4;
		return private_slots(cpus, nodes, threads);
	default:
		return global_slots(policy->kernel, cpus);
	}
}
