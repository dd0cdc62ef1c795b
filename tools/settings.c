// SPDX-License-Identifier: GPL-3.0-or-later
#include <string.h>

#include "field.h"
#include "scenario.h"
#include "spelling.h"

enum kind {
	KIND_MACHINE,
	KIND_CHOICE,
	KIND_BOOL,
	KIND_INTEGER,
	KIND_REAL,
	KIND_SLOTS,
	KIND_LOCK,
	KIND_PLACEMENT
};

struct setting_info {
	const char *section, *name; /* section NULL: directly in the case */
	enum kind kind;
	field_names names;
	double min, max;
	bool open; /* min itself not allowed */
};

/* Precision beyond 0.5 and confidence beyond 0.999 measure nothing or never end. */
static const struct setting_info infos[SETTING_COUNT] = {
	[SETTING_MACHINE] = {NULL, "machine", KIND_MACHINE, NULL, 0, 0, false},
	[SETTING_KERNEL] = {NULL, "kernel", KIND_CHOICE, kernel_choice, 0, 0, false},
	[SETTING_SCOPE] = {"policy", "scope", KIND_CHOICE, scope_choice, 0, 0, false},
	[SETTING_SLOTS] = {"policy", "slots", KIND_SLOTS, NULL, 0, 0, false},
	[SETTING_RESIZABLE] = {"policy", "resizable", KIND_BOOL, NULL, 0, 0, false},
	[SETTING_REFCOUNT] = {"policy", "refcount", KIND_CHOICE, refcount_choice, 0, 0, false},
	[SETTING_EMPTY_CHECK] = {"policy", "empty_check", KIND_CHOICE, empty_check_choice, 0, 0,
				 false},
	[SETTING_BARRIER_A] = {"policy", "barrier_a", KIND_BOOL, NULL, 0, 0, false},
	[SETTING_BARRIER_B] = {"policy", "barrier_b", KIND_BOOL, NULL, 0, 0, false},
	[SETTING_LOCK] = {"policy", "lock", KIND_LOCK, lock_choice, 0, 0, false},
	[SETTING_BUCKET] = {"policy", "bucket", KIND_CHOICE, bucket_choice, 0, 0, false},
	[SETTING_BACK_POINTER] = {"policy", "back_pointer", KIND_BOOL, NULL, 0, 0, false},
	[SETTING_HASH] = {"policy", "hash", KIND_CHOICE, hash_choice, 0, 0, false},
	[SETTING_PROGRAM] = {"workload", "program", KIND_CHOICE, program_choice, 0, 0, false},
	[SETTING_THREADS] = {"workload", "threads", KIND_INTEGER, NULL, 1, THREADS_MAX_ALLOWED,
			     false},
	[SETTING_FUTEXES] = {"workload", "futexes", KIND_INTEGER, NULL, 1, FUTEXES_MAX, false},
	[SETTING_SHARED] = {"workload", "shared", KIND_BOOL, NULL, 0, 0, false},
	[SETTING_WORKER_ARRAY] = {"workload", "worker_array", KIND_BOOL, NULL, 0, 0, false},
	[SETTING_PLACEMENT] = {"workload", "placement", KIND_PLACEMENT, NULL, 0, 0, false},
	[SETTING_SEED] = {"measure", "seed", KIND_INTEGER, NULL, 0, 0, false},
	[SETTING_LAYOUTS] = {"measure", "layouts", KIND_INTEGER, NULL, 1, 1000, false},
	[SETTING_PRECISION] = {"measure", "precision", KIND_REAL, NULL, 0, 0.5, true},
	[SETTING_CONFIDENCE] = {"measure", "confidence", KIND_REAL, NULL, 0.5, 0.999, false},
	[SETTING_MAX_SIM_MS] = {"measure", "max_sim_ms", KIND_REAL, NULL, 0, 1e6, true},
};

static const char *const sections[] = {"policy", "workload", "measure"};

const char *setting_path(struct reader *r, enum setting setting)
{
	const struct setting_info *info = &infos[setting];

	if (!info->section)
		return info->name;
	return reader_printf(r, "%s.%s", info->section, info->name);
}

