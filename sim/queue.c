/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "queue.h"

#include <stdlib.h>
#include <string.h>

int sim_queue_init(struct sim_queue *q, uint32_t slots)
{
	size_t bytes;

	for (q->leaves = 2; q->leaves < slots; q->leaves *= 2)
		;
	bytes = 2 * (size_t)q->leaves * sizeof(*q->node);
	q->node = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
	if (!q->node)
		return -1;
	memset(q->node, 0xff, bytes);
	return 0;
}

void sim_queue_clean_up(struct sim_queue *q)
{
	free(q->node);
	q->node = NULL;
}
