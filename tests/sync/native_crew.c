// SPDX-License-Identifier: GPL-3.0-or-later
/* Bodies on threads: all start together, and a watchdog ends those that wait for ever. */
#include "native_crew.h"

#include <pthread.h>

#include "native/native.h"

enum { PERTURB_ONE_IN = 16 };

struct crew_run {
	lock_body body;
	void *context;
	pthread_barrier_t start;
};

struct member {
	struct crew_run *run;
	unsigned index;
	pthread_t thread;
};

static unsigned patience_ms = 60000;

void native_crew_patience(unsigned ms)
{
	patience_ms = ms;
}

static void begin(unsigned count, uint64_t seed)
{
	(void)count;
	(void)seed;
	native_reset();
}

static void *member_main(void *arg)
{
	struct member *member = arg;

	native_thread_enter(member->index);
	pthread_barrier_wait(&member->run->start);
	member->run->body(member->run->context, member->index);
	return NULL;
}

static void run_members(struct crew_run *run, unsigned count)
{
	struct member members[NATIVE_CPUS];

	if (count > NATIVE_CPUS || pthread_barrier_init(&run->start, NULL, count) != 0)
		plat_panic("crew too large");
	for (unsigned i = 0; i < count; i++) {
		members[i] = (struct member){.run = run, .index = i};
		if (pthread_create(&members[i].thread, NULL, member_main, &members[i]) != 0)
			plat_panic("no more threads");
	}
	for (unsigned i = 0; i < count; i++)
		pthread_join(members[i].thread, NULL);
	pthread_barrier_destroy(&run->start);
}

static const char *run_perturbed(lock_body body, void *context, unsigned count, uint64_t seed)
{
	struct crew_run run = {.body = body, .context = context};

	native_perturb(seed, PERTURB_ONE_IN);
	native_set_deadline(patience_ms);
	run_members(&run, count);
	native_perturb(0, 0);
	return native_failure();
}

static const char *run_undisturbed(lock_body body, void *context, unsigned count, uint64_t seed)
{
	struct crew_run run = {.body = body, .context = context};

	(void)seed;
	native_set_deadline(0);
	run_members(&run, count);
	return native_failure();
}

const struct lock_crew native_crew = {begin, run_perturbed};
const struct lock_crew native_crew_undisturbed = {begin, run_undisturbed};
