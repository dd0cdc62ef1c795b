// SPDX-License-Identifier: GPL-3.0-or-later
/* The native platform itself: CPUs, memory, watchdog, stop. */
#include "../futex/cmocka_all.h"

#include <pthread.h>
#include <string.h>

#include "native/native.h"
#include "native_crew.h"

enum { CPUS = 4 };

struct shared {
	_Atomic(uint32_t) value, reached, beyond;
	struct plat_percpu *percpu;
	_Atomic(uint64_t) ops, waits;
	_Atomic(uint32_t) seen[CPUS];
};

static struct shared *shared_create(void)
{
	return plat_alloc(sizeof(struct shared), NATIVE_LINE, 0);
}

static void numbers_body(void *context, unsigned index)
{
	struct shared *shared = context;

	shared->seen[index] = plat_cpu() + 100;
	plat_this_cpu_add(shared->percpu, (int32_t)index - 2);
	for (unsigned i = 0; i < index; i++)
		plat_op_done();
	atomic_fetch_add(&shared->ops, native_counters().ops);
}

static void test_cpus(void **state)
{
	struct shared *shared = shared_create();

	(void)state;
	shared->percpu = plat_percpu_alloc(sizeof(uint32_t), NULL);
	for (int i = 0; i < 2; i++)
		assert_null(native_crew.run(numbers_body, shared, CPUS, 1));
	for (unsigned i = 0; i < CPUS; i++) {
		uint32_t *copy = plat_percpu_ptr(shared->percpu, i);

		assert_int_equal(shared->seen[i], i + 100);
		assert_int_equal((int32_t)*copy, 2 * ((int)i - 2));
		assert_int_equal((uintptr_t)copy % NATIVE_LINE, 0);
	}
	assert_int_equal(shared->ops, 2 * (0 + 1 + 2 + 3));
	assert_int_equal(plat_node_of_cpu(0), 0);
	assert_int_equal(plat_node_of_cpu(plat_cpu_count() - 1), plat_node_count() - 1);
	native_reset();
}

static void *unregistered_main(void *cpu)
{
	*(unsigned *)cpu = plat_cpu();
	return NULL;
}

/* A thread that never enters gets a number of its own, free again when it ends. */
static void test_free_number(void **state)
{
	unsigned mine = plat_cpu(), theirs, again;
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, unregistered_main, &theirs), 0);
	pthread_join(thread, NULL);
	assert_int_equal(pthread_create(&thread, NULL, unregistered_main, &again), 0);
	pthread_join(thread, NULL);
	assert_int_not_equal(mine, theirs);
	assert_int_equal(theirs, again);
}

static void test_memory(void **state)
{
	(void)state;
	for (size_t align = 1; align <= plat_page_size(); align *= 2) {
		unsigned char *p = plat_alloc(align + 13, align, 0);

		assert_int_equal(plat_address(p) % align, 0);
		for (size_t i = 0; i < align + 13; i++)
			assert_int_equal(p[i], 0);
		memset(p, 0xff, align + 13);
		if (align % 3)
			plat_free(p);
	}
	plat_free(NULL);
	assert_int_equal(plat_address(plat_alloc_user(1, 0)) % plat_page_size(), 0);
	native_reset();
}

/* CPU 0 changes what the others wait for, in every width that there is. */
static void wait_body(void *context, unsigned index)
{
	struct shared *shared = context;

	plat_lock_wait_begin();
	plat_lock_wait_begin();
	if (index == 0)
		atomic_store(&shared->value, 0x01010101);
	else if (index == 1)
		shared->seen[1] = plat_wait_until_changed8((_Atomic(uint8_t) *)&shared->value, 0);
	else if (index == 2)
		shared->seen[2] = plat_wait_until_changed16((_Atomic(uint16_t) *)&shared->value, 0);
	else
		shared->seen[3] = plat_wait_until_changed32(&shared->value, 0);
	plat_lock_wait_end();
	plat_lock_wait_end();
	atomic_fetch_add(&shared->waits, native_counters().lock_waits);
}

static void test_wait(void **state)
{
	struct shared *shared = shared_create();

	(void)state;
	assert_null(native_crew.run(wait_body, shared, CPUS, 1));
	assert_int_equal(shared->seen[1], 0x01);
	assert_int_equal(shared->seen[2], 0x0101);
	assert_int_equal(shared->seen[3], 0x01010101);
	assert_int_equal(shared->waits, CPUS);
	assert_int_equal(plat_wait_until_changed64(&shared->waits, 0), CPUS);
	native_reset();
}

static void lost_body(void *context, unsigned index)
{
	struct shared *shared = context;

	atomic_fetch_add(&shared->reached, 1);
	if (index == 0)
		return;
	if (index == 1)
		plat_wait_until_changed32(&shared->value, 0);
	else
		while (atomic_load(&shared->value) == 0)
			plat_cpu_relax();
	atomic_fetch_add(&shared->beyond, 1);
}

/* Whoever waits for ever is ended, and the run fails; the next run may succeed. */
static void test_deadline(void **state)
{
	struct shared *shared = shared_create();

	(void)state;
	native_crew_patience(100);
	assert_non_null(native_crew.run(lost_body, shared, CPUS, 1));
	assert_int_equal(shared->reached, CPUS);
	assert_int_equal(shared->beyond, 0);
	native_crew_patience(60000);
	shared->value = 1;
	assert_null(native_crew.run(lost_body, shared, CPUS, 1));
	assert_int_equal(shared->beyond, CPUS - 1);
	native_reset();
}

static void panic_body(void *context, unsigned index)
{
	struct shared *shared = context;

	if (index == 1)
		plat_panic("on purpose");
	atomic_fetch_add(&shared->beyond, 1);
}

static void test_panic(void **state)
{
	struct shared *shared = shared_create();

	(void)state;
	assert_string_equal(native_crew.run(panic_body, shared, CPUS, 1), "on purpose");
	assert_int_equal(shared->beyond, CPUS - 1);
	native_reset();
}

static void stop_body(void *context, unsigned index)
{
	struct shared *shared = context;

	if (index == 0)
		native_stop();
	while (!plat_stopping())
		plat_cpu_relax();
	atomic_fetch_add(&shared->beyond, 1);
}

static void test_stop(void **state)
{
	struct shared *shared = shared_create();

	(void)state;
	assert_false(plat_stopping());
	assert_null(native_crew.run(stop_body, shared, CPUS, 1));
	assert_true(plat_stopping());
	assert_int_equal(shared->beyond, CPUS);
	native_reset();
	assert_false(plat_stopping());
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpus),     cmocka_unit_test(test_free_number),
		cmocka_unit_test(test_memory),   cmocka_unit_test(test_wait),
		cmocka_unit_test(test_deadline), cmocka_unit_test(test_panic),
		cmocka_unit_test(test_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
