// SPDX-License-Identifier: GPL-3.0-or-later
/* The recorder's view. */
#include "operation.h"
#include "record.h"

const struct access *record(const struct access_list *list, size_t *count)
{
	struct recorder_machine machine = {.line_size = list->ppc ? 128 : 64,
					   .page_size = list->ppc ? 65536 : 4096,
					   .cpus = 4,
					   .nodes = 2};
	const struct access *found;
	struct operation operation;
	bool good = true;

	recorder_reset(&machine);
	operation = operation_create(list);
	for (int i = 0; i < OPERATION_WARM_UP; i++)
		good &= operation_run(&operation);
	recorder_start();
	good &= operation_run(&operation);
	found = recorder_stop(count);
	operation_destroy(&operation);
	if (!good)
		fprintf(stderr, "%s: wrong result\n", list->file);
	return good ? found : NULL;
}
