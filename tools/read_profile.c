// SPDX-License-Identifier: GPL-3.0-or-later
#include <string.h>

#include "field.h"
#include "profile.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { SOURCE_MAX = 4096, LABEL_MAX = 512, NAME_MAX_BYTES = 64 };

static const char *const isa_names[] = {"x86-64", "ppc64le"};
static const char *const protocol_names[] = {"mesif", "moesi", "mesi"};
static const char *const scope_names[] = {"socket", "cluster"};

static enum machine_status read_status(struct reader *r, const struct node *object)
{
	const struct node *status =
		field_required(r, object, "status", "read, derived, guess, fitted");

	return field_choice_of(r, status, machine_status_name, COUNT(machine_status_name));
}

static const char *read_source(struct reader *r, const struct node *object)
{
	return field_string(r, field_required(r, object, "source", "where the number comes from"),
			    SOURCE_MAX);
}

/* [low, high], both possible for the parameter. False if there is none, or it is wrong. */
static bool read_interval(struct reader *r, const struct node *node,
			  const struct machine_param_info *info, double *low, double *high)
{
	if (!node)
		return false;
	field_array(r, node, 2, 2);
	*low = field_real(r, node_item(r, node, 0), info->min, info->max, false);
	*high = field_real(r, node_item(r, node, 1), info->min, info->max, false);
	if (!r->failed && *low > *high)
		reader_fail(r, node, false,
			    "the lower end, %.15g, is above the upper, %.15g; allowed: [low, high] "
			    "within %.15g..%.15g",
			    *low, *high, info->min, info->max);
	return !r->failed;
}

/* A fit starts from the value, so it must lie within the bounds of fits. */
static void read_bounds(struct reader *r, const struct node *node,
			const struct machine_param_info *info, double value)
{
	double low, high;

	if (read_interval(r, node, info, &low, &high) && (value < low || value > high))
		reader_fail(r, node, false,
			    "the parameter's value, %.15g, lies outside %.15g..%.15g; allowed: "
			    "bounds that contain it",
			    value, low, high);
}

static void read_value(struct reader *r, const struct node *node,
		       const struct machine_param_info *info, struct machine_value *out)
{
	const char *const keys[] = {info->unit, "status", "source", "range", "bounds"};
	const struct node *value;
	double low, high;

	if (!field_object(r, node, keys, COUNT(keys)))
		return;
	value = field_required(r, node, info->unit, "a number");
	out->value = field_real(r, value, info->min, info->max, false);
	out->status = read_status(r, node);
	out->source = read_source(r, node);
	read_interval(r, node_member(r, node, "range"), info, &low, &high);
	read_bounds(r, node_member(r, node, "bounds"), info, out->value);
}

static void read_parameters(struct reader *r, const struct node *node, struct machine_value *out)
{
	const char *keys[PARAM_COUNT];

	for (size_t i = 0; i < PARAM_COUNT; i++)
		keys[i] = machine_param_info[i].name;
	if (!field_object(r, node, keys, PARAM_COUNT))
		return;
	for (size_t i = 0; i < PARAM_COUNT; i++) {
		const struct machine_param_info *info = &machine_param_info[i];
		const char *allowed =
			reader_printf(r, "an object with the keys %s, status, source (%s)",
				      info->unit, info->help);

		read_value(r, field_required(r, node, keys[i], allowed), info, &out[i]);
	}
}

static void read_step(struct reader *r, const struct node *node, struct machine_profile *p)
{
	static const char *const keys[] = {"cores", "ghz"};
	struct machine_turbo *step = &p->turbo[p->turbo_count];
	const struct node *cores;

	if (!field_object(r, node, keys, COUNT(keys)))
		return;
	cores = field_required(r, node, "cores", "an integer");
	step->cores = (uint32_t)field_integer(r, cores, 1, MACHINE_CPUS_MAX);
	step->ghz = field_real(r, field_required(r, node, "ghz", "a number"), 0.1, 10, false);
	if (!r->failed && p->turbo_count && step->cores <= step[-1].cores)
		field_fail(r, cores, "does not ascend",
			   reader_printf(r, "more than %u", step[-1].cores));
	p->turbo_count++;
}

