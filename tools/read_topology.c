// SPDX-License-Identifier: GPL-3.0-or-later
#include <string.h>

#include "field.h"
#include "profile.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { THREADS_MAX = 8 };

static const char *const level_names[] = {"socket", "cluster", "unit", "thread"};
static const char *const numbering_names[] = {"threads-last", "threads-adjacent",
					      "sockets-interleaved", "units-interleaved"};
static const char *const node_names[] = {"machine", "socket", "cluster"};

static uint32_t read_level(struct reader *r, const struct node *level, size_t index, uint32_t max)
{
	static const char *const keys[] = {"level", "count"};
	const struct node *name;

	if (!field_object(r, level, keys, COUNT(keys)))
		return 0;
	name = field_required(r, level, "level", level_names[index]);
	field_choice_of(r, name, level_names + index, 1);
	return (uint32_t)field_integer(r, field_required(r, level, "count", "an integer"), 1, max);
}

static void read_levels(struct reader *r, const struct node *levels, struct machine_topology *t)
{
	uint32_t *const counts[] = {&t->sockets, &t->clusters_per_socket, &t->units_per_cluster,
				    &t->threads_per_unit};
	static const uint32_t max[] = {MACHINE_SOCKETS_MAX, MACHINE_CPUS_MAX, MACHINE_CPUS_MAX,
				       THREADS_MAX};
	uint64_t cpus = 1;

	field_array(r, levels, COUNT(level_names), COUNT(level_names));
	for (size_t i = 0; i < COUNT(level_names) && !r->failed; i++) {
		*counts[i] = read_level(r, node_item(r, levels, i), i, max[i]);
		cpus *= *counts[i];
	}
	if (!r->failed && cpus > MACHINE_CPUS_MAX)
		reader_fail(r, levels, false, "%llu CPUs in all; allowed: 1..%d",
			    (unsigned long long)cpus, MACHINE_CPUS_MAX);
}

static void far_everywhere(struct machine_topology *t)
{
	for (uint32_t a = 0; a < t->sockets; a++)
		for (uint32_t b = 0; b < t->sockets; b++)
			t->hops[a][b] = a != b;
}

static void read_hop(struct reader *r, const struct node *hop, struct machine_topology *t,
		     uint32_t a, uint32_t b)
{
	t->hops[a][b] = (uint8_t)field_integer(r, hop, a != b, a != b ? 2 : 0);
	if (!r->failed && b < a && t->hops[a][b] != t->hops[b][a])
		field_fail(r, hop, "differs from the way back",
			   reader_printf(r, "%u, as in row %u", t->hops[b][a], b));
}

static void read_hops(struct reader *r, const struct node *hops, struct machine_topology *t)
{
	field_array(r, hops, t->sockets, t->sockets);
	for (uint32_t a = 0; a < t->sockets && !r->failed; a++) {
		const struct node *row = node_item(r, hops, a);

		field_array(r, row, t->sockets, t->sockets);
		for (uint32_t b = 0; b < t->sockets && !r->failed; b++)
			read_hop(r, node_item(r, row, b), t, a, b);
	}
}

void read_topology(struct reader *r, const struct node *node, struct machine_topology *t)
{
	static const char *const keys[] = {"levels", "numbering", "nodes", "hops"};
	const struct node *nodes, *hops;

	if (!field_object(r, node, keys, COUNT(keys)))
		return;
	read_levels(r, field_required(r, node, "levels", "an array of 4 items"), t);
	t->numbering =
		field_choice_of(r,
				field_required(r, node, "numbering",
					       "threads-last, threads-adjacent, units-interleaved"),
				numbering_names, COUNT(numbering_names));
	nodes = field_required(r, node, "nodes", "machine, socket, cluster");
	t->nodes = field_choice_of(r, nodes, node_names, COUNT(node_names));
	if (r->failed)
		return;
	if (machine_node_count(t) > MACHINE_NODES_MAX)
		field_fail(r, nodes, "gives too many NUMA nodes", "1..64 nodes");
	hops = node_member(r, node, "hops");
	if (hops)
		read_hops(r, hops, t);
	else
		far_everywhere(t);
}
