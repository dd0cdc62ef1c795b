/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "os/latency.h"

#include <string.h>

void latency_reset(struct latency_histogram *h)
{
	memset(h, 0, sizeof(*h));
}

/* First value beyond the bucket, minus one. */
static sim_time upper_edge(uint32_t bucket)
{
	uint32_t shift, sub;

	if (bucket < (2u << LATENCY_SUB_BITS))
		return bucket;
	shift = (bucket >> LATENCY_SUB_BITS) - 1;
	sub = (bucket & ((1u << LATENCY_SUB_BITS) - 1)) + (1u << LATENCY_SUB_BITS);
	return (((sim_time)sub + 1) << shift) - 1;
}

sim_time latency_quantile(const struct latency_histogram *h, uint32_t per_mille)
{
	uint64_t wanted = (h->total * per_mille + 999) / 1000, seen = 0;

	if (!h->total)
		return 0;
	for (uint32_t b = 0; b < LATENCY_BUCKETS; b++) {
		seen += h->count[b];
		if (seen >= wanted && seen > 0)
			return upper_edge(b) < h->max ? upper_edge(b) : h->max;
	}
	return h->max;
}
