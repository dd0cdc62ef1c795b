/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Directory entry of one simulated cache line: who may access it until when.
 * The engine reads it to let hits pass without an event, and keeps the flags
 * and the time of quiet lines; all else is the machine model's to write.
 */
#ifndef FUTEXSIM_SIM_LINE_H
#define FUTEXSIM_SIM_LINE_H

#include "sharers.h"
#include "types.h"

enum {
	LINE_KNOWN = 1,           /* entry initialised: category and home node are valid */
	LINE_READ_FILL = 2,       /* the transfer in flight leaves the old owner a shared copy */
	LINE_SHARED_READS = 4,    /* the transfers in flight are reads of a shared line */
	LINE_FREED = 8,           /* memory was freed: every access is an error */
	LINE_CATEGORY_SHIFT = 4,  /* three bits */
	LINE_SHARED = 128,        /* `sharers` is not empty */
	LINE_QUIET = 256,         /* hits need no event: see sim_config.quiet */
	LINE_AHEAD_WRITTEN = 512, /* some of them wrote */
	LINE_DIRTY = 1024,        /* shared, and newer than memory: `llc` answers for it */
	LINE_WRITE_BACK = 2048,   /* shared, and its home is busy with it until `next_at` */
};

struct sim_line {
	/*
	 * Present rights end here. SIM_NEVER while nothing is in flight that takes
	 * them away; 0 in an entry nobody has touched.
	 */
	sim_time revoke_at;
	union {
		/*
		 * With an owner: it keeps the line at least until then. With reads of a
		 * shared line in flight: when the next one can be served. After a
		 * write-back: when the home can take the next request.
		 */
		sim_time next_at;
		uint32_t to; /* on its way to one CPU: its slot */
	};
	sim_time ahead_until; /* quiet lines: 1 + time of the latest hit that was not an event */
	uint32_t side;        /* 1 + index of the attribution entry; 0 = none yet */
	union {
		uint32_t owner_fill; /* with an owner: its fill count when it got the line */
		int32_t early;       /* LINE_WRITE_BACK: a read that needs no home can be served so
					long before next_at (negative: after) */
	};
	uint32_t llc_fill;   /* LLC domain's fill count when the line came in */
	uint16_t owner;      /* CPU with exclusive rights (its unit holds M or E), or SIM_NO_CPU */
	uint16_t in_flight;  /* transfers granted and not complete */
	uint16_t llc;        /* 1 + LLC domain that last held it; 0 = memory only */
	uint16_t wait_queue; /* 1 + index of the queue of waiting requests; 0 = none */
	uint16_t flags;      /* LINE_*, category from LINE_CATEGORY_SHIFT on */
	uint8_t home;        /* NUMA node */
	struct sharers sharers; /* units with a shared copy; empty with an owner */
};

static inline uint32_t sim_line_category(const struct sim_line *line)
{
	return line->flags >> LINE_CATEGORY_SHIFT & 7;
}

_Static_assert(sizeof(struct sim_line) == 64, "one host cache line per entry");

#endif
