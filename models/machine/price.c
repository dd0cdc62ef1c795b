/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a transfer costs, by where the line is. Latencies are whole transfers
 * including one RMW at the end, as core-to-core ping-pong measures them.
 */
#include "machine/internal.h"

bool owner_resident(const struct sim_line *line)
{
	const struct sim_cpu *owner = &sim.cpus[machine.slot_of_cpu[line->owner]];

	return owner->fills - line->owner_fill <= owner->cache_lines;
}

static uint32_t llc_of(const struct cpu_place *place)
{
	return machine.profile->llc_per_cluster ? place->cluster : place->socket;
}

bool leaves_llc(const struct sim_line *line, const struct sim_cpu *cpu)
{
	return line->llc != llc_of(&machine_cpu_of(cpu)->place) + 1;
}

/* The socket of the last-level cache that took the line in last. */
static uint32_t llc_socket(const struct sim_line *line)
{
	uint32_t domain = line->llc - 1u;

	return machine.profile->llc_per_cluster ? domain / machine.topology.clusters_per_socket
						: domain;
}

static bool llc_holds(const struct sim_line *line)
{
	return line->llc && machine.llc[line->llc - 1].fills - line->llc_fill <= machine.llc_lines;
}

void cache_fill(struct sim_line *line, struct sim_cpu *cpu)
{
	uint32_t domain = llc_of(&machine_cpu_of(cpu)->place);

	line->owner_fill = ++cpu->fills;
	if (line->llc != domain + 1 || !llc_holds(line)) {
		line->llc = (uint16_t)(domain + 1);
		line->llc_fill = ++machine.llc[domain].fills;
	}
}

static struct transfer at_distance(enum distance distance)
{
	uint8_t source =
		distance == DISTANCE_SELF ? (uint8_t)TRANSFER_LLC : (uint8_t)(distance - 1);

	return (struct transfer){machine.transfer[distance], (uint8_t)distance,
				 distance >= DISTANCE_HOP1, source};
}

static enum distance hop_distance(uint32_t a, uint32_t b)
{
	if (a == b)
		return DISTANCE_SELF;
	return machine.topology.hops[a][b] == 1 ? DISTANCE_HOP1 : DISTANCE_HOP2;
}

static uint32_t home_socket(const struct sim_line *line)
{
	switch (machine.topology.nodes) {
	case NODES_SOCKET:
		return line->home;
	case NODES_CLUSTER:
		return line->home / machine.topology.clusters_per_socket;
	default:
		return 0;
	}
}

static enum distance farther(enum distance a, enum distance b)
{
	return a > b ? a : b;
}

static bool any_common(const uint64_t *a, const uint64_t *b, uint32_t words)
{
	for (uint32_t w = 0; w < words; w++)
		if (a[w] & b[w])
			return true;
	return false;
}

static bool shared_in_socket(const uint64_t *set, uint32_t socket)
{
	return any_common(set, machine.socket_units + (size_t)socket * sim.sharers.words,
			  sim.sharers.words);
}

/* Any unit of `mask` other than `own`? */
static bool others_in(const uint64_t *set, const uint64_t *mask, uint32_t own)
{
	for (uint32_t w = 0; w < sim.sharers.words; w++) {
		uint64_t common = set[w] & mask[w];

		if (w == own / 64)
			common &= ~((uint64_t)1 << own % 64);
		if (common)
			return true;
	}
	return false;
}

/* Invalidating all other copies takes as long as the farthest of them. */
static struct transfer upgrade(const uint64_t *set, const struct cpu_place *place)
{
	enum distance far = DISTANCE_SMT;

	for (uint32_t s = 0; s < machine.topology.sockets; s++) {
		enum distance d = hop_distance(s, place->socket);

		if (d > far && shared_in_socket(set, s))
			far = d;
	}
	if (far < DISTANCE_SOCKET) {
		const uint64_t *socket =
			machine.socket_units + (size_t)place->socket * sim.sharers.words;
		const uint64_t *cluster =
			machine.cluster_units + (size_t)place->cluster * sim.sharers.words;
		uint64_t outside = 0;

		for (uint32_t w = 0; w < sim.sharers.words; w++)
			outside |= set[w] & socket[w] & ~cluster[w];
		if (outside)
			far = DISTANCE_SOCKET;
		else if (others_in(set, cluster, place->unit))
			far = DISTANCE_CLUSTER;
	}
	return at_distance(far);
}

static bool shared_in_llc(const uint64_t *set, const struct cpu_place *place)
{
	if (!machine.profile->llc_per_cluster)
		return shared_in_socket(set, place->socket);
	return any_common(set, machine.cluster_units + (size_t)place->cluster * sim.sharers.words,
			  sim.sharers.words);
}