static bool has_path(const struct setting_info *info, const char *path)
{
	size_t length = info->section ? strlen(info->section) : 0;

	if (!length)
		return strcmp(path, info->name) == 0;
	return strncmp(path, info->section, length) == 0 && path[length] == '.' &&
	       strcmp(path + length + 1, info->name) == 0;
}

enum setting setting_by_path(const char *path)
{
	enum setting setting = 0;

	while (setting < SETTING_COUNT && !has_path(&infos[setting], path))
		setting++;
	return setting;
}

static void all_paths(struct reader *r, const char *paths[SETTING_COUNT])
{
	for (enum setting s = 0; s < SETTING_COUNT; s++)
		paths[s] = setting_path(r, s);
}

const char *setting_paths(struct reader *r)
{
	const char *paths[SETTING_COUNT];

	all_paths(r, paths);
	return field_join(r, paths, SETTING_COUNT);
}

const char *setting_suggest(struct reader *r, const char *path)
{
	const char *paths[SETTING_COUNT];

	all_paths(r, paths);
	return spelling_suggest(path, paths, SETTING_COUNT);
}

/* rtmutex is a name of the format whose code is not part of this version. */
static void check_lock(struct reader *r, const struct node *node)
{
	const char *word = json_string_value(node->value);
	const char *words[LOCK_KIND_COUNT];

	if (!word || strcmp(word, "rtmutex") != 0) {
		field_choice(r, node, lock_choice);
		return;
	}
	for (unsigned i = 0; i < LOCK_KIND_COUNT; i++)
		words[i] = lock_choice(i);
	field_fail(r, node, "is not available in this version",
		   field_join(r, words, LOCK_KIND_COUNT));
}

/* Paths in a file are relative to it, those on the command line to the current directory. */
static void check_machine(struct reader *r, struct scenario *scenario, const struct node *node)
{
	const char *directory = node->document->has_lines ? scenario->directory : "";

	find_machine(r, &scenario->machines, node, directory);
}

void setting_check(struct reader *r, struct scenario *scenario, enum setting setting,
		   const struct node *node)
{
	const struct setting_info *info = &infos[setting];

	switch (info->kind) {
	case KIND_MACHINE:
		check_machine(r, scenario, node);
		break;
	case KIND_CHOICE:
		field_choice(r, node, info->names);
		break;
	case KIND_LOCK:
		check_lock(r, node);
		break;
	case KIND_BOOL:
		field_bool(r, node);
		break;
	case KIND_INTEGER:
		field_integer(r, node, (int64_t)info->min,
			      setting == SETTING_SEED ? INT64_MAX : (int64_t)info->max);
		break;
	case KIND_REAL:
		field_real(r, node, info->min, info->max, info->open);
		break;
	case KIND_SLOTS:
		check_slots(r, node);
		break;
	case KIND_PLACEMENT:
		check_placement(r, node);
		break;
	}
}

/* Names of the settings of a section. */
static size_t section_keys(const char *section, const char *keys[SETTING_COUNT])
{
	size_t count = 0;

	for (enum setting s = 0; s < SETTING_COUNT; s++)
		if (infos[s].section && strcmp(infos[s].section, section) == 0)
			keys[count++] = infos[s].name;
	return count;
}

/* Unknown keys are found before any value is looked at. */
static void check_sections(struct reader *r, const struct node *object)
{
	const char *keys[SETTING_COUNT];

	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		size_t count = section_keys(sections[i], keys);

		field_object(r, node_member(r, object, sections[i]), keys, count);
	}
}

void settings_overlay(struct reader *r, struct scenario *scenario, const struct node *object,
		      struct settings *settings)
{
	check_sections(r, object);
	for (enum setting s = 0; s < SETTING_COUNT && !r->failed; s++) {
		const char *section = infos[s].section;
		const struct node *parent = section ? node_member(r, object, section) : object;
		const struct node *node = node_member(r, parent, infos[s].name);

		if (!node)
			continue;
		setting_check(r, scenario, s, node);
		settings->by[s] = node;
	}
}
