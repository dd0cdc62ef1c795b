/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is said when nothing goes on any more. */
#include <stdio.h>
#include <string.h>

#include "os/internal.h"

enum { SHOWN_MAX = 12 };

static const struct sim_context *context_of(const struct plat_task *task)
{
	const struct sim_cpu *cpu = &sim.cpus[task->slot];

	return task->state == OS_RUNNING ? cpu->context : task->sim->context;
}

void os_describe(const struct plat_task *task, char *buffer, size_t size)
{
	const char *function = sim_context_function(context_of(task));

	snprintf(buffer, size, "task %u on CPU %u%s%s", os_task_number(task),
		 sim.cpus[task->slot].id, function ? " in " : "", function ? function : "");
}

static void say_what_for(const struct plat_task *task, char *buffer, size_t size)
{
	char name[64];
	const struct sim_object *object;
	int field;

	if (task->waits_for == SIZE_MAX) {
		snprintf(buffer, size, "waits for another task or for RCU");
		return;
	}
	object = sim_memory_object(&sim.memory, task->waits_for);
	field = object ? sim_memory_field(&sim.memory, object, task->waits_for) : -1;
	sim_memory_describe(&sim.memory, task->waits_for, name, sizeof(name));
	snprintf(buffer, size, "sleeps until %s%s%s at %#llx becomes 0", name, field < 0 ? "" : ".",
		 field < 0 ? "" : sim.memory.types[object->type]->fields[field].name,
		 (unsigned long long)sim_memory_address(&sim.memory, task->waits_for));
}

static const char *what_it_does(const struct plat_task *task)
{
	return task->state == OS_RUNNING ? "polls a line that nobody will write"
					 : "waits for its CPU";
}

static size_t add_line(char *text, size_t used, size_t size, const struct plat_task *task)
{
	char who[128], what[192];
	int length;

	os_describe(task, who, sizeof(who));
	if (task->state == OS_SLEEPING)
		say_what_for(task, what, sizeof(what));
	else
		snprintf(what, sizeof(what), "%s", what_it_does(task));
	length = snprintf(text + used, size - used, "\n  %s %s", who, what);
	return length < 0 || used + (size_t)length >= size ? size - 1 : used + (size_t)length;
}

/*
 * No CPU can go on and no timer is pending. That is how runs end whose tasks have
 * all ended, or poll; but who sleeps then is woken by nobody.
 */
void os_stuck(void)
{
	char text[1600];
	uint32_t shown = 0, others = 0;
	size_t used;

	if (!os.asleep)
		return;
	used = (size_t)snprintf(
		text, sizeof(text),
		"deadlock: %u of %u tasks sleep, nobody runs who could wake them, and no timer is "
		"pending:",
		os.asleep, os.alive);
	for (uint32_t t = 0; t < os.tasks_used; t++) {
		if (!os.task[t].sim || os.task[t].state == OS_ENDED)
			continue;
		if (shown++ < SHOWN_MAX)
			used = add_line(text, used, sizeof(text), &os.task[t]);
		else
			others++;
	}
	if (others)
		sim_fail("%s\n  and %u more", text, others);
	sim_fail("%s", text);
}

static const struct plat_task *who_stalls(const char **how)
{
	*how = "left its CPU inside a read-side section and has not come out";
	for (const struct plat_task *t = os.rcu.readers; t; t = t->reader.next)
		if (t->reader.blocks_normal)
			return t;
	for (uint32_t s = 0; s < sim.config.cpus; s++) {
		const struct os_cpu *oc = &os.cpu[s];

		if (!oc->rcu.waited_for || !oc->current)
			continue;
		*how = oc->current->readers ? "has not left its read-side section"
					    : "has neither slept nor returned to user mode";
		return oc->current;
	}
	return NULL;
}

void os_report_stall(sim_time age)
{
	const char *how;
	const struct plat_task *task = who_stalls(&how);
	char who[128] = "nobody";

	if (task)
		os_describe(task, who, sizeof(who));
	sim_fail("RCU: a grace period has not ended for %llu ms: %s %s",
		 (unsigned long long)(age / SIM_MS), who, how);
}
