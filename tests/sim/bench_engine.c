/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What an event costs, and what it is made of, in one run on one machine:
 * a coroutine switch, a hold of the pending set, a transfer's update of a line
 * (all the model does for it, from the hook on; an event need not contain one);
 * and the whole loop on a mixed workload with attribution on. The digest of the
 * results must not change with speed.
 *
 *	bench_engine		measure
 *	bench_engine test	small input; fails if a digest is not the known one
 *	bench_engine demand	fails if an event costs more than 1.3 times its ingredients
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "coro.h"
#include "queue.h"
#include "random.h"
#include "rig.h"

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Two sockets of 40 units, or sixteen of 64. */
static struct machine_profile loop_machine(uint32_t cpus)
{
	struct machine_profile p = test_machine_of(cpus > 80 ? 16 : 2, 1, cpus > 80 ? 64 : 40, 1);

	p.param[PARAM_JITTER].value = 0.1;
	p.param[PARAM_NEAR_BIAS].value = 0.7;
	p.param[PARAM_TENURE].value = 1.5;
	return p;
}

/* ---- Ingredients ----------------------------------------------------------------- */

enum { ORDER = 1 << 14 };

static struct {
	struct coro main, *coro;
	uint16_t next[ORDER]; /* a random order that every size shares */
	uint32_t count, at;
	uint64_t left;
} ring;

static void pass_on(void *arg)
{
	struct coro *self = arg;

	for (;;) {
		struct coro *to = &ring.main;

		if (ring.left) {
			ring.left--;
			to = &ring.coro[ring.next[ring.at++ % ORDER] % ring.count];
		}
		if (to != self)
			coro_switch(self, to);
	}
}

static double switch_ns(uint32_t count, uint64_t switches)
{
	struct coro_pool pool;
	gsl_rng *r = sim_random_new(1, count, SIM_RANDOM_TEST);
	double began;

	ring.coro = calloc(count, sizeof(*ring.coro));
	if (!ring.coro || coro_pool_init(&pool, count))
		abort();
	for (uint32_t i = 0; i < ORDER; i++)
		ring.next[i] = (uint16_t)sim_random_u32(r);
	if (count == 2)
		for (uint32_t i = 0; i < ORDER; i++)
			ring.next[i] = (uint16_t)(i % 2);
	coro_init_main(&ring.main);
	for (uint32_t c = 0; c < count; c++)
		coro_init(&ring.coro[c], &pool, c, pass_on, &ring.coro[c]);
	ring.count = count;
	ring.at = 0;
	for (int warm = 1; warm >= 0; warm--) {
		ring.left = warm ? (uint64_t)4 * count : switches;
		began = now_ns();
		coro_switch(&ring.main, &ring.coro[0]);
	}
	began = (now_ns() - began) / (double)switches;
	for (uint32_t c = 0; c < count; c++)
		coro_clean_up(&ring.coro[c]);
	coro_clean_up(&ring.main);
	coro_pool_clean_up(&pool);
	free(ring.coro);
	gsl_rng_free(r);
	return began;
}

/* Take the earliest, put it back later: what the loop does to the pending set. */
static double hold_ns(uint32_t slots, uint64_t holds)
{
	static uint16_t step[ORDER];
	gsl_rng *r = sim_random_new(2, slots, SIM_RANDOM_TEST);
	struct sim_queue q;
	double began;

	if (sim_queue_init(&q, slots))
		abort();
	for (uint32_t i = 0; i < ORDER; i++)
		step[i] = (uint16_t)(1 + sim_random_below(r, 60000));
	for (uint32_t s = 0; s < slots; s++)
		sim_queue_set(&q, s, sim_key(sim_random_below(r, 60000), s));
	began = now_ns();
	for (uint64_t i = 0; i < holds; i++) {
		uint64_t key = sim_queue_root(&q);

		sim_queue_set(&q, sim_key_slot(key),
			      sim_key(sim_key_time(key) + step[i % ORDER], sim_key_slot(key)));
	}
	began = (now_ns() - began) / (double)holds;
	sim_queue_clean_up(&q);
	gsl_rng_free(r);
	return began;
}

