// SPDX-License-Identifier: GPL-3.0-or-later
#include "embedded.h"

#include <string.h>
#include <unistd.h>

const struct embedded_file *embedded_find(const char *path)
{
	for (size_t i = 0; i < embedded_file_count; i++)
		if (strcmp(embedded_files[i].path, path) == 0)
			return &embedded_files[i];
	return NULL;
}

const char *embedded_load(struct reader *reader, const char *path, size_t *length)
{
	const struct embedded_file *file;

	if (!reader->no_files && access(path, F_OK) == 0)
		return reader_load(reader, path, length);
	file = embedded_find(path);
	*length = file ? file->length : 0;
	return file ? file->text : NULL;
}

static bool directly_in(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	return strncmp(path, folder, length) == 0 && !strchr(path + length, '/');
}

const char *embedded_name(struct reader *reader, const char *folder, size_t index)
{
	for (size_t i = 0; i < embedded_file_count; i++) {
		const char *path = embedded_files[i].path;

		if (!directly_in(path, folder) || index-- > 0)
			continue;
		path += strlen(folder);
		return reader_printf(reader, "%.*s", (int)(strlen(path) - strlen(".json")), path);
	}
	return NULL;
}
