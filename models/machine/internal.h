/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State shared by the files of the machine model; nobody else includes this. */
#ifndef FUTEXSIM_MACHINE_INTERNAL_H
#define FUTEXSIM_MACHINE_INTERNAL_H

#include "access.h"
#include "machine/machine.h"
#include "machine/topology.h"
#include "machine/wait_queue.h"
#include "random.h"

/* Per CPU slot. */
struct machine_cpu {
	struct cpu_place place;
	uint8_t distance;      /* class of the transfer being waited for */
	uint8_t source;        /* of that transfer: as in struct transfer */
	uint32_t next_in_unit; /* chain of the slots of a unit, slot + 1 */
	uint64_t stolen;
	const struct sim_line *used; /* watched line used last, and in which operation */
	uint64_t used_in, operation;
};

struct llc_domain {
	uint32_t fills;
};

struct machine {
	const struct machine_profile *profile;
	struct machine_topology topology;
	uint32_t slots;
	struct machine_cpu *cpu; /* per slot */
	struct cpu_place *place; /* per CPU number */
	uint16_t *slot_of_cpu;
	struct sim_stream random; /* one stream: requests are served in global order */
	struct wait_pool wait;
	struct llc_domain *llc;
	uint32_t llc_lines;                    /* capacity of one domain */
	uint64_t *socket_units;                /* per socket: bitmap of its units */
	uint64_t *cluster_units;               /* per cluster */
	sim_time home_free[MACHINE_NODES_MAX]; /* when each node's home is free again */
	sim_time home_service;
	sim_time write_back; /* 0: none, as with dirty sharing */
	sim_time transfer[DISTANCE_COUNT];
	sim_time llc_hit, dram_local, dram_remote, read_service, pause, rmw;
	uint64_t hold_whole;       /* further RMWs of a tenure: whole part ... */
	uint32_t hold_fraction;    /* ... and the rest, of 2^32 */
	sim_time on_way[WAIT_ALL]; /* per level: how long requests from outside take longer to
				      arrive */
	uint64_t unit_merge;       /* of 2^32 */
	uint32_t jitter;           /* of 2^16 */
	uint32_t lead;             /* of 2^16 */
	uint32_t llsc_loss;        /* odds per contender, of 2^16; 0: atomics never fail */
	uint32_t watched;          /* category */
	uint32_t busy_units;
};

extern struct machine machine;
extern const struct sim_machine_ops machine_ops;

static inline struct machine_cpu *machine_cpu_of(const struct sim_cpu *cpu)
{
	return &machine.cpu[cpu->slot];
}

static inline sim_time ns_to_ps(double ns)
{
	return (sim_time)(ns * 1000 + 0.5);
}

struct transfer {
	sim_time time;
	uint8_t distance;
	bool remote;    /* crosses sockets, or memory of another node */
	uint8_t source; /* enum transfer_class, with TRANSFER_HITM */
};

/* Flag: out of a copy that another unit has to itself. */
enum { TRANSFER_HITM = 8 };
_Static_assert((int)TRANSFER_CLASSES <= (int)TRANSFER_HITM, "classes fit below the flag");

/* What it takes to bring the line to the CPU, as things stand now. */
struct transfer transfer_price(struct sim_line *line, const struct sim_cpu *cpu, bool write);
/* The same without jitter: `time` is the mean. */
struct transfer transfer_mean(struct sim_line *line, const struct sim_cpu *cpu, bool write);
/* Its mean price from another CPU that has it to itself. */
struct transfer transfer_from(const struct sim_line *line, const struct sim_cpu *from,
			      const struct sim_cpu *cpu);
/* A time with the machine's variation of transfers. */
sim_time jittered(sim_time time);
/* A line entered the CPU's caches (from anywhere). */
void cache_fill(struct sim_line *line, struct sim_cpu *cpu);
/* Is the CPU outside the last-level cache that took the line in last? */
bool leaves_llc(const struct sim_line *line, const struct sim_cpu *cpu);
/* Is the owner's copy still in its private cache? */
bool owner_resident(const struct sim_line *line);

/* To the CPU's present context; `source` as in struct transfer. */
void attribute_transfer(const struct sim_cpu *cpu, struct sim_line *line, size_t offset,
			uint8_t source, sim_time wait);
void attribute_spin(const struct sim_cpu *cpu, struct sim_line *line, size_t offset, sim_time spun);
/* Brings the line's entry into the host's cache ahead of attribute_transfer. */
void attribution_prefetch(const struct sim_line *line);
int attribution_init(void);
void attribution_clean_up(void);

#endif
