// SPDX-License-Identifier: GPL-3.0-or-later
/* The native platform's tasks: created and joined, asleep and woken; and its RCU. */
#include "../futex/cmocka_all.h"

#include <pthread.h>

#include "native/native.h"
#include "native_crew.h"

enum { CPUS = 4, ROUNDS = 2000, PAUSE_NS = 2000000, SOON_NS = 5000000 };

/* ---- Tasks --------------------------------------------------------------------- */

struct body {
	struct plat_task *task;
	unsigned cpu;
	int result;
};

static void body_main(void *arg)
{
	struct body *body = arg;

	body->cpu = plat_cpu();
	body->task = plat_current();
	body->result = plat_task_prio(body->task);
}

static void test_create_and_join(void **state)
{
	struct body body[CPUS];
	struct plat_task *task[CPUS];

	(void)state;
	for (int i = 0; i < CPUS; i++)
		task[i] = plat_task_create(body_main, &body[i], i ? 10 + i : PLAT_CPU_ANY);
	for (int i = 0; i < CPUS; i++) {
		plat_task_join(task[i]);
		assert_ptr_equal(body[i].task, task[i]);
		assert_int_equal(body[i].result, PLAT_PRIO_NORMAL);
		assert_int_equal(plat_task_cpu(task[i]), body[i].cpu);
		if (i)
			assert_int_equal(body[i].cpu, 10 + i);
	}
	plat_task_set_prio(plat_current(), 7);
	assert_int_equal(plat_task_prio(plat_current()), 7);
	native_reset();
	assert_int_equal(plat_task_prio(plat_current()), PLAT_PRIO_NORMAL);
}

/* A CPU that is taken is no obstacle: the next free one will do. */
static void taken_body(void *arg)
{
	struct body body;
	struct plat_task *task = plat_task_create(body_main, &body, (int)plat_cpu());

	plat_task_join(task);
	*(bool *)arg = body.cpu != plat_cpu();
}

static void test_taken_cpu(void **state)
{
	bool differs = false;

	(void)state;
	plat_task_join(plat_task_create(taken_body, &differs, 3));
	assert_true(differs);
	native_reset();
}

/* ---- Sleeping and waking --------------------------------------------------------- */

struct sleeper {
	_Atomic(uint32_t) state;
	_Atomic(struct plat_task *) task;
};

struct table {
	struct sleeper side[CPUS];
	_Atomic(uint32_t) turn, wakes;
};

static void wake(struct sleeper *sleeper)
{
	struct plat_task *task = plat_read_once(&sleeper->task);

	if (task && atomic_exchange(&sleeper->state, 0))
		plat_wake(task);
}

/* Until it is my turn, asleep; with the announcement before the look. */
static void await_turn(struct table *table, unsigned index)
{
	struct sleeper *mine = &table->side[index];

	for (;;) {
		atomic_store(&mine->state, 1);
		if (atomic_load(&table->turn) % CPUS == index)
			break;
		if (plat_schedule(&mine->state, PLAT_NO_DEADLINE, false) != PLAT_WOKEN)
			plat_panic("woken by nobody");
	}
	atomic_store(&mine->state, 0);
}

static void ring_body(void *context, unsigned index)
{
	struct table *table = context;

	atomic_store(&table->side[index].task, plat_current());
	for (int i = 0; i < ROUNDS; i++) {
		await_turn(table, index);
		atomic_fetch_add(&table->turn, 1);
		wake(&table->side[(index + 1) % CPUS]);
	}
}

static void test_no_wake_is_lost(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 3; seed++) {
		struct table *table;

		native_crew.begin(CPUS, seed);
		table = plat_alloc(sizeof(*table), NATIVE_LINE, 0);
		assert_null(native_crew.run(ring_body, table, CPUS, seed));
		assert_int_equal(table->turn, CPUS * ROUNDS);
	}
	native_reset();
}

static void test_returns_at_once(void **state)
{
	_Atomic(uint32_t) word = 0;

	(void)state;
	assert_int_equal(plat_schedule(&word, 0, true), PLAT_WOKEN);
	plat_wake(plat_current()); /* nothing is left over of this */
	word = 1;
	assert_int_equal(plat_schedule(&word, plat_clock_ns() + PAUSE_NS, false), PLAT_TIMED_OUT);
	assert_int_equal(word, 1);
}

static void test_deadline(void **state)
{
	_Atomic(uint32_t) word = 1;
	uint64_t deadline = plat_clock_ns() + SOON_NS;

	(void)state;
	assert_int_equal(plat_schedule(&word, deadline, false), PLAT_TIMED_OUT);
	assert_true(plat_clock_ns() >= deadline);
}

static void signal_body(void *context, unsigned index)
{
	struct table *table = context;
	struct sleeper *side = &table->side[0];

	if (index == 0) {
		atomic_store(&side->state, 1);
		atomic_store(&side->task, plat_current());
		if (plat_schedule(&side->state, PLAT_NO_DEADLINE, true) != PLAT_SIGNALLED)
			plat_panic("not signalled");
		if (!plat_signal_pending() || !plat_signal_take() || plat_signal_pending())
			plat_panic("the signal is pending until taken");
	} else if (index == 1) {
		while (!atomic_load(&side->task))
			plat_cpu_relax();
		plat_signal(atomic_load(&side->task));
	}
}

static void test_signal(void **state)
{
	struct table *table;

	(void)state;
	native_crew.begin(CPUS, 1);
	table = plat_alloc(sizeof(*table), NATIVE_LINE, 0);
	assert_null(native_crew.run(signal_body, table, 2, 1));
	native_reset();
}

