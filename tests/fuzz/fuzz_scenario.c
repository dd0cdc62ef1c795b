// SPDX-License-Identifier: GPL-3.0-or-later
/* Any bytes as a scenario: an answer or an error of one line, nothing else. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "outcome.h"

static void check_error(const struct reader *reader)
{
	const char *error = reader->error.data;

	if (!error || strchr(error, '\n') || strncmp(error, "fuzz", strlen("fuzz")) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct overrides none = {0};
	struct text plan = {0};
	struct scenario scenario;
	struct reader reader;

	reader_init(&reader);
	reader.no_files = true;
	if (read_scenario_text(&reader, "fuzz", (const char *)data, size, &none, &scenario))
		print_plan(&scenario, &plan);
	else
		check_error(&reader);
	text_free(&plan);
	reader_clean_up(&reader);
	return 0;
}
