// SPDX-License-Identifier: GPL-3.0-or-later
/* --set PATH=VALUE and --seed N: the layer above all others. */
#include <string.h>

#include "field.h"
#include "scenario.h"

static const char *pointer_of(struct reader *r, enum setting setting)
{
	const char *path = setting_path(r, setting);
	const char *dot = strchr(path, '.');

	if (!dot)
		return reader_printf(r, "/%s", path);
	return reader_printf(r, "/%.*s/%s", (int)(dot - path), path, dot + 1);
}

static void override(struct reader *r, struct scenario *scenario, const struct node *root,
		     const char *name, enum setting setting, const char *value,
		     struct settings *settings)
{
	const struct node *sweep = node_member(r, root, "sweep");
	const struct node *node = reader_argument(r, name, pointer_of(r, setting), value);

	if (!node)
		return;
	if (node_member(r, sweep, setting_path(r, setting)))
		reader_fail(r, node, false,
			    "the scenario sweeps this value; allowed: values it does not sweep");
	setting_check(r, scenario, setting, node);
	settings->by[setting] = node;
}

static void apply_set(struct reader *r, struct scenario *scenario, const struct node *root,
		      const char *argument, struct settings *settings)
{
	const char *equals = strchr(argument, '=');
	const char *name = reader_printf(r, "--set %s", argument);
	const char *path, *close;
	enum setting setting;

	if (!equals) {
		reader_fail_file(r, EXIT_USAGE, name, "no \"=\"; allowed: PATH=VALUE");
		return;
	}
	path = reader_printf(r, "%.*s", (int)(equals - argument), argument);
	setting = setting_by_path(path);
	if (setting < SETTING_COUNT) {
		override(r, scenario, root, name, setting, equals + 1, settings);
		return;
	}
	close = setting_suggest(r, path);
	reader_fail_file(r, EXIT_USAGE, name, "unknown path%s; allowed: %s",
			 close ? reader_printf(r, " (did you mean \"%s\"?)", close) : "",
			 setting_paths(r));
}

void apply_overrides(struct reader *r, struct scenario *scenario, const struct overrides *o,
		     const struct node *root, struct settings *settings)
{
	if (o->seed)
		override(r, scenario, root, reader_printf(r, "--seed %s", o->seed), SETTING_SEED,
			 o->seed, settings);
	for (size_t i = 0; i < o->set_count && !r->failed; i++)
		apply_set(r, scenario, root, o->set[i], settings);
}
