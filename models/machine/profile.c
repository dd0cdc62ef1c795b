/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/profile.h"

#include <stddef.h>

const char *const machine_status_name[] = {"read", "derived", "guess", "fitted"};

/*
 * Bounds are physical: what no machine of the last twenty years leaves. They
 * keep a mistyped profile from running, not a strange one.
 */
const struct machine_param_info machine_param_info[PARAM_COUNT] = {
	[PARAM_RMW] = {"t_rmw", "ns", 0.5, 100, "locked RMW, line owned in L1"},
	[PARAM_BARRIER] = {"t_barrier", "ns", 0, 200, "full memory barrier"},
	[PARAM_PAUSE] = {"t_pause", "ns", 0.1, 500, "spin-loop hint (PAUSE, wait)"},
	[PARAM_L1_HIT] = {"l1_hit", "ns", 0, 20, "load or store that hits the L1"},
	[PARAM_SMT] = {"t_smt", "ns", 1, 500, "line taken over from another thread of the unit"},
	[PARAM_CLUSTER] = {"t_cluster", "ns", 2, 2000, "line from another unit of the cluster"},
	[PARAM_SOCKET] = {"t_socket", "ns", 2, 2000, "line from another cluster of the socket"},
	[PARAM_HOP1] = {"t_hop1", "ns", 2, 5000, "line from a socket one hop away"},
	[PARAM_HOP2] = {"t_hop2", "ns", 2, 5000,
			"line from a socket two hops or a node controller away"},
	[PARAM_LLC] = {"t_llc", "ns", 1, 500,
		       "read of a line shared nearby, or hit in the last-level cache"},
	[PARAM_DRAM_LOCAL] = {"t_dram_local", "ns", 10, 2000, "memory of the own node"},
	[PARAM_DRAM_REMOTE] = {"t_dram_remote", "ns", 10, 5000, "memory of another node"},
	[PARAM_READ_SERVICE] = {"t_read_service", "ns", 0, 1000,
				"time the line is busy per reader of a burst"},
	[PARAM_HOME_SERVICE] = {"t_home_service", "ns", 0, 500,
				"time a node's home is busy per transaction from another socket"},
	[PARAM_WRITE_BACK] = {"t_write_back", "ns", 0, 1000,
			      "time a line's home is busy after a dirty read from another cache"},
	[PARAM_TENURE] = {"tenure_rmws", "count", 1, 100,
			  "back-to-back RMWs a contended owner completes"},
	[PARAM_NEAR_BIAS] = {"near_bias", "ratio", 0, 4,
			     "lag of requests from outside, in half differences of transfers"},
	[PARAM_UNIT_MERGE] = {"unit_merge", "ratio", 0, 1,
			      "share of hand-offs that serve the holder's own unit first"},
	[PARAM_SNOOP_LEAD] = {"snoop_lead", "ratio", 0.05, 1,
			      "part of a transfer before the old owner loses the line"},
	[PARAM_JITTER] = {"jitter", "ratio", 0, 0.5, "half-width of the variation of a transfer"},
	[PARAM_LLSC_LOSS] = {"llsc_loss", "ratio", 0, 10,
			     "odds of a lost reservation per contender"},
	[PARAM_SYSCALL] = {"t_syscall", "ns", 0, 10000, "null system call without mitigations"},
	[PARAM_MITIGATIONS] = {"t_mitigations", "ns", 0, 10000,
			       "added per system call by kernels since 2018"},
	[PARAM_WORK_OUT] = {"work_out", "ns", 0, 10000,
			    "straight-line work of a failing wait outside the bucket lock"},
	[PARAM_WORK_IN] = {"work_in", "ns", 0, 10000, "straight-line work inside the bucket lock"},
	[PARAM_WORK_SHARED] = {"work_shared", "ns", 0, 10000,
			       "straight-line work that a shared key adds"},
	[PARAM_SMT_SLOWDOWN] = {"smt_slowdown", "ratio", 0, 3,
				"extra time of work per other busy thread of the unit"},
	[PARAM_CONTEXT_SWITCH] = {"t_context_switch", "ns", 0, 100000,
				  "switch between two tasks of a CPU"},
	[PARAM_WAKEUP] = {"t_wakeup", "ns", 0, 1000000, "wake-up of a task on another, idle CPU"},
	[PARAM_TICK] = {"tick", "ns", 100000, 100000000, "period of the scheduler tick"},
};