static struct {
	uint32_t *memory;
	uint32_t order[ORDER];
	uint64_t rounds;
	double ns;
	uint64_t transfers;
} taken;

/* Two CPUs take all lines from each other in turn: transfers without queue and switch. */
static void take_turns(void *arg)
{
	uint32_t self = sim.current->slot;

	(void)arg;
	if (self)
		sim_block(sim.current);
	for (uint64_t r = 0; r < taken.rounds; r++) {
		double began = now_ns();

		for (uint32_t i = 0; i < ORDER; i++)
			add(taken.memory + taken.order[i] * 16);
		if (r) { /* the first round finds the lines in memory */
			taken.ns += now_ns() - began;
			taken.transfers += ORDER;
		}
		sim_wake(!self, sim.current->now);
		sim_block(sim.current);
	}
}

/*
 * A line's update: from the access that finds no rights to the new owner, with
 * price, state, sharers and attribution. CPUs of two sockets, as far as the
 * loop's machine has them.
 */
static double line_ns(uint32_t cpus, uint64_t updates)
{
	struct machine_profile p = loop_machine(cpus);
	uint32_t ids[2] = {0, machine_cpu_count(&p.topology) - 1};
	gsl_rng *r = sim_random_new(3, cpus, SIM_RANDOM_TEST);

	for (uint32_t i = 0; i < ORDER; i++)
		taken.order[i] = i;
	for (uint32_t i = ORDER - 1; i > 0; i--) {
		uint32_t j = (uint32_t)sim_random_below(r, i + 1), other = taken.order[j];

		taken.order[j] = taken.order[i];
		taken.order[i] = other;
	}
	gsl_rng_free(r);
	rig_begin_on(&p, ids, 2);
	taken.memory = rig_lines(ORDER, SIM_HOME_INTERLEAVE);
	taken.rounds = updates / ORDER / 2 + 2;
	taken.ns = 0;
	taken.transfers = 0;
	os_task_start(0, take_turns, NULL);
	os_task_start(1, take_turns, NULL);
	rig_run();
	rig_end();
	return taken.ns / (double)taken.transfers;
}

/* ---- The whole loop ----------------------------------------------------------------- */

static struct {
	uint32_t *shared, *own;
	uint32_t lines, operations;
} work;

static uint32_t cheap_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* About what a failing futex wait does: own lines, a shared counter, a bucket, its lock. */
static void operate(void *arg)
{
	uint32_t slot = sim.current->slot, state = slot * 2654435761u + 1;
	uint32_t *own = work.own + (size_t)slot * 4 * 16;

	(void)arg;
	for (uint32_t i = 0; i < work.operations; i++) {
		uint32_t *bucket = work.shared + (size_t)(cheap_random(&state) % work.lines) * 16;

		plat_work(PLAT_WORK_SYSCALL);
		load(own);
		store(own + 16, i);
		add(bucket);
		plat_work(PLAT_WORK_LOCK);
		add(bucket + 1);
		load(own + 32);
		plat_work(PLAT_WORK_USER_READ);
		store(bucket + 1, i);
		add(bucket);
		store(own + 16, 0);
		plat_op_done();
	}
}

struct outcome {
	double ns;
	uint64_t events, accesses, operations, digest;
};

static void digest(uint64_t *d, uint64_t value)
{
	*d = sim_random_mix(*d, value, 0);
}

static struct outcome loop(uint32_t cpus, uint32_t operations)
{
	struct machine_profile p = loop_machine(cpus);
	struct outcome out = {0};

