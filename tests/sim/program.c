/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hooks.h"
#include "machine/machine.h"
#include "machines.h"
#include "os/os.h"
#include "random.h"

enum { WORDS_PER_LINE = 16 };

struct program {
	uint64_t seed;
	uint32_t lines, steps;
	uint32_t *memory;
	uint32_t contention; /* lower: fewer lines take most accesses */
};

struct worker {
	struct program *program;
	uint32_t slot;
	uint64_t digest;
	gsl_rng *random;
};

static struct program program;
static struct worker workers[SIM_CPUS_MAX];

static void fold(uint64_t *digest, uint64_t value)
{
	*digest = sim_random_mix(*digest, value, 0x51);
}

static uint32_t *random_word(struct worker *w)
{
	uint32_t line = (uint32_t)sim_random_below(w->random, program.lines);

	if (sim_random_below(w->random, 8) < program.contention)
		line = 0;
	return program.memory + line * WORDS_PER_LINE + sim_random_below(w->random, WORDS_PER_LINE);
}

static uint64_t one_access(struct worker *w, uint32_t *word)
{
	uint32_t expected;

	switch (sim_random_below(w->random, 6)) {
	case 0:
	case 1:
		return futexsim_tsan_atomic32_load(word, 0);
	case 2:
		futexsim_tsan_atomic32_store(word, sim_random_u32(w->random), 3);
		return 0;
	case 3:
		return futexsim_tsan_atomic32_fetch_add(word, 1, 5);
	case 4:
		return futexsim_tsan_atomic32_exchange(word, w->slot, 2);
	default:
		expected = (uint32_t)sim_random_below(w->random, 4);
		return (uint64_t)futexsim_tsan_atomic32_compare_exchange_strong(word, &expected, 7,
										5, 0) +
		       2 * (uint64_t)expected;
	}
}

static void step(struct worker *w)
{
	uint32_t *word = random_word(w);

	switch (sim_random_below(w->random, 10)) {
	case 0:
		plat_work(PLAT_WORK_ARGS);
		break;
	case 1:
		sim_spend(sim.current, SIM_COST_WORK, sim_random_below(w->random, 400 * SIM_NS));
		break;
	case 2:
		futexsim_tsan_atomic_thread_fence(5);
		break;
	case 3: /* spins for ever if nobody writes: the run then ends without this CPU */
		if (sim_random_below(w->random, 4) == 0)
			fold(&w->digest, plat_wait_until_changed32(
						 (const _Atomic(uint32_t) *)(const void *)word,
						 futexsim_tsan_atomic32_load(word, 0)));
		break;
	default:
		fold(&w->digest, one_access(w, word));
	}
	fold(&w->digest, sim.current->now);
}

static void body(void *arg)
{
	struct worker *w = arg;

	for (uint32_t s = 0; s < program.steps; s++)
		step(w);
}

static struct machine_profile random_machine(gsl_rng *r)
{
	struct machine_profile p = test_machine_of(
		1 + (uint32_t)sim_random_below(r, 3), 1 + (uint32_t)sim_random_below(r, 3),
		1 + (uint32_t)sim_random_below(r, 4), 1 + (uint32_t)sim_random_below(r, 4));

	p.topology.numbering = (enum machine_numbering)sim_random_below(r, 3);
	p.param[PARAM_JITTER].value = sim_random_below(r, 2) ? 0.1 : 0;
	p.param[PARAM_TENURE].value = 1 + (double)sim_random_below(r, 30) / 10;
	p.param[PARAM_NEAR_BIAS].value = (double)sim_random_below(r, 10) / 10;
	p.param[PARAM_LLSC_LOSS].value = sim_random_below(r, 3) ? 0 : 0.2;
	p.param[PARAM_L1_HIT].value = (double)sim_random_below(r, 3);
	p.param[PARAM_SNOOP_LEAD].value = 0.1 + (double)sim_random_below(r, 9) / 10;
	p.private_cache_kib = sim_random_below(r, 3) ? 256 : 1;
	p.llc_kib = sim_random_below(r, 3) ? 16384 : 2;
	p.llc_per_cluster = sim_random_below(r, 2);
	return p;
}