static void read_clock(struct reader *r, const struct node *node, struct machine_profile *p)
{
	static const char *const keys[] = {"turbo", "status", "source"};
	const struct node *turbo;
	size_t steps;

	if (!field_object(r, node, keys, COUNT(keys)))
		return;
	turbo = field_required(r, node, "turbo", "an array of 1..16 items");
	steps = field_array(r, turbo, 1, MACHINE_TURBO_MAX);
	for (size_t i = 0; i < steps && !r->failed; i++)
		read_step(r, node_item(r, turbo, i), p);
	read_status(r, node);
	read_source(r, node);
}

static void read_caches(struct reader *r, const struct node *node, struct machine_profile *p)
{
	static const char *const keys[] = {"private_kib", "llc_kib", "llc_scope", "source"};
	const struct node *scope;

	if (!field_object(r, node, keys, COUNT(keys)))
		return;
	p->private_cache_kib = (uint32_t)field_integer(
		r, field_required(r, node, "private_kib", "an integer"), 1, 1 << 20);
	p->llc_kib = (uint32_t)field_integer(r, field_required(r, node, "llc_kib", "an integer"), 1,
					     1 << 24);
	scope = field_required(r, node, "llc_scope", "socket, cluster");
	p->llc_per_cluster = field_choice_of(r, scope, scope_names, COUNT(scope_names)) == 1;
	read_source(r, node);
}

static uint32_t read_size(struct reader *r, const struct node *object, const char *key,
			  uint32_t small, uint32_t large)
{
	const char *allowed = reader_printf(r, "%u, %u", small, large);
	const struct node *node = field_required(r, object, key, allowed);
	json_int_t value = node ? json_integer_value(node->value) : 0;

	if (node && value != small && value != large)
		field_fail(r, node, "is not possible", allowed);
	return (uint32_t)value;
}

static const char *read_name(struct reader *r, const struct node *node)
{
	static const char allowed[] = "lower-case letters, digits, \".\", \"_\", \"-\"";
	const char *name = field_string(r, node, NAME_MAX_BYTES);

	if (name && (strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789._-") != strlen(name) ||
		     strchr("._-", name[0])))
		field_fail(r, node, "is not a name", allowed);
	return name;
}

static void read_identity(struct reader *r, const struct node *node, struct machine_profile *p)
{
	const struct node *isa, *protocol;

	p->name = read_name(r, field_required(r, node, "name", "a name"));
	p->label =
		field_string(r, field_required(r, node, "label", "a line for people"), LABEL_MAX);
	isa = field_required(r, node, "isa", "x86-64, ppc64le");
	p->ppc = field_choice_of(r, isa, isa_names, COUNT(isa_names)) == 1;
	protocol = field_required(r, node, "protocol", "mesif, moesi, mesi");
	p->dirty_sharing = field_choice_of(r, protocol, protocol_names, COUNT(protocol_names)) == 1;
	p->line_size = read_size(r, node, "line_size", 64, 128);
	p->page_size = read_size(r, node, "page_size", 4096, 65536);
}

/* The profile comes first, so that it leads back to its place. */
struct placed_profile {
	struct machine_profile profile;
	const struct node *node;
};

const struct node *profile_node(const struct machine_profile *profile)
{
	return ((const struct placed_profile *)profile)->node;
}

const struct machine_profile *read_profile(struct reader *r, const struct node *node)
{
	static const char *const keys[] = {"$schema",  "name",      "label",     "isa",
					   "protocol", "line_size", "page_size", "topology",
					   "caches",   "clock",     "parameters"};
	struct placed_profile *placed = reader_alloc(r, sizeof(*placed));
	struct machine_profile *p = &placed->profile;
	const char *wrong;

	placed->node = node;
	if (!field_object(r, node, keys, COUNT(keys)))
		return NULL;
	field_string(r, node_member(r, node, "$schema"), SOURCE_MAX);
	read_identity(r, node, p);
	read_topology(r, field_required(r, node, "topology", "an object"), &p->topology);
	read_caches(r, field_required(r, node, "caches", "an object"), p);
	read_clock(r, field_required(r, node, "clock", "an object"), p);
	read_parameters(r, field_required(r, node, "parameters", "an object"), p->param);
	if (r->failed)
		return NULL;
	wrong = machine_profile_check(p);
	if (wrong)
		reader_fail(r, node, false, "%s", wrong);
	return wrong ? NULL : p;
}
