/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shipped.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void unreadable(const char *path, const char *why)
{
	fprintf(stderr, "%s: %s\n", path, why);
	exit(1);
}

static uint32_t level(const json_t *topology, size_t index)
{
	const json_t *levels = json_object_get(topology, "levels");

	return (uint32_t)json_integer_value(
		json_object_get(json_array_get(levels, index), "count"));
}

static enum machine_numbering numbering(const char *text)
{
	if (!strcmp(text, "threads-last"))
		return NUMBERING_THREADS_LAST;
	return strcmp(text, "threads-adjacent") ? NUMBERING_UNITS_INTERLEAVED
						: NUMBERING_THREADS_ADJACENT;
}

static void read_topology(struct machine_topology *t, const json_t *topology)
{
	const char *nodes = json_string_value(json_object_get(topology, "nodes"));
	const json_t *hops = json_object_get(topology, "hops");

	t->sockets = level(topology, 0);
	t->clusters_per_socket = level(topology, 1);
	t->units_per_cluster = level(topology, 2);
	t->threads_per_unit = level(topology, 3);
	t->numbering = numbering(json_string_value(json_object_get(topology, "numbering")));
	t->nodes = !strcmp(nodes, "socket") ? NODES_SOCKET : NODES_MACHINE;
	for (uint32_t a = 0; a < t->sockets; a++)
		for (uint32_t b = 0; b < t->sockets; b++)
			t->hops[a][b] = (uint8_t)json_integer_value(
				json_array_get(json_array_get(hops, a), b));
}

static enum machine_status status(const char *text)
{
	if (!strcmp(text, "read"))
		return STATUS_READ;
	if (!strcmp(text, "derived"))
		return STATUS_DERIVED;
	return strcmp(text, "fitted") ? STATUS_GUESS : STATUS_FITTED;
}

static void read_parameters(struct machine_profile *p, const json_t *parameters, const char *path)
{
	for (int i = 0; i < PARAM_COUNT; i++) {
		const struct machine_param_info *info = &machine_param_info[i];
		const json_t *entry = json_object_get(parameters, info->name);
		const json_t *value = json_object_get(entry, info->unit);

		if (!value)
			unreadable(path, info->name);
		p->param[i].value = json_number_value(value);
		p->param[i].status = status(json_string_value(json_object_get(entry, "status")));
	}
}

struct machine_profile shipped_machine(const char *folder, const char *name)
{
	struct machine_profile p = {.name = "shipped", .label = "shipped"};
	const json_t *caches;
	json_error_t error;
	char path[1000];
	json_t *root;

	snprintf(path, sizeof(path), "%s/%s.json", folder, name);
	root = json_load_file(path, 0, &error);
	if (!root)
		unreadable(path, error.text);
	caches = json_object_get(root, "caches");
	p.ppc = !strcmp(json_string_value(json_object_get(root, "isa")), "ppc64le");
	p.dirty_sharing = !strcmp(json_string_value(json_object_get(root, "protocol")), "moesi");
	p.line_size = (uint32_t)json_integer_value(json_object_get(root, "line_size"));
	p.page_size = (uint32_t)json_integer_value(json_object_get(root, "page_size"));
	read_topology(&p.topology, json_object_get(root, "topology"));
	p.private_cache_kib = (uint32_t)json_integer_value(json_object_get(caches, "private_kib"));
	p.llc_kib = (uint32_t)json_integer_value(json_object_get(caches, "llc_kib"));
	p.llc_per_cluster =
		!strcmp(json_string_value(json_object_get(caches, "llc_scope")), "cluster");
	p.turbo[0] = (struct machine_turbo){MACHINE_CPUS_MAX, 1}; /* no straight-line work here */
	p.turbo_count = 1;
	read_parameters(&p, json_object_get(root, "parameters"), path);
	json_decref(root);
	if (machine_profile_check(&p))
		unreadable(path, machine_profile_check(&p));
	return p;
}
