/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where each CPU sits, and how far apart two of them are. */
#ifndef FUTEXSIM_MACHINE_TOPOLOGY_H
#define FUTEXSIM_MACHINE_TOPOLOGY_H

#include "machine/profile.h"

/* Distance classes, ascending. */
enum distance {
	DISTANCE_SELF,
	DISTANCE_SMT,     /* other thread of the unit */
	DISTANCE_CLUSTER, /* other unit of the cluster */
	DISTANCE_SOCKET,  /* other cluster of the socket */
	DISTANCE_HOP1,
	DISTANCE_HOP2,
	DISTANCE_COUNT
};

/* Where a line came from, or how far the copies were that had to go. */
enum transfer_class {
	TRANSFER_SMT, /* within the unit */
	TRANSFER_CLUSTER,
	TRANSFER_SOCKET,
	TRANSFER_HOP1,
	TRANSFER_HOP2,
	TRANSFER_LLC, /* last-level cache nearby */
	TRANSFER_DRAM_LOCAL,
	TRANSFER_DRAM_REMOTE,
	TRANSFER_CLASSES
};

/* Past the local ones: another socket, or memory of another node. */
static inline bool transfer_is_remote(enum transfer_class c)
{
	return c == TRANSFER_HOP1 || c == TRANSFER_HOP2 || c == TRANSFER_DRAM_REMOTE;
}

struct cpu_place {
	uint16_t unit, cluster, socket, node; /* machine-wide numbers */
	uint16_t thread;                      /* within the unit */
};

/* place[cpu] for every CPU of the topology, by its numbering scheme. */
void topology_place(const struct machine_topology *t, struct cpu_place *place);

/* Distance between units given as places; same unit: DISTANCE_SMT or SELF if also one CPU. */
static inline enum distance topology_distance(const struct machine_topology *t,
					      const struct cpu_place *a, const struct cpu_place *b)
{
	if (a->unit == b->unit)
		return a->thread == b->thread ? DISTANCE_SELF : DISTANCE_SMT;
	if (a->cluster == b->cluster)
		return DISTANCE_CLUSTER;
	if (a->socket == b->socket)
		return DISTANCE_SOCKET;
	return t->hops[a->socket][b->socket] == 1 ? DISTANCE_HOP1 : DISTANCE_HOP2;
}

#endif
