/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hooks.h"
#include "invariants.h"
#include "machine/machine.h"
#include "machines.h"
#include "os/os.h"
#include "random.h"

enum { OWN_LINES = 4, WORDS_MAX = 64 };

/* Shared lines are of types 0 to 3 in turn. */
enum { TYPE_OWN = 4, TYPE_BLOCK, TYPE_PERCPU, TYPES };

static const struct plat_type types[TYPES] = {
	{"shared0", PLAT_CAT_OTHER, 0, NULL},       {"shared1", PLAT_CAT_REFCOUNT, 0, NULL},
	{"shared2", PLAT_CAT_BUCKET_LINE, 0, NULL}, {"shared3", PLAT_CAT_OTHER, 0, NULL},
	{"own", PLAT_CAT_OTHER, 0, NULL},           {"block", PLAT_CAT_OTHER, 0, NULL},
	{"percpu", PLAT_CAT_OTHER, 0, NULL},
};

static struct program {
	uint32_t lines, steps;
	uint32_t hot;     /* of 8 shared accesses, how many go to line 0 */
	uint32_t private; /* of 8 accesses, how many go to the CPU's own lines */
	uint32_t stay;    /* of 8 accesses, how many go to the line used last */
	bool calm;        /* little but accesses */
	uint32_t words;   /* 32-bit words of a line */
	uint32_t *memory; /* shared lines, then OWN_LINES per CPU */
	struct plat_percpu *percpu;
} program;

static struct worker {
	uint64_t digest;
	gsl_rng *random;
	uint32_t *block; /* allocated by the task itself */
	uint32_t slot;
	uint32_t line; /* used last */
} workers[SIM_CPUS_MAX];

static void fold(uint64_t *digest, uint64_t value)
{
	*digest = sim_random_mix(*digest, value, 0x51);
}

static uint32_t below(struct worker *w, uint32_t bound)
{
	return (uint32_t)sim_random_below(w->random, bound);
}

static uint32_t *random_word(struct worker *w)
{
	uint32_t line = below(w, program.lines);

	/* Staying on a line makes hits that another CPU's request may cut short. */
	if (below(w, 8) < program.stay)
		return program.memory + (size_t)w->line * program.words + below(w, program.words);
	if (w->block && below(w, 8) == 0)
		return w->block + below(w, program.words);
	if (below(w, 8) < program.private)
		line = program.lines + w->slot * OWN_LINES + below(w, OWN_LINES);
	else if (below(w, 8) < program.hot)
		line = 0;
	w->line = line;
	return program.memory + (size_t)line * program.words + below(w, program.words);
}

#define DEFINE_ACCESS(bits)                                                                        \
	static uint64_t access##bits(struct worker *w, uint32_t *word)                             \
	{                                                                                          \
		uint##bits##_t expected = (uint##bits##_t)below(w, 4);                             \
                                                                                                   \
		switch (below(w, 6)) {                                                             \
		case 0:                                                                            \
		case 1:                                                                            \
			return futexsim_tsan_atomic##bits##_load(word, __ATOMIC_RELAXED);          \
		case 2:                                                                            \
			futexsim_tsan_atomic##bits##_store(word, (uint##bits##_t)below(w, 100),    \
							   __ATOMIC_RELEASE);                      \
			return 0;                                                                  \
		case 3:                                                                            \
			return futexsim_tsan_atomic##bits##_fetch_add(word, 1, __ATOMIC_SEQ_CST);  \
		case 4:                                                                            \
			return futexsim_tsan_atomic##bits##_exchange(                              \
				word, (uint##bits##_t)w->slot, __ATOMIC_ACQUIRE);                  \
		default:                                                                           \
			return (uint64_t)futexsim_tsan_atomic##bits##_compare_exchange_strong(     \
				       word, &expected, 7, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED) +   \
			       2 * (uint64_t)expected;                                             \
		}                                                                                  \
	}

DEFINE_ACCESS(8)
DEFINE_ACCESS(16)
DEFINE_ACCESS(32)
DEFINE_ACCESS(64)

static uint64_t one_access(struct worker *w)
{
	uint32_t *word = random_word(w);

	switch (below(w, 5)) {
	case 0:
		return access8(w, word);
	case 1:
		return access16(w, word);
	case 2:
		return access64(w, word - (uintptr_t)word % 8 / sizeof(*word));
	default:
		return access32(w, word);
	}
}

/* Spins for ever if nobody writes: the run then ends without this CPU. */
static void maybe_spin(struct worker *w)
{
	uint32_t *word = random_word(w);
	uint32_t seen;

	if (below(w, 4))
		return;
	seen = futexsim_tsan_atomic32_load(word, __ATOMIC_RELAXED);
	if (below(w, 2))
		plat_lock_wait_begin();
	fold(&w->digest, plat_wait_until_changed32((void *)word, seen));
	if (sim.current->wait_depth)
		plat_lock_wait_end();
}

