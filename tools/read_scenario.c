// SPDX-License-Identifier: GPL-3.0-or-later
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc.h"
#include "embedded.h"
#include "field.h"
#include "scenario.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { TITLE_MAX = 512, CASE_ID_MAX = 64 };

static const char *read_id(struct reader *r, const struct node *node)
{
	static const char first[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
	static const char rest[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+-";
	const char *id = field_string(r, node, CASE_ID_MAX);

	if (id && (!strchr(first, id[0]) || strspn(id, rest) != strlen(id)))
		field_fail(
			r, node, "is no id",
			"letters, digits, \".\", \"_\", \"+\", \"-\", the first a letter or digit");
	return id;
}

static void read_case(struct reader *r, struct scenario *scenario, const struct node *node,
		      const struct settings *top, struct scenario_case *c)
{
	static const char *const keys[] = {"id",       "machine", "kernel", "policy",
					   "workload", "measure", "expect"};

	if (!field_object(r, node, keys, COUNT(keys)))
		return;
	c->node = node;
	c->settings = *top;
	c->id = read_id(r, field_required(r, node, "id", "a name for the case"));
	settings_overlay(r, scenario, node, &c->settings);
	read_expect(r, node_member(r, node, "expect"), &c->expect);
}

static int compare_ids(const void *a, const void *b)
{
	const struct scenario_case *const *x = a, *const *y = b;
	int order = strcmp((*x)->id, (*y)->id);

	return order ? order : (*x > *y) - (*x < *y);
}

static void fail_repeated(struct reader *r, const struct scenario_case *c)
{
	field_fail(r, node_member(r, c->node, "id"), "is the id of an earlier case too",
		   "each id once");
}

static void check_ids(struct reader *r, const struct scenario *scenario)
{
	const struct scenario_case **sorted, *repeated = NULL;

	if (r->failed)
		return;
	sorted = xcalloc(scenario->count, sizeof(*sorted));
	for (size_t i = 0; i < scenario->count; i++)
		sorted[i] = &scenario->cases[i];
	qsort(sorted, scenario->count, sizeof(*sorted), compare_ids);
	for (size_t i = 1; i < scenario->count; i++)
		if (strcmp(sorted[i - 1]->id, sorted[i]->id) == 0 &&
		    (!repeated || sorted[i] < repeated))
			repeated = sorted[i];
	free(sorted);
	if (repeated)
		fail_repeated(r, repeated);
}

static void read_cases(struct reader *r, struct scenario *scenario, const struct node *cases,
		       const struct settings *top)
{
	scenario->count = field_array(r, cases, 1, SCENARIO_CASES_MAX);
	scenario->cases = reader_alloc(r, scenario->count * sizeof(*scenario->cases));
	for (size_t i = 0; i < scenario->count && !r->failed; i++)
		read_case(r, scenario, node_item(r, cases, i), top, &scenario->cases[i]);
	check_ids(r, scenario);
}

static void single_case(struct reader *r, struct scenario *scenario, const struct node *root,
			const struct settings *top)
{
	scenario->count = 1;
	scenario->cases = reader_alloc(r, sizeof(*scenario->cases));
	*scenario->cases = (struct scenario_case){.id = "case", .node = root, .settings = *top};
}

static void resolve(struct reader *r, struct scenario *scenario, struct scenario_case *c)
{
	const struct node *machine = c->settings.by[SETTING_MACHINE];
	const char *directory;

	if (!machine) {
		reader_fail(r, c->node, false,
			    "the key \"machine\" is missing; allowed: a name, a path or a profile");
		return;
	}
	directory = machine->document->has_lines ? scenario->directory : "";
	c->spec.machine = find_machine(r, &scenario->machines, machine, directory);
	resolve_policy(r, c);
	resolve_workload(r, c);
	resolve_measure(r, c);
}

static void lay_over(struct settings *settings, const struct settings *above)
{
	for (enum setting s = 0; s < SETTING_COUNT; s++)
		if (above->by[s])
			settings->by[s] = above->by[s];
}

static void read_root(struct reader *r, struct scenario *scenario, const struct node *root,
		      const struct overrides *overrides)
{
	struct settings top = {0}, above = {0};
	const struct node *cases = node_member(r, root, "cases");

	scenario->name = field_string(r, field_required(r, root, "name", "a title"), TITLE_MAX);
	field_string(r, node_member(r, root, "$schema"), TITLE_MAX);
	settings_overlay(r, scenario, root, &top);
	apply_overrides(r, scenario, overrides, root, &above);
	if (cases)
		read_cases(r, scenario, cases, &top);
	else
		single_case(r, scenario, root, &top);
	apply_sweep(r, scenario, node_member(r, root, "sweep"));
	for (size_t i = 0; i < scenario->count && !r->failed; i++) {
		lay_over(&scenario->cases[i].settings, &above);
		resolve(r, scenario, &scenario->cases[i]);
	}
}

bool read_scenario_text(struct reader *r, const char *name, const char *text, size_t length,
			const struct overrides *overrides, struct scenario *scenario)
{
	static const char *const keys[] = {"$schema",  "name",    "machine", "kernel", "policy",
					   "workload", "measure", "cases",   "sweep"};
	const struct node *root = reader_parse(r, name, text, length);
	const char *slash = strrchr(name, '/');

	*scenario = (struct scenario){.directory = ""};
	if (slash)
		scenario->directory = reader_printf(r, "%.*s", (int)(slash + 1 - name), name);
	if (field_object(r, root, keys, COUNT(keys)))
		read_root(r, scenario, root, overrides);
	return !r->failed;
}

/* A shipped scenario by its bare name, with or without ".json". */
static const struct embedded_file *shipped_scenario(struct reader *r, const char *path)
{
	static const char *const patterns[] = {"scenarios/%s", "scenarios/%s.json",
					       "scenarios/published/%s",
					       "scenarios/published/%s.json"};
	const struct embedded_file *file = NULL;

	if (strchr(path, '/'))
		return NULL;
	for (size_t i = 0; i < COUNT(patterns) && !file; i++)
		file = embedded_find(reader_printf(r, patterns[i], path));
	return file;
}

bool read_scenario(struct reader *r, const char *path, const struct overrides *overrides,
		   struct scenario *scenario)
{
	const struct embedded_file *shipped = NULL;
	const char *text;
	size_t length;

	if (strcmp(path, "-") != 0 && access(path, F_OK) != 0)
		shipped = shipped_scenario(r, path);
	if (shipped)
		return read_scenario_text(r, shipped->path, shipped->text, shipped->length,
					  overrides, scenario);
	text = reader_load(r, path, &length);
	return text && read_scenario_text(r, path, text, length, overrides, scenario);
}
