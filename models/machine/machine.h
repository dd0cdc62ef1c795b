/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The machine model: what an access costs and when it takes effect.
 *
 * A coherence unit is the set of CPUs that share an L1. A line is owned
 * (Modified or Exclusive) by the CPU that used it last, shared by units, or in
 * a last-level cache or memory only. It serves one request at a time; others
 * queue. An owner that loses an idle line keeps it for the first part of
 * the transfer (snoop_lead), which is also what lets the engine run ahead; one
 * whose successor already waits at the home, only for its tenure.
 * The protocol matters to lines that are read after they were modified: README.md.
 */
#ifndef FUTEXSIM_MACHINE_MACHINE_H
#define FUTEXSIM_MACHINE_MACHINE_H

#include "engine.h"
#include "machine/topology.h"

/* Engine parameters that follow from the profile: line size, nodes, units, leads, ops. */
void machine_configure(const struct machine_profile *profile, struct sim_config *config);

/*
 * After sim_engine_init: puts CPU cpus[s] (ascending) into slot s. 0, or -1
 * without memory.
 */
int machine_init(const struct machine_profile *profile, const uint32_t *cpus, uint32_t slots,
		 uint64_t seed);
void machine_clean_up(void);

/* Busy cores (units with at least one slot) and the core clock that follows, GHz. */
double machine_clock_ghz(void);
/* Other slots on the CPU's unit. */
uint32_t machine_busy_siblings(uint32_t slot);
uint32_t machine_node_of_cpu(uint32_t cpu);
uint32_t machine_socket_of_slot(uint32_t slot);
/* UINT32_MAX if the CPU has none. */
uint32_t machine_slot_of_cpu(uint32_t cpu);

/*
 * The running CPU has just seen a value at `offset` that it does not want: wait
 * until its copy of the line is lost, then poll again. Returns at once if it is
 * lost already.
 */
void machine_spin(struct sim_cpu *cpu, size_t offset);
/*
 * A CPU that is in machine_spin() there no longer waits for its copy to go; false
 * if that is not so, and it will return by itself. The caller wakes it.
 */
bool machine_stop_spin(uint32_t slot, size_t offset);

/* ---- Attribution, counted since the last reset ---------------------------- */

/*
 * A request that loses its reservation (LL/SC) and asks again is one transfer,
 * of the last one's class. hitm: out of a copy that another unit had to itself,
 * which is Modified in all but the rarest cases; the model does not tell an
 * unwritten Exclusive copy from it.
 */
struct transfer_counts {
	uint64_t by_class[TRANSFER_CLASSES];
	uint64_t hitm;
	sim_time wait; /* from request to arrival */
	sim_time spin; /* with a copy of the line, until it was taken away */
};

struct line_stats {
	size_t offset;          /* of the line's first byte in the arena */
	uint64_t local, remote; /* transfers within the socket or own memory; beyond */
	sim_time wait;
	struct transfer_counts counts;
};

struct field_stats {
	uint64_t local, remote;
	sim_time wait;
};

void machine_stats_reset(void);
/* Lines with at least one transfer, unordered. */
uint32_t machine_line_count(void);
struct line_stats machine_line(uint32_t index);
/* The object that last caused a transfer of the line; NULL if it has no name. */
const struct sim_object *machine_line_object(uint32_t index);
/* Transfers by field of a type (index in sim.memory.types); field -1: unnamed bytes. */
struct field_stats machine_field(uint32_t type, int field);

/* What one function (calling context) paid for one field. */
struct cell_stats {
	const struct sim_context *context;
	uint32_t type; /* index in sim.memory.types; UINT32_MAX: memory without a name */
	int field;     /* -1: unnamed bytes */
	struct transfer_counts counts;
};

/* Cells are 0..count-1, in no particular order; false: an empty one. */
uint32_t machine_cell_count(void);
bool machine_cell(uint32_t index, struct cell_stats *cell);
/* Lines taken away between two accesses of one operation (see machine_op_boundary). */
uint64_t machine_stolen(uint32_t slot);
/* Marks the end of the running task's operation. */
void machine_op_boundary(struct sim_cpu *cpu);
/* The category (sim_type.category) whose lines count for machine_stolen. */
void machine_watch_category(uint32_t category);

#endif
