/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Log-linear histogram of operation times: 32 steps per power of two, 3 % wide. */
#ifndef FUTEXSIM_OS_LATENCY_H
#define FUTEXSIM_OS_LATENCY_H

#include "types.h"

enum { LATENCY_SUB_BITS = 5, LATENCY_BUCKETS = (64 - LATENCY_SUB_BITS) << LATENCY_SUB_BITS };

struct latency_histogram {
	uint64_t count[LATENCY_BUCKETS];
	uint64_t total;
	sim_time max;
};

void latency_reset(struct latency_histogram *h);

static inline uint32_t latency_bucket(sim_time t)
{
	uint32_t shift;

	if (t < (1u << LATENCY_SUB_BITS))
		return (uint32_t)t;
	shift = 63u - (uint32_t)__builtin_clzll(t) - LATENCY_SUB_BITS;
	return ((shift + 1) << LATENCY_SUB_BITS) +
	       (uint32_t)((t >> shift) - (1u << LATENCY_SUB_BITS));
}

static inline void latency_add(struct latency_histogram *h, sim_time t)
{
	h->count[latency_bucket(t)]++;
	h->total++;
	h->max = t > h->max ? t : h->max;
}

/* Upper edge of the bucket that holds the quantile `per_mille` (0..1000), at most max; 0 if empty.
 */
sim_time latency_quantile(const struct latency_histogram *h, uint32_t per_mille);

#endif
