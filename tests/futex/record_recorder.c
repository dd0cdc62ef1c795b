// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The recorder's view. Who sleeps is nested: while the first sleeper is in
 * plat_schedule() the second goes to sleep, and so on; innermost is the operation.
 */
#include "operation.h"
#include "record.h"

struct pass {
	struct operation operation;
	unsigned asleep; /* sleepers */
	bool recorded;
	bool good;
	const struct access *found;
	size_t count;
};

static void wake_all(void *arg)
{
	const struct pass *pass = arg;

	operation_wake_all(&pass->operation);
}

static void operate(struct pass *pass)
{
	if (pass->operation.list->op == OP_SLEEP)
		recorder_while_asleep(wake_all, pass);
	if (pass->recorded)
		recorder_start();
	pass->good &= operation_run(&pass->operation);
	if (pass->recorded)
		pass->found = recorder_stop(&pass->count);
	if (pass->operation.list->op != OP_SLEEP)
		wake_all(pass);
}

static void sleep_and_operate(void *arg)
{
	struct pass *pass = arg;

	if (pass->asleep == pass->operation.list->sleepers) {
		operate(pass);
		return;
	}
	recorder_while_asleep(sleep_and_operate, pass);
	pass->good &= operation_sleep(&pass->operation, pass->asleep++);
}

const struct access *record(const struct access_list *list, size_t *count)
{
	struct recorder_machine machine = {.line_size = list->ppc ? 128 : 64,
					   .page_size = list->ppc ? 65536 : 4096,
					   .cpus = 4,
					   .nodes = 2};
	struct pass pass = {.good = true};

	recorder_reset(&machine);
	pass.operation = operation_create(list);
	for (int i = 0; i <= OPERATION_WARM_UP; i++) {
		pass.asleep = 0;
		pass.recorded = i == OPERATION_WARM_UP;
		sleep_and_operate(&pass);
	}
	operation_destroy(&pass.operation);
	*count = pass.count;
	if (!pass.good)
		fprintf(stderr, "%s: wrong result\n", list->file);
	return pass.good ? pass.found : NULL;
}
