/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/topology.h"

/* CPU number of thread `thread` of unit `unit`. */
static uint32_t cpu_number(const struct machine_topology *t, uint32_t unit, uint32_t thread)
{
	uint32_t units = t->sockets * t->clusters_per_socket * t->units_per_cluster;
	uint32_t cluster = unit / t->units_per_cluster, inside = unit % t->units_per_cluster;

	switch (t->numbering) {
	case NUMBERING_THREADS_LAST:
		return thread * units + unit;
	case NUMBERING_THREADS_ADJACENT:
		return unit * t->threads_per_unit + thread;
	default:
		return cluster * t->units_per_cluster * t->threads_per_unit +
		       thread * t->units_per_cluster + inside;
	}
}

static uint16_t node_of(const struct machine_topology *t, uint32_t cluster, uint32_t socket)
{
	switch (t->nodes) {
	case NODES_SOCKET:
		return (uint16_t)socket;
	case NODES_CLUSTER:
		return (uint16_t)cluster;
	default:
		return 0;
	}
}

void topology_place(const struct machine_topology *t, struct cpu_place *place)
{
	uint32_t units = t->sockets * t->clusters_per_socket * t->units_per_cluster;

	for (uint32_t unit = 0; unit < units; unit++) {
		uint32_t cluster = unit / t->units_per_cluster;
		uint32_t socket = cluster / t->clusters_per_socket;

		for (uint32_t thread = 0; thread < t->threads_per_unit; thread++)
			place[cpu_number(t, unit, thread)] = (struct cpu_place){
				.unit = (uint16_t)unit,
				.cluster = (uint16_t)cluster,
				.socket = (uint16_t)socket,
				.node = node_of(t, cluster, socket),
				.thread = (uint16_t)thread,
			};
	}
}
