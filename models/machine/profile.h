/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A machine as numbers: topology, latencies, clocks, caches. Plain data, filled
 * by the profile reader (tools/) or by tests; models/machine only reads it.
 */
#ifndef FUTEXSIM_MACHINE_PROFILE_H
#define FUTEXSIM_MACHINE_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

enum {
	MACHINE_CPUS_MAX = 4096,
	MACHINE_SOCKETS_MAX = 64,
	MACHINE_NODES_MAX = 64,
	MACHINE_TURBO_MAX = 16
};

/* How CPU numbers are laid over threads. "Unit" = the CPUs sharing one L1. */
enum machine_numbering {
	NUMBERING_THREADS_LAST,        /* thread 0 of all units first: sibling = cpu + units */
	NUMBERING_THREADS_ADJACENT,    /* siblings are neighbours */
	NUMBERING_SOCKETS_INTERLEAVED, /* neighbours are on different sockets, threads last */
	NUMBERING_UNITS_INTERLEAVED, /* POWER SMT8: even and odd threads of a core are its two units
				      */
};

enum machine_node_level { NODES_MACHINE, NODES_SOCKET, NODES_CLUSTER };

struct machine_topology {
	uint32_t sockets;
	uint32_t clusters_per_socket; /* CCX; SMT8 core; 1 if monolithic */
	uint32_t units_per_cluster;
	uint32_t threads_per_unit;
	enum machine_numbering numbering;
	enum machine_node_level nodes;
	/* Hops between sockets: 0 same, 1 one hop, 2 two hops or a node controller. */
	uint8_t hops[MACHINE_SOCKETS_MAX][MACHINE_SOCKETS_MAX];
};

/* Status of a number: read in a source, derived from such, a guess, or fitted to measurements. */
enum machine_status { STATUS_READ, STATUS_DERIVED, STATUS_GUESS, STATUS_FITTED };
extern const char *const machine_status_name[STATUS_FITTED + 1]; /* as in the profile */

/*
 * Parameters, in the order of machine_param_info[]. Unit ns unless the info
 * says otherwise.
 */
enum machine_param {
	PARAM_RMW,          /* t_rmw: locked RMW, line owned in L1 */
	PARAM_BARRIER,      /* t_barrier: full barrier */
	PARAM_PAUSE,        /* t_pause */
	PARAM_L1_HIT,       /* l1_hit: load or store that hits; straight-line work excludes it */
	PARAM_SMT,          /* t_smt: ownership transfer between threads of a unit */
	PARAM_CLUSTER,      /* t_cluster */
	PARAM_SOCKET,       /* t_socket */
	PARAM_HOP1,         /* t_hop1 */
	PARAM_HOP2,         /* t_hop2 */
	PARAM_LLC,          /* t_llc: read of a line Shared nearby, or an LLC hit */
	PARAM_DRAM_LOCAL,   /* t_dram_local */
	PARAM_DRAM_REMOTE,  /* t_dram_remote */
	PARAM_READ_SERVICE, /* t_read_service: line occupancy per reader of a burst (c) */
	PARAM_HOME_SERVICE, /* t_home_service: time a node's home agent, link or node controller
				is busy per transaction from another socket */
	PARAM_WRITE_BACK,   /* t_write_back: how long the home stays busy with a line that was read
			       while another last-level cache had it modified; unused where dirty
			       lines are shared (MOESI) */
	PARAM_TENURE,       /* tenure_rmws: mean back-to-back RMWs per tenure (b), count */
	PARAM_NEAR_BIAS, /* near_bias: how much longer a request from outside a cluster or socket is
			    on its way than one from inside, ratio to half the difference of the
			    transfer times; 0: contended lines go round in order of request */
	PARAM_UNIT_MERGE, /* unit_merge: P(requests of the holder's unit that waited when the line
			     came to the unit go first), ratio: 1 where the unit's threads meet in
			     a cache that merges requests, 0 where each access goes to the home */
	PARAM_SNOOP_LEAD, /* snoop_lead: share of a transfer that passes before the old owner loses
			     the line, ratio */
	PARAM_JITTER,     /* jitter: half-width of the uniform variation of a transfer, ratio */
	PARAM_LLSC_LOSS, /* llsc_loss: odds of losing the reservation per contender, ratio; 0 on x86
			  */
	PARAM_SYSCALL,   /* t_syscall: null system call on a kernel before 2018 */
	PARAM_MITIGATIONS, /* t_mitigations: what kernels since 2018 add per call (KPTI, ...) */
	PARAM_WORK_OUT, /* work_out: straight-line work of a private failing wait outside the bucket
			   lock, without system call, hash and the program's own loop, all-core
			   clock */
	PARAM_WORK_IN,  /* work_in: same, inside the bucket lock */
	PARAM_WORK_SHARED,  /* work_shared: what a shared key adds outside the lock: the walk to its
			       page */
	PARAM_SMT_SLOWDOWN, /* smt_slowdown: extra time of straight-line work per other busy thread
			       of the unit, ratio */
	PARAM_CONTEXT_SWITCH, /* t_context_switch */
	PARAM_WAKEUP,         /* t_wakeup: wake to running on another idle CPU */
	PARAM_TICK,           /* tick: period of the scheduler tick */
	PARAM_COUNT
};

struct machine_param_info {
	const char *name; /* key in the profile */
	const char *unit; /* "ns", "ratio", "count": also the key that holds the value */
	double min, max;  /* physical bounds, checked by the reader */
	const char *help;
};
extern const struct machine_param_info machine_param_info[PARAM_COUNT];

struct machine_value {
	double value;
	enum machine_status status;
	const char *source; /* owned by the profile's reader */
};

struct machine_turbo {
	uint32_t cores; /* up to this many busy cores (of the whole machine) ... */
	double ghz;     /* ... the core clock is this */
};

struct machine_profile {
	const char *name;
	const char *label;
	bool ppc;           /* ppc64le; else x86-64 */
	bool dirty_sharing; /* MOESI: a dirty line can be shared without write-back */
	uint32_t line_size; /* 64 or 128 */
	uint32_t page_size; /* 4096 or 65536 */
	struct machine_topology topology;
	uint32_t private_cache_kib; /* per unit (L2) */
	uint32_t llc_kib;           /* per socket, or per cluster if llc_per_cluster */
	bool llc_per_cluster;
	struct machine_turbo turbo[MACHINE_TURBO_MAX]; /* ascending cores; last entry = all cores */
	uint32_t turbo_count;
	struct machine_value param[PARAM_COUNT];
};

/*
 * Where a socket is one cluster, or no two sockets are two hops apart, profiles
 * give the distance that does not occur the value of the one that does. The
 * other of such a pair; PARAM_COUNT: none.
 */
enum machine_param machine_param_twin(const struct machine_topology *t, enum machine_param id);
/* Of a pair the one that is a distance of the topology, else the parameter itself. */
enum machine_param machine_param_occurring(const struct machine_topology *t, enum machine_param id);

/* Total CPUs, units, nodes of a topology (no overflow: the reader bounds the factors). */
uint32_t machine_cpu_count(const struct machine_topology *t);
uint32_t machine_node_count(const struct machine_topology *t);
/* NULL if sound, else a sentence saying what is wrong. */
const char *machine_profile_check(const struct machine_profile *profile);

#endif
