// SPDX-License-Identifier: GPL-3.0-or-later
/* Which parameters are fitted, and between which bounds. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "field.h"
#include "fit.h"

/* ---- The profile ----------------------------------------------------------------- */

static const struct machine_profile *read_path(struct reader *r, const char *path)
{
	size_t length;
	const char *text = reader_load(r, path, &length);
	const struct node *root = text ? reader_parse(r, path, text, length) : NULL;

	return root ? read_profile(r, root) : NULL;
}

static void fail_unknown(struct reader *r, const char *name)
{
	const char *names[SHIPPED_MACHINES_MAX];
	size_t count = shipped_machine_names(r, names);

	reader_fail_file(r, EXIT_INPUT, name,
			 "no known machine%s; allowed: %s, or the path of a profile",
			 did_you_mean(name, names, count), field_join(r, names, count));
}

bool fit_read_profile(struct reader *r, const char *name, struct fit_profile *profile)
{
	const struct machine_profile *machine =
		is_machine_path(name) ? read_path(r, name) : shipped_machine(r, name);

	if (!machine) {
		fail_unknown(r, name);
		return false;
	}
	*profile = (struct fit_profile){profile_node(machine), machine};
	return true;
}

/* ---- Coordinates ------------------------------------------------------------------ */

/* Shares between 0 and 1; other ratios are factors. */
static bool is_share(enum machine_param id)
{
	return id == PARAM_UNIT_MERGE || id == PARAM_SNOOP_LEAD;
}

/* Where log odds and logarithms end. */
static const double share_min = 0.001, share_max = 0.999, value_min = 1e-4;

double fit_coordinate(const struct fit_param *param, double value)
{
	if (!is_share(param->id))
		return log(fmax(value, value_min));
	value = fmin(fmax(value, share_min), share_max);
	return log(value / (1 - value));
}

/* What is printed is what is simulated, and the last bits of log() do not matter. */
static double rounded(double value)
{
	char digits[32];

	snprintf(digits, sizeof(digits), "%.*g", FIT_DIGITS, value);
	return strtod(digits, NULL);
}

double fit_value(const struct fit_param *param, double coordinate)
{
	const struct machine_param_info *info = &machine_param_info[param->id];
	double value = is_share(param->id) ? 1 / (1 + exp(-coordinate)) : exp(coordinate);

	return fmin(fmax(rounded(value), info->min), info->max);
}

/* ---- Bounds ----------------------------------------------------------------------- */

static const struct node *param_node(struct reader *r, const struct fit_profile *profile,
				     enum machine_param id)
{
	return node_member(r, node_member(r, profile->root, "parameters"),
			   machine_param_info[id].name);
}

/* Bounds, as an earlier fit writes them, else the range of a number that was not fitted. */
static const struct node *written_bounds(struct reader *r, const struct node *node,
					 enum machine_status status)
{
	const struct node *bounds = node_member(r, node, "bounds");

	return bounds || status == STATUS_FITTED ? bounds : node_member(r, node, "range");
}

static void set_bounds(struct reader *r, const struct node *node, const struct machine_value *value,
		       struct fit_param *p)
{
	const struct node *range = written_bounds(r, node, value->status);

	if (range) {
		p->low = json_number_value(json_array_get(range->value, 0));
		p->high = json_number_value(json_array_get(range->value, 1));
		p->bounds_from = value->status == STATUS_FITTED   ? "of the earlier fit"
				 : node_member(r, node, "bounds") ? "bounds of the profile"
								  : "range of the profile";
		return;
	}
	fit_default_bounds(p->id, value, &p->low, &p->high);
	p->bounds_from = fit_bounds_reason(p->id);
}

/* The one of two tied parameters whose bounds count: that with a range. */
static enum machine_param spokesman(struct reader *r, const struct fit_profile *profile,
				    enum machine_param id, enum machine_param tied)
{
	const struct node *node = param_node(r, profile, id);

	if (tied == PARAM_COUNT || written_bounds(r, node, profile->machine->param[id].status) ||
	    !written_bounds(r, param_node(r, profile, tied), profile->machine->param[tied].status))
		return id;
	return tied;
}

static void fail_read(struct reader *r, const struct node *node, const char *name)
{
	reader_fail(r, node, false,
		    "%s was read in a source, and without spread: it is not fitted; allowed: "
		    "parameters with another status, bounds or a range, or %s=LOW:HIGH",
		    name, name);
}

