// SPDX-License-Identifier: GPL-3.0-or-later
#include <string.h>

#include "embedded.h"
#include "field.h"
#include "published.h"
#include "scenario.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define PUBLISHED    "scenarios/published/published.json"

enum { ID_MAX = 128, WHY_MAX = 4096 };

static const char *const role_names[] = {"fit", "predict"};

/* The parsed data set, once per reader. */
static const struct node *published_records(struct reader *r)
{
	const char *text;
	size_t length;

	for (const struct document *d = r->documents; d; d = d->next)
		if (strcmp(d->name, PUBLISHED) == 0 && d->root) {
			struct node *root = reader_alloc(r, sizeof(*root));

			*root = (struct node){d, NULL, NULL, 0, d->root};
			return node_member(r, root, "records");
		}
	text = embedded_load(r, PUBLISHED, &length);
	if (!text)
		return NULL;
	return field_required(r, reader_parse(r, PUBLISHED, text, length), "records", "an array");
}

static const json_t *find_record(const struct node *records, const char *id)
{
	size_t index;
	json_t *record;

	if (!records)
		return NULL;
	json_array_foreach((json_t *)records->value, index, record)
	{
		const char *name = json_string_value(json_object_get(record, "id"));

		if (name && strcmp(name, id) == 0)
			return record;
	}
	return NULL;
}

struct published published_record(struct reader *r, const struct node *node)
{
	const char *id = field_string(r, node, ID_MAX);
	const json_t *record, *stddev;
	const char *unit;

	if (!id)
		return (struct published){0};
	record = find_record(published_records(r), id);
	if (!record) {
		field_fail(r, node, "is no published record", "an id of " PUBLISHED);
		return (struct published){0};
	}
	unit = json_string_value(json_object_get(record, "unit"));
	if (!unit || strncmp(unit, "ops/s", strlen("ops/s")) != 0)
		field_fail(r, node, "does not measure operations per second",
			   "records whose unit is ops/s per thread");
	stddev = json_object_get(record, "stddev_pct");
	return (struct published){json_number_value(json_object_get(record, "value")),
				  json_is_number(stddev) ? json_number_value(stddev) : -1};
}

static void read_record(struct reader *r, const struct node *node, struct expect *e)
{
	const struct node *scored = node_member(r, node, "scored");
	const struct node *why = node_member(r, node, "why");
	const struct node *role = field_required(r, node, "role", "fit, predict");
	struct published published;

	e->record = field_string(r, node_member(r, node, "record"), ID_MAX);
	e->metric = METRIC_OPS_PER_THREAD;
	published = published_record(r, node_member(r, node, "record"));
	e->value = published.value;
	e->stddev_pct = published.stddev_pct;
	e->role = role_names[field_choice_of(r, role, role_names, COUNT(role_names))];
	e->scored = scored ? field_bool(r, scored) : true;
	e->why = field_string(r, why, WHY_MAX);
	if (!e->scored)
		field_required(r, node, "why", "a string that says why the row is not scored");
}

static void read_metric(struct reader *r, const struct node *node, struct expect *e)
{
	const char *allowed = "ops_per_sec_per_thread, ops_per_sec_total, ns_per_op";

	e->metric = field_choice(r, field_required(r, node, "metric", allowed), metric_choice);
	e->value = field_real(r, field_required(r, node, "value", "a number"), 0, 1e15, true);
	e->stddev_pct = -1;
	e->source = field_string(r, field_required(r, node, "source", "a string"), WHY_MAX);
	e->scored = true;
}

void read_expect(struct reader *r, const struct node *node, struct expect *e)
{
	static const char *const record_keys[] = {"record", "role", "scored", "why"};
	static const char *const metric_keys[] = {"metric", "value", "source"};
	static const char *const keys[] = {"record", "role",  "scored", "why",
					   "metric", "value", "source"};
	bool record, metric;

	if (!node || !field_object(r, node, keys, COUNT(keys)))
		return;
	e->present = true;
	record = json_object_get(node->value, "record");
	metric = json_object_get(node->value, "metric");
	if (record && metric)
		reader_fail(r, node_member(r, node, "metric"), true,
			    "both record and metric; allowed: one of the two");
	else if (!record && !metric)
		reader_fail(r, node, false, "neither record nor metric; allowed: one of the two");
	else if (record && field_object(r, node, record_keys, COUNT(record_keys)))
		read_record(r, node, e);
	else if (metric && field_object(r, node, metric_keys, COUNT(metric_keys)))
		read_metric(r, node, e);
}
