/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "os_rig.h"

#include <stdio.h>
#include <stdlib.h>

static const struct plat_field word_fields[] = {{"state", 0, 4}};
static const struct plat_type word_type = {"word", PLAT_CAT_OTHER, 1, word_fields};

void os_rig_begin(const struct os_rig *rig)
{
	static struct machine_profile profile;
	static uint32_t ids[SIM_CPUS_MAX];
	struct sim_config config = {.cpus = rig->cpus,
				    .tasks = rig->tasks,
				    .memory_bytes = rig->memory_bytes ? rig->memory_bytes : 4 << 20,
				    .reference = rig->reference,
				    .quiet = rig->quiet};
	struct os_config os_config = rig->os;

	profile = rig->profile.name ? rig->profile : test_machine_of(1, 1, rig->cpus, 1);
	os_config.profile = &profile;
	for (uint32_t s = 0; s < rig->cpus; s++)
		ids[s] = s;
	machine_configure(&profile, &config);
	if (sim_engine_init(&config) || machine_init(&profile, ids, rig->cpus, 1) ||
	    os_init(&os_config)) {
		fprintf(stderr, "no machine: %s\n", sim.failure ? sim.failure : "out of memory");
		abort();
	}
}

_Atomic(uint32_t) *os_rig_word(void)
{
	void *word = plat_alloc(sim.config.line_size, sim.config.line_size, 0);

	plat_name(word, &word_type, 1, sim.config.line_size);
	return word;
}

enum plat_wakeup os_rig_sleep(_Atomic(uint32_t) *state, uint64_t deadline_ns, bool interruptible)
{
	store((uint32_t *)state, 1);
	return plat_schedule(state, deadline_ns, interruptible);
}

void os_rig_wake(_Atomic(uint32_t) *state, struct plat_task *task)
{
	store((uint32_t *)state, 0);
	plat_wake(task);
}

void os_rig_work(sim_time time)
{
	sim_time step = SIM_US;

	for (; time > 0; time -= step) {
		step = time < SIM_US ? time : SIM_US;
		sim_spend(sim.current, SIM_COST_WORK, step);
		plat_work_cycles(0);
	}
}
