/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "script.h"

#include "../sim/rig.h"
#include "../sim/test.h"

enum { LINES = 8, STEPS = 64, EVICTING = 64 };

static struct {
	const struct step *steps;
	uint32_t count;
	uint32_t *memory[2]; /* per node */
	uint32_t *other;     /* lines to evict with, per CPU */
	sim_time took[STEPS];
} script;

static uint32_t *line_at(uint32_t line)
{
	return script.memory[line / LINES] + (size_t)(line % LINES) * 16;
}

static void perform(const struct step *step)
{
	switch (step->op) {
	case LOAD:
		load(line_at(step->line));
		break;
	case STORE:
		store(line_at(step->line), 1);
		break;
	case RMW:
		add(line_at(step->line));
		break;
	case EVICT:
		for (uint32_t l = 0; l < EVICTING; l++)
			load(script.other + ((size_t)step->cpu * EVICTING + l) * 16);
	}
}

static void body(void *arg)
{
	uint32_t cpu = sim.current->id;

	(void)arg;
	for (uint32_t i = 0; i < script.count; i++) {
		const struct step *step = &script.steps[i];
		sim_time began;

		if (step->cpu != cpu)
			continue;
		if (rig_now() < step->at_ns * SIM_NS)
			rig_at(step->at_ns * SIM_NS);
		began = rig_now();
		perform(step);
		script.took[i] = rig_now() - began;
	}
}

static void check(void)
{
	for (uint32_t i = 0; i < script.count; i++) {
		const struct step *step = &script.steps[i];

		if (step->op != EVICT && script.took[i] != step->ns * SIM_NS)
			fail_msg("step %u: CPU %u took %g ns, not %u", i, step->cpu,
				 (double)script.took[i] / SIM_NS, step->ns);
	}
}

void script_play(const struct machine_profile *profile, const struct step *steps, uint32_t count)
{
	uint32_t cpus = machine_cpu_count(&profile->topology);

	assert_in_range(count, 1, STEPS);
	rig_begin(profile, cpus);
	script.steps = steps;
	script.count = count;
	for (int node = 0; node < 2; node++)
		script.memory[node] = rig_lines(LINES, node < (int)sim.memory.nodes ? node : 0);
	script.other = rig_lines(cpus * EVICTING, 0);
	for (uint32_t s = 0; s < cpus; s++)
		os_task_start(s, body, NULL);
	rig_run();
	check();
	rig_end();
}
