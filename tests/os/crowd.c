/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "crowd.h"

#include <stdio.h>
#include <stdlib.h>

#include "../sim/invariants.h"
#include "os_rig.h"
#include "random.h"

enum { TASKS_MAX = 40, LINES = 8, OWN = 3 };

static const struct plat_type types[] = {{"shared", PLAT_CAT_BUCKET_LINE, 0, NULL},
					 {"own", PLAT_CAT_OTHER, 0, NULL},
					 {"lock", PLAT_CAT_LOCK_WAIT, 0, NULL},
					 {"object", PLAT_CAT_OTHER, 0, NULL}};

static struct crowd {
	uint32_t tasks, steps, words;
	uint32_t *shared, *lock, *published; /* published: offset of an RCU-protected object */
	bool realtime, rcu, children;
	uint32_t callbacks, called;
	struct crowd_result *result;
	const char *wrong;
} crowd;

static struct member {
	gsl_rng *random;
	uint64_t digest;
	uint32_t *own;
	_Atomic(uint32_t) *state;
	struct plat_task *task;
	bool ended;
} members[TASKS_MAX];

static void fold(uint64_t *digest, uint64_t value)
{
	*digest = sim_random_mix(*digest, value, 0x51);
}

static uint32_t below(struct member *m, uint32_t bound)
{
	return (uint32_t)sim_random_below(m->random, bound);
}

static void touch(struct member *m)
{
	uint32_t *word = below(m, 2) ? m->own + below(m, OWN) * crowd.words
				     : crowd.shared + below(m, LINES) * crowd.words;

	switch (below(m, 3)) {
	case 0:
		fold(&m->digest, load(word));
		break;
	case 1:
		store(word, below(m, 100));
		break;
	default:
		fold(&m->digest, add(word));
	}
}

static uint32_t swap(uint32_t *word, uint32_t value)
{
	return futexsim_tsan_atomic32_exchange(word, value, __ATOMIC_ACQUIRE);
}

/* A spinlock as the kernel's: preemption is off from the first attempt on. */
static void lock_and_unlock(struct member *m)
{
	bool waits = false;

	plat_preempt_disable();
	while (swap(crowd.lock, 1)) {
		if (!waits)
			plat_lock_wait_begin();
		waits = true;
		plat_wait_until_changed32((void *)crowd.lock, 1);
	}
	if (waits)
		plat_lock_wait_end();
	if (load(crowd.lock + 1))
		crowd.wrong = "two tasks hold the lock";
	store(crowd.lock + 1, 1);
	plat_work(PLAT_WORK_ARGS);
	touch(m);
	store(crowd.lock + 1, 0);
	store(crowd.lock, 0);
	plat_preempt_enable();
}

/*
 * Spins with preemption on, as user code may: its writer can be a task of the same
 * CPU, unless that is starved.
 */
static void spin(struct member *m)
{
	uint32_t *word = crowd.shared + below(m, LINES) * crowd.words;
	uint32_t seen = load(word);

	if (seen % 4 == 0 && plat_task_prio(m->task) >= PLAT_PRIO_RT_END)
		fold(&m->digest, plat_wait_until_changed32((void *)word, seen));
}

static void sleep_for_a_while(struct member *m)
{
	uint64_t deadline = plat_clock_ns() + below(m, 200000);
	bool interruptible = below(m, 2);
	enum plat_wakeup why = os_rig_sleep(m->state, deadline, interruptible);

	crowd.result->sleeps++;
	crowd.result->woken += why == PLAT_WOKEN;
	crowd.result->timed_out += why == PLAT_TIMED_OUT;
	crowd.result->signalled += why == PLAT_SIGNALLED;
	fold(&m->digest, why);
	if (interruptible)
		fold(&m->digest, plat_signal_take());
	store((uint32_t *)m->state, 0);
}

static struct member *somebody(struct member *m)
{
	struct member *other = &members[below(m, crowd.tasks)];

	return other == m || other->ended ? NULL : other;
}

static void wake_somebody(struct member *m)
{
	struct member *other = somebody(m);

	if (!other || !load((uint32_t *)other->state))
		return;
	if (below(m, 4) == 0)
		plat_signal(other->task);
	else if (below(m, 4) == 0)
		plat_wake(other->task); /* for no reason: nothing may come of it */
	else
		os_rig_wake(other->state, other->task);
}

static void called_back(void *arg)
{
	crowd.called++;
	plat_work(PLAT_WORK_KEY);
	add((uint32_t *)arg);
}

