// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim_crew.h"

#include <stdio.h>
#include <stdlib.h>

#include "machine/machine.h"
#include "os/os.h"

/* Longer than any run takes if somebody makes progress. */
#define PATIENCE (1000 * SIM_MS)

enum { MEMORY_BYTES = 16 << 20 };

struct member {
	lock_body body;
	void *context;
	unsigned index;
	bool ended;
};

static const struct machine_profile *machine;
static struct member members[LOCK_VALIDATE_CPUS];
static sim_time last_end;
static bool up, spinning;

void sim_crew_machine(const struct machine_profile *profile)
{
	machine = profile;
}

sim_time sim_crew_ended(void)
{
	return last_end;
}

void sim_crew_end(void)
{
	if (up) {
		os_clean_up();
		machine_clean_up();
		sim_engine_clean_up();
	}
	up = false;
}

/* Evenly over the machine, so that few CPUs are already on several sockets. */
static void choose_cpus(uint32_t *ids, unsigned count)
{
	uint32_t cpus = machine_cpu_count(&machine->topology);

	for (unsigned i = 0; i < count; i++)
		ids[i] = i * cpus / count;
}

static void begin(unsigned count, uint64_t seed)
{
	struct sim_config config = {
		.cpus = count, .memory_bytes = MEMORY_BYTES, .layout_seed = seed};
	uint32_t ids[LOCK_VALIDATE_CPUS];

	sim_crew_end();
	choose_cpus(ids, count);
	machine_configure(machine, &config);
	if (sim_engine_init(&config) || machine_init(machine, ids, count, seed) ||
	    os_init(&(struct os_config){.profile = machine})) {
		fprintf(stderr, "no machine: %s\n", sim.failure ? sim.failure : "out of memory");
		abort();
	}
	up = true;
}

static void member_main(void *arg)
{
	struct member *member = arg;

	member->body(member->context, member->index);
	member->ended = true;
	if (sim.current->now > last_end)
		last_end = sim.current->now;
}

static void give_up(void *arg, sim_time now)
{
	(void)arg;
	(void)now;
	spinning = sim_queue_root(&sim.queue) != SIM_NEVER;
	sim_stop();
}

static const char *who_waits(unsigned count)
{
	static char text[80];
	unsigned waiting = 0;

	for (unsigned i = 0; i < count; i++)
		waiting += !members[i].ended;
	if (waiting == 0)
		return NULL;
	snprintf(text, sizeof(text), "%u CPUs %s for ever", waiting, spinning ? "spin" : "wait");
	return text;
}

/* When nothing can run any more, the timer is due at once. */
static const char *run(lock_body body, void *context, unsigned count, uint64_t seed)
{
	(void)seed; /* it is the machine's */
	last_end = 0;
	spinning = false;
	for (unsigned i = 0; i < count; i++) {
		members[i] = (struct member){.body = body, .context = context, .index = i};
		os_task_start(i, member_main, &members[i]);
	}
	sim_timer_set(PATIENCE, give_up, NULL);
	return sim_engine_run() ? sim.failure : who_waits(count);
}

const struct lock_crew sim_crew = {begin, run};