	rig_begin(&p, cpus);
	work.lines = 4 * cpus;
	work.operations = operations;
	work.shared = rig_lines(work.lines, SIM_HOME_INTERLEAVE);
	work.own = rig_lines(4 * cpus, 0);
	for (uint32_t s = 0; s < cpus; s++)
		os_task_start(s, operate, NULL);
	out.ns = now_ns();
	rig_run();
	out.ns = now_ns() - out.ns;
	for (uint32_t s = 0; s < cpus; s++) {
		out.events += sim.cpus[s].events;
		out.accesses += sim.cpus[s].accesses;
		digest(&out.digest, sim.cpus[s].now);
		for (int c = 0; c < SIM_CATEGORIES_MAX; c++)
			digest(&out.digest, sim.cpus[s].cost[c]);
	}
	for (uint32_t l = 0; l < work.lines; l++)
		digest(&out.digest, rig_peek(work.shared + (size_t)l * 16));
	out.operations = os_total_ops();
	rig_end();
	return out;
}

/* ns per operation where nothing is an event: one CPU, all hits. To be taken off the loop's time.
 */
static double without_events(void)
{
	double best = 1e9;

	for (int i = 0; i < 5; i++) {
		struct outcome out = loop(1, 100000);
		double ns = out.ns / (double)out.operations;

		best = ns < best ? ns : best;
	}
	return best;
}

/* Best of several: the host's noise only adds. */
static double least(double (*measure)(uint32_t, uint64_t), uint32_t size, uint64_t count)
{
	double best = measure(size, count);

	for (int i = 0; i < 4; i++) {
		double again = measure(size, count);

		best = again < best ? again : best;
	}
	return best;
}

/* The ratio of the loop to its ingredients. */
static double measure(uint32_t cpus, uint32_t operations)
{
	double change = least(switch_ns, cpus, 2000000), hold = least(hold_ns, cpus, 2000000);
	double line = least(line_ns, cpus, 2000000), hits, event, ratio;
	struct outcome best = loop(cpus, operations);

	for (int i = 0; i < 4; i++) {
		struct outcome again = loop(cpus, operations);

		best = again.ns < best.ns ? again : best;
	}
	hits = without_events();
	event = (best.ns - hits * (double)best.operations) / (double)best.events;
	ratio = event / (change + hold + line);
	printf("%4u CPUs: switch %.1f + hold %.1f + line %.1f = %.1f ns; event %.1f ns, ratio "
	       "%.2f\n",
	       cpus, change, hold, line, change + hold + line, event, ratio);
	printf("           an operation of %.1f events and %.1f accesses; its part without events "
	       "%.1f "
	       "ns\n",
	       (double)best.events / (double)best.operations,
	       (double)best.accesses / (double)best.operations, hits);
	printf("           %.1f ns per access, %.1f M accesses/s, %.2f M operations/s, %.2f events "
	       "per "
	       "access, digest %#llx\n",
	       best.ns / (double)best.accesses, (double)best.accesses / best.ns * 1e3,
	       (double)best.operations / best.ns * 1e3, (double)best.events / (double)best.accesses,
	       (unsigned long long)best.digest);
	return ratio;
}

/* The same whatever the build and however fast; changes with the model. */
static int check_digests(void)
{
	static const struct {
		uint32_t cpus;
		uint64_t digest;
	} known[] = {{2, 0x256fc3b50f398b1d}, {80, 0xd6d7ea7004b981d7}, {1024, 0x1177f121929f0af5}};
	int wrong = 0;

	for (uint32_t i = 0; i < 3; i++) {
		uint64_t got = loop(known[i].cpus, 20).digest;

		printf("%u CPUs: digest %#llx, known %#llx\n", known[i].cpus,
		       (unsigned long long)got, (unsigned long long)known[i].digest);
		wrong |= got != known[i].digest;
	}
	return wrong;
}

int main(int argc, char **argv)
{
	double ratio_80, ratio_1024;

	if (argc > 1 && !strcmp(argv[1], "test"))
		return check_digests();
	printf("switch of 2 coroutines: %.1f ns (%s)\n", least(switch_ns, 2, 4000000),
	       coro_backend());
	ratio_80 = measure(80, 4000);
	ratio_1024 = measure(1024, 400);
	if (argc > 1 && !strcmp(argv[1], "demand"))
		return ratio_80 > 1.3 || ratio_1024 > 1.3;
	return 0;
}
