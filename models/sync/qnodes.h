/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the queued locks share: each CPU has four queue nodes, one per level of
 * nesting (task, softirq, hardirq, NMI in the kernel; here, how many locks a
 * CPU may want or hold at once), and a node has a name that fits the lock word.
 */
#ifndef FUTEXSIM_SYNC_QNODES_H
#define FUTEXSIM_SYNC_QNODES_H

#include "platform.h"

enum { QNODES_PER_CPU = 4, QNODE_INDEX_BITS = 2 };

/* Never 0, which means "nobody": bits 0-1 the index, CPU + 1 above. */
PLAT_INLINE uint32_t qnode_name(unsigned cpu, unsigned index)
{
	return (cpu + 1) << QNODE_INDEX_BITS | index;
}

PLAT_INLINE unsigned qnode_cpu(uint32_t name)
{
	return (name >> QNODE_INDEX_BITS) - 1;
}

PLAT_INLINE unsigned qnode_index(uint32_t name)
{
	return name & (QNODES_PER_CPU - 1);
}

#endif
