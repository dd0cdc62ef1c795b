// SPDX-License-Identifier: GPL-3.0-or-later
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "embedded.h"
#include "output.h"

static const char *const names[] = {"scenario", "machine", "result",    "validation",
				    "cross",    "fit",     "published", "tables"};
#define ALLOWED "scenario, machine, result, validation, cross, fit, published, tables"

static enum exit_status print_schema(const char *name)
{
	struct text text = {0};
	struct reader reader;
	const char *schema;
	bool written = false;
	size_t length;

	reader_init(&reader);
	schema = embedded_load(
		&reader, reader_printf(&reader, "scenarios/schema/%s.schema.json", name), &length);
	if (schema) {
		text_add_n(&text, schema, length);
		written = output_stdout(&text);
	} else {
		fprintf(stderr, "%s\n", reader.failed ? reader.error.data : name);
	}
	text_free(&text);
	reader_clean_up(&reader);
	return written ? EXIT_DONE : EXIT_UNFINISHED;
}

enum exit_status cmd_schema(int argc, char **argv)
{
	const size_t count = sizeof(names) / sizeof(names[0]);

	if (argc == 2 && strcmp(argv[1], "--help") == 0)
		return print_string(usage_text("schema"));
	if (argc < 2)
		return usage_error("schema", "which schema? allowed: " ALLOWED);
	if (argc > 2)
		return usage_error("schema", "one schema at a time, but there is also %s", argv[2]);
	for (size_t i = 0; i < count; i++)
		if (strcmp(argv[1], names[i]) == 0)
			return print_schema(names[i]);
	return usage_error("schema", "%s: unknown%s; allowed: " ALLOWED, argv[1],
			   did_you_mean(argv[1], names, count));
}
