/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Straight-line work. The split of a failing private wait into parts was
 * measured by subtraction on an Emerald Rapids guest, kernel 6.18.44, all in
 * L1 (core cycles): argument handling 35; key, table and reference 70 less a
 * barrier of 18 and a two-word hash of 16; lock plus unlock 48 less one RMW of
 * 18, half before and half inside; user read 55; queue set-up and calls 40; the
 * benchmark's loop and libc 2-4 ns.
 *
 * A profile gives the sum outside (work_out) and inside (work_in) the bucket
 * lock in ns at the all-core clock, the split stays; and what a shared key adds
 * (work_shared).
 */
#include "os/internal.h"

enum { CYCLES_ARGS = 35, CYCLES_KEY = 36, CYCLES_QUEUE = 40, CYCLES_LOCK = 15 };
enum { CYCLES_OUT = CYCLES_ARGS + CYCLES_KEY + CYCLES_QUEUE + CYCLES_LOCK };
enum { CYCLES_USER_READ = 55, CYCLES_UNLOCK = 15, CYCLES_IN = CYCLES_USER_READ + CYCLES_UNLOCK };
enum { CYCLES_LOOP = 9 };

void os_work_init(struct os_work_costs *costs, const struct machine_profile *p, uint32_t siblings,
		  double clock_ghz, bool mitigations)
{
	double all_core = p->turbo[p->turbo_count - 1].ghz;
	double slow = 1 + siblings * p->param[PARAM_SMT_SLOWDOWN].value;
	double scale = 1000 * slow * all_core / clock_ghz; /* ps per ns of the profile */
	double out = scale * p->param[PARAM_WORK_OUT].value / CYCLES_OUT;
	double in = scale * p->param[PARAM_WORK_IN].value / CYCLES_IN;
	double syscall = p->param[PARAM_SYSCALL].value;
	const double part[PLAT_WORK_COUNT] = {
		[PLAT_WORK_USER_LOOP] = out * CYCLES_LOOP,
		[PLAT_WORK_SYSCALL] =
			scale * (syscall + (mitigations ? p->param[PARAM_MITIGATIONS].value : 0)),
		[PLAT_WORK_ARGS] = out * CYCLES_ARGS,
		[PLAT_WORK_KEY] = out * CYCLES_KEY,
		[PLAT_WORK_KEY_SHARED] = scale * p->param[PARAM_WORK_SHARED].value,
		[PLAT_WORK_QUEUE_SETUP] = out * CYCLES_QUEUE,
		[PLAT_WORK_LOCK] = out * CYCLES_LOCK,
		[PLAT_WORK_USER_READ] = in * CYCLES_USER_READ,
		[PLAT_WORK_UNLOCK] = in * CYCLES_UNLOCK,
	};

	for (int k = 0; k < PLAT_WORK_COUNT; k++)
		costs->kind[k] = (sim_time)(part[k] + 0.5);
	costs->cycle_16 = (uint64_t)(out * 65536 + 0.5);
}

void plat_work(enum plat_work kind)
{
	struct sim_cpu *cpu = sim.current;

	if (!cpu)
		return;
	sim_spend(cpu, SIM_COST_WORK, os_cpu_of(cpu)->work->kind[kind]);
	os_check(cpu);
}

void plat_work_cycles(unsigned cycles)
{
	struct sim_cpu *cpu = sim.current;

	if (!cpu)
		return;
	sim_spend(cpu, SIM_COST_WORK, os_cpu_of(cpu)->work->cycle_16 * cycles >> 16);
	os_check(cpu);
}

void plat_cpu_relax(void)
{
	struct sim_cpu *cpu = sim.current;

	if (!cpu)
		return;
	sim_spend(cpu, SIM_COST_WORK, os_cpu_of(cpu)->relax);
	os_check(cpu);
}