/* A block of the task's own, now and then given back. */
static void allocate_or_free(struct worker *w)
{
	if (below(w, 6))
		return;
	if (w->block) {
		plat_free(w->block);
		w->block = NULL;
		return;
	}
	w->block =
		plat_alloc(program.words * sizeof(uint32_t), sim.config.line_size, PLAT_NODE_LOCAL);
	plat_name(w->block, &types[TYPE_BLOCK], 1, sim.config.line_size);
	fold(&w->digest, plat_address(w->block));
}

static void step(struct worker *w)
{
	switch (below(w, program.calm ? 40 : 12)) {
	case 0:
		plat_work(PLAT_WORK_ARGS);
		break;
	case 1:
		sim_spend(sim.current, SIM_COST_WORK, below(w, 400000));
		break;
	case 2:
		futexsim_tsan_atomic_thread_fence(__ATOMIC_SEQ_CST);
		break;
	case 3:
		maybe_spin(w);
		break;
	case 4:
		plat_this_cpu_add(program.percpu, 1);
		plat_op_done();
		break;
	case 5:
		allocate_or_free(w);
		break;
	default:
		fold(&w->digest, one_access(w));
	}
	fold(&w->digest, sim.current->now);
}

static void body(void *arg)
{
	struct worker *w = arg;

	for (uint32_t s = 0; s < program.steps; s++)
		step(w);
}

/* One in 32 has more units than a directory entry holds inline. */
static struct machine_profile random_topology(gsl_rng *r)
{
	uint32_t clusters = 1 + (uint32_t)sim_random_below(r, 3);
	uint32_t units = 1 + (uint32_t)sim_random_below(r, 4);
	uint32_t threads = 1 + (uint32_t)sim_random_below(r, 4);
	struct machine_profile p;

	if (sim_random_below(r, 32) == 0)
		return test_machine_of(2, 7, 14 + units, 1);
	p = test_machine_of(1 + (uint32_t)sim_random_below(r, 3), clusters, units, threads);
	if (p.topology.sockets == 3 && sim_random_below(r, 2))
		p.topology.hops[0][2] = p.topology.hops[2][0] = 2;
	if (p.topology.sockets == 3 && sim_random_below(r, 2))
		p.topology.hops[0][1] = p.topology.hops[1][0] = 2;
	return p;
}

static struct machine_profile random_machine(gsl_rng *r)
{
	struct machine_profile p = random_topology(r);

	p.topology.numbering = (enum machine_numbering)sim_random_below(r, 4);
	p.line_size = 64u << sim_random_below(r, 2);
	p.param[PARAM_UNIT_MERGE].value = (double)sim_random_below(r, 3) / 2;
	p.param[PARAM_HOME_SERVICE].value = sim_random_below(r, 2) ? 0 : 30;
	p.param[PARAM_JITTER].value = sim_random_below(r, 2) ? 0.1 : 0;
	p.param[PARAM_TENURE].value = 1 + (double)sim_random_below(r, 30) / 10;
	p.param[PARAM_NEAR_BIAS].value = (double)sim_random_below(r, 10) / 10;
	p.param[PARAM_LLSC_LOSS].value = sim_random_below(r, 3) ? 0 : 0.2;
	p.param[PARAM_L1_HIT].value = (double)sim_random_below(r, 3);
	p.param[PARAM_SNOOP_LEAD].value = 0.1 + (double)sim_random_below(r, 9) / 10;
	p.private_cache_kib = sim_random_below(r, 3) ? 256 : 1;
	p.llc_kib = sim_random_below(r, 3) ? 16384 : 2;
	p.llc_per_cluster = sim_random_below(r, 2);
	p.dirty_sharing = sim_random_below(r, 2);
	p.param[PARAM_WRITE_BACK].value = (double)sim_random_below(r, 200);
	return p;
}

static void reset_statistics(void *arg, sim_time now)
{
	(void)arg;
	(void)now;
	os_stats_reset();
}

static void build(void *arg)
{
	size_t line = sim.config.line_size, own = (size_t)sim.config.cpus * OWN_LINES;
	char *p = plat_alloc((program.lines + own) * line, line, PLAT_NODE_INTERLEAVE);

	(void)arg;
	program.memory = (uint32_t *)(void *)p;
	for (uint32_t l = 0; l < program.lines; l++)
		plat_name(p + l * line, &types[l % TYPE_OWN], 1, line);
	plat_name(p + program.lines * line, &types[TYPE_OWN], own, line);
	program.percpu = plat_percpu_alloc(sizeof(uint32_t), &types[TYPE_PERCPU]);
}