static void forgotten_body(void *arg)
{
	_Atomic(uint32_t) *word = arg;

	atomic_store(word, 1);
	plat_schedule(word, PLAT_NO_DEADLINE, true);
	atomic_store(word, 2);
}

/* Whoever is never woken fails the run. */
static void test_sleeps_for_ever(void **state)
{
	_Atomic(uint32_t) word = 0;

	(void)state;
	native_set_deadline(100);
	plat_task_join(plat_task_create(forgotten_body, (void *)&word, 0));
	assert_non_null(native_failure());
	assert_int_equal(word, 1);
	native_reset();
}

/* ---- RCU --------------------------------------------------------------------------- */

enum { ALIVE = 0x5a5a, DEAD = 0xdead, UPDATES = 200, READS = 5000 };

struct version {
	PLAT_LOCKED(uint32_t) value;
};

struct published {
	_Atomic(struct version *) current;
	_Atomic(uint32_t) freed;
};

static struct version *version_new(void)
{
	struct version *version = plat_alloc(sizeof(*version), 8, 0);

	plat_locked_write(&version->value, ALIVE);
	return version;
}

static void read_versions(struct published *p)
{
	for (int i = 0; i < READS; i++) {
		struct version *version;

		plat_rcu_read_lock();
		plat_preempt_disable();
		version = atomic_load_explicit(&p->current, memory_order_acquire);
		plat_preempt_enable();
		if (plat_locked_read(&version->value) != ALIVE)
			plat_panic("freed while it was read");
		plat_rcu_read_unlock();
	}
}

static struct published *the_published;

static void free_version(void *arg)
{
	struct version *version = arg;

	plat_locked_write(&version->value, DEAD);
	plat_free(version);
	atomic_fetch_add(&the_published->freed, 1);
}

static void update_versions(struct published *p)
{
	for (int i = 0; i < UPDATES; i++) {
		struct version *old = atomic_exchange(&p->current, version_new());

		if (i % 3 == 0) {
			plat_synchronize_rcu();
			free_version(old);
		} else if (i % 3 == 1) {
			plat_call_rcu(free_version, old, PLAT_RCU_HURRY);
		} else {
			plat_kvfree_rcu(old);
			atomic_fetch_add(&p->freed, 1);
		}
	}
}

static void rcu_body(void *context, unsigned index)
{
	if (index == 0)
		update_versions(context);
	else
		read_versions(context);
}

static void test_rcu(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 3; seed++) {
		native_crew.begin(CPUS, seed);
		the_published = plat_alloc(sizeof(*the_published), NATIVE_LINE, 0);
		atomic_store(&the_published->current, version_new());
		assert_null(native_crew.run(rcu_body, the_published, CPUS, seed));
	}
	native_reset();
}

static void count_call(void *arg)
{
	atomic_fetch_add((_Atomic(uint32_t) *)arg, 1);
}

/* native_reset() runs what is left, and a period is over only when it has been one. */
static void test_callbacks_and_cookies(void **state)
{
	_Atomic(uint32_t) calls = 0;
	uint64_t cookie = plat_rcu_get_state();

	(void)state;
	assert_false(plat_rcu_poll_state(cookie));
	plat_synchronize_rcu_expedited();
	assert_true(plat_rcu_poll_state(cookie));
	assert_false(plat_rcu_poll_state(plat_rcu_get_state()));
	for (int i = 0; i < 100; i++)
		plat_call_rcu(count_call, (void *)&calls, PLAT_RCU_MAY_BE_LAZY);
	native_reset();
	assert_int_equal(calls, 100);
}

static void stuck_reader_body(void *context, unsigned index)
{
	if (index == 0)
		plat_rcu_read_lock();
	count_call(context);
	while (plat_read_once((_Atomic(uint32_t) *)context) < 2)
		plat_cpu_relax();
	if (index == 0)
		while (true)
			plat_cpu_relax();
	plat_synchronize_rcu();
	count_call(context);
}

/* A reader that never leaves: the run fails, and its CPU is no reader afterwards. */
static void test_stuck_reader(void **state)
{
	_Atomic(uint32_t) calls = 0;

	(void)state;
	native_crew_patience(100);
	assert_non_null(native_crew.run(stuck_reader_body, (void *)&calls, 2, 1));
	assert_int_equal(calls, 2);
	native_crew_patience(60000);
	native_reset();
	plat_synchronize_rcu();
}

static void sleeping_reader_body(void *context, unsigned index)
{
	(void)index;
	plat_rcu_read_lock();
	plat_schedule(context, PLAT_NO_DEADLINE, false);
}

static void test_no_sleep_in_a_section(void **state)
{
	_Atomic(uint32_t) word = 0;

	(void)state;
	assert_string_equal(native_crew.run(sleeping_reader_body, (void *)&word, 1, 1),
			    "a task sleeps in an RCU section or with preemption off");
	native_reset();
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_create_and_join),
		cmocka_unit_test(test_taken_cpu),
		cmocka_unit_test(test_no_wake_is_lost),
		cmocka_unit_test(test_returns_at_once),
		cmocka_unit_test(test_deadline),
		cmocka_unit_test(test_signal),
		cmocka_unit_test(test_sleeps_for_ever),
		cmocka_unit_test(test_rcu),
		cmocka_unit_test(test_callbacks_and_cookies),
		cmocka_unit_test(test_stuck_reader),
		cmocka_unit_test(test_no_sleep_in_a_section),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
