// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The simulator's view: what its hooks report while a task of the real engine runs.
 * All tasks are on one CPU, and who has to be asleep is given the time to be.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../sim/machines.h"
#include "machine/machine.h"
#include "operation.h"
#include "os/os.h"
#include "record.h"
#include "trace.h"

enum { MEMORY_BYTES = 16 << 20, FOUND_MAX = 2 * ACCESS_LIST_MAX, LONG_ENOUGH_NS = 1000000 };

static const enum access_kind kinds[] = {
	[SIM_LOAD] = ACCESS_LOAD,   [SIM_STORE] = ACCESS_STORE,   [SIM_RMW] = ACCESS_RMW,
	[SIM_FENCE] = ACCESS_FENCE, [SIM_PERCPU] = ACCESS_PERCPU,
};

static struct {
	struct operation operation;
	struct plat_task *task; /* whose accesses are noted */
	struct plat_task *sleeper[SLEEPERS_MAX], *waker;
	unsigned sleepers;
	bool over;
	_Atomic(uint32_t) *pause; /* always 1: nobody wakes who sleeps on it */
	struct access found[FOUND_MAX];
	size_t count;
	uint32_t sum_before; /* of the counters that the last access adds to, if it is per-CPU */
	char counter[sizeof(((struct access *)0)->name)];
	bool good;
} view;

/* Over all objects of that name. */
static uint32_t sum_of(const char *name)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < sim.memory.object_count; i++) {
		const struct sim_object *object = &sim.memory.objects[i];

		if (strcmp(sim.memory.types[object->type]->name, name) == 0)
			sum += *(const uint32_t *)(const void *)(sim.memory.backing +
								 object->offset);
	}
	return sum;
}

/* An access is reported before it happens; what a per-CPU one added shows afterwards. */
static void finish_last(void)
{
	struct access *last = view.count ? &view.found[view.count - 1] : NULL;

	if (last && last->kind == ACCESS_PERCPU)
		last->delta = (int)(sum_of(view.counter) - view.sum_before);
}

/* The lists name fields, not elements: "bucket[17]" and "waiters" are "bucket.waiters". */
static void set_name(struct access *a, const char *object, const char *field)
{
	int length = (int)strcspn(object, "[");

	if (field)
		snprintf(a->name, sizeof(a->name), "%.*s.%s", length, object, field);
	else
		snprintf(a->name, sizeof(a->name), "%.*s", length, object);
}

static void note(void *arg, unsigned cpu, enum sim_access_kind kind, const char *object,
		 const char *field, int memory_order)
{
	struct access *a = &view.found[view.count];

	(void)arg;
	if (plat_current() != view.task)
		return;
	finish_last();
	if (cpu != 0 || view.count == FOUND_MAX)
		sim_fail("CPU %u: access %zu was not to be expected", cpu, view.count + 1);
	view.count++;
	*a = (struct access){.kind = kinds[kind], .order = memory_order};
	if (a->kind == ACCESS_PERCPU) {
		a->order = 0;
		snprintf(view.counter, sizeof(view.counter), "%s", object);
		view.sum_before = sum_of(object);
	} else if (object) {
		set_name(a, object, field);
	}
}

static void let_others_sleep(void)
{
	plat_schedule(view.pause, plat_clock_ns() + LONG_ENOUGH_NS, false);
}

/* Woken by an operation or after it, it goes back to sleep. */
static void sleeper_body(void *arg)
{
	unsigned number = view.sleepers++;

	(void)arg;
	while (!view.over)
		view.good &= operation_sleep(&view.operation, number);
}

static void waker_body(void *arg)
{
	(void)arg;
	let_others_sleep();
	operation_wake_all(&view.operation);
}

static void prepare(void)
{
	let_others_sleep();
	if (view.operation.list->op == OP_SLEEP)
		view.waker = plat_task_create(waker_body, NULL, 0);
}

static void finish(void)
{
	if (view.operation.list->op == OP_SLEEP)
		plat_task_join(view.waker);
	operation_wake_all(&view.operation);
}

static void observe(void)
{
	view.task = plat_current();
	sim_trace_set(note, NULL);
	view.good &= operation_run(&view.operation);
	sim_trace_set(NULL, NULL);
	finish_last();
}

static void task_body(void *arg)
{
	unsigned sleepers = view.operation.list->sleepers;

	(void)arg;
	for (unsigned i = 0; i < sleepers; i++)
		view.sleeper[i] = plat_task_create(sleeper_body, NULL, 0);
	for (int i = 0; i < OPERATION_WARM_UP; i++) {
		prepare();
		view.good &= operation_run(&view.operation);
		finish();
	}
	prepare();
	observe();
	view.over = true;
	finish();
	for (unsigned i = 0; i < sleepers; i++)
		plat_task_join(view.sleeper[i]);
}

static void build_system(void *arg)
{
	view.operation = operation_create(arg);
	view.pause = plat_alloc(sizeof(*view.pause), plat_line_size(), 0);
	*(uint32_t *)(void *)(sim.memory.backing +
			      sim_memory_offset(&sim.memory, (void *)view.pause)) = 1;
	os_task_start(0, task_body, NULL);
}

/* The recorder's machine: 4 CPUs, 2 nodes. One CPU has a task. */
static struct machine_profile machine_of(const struct access_list *list)
{
	struct machine_profile machine = test_machine_of(2, 1, 2, 1);

	machine.ppc = list->ppc;
	machine.line_size = list->ppc ? 128 : 64;
	machine.page_size = list->ppc ? 65536 : 4096;
	return machine;
}

static int simulate(struct access_list *list, const struct machine_profile *machine)
{
	struct sim_config config = {
		.cpus = 1, .tasks = SLEEPERS_MAX + 2, .memory_bytes = MEMORY_BYTES};
	const uint32_t cpu = 0;

	machine_configure(machine, &config);
	if (sim_engine_init(&config) || machine_init(machine, &cpu, 1, 1) ||
	    os_init(&(struct os_config){.profile = machine}))
		abort();
	return sim_protect(build_system, list) || sim_engine_run() ? -1 : 0;
}

const struct access *record(const struct access_list *list, size_t *count)
{
	struct machine_profile machine = machine_of(list);
	struct access_list copy = *list;

	memset(&view, 0, sizeof(view));
	view.good = true;
	if (simulate(&copy, &machine) || !view.good)
		fprintf(stderr, "%s: %s\n", list->file, sim.failure ? sim.failure : "wrong result");
	view.good &= !sim.failure;
	sim_trace_set(NULL, NULL);
	if (view.operation.mm)
		operation_destroy(&view.operation);
	os_clean_up();
	machine_clean_up();
	sim_engine_clean_up();
	*count = view.count;
	return view.good ? view.found : NULL;
}