static void nothing(void *arg, sim_time now)
{
	(void)arg;
	(void)now;
	os_stats_reset(now);
}

static void build(void *arg)
{
	(void)arg;
	program.memory = plat_alloc(program.lines * WORDS_PER_LINE * sizeof(uint32_t), 64, 0);
}

static bool collect(struct program_result *result)
{
	bool conserved = true;

	for (uint32_t s = 0; s < sim.config.cpus; s++) {
		const struct sim_cpu *cpu = &sim.cpus[s];
		sim_time total = 0;

		fold(&result->digest, workers[s].digest);
		for (int c = 0; c < SIM_CATEGORIES_MAX; c++) {
			fold(&result->digest, cpu->cost[c]);
			total += cpu->cost[c];
		}
		result->accesses += cpu->accesses;
		result->events += cpu->events;
		result->now = cpu->now > result->now ? cpu->now : result->now;
		conserved &= total <= cpu->now;
		if (sim_queue_leaf(&sim.queue, s) != SIM_NEVER || !sim.cpus[s].wait_depth)
			conserved &= total <= cpu->now;
		fold(&result->digest, machine_stolen(s));
	}
	for (uint32_t l = 0; l < machine_line_count(); l++) {
		struct line_stats stats = machine_line(l);

		fold(&result->digest, stats.local * 3 + stats.remote);
		fold(&result->digest, stats.wait);
	}
	for (uint32_t w = 0; w < program.lines * WORDS_PER_LINE; w++)
		fold(&result->digest,
		     ((uint32_t *)(void *)(sim.memory.backing +
					   sim_memory_offset(&sim.memory, program.memory)))[w]);
	fold(&result->digest, result->accesses);
	return conserved;
}

struct program_result program_run(uint64_t seed, bool reference)
{
	gsl_rng *r = sim_random_new(seed, 0, SIM_RANDOM_TEST);
	struct machine_profile profile = random_machine(r);
	uint32_t cpus = machine_cpu_count(&profile.topology);
	struct sim_config config = {.cpus = cpus, .memory_bytes = 4 << 20, .reference = reference};
	struct program_result result = {0};
	uint32_t ids[SIM_CPUS_MAX];

	for (uint32_t s = 0; s < cpus; s++)
		ids[s] = s;
	program = (struct program){.seed = seed,
				   .lines = 1 + (uint32_t)sim_random_below(r, 40),
				   .steps = 20 + (uint32_t)sim_random_below(r, 100),
				   .contention = (uint32_t)sim_random_below(r, 6)};
	machine_configure(&profile, &config);
	if (sim_engine_init(&config) || machine_init(&profile, ids, cpus, seed) ||
	    os_init(&(struct os_config){.profile = &profile}) || sim_protect(build, NULL)) {
		fprintf(stderr, "program %llu: %s\n", (unsigned long long)seed, sim.failure);
		abort();
	}
	for (uint32_t s = 0; s < cpus; s++) {
		workers[s] = (struct worker){&program, s, seed,
					     sim_random_new(seed, s + 1, SIM_RANDOM_TEST)};
		os_task_start(s, body, &workers[s]);
	}
	sim_timer_set(1 + sim_random_below(r, 20 * SIM_US), nothing, NULL);
	if (sim_engine_run()) {
		fprintf(stderr, "program %llu: %s\n", (unsigned long long)seed, sim.failure);
		abort();
	}
	result.conserved = collect(&result);
	for (uint32_t s = 0; s < cpus; s++)
		gsl_rng_free(workers[s].random);
	gsl_rng_free(r);
	os_clean_up();
	machine_clean_up();
	sim_engine_clean_up();
	return result;
}