static void *object_of(uint32_t offset)
{
	return sim_memory_pointer(&sim.memory, offset);
}

static uint32_t new_object(void)
{
	uint32_t *object = plat_alloc(sim.config.line_size, sim.config.line_size, 0);

	plat_name(object, &types[3], 1, sim.config.line_size);
	store(object, 7);
	return (uint32_t)sim_memory_offset(&sim.memory, object);
}

/* Finds the published object alive, however long it takes. */
static void read_object(struct member *m)
{
	uint32_t offset;

	plat_rcu_read_lock();
	offset = load(crowd.published);
	for (uint32_t i = below(m, 4); i > 0; i--)
		plat_work(PLAT_WORK_SYSCALL);
	fold(&m->digest, load(object_of(offset)));
	plat_rcu_read_unlock();
}

static void replace_object(struct member *m)
{
	uint32_t old = swap(crowd.published, new_object());

	switch (below(m, 4)) {
	case 0:
		plat_synchronize_rcu();
		plat_free(object_of(old));
		break;
	case 1:
		plat_synchronize_rcu_expedited();
		plat_free(object_of(old));
		break;
	case 2:
		crowd.callbacks++;
		plat_call_rcu(called_back, m->own, PLAT_RCU_HURRY);
		plat_kvfree_rcu(object_of(old));
		break;
	default:
		plat_kvfree_rcu(object_of(old));
	}
}

static void child_body(void *arg)
{
	struct member *m = arg;

	os_rig_work(5 * SIM_US);
	add(m->own);
}

static void have_a_child(struct member *m)
{
	struct plat_task *child = plat_task_create(child_body, m, PLAT_CPU_ANY);

	touch(m);
	plat_task_join(child);
}

static void rare_step(struct member *m)
{
	switch (below(m, 5)) {
	case 0:
		if (crowd.realtime)
			plat_task_set_prio(m->task, below(m, 3) ? PLAT_PRIO_NORMAL : 50);
		break;
	case 1:
		if (crowd.children)
			have_a_child(m);
		break;
	case 2:
		if (crowd.rcu)
			replace_object(m);
		break;
	case 3:
		os_rig_work(below(m, 3000) * SIM_US);
		break;
	default:
		spin(m);
	}
}

static void step(struct member *m)
{
	switch (below(m, 16)) {
	case 0:
		rare_step(m);
		break;
	case 1:
		sleep_for_a_while(m);
		break;
	case 2:
	case 3:
	case 4:
		wake_somebody(m);
		break;
	case 5:
		plat_kernel_enter();
		lock_and_unlock(m);
		plat_kernel_exit();
		break;
	case 6:
		if (crowd.rcu)
			read_object(m);
		plat_op_done();
		break;
	case 7:
		os_rig_work(below(m, 40) * SIM_US);
		break;
	default:
		touch(m);
	}
	fold(&m->digest, sim.current->now);
	fold(&m->digest, plat_cpu());
}

static void body(void *arg)
{
	struct member *m = arg;

	for (uint32_t s = 0; s < crowd.steps; s++)
		step(m);
	m->ended = true;
}

/* Ends the spinners' waits once nobody else does. */
static void heartbeat(void *arg)
{
	(void)arg;
	for (uint32_t alive = 2; alive > 1;) {
		sim_time began = sim.current->now;

		os_rig_sleep(members[0].state, plat_clock_ns() + 300000, false);
		for (uint32_t l = 0; l < LINES; l++)
			add(crowd.shared + l * crowd.words);
		sim_sync(sim.current, sim.current->now);
		alive = os_tasks_alive();
		fold(&members[0].digest, sim.current->now - began);
	}
}

static uint32_t *named_lines(uint32_t count, const struct plat_type *type)
{
	size_t line = sim.config.line_size;
	void *p = plat_alloc(count * line, line, 0);

	plat_name(p, type, count, line);
	return p;
}

static void build(void *arg)
{
	gsl_rng *r = arg;

	crowd.shared = named_lines(LINES, &types[0]);
	crowd.lock = named_lines(1, &types[2]);
	crowd.published = named_lines(1, &types[0]);
	store(crowd.published, new_object());
	for (uint32_t t = 0; t < crowd.tasks; t++) {
		struct member *m = &members[t];
		int cpu = sim_random_below(r, 2) ? PLAT_CPU_ANY
						 : (int)sim_random_below(r, sim.config.cpus);

		m->own = named_lines(OWN, &types[1]);
		m->state = os_rig_word();
		m->task = plat_task_create(t ? body : heartbeat, m, t ? cpu : 0);
	}
}

