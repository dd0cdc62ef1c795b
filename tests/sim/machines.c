/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machines.h"

static void set(struct machine_profile *p, enum machine_param name, double value)
{
	p->param[name] = (struct machine_value){value, STATUS_GUESS, "round number for tests"};
}

static void set_latencies(struct machine_profile *p)
{
	set(p, PARAM_RMW, 8);
	set(p, PARAM_BARRIER, 9);
	set(p, PARAM_PAUSE, 4);
	set(p, PARAM_L1_HIT, 2);
	set(p, PARAM_SMT, 10);
	set(p, PARAM_CLUSTER, 40);
	set(p, PARAM_SOCKET, 60);
	set(p, PARAM_HOP1, 120);
	set(p, PARAM_HOP2, 200);
	set(p, PARAM_LLC, 20);
	set(p, PARAM_DRAM_LOCAL, 80);
	set(p, PARAM_DRAM_REMOTE, 140);
	set(p, PARAM_READ_SERVICE, 15);
	set(p, PARAM_HOME_SERVICE, 0);
	set(p, PARAM_WRITE_BACK, 50);
	set(p, PARAM_TENURE, 1);
	set(p, PARAM_NEAR_BIAS, 0);
	set(p, PARAM_UNIT_MERGE, 0);
	set(p, PARAM_SNOOP_LEAD, 0.5);
	set(p, PARAM_JITTER, 0);
	set(p, PARAM_LLSC_LOSS, 0);
	set(p, PARAM_SYSCALL, 60);
	set(p, PARAM_MITIGATIONS, 80);
	set(p, PARAM_WORK_OUT, 50);
	set(p, PARAM_WORK_IN, 30);
	set(p, PARAM_WORK_SHARED, 40);
	set(p, PARAM_SMT_SLOWDOWN, 0.4);
	set(p, PARAM_CONTEXT_SWITCH, 1500);
	set(p, PARAM_WAKEUP, 3000);
	set(p, PARAM_TICK, 4000000);
}

struct machine_profile test_machine_of(uint32_t sockets, uint32_t clusters, uint32_t units,
				       uint32_t threads)
{
	struct machine_profile p = {
		.name = "test",
		.label = "machine for tests",
		.line_size = 64,
		.page_size = 4096,
		.topology = {.sockets = sockets,
			     .clusters_per_socket = clusters,
			     .units_per_cluster = units,
			     .threads_per_unit = threads,
			     .numbering = NUMBERING_THREADS_LAST,
			     .nodes = NODES_SOCKET},
		.private_cache_kib = 256,
		.llc_kib = 16384,
		.turbo = {{1, 3.0}, {sockets * clusters * units, 2.5}},
		.turbo_count = sockets * clusters * units > 1 ? 2 : 1,
	};

	for (uint32_t a = 0; a < sockets; a++)
		for (uint32_t b = 0; b < sockets; b++)
			p.topology.hops[a][b] = a != b;
	set_latencies(&p);
	return p;
}

struct machine_profile test_machine(void)
{
	return test_machine_of(2, 1, 8, 2);
}