uint32_t machine_cpu_count(const struct machine_topology *t)
{
	return t->sockets * t->clusters_per_socket * t->units_per_cluster * t->threads_per_unit;
}

uint32_t machine_node_count(const struct machine_topology *t)
{
	switch (t->nodes) {
	case NODES_SOCKET:
		return t->sockets;
	case NODES_CLUSTER:
		return t->sockets * t->clusters_per_socket;
	default:
		return 1;
	}
}

static bool has_two_hops(const struct machine_topology *t)
{
	for (uint32_t a = 0; a < t->sockets; a++)
		for (uint32_t b = 0; b < t->sockets; b++)
			if (t->hops[a][b] == 2)
				return true;
	return false;
}

enum machine_param machine_param_twin(const struct machine_topology *t, enum machine_param id)
{
	if (t->clusters_per_socket == 1 && (id == PARAM_CLUSTER || id == PARAM_SOCKET))
		return id == PARAM_CLUSTER ? PARAM_SOCKET : PARAM_CLUSTER;
	if (!has_two_hops(t) && (id == PARAM_HOP1 || id == PARAM_HOP2))
		return id == PARAM_HOP1 ? PARAM_HOP2 : PARAM_HOP1;
	return PARAM_COUNT;
}

enum machine_param machine_param_occurring(const struct machine_topology *t, enum machine_param id)
{
	enum machine_param twin = machine_param_twin(t, id);

	return twin == PARAM_CLUSTER || twin == PARAM_HOP1 ? twin : id;
}

static bool power_of_two(uint32_t x)
{
	return x && !(x & (x - 1));
}

static const char *check_topology(const struct machine_topology *t)
{
	uint64_t cpus = (uint64_t)t->sockets * t->clusters_per_socket;

	if (!t->sockets || !t->clusters_per_socket || !t->units_per_cluster || !t->threads_per_unit)
		return "every topology level needs a count of at least 1";
	if (t->sockets > MACHINE_SOCKETS_MAX)
		return "too many sockets; allowed: 1..64";
	if (t->threads_per_unit > 8)
		return "too many threads per unit; allowed: 1..8";
	if (cpus > MACHINE_CPUS_MAX || cpus * t->units_per_cluster > MACHINE_CPUS_MAX ||
	    cpus * t->units_per_cluster * t->threads_per_unit > MACHINE_CPUS_MAX)
		return "too many CPUs; allowed: 1..4096";
	if (machine_node_count(t) > MACHINE_NODES_MAX)
		return "too many NUMA nodes; allowed: 1..64";
	for (uint32_t a = 0; a < t->sockets; a++)
		for (uint32_t b = 0; b < t->sockets; b++)
			if (t->hops[a][b] != t->hops[b][a] || t->hops[a][b] > 2 ||
			    (t->hops[a][b] == 0) != (a == b))
				return "hops must be symmetric, 0 on the diagonal and 1 or 2 "
				       "elsewhere";
	return NULL;
}

const char *machine_profile_check(const struct machine_profile *p)
{
	const char *wrong = check_topology(&p->topology);

	if (wrong)
		return wrong;
	if (!power_of_two(p->line_size) || p->line_size < 64 || p->line_size > 128)
		return "line_size must be a power of two; allowed: 64, 128";
	if (!power_of_two(p->page_size) || p->page_size < 4096 || p->page_size > 65536)
		return "page_size must be a power of two; allowed: 4096..65536";
	if (!p->turbo_count || p->turbo_count > MACHINE_TURBO_MAX)
		return "the clock needs 1..16 entries";
	for (uint32_t i = 0; i < p->turbo_count; i++)
		if (!(p->turbo[i].ghz >= 0.1 && p->turbo[i].ghz <= 10) ||
		    (i && p->turbo[i].cores <= p->turbo[i - 1].cores))
			return "clock entries need ascending cores and 0.1..10 GHz";
	for (uint32_t i = 0; i < PARAM_COUNT; i++)
		if (!(p->param[i].value >= machine_param_info[i].min &&
		      p->param[i].value <= machine_param_info[i].max))
			return "a parameter is outside its physical bounds";
	return NULL;
}
