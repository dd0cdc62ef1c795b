/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs a simulation until its throughput is known well enough: warm-up, then
 * batches, then stop. Built on the engine's timer; used by every case of a
 * scenario and by the tests of its own soundness.
 */
#ifndef FUTEXSIM_SIM_MEASURE_H
#define FUTEXSIM_SIM_MEASURE_H

#include "statistics.h"
#include "types.h"

struct measure {
	/* What to do; filled in by the caller. */
	double precision;                         /* relative half width to reach */
	double confidence;                        /* 0.5 .. 0.999 */
	sim_time limit;                           /* give up at this time, warm-up included */
	uint64_t (*count)(void *arg);             /* operations completed so far */
	bool (*warm)(void *arg);                  /* is the warm-up over? */
	void (*start)(void *arg, sim_time now);   /* forget what was counted before */
	bool (*progress)(void *arg, double done); /* may be NULL; false ends the run */
	void *arg;
	/* What came out. */
	bool reached;     /* precision reached before the limit */
	bool interrupted; /* progress said so */
	sim_time began, ended;
	sim_time interval; /* base interval of the batches */
	struct batch_means batches;
	/* Private. */
	sim_time step;
	uint64_t counted, counted_at_start;
};

/* Arms the timer; call before sim_engine_run. */
void measure_begin(struct measure *m);

/*
 * Operations per picosecond over the whole window, and the half width of its
 * interval, from the complete batches.
 */
double measure_rate(const struct measure *m);
double measure_half_width(const struct measure *m);

#endif
