// SPDX-License-Identifier: GPL-3.0-or-later
#include "explain.h"

const char *const transfer_class_name[TRANSFER_CLASSES] = {
	[TRANSFER_SMT] = "smt",
	[TRANSFER_CLUSTER] = "cluster",
	[TRANSFER_SOCKET] = "socket",
	[TRANSFER_HOP1] = "hop1",
	[TRANSFER_HOP2] = "hop2",
	[TRANSFER_LLC] = "llc",
	[TRANSFER_DRAM_LOCAL] = "dram_local",
	[TRANSFER_DRAM_REMOTE] = "dram_remote",
};

static uint64_t counts_where(const struct result_counts *c, bool remote)
{
	uint64_t sum = 0;

	for (enum transfer_class i = 0; i < TRANSFER_CLASSES; i++)
		if (transfer_is_remote(i) == remote)
			sum += c->transfers[i];
	return sum;
}

uint64_t counts_local(const struct result_counts *c)
{
	return counts_where(c, false);
}

uint64_t counts_remote(const struct result_counts *c)
{
	return counts_where(c, true);
}

double counts_ns(const struct result_counts *c)
{
	return c->wait_ns_per_op + c->spin_ns_per_op;
}

const char *result_function_name(const struct case_result *r, uint32_t function)
{
	return function < r->function_count ? r->functions[function].name : "[task]";
}
