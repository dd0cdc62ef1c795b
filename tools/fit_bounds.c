// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Where a parameter can lie if its profile does not say so: within a factor of
 * its value that depends on how it is known, and within what machines of the
 * last twenty years were measured to do.
 */
#include <math.h>

#include "fit.h"

struct physical {
	double low, high;
	const char *why;
};

/* "Spread" is the core-to-core-latency data set, github nviennot/core-to-core-latency 96a943a. */
static const struct physical physical[PARAM_COUNT] = {
	[PARAM_RMW] =
		{2.5, 14,
		 "3.0 ns on Zen 4 to 9.6 on Sandy Bridge-EP (AIDA64 dumps), POWER10 guessed at 10"},
	[PARAM_BARRIER] = {2.5, 60,
			   "a locked add, 3 ns, to MFENCE on Zen 4, 24.5 ns (AIDA64 dumps); hwsync "
			   "about twice that"},
	[PARAM_PAUSE] =
		{2, 60,
		 "2.7 ns on Ivy Bridge to 27 on Zen 4 (AIDA64 dumps); 140 cycles since Skylake"},
	[PARAM_L1_HIT] = {0.1, 3, "half a cycle of throughput to five cycles of latency"},
	[PARAM_SMT] = {5, 16, "6 ns on a 2013 laptop to 11 on a scaled Sandy Bridge-EP (spread)"},
	[PARAM_CLUSTER] = {15, 200,
			   "about 23 ns in a CCX to 173 between POWER7 cores (spread; perfbook)"},
	[PARAM_SOCKET] = {20, 200,
			  "21 ns on a quad core to 173 between POWER7 cores (spread; perfbook)"},
	[PARAM_HOP1] = {80, 320,
			"92 ns on X5550 to 230 on dual EPYC (spread; perfbook), plus queueing of "
			"four sockets"},
	[PARAM_HOP2] = {120, 600,
			"202 ns on glueless eight-socket Westmere-EX; node controllers were never "
			"measured"},
	[PARAM_LLC] = {8, 70, "9 ns on a quad core to 55 from another POWER8 core (7-cpu.com)"},
	[PARAM_DRAM_LOCAL] = {60, 200, "65 ns on a quad core to 167 on Westmere-EX (7-cpu.com)"},
	[PARAM_DRAM_REMOTE] = {90, 400, "120 ns on X5650 to 282 on Westmere-EX (7-cpu.com)"},
	[PARAM_READ_SERVICE] =
		{4, 60,
		 "a ticket lock's slope: 7.35 ns on Skylake, 14.4 on Ice Lake, 21 on "
		 "Graviton 2 (T. Downs), more over links"},
	[PARAM_HOME_SERVICE] = {0.5, 80,
				"a line over two QPI links, 2.1 ns; 39 ns came out of a saturated "
				"node controller"},
	[PARAM_WRITE_BACK] = {5, 300,
			      "an access to memory at most: 65 ns on a quad core to 282 on "
			      "Westmere-EX (7-cpu.com)"},
	[PARAM_TENURE] = {1, 8, "1.0 on a quad core, 3.5 on Emerald Rapids, 6 guessed for Zen 4"},
	[PARAM_NEAR_BIAS] = {0.02, 4, "order of request to almost closed domains"},
	[PARAM_UNIT_MERGE] = {0.01, 0.99, "a share"},
	[PARAM_SNOOP_LEAD] = {0.05, 0.95, "a share of the transfer"},
	[PARAM_JITTER] =
		{0.01, 0.4,
		 "little (Boyd-Wickizer et al., OLS 2012), up to the quartiles of latencies"},
	[PARAM_LLSC_LOSS] = {0.001, 2, "odds per contender; no measurement"},
	[PARAM_SYSCALL] = {40, 400, "58 ns on Westmere-EX to 300 guessed for POWER"},
	[PARAM_MITIGATIONS] =
		{20, 400,
		 "two CR3 writes of 100 to 400 cycles; whole calls of 2018 up to 190 ns dearer"},
	[PARAM_WORK_OUT] =
		{20, 400,
		 "126 cycles on a recent x86 core; several times that on an in-order or old one"},
	[PARAM_WORK_IN] = {8, 200,
			   "70 cycles on a recent x86 core, most of it SMAP and the fence, which "
			   "old cores lack"},
	[PARAM_WORK_SHARED] = {20, 400,
			       "94 cycles on a recent x86 core; several times that on an old one"},
	[PARAM_SMT_SLOWDOWN] = {0.05, 1.2,
				"a sibling costs 1.2 to 1.6 on x86; two full threads at most 2.2"},
	[PARAM_CONTEXT_SWITCH] = {500, 6000,
				  "1.3 to 3 us on an E5-2620 (blog.tsunanet.net 2010-11)"},
	[PARAM_WAKEUP] = {1000, 60000, "2 to 5 us (T. Downs); deep sleep states up to 100 us"},
	[PARAM_TICK] = {1e6, 1e7, "HZ of 100 to 1000"},
};

/* Numbers that were read are fitted within a range or not at all. */
static double factor(enum machine_status status)
{
	return status == STATUS_DERIVED ? 1.5 : 2;
}

void fit_default_bounds(enum machine_param id, const struct machine_value *value, double *low,
			double *high)
{
	const struct physical *p = &physical[id];
	double f = factor(value->status);

	*low = fmax(p->low, value->value / f);
	*high = fmin(p->high, value->value * f);
	if (*low >= *high) { /* the value is exotic, or 0: what is physical counts */
		*low = fmin(p->low, value->value > 0 ? value->value / f : p->low);
		*high = fmax(p->high, value->value * f);
	}
	/* They are written into the fitted profile, which has to be read again. */
	*low = fmax(*low, machine_param_info[id].min);
	*high = fmin(*high, machine_param_info[id].max);
}

const char *fit_bounds_reason(enum machine_param id)
{
	return physical[id].why;
}
