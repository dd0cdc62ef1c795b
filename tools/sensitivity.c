// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Sensitivity: every parameter of the machine 10 % up, the rest as it is. A
 * parameter at its upper bound goes 10 % down instead, and the effect changes
 * sign. Left out: what is 0, of which 10 % are nothing, and what no code of this
 * version asks for, or not with this machine's protocol or topology.
 */
#include "variants.h"

static bool is_used(const struct machine_profile *machine, enum machine_param p)
{
	if (p == PARAM_WRITE_BACK)
		return !machine->dirty_sharing;
	if (machine_param_occurring(&machine->topology, p) != p)
		return false;
	return p != PARAM_CONTEXT_SWITCH && p != PARAM_WAKEUP && p != PARAM_TICK;
}

static void add_parameter(struct variants *v, const struct scenario_case *from, size_t base,
			  enum machine_param p)
{
	const struct machine_param_info *info = &machine_param_info[p];
	const struct machine_value *value = &from->spec.machine->param[p];
	bool up = value->value * 1.1 <= info->max;
	enum machine_param twin = machine_param_twin(&from->spec.machine->topology, p);
	struct machine_profile *changed;
	double to = value->value * (up ? 1.1 : 0.9);

	if (!is_used(from->spec.machine, p) || !(value->value > 0) || to < info->min)
		return;
	changed = variants_machine(
		v, variants_add(
			   v, from,
			   reader_printf(v->reader, "%s=%s", info->name, up ? "+10%" : "-10%"),
			   (struct variant){base, info->name, info->help, up ? 1 : -1, value, p}));
	changed->param[p].value = to;
	if (twin != PARAM_COUNT)
		changed->param[twin].value = to;
}

const struct variants *sensitivities(struct reader *r, struct scenario *scenario)
{
	struct variants *v = variants_new(r, scenario, VARIANTS_SENSITIVITY, PARAM_COUNT);

	for (size_t i = 0; i < scenario->count; i++) {
		size_t base = variants_add_base(v, &scenario->cases[i]);

		for (enum machine_param p = 0; p < PARAM_COUNT; p++)
			add_parameter(v, &scenario->cases[i], base, p);
	}
	scenario->cases = v->cases;
	scenario->count = v->count;
	return v;
}