static void check_bounds(struct reader *r, const struct node *node, struct fit_param *p)
{
	const char *name = machine_param_info[p->id].name;

	/* Logarithms need something above 0; a thousandth of the upper end is as good as 0. */
	p->low = fmax(p->low, fmax(p->high / 1000, value_min));
	if (is_share(p->id)) {
		p->low = fmax(p->low, share_min);
		p->high = fmin(p->high, share_max);
	}
	if (!(p->low < p->high))
		reader_fail(r, node, false,
			    "no room to fit %s between %g and %g; allowed: a range, or "
			    "%s=LOW:HIGH",
			    name, p->low, p->high, name);
}

static bool is_chosen(const struct fit_problem *problem, enum machine_param id)
{
	for (size_t i = 0; i < problem->count; i++)
		if (problem->param[i].id == id || problem->param[i].tied == id)
			return true;
	return false;
}

/* `bounds` NULL: those of the profile. */
static bool add(struct reader *r, const struct fit_profile *profile, enum machine_param id,
		const double *bounds, struct fit_problem *problem)
{
	struct fit_param *p = &problem->param[problem->count];
	enum machine_param speaker;
	const struct machine_value *value;
	const struct node *node;
	double start;

	*p = (struct fit_param){.id = id,
				.tied = machine_param_twin(&profile->machine->topology, id)};
	speaker = spokesman(r, profile, id, p->tied);
	value = &profile->machine->param[speaker];
	node = param_node(r, profile, speaker);
	if (bounds) {
		p->low = bounds[0];
		p->high = bounds[1];
		p->bounds_from = "given on the command line";
	} else if (value->status == STATUS_READ && !written_bounds(r, node, value->status)) {
		fail_read(r, node, machine_param_info[id].name);
	} else {
		set_bounds(r, node, value, p);
	}
	check_bounds(r, node, p);
	start = profile->machine->param[machine_param_occurring(&profile->machine->topology, id)]
			.value;
	p->start = fmin(fmax(start, p->low), p->high);
	problem->count++;
	return !r->failed;
}

bool fit_add_param(struct reader *r, const struct fit_profile *profile, enum machine_param id,
		   struct fit_problem *problem)
{
	problem->machine = profile->machine;
	return is_chosen(problem, id) || add(r, profile, id, NULL, problem);
}

/* ---- The list --------------------------------------------------------------------- */

static enum exit_status unknown_param(const char *name)
{
	const char *names[PARAM_COUNT];

	for (size_t i = 0; i < PARAM_COUNT; i++)
		names[i] = machine_param_info[i].name;
	return usage_error("fit", "--free %s: unknown parameter%s", name,
			   did_you_mean(name, names, PARAM_COUNT));
}

static bool parse_bounds(const char *text, const struct machine_param_info *info, double bounds[2])
{
	char *end;

	if (strspn(text, "0123456789.e-+:") != strlen(text))
		return false;
	bounds[0] = strtod(text, &end);
	if (end == text || *end != ':')
		return false;
	text = end + 1;
	bounds[1] = strtod(text, &end);
	return end != text && !*end && bounds[0] >= info->min && bounds[0] < bounds[1] &&
	       bounds[1] <= info->max;
}

/* One item, "NAME" or "NAME=LOW:HIGH"; it is cut at the "=". */
static enum exit_status choose(struct reader *r, const struct fit_profile *profile, char *item,
			       struct fit_problem *problem)
{
	char *equals = strchr(item, '=');
	double bounds[2];
	unsigned id = 0;

	if (equals)
		*equals = '\0';
	while (id < PARAM_COUNT && strcmp(machine_param_info[id].name, item) != 0)
		id++;
	if (id == PARAM_COUNT)
		return unknown_param(item);
	if (is_chosen(problem, id))
		return usage_error(
			"fit", "--free %s: named twice, or it has the value of another one", item);
	if (equals && !parse_bounds(equals + 1, &machine_param_info[id], bounds))
		return usage_error("fit", "--free %s=%s: no bounds; allowed: LOW:HIGH within %g:%g",
				   item, equals + 1, machine_param_info[id].min,
				   machine_param_info[id].max);
	return add(r, profile, id, equals ? bounds : NULL, problem) ? EXIT_DONE : r->status;
}

enum exit_status fit_choose_params(struct reader *r, const struct fit_profile *profile,
				   const char *list, struct fit_problem *problem)
{
	enum exit_status status = EXIT_DONE;
	size_t size = strlen(list) + 1;
	char *rest = memcpy(reader_alloc(r, size), list, size), *item;

	problem->machine = profile->machine;
	while (status == EXIT_DONE && (item = strsep(&rest, ",")))
		status = choose(r, profile, item, problem);
	return status;
}
