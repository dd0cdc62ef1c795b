// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim_machines.h"

#include "../sim/machines.h"

static void set(struct machine_profile *p, enum machine_param name, double value)
{
	p->param[name] = (struct machine_value){value, STATUS_GUESS, "round number for tests"};
}

struct machine_profile two_sockets(void)
{
	struct machine_profile p = test_machine_of(2, 1, 16, 2);

	set(&p, PARAM_JITTER, 0.1);
	return p;
}

struct machine_profile power(void)
{
	struct machine_profile p = test_machine_of(2, 4, 2, 4);

	p.ppc = true;
	p.line_size = 128;
	p.page_size = 65536;
	p.topology.numbering = NUMBERING_UNITS_INTERLEAVED;
	set(&p, PARAM_JITTER, 0.1);
	set(&p, PARAM_LLSC_LOSS, 0.05);
	set(&p, PARAM_NEAR_BIAS, 0.5);
	set(&p, PARAM_UNIT_MERGE, 1);
	set(&p, PARAM_TENURE, 4);
	return p;
}
