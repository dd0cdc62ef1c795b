// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Reference counts. rcuref's zones are those of kernel v6.17
 * include/linux/rcuref.h: valid up to 0x7FFFFFFF, saturated (marked 0xA0000000) up
 * to 0xBFFFFFFF, dead (released 0xC0000000, marked 0xE0000000) up to 0xFFFFFFFE,
 * 0xFFFFFFFF no reference.
 */
#include "../futex/cmocka_all.h"

#include "native/native.h"
#include "native_crew.h"
#include "sync/refcount.h"

#define SATURATED UINT32_C(0xA0000000)
#define DEAD      UINT32_C(0xE0000000)
#define NOREF     UINT32_C(0xFFFFFFFF)

/* From lib/rcuref.c: what rcuref_put() does once its subtraction gave `count`. */
bool rcuref_put_slowpath(_Atomic(uint32_t) *ref, uint32_t count);

struct step {
	uint32_t before;
	bool result;
	uint32_t after;
};

static void assert_steps(bool (*operation)(_Atomic(uint32_t) *), const struct step *steps,
			 size_t count)
{
	for (size_t i = 0; i < count; i++) {
		_Atomic(uint32_t) ref = steps[i].before;

		if (operation(&ref) != steps[i].result || ref != steps[i].after)
			fail_msg("step %zu: 0x%08x became 0x%08x, expected 0x%08x", i,
				 steps[i].before, ref, steps[i].after);
	}
}

#define ASSERT_STEPS(operation, steps)                                                             \
	assert_steps(operation, steps, sizeof(steps) / sizeof((steps)[0]))

static void test_init(void **state)
{
	_Atomic(uint32_t) ref;

	(void)state;
	rcuref_init(&ref, 1);
	assert_int_equal(ref, 0);
	rcuref_init(&ref, 17);
	assert_int_equal(ref, 16);
}

static void test_get_zones(void **state)
{
	static const struct step steps[] = {
		{0x00000000, true, 0x00000001}, {0x7FFFFFFE, true, 0x7FFFFFFF},
		{0x7FFFFFFF, true, SATURATED}, /* overflow into the saturated zone */
		{0x80000000, true, SATURATED},  {0x9FFFFFFF, true, SATURATED},
		{0xA0000000, true, SATURATED},  {0xBFFFFFFE, true, SATURATED},
		{0xBFFFFFFF, false, DEAD},      {0xC0000000, false, DEAD},
		{0xDFFFFFFF, false, DEAD},      {0xE0000000, false, DEAD},
		{0xFFFFFFFD, false, DEAD},      {0xFFFFFFFE, false, DEAD},
		{0xFFFFFFFF, true, 0x00000000}, /* before the last put's cmpxchg */
	};

	(void)state;
	ASSERT_STEPS(rcuref_get, steps);
}

static void test_put_zones(void **state)
{
	static const struct step steps[] = {
		{0x00000000, true, DEAD}, /* the last one */
		{0x00000001, false, 0x00000000}, {0x7FFFFFFF, false, 0x7FFFFFFE},
		{0x80000000, false, 0x7FFFFFFF}, {0x80000001, false, SATURATED},
		{0xA0000000, false, SATURATED},  {0xBFFFFFFF, false, SATURATED},
		{0xC0000000, false, SATURATED},  {0xC0000001, false, DEAD}, /* imbalanced */
		{0xE0000000, false, DEAD},       {0xE0000001, false, DEAD},
		{0xFFFFFFFF, false, DEAD},
	};

	(void)state;
	ASSERT_STEPS(rcuref_put, steps);
}

static void test_is_dead(void **state)
{
	static const struct step steps[] = {
		{0x00000000, false, 0x00000000}, {0x7FFFFFFF, false, 0x7FFFFFFF},
		{0x80000000, false, 0x80000000}, {0xA0000000, false, 0xA0000000},
		{0xBFFFFFFF, false, 0xBFFFFFFF}, {0xC0000000, true, 0xC0000000},
		{0xE0000000, true, 0xE0000000},  {0xFFFFFFFE, true, 0xFFFFFFFE},
		{0xFFFFFFFF, false, 0xFFFFFFFF},
	};

	(void)state;
	ASSERT_STEPS(rcuref_is_dead, steps);
}

/* Between the subtraction to NOREF and the cmpxchg to DEAD a get is legal. */
static void test_get_slips_in(void **state)
{
	_Atomic(uint32_t) ref = NOREF;

	(void)state;
	assert_true(rcuref_get(&ref));
	assert_false(rcuref_put_slowpath(&ref, NOREF));
	assert_int_equal(ref, 0);
	assert_true(rcuref_put(&ref));
	assert_int_equal(ref, DEAD);
}

/*
 * Commit b9a49520679e: two puts down to NOREF, with a get between. The one that
 * makes it dead is the last; the other must neither be it nor find an imbalance,
 * and so must go by its own subtraction's result, not by the word.
 */
static void test_two_last_puts(void **state)
{
	_Atomic(uint32_t) ref = NOREF;

	(void)state;
	assert_true(rcuref_get(&ref));
	assert_true(rcuref_put(&ref));
	assert_false(rcuref_put_slowpath(&ref, NOREF));
	assert_int_equal(ref, DEAD);
}

static void test_dead_stays_dead(void **state)
{
	_Atomic(uint32_t) ref;

	(void)state;
	rcuref_init(&ref, 2);
	assert_false(rcuref_put(&ref));
	assert_true(rcuref_put(&ref));
	for (int i = 0; i < 1000; i++) {
		assert_false(rcuref_get(&ref));
		assert_true(rcuref_is_dead(&ref));
	}
	assert_false(rcuref_put(&ref));
	assert_false(rcuref_get(&ref));
	assert_int_equal(ref, DEAD);
}

