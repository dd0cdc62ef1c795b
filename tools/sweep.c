// SPDX-License-Identifier: GPL-3.0-or-later
/* The cross product: every case times every combination of swept values. */
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "field.h"
#include "scenario.h"

enum { VALUES_MAX = 1000 };

struct axis {
	enum setting setting;
	const char *path;
	const struct node *values;
	size_t count;
};

struct axes {
	struct axis axis[SETTING_COUNT];
	size_t count, points;
};

/* A value as it appears in the name of a point. */
static const char *value_name(struct reader *r, const struct node *node)
{
	struct text text = {0};
	const char *name;
	char *dump;

	if (json_is_string(node->value))
		return json_string_value(node->value);
	if (!json_is_array(node->value)) {
		node_text(node, &text);
		name = reader_printf(r, "%s", text.data ? text.data : "");
		text_free(&text);
		return name;
	}
	dump = json_dumps(node->value, JSON_COMPACT);
	if (!dump)
		reader_fail_file(r, EXIT_UNFINISHED, node->document->name, "out of memory");
	name = reader_printf(r, "%s", dump ? dump : "");
	free(dump);
	return name;
}

static void check_value(struct reader *r, struct scenario *scenario, const struct axis *axis,
			size_t index)
{
	const struct node *node = node_item(r, axis->values, index);

	if (json_is_object(node->value)) {
		field_fail(r, node, "cannot be swept", "strings, numbers, booleans, arrays");
		return;
	}
	setting_check(r, scenario, axis->setting, node);
	for (size_t i = 0; i < index && !r->failed; i++)
		if (json_equal(json_array_get(axis->values->value, i), node->value))
			field_fail(r, node, "is listed twice", "each value once");
}

static void fail_path(struct reader *r, const struct node *node, const char *path)
{
	const char *close = setting_suggest(r, path);

	reader_fail(r, node, true, "unknown path%s; allowed: %s",
		    close ? reader_printf(r, " (did you mean \"%s\"?)", close) : "",
		    setting_paths(r));
}

static void add_axis(struct reader *r, struct scenario *scenario, const struct node *sweep,
		     const char *path, struct axes *axes)
{
	struct axis *axis = &axes->axis[axes->count];
	const struct node *values = node_member(r, sweep, path);

	*axis = (struct axis){setting_by_path(path), path, values, 0};
	if (axis->setting == SETTING_COUNT) {
		fail_path(r, values, path);
		return;
	}
	axis->count = field_array(r, values, 1, VALUES_MAX);
	for (size_t i = 0; i < axis->count && !r->failed; i++)
		check_value(r, scenario, axis, i);
	axes->points *= axis->count;
	axes->count++;
	if (!r->failed && axes->points * scenario->count > SCENARIO_CASES_MAX)
		reader_fail(r, sweep, false,
			    "%zu points times %zu cases; allowed: at most %d in all", axes->points,
			    scenario->count, SCENARIO_CASES_MAX);
}

/* Point number `point` of a case; the first key of the sweep changes slowest. */
static struct scenario_case make_point(struct reader *r, const struct scenario_case *base,
				       const struct axes *axes, size_t point)
{
	struct scenario_case c = *base;
	size_t stride = axes->points;

	for (size_t i = 0; i < axes->count; i++) {
		const struct axis *axis = &axes->axis[i];
		const struct node *node;

		stride /= axis->count;
		node = node_item(r, axis->values, point / stride % axis->count);
		c.settings.by[axis->setting] = node;
		c.id = reader_printf(r, "%s%c%s=%s", c.id, i ? ',' : '/', axis->path,
				     value_name(r, node));
	}
	return c;
}

static void forbid_expect(struct reader *r, const struct scenario *scenario)
{
	for (size_t i = 0; i < scenario->count && !r->failed; i++) {
		const struct node *expect = node_member(r, scenario->cases[i].node, "expect");

		if (expect)
			reader_fail(r, expect, true,
				    "expect in a swept case; allowed: expect without sweep");
	}
}

static void multiply(struct reader *r, struct scenario *scenario, const struct axes *axes)
{
	size_t count = scenario->count * axes->points;
	struct scenario_case *cases = reader_alloc(r, count * sizeof(*cases));

	for (size_t i = 0; i < count; i++)
		cases[i] =
			make_point(r, &scenario->cases[i / axes->points], axes, i % axes->points);
	scenario->cases = cases;
	scenario->count = count;
}

void apply_sweep(struct reader *r, struct scenario *scenario, const struct node *sweep)
{
	struct axes axes = {.points = 1};
	const char *path;
	json_t *value;

	if (r->failed || !sweep)
		return;
	if (!json_is_object(sweep->value) || !json_object_size(sweep->value)) {
		field_fail(r, sweep, "is no sweep", "an object of at least one path with values");
		return;
	}
	forbid_expect(r, scenario);
	json_object_foreach((json_t *)sweep->value, path, value)
	{
		if (!r->failed)
			add_axis(r, scenario, sweep, path, &axes);
	}
	if (!r->failed)
		multiply(r, scenario, &axes);
}