static void fold_all(struct crowd_result *result)
{
	for (uint32_t t = 0; t < crowd.tasks; t++) {
		struct os_task_stats stats = os_task_stats(t);

		fold(&result->digest, members[t].digest);
		fold(&result->digest, stats.ops);
		fold(&result->digest, stats.ready);
		for (int c = 0; c < SIM_CATEGORIES_MAX; c++)
			fold(&result->digest, stats.cost[c]);
	}
	for (uint32_t s = 0; s < sim.config.cpus; s++) {
		fold(&result->digest, sim.cpus[s].now);
		fold(&result->digest, sim.cpus[s].accesses);
		for (int c = 0; c < SIM_CATEGORIES_MAX; c++)
			fold(&result->digest, sim.cpus[s].cost[c]);
		result->accesses += sim.cpus[s].accesses;
		result->events += sim.cpus[s].events;
		result->now = sim.cpus[s].now > result->now ? sim.cpus[s].now : result->now;
	}
	for (size_t at = 0; at < sim.memory.used; at += sizeof(uint64_t))
		fold(&result->digest, *(uint64_t *)(void *)(sim.memory.backing + at));
	result->switches = os_switches();
	result->migrations = os_migrations();
}

static const char *find_wrong(void)
{
	const char *wrong = invariants_broken();

	if (wrong || crowd.wrong)
		return wrong ? wrong : crowd.wrong;
	for (uint32_t t = 1; t < crowd.tasks; t++)
		if (!members[t].ended)
			return "a task did not come to its end";
	if (crowd.called != crowd.callbacks)
		return "a callback was not called, or twice";
	return NULL;
}

static struct os_rig draw(gsl_rng *r, bool reference, uint64_t quiet)
{
	uint32_t cpus = 1 + (uint32_t)sim_random_below(r, 6);
	struct os_rig rig = {.profile = test_machine_of(1 + cpus % 2, 1, cpus, 1),
			     .cpus = cpus,
			     .tasks = 2 * TASKS_MAX,
			     .reference = reference,
			     .quiet = quiet};

	rig.profile.param[PARAM_JITTER].value = 0.1;
	rig.profile.param[PARAM_L1_HIT].value = (double)sim_random_below(r, 3);
	rig.os.preemptible_readers = sim_random_below(r, 2);
	rig.os.no_direct_wake = sim_random_below(r, 2);
	rig.os.tick_ns = sim_random_below(r, 2) ? 1e6 : 4e6;
	crowd = (struct crowd){.tasks = 2 + (uint32_t)sim_random_below(r, 3 * cpus + 2),
			       .steps = 20 + (uint32_t)sim_random_below(r, 200),
			       .words = 16,
			       .realtime = sim_random_below(r, 3) == 0,
			       .rcu = sim_random_below(r, 2),
			       .children = sim_random_below(r, 2)};
	return rig;
}

/* False: types of `quiet` were a surprise; `quiet` is without them. */
static bool attempt(uint64_t seed, bool reference, uint64_t *quiet, struct crowd_result *result)
{
	gsl_rng *r = sim_random_new(seed, 0, SIM_RANDOM_TEST);
	struct os_rig rig = draw(r, reference, *quiet);
	uint64_t surprise;

	os_rig_begin(&rig);
	crowd.result = result;
	for (uint32_t t = 0; t < crowd.tasks; t++)
		members[t] = (struct member){
			.digest = seed, .random = sim_random_new(seed, t + 1, SIM_RANDOM_TEST)};
	if (sim_protect(build, r) || (sim_engine_run() && !(sim.surprise & *quiet))) {
		fprintf(stderr, "crowd %llu: %s\n", (unsigned long long)seed, sim.failure);
		abort();
	}
	surprise = sim.surprise;
	if (!surprise) {
		result->wrong = find_wrong();
		fold_all(result);
	}
	*quiet &= ~surprise;
	for (uint32_t t = 0; t < crowd.tasks; t++)
		gsl_rng_free(members[t].random);
	gsl_rng_free(r);
	rig_end();
	return !surprise;
}

struct crowd_result crowd_run(uint64_t seed, bool reference)
{
	uint64_t quiet = reference ? 0 : sim_random_mix(seed, 0, 0x9e);
	struct crowd_result result = {0};
	uint32_t surprises = 0;

	while (!attempt(seed, reference, &quiet, &result))
		result = (struct crowd_result){.surprises = ++surprises};
	return result;
}