static void test_atomic(void **state)
{
	_Atomic(uint64_t) ref = 0;

	(void)state;
	assert_false(atomicref_get(&ref));
	assert_int_equal(ref, 0);
	ref = 1;
	assert_true(atomicref_get(&ref));
	assert_int_equal(ref, 2);
	assert_false(atomicref_put(&ref));
	assert_true(atomicref_put(&ref));
	assert_int_equal(ref, 0);
	ref = UINT64_C(1) << 32;
	assert_true(atomicref_get(&ref));
	assert_true(ref == (UINT64_C(1) << 32) + 1);
}

static void test_plain(void **state)
{
	_Atomic(uint32_t) ref = 1;

	(void)state;
	assert_true(plainref_get(&ref));
	assert_int_equal(ref, 2);
	assert_false(plainref_put(&ref));
	assert_int_equal(ref, 1);
}

static void test_names(void **state)
{
	static const char *const names[] = {"none", "plain-int", "atomic", "rcuref", "percpu"};

	(void)state;
	for (int kind = 0; kind < REFCOUNT_KIND_COUNT; kind++)
		assert_string_equal(refcount_name(kind), names[kind]);
}

/* ---- Threads ---------------------------------------------------------------- */

enum { CPUS = 4, ROUNDS = 20000, LIVES = 300 };

struct shared {
	_Atomic(uint32_t) rcu;
	_Atomic(uint64_t) atomic;
	struct plat_percpu *percpu;
	_Atomic(uint32_t) broken;
	/* Lives: an object whose last put is done by exactly one CPU. */
	_Atomic(uint32_t) last_puts[LIVES];
	_Atomic(uint32_t) life[LIVES];
	_Atomic(uint64_t) life_atomic[LIVES];
	_Atomic(uint32_t) arrived;
};

static void balanced_body(void *context, unsigned index)
{
	struct shared *shared = context;

	(void)index;
	for (int i = 0; i < ROUNDS; i++) {
		bool got = rcuref_get(&shared->rcu) && atomicref_get(&shared->atomic);

		plat_this_cpu_add(shared->percpu, 1);
		plat_this_cpu_add(shared->percpu, i % 3 ? -1 : 1);
		if (!got || rcuref_put(&shared->rcu) || atomicref_put(&shared->atomic))
			plat_write_once(&shared->broken, 1);
	}
}

static void run_crew(lock_body body, struct shared *shared)
{
	const char *cut_off = native_crew.run(body, shared, CPUS, 1);

	if (cut_off)
		fail_msg("%s", cut_off);
}

static void assert_percpu(struct plat_percpu *percpu)
{
	uint32_t expected = 0;

	for (int i = 0; i < ROUNDS; i++)
		expected += i % 3 ? 0 : 2;
	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		assert_int_equal(*(uint32_t *)plat_percpu_ptr(percpu, cpu), expected);
}

static void test_balanced_threads(void **state)
{
	struct shared *shared = plat_alloc(sizeof(*shared), 64, 0);

	(void)state;
	rcuref_init(&shared->rcu, 1);
	shared->atomic = 1;
	shared->percpu = plat_percpu_alloc(sizeof(uint32_t), NULL);
	run_crew(balanced_body, shared);
	assert_int_equal(shared->broken, 0);
	assert_int_equal(shared->rcu, 0);
	assert_int_equal(shared->atomic, 1);
	assert_percpu(shared->percpu);
	native_reset();
}

/* All CPUs at the same life at about the same time. */
static void meet(struct shared *shared, uint32_t life)
{
	uint32_t all = (life + 1) * CPUS;
	uint32_t arrived = atomic_fetch_add(&shared->arrived, 1) + 1;

	while (arrived < all)
		arrived = plat_wait_until_changed32(&shared->arrived, arrived);
}

/* One CPU drops the only reference while the others try to get one. */
static void end_life(struct shared *shared, uint32_t life, bool owner)
{
	if (owner || rcuref_get(&shared->life[life])) {
		plat_work_cycles(1);
		if (rcuref_put(&shared->life[life]))
			atomic_fetch_add(&shared->last_puts[life], 1);
	}
	if (owner || atomicref_get(&shared->life_atomic[life])) {
		plat_work_cycles(1);
		if (atomicref_put(&shared->life_atomic[life]))
			atomic_fetch_add(&shared->last_puts[life], 1);
	}
}

static void lives_body(void *context, unsigned index)
{
	struct shared *shared = context;

	for (uint32_t life = 0; life < LIVES; life++) {
		meet(shared, life);
		end_life(shared, life, life % CPUS == index);
	}
}

static void test_one_last_put(void **state)
{
	struct shared *shared = plat_alloc(sizeof(*shared), 64, 0);

	(void)state;
	for (int life = 0; life < LIVES; life++) {
		rcuref_init(&shared->life[life], 1);
		shared->life_atomic[life] = 1;
	}
	run_crew(lives_body, shared);
	for (int life = 0; life < LIVES; life++) {
		assert_int_equal(shared->last_puts[life], 2);
		assert_true(rcuref_is_dead(&shared->life[life]));
		assert_int_equal(shared->life_atomic[life], 0);
	}
	native_reset();
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_init),
		cmocka_unit_test(test_get_zones),
		cmocka_unit_test(test_put_zones),
		cmocka_unit_test(test_is_dead),
		cmocka_unit_test(test_get_slips_in),
		cmocka_unit_test(test_two_last_puts),
		cmocka_unit_test(test_dead_stays_dead),
		cmocka_unit_test(test_atomic),
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_balanced_threads),
		cmocka_unit_test(test_one_last_put),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