static void fold_cpu(struct program_result *result, uint32_t slot)
{
	const struct sim_cpu *cpu = &sim.cpus[slot];

	fold(&result->digest, workers[slot].digest);
	for (int c = 0; c < SIM_CATEGORIES_MAX; c++)
		fold(&result->digest, cpu->cost[c]);
	fold(&result->digest, cpu->now);
	fold(&result->digest, cpu->accesses);
	fold(&result->digest, machine_stolen(slot));
	fold(&result->digest, os_task_ops(slot));
	result->accesses += cpu->accesses;
	result->events += cpu->events;
	result->now = cpu->now > result->now ? cpu->now : result->now;
}

static void fold_memory(struct program_result *result)
{
	for (uint32_t l = 0; l < machine_line_count(); l++) {
		struct line_stats stats = machine_line(l);

		fold(&result->digest, stats.offset);
		fold(&result->digest, stats.local);
		fold(&result->digest, stats.remote);
		fold(&result->digest, stats.wait);
	}
	for (size_t at = 0; at < sim.memory.used; at += sizeof(uint64_t))
		fold(&result->digest, *(uint64_t *)(void *)(sim.memory.backing + at));
	for (uint32_t permille = 0; permille <= 1000; permille += 250)
		fold(&result->digest, latency_quantile(os_latency(), permille));
}

static _Noreturn void give_up(uint64_t seed)
{
	fprintf(stderr, "program %llu: %s\n", (unsigned long long)seed,
		sim.failure ? sim.failure : "no memory");
	abort();
}

/* Sizes are drawn so that about half of all accesses can be hits. */
static void draw_program(gsl_rng *r, uint32_t cpus)
{
	program.lines = 1 + (uint32_t)sim_random_below(r, sim_random_below(r, 2) ? 40 : 4);
	program.steps = 20 + (uint32_t)sim_random_below(r, cpus > 100 ? 20 : 100);
	program.hot = (uint32_t)sim_random_below(r, 6);
	program.private = (uint32_t)sim_random_below(r, 8);
	program.stay = (uint32_t)sim_random_below(r, 8);
	program.calm = sim_random_below(r, 2);
	program.words = sim.config.line_size / sizeof(uint32_t);
}

static void start_workers(uint64_t seed, uint32_t cpus)
{
	for (uint32_t s = 0; s < cpus; s++) {
		workers[s] = (struct worker){
			.slot = s,
			.digest = seed,
			.random = sim_random_new(seed, s + 1, SIM_RANDOM_TEST),
		};
		os_task_start(s, body, &workers[s]);
	}
}

/* Now and then only some of the machine's CPUs run a task. */
static uint32_t choose_cpus(gsl_rng *r, const struct machine_profile *p, uint32_t *ids)
{
	uint32_t all = machine_cpu_count(&p->topology), cpus = 0;
	bool sparse = sim_random_below(r, 3) == 0;

	for (uint32_t id = 0; id < all; id++)
		if (!sparse || cpus == 0 || sim_random_below(r, 2))
			ids[cpus++] = id;
	return cpus;
}

static void take_down(gsl_rng *r, uint32_t cpus)
{
	for (uint32_t s = 0; s < cpus; s++)
		gsl_rng_free(workers[s].random);
	gsl_rng_free(r);
	os_clean_up();
	machine_clean_up();
	sim_engine_clean_up();
}

/* False: types of `quiet` were a surprise; `quiet` is without them. */
static bool attempt(uint64_t seed, bool reference, uint64_t *quiet, struct program_result *result)
{
	static uint32_t ids[SIM_CPUS_MAX];
	gsl_rng *r = sim_random_new(seed, 0, SIM_RANDOM_TEST);
	struct machine_profile profile = random_machine(r);
	uint32_t cpus = choose_cpus(r, &profile, ids);
	struct sim_config config = {
		.cpus = cpus, .memory_bytes = 4 << 20, .reference = reference, .quiet = *quiet};
	uint64_t surprise;

	machine_configure(&profile, &config);
	if (sim_engine_init(&config) || machine_init(&profile, ids, cpus, seed) ||
	    os_init(&(struct os_config){.profile = &profile}))
		give_up(seed);
	draw_program(r, cpus);
	if (sim_protect(build, NULL))
		give_up(seed);
	start_workers(seed, cpus);
	sim_timer_set(1 + sim_random_below(r, 20 * SIM_US), reset_statistics, NULL);
	if (sim_engine_run() && !(sim.surprise & *quiet))
		give_up(seed);
	surprise = sim.surprise;
	if (!surprise) {
		result->wrong = invariants_broken();
		for (uint32_t s = 0; s < cpus; s++)
			fold_cpu(result, s);
		fold_memory(result);
	}
	*quiet &= ~surprise;
	take_down(r, cpus);
	return !surprise;
}

struct program_result program_run(uint64_t seed, bool reference)
{
	uint64_t quiet = reference ? 0 : sim_random_mix(seed, 0, 0x9e);
	struct program_result result = {0};

	while (!attempt(seed, reference, &quiet, &result))
		result.surprises++;
	for (int t = 0; t < TYPES; t++)
		result.quiet += quiet >> t & 1;
	return result;
}
