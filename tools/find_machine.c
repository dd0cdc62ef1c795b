// SPDX-License-Identifier: GPL-3.0-or-later
#include <string.h>
#include <sys/stat.h>

#include "embedded.h"
#include "field.h"
#include "profile.h"
#include "spelling.h"

enum { PATH_BYTES_MAX = 4096 };

#define FOLDER "scenarios/machines/"

struct machine_entry {
	struct machine_entry *next;
	const char *path; /* of a file, name of a shipped profile, or NULL: */
	const json_t *inline_value;
	const struct machine_profile *profile;
};

size_t shipped_machine_names(struct reader *r, const char *names[SHIPPED_MACHINES_MAX])
{
	size_t count = 0;

	while (count < SHIPPED_MACHINES_MAX && (names[count] = embedded_name(r, FOLDER, count)))
		count++;
	return count;
}

static const struct machine_profile *parse_profile(struct reader *r, const char *path,
						   const char *text, size_t length)
{
	return text ? read_profile(r, reader_parse(r, path, text, length)) : NULL;
}

const struct machine_profile *shipped_machine(struct reader *r, const char *name)
{
	const char *path = reader_printf(r, FOLDER "%s.json", name);
	size_t length;
	const char *text = embedded_load(r, path, &length);

	return parse_profile(r, path, text, length);
}

static void fail_unknown(struct reader *r, const struct node *node)
{
	const char *names[SHIPPED_MACHINES_MAX];
	size_t count = shipped_machine_names(r, names);
	const char *close = spelling_suggest(json_string_value(node->value), names, count);
	const char *hint = close ? reader_printf(r, " (did you mean \"%s\"?)", close) : "";

	field_fail(r, node, reader_printf(r, "is no known machine%s", hint),
		   reader_printf(r, "%s, or the path of a profile (with \"/\" or \".json\")",
				 field_join(r, names, count)));
}

/* Only regular files: a device or a pipe named by a scenario could block for ever. */
static const struct machine_profile *machine_file(struct reader *r, const struct node *node,
						  const char *path)
{
	struct stat st;
	size_t length;
	const char *text;

	if (r->no_files || stat(path, &st) < 0 || !S_ISREG(st.st_mode)) {
		field_fail(r, node, reader_printf(r, "leads to no file (%s)", path),
			   "the path of a profile, relative to the scenario");
		return NULL;
	}
	text = reader_load(r, path, &length);
	return parse_profile(r, path, text, length);
}

bool is_machine_path(const char *name)
{
	size_t length = strlen(name);

	return strchr(name, '/') || (length > 5 && strcmp(name + length - 5, ".json") == 0);
}

static const struct machine_profile *read_machine(struct reader *r, const struct node *node,
						  const char *key)
{
	const struct machine_profile *profile;

	if (json_is_object(node->value))
		return read_profile(r, node);
	if (is_machine_path(key))
		return machine_file(r, node, key);
	profile = shipped_machine(r, key);
	if (!profile)
		fail_unknown(r, node);
	return profile;
}

/* What identifies the machine: a path, a name, or NULL for one written in place. */
static const char *machine_key(struct reader *r, const struct node *node, const char *directory)
{
	const char *name;

	if (json_is_object(node->value))
		return NULL;
	if (!json_is_string(node->value)) {
		field_fail(r, node, "is not a machine", "a name, a path or a profile");
		return NULL;
	}
	name = field_string(r, node, PATH_BYTES_MAX);
	if (!name || !is_machine_path(name) || name[0] == '/')
		return name;
	return reader_printf(r, "%s%s", directory, name);
}

static bool same_machine(const struct machine_entry *entry, const char *key, const json_t *value)
{
	return key ? entry->path && strcmp(entry->path, key) == 0 : entry->inline_value == value;
}

const struct machine_profile *find_machine(struct reader *r, struct machine_list *list,
					   const struct node *node, const char *directory)
{
	struct machine_entry *entry;
	const char *key;

	if (r->failed || !node)
		return NULL;
	key = machine_key(r, node, directory);
	if (r->failed)
		return NULL;
	for (entry = list->first; entry; entry = entry->next)
		if (same_machine(entry, key, node->value))
			return entry->profile;
	entry = reader_alloc(r, sizeof(*entry));
	*entry = (struct machine_entry){list->first, key, node->value, read_machine(r, node, key)};
	list->first = entry;
	return entry->profile;
}