/* With dirty sharing the one dirty copy answers for the line, not a clean one. */
static bool owned_dirty(const struct sim_line *line)
{
	return line->flags & LINE_DIRTY && machine.profile->dirty_sharing;
}

/* A reader is served by the last-level cache next to it, or else a sharer. */
static struct transfer read_shared(const struct sim_line *line, const uint64_t *set,
				   const struct cpu_place *place)
{
	enum distance near = DISTANCE_HOP2;
	uint32_t dirty;

	if (shared_in_llc(set, place))
		return (struct transfer){machine.llc_hit, DISTANCE_CLUSTER, false, TRANSFER_LLC};
	if (owned_dirty(line)) {
		dirty = llc_socket(line);
		return at_distance(dirty == place->socket ? DISTANCE_SOCKET
							  : hop_distance(dirty, place->socket));
	}
	if (shared_in_socket(set, place->socket))
		return at_distance(DISTANCE_SOCKET);
	for (uint32_t s = 0; s < machine.topology.sockets; s++)
		if (machine.topology.hops[s][place->socket] == 1 && shared_in_socket(set, s))
			near = DISTANCE_HOP1;
	return at_distance(near);
}

/*
 * What leaves the socket is settled by the line's home, which may be farther
 * away than the copy: the longest leg decides.
 */
static struct transfer by_way_of_home(const struct sim_line *line, uint32_t copy, uint32_t reader,
				      struct transfer t)
{
	uint32_t home = home_socket(line);
	enum distance distance = farther(hop_distance(reader, home), hop_distance(copy, home));

	return distance > t.distance ? at_distance(distance) : t;
}

static bool needs_home(struct transfer t)
{
	return t.distance >= DISTANCE_HOP1 && machine.topology.nodes != NODES_MACHINE;
}

/* No private cache has it: last-level cache, else memory at its home node. */
static struct transfer from_below(const struct sim_line *line, const struct cpu_place *place)
{
	if (llc_holds(line)) {
		uint32_t socket = llc_socket(line);
		struct transfer t;

		if (line->llc == llc_of(place) + 1)
			return (struct transfer){machine.llc_hit, DISTANCE_CLUSTER, false,
						 TRANSFER_LLC};
		if (socket == place->socket)
			return at_distance(DISTANCE_SOCKET);
		t = at_distance(hop_distance(socket, place->socket));
		return needs_home(t) ? by_way_of_home(line, socket, place->socket, t) : t;
	}
	if (line->home == place->node)
		return (struct transfer){machine.dram_local, DISTANCE_SOCKET, false,
					 TRANSFER_DRAM_LOCAL};
	return (struct transfer){machine.dram_remote, DISTANCE_HOP1, true, TRANSFER_DRAM_REMOTE};
}

static inline struct transfer from_place(const struct sim_line *line, const struct cpu_place *from,
					 const struct cpu_place *place)
{
	struct transfer t = at_distance(topology_distance(&machine.topology, from, place));

	if (needs_home(t))
		t = by_way_of_home(line, from->socket, place->socket, t);
	if (t.distance > DISTANCE_SMT)
		t.source |= TRANSFER_HITM;
	return t;
}

static struct transfer from_sharers(struct sim_line *line, const struct cpu_place *place,
				    bool write)
{
	const uint64_t *set = sharers_words(&sim.sharers, &line->sharers);
	struct transfer t = write ? upgrade(set, place) : read_shared(line, set, place);
	uint32_t copy = owned_dirty(line) ? llc_socket(line) : place->socket;

	return needs_home(t) ? by_way_of_home(line, copy, place->socket, t) : t;
}

sim_time jittered(sim_time time)
{
	sim_time half = time * machine.jitter >> 16;

	return half ? time - half + sim_stream_below(&machine.random, 2 * half) : time;
}

struct transfer transfer_from(const struct sim_line *line, const struct sim_cpu *from,
			      const struct sim_cpu *cpu)
{
	return from_place(line, &machine_cpu_of(from)->place, &machine_cpu_of(cpu)->place);
}

struct transfer transfer_mean(struct sim_line *line, const struct sim_cpu *cpu, bool write)
{
	const struct cpu_place *place = &machine_cpu_of(cpu)->place;

	if (line->owner != SIM_NO_CPU && owner_resident(line))
		return from_place(line, &machine.place[line->owner], place);
	if (line->flags & LINE_SHARED)
		return from_sharers(line, place, write);
	return from_below(line, place);
}

struct transfer transfer_price(struct sim_line *line, const struct sim_cpu *cpu, bool write)
{
	struct transfer t = transfer_mean(line, cpu, write);

	t.time = jittered(t.time);
	return t;
}
