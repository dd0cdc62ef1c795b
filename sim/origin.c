/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "origin.h"

#include <stdio.h>

#include "engine.h"

struct sim_origin sim_here(void)
{
	const struct sim_cpu *cpu = sim.current;

	if (!cpu)
		return (struct sim_origin){.at = sim.timer_now, .cpu = SIM_NO_CPU};
	return (struct sim_origin){cpu->now, cpu->context, cpu->id};
}

void sim_origin_describe(const struct sim_origin *origin, char *buffer, size_t size)
{
	char chain[400] = "";

	if (!origin->in) {
		snprintf(buffer, size, "outside the run");
		return;
	}
	sim_context_chain(origin->in, chain, sizeof(chain));
	snprintf(buffer, size, "by CPU %u at %llu ps%s%s", origin->cpu,
		 (unsigned long long)origin->at, *chain ? " in " : "", chain);
}
